"""Tournaments, matches and tests as a user asks for them, played in front of the user."""
