"""Rate a CSV file of results: `first,second,score` and, where games belong together, `pair`."""

import csv
import io
from collections.abc import Sequence

from arena.errors import RateError
from arena.ratings.results import Result

COLUMNS = ("first", "second", "score")
"""The columns of a file without a header, in this order; `pair` may follow as a fourth."""
SCORES = {
    "1": 1.0, "1.0": 1.0, "1-0": 1.0,
    "0": 0.0, "0.0": 0.0, "0-1": 0.0,
    "0.5": 0.5, ".5": 0.5, "1/2": 0.5, "½": 0.5, "1/2-1/2": 0.5, "½-½": 0.5,
}  # fmt: skip
"""What may stand for the score of the first player."""
_SHOWN = 10


def read_results(text: str, source: str) -> tuple[Result, ...]:
    """The results in CSV `text`; `source` is the file's name for messages.

    A first line that names the columns may put them in any order and have others next to them,
    which are ignored. Blank lines are skipped. Raises RateError.
    """
    head = text.partition("\n")[0]
    if "," not in head and (";" in head or "\t" in head):
        raise RateError(f"{source}, line 1: separate the columns with commas: {','.join(COLUMNS)}")
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        every = [(reader.line_num, [field.strip() for field in fields]) for fields in reader]
    except csv.Error as error:
        raise RateError(f"{source}, line {reader.line_num}: not CSV: {error}") from error
    lines = [(number, fields) for number, fields in every if any(fields)]
    if not lines:
        raise RateError(f"{source}: no results; expected lines of {','.join(COLUMNS)}[,pair]")
    columns = _columns(lines[0][1])
    if columns is None:
        columns = {name: position for position, name in enumerate((*COLUMNS, "pair"))}
    else:
        missing = [name for name in COLUMNS if name not in columns]
        if missing:
            raise RateError(
                f"{source}, line {lines[0][0]}: the header lacks {', '.join(missing)};"
                f" expected {', '.join(COLUMNS)} and, if wanted, pair"
            )
        lines = lines[1:]
        if not lines:
            raise RateError(f"{source}: a header and no results")
    results, problems = [], []
    for number, fields in lines:
        try:
            results.append(_result(fields, columns))
        except ValueError as error:
            problems.append(f"{source}, line {number}: {error}")
    if len(problems) > _SHOWN:
        problems[_SHOWN:] = [f"… and {len(problems) - _SHOWN} more bad lines"]
    if problems:
        raise RateError("\n".join(problems))
    return tuple(results)


def _columns(fields: Sequence[str]) -> dict[str, int] | None:
    """Where each column stands, when the line is a header: it names one, and has no score."""
    names = [field.lower() for field in fields]
    if "score" not in names and not {"first", "second"} <= set(names):
        return None
    return {name: position for position, name in reversed(list(enumerate(names)))}


def _result(fields: Sequence[str], columns: dict[str, int]) -> Result:
    cells = {name: fields[at] if at < len(fields) else "" for name, at in columns.items()}
    for name in COLUMNS:
        if not cells[name]:
            raise ValueError(f"no {name}; expected {', '.join(COLUMNS)} and, if wanted, pair")
    for name in ("first", "second"):
        if not cells[name].isprintable():
            raise ValueError(f"a control character in the name {cells[name]!r}")
    if cells["first"] == cells["second"]:
        raise ValueError(f"{cells['first']!r} plays against itself")
    if cells["score"] not in SCORES:
        raise ValueError(
            f"score {cells['score']!r} is not 1 (the first player won), 0.5 (a draw) or 0"
        )
    return Result(cells["first"], cells["second"], SCORES[cells["score"]], cells.get("pair", ""))
