"""A person's game against a bot."""
