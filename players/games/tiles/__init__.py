"""2048 and 2584, compiled."""
