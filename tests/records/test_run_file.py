"""Runs made of other programs' files, by the commands that a person types."""

import json
import os
import stat
import tracemalloc
from pathlib import Path

import pytest

from arena.api import load_run
from arena.errors import StoreError
from arena.model.protocol import Clock
from arena.records.run_file import export_run, export_text, import_run, read_file
from arena.reports.results_file import results_in
from arena.tournament.played_store import PlayedStore
from arena.tournament.store import Store
from tests.command import arena
from tests.records.test_forms import FILES, wthor
from tests.reports.conftest import play_record
from tests.reports.runs import begun, keep_games, with_clock

SPAN = ("began", "ended")
"""Of a report: when its games were played."""


def test_good_games_are_kept_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    run = tmp_path / "server.sqlite"
    made = arena("import", FILES / "server.ggf", "--to", run)
    assert (made.exit_code, made.stdout) == (1, f"{run}: 2 games\n")
    assert made.stderr == (
        f"{FILES}/server.ggf, game 3: move 2: 'a1' is illegal: it turns no disc\n"
    )
    report = arena("report", run)
    assert "server · othello · 2 of 2 games" in report.stdout
    assert "bob" in report.stdout
    assert "Adjudicated, not played to the end: 2 games." in report.stdout
    shown = arena("replay", run, "2", "--all")
    assert "out of time" in shown.stdout
    assert "place GGS/os, clock 05:00//02:00, type 8" in shown.stdout
    assert "s a move" not in shown.stdout.partition("End:")[0]
    again = arena("import", FILES / "server.ggf", "--to", run)
    assert (again.exit_code, "is there already; give the run another name" in again.stderr) == (
        2,
        True,
    )
    page = tmp_path / "page.html"
    assert arena("report", run, "--html", page).exit_code == 0
    assert "out of time" in page.read_text()


def test_an_import_in_the_place_of_another_file_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "b.sqlite").write_text("no run")
    refused = arena("import", FILES / "server.ggf", "--to", tmp_path / "b.sqlite")
    assert refused.exit_code == 2
    assert refused.stderr.endswith("; to make a new run in its place, move it away\n")


def test_an_import_that_was_cut_short_is_made_by_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, run = tmp_path / "a.jsonl", tmp_path / "b.sqlite"
    keep_games(tmp_path / "a.sqlite", [play_record("dots", "ann", "bob", rows=2, cols=2)])
    export_run(tmp_path / "a.sqlite", lines)

    def interrupt(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as first:
        first.setattr(PlayedStore, "_insert", interrupt)
        with pytest.raises(KeyboardInterrupt):
            import_run(lines, run)
    assert "it; the command that plays or imports it begins it." in arena("report", run).stderr
    made = arena("import", lines, "--to", run)
    assert (made.exit_code, made.stdout) == (0, f"{run}: 1 game\n")


def test_an_import_adds_nothing_to_a_run_that_was_made_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, run = tmp_path / "a.jsonl", tmp_path / "a.sqlite"
    keep_games(run, [play_record("dots", "ann", "bob", rows=2, cols=2)])
    export_run(run, lines)
    monkeypatch.setattr(Store, "begun_with", lambda path: None)
    with pytest.raises(StoreError, match="is there already"):
        import_run(lines, run)


def test_a_run_that_was_exported_is_the_same_again(tmp_path: Path) -> None:
    run, lines, back = (tmp_path / name for name in ("a.sqlite", "a.jsonl", "b.sqlite"))
    games = [
        play_record("dots", *pair, game=f"g{n}", seed=n, rows=2, cols=2)
        for n, pair in enumerate([("ann", "bob"), ("bob", "ann")], 1)
    ]
    keep_games(run, games)
    assert arena("export", run, "--out", lines).stdout == f"{lines}: 2 games\n"
    assert arena("import", lines, "--to", back).exit_code == 0
    one, other = (arena("report", each, "--csv", "players").stdout for each in (run, back))
    assert one == other
    piped = arena("export", run, "--as", "jsonl", "--out", "-")
    assert (piped.stdout, piped.stderr) == (lines.read_text(), "")
    for form in (), ("--as", "wthor"):
        refused = arena("export", run, *form, "--out", "-")
        assert refused.exit_code == 2
        assert "--out -: name a form that is text by --as: transcript, record" in refused.stderr
    text = tmp_path / "a.txt"
    arena("export", run, "--out", text)
    third = tmp_path / "c.sqlite"
    of = ("--rules", "dots", "--set", "rows=2", "--set", "cols=2")
    assert arena("import", text, "--to", third, *of).exit_code == 0
    wrong = arena("export", run, "--out", tmp_path / "a.ggf")
    assert (wrong.exit_code, "game g1 is not standard Othello" in wrong.stderr) == (2, True)


def test_clocks_of_their_own_travel_with_the_games(tmp_path: Path) -> None:
    run, lines, back = (tmp_path / name for name in ("a.sqlite", "a.jsonl", "b.sqlite"))
    clock = Clock(move_ms=None, bank_ms=61_000)
    record = with_clock(play_record("othello", "ann", "bob", size=4), clock)
    keep_games(run, [record])
    arena("export", run, "--out", lines)
    assert arena("import", lines, "--to", back).exit_code == 0
    report = arena("report", back).stdout
    assert "With a clock of its own: ann (61 s a game)." in report
    shown = arena("replay", back, record.game, "--all").stdout
    assert "ann (bot) · 61 s a game\n" in shown and "bob (bot)\n" in shown
    ggf = arena("export", back, "--as", "ggf", "--out", "-").stdout
    assert "]TB[01:01/00:00]TW[00:05/00:00]TY[" in ggf and "TI[" not in ggf
    (tmp_path / "a.ggf").write_text(ggf)
    arena("import", tmp_path / "a.ggf", "--to", tmp_path / "c.sqlite")
    stated = arena("replay", tmp_path / "c.sqlite", 1, "--all").stdout
    assert "black clock 01:01/00:00, white clock 00:05/00:00" in " ".join(stated.split())


def test_games_that_cannot_be_in_one_run_are_named(tmp_path: Path) -> None:
    lines = list[str]()
    for name, game, rows in (("a", "g1", 2), ("b", "g1", 2), ("c", "g2", 3)):
        run = tmp_path / f"{name}.sqlite"
        keep_games(run, [play_record("dots", "ann", "bob", game=game, rows=rows, cols=2)])
        export_text(run, "jsonl", lines.append)
    file = tmp_path / "all.jsonl"
    file.write_text("".join(lines))
    read = read_file(file, lambda record: record.game)
    assert read.games == ["g1"]
    assert [each.number for each in read.damaged] == [2, 3]
    again, other = map(str, read.damaged)
    assert "another game g1 before it" in again and "other rules than the first" in other


def test_an_export_overwrites_exports_alone(tmp_path: Path) -> None:
    run, cup, text = (tmp_path / name for name in ("a.sqlite", "cup.toml", "games.txt"))
    game = play_record("dots", "ann", "bob", rows=2, cols=2)
    keep_games(run, [game])
    cup.write_text("[tournament]\n")
    for name, target in (("run.txt", run), ("cup.txt", cup)):
        (tmp_path / name).symlink_to(target)
    for name in ("b.events.jsonl", "a.sqlite-wal", "bot.py"):
        (tmp_path / name).touch()
    before = run.read_bytes()
    names = ("a.sqlite", "run.txt", "cup.toml", "cup.txt", "a.sqlite-wal", "bot.py")
    forms = dict.fromkeys(names, "transcript") | {"b.events.jsonl": "jsonl"}
    for out, form in ((tmp_path / name, form) for name, form in forms.items()):
        made = arena("export", run, "--as", form, "--out", out)
        assert (made.exit_code, f"--out {out}: is there already" in made.stderr) == (2, True)
    assert (run.read_bytes(), cup.read_text()) == (before, "[tournament]\n")
    for _ in range(2):
        assert arena("export", run, "--out", text).exit_code == 0


def test_games_are_listed_as_planned_whenever_they_ended(tmp_path: Path) -> None:
    games = [
        play_record("dots", *pair, game=f"g{n}", seed=n, rows=2, cols=2)
        for n, pair in enumerate([("ann", "bob"), ("bob", "ann")] * 6, 1)
    ]
    looks = []
    for order in (games, games[::-1]):
        run, out = tmp_path / f"{len(looks)}.sqlite", tmp_path / "games.jsonl"
        with begun(run, games[:1]) as store:
            for game in order:
                store.add(game)
        assert arena("export", run, "--out", out).exit_code == 0
        loaded = load_run(run)
        tables = [arena("report", run, "--csv", name).stdout for name in ("results", "games")]
        figures = {key: value for key, value in loaded.report().items() if key not in SPAN}
        looks.append((out.read_text(), loaded.games(), loaded.moves(), *tables, figures))
    assert looks[0] == looks[1]
    assert looks[0][1]["game"] == [f"g{n}" for n in range(1, 13)]


def test_games_of_one_player_come_back_with_one_seat(tmp_path: Path) -> None:
    run, text, back = (tmp_path / name for name in ("a.sqlite", "a.txt", "b.sqlite"))
    game = play_record("2048", "ann", seed=5)
    keep_games(run, [game])
    assert arena("export", run, "--out", text).exit_code == 0
    assert arena("import", text, "--to", back, "--rules", "2048").exit_code == 0
    report = arena("report", back).stdout
    assert "1 of 1 game\n" in report
    games = load_run(back).games()
    assert (games["player0"], games["score0"]) == (["first"], [game.scores[0]])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("import", "none.ggf", "--to", "x.sqlite"), "none.ggf: there is no such file"),
        (("import", "empty.ggf", "--to", "x.sqlite"), "it is empty, or of another form"),
        (("import", "empty.doc", "--to", "x.sqlite"), "give one with --as: transcript (.txt)"),
        (
            ("import", "other.txt", "--to", "x.sqlite"),
            "and 2 more\nIf it has another game, --rules",
        ),
        (("import", FILES / "problems.obf", "--to", "x.sqlite"), "2 positions and no game"),
        (
            ("import", FILES / "server.ggf", "--to", "x.sqlite", "--rules", "dots"),
            "GGF has games of othello, not of dots",
        ),
        (("export", "none.sqlite", "--out", "x.ggf"), "none.sqlite: no such run"),
        (("export", "none.sqlite", "--out", "x.ggf", "--as", "chess"), 'no form "chess"'),
        (("rate", "none.pgn"), "none.pgn: cannot be read: No such file"),
        (("rate", "empty.pgn"), "empty.pgn: no result"),
    ],
)
def test_a_mistake_has_a_sentence(
    words: tuple[object, ...], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("empty.ggf", "empty.doc", "empty.pgn"):
        Path(name).touch()
    Path("other.txt").write_text("a1b1\n" * 5)
    result = arena(*words)
    assert (result.exit_code, expected in result.stderr) == (2, True), result.stderr
    assert not Path("x.sqlite").exists()


def test_rating_reads_headers_of_pgn_and_games(tmp_path: Path) -> None:
    chess = tmp_path / "chess.pgn"
    chess.write_text(
        '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
        '[White "Bob"]\n[Black "Ann"]\n[Result "*"]\n\n1. e4 *\n\n'
        '[White "Bob"]\n[Result "1-0"]\n\n1. e4 1-0\n'
    )
    rated = arena("rate", chess)
    assert (rated.exit_code, "chess · 1 game\n" in rated.stdout) == (1, True)
    assert rated.stderr.splitlines() == [
        "Left out, as they are not over: 1 game.",
        f"{chess}, game 3: its heading has no Black",
    ]
    archive = arena("rate", FILES / "archive.pgn")
    assert "archive · 3 games" in archive.stdout
    games = arena("rate", wthor(tmp_path))
    assert (games.exit_code, "Éve" in games.stdout) == (1, True)


def test_written_games_of_2048_are_rated_as_the_run_is(tmp_path: Path) -> None:
    run, lines, results = (tmp_path / name for name in ("a.sqlite", "a.jsonl", "a.csv"))
    games = [
        play_record("2048", name, game=f"g{name}{seed}", seed=seed, pair=f"s{seed}")
        for seed in range(3)
        for name in ("ann", "bob", "eve")
    ]
    keep_games(run, games)
    arena("export", run, "--out", lines)
    results.write_text(arena("report", run, "--csv", "results").stdout)
    report, *rated = (
        json.loads(arena(*words, "--json").stdout)
        for words in (("report", run), ("rate", lines), ("rate", results))
    )
    assert report["first_mover"] is None
    for each in rated:
        assert each["first_mover"] is None
        assert each["covariance"] == report["covariance"]


@pytest.mark.slow
def test_games_are_read_one_by_one_as_they_are_written(tmp_path: Path) -> None:
    run, out = tmp_path / "run.sqlite", tmp_path / "games.jsonl"
    record = play_record("dots", "ann", "bob", rows=3, cols=3)
    keep_games(run, [record.model_copy(update={"game": f"g{n}"}) for n in range(300)])
    said: list[int] = []

    def say(text: str) -> None:
        said.append(len(text.encode()))

    for read, share in (
        (lambda: export_run(run, out).games, 0.5),
        (lambda: export_text(run, "jsonl", say).games, 0.5),
        (lambda: len(results_in(out).results), 8),
    ):
        tracemalloc.start()
        try:
            assert read() == 300
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert most < share * out.stat().st_size
    assert sum(said) == out.stat().st_size


@pytest.mark.parametrize("name", ["a.jsonl", "a.ggf", "a.obf", "a.wtb", "a.parquet"])
def test_an_export_that_fails_leaves_the_one_before(
    tmp_path: Path, full_disk: None, name: str
) -> None:
    run, out = tmp_path / "a.sqlite", tmp_path / name
    keep_games(run, [play_record("othello", "ann", "bob")])
    out.write_text("before")
    with pytest.raises(OSError, match="No space left"):
        export_run(run, out)
    assert out.read_text() == "before"


def test_a_link_to_itself_gives_way_to_the_file(tmp_path: Path) -> None:
    run, out = tmp_path / "a.sqlite", tmp_path / "a.jsonl"
    keep_games(run, [play_record("dots", "ann", "bob")])
    out.symlink_to(out)
    assert export_run(run, out).games == 1
    assert out.is_file() and not out.is_symlink()


def test_who_may_read_an_export_stays_so(tmp_path: Path) -> None:
    run, out = tmp_path / "a.sqlite", tmp_path / "a.jsonl"
    keep_games(run, [play_record("dots", "ann", "bob")])
    out.touch(mode=0o600)
    assert export_run(run, out).games == 1
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_a_file_of_a_closed_folder_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, out = tmp_path / "a.sqlite", tmp_path / "a.jsonl"
    keep_games(run, [play_record("dots", "ann", "bob")])
    out.touch()
    before = out.stat().st_ino
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    assert export_run(run, out).games == 1
    assert (out.stat().st_ino, len(out.read_text().splitlines())) == (before, 1)


def test_a_full_disk_is_named_with_the_file(tmp_path: Path) -> None:
    run, full = tmp_path / "a.sqlite", tmp_path / "a.jsonl"
    full.symlink_to("/dev/full")
    game = play_record("dots", "ann", "bob", rows=2, cols=2)
    keep_games(run, [game])
    made = arena("export", run, "--out", full)
    assert (made.exit_code, made.stderr) == (2, f"{full}: No space left on device\n")
