"""Parquet: a row a game, for pandas, polars and DuckDB; needs pyarrow (`bot-arena[parquet]`).

The columns are those of interest; `record` has everything, as JSON, and is what is read again.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from arena.errors import RecordError
from arena.files.imports import extra
from arena.files.whole_file import writing
from arena.model.record import GameRecord
from arena.records.form import Damaged, Form, evaluation_of, read_each
from arena.records.json_lines import parse
from rules.position import Game

_BLOCK = 1000
"""Games that are held and written at a time."""


def write(records: Iterable[GameRecord], event: str, path: Path) -> None:
    """Write a file. Raises UserError where pyarrow is not there."""
    arrow, parquet = _pyarrow()
    columns = _columns(arrow)
    schema = arrow.schema({name: kind for name, (kind, _) in columns.items()})
    rows = ({name: of(record) for name, (_, of) in columns.items()} for record in records)
    with writing(path, "wb") as file, parquet.ParquetWriter(file, schema) as writer:
        while block := list(islice(rows, _BLOCK)):
            writer.write_table(arrow.Table.from_pylist(block, schema))


def read(path: Path, game: Game | None) -> Iterator[GameRecord | Damaged]:
    arrow, parquet = _pyarrow()
    try:
        rows = parquet.read_table(path, columns=["record"]).column("record").to_pylist()
    except (arrow.ArrowException, KeyError, OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: no Parquet file of games: {error}") from None
    yield from read_each(rows, lambda text, number: parse(text or "", game, number))


def _columns(arrow: Any) -> dict[str, tuple[Any, Callable[[GameRecord], object]]]:
    """The type and the value of each column. The types are fixed, also where no game has a value:
    files of all runs go together.
    """
    text, whole, number = arrow.string(), arrow.int64(), arrow.float64()
    texts, wholes, numbers = map(arrow.list_, (text, whole, number))
    return {
        "game": (text, lambda record: record.game),
        "round": (whole, lambda record: record.round),
        "pair": (text, lambda record: record.pair),
        "rules": (text, lambda record: record.terms.rules),
        "players": (texts, lambda record: [seat.player for seat in record.seats]),
        "scores": (wholes, lambda record: list(record.scores)),
        "points": (numbers, lambda record: list(record.points)),
        "termination": (text, lambda record: record.termination.value),
        "detail": (text, lambda record: record.detail),
        "started_at": (text, lambda record: record.started_at),
        "duration_ms": (number, lambda record: record.duration_ms),
        "moves": (texts, lambda record: [move.move for move in record.moves]),
        "seats": (wholes, lambda record: [move.seat for move in record.moves]),
        "used_ms": (numbers, lambda record: [move.used_ms for move in record.moves]),
        "evaluations": (numbers, lambda record: list(map(evaluation_of, record.moves))),
        "record": (text, lambda record: record.model_dump_json()),
    }


def _pyarrow() -> tuple[Any, Any]:
    with extra("parquet", "Parquet needs"):
        import pyarrow
        from pyarrow import parquet
    return pyarrow, parquet


PARQUET = Form("parquet", (".parquet",), write, read)
