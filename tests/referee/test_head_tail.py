"""What is kept of a player's stderr, and where in it each of its moves came."""

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
