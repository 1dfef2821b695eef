"""The built-in players: one line for each."""

from importlib import import_module

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


def _load(line: str) -> type[Builtin]:
    module, _, name = line.partition(":")
    player: type[Builtin] = getattr(import_module(module), name)
    return player


BUILTINS = {player.name: player for player in map(_load, PLAYERS)}
"""Every built-in player by name."""
