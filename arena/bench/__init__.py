"""What the arena itself costs, next to the targets."""
