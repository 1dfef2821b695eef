"""Standings and games in each format: one file a format."""
