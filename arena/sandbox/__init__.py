"""Contains player processes, and tries whether it does."""
