"""Shared parts of the players that play through another program."""
