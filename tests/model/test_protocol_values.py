"""Values of the protocol: what players write is safe to show, and what clocks are in words."""

import pytest
from pydantic import ValidationError

from arena.model.protocol import Clock, Ready, excerpt


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"x" * 120, f"`{'x' * 120}`"),
        (b"x" * 121, f"`{'x' * 120}…` (121 bytes)"),
        (b"\xff\x1b", r"`\xff\x1b`"),
    ],
)
def test_an_excerpt_is_short_and_plain(data: bytes, shown: str) -> None:
    assert excerpt(data) == shown


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a\ud800", "has a lone surrogate U+D800 at position 1"),
        *(
            (f"ab{control}", f"has a control character U+{ord(control):04X} at position 2")
            for control in "\x00\x1f\x7f\x9f\u061c\u200e\u202a\u202e\u2066\u2069"
        ),
    ],
)
def test_a_text_of_a_player_commands_no_terminal(name: str, why: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Ready(type="ready", name=name)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("clock", "words"),
    [
        (Clock(move_ms=200), "0.2 s a move"),
        (Clock(move_ms=None, bank_ms=60_000, increment_ms=1000), "60 s a game, 1 s more a move"),
        (Clock(move_ms=5000, bank_ms=90_000), "5 s a move, 90 s a game"),
    ],
)
def test_a_clock_in_words(clock: Clock, words: str) -> None:
    assert clock.words == words


def test_an_empty_bank_leaves_no_time() -> None:
    assert Clock(move_ms=500, bank_ms=1000).limit_ms(0) == 0
    assert Clock(move_ms=500).limit_ms(None) == 500
