"""Each form that a game can be written in: written and read again, of the games that have it."""

import pytest

import rules
from arena.errors import RecordError
from arena.records import FORMS
from rules.dots_record import read_record
from rules.transcript import read_transcript
from tests.reports.conftest import play_record


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["dots", "othello"])
def test_a_game_is_written_and_read_again(form: str, name: str) -> None:
    record = play_record(name, "one", "other", seed=3)
    game, write = rules.load(name), FORMS[form]
    if (form, name) == ("record", "othello"):
        with pytest.raises(RecordError, match="only dots"):
            write(record, "cup")
        return
    text = write(record, "cup")
    back = read_transcript(game.start(), text) if form != "record" else read_record(game, text)
    assert tuple(back) == tuple(m.move for m in record.moves)
