"""What is kept of a player's stderr, and where in it each of its moves came."""

import pytest

from arena.referee.head_tail import HeadTail


def test_places_count_characters_of_head_and_tail() -> None:
    log = HeadTail()
    totals = []
    for piece in ("é\n".encode(), b"", b"\xff\n", b"x" * 40_000, b"y" * 40_000, b"z\n"):
        log.feed(piece)
        totals.append(log.total)
    text, places = log.head + log.tail, log.places(totals)
    assert text[: places[0]] == "é\n" and places[1] == places[0]
    assert text[places[1] : places[2]] == "\\xff\n"
    assert text[places[2] : places[3]].count("x") == 32 * 1024 - 5, "the rest was not kept"
    assert set(text[places[3] : places[4]]) == {"y"} and text[places[4] : places[5]] == "z\n"
    assert places[-1] == len(text)


def test_a_quiet_player_has_none() -> None:
    assert HeadTail().places([0, 0, 0]) == ()


def test_bytes_are_characters_where_all_are_ascii() -> None:
    log = HeadTail()
    log.feed(b"x" * 70_000)
    assert log.places([0, 7, 32_768, 40_000, 70_000]) == (0, 7, 32_768, 35_536, 65_536)


def test_markers_below_a_line_are_no_last_words() -> None:
    log = HeadTail()
    log.feed(b'  File "bot.py", line 3\n    assert moves < 20\n           ~~~~~~^^^^\nError\n')
    assert log.last_lines() == 'File "bot.py", line 3 / assert moves < 20 / Error'


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        (
            b"/b/bot.js:2\n  play(m.legl[0])\n            ^\n\n"
            b"TypeError: Cannot read properties of undefined (reading '0')\n"
            b"    at Interface.<anonymous> (/b/bot.js:2:17)\n"
            b"    at play (/b/bot.js:9:1)\n"
            b"    at Readable.push (node:internal/streams/readable:392:5)\n\n"
            b"Node.js v20.20.2\n",
            "TypeError: Cannot read properties of undefined (reading '0') / "
            "at Interface.<anonymous> (bot.js:2:17)",
        ),
        (
            b"node:internal/modules/cjs/loader:1148\n  throw err;\n  ^\n\n"
            b"Error: Cannot find module '/b/missing.js'\n"
            b"    at Module._load (node:internal/modules/cjs/loader:986:27)\n"
            b"    at node:internal/main/run_main_module:28:49 {\n"
            b"  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n",
            "Error: Cannot find module '/b/missing.js'",
        ),
        (
            b'Exception in thread "main" java.lang.IndexOutOfBoundsException: Index 3\n'
            b"\tat java.base/java.util.Objects.checkIndex(Objects.java:385)\n"
            b"\tat Bot.main(Bot.java:2)\n\t... 3 more\n",
            'Exception in thread "main" java.lang.IndexOutOfBoundsException: Index 3 / '
            "at Bot.main(Bot.java:2)",
        ),
        (b"at move 3\nthinking\n", "at move 3 / thinking"),
    ],
)
def test_of_a_stack_the_error_and_its_place_are_kept(stderr: bytes, expected: str) -> None:
    log = HeadTail()
    log.feed(stderr)
    assert log.last_lines() == expected


def test_what_an_earlier_process_wrote_is_not_shown_of_the_next() -> None:
    log = HeadTail()
    log.feed(b"KeyError: 'tables'\n")
    assert log.error_since(0) == log.last_lines() == "KeyError: 'tables'"
    log.begin()
    assert log.error_since(0) == log.last_lines() == ""
    log.feed(b"no book for this size\n")
    assert (log.error_since(0), log.last_lines()) == ("", "no book for this size")
