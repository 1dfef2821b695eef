"""Othello, compiled."""
