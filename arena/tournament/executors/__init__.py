"""The executors, which play the games of a run: a file each."""
