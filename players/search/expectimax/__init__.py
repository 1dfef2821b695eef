"""Expectimax and minimax for 2048 and 2584, with their prunings."""
