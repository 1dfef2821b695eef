"""JSON lines: everything that is kept of each game, a line each."""

from pydantic import ValidationError

from arena.model.record import GameRecord
from arena.records.form import refuse_numbers, text_form
from rules.position import Game


def parse(text: str, game: Game | None, number: int) -> GameRecord:
    """The record of a JSON object, its moves replayed. Raises ValueError."""
    try:
        record = GameRecord.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None
    position = record.start()
    for move in record.moves:
        position = position.play(move.move)
    if position.state() != record.final_state:
        raise ValueError("its moves do not lead to its last position")
    refuse_numbers(record)
    return record


JSON_LINES = text_form(
    "jsonl",
    (".jsonl", ".ndjson"),
    lambda record, event: record.model_dump_json() + "\n",
    lambda text: filter(str.strip, text.split("\n")),
    parse,
)
