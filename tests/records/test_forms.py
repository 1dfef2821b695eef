"""Each form: written and read again, files as other programs write them, and damaged ones."""

import json
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from weakref import ref

import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import rules
from arena.errors import RecordError, UserError
from arena.model.protocol import Clock
from arena.model.record import GameRecord, PlayedMove
from arena.records import FORMS, TEXTS, form_of, json_lines
from arena.records.form import Damaged, evaluation_of, two_players
from arena.records.obf import read_positions, write_position
from arena.records.wthor import DEPTH, THEORETICAL
from rules.ggf import write_board
from tests.reports.conftest import play_record
from tests.reports.runs import with_clock

FILES = Path(__file__).parent / "files"
OTHELLO = ("transcript", "ggf", "wthor", "pgn", "jsonl", "parquet")
DOTS = ("transcript", "record", "dots", "jsonl", "parquet")
NAMES = st.text(st.characters(codec="latin-1", categories=("L", "N")), min_size=1, max_size=19)


def read(form: str, path: Path, game: rules.Game | None = None) -> list[GameRecord | Damaged]:
    return list(FORMS[form].read(path, game))


def good(found: list[GameRecord | Damaged]) -> list[GameRecord]:
    return [each for each in found if isinstance(each, GameRecord)]


def moves_of(record: GameRecord) -> list[str]:
    return [move.move for move in record.moves]


@pytest.mark.parametrize(
    ("rule_set", "form"), [("othello", f) for f in OTHELLO] + [("dots", f) for f in DOTS]
)
@given(
    seeds=st.lists(st.integers(0, 10**6), min_size=1, max_size=3, unique=True),
    names=st.tuples(NAMES, NAMES).filter(lambda two: two[0] != two[1]),
)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read_again(
    rule_set: str, form: str, seeds: list[int], names: tuple[str, str], tmp_path: Path
) -> None:
    board = {} if rule_set == "othello" else {"rows": 3, "cols": 4}
    records = [
        play_record(rule_set, *names, seed=seed, game=f"g{number:04}", **board)
        for number, seed in enumerate(seeds, 1)
    ]
    path = tmp_path / "games"
    FORMS[form].write(records, "cup", path)
    back = good(read(form, path, rules.load(rule_set, **board)))
    assert list(map(moves_of, back)) == list(map(moves_of, records))
    for one, other in zip(back, records, strict=True):
        assert (one.scores, one.points, one.game) == (other.scores, other.points, other.game)
        assert one.final_state == other.final_state
        if form != "transcript":
            assert two_players(one) == names
        if form in ("jsonl", "parquet"):
            assert one == other
        if form == "ggf":
            assert list(map(evaluation_of, one.moves)) == list(map(evaluation_of, other.moves))
            times = [round((move.used_ms or 0) / 1000, 2) for move in other.moves]
            assert [(move.used_ms or 0) / 1000 for move in one.moves] == pytest.approx(times)


@pytest.mark.parametrize(
    ("score", "evaluation"), [(12, 12.0), (-0.5, -0.5), (10**400, None), (1e300, None), ("9", None)]
)
def test_an_evaluation_is_a_number_that_files_have(score: object, evaluation: float | None) -> None:
    assert evaluation_of(PlayedMove(seat=0, move="d3", info={"score": score})) == evaluation


def test_an_ending_is_of_one_form_and_none_of_results() -> None:
    endings = [ending for form in FORMS.values() for ending in form.endings]
    assert sorted(endings) == sorted(set(endings))
    assert ".csv" not in endings, "it is of lists of results, which `arena rate` reads"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["dots", "othello", "2048"])
def test_a_form_has_games_of_its_own_rules_alone(form: str, name: str, tmp_path: Path) -> None:
    players = ("one",) if name == "2048" else ("one", "other")
    record = play_record(name, *players, seed=3)
    assert form in {*OTHELLO, *DOTS, "obf"}, "add it to OTHELLO or DOTS: what it writes is read"
    any_game = ("transcript", "jsonl", "parquet")
    knows = {"othello": (*OTHELLO, "obf"), "dots": DOTS, "2048": any_game}[name]
    if form in knows:
        FORMS[form].write([record], "cup", tmp_path / "games")
    else:
        with pytest.raises(RecordError, match="game g1 is "):
            FORMS[form].write([record], "cup", tmp_path / "games")


@pytest.mark.parametrize(
    ("rule_set", "form"), [("othello", "wthor"), ("dots", "record"), ("dots", "dots")]
)
def test_a_move_that_no_board_has_is_damage(rule_set: str, form: str, tmp_path: Path) -> None:
    """Records of earlier versions have no checksum. One letter ended an export in a traceback."""
    record = play_record(rule_set, "one", "other", seed=3)
    first, *others = record.moves
    moves = (first.model_copy(update={"move": f"\0{first.move[1:]}"}), *others)
    with pytest.raises(RecordError, match=r"game g1 is damaged: .*\\x00.* is no move on its board"):
        FORMS[form].write([record.model_copy(update={"moves": moves})], "cup", tmp_path / "games")


@pytest.mark.parametrize("form", ["transcript", "obf"])
def test_a_move_that_does_not_fit_is_an_error_of_the_record(form: str, tmp_path: Path) -> None:
    """These play the game again, which ended in a traceback."""
    record = play_record("othello", "one", "other", seed=3)
    moves = (record.moves[1], *record.moves[1:])
    changed = record.model_copy(update={"moves": moves})
    with pytest.raises(RecordError, match=r"game g1: .*; the record is damaged or was made by"):
        FORMS[form].write([changed], "cup", tmp_path / "games")


@pytest.mark.parametrize("form", [*OTHELLO, "obf"])
def test_a_file_is_written_game_by_game_whole_or_not_at_all(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.records.parquet._BLOCK", 2)
    record, given = play_record("othello", "one", "other"), list[ref[GameRecord]]()

    def played(number: int) -> Iterator[GameRecord]:
        for _ in range(number):
            assert sum(each() is not None for each in given) <= 3
            copy = record.model_copy()
            given.append(ref(copy))
            yield copy
        if number > 5:
            raise RecordError("it is damaged")

    path, link = tmp_path / "games", tmp_path / "link"
    link.symlink_to(path)
    FORMS[form].write(played(5), "cup", link)
    before = sorted((each.name, each.read_bytes()) for each in tmp_path.iterdir())
    assert len(before[0][1]) > 5 * 60
    with pytest.raises(RecordError, match="it is damaged"):
        FORMS[form].write(played(6), "cup", link)
    assert sorted((each.name, each.read_bytes()) for each in tmp_path.iterdir()) == before
    assert link.is_symlink()


def test_a_pipe_gets_games_as_they_come() -> None:
    record, (out, into) = play_record("othello", "one", "other"), os.pipe()
    FORMS["transcript"].write([record], "cup", Path(f"/dev/fd/{into}"))
    os.close(into)
    with os.fdopen(out) as file:
        assert file.read() == TEXTS["transcript"](record, "cup")


@pytest.mark.parametrize("form", [*OTHELLO, *DOTS])
def test_a_game_that_ended_before_its_first_move(form: str, tmp_path: Path) -> None:
    name, path = "othello" if form in OTHELLO else "dots", tmp_path / "games"
    played = play_record(name, "one", "other", seed=3)
    start = played.start()
    none = played.model_copy(
        update={"moves": (), "final_state": start.state(), "scores": start.scores()}
    )
    FORMS[form].write([none, played], "cup", path)
    back = good(read(form, path, rules.load(name)))
    kept = [] if form == "transcript" else [[]]
    assert list(map(moves_of, back)) == [*kept, moves_of(played)]
    if form == "transcript":
        assert path.read_text().startswith("# g1: no moves\n")


def test_a_transcript_of_a_drawn_start_without_moves_is_its_seed(tmp_path: Path) -> None:
    played, path = play_record("2048", "one", seed=3), tmp_path / "games"
    none = played.model_copy(update={"moves": ()})
    FORMS["transcript"].write([none], "cup", path)
    assert path.read_text() == "seed=3\n"
    (back,) = good(read("transcript", path, rules.load("2048")))
    assert back.start() == none.start() and not back.moves


def test_a_forfeit_keeps_its_winner(tmp_path: Path) -> None:
    record = play_record("othello", "one", "other", seed=3, forfeit=0)
    path = tmp_path / "games.ggf"
    FORMS["ggf"].write([record], "cup", path)
    (back,) = good(read("ggf", path))
    assert (record.points, back.points) == ((0.0, 1.0), (0.0, 1.0))
    assert "RE[-64:t]" in path.read_text()


@pytest.mark.parametrize(
    ("rule_set", "form"),
    [("othello", f) for f in OTHELLO if f != "transcript"]
    + [("dots", f) for f in DOTS if f != "transcript"],
)
def test_a_forfeit_by_the_one_ahead_is_no_win(rule_set: str, form: str, tmp_path: Path) -> None:
    forfeited = (
        play_record(rule_set, "one", "other", seed=seed, forfeit=0) for seed in range(1000)
    )
    record = next(each for each in forfeited if each.scores[0] > each.scores[1])
    once, twice = tmp_path / "once", tmp_path / "twice"
    FORMS[form].write([record], "cup", once)
    (back,) = good(read(form, once))
    assert back.points == record.points == (0.0, 1.0)
    FORMS[form].write([back], "cup", twice)
    (again,) = good(read(form, twice))
    assert again.points == (0.0, 1.0)
    if form in ("ggf", "record"):  # others state the winner by the scores
        assert again.scores == back.scores


def test_ggf_keeps_a_win_by_one_disc(tmp_path: Path) -> None:
    game, path = rules.load("othello", size=4), tmp_path / "games"
    path.write_text("b1c1d1a1d3b4a3d4c4d2a4")  # 8-7, one square left empty
    (record,) = good(read("transcript", path, game))
    FORMS["ggf"].write([record], "cup", path)
    (back,) = good(read("ggf", path))
    assert (back.scores, back.points) == (record.scores, record.points) == ((8, 7), (1.0, 0.0))
    early = TEXTS["ggf"](play_record("othello", "one", "other", seed=3, forfeit=0), "cup")
    path.write_text(re.sub(r"RE\[.*?\]", "RE[+1]", early))
    (agreed,) = good(read("ggf", path))
    assert (agreed.scores, agreed.points) == ((32, 31), (1.0, 0.0))


def test_ggf_has_the_clock_of_each_player() -> None:
    record = play_record("othello", "one", "other", seed=3)
    assert "TI[00:05/00:00]" in TEXTS["ggf"](record, "cup")
    own = with_clock(record, Clock(bank_ms=900_000, increment_ms=61_000))
    assert "TB[15:00/01:01]TW[00:05/00:00]" in TEXTS["ggf"](own, "cup")


def test_the_clock_decides_a_game_that_was_played_to_its_end(tmp_path: Path) -> None:
    record, path = play_record("othello", "one", "other", seed=3), tmp_path / "games.ggf"
    won, text = record.points[0], TEXTS["ggf"](record, "cup")
    path.write_text(re.sub(r"RE\[.*?\]", f"RE[{'-' if won else '+'}64:t]", text))
    (back,) = good(read("ggf", path))
    assert (back.scores, back.points) == (record.scores, (1 - won, won))


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2026-11-29 13:01:46 GMT", "2026-11-29T13:01:46+00:00"),  # as NBoard
        ("2026.11.29_13:01:46.GMT", "2026-11-29T13:01:46+00:00"),
        ("2026.11.29_13:01:46.MST", "2026-11-29T13:01:46"),
        ("2026.11.29", "2026-11-29"),
        ("2009", "2009"),
        ("10000.01.01", ""),
        ("?", ""),
    ],
)
def test_ggf_keeps_a_date_as_far_as_it_is_known(tmp_path: Path, written: str, date: str) -> None:
    text, path = (FILES / "server.ggf").read_text("latin-1"), tmp_path / "games.ggf"
    path.write_text(text.replace("2003.12.15_12:33:18.MST", written), "latin-1")
    (first, *_) = good(read("ggf", path)[:1])
    FORMS["ggf"].write([first], "cup", path)
    (again,) = good(read("ggf", path))
    assert first.started_at == again.started_at == date


def test_ggf_of_a_server() -> None:
    first, late, damaged = read("ggf", FILES / "server.ggf")
    assert isinstance(first, GameRecord)
    assert moves_of(first) == ["d3", "c5", "f6", "f5"]
    assert list(map(evaluation_of, first.moves)) == [None, -2.39, 1.1, None]
    assert [move.used_ms for move in first.moves] == [10, 12500, 0, 0]
    assert first.started_at == "2003-12-15T12:33:18"
    assert first.stated["black_rating"] == "2196.37"
    assert isinstance(late, GameRecord)
    assert (late.points, late.detail.partition(", ")[2]) == ((0.0, 1.0), "out of time")
    assert str(damaged) == "game 3: move 2: 'a1' is illegal: it turns no disc"


def test_pgn_of_an_archive() -> None:
    first, second, chess = read("pgn", FILES / "archive.pgn")
    assert isinstance(first, GameRecord)
    assert two_players(first) == ("Ann", 'Bob "Bee"')
    assert (first.scores, len(first.moves)) == ((34, 30), 6)
    assert str(second) == "game 2: move 3: 'a1' is illegal: it turns no disc"
    assert str(chess).startswith("game 3: move 1: 'e4' is")


@pytest.mark.parametrize(
    ("result", "points"), [("1-0", (0.0, 1.0)), ("0-1", (1.0, 0.0)), ("1/2-1/2", (0.5, 0.5))]
)
def test_a_result_of_chess_names_white_first(
    tmp_path: Path, result: str, points: tuple[float, float]
) -> None:
    """Also in Othello, where black is the first player."""
    path = tmp_path / "games.pgn"
    path.write_text(f'[Black "Ann"]\n[White "Eve"]\n[Result "{result}"]\n1. F5 D6 {result}\n')
    (game,) = good(read("pgn", path))
    assert (two_players(game), game.points) == (("Ann", "Eve"), points)


def test_dots_of_little_golem() -> None:
    first, second = read("dots", FILES / "golem.dots")
    assert isinstance(first, GameRecord)
    assert moves_of(first) == ["b2c2", "c2c3", "b3c3", "b2b3", "d4e4", "f5f6"]
    assert first.scores == (0, 1)
    assert str(second) == "game 2: move 2: 'b2c2' is illegal: the edge is already drawn"


def test_records_of_the_championship() -> None:
    first, second = read("record", FILES / "championship.json")
    assert isinstance(first, GameRecord)
    assert (first.points, first.detail) == ((1.0, 0.0), "0-0, won by Ann")
    assert str(second) == ("game 2: piece 2 of the record: b(a9,v) is outside a board of 5×5 boxes")


def test_half_a_character_in_a_record_of_the_championship(tmp_path: Path) -> None:
    half, path = r"\ud800", tmp_path / "x.json"
    texts = dict.fromkeys(("R", "B", "Date", "Event"), "half")
    record = {**texts, "winner": "B", "RScore": 0, "BScore": 0, "game": []}
    path.write_text(json.dumps(record).replace("half", half))
    (game,) = good(read("record", path))
    assert game.stated["event"] == half
    assert game.model_dump_json()


def test_lines_of_a_file() -> None:
    first, second, third = read("transcript", FILES / "lines.txt")
    assert isinstance(first, GameRecord)
    assert isinstance(second, GameRecord)
    assert moves_of(second)[: len(first.moves)] == moves_of(first)
    assert str(third).startswith("game 3: move 2 of the transcript: 'a1' is illegal")


def test_parquet_files_of_all_games_have_the_same_columns(tmp_path: Path) -> None:
    schemas = []
    for rule_set, names in (("othello", ["a", "b"]), ("2048", ["a"])):
        record = play_record(rule_set, *names)
        stated = tuple(move.model_copy(update={"info": {"score": 1}}) for move in record.moves)
        silent = tuple(move.model_copy(update={"used_ms": None}) for move in record.moves)
        for moves in (stated, silent, ()):
            written = record.model_copy(update={"moves": moves})
            FORMS["parquet"].write([written], "cup", tmp_path / "games.parquet")
            schemas.append(parquet.read_schema(tmp_path / "games.parquet"))
    assert all(schema.equals(schemas[0]) for schema in schemas)


@pytest.mark.parametrize("form", ["transcript", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("name", "placer"), [("2048", "chance"), ("2584", "chance"), ("2048", "player")]
)
def test_a_game_with_a_drawn_start_is_read_again(
    name: str, placer: str, form: str, tmp_path: Path
) -> None:
    players = ("ann",) if placer == "chance" else ("ann", "bob")
    records = [
        play_record(name, *players, game=f"g000{n}", seed=seed, placer=placer)
        for n, seed in enumerate((1, -(2**63)))
    ]
    FORMS[form].write(records, "cup", tmp_path / "games")
    back = good(read(form, tmp_path / "games", rules.load(name, placer=placer)))
    assert list(map(moves_of, back)) == list(map(moves_of, records))
    for one, other in zip(back, records, strict=True):
        assert (one.start(), one.final_state) == (other.start(), other.final_state)
        assert (one.scores, one.points, len(one.seats)) == (other.scores, (), len(players))
        assert [move.seat for move in one.moves] == [move.seat for move in other.moves]
        assert [move.used_ms is None for move in one.moves] == [
            move.used_ms is None for move in other.moves
        ]


def test_a_start_that_is_not_known_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("down b2=2 left d2=2\nseed=1 down\n")
    unknown, short = read("transcript", tmp_path / "q.txt", rules.load("2048"))
    assert str(unknown).startswith("game 1: 'down b2=2 left d2=2' does not begin with the seed")
    assert isinstance(short, GameRecord)
    assert short.scores == (0,)
    assert short.detail == "0, the file ends before move 2 and has no result"


def test_positions_are_written_and_read_again() -> None:
    known, bare, damaged = read_positions((FILES / "problems.obf").read_text())
    assert not isinstance(known, Damaged)
    assert known.values == {"g8": 18, "h1": 12, "h7": 6}
    assert not isinstance(bare, Damaged)
    assert bare.position == rules.load("othello").start()
    assert str(damaged) == ("game 3: 'A1:+18' is not a legal move with its value, such as G8:+18")
    line = write_position(*known)
    assert line.endswith(" X; G8:+18; H1:+12; H7:+6;")
    bare_line = write_position(bare.position, {})
    assert list(read_positions(line)) == [known]
    others = (
        bare_line.lower(),
        bare_line.replace("-", "."),
        bare_line.replace("X", "*"),
        bare_line[:-1],
    )
    assert [*read_positions("\n".join(others))] == [bare] * 4
    with pytest.raises(RecordError, match="2 positions and no game"):
        read("obf", FILES / "problems.obf")


def test_one_position_is_no_game(tmp_path: Path) -> None:
    start = write_position(rules.load("othello").start(), {})
    (tmp_path / "one.obf").write_text(start)
    with pytest.raises(RecordError, match="1 position and no game"):
        read("obf", tmp_path / "one.obf")


@pytest.mark.parametrize("fault_at", [None, 5])
def test_positions_of_a_run(tmp_path: Path, fault_at: int | None) -> None:
    """Those in which a player chose its move, not the referee in its place."""
    record = play_record("othello", "one", "other", seed=3, fault_at=fault_at)
    FORMS["obf"].write([record], "cup", tmp_path / "run.obf")
    found = list(read_positions((tmp_path / "run.obf").read_text()))
    chosen = [move for move in record.moves if move.used_ms is not None and move.fault is None]
    assert [each.values for each in found if not isinstance(each, Damaged)] == [
        {move.move: 0.25} for move in chosen
    ]


def test_positions_of_a_larger_board_have_no_form(tmp_path: Path) -> None:
    record = play_record("othello", "one", "other", size=10)
    with pytest.raises(RecordError, match="is not on 8×8, and OBF has no other board"):
        FORMS["obf"].write([record], "cup", tmp_path / "run.obf")


def wthor(folder: Path) -> Path:
    """Files byte by byte as the federation's description has them."""
    head = bytes([20, 25, 11, 27])
    game = struct.pack("<HHHBB", 1, 2, 0, 40, 34) + bytes([56, 64, 33]).ljust(60, b"\0")
    other = struct.pack("<HHHBB", 0, 1, 9, 64, 64) + bytes([56, 11]).ljust(60, b"\0")
    header = head + struct.pack("<IHHBBBB", 3, 0, 2025, 8, 0, 24, 0)
    (folder / "WTH_2025.wtb").write_bytes(header + game + other + game[:20])
    for name, size, names in (("WTHOR.JOU", 20, "Ann Bob Éve"), ("WTHOR.TRN", 26, "Club Cup")):
        words = names.split()
        packed = b"".join(word.encode("latin-1").ljust(size, b"\0") for word in words)
        (folder / name).write_bytes(head + struct.pack("<IHHI", 0, len(words), 0, 0) + packed)
    return folder / "WTH_2025.wtb"


def test_wthor_of_the_federation(tmp_path: Path) -> None:
    first, damaged, cut = read("wthor", wthor(tmp_path))
    assert isinstance(first, GameRecord)
    assert (two_players(first), moves_of(first)) == (("Éve", "Ann"), ["f5", "d6", "c3"])
    assert (first.scores, first.stated["event"]) == ((40, 24), "Cup")
    assert (first.stated[THEORETICAL], first.stated[DEPTH]) == (34, 24)
    assert first.started_at == "2025"
    assert str(damaged) == "game 2: move 2: 'a1' is illegal: it turns no disc"
    assert str(cut) == "game 3: the file ends after 20 of its 68 bytes"
    (tmp_path / "short.wtb").write_bytes((tmp_path / "WTH_2025.wtb").read_bytes()[: 16 + 2 * 68])
    *_, lost = read("wthor", tmp_path / "short.wtb")
    assert str(lost) == "game 3: the file ends before it; 3 games were announced"
    FORMS["wthor"].write([first], "cup", tmp_path / "again.wtb")
    (again,) = good(read("wthor", tmp_path / "again.wtb"))
    assert again.model_copy(update={"game": first.game}) == first


def test_wthor_counts_empty_squares_for_the_winner(tmp_path: Path) -> None:
    lines, path = tmp_path / "games.txt", tmp_path / "games.wtb"
    lines.write_text("d3e3f3c3b3f4f5b2a1\nf5f6c4f4e6b4g6f7g5h5\n")  # 13-0 and 0-14
    games = good(read("transcript", lines))
    tie = games[0].model_copy(update={"scores": (20, 20), "points": (0.5, 0.5)})
    FORMS["wthor"].write([*games, tie], "cup", path)
    data = path.read_bytes()
    assert [data[16 + 68 * at + 6] for at in range(3)] == [64, 0, 32]
    assert [game.scores for game in good(read("wthor", path))] == [(13, 0), (0, 14)]


@pytest.mark.parametrize("date", ["1977", "????.??.??", "2024.02.29", "29 Feb 2024"])
def test_pgn_keeps_a_date_as_it_was_written(tmp_path: Path, date: str) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(f'[Date "{date}"]\n[Black "ann"]\n[White "bob"]\n\n1. F5 D6\n')
    (game,) = good(read("pgn", path))
    FORMS["pgn"].write([game], "cup", path)
    assert f'[Date "{date}"]' in path.read_text()


@pytest.mark.parametrize("date", ["", "????-??-??", "31.12.25"])
def test_wthor_has_no_year_of_a_game_without_one(tmp_path: Path, date: str) -> None:
    record = play_record("othello", "ann", "eve", seed=3)
    record = record.model_copy(update={"started_at": date})
    for name in ("once.wtb", "again.wtb"):
        FORMS["wthor"].write([record], "cup", tmp_path / name)
        (record,) = good(read("wthor", tmp_path / name))
    assert record.started_at == ""


def test_equal_names_stay_apart(tmp_path: Path) -> None:
    long = "alphabeta with many nodes"
    record = play_record("othello", f"{long}, 1", f"{long}, 2", seed=3)
    FORMS["wthor"].write([record], "cup", tmp_path / "games.wtb")
    (back,) = good(read("wthor", tmp_path / "games.wtb"))
    assert two_players(back) == ("alphabeta with many", "alphabeta with ma~2")
    path = tmp_path / "games.pgn"
    path.write_text('[Black "Ann"]\n[White "Ann"]\n[Result "34-30"]\n1. F5 D6\n')
    (itself,) = good(read("pgn", path))
    assert two_players(itself) == ("Ann", "Ann (2)")


def test_damaged_lines_of_json() -> None:
    text = TEXTS["jsonl"](play_record("dots", "one", "other", rows=2, cols=2), "cup")
    with pytest.raises(ValueError, match="terms"):
        json_lines.parse('{"game": "g1"}', None, 1)
    with pytest.raises(ValueError, match="Invalid JSON"):
        json_lines.parse(text[:50], None, 1)
    with pytest.raises(ValueError, match="do not lead"):
        json_lines.parse(text.replace('"to_move":null', '"to_move":1'), None, 1)
    with pytest.raises(ValueError, match="seed: Input should be less than"):  # no store keeps it
        json_lines.parse(re.sub('"seed":[0-9]+', f'"seed":{2**63}', text), None, 1)


def test_damaged_files_have_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"no such thing")
    for form, said in (("wthor", "too short"), ("parquet", "no Parquet file")):
        with pytest.raises(RecordError, match=said):
            read(form, path)
    path.write_text("(;GM[Othello]PB[a")
    assert str(*read("ggf", path)) == "game 1: a game of GGF begins with `(;` and ends with `;)`"


@pytest.mark.parametrize(
    ("result", "seconds"), [("?", "nan"), ("?", "inf"), ("?", "1e300"), (f"+{10**30}", "1")]
)
def test_a_number_that_no_run_keeps_damages_its_game(
    result: str, seconds: str, tmp_path: Path
) -> None:
    games = "".join(
        f"(;GM[Othello]PB[a]PW[b]RE[{each[0]}]BO[{write_board(rules.load('othello').start())}]B[F5/1/{each[1]}];)"
        for each in ((result, seconds), ("?", "1"))
    )
    (tmp_path / "x.ggf").write_text(games)
    damaged, kept = read("ggf", tmp_path / "x.ggf")
    assert "is not a number that a game can have" in str(damaged)
    assert isinstance(kept, GameRecord)
    lines = kept.model_copy(update={"scores": (10**30, 0)}).model_dump_json()
    (tmp_path / "x.jsonl").write_text(lines)
    (damaged,) = read("jsonl", tmp_path / "x.jsonl")
    assert str(damaged) == f"game 1: {10**30} is not a number that a game can have"


@pytest.mark.parametrize("at", [-1, 1])
def test_damaged_parquet_has_a_sentence(at: int, tmp_path: Path) -> None:
    """The length of a text is wrong, or its UTF-8."""
    path = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table({"record": ["{00}"]}), path)
    data = bytearray(path.read_bytes())
    data[data.index(b"{00}") + at] = 0xFF
    path.write_bytes(data)
    with pytest.raises(RecordError, match=r"x\.parquet: no Parquet file of games: "):
        read("parquet", path)


def test_a_form_is_chosen_by_name_or_ending() -> None:
    assert form_of(Path("x.WTB")).name == "wthor"
    assert form_of(Path("x.wtb"), "ggf").name == "ggf"
    with pytest.raises(UserError, match=r"give one with --as: transcript \(\.txt\)"):
        form_of(Path("games"))
    with pytest.raises(UserError, match='there is no form "chess"'):
        form_of(Path("games"), "chess")
