"""Which games a tournament plays: one file a format."""
