"""The built-in players: one line for each."""

from pkgutil import resolve_name

from arena.files.named import by_name
from players.builtin import Builtin

PLAYERS = (
    "players.monkey:Monkey",
    "players.greedy:Greedy",
    "players.uct:Uct",
    "players.weighted_uct:WeightedUct",
    "players.alphabeta:AlphaBeta",
    "players.expectimax:Expectimax",
    "players.placer:Placer",
    "players.heuristic:HeuristicPlayer",
    "players.gtp:Gtp",
    "players.nboard:NBoard",
)


BUILTINS: dict[str, type[Builtin]] = by_name(map(resolve_name, PLAYERS))
"""Every built-in player by name."""
