"""JSON that may have been written by anything."""

import json

import pytest

from arena.files import json_text


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("[" * 100_000, ValueError, "it is nested too deeply"),
        ("9" * 5000, ValueError, "it has an integer of thousands of digits"),
        ("[1,", json.JSONDecodeError, "Expecting value: line 1 column 4"),
        (b'"\xff"', UnicodeDecodeError, "can't decode byte 0xff"),
    ],
)
def test_what_is_wrong_is_a_value_error_in_a_few_words(
    text: str | bytes, kind: type[ValueError], why: str
) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        json_text.parse(text)
    assert caught.type is kind
