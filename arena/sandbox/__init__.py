"""The containment of player processes, and the test that it works."""
