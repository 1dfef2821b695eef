"""A record on the terminal: every position, who moved, how it ended."""

import io
from collections.abc import Callable, Iterator

import pytest
from rich.console import Console

import rules
from arena.model.record import GameRecord
from arena.reports import replay

Play = Callable[..., GameRecord]


def dumped(record: GameRecord) -> str:
    out = io.StringIO()
    replay.dump(record, Console(file=out, width=100))
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "players", "settings"),
    [
        ("othello", ("a", "b"), {"preset": "cornerless"}),
        ("dots", ("a", "b"), {"rows": 2, "cols": 3}),
        ("2048", ("a",), {}),
        ("2584", ("a", "b"), {"placer": "player"}),
    ],
)
def test_boards_are_the_game_itself(
    play: Play, name: str, players: tuple[str, ...], settings: dict[str, object]
) -> None:
    record = play(name, *players, seed=3, **settings)
    seen = replay.positions(record)
    assert len(seen) == len(record.moves) + 1
    position = rules.load(name, **record.terms.variant).position(record.final_state)
    assert seen[-1] == position


def test_a_dump_shows_moves_times_thoughts_and_end(play: Play) -> None:
    record = play(
        "dots", "[b]x", "y", rows=2, cols=2, seed=2, stderr="one\n\x1b[2Jtwo\n", fault_at=3
    )
    text = dumped(record)
    for ply, move in enumerate(record.moves, start=1):
        player = record.seats[move.seat].player
        assert f"{ply}. {player}: {move.move} · {move.used_ms:,.1f} ms" in text.replace("\n", " ")
    assert "evaluation +0.25 · depth 7 · 12,345 nodes · expects " in text and "[red]" in text
    assert "random, after bad_json: not JSON" in text
    assert "End: natural · " in text
    assert "stderr of [b]x (12 bytes)" in text and "\\x1b[2Jtwo" in text and "\x1b" not in text


def test_a_forfeit_names_the_player(play: Play) -> None:
    assert "End: timeout by slow · no reply within 5100 ms" in dumped(
        play("othello", "fast", "slow", forfeit=1)
    )


def test_a_record_that_does_not_replay_is_refused(play: Play) -> None:
    record = play("dots", "a", "b", rows=2, cols=2)
    broken = record.model_copy(update={"moves": (*record.moves, record.moves[0])})
    with pytest.raises(replay.ReplayError, match=r"game g1, ply 13: "):
        replay.positions(broken)
    with pytest.raises(replay.ReplayError, match="do not lead to its last position"):
        replay.positions(record.model_copy(update={"moves": record.moves[:-1]}))


def test_stepping_by_keys(play: Play) -> None:
    record = play("dots", "a", "b", rows=1, cols=1)
    script = [b" ", b"\x1b[C", b"\x1b[D", b"x", b"p", b"p", b"G", b" ", b"g", b"q"]
    expect = ["Start", "1. ", "2. ", "1. ", "1. ", "Start", "Start", "End: ", "End: ", "Start"]
    out = io.StringIO()
    console = Console(file=out, width=80, height=30, force_terminal=True, color_system=None)
    keys: Iterator[bytes] = iter(script)
    shown: list[str] = []

    def read_key() -> str:
        shown.append(out.getvalue())
        out.seek(0)
        out.truncate()
        return replay.key_name(next(keys))

    replay.step(record, console, read_key)
    assert len(shown) == len(script), "left at q"
    for screen, wanted in zip(shown, expect, strict=True):
        assert wanted in screen and replay.KEYS in screen


def test_the_end_of_input_leaves() -> None:
    assert replay.key_name(b"") == "quit"
