"""Each form that a game can be written in: written and read again, of the games that have it."""

import pytest

import rules
from arena.errors import RecordError
from arena.records import FORMS
from tests.reports.conftest import play_record


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["dots", "othello"])
def test_a_game_is_written_and_read_again(form: str, name: str) -> None:
    record = play_record(name, "one", "other", seed=3)
    game, chosen = rules.load(name), FORMS[form]
    if not chosen.takes(game):
        with pytest.raises(RecordError, match="only dots"):
            chosen.write(record, "cup")
        with pytest.raises(RecordError, match="only dots"):
            chosen.read("{}", game)
        return
    assert chosen.read(chosen.write(record, "cup"), game) == tuple(m.move for m in record.moves)
