"""`arena analyse RUN`: how well a run's endgames were played."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena.analysis import judge_report as accuracy
from arena.analysis.judge_report import Choice, Judgement
from arena.errors import UserError
from arena.files.background import apart
from arena.model.record import GameRecord
from arena.tournament.store import Store
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS

_SECONDS = 0.01
"""A choice is judged by default where the best move is, typically, found in so short a time."""


def judge_run(path: Path, within: int | None, *, as_json: bool) -> None:
    """Judge the choices with at most `within` moves to come, by default as many as the exact
    solver sees to the end in no time, for people or as JSON. Raises UserError.
    """
    with Store.open(path) as store:
        config, records = store.config, list(store.records())
    terms = config.terms
    reason = BUILTINS["alphabeta"].refusal(terms.rules, terms.variant)
    if reason is not None:
        raise UserError(f"{path}: endgames are solved by what alphabeta has, and {reason}")
    if not records:
        raise UserError(f"{path}: no game has been played yet")
    warm_kernels([terms.rules])
    within = _reach(terms.rules, terms.variant) if within is None else within
    judgement = Judgement(
        run=config.name,
        rules=terms.rules,
        variant=terms.variant,
        within=within,
        games=len(records),
        players=accuracy.accuracies(
            [player.name for player in config.players], _choices(records, within)
        ),
    )
    if as_json:
        typer.echo(accuracy.dumps(judgement), nl=False)
    else:
        accuracy.show(judgement, Console())


def _reach(name: str, variant: dict[str, object]) -> int:
    from players.games.endgame import load_endgame, reach_in
    from players.games.registry import load_board

    return reach_in(load_endgame(name, load_board(name, variant), memory_mb=1), _SECONDS)


def _choices(records: list[GameRecord], within: int) -> Iterator[Choice]:
    """Those of all games; shows how far it has come."""
    columns = (
        TextColumn("judging games"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        for record in progress.track(records):
            yield from apart(partial(_choices_of, record, within))


def _choices_of(record: GameRecord, within: int) -> list[Choice]:
    """What the players of one game chose: not the openings, nor moves in place of a fault's."""
    from players.search.analysis import judge

    judged = judge(record.start(), (played.move for played in record.moves), within)
    return [
        Choice(record.seats[one.seat].player, record.game, one.ply, one.move, one.best, one.lost)
        for one in judged
        if _chosen(record, one.ply)
    ]


def _chosen(record: GameRecord, ply: int) -> bool:
    played = record.moves[ply]
    return played.used_ms is not None and played.fault is None
