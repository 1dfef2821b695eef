"""Bots: the SDK, the built-in players and their kernels."""
