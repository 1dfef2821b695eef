"""UCT (Kocsis and Szepesvári 2006), written once for every game.

Each iteration descends by UCB1, tries the children of a node in random order before it compares
them, finds what the new node is worth, by default with a random game, and adds that to every node
on the way. Proven results are backed up (MCTS-solver), near endgames solved.
"""

from players.search.uct.choice import Limits
from players.search.uct.driver import Choice, Thought, UctSearch, load_kernels
from players.search.uct.search import iterate
from players.search.uct.settings import Settings, make_settings, most_margin

__all__ = [
    "Choice",
    "Limits",
    "Settings",
    "Thought",
    "UctSearch",
    "iterate",
    "load_kernels",
    "make_settings",
    "most_margin",
]
