"""What plays the games of a run: one file an executor."""
