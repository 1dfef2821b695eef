"""`arena report`, `replay` and `rate`: from what is kept to what is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import typer
from rich.console import Console

from arena.errors import UserError
from arena.model.record import GameRecord
from arena.ratings.model import Standings, Verdict
from arena.ratings.results import GameDigest, digest, results_of
from arena.ratings.standings import standings, standings_of_results
from arena.records.transcript import championship_record, transcript
from arena.reports import csv_report, json_report, keyboard, replay, terminal
from arena.reports.rate import read_results
from arena.tournament.config import TournamentConfig
from arena.tournament.formats.round_robin import game_count, meetings
from arena.tournament.store import Store


def standings_of(store: Store) -> Standings:
    """The standings of a run as it is now."""
    config = store.config
    games = [digest(record) for record in store.records(void=True)]
    return standings(
        games,
        players=[player.name for player in config.players],
        name=config.name,
        anchor=config.rating.anchor,
        anchor_elo=config.rating.anchor_elo,
        planned=game_count(config),
        sprt=verdict_of(config, games),
    )


def verdict_of(config: TournamentConfig, games: Iterable[GameDigest]) -> Verdict | None:
    """What the tournament's sequential test says of these games; None without one."""
    trial = config.trial()
    if trial is None:
        return None
    for game in games:
        trial.add(game)
    return trial.verdict


def opened(path: Path) -> Store:
    """A run to read. Raises UserError for a folder, as a training or a tuning has, and StoreError
    for a file that is none.
    """
    if not path.is_dir():
        return Store.open(path)
    from arena.training.training_folder import PICTURES as CURVES
    from players.learning.tuning.result import PARAMETERS, PLAYER

    files = {file.name for file in path.iterdir()}
    runs = ", ".join(f"arena report {run}" for run in sorted(path.glob("*.sqlite")))
    tests = f"; its tests are runs: {runs}" if runs else ""
    if CURVES[0] in files:
        raise UserError(
            f"{path}: is the folder of a training, not a run: look at {path / CURVES[0]}{tests}"
        )
    if PLAYER in files:
        raise UserError(
            f"{path}: is the folder of a tuning, not a run: what was found is in {path / PLAYER}, "
            f"pictures are beside it, as {PARAMETERS}.png{tests}"
        )
    raise UserError(f"{path}: is a folder; a run is a file, such as runs/NAME.sqlite")


def on_terminal(path: Path) -> None:
    """The report for people."""
    with opened(path) as store:
        terminal.show(standings_of(store), Console())


def as_json(path: Path) -> str:
    """The report for programs."""
    with opened(path) as store:
        return json_report.dumps(standings_of(store))


def as_csv(path: Path, table: str) -> str:
    """One table of the report for spreadsheets; `results` is what `arena rate` reads."""
    with opened(path) as store:
        if table == "results":
            return csv_report.results(results_of(store.records()))
        current = standings_of(store)
    return {"players": csv_report.players, "crosstable": csv_report.crosstable}[table](current)


def show_game(path: Path, game: str, *, whole: bool) -> None:
    """One game, stepped through by keys on a terminal, else printed whole."""
    record = recorded_game(path, game)[1]
    console = Console()
    if whole or not (console.is_terminal and sys.stdin.isatty()):
        replay.dump(record, console)
    else:
        with keyboard.keys(sys.stdin.fileno()) as read:
            replay.step(record, console, lambda: replay.terminal_key(read))


def written_game(path: Path, game: str, form: str) -> str:
    """One game as a `transcript`, or as the dots championship's `record`."""
    config, record = recorded_game(path, game)
    if form == "transcript":
        return transcript(record)
    return championship_record(record, event=config.name)


def recorded_game(path: Path, game: str) -> tuple[TournamentConfig, GameRecord]:
    """A game of a run, and the tournament it belongs to. Raises UserError."""
    with opened(path) as store:
        config, record = store.config, store.record(game)
    if record is not None:
        return config, record
    known = [meeting.game for meeting in meetings(config)]
    if game in known:
        raise UserError(f"{path}: game {game} has not been played yet.")
    raise UserError(f'{path}: there is no game "{game}"; they are {known[0]} to {known[-1]}.')


def rate_file(file: Path, anchor: str | None, anchor_elo: float, *, as_json: bool) -> None:
    """Rate the results in a CSV file."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UserError(f"{file}: cannot be read: {reason}") from None
    results = read_results(text, str(file))
    names = {name for result in results for name in result[:2]}
    if anchor is not None and anchor not in names:
        raise UserError(
            f'--anchor: no player "{anchor}" in {file}; there are: {", ".join(sorted(names))}'
        )
    rated = standings_of_results(results, name=file.stem, anchor=anchor, anchor_elo=anchor_elo)
    if as_json:
        typer.echo(json_report.dumps(rated), nl=False)
    else:
        terminal.show(rated, Console())
