"""The games once more, compiled: one file a game, positions as NamedTuples of machine words.

`game.py` declares what a search may ask of a position; each game answers for its own position type.
"""

from players.kernels.cache import prepare

prepare()
