"""The alpha-beta family, written once for every game."""
