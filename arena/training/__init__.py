"""Training and tuning players, and testing the result."""
