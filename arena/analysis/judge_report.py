"""How well the endgames of a run were played: on the terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

import rules


class Choice(NamedTuple):
    """A move a player chose, beside the best."""

    player: str
    game: str
    ply: int
    """How many moves had been played before it."""
    move: str
    best: str
    """A move with the best margin."""
    lost: int
    """Discs or boxes of the final margin it gave away; 0 for a best move."""


class Accuracy(NamedTuple):
    """A player's choices in a run."""

    player: str
    judged: int
    mistakes: int
    """Choices that lost something."""
    lost: int
    """Discs or boxes, in all."""
    worst: Choice | None
    """The first of the most expensive mistakes; None without one."""


class Judgement(NamedTuple):
    """The endgames of a run."""

    run: str
    rules: str
    variant: dict[str, Any]
    within: int
    """Choices with at most so many moves to come were judged."""
    games: int
    players: Sequence[Accuracy]
    """In the order of the tournament file."""


def accuracies(players: Iterable[str], choices: Iterable[Choice]) -> list[Accuracy]:
    """The choices counted for each of the players."""
    of: dict[str, list[Choice]] = {player: [] for player in players}
    for choice in choices:
        of[choice.player].append(choice)
    counted = []
    for player, own in of.items():
        mistakes = [choice for choice in own if choice.lost]
        worst = max(mistakes, key=lambda choice: choice.lost, default=None)
        lost = sum(choice.lost for choice in mistakes)
        counted.append(Accuracy(player, len(own), len(mistakes), lost, worst))
    return counted


def show(judgement: Judgement, console: Console) -> None:
    """A line for each player."""
    unit = rules.default(judgement.rules).unit
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("player", style="bold", overflow="fold")
    for title in ("judged", "mistakes", f"{unit} lost", "a move"):
        table.add_column(title, justify="right")
    table.add_column("worst mistake")
    for each in judgement.players:
        rate = f"{each.lost / each.judged:.3f}" if each.judged else "–"
        table.add_row(
            Text(each.player),
            f"{each.judged:,}",
            f"{each.mistakes:,}",
            f"{each.lost:,}",
            rate,
            _told(each.worst),
        )
    console.print(table)
    games = f"{judgement.games:,} game{'' if judgement.games == 1 else 's'}"
    console.print(
        Text(
            f"judged: the moves chosen in {games} with at most {judgement.within} moves to come, "
            "beside the exact value\nof every move; openings, forced moves and the referee's "
            "moves are left out\na mistake's game and ply go to `arena analyse RUN --game … --ply "
            "…`",
            style="dim",
        ),
        soft_wrap=True,
    )


def _told(worst: Choice | None) -> str:
    if worst is None:
        return "none"
    return f"{worst.game} ply {worst.ply}: {worst.move} lost {worst.lost}, best {worst.best}"


def dumps(judgement: Judgement) -> str:
    """The judgement as one JSON object, with the keys of the classes above."""
    players = []
    for each in judgement.players:
        worst = None
        if each.worst is not None:
            worst = each.worst._asdict()
            del worst["player"]  # the one it stands with
        players.append({**each._asdict(), "worst": worst})
    return json.dumps({**judgement._asdict(), "players": players}, indent=2) + "\n"
