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
    assert f"Game {record.game} · dots (rows 2" in text
    for ply, move in enumerate(record.moves, start=1):
        player = record.seats[move.seat].player
        assert f"{ply}. {player}: {move.move} · {move.used_ms:,.1f} ms" in text.replace("\n", " ")
    assert "evaluation +0.25 · depth 7 · 12,345 nodes · expects " in text and "[red]" in text
    assert "random, after bad_json: not JSON" in text
    assert "End: natural · " in text and ", 1 point\n" in text and "1 points" not in text
    assert "stderr of [b]x (12 bytes)" in text and "\\x1b[2Jtwo" in text and "\x1b" not in text


def talker(play: Play) -> GameRecord:
    """A lost game of othello whose first player logged with its first two moves and at its end."""
    log = "loaded\nfirst\nsecond\nTraceback:\n" + "".join(f"  line {n}\n" for n in range(40))
    record = play("othello", "gnu", "ant", forfeit=0, preset="cornerless")
    asked = sum(move.seat == 0 for move in record.moves)
    marks = (len("loaded\nfirst\n"), *[len("loaded\nfirst\nsecond\n")] * (asked - 1))
    given = {"stderr_head": log, "stderr_bytes": len(log), "stderr_marks": marks}
    first, second = record.seats
    return record.model_copy(update={"seats": (first.model_copy(update=given), second)})


def test_what_was_logged_is_next_to_its_move(play: Play) -> None:
    text = dumped(talker(play))
    moves = [text.index(f"\n{ply}. ") for ply in (1, 2, 3, 4)]
    assert moves[0] < text.index("first") < moves[1] < moves[2] < text.index("second") < moves[3]
    assert text.count("stderr of X gnu") == 2
    assert text.index("End: ") < text.index("stderr of gnu, after its last move (")
    assert text.index("Traceback") < text.index("line 39")


def test_a_log_that_was_cut_says_so(play: Play) -> None:
    record = play("dots", "a", "b", rows=1, cols=1)
    given = {"stderr_head": "begin\n", "stderr_tail": "end\n", "stderr_bytes": 99_999}
    cut = record.seats[0].model_copy(update=given)
    text = dumped(record.model_copy(update={"seats": (cut, record.seats[1])}))
    assert "  begin\n  \n  … (not all of it is kept)\n  end\n" in text


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (50, 20)])
def test_a_screen_has_room_for_what_was_logged(play: Play, width: int, height: int) -> None:
    record, out = talker(play), io.StringIO()
    console = Console(file=out, width=width, height=height)
    shown = replay.Replay(record)
    console.print(shown.screen(1, console, "keys"))
    lines = out.getvalue().splitlines()
    assert "  first" in lines and len(lines) <= height
    out.truncate(0)
    console.print(shown.screen(shown.plies, console, "keys"))
    last = out.getvalue()
    assert "End: timeout by gnu" in last and "  line 39\nkeys" in last
    assert len(last.splitlines()) <= height


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
    assert "Start" in out.getvalue() and replay.KEYS not in out.getvalue(), "it stays on the screen"
    for screen, wanted in zip(shown, expect, strict=True):
        assert wanted in screen and replay.KEYS in screen


def test_the_end_of_input_leaves() -> None:
    assert replay.key_name(b"") == "quit"
