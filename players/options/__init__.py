"""The options of the built-in players: what a `[[player]]` table may hold as `options`."""

from players.options.alphabeta import AlphaBetaOptions
from players.options.common import (
    EVALUATIONS,
    GreedyOptions,
    MonkeyOptions,
    Options,
    SearchOptions,
    read_options,
)
from players.options.gtp import GtpOptions
from players.options.heuristic import HeuristicOptions
from players.options.tiles import ExpectimaxOptions, NetworkOptions, PlacerOptions
from players.options.uct import WEIGHT_TABLES, UctOptions, WeightedUctOptions

__all__ = [
    "EVALUATIONS",
    "WEIGHT_TABLES",
    "AlphaBetaOptions",
    "ExpectimaxOptions",
    "GreedyOptions",
    "GtpOptions",
    "HeuristicOptions",
    "MonkeyOptions",
    "NetworkOptions",
    "Options",
    "PlacerOptions",
    "SearchOptions",
    "UctOptions",
    "WeightedUctOptions",
    "read_options",
]
