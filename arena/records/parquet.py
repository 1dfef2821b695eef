"""Parquet: a row a game, for pandas, polars and DuckDB; needs pyarrow (`bot-arena[parquet]`).

The columns are those of interest; `record` has everything, as JSON, and is what is read again.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from arena.errors import RecordError
from arena.files.imports import extra
from arena.files.whole_file import writing
from arena.model.record import GameRecord
from arena.records.form import Damaged, Form, evaluation_of
from arena.records.json_lines import parse
from rules.position import Game

_BLOCK = 1000
"""Games that are held and written at a time."""


def write(records: Iterable[GameRecord], event: str, path: Path) -> None:
    """Write a file. Raises UserError where pyarrow is not there."""
    arrow, parquet = _pyarrow()
    schema, rows = _schema(arrow), map(_row, records)
    with writing(path, "wb") as file, parquet.ParquetWriter(file, schema) as writer:
        while block := list(islice(rows, _BLOCK)):
            writer.write_table(arrow.Table.from_pylist(block, schema))


def read(path: Path, game: Game | None) -> Iterator[GameRecord | Damaged]:
    arrow, parquet = _pyarrow()
    try:
        rows = parquet.read_table(path, columns=["record"]).column("record").to_pylist()
    except (arrow.ArrowException, KeyError, OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: no Parquet file of games: {error}") from None
    for number, text in enumerate(rows, 1):
        try:
            yield parse(text or "", game, number)
        except ValueError as error:
            yield Damaged(number, str(error))


def _row(record: GameRecord) -> dict[str, Any]:
    return {
        "game": record.game,
        "round": record.round,
        "pair": record.pair,
        "rules": record.terms.rules,
        "players": [seat.player for seat in record.seats],
        "scores": list(record.scores),
        "points": list(record.points),
        "termination": record.termination.value,
        "detail": record.detail,
        "started_at": record.started_at,
        "duration_ms": record.duration_ms,
        "moves": [move.move for move in record.moves],
        "seats": [move.seat for move in record.moves],
        "used_ms": [move.used_ms for move in record.moves],
        "evaluations": [evaluation_of(move) for move in record.moves],
        "record": record.model_dump_json(),
    }


def _schema(arrow: Any) -> Any:
    """The types of the columns, also where no game has a value: files of all runs go together."""
    text, whole, number = arrow.string(), arrow.int64(), arrow.float64()
    texts, wholes, numbers = map(arrow.list_, (text, whole, number))
    return arrow.schema(
        {
            "game": text,
            "round": whole,
            "pair": text,
            "rules": text,
            "players": texts,
            "scores": wholes,
            "points": numbers,
            "termination": text,
            "detail": text,
            "started_at": text,
            "duration_ms": number,
            "moves": texts,
            "seats": wholes,
            "used_ms": numbers,
            "evaluations": numbers,
            "record": text,
        }
    )


def _pyarrow() -> tuple[Any, Any]:
    with extra("parquet", "Parquet needs"):
        import pyarrow
        from pyarrow import parquet
    return pyarrow, parquet


PARQUET = Form("parquet", (".parquet",), write, read)
