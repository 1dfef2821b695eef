"""The costs of the arena itself, next to the targets."""
