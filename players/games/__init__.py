"""The games once more, compiled: one folder a game, behind one interface."""
