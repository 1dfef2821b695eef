"""`arena report`, `replay` and `rate`: from what is kept to what is shown."""

import sys
from pathlib import Path

import typer
from rich.console import Console

from arena.errors import UserError
from arena.files.toml_tables import did_you_mean, shown
from arena.ratings.results import results_of
from arena.ratings.standings import standings_of_results
from arena.records import FORMS
from arena.reports import csv_report, replay, terminal
from arena.tournament.run_view import RunView, recorded_game


def on_terminal(path: Path) -> None:
    """The report for people."""
    with RunView(path) as view:
        terminal.show(view.standings, Console())


def as_json(path: Path) -> str:
    """The report for programs."""
    with RunView(path) as view:
        return view.standings.model_dump_json(indent=2) + "\n"


def as_csv(path: Path, table: str) -> str:
    """One table of the report for spreadsheets; `results` is what `arena rate` reads."""
    with RunView(path) as view:
        if table == "results":
            return csv_report.results(results_of(view.games))
        write = {"players": csv_report.players, "crosstable": csv_report.crosstable}[table]
        return write(view.standings)


def show_game(path: Path, game: str, *, whole: bool) -> None:
    """One game, stepped through by keys on a terminal, else printed whole."""
    record = recorded_game(path, game)[1]
    console = Console()
    if whole or not (console.is_terminal and sys.stdin.isatty()):
        replay.dump(record, console)
    else:
        with replay.keys(sys.stdin.fileno()) as read_key:
            replay.step(record, console, read_key)


def written_game(path: Path, game: str, form: str) -> str:
    """One game in one of the forms of `arena.records`. Raises UserError for any other."""
    if form not in FORMS:
        raise UserError(
            f"--as: must be one of {', '.join(FORMS)}, got {shown(form)}; "
            f"{did_you_mean(form, FORMS)}"
        )
    config, record = recorded_game(path, game)
    return FORMS[form].write(record, config.name)


def rate_file(file: Path, anchor: str | None, anchor_elo: float, *, as_json: bool) -> None:
    """Rate the results in a CSV file."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UserError(f"{file}: cannot be read: {reason}") from None
    results = csv_report.read_results(text, str(file))
    names = {name for result in results for name in result[:2]}
    if anchor is not None and anchor not in names:
        raise UserError(
            f'--anchor: no player "{anchor}" in {file}; there are: {", ".join(sorted(names))}'
        )
    rated = standings_of_results(results, name=file.stem, anchor=anchor, anchor_elo=anchor_elo)
    if as_json:
        typer.echo(rated.model_dump_json(indent=2))
    else:
        terminal.show(rated, Console())
