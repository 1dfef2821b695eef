"""Results from a file of others: CSV, headers of PGN, or games in any form."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arena.errors import RateError, UserError
from arena.model.record import GameRecord
from arena.ratings.results import GameDigest, Result, Results, digest, repeats, results_of
from arena.records import FORMS, pgn
from arena.records.form import Damaged, names_players, text_of
from arena.records.run_file import read_file
from arena.reports.csv_report import read_results


def results_in(file: Path) -> Results:
    """The results of a file, CSV unless its name says. Raises UserError, RateError, RecordError."""
    forms = (form for form in FORMS.values() if file.name.lower().endswith(form.endings))
    match next(forms, None):
        case pgn.PGN:
            found = list(pgn.results(_text(file, text_of)))
            results = [each for each in found if isinstance(each, Result)]
            damaged = [str(each) for each in found if isinstance(each, Damaged)]
            if not results:
                raise RateError("\n".join([f"{file}: no result", *damaged]))
            return Results(results, damaged=damaged, unfinished=found.count(None))
        case None:
            return read_results(_text(file, lambda csv: csv.read_text("utf-8-sig")), str(file))
        case _:
            read = read_file(file, _of_game)
            if not any(each.names_players for each in read.games):
                raise RateError(
                    f"{file}: its games name no players; use a form that does, such as PGN or GGF"
                )
            moves_first = not any(each.decided_by_seed for each in read.games)
            games = [each.digest for each in read.games]
            damaged = list(map(str, read.damaged))
            return Results(results_of(games), moves_first, damaged, repeated=repeats(games))


class _OfGame(NamedTuple):
    names_players: bool
    decided_by_seed: bool
    digest: GameDigest


def _of_game(record: GameRecord) -> _OfGame:
    return _OfGame(names_players(record), record.terms.game.decided_by_seed, digest(record))


def _text(file: Path, read: Callable[[Path], str]) -> str:
    try:
        return read(file)
    except (OSError, UnicodeDecodeError) as error:
        no_text = "not UTF-8 text; save a table as UTF-8, and show a run by `arena report`"
        reason = error.strerror if isinstance(error, OSError) else no_text
        raise UserError(f"{file}: cannot be read: {reason}") from None
