"""Which games are played, where they are kept, and how they are run."""
