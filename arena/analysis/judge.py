"""`arena analyse RUN`: how well a run's endgames were played."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

import rules
from arena.errors import UserError
from arena.files.console import PlainConsole
from arena.files.stop_signals import apart
from arena.model.record import GameRecord
from arena.reports.words import count_games
from arena.tournament.store import Store
from arena.tournament.store_faults import none_left
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS

_SECONDS = 0.01
"""By default a choice is judged where its best move is typically found in this time."""


@dataclass(frozen=True)
class Choice:
    """A move a player chose, and the best one."""

    game: str
    ply: int
    """How many moves had been played before it."""
    move: str
    best: str
    """A move with the best margin."""
    lost: int
    """Discs or boxes of the final margin that it lost; 0 for a best move."""


@dataclass(frozen=True)
class Accuracy:
    """A player's choices in a run."""

    player: str
    judged: int
    mistakes: int
    """Choices that lost something."""
    lost: int
    """Discs or boxes, in all."""
    worst: Choice | None
    """The first of the most expensive mistakes; None without one."""


@dataclass(frozen=True)
class Judgement:
    """The endgames of a run."""

    run: str
    rules: str
    variant: dict[str, Any]
    within: int
    """Choices with at most this many moves to come were judged."""
    games: int
    players: Sequence[Accuracy]
    """In the order of the tournament file."""
    damaged: Sequence[str] = ()
    """The ids of games that cannot be read; all others were judged."""


def judge_run(path: Path, within: int | None) -> Judgement:
    """Judge the choices with at most `within` moves to come, by default what the exact solver
    solves at once. Raises UserError, and StoreError where no game can be read.
    """
    games, damaged = list[str](), list[str]()
    with Store.open(path) as store:
        config = store.config
        terms = config.terms
        if reason := BUILTINS["alphabeta"].refusal(terms.rules, terms.variant):
            raise UserError(f"{path}: endgames are solved by what alphabeta has, and {reason}")
        if not store.finished():
            raise none_left(path, damaged)
        warm_kernels([terms.rules], ["analysis"])
        if within is None:
            from players.games.endgame import load_endgame, reach_in
            from players.games.registry import load_board

            board = load_board(terms.rules, terms.variant)
            within = reach_in(load_endgame(terms.rules, board, memory_mb=1), _SECONDS)
        names = [player.name for player in config.players]
        players = list(accuracies(names, _choices(store, within, games, damaged)))
    if not games:
        raise none_left(path, damaged)
    return Judgement(
        run=config.name,
        rules=terms.rules,
        variant=terms.variant,
        within=within,
        games=len(games),
        players=players,
        damaged=damaged,
    )


def _choices(
    store: Store, within: int, games: list[str], damaged: list[str]
) -> Iterator[tuple[str, Choice]]:
    """Choices of all games, read one by one, each with its player; a bar shows the progress. Adds
    the ids of the games, and those of `damaged` ones.
    """
    console = PlainConsole(stderr=True)
    shown = track(
        store.records(damaged=damaged), "judging games", len(store.finished()),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    for record in shown:
        games.append(record.game)
        yield from apart(partial(_choices_of, record, within))


def _choices_of(record: GameRecord, within: int) -> list[tuple[str, Choice]]:
    """Choices of the players of one game: no openings, and no moves in place of faulty ones."""
    from players.search.analysis import judge

    return [
        (record.seats[one.seat].player, Choice(record.game, one.ply, one.move, one.best, one.lost))
        for one in judge(record.start(), (played.move for played in record.moves), within)
        if record.moves[one.ply].used_ms is not None and record.moves[one.ply].fault is None
    ]


def accuracies(players: Iterable[str], choices: Iterable[tuple[str, Choice]]) -> Iterator[Accuracy]:
    of: dict[str, list[Choice]] = {player: [] for player in players}
    for player, choice in choices:
        of[player].append(choice)
    for player, own in of.items():
        mistakes = [choice for choice in own if choice.lost]
        worst = max(mistakes, key=lambda choice: choice.lost, default=None)
        lost = sum(choice.lost for choice in mistakes)
        yield Accuracy(player, len(own), len(mistakes), lost, worst)


def show(judgement: Judgement, console: Console) -> None:
    unit = rules.default(judgement.rules).unit
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("player", style="bold", overflow="fold")
    for title in ("judged", "mistakes", f"{unit} lost", "a move"):
        table.add_column(title, justify="right")
    table.add_column("worst mistake")
    for each in judgement.players:
        rate, worst = f"{each.lost / each.judged:.3f}" if each.judged else "–", "none"
        if (bad := each.worst) is not None:
            worst = f"{bad.game} ply {bad.ply}: {bad.move} lost {bad.lost}, best {bad.best}"
        counts = (f"{count:,}" for count in (each.judged, each.mistakes, each.lost))
        table.add_row(Text(each.player), *counts, rate, worst)
    console.print(table)
    legend = (
        f"judged: the moves chosen in {count_games(judgement.games)} with at most "
        f"{judgement.within} moves to come, by the exact value\nof every move; "
        "openings, forced moves and the referee's moves are left out\n"
        "a mistake's game and ply go to `arena analyse RUN --game … --ply …`"
    )
    console.print(Text(legend, style="dim"), soft_wrap=True)
