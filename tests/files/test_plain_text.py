"""Texts of others command no terminal and hide nothing; JSON stays the same JSON."""

import json

import pytest

from arena.files.plain_text import printable, printable_json

HIDDEN = "\x1b\u202e\ufe0f\u3164\u2028"


@pytest.mark.parametrize("character", HIDDEN)
def test_what_a_reader_would_not_see_is_escaped(character: str) -> None:
    shown = printable(f"fox{character} é")
    assert shown.startswith("fox\\") and shown.endswith(" é")
    document = json.dumps({"name": f"fox{character} é"}, indent=1, ensure_ascii=False)
    shown = printable_json(document)
    assert character not in shown and json.loads(shown) == json.loads(document)
    assert shown.count("\n") == 2, "its lines are kept"
