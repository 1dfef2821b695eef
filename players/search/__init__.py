"""Searches over the compiled games, each written once for every game."""
