"""Analyses positions and games by searching them."""
