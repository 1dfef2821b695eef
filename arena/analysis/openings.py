"""`arena openings make`: random openings that a search finds balanced, each of them once.

The idea is that of Othello's XOT openings: random moves, then a judge that keeps what is about
even. Of openings that a turn or reflection of the board makes alike, the first is kept.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from arena.errors import UserError
from arena.files.stop_signals import apart
from arena.tournament.openings import Line, random_line
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS
from rules.position import Game, Position
from rules.transcript import write_transcript

TRIES = 3000
"""Openings that fail one after the other before it is taken that there are no more."""


class Search(NamedTuple):
    plies: int
    within: float
    """How far from even, in points, the judge may see them."""
    number: int
    depth: int
    """How many moves the judge looks ahead."""
    seed: int


class Opening(NamedTuple):
    """An opening with the judge's value."""

    moves: Line
    value: float
    """The margin of the first player, in points."""


def balanced(
    game: Game, search: Search, value: Callable[[Mapping[str, Any]], float]
) -> Iterator[Opening]:
    """Openings within the bound, no two alike, until there seem to be no more."""
    rng, met, failed = Random(search.seed), set[str](), 0
    while failed < TRIES:
        failed += 1
        drawn = random_line(game, search.plies, rng)
        if drawn is None:
            continue
        moves, position = drawn
        alike = _likeness(game, moves, position)
        if alike in met:
            continue
        met.add(alike)
        margin = value(position.state())
        if abs(margin) <= search.within:
            failed = 0
            yield Opening(moves, margin)


def _likeness(game: Game, moves: Line, position: Position) -> str:
    """The same text for all positions that a symmetry of the board makes alike."""
    texts = [_text(position)]
    for renamed in game.symmetries:
        turned = game.start()
        for move in moves:
            turned = turned.play(renamed.get(move, move))
        texts.append(_text(turned))
    return min(texts)


def _text(position: Position) -> str:
    return json.dumps(position.state(), sort_keys=True)


def make(
    game: Game, search: Search, report: Callable[[int], None] = lambda found: None
) -> list[Opening]:
    """The openings, or all that there are; `report` takes their number so far. Raises UserError."""
    if game.decided_by_seed:
        raise UserError(f"{game.name} has no openings: each seed is another game")
    if reason := BUILTINS["alphabeta"].refusal(game.name, game.variant):
        raise UserError(f"the judge searches with alphabeta, and {reason}")
    warm_kernels([game.name], ["analysis"])
    return apart(lambda: _made(game, search, report))


def _made(game: Game, search: Search, report: Callable[[int], None]) -> list[Opening]:
    from players.search.analysis import valuer

    openings: list[Opening] = []
    value = valuer(game.name, game.variant, search.depth)
    for opening in islice(balanced(game, search, value), search.number):
        openings.append(opening)
        report(len(openings))
    if not openings:
        raise UserError(
            f"no opening of {search.plies} plies is within {search.within:g} {game.unit} of even, "
            f"or leaves a game to play; {TRIES:,} were drawn"
        )
    return openings


def text_of(game: Game, search: Search, openings: list[Opening]) -> str:
    """The file that `[openings]` takes: an opening a line, its value as a comment."""
    settings = ", ".join(f"{key} = {json.dumps(each)}" for key, each in game.variant.items())
    lines = [
        f"# {len(openings)} openings of {search.plies} plies for {game.name} ({settings}), "
        f"within {search.within:g} {game.unit} of even.",
        f"# After each: what the first player wins by, in {game.unit}, as alphabeta sees it "
        f"{search.depth} moves deep (seed {search.seed}).",
    ]
    start = game.start()
    lines += [
        f"{write_transcript(start, opening.moves)} # {opening.value:+.2f}" for opening in openings
    ]
    return "\n".join(lines) + "\n"
