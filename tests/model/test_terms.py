"""Terms: one value in configuration, spec and record, also of those that older stores keep."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from arena.model.game_spec import GameSetup, Terms
from arena.model.protocol import Clock
from arena.model.record import GameRecord
from arena.tournament.config import TournamentConfig

SCHEMA_1 = Path(__file__).parent / "schema1"
"""Written by the arena when the fields of the terms stood among the others."""
TERMS = Terms(
    rules="dots",
    variant={"rows": 2, "cols": 2, "stop_at_majority": False},
    clock=Clock(move_ms=400, bank_ms=9000, increment_ms=10),
    startup_ms=30_000,
    grace_ms=70,
    on_fault="random_move",
    ponder=False,
    max_plies=9,
)


def test_a_configuration_of_schema_1_has_its_terms() -> None:
    config = TournamentConfig.model_validate_json((SCHEMA_1 / "config.json").read_bytes())
    assert config.terms == TERMS
    assert (config.rounds, config.threads, len(config.players)) == (1, 1, 2)
    assert TournamentConfig.model_validate_json(config.model_dump_json()) == config


def test_a_configuration_of_schema_2_may_have_clashes() -> None:
    config = TournamentConfig.model_validate_json((SCHEMA_1 / "config.json").read_bytes())
    told = config.model_dump() | {"clashes": ("ant does not take part: another has its name",)}
    assert TournamentConfig.model_validate(told) == config


def test_a_record_of_schema_1_has_the_terms_it_tells() -> None:
    text = (SCHEMA_1 / "record.json").read_text()
    record = GameRecord.model_validate_json(text)
    untold = {"ponder": Terms.model_fields["ponder"].default, "max_plies": None}
    assert record.terms == TERMS.model_copy(update=untold)
    position = record.start()
    for move in record.moves:
        position = position.play(move.move)
    assert position.state() == record.final_state
    again = GameRecord.model_validate_json(record.model_dump_json())
    assert again == record
    flat = json.loads(text)
    assert {name for name in flat if name not in record.model_dump()} <= set(Terms.model_fields)


def test_terms_are_never_both_nested_and_flat() -> None:
    with pytest.raises(ValidationError, match="grace_ms"):
        GameSetup.model_validate({"game": "g1", "terms": TERMS, "grace_ms": 1})
