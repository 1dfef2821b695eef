"""Connect four, compiled."""
