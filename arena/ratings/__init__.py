"""Ratings and statistics: pure functions on results."""
