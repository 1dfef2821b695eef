"""`arena tune`: from a file to a player, stopped and resumed."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import NoReturn

import pytest
from rich.console import Console
from typer.testing import Result

import rules
from arena.errors import ExecutorError, FileError, UserError
from arena.ratings.sprt import Sprt
from arena.ratings.trial import Tally
from arena.reports import words
from arena.sandbox import leftovers
from arena.tournament.config import TournamentConfig
from arena.tournament.executors import local
from arena.tournament.site import Site
from arena.tournament.store import Store
from arena.training.matches import RefereeMatchRunner
from arena.training.tune import tune as play_tuning
from arena.training.tune_view import (
    TuningPlan,
    TuningProgress,
    comparison_line,
    parameter_table,
    progress_line,
    trend,
)
from arena.training.tune_view import test_line as line_of_test
from arena.training.tuned_player import budget_test, gain_words, measured, measured_line
from arena.training.verify import gain
from arena.training.verify_config import Target, Verification, load_both
from arena.web.lab_runs import folder_run
from players.games.registry import load_board
from players.learning.tuning.config import load_config
from players.learning.tuning.matches import Aborted, MatchTask, PlayedGame
from players.learning.tuning.result import PICTURES
from players.learning.tuning.runner import InProcessRunner
from players.learning.tuning.space import Space
from players.learning.tuning.tuner import CHECKPOINT, VERIFY, StartComparison, Tuner, TuningPoint
from players.weights import load_weights
from tests.command import arena

FILE = """
[tuning]
method = "selfplay"
games = {games}
compare_every = 16
compare_games = 4
measure_games = 4
threads = 2
[game]
rules = "othello"
preset = "cornerless"
[player]
bot = "weighted-uct"
options = {{ iterations = 16, playouts = 1, endgame_mb = 1, memory_mb = 8 }}
[weights]
[selfplay]
batch = 8
"""


TEST = "arena tune it.toml --verify"


def tune(folder: Path, games: int = 32, text: str = FILE) -> Result:
    (folder / "it.toml").write_text(text.format(games=games))
    return arena("tune", "it.toml")


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """The folder of a tuning that was not stopped, and what it said."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return folder, tune(folder)


@pytest.mark.slow
def test_from_a_file_to_a_player(
    tuned: tuple[Path, Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, result = tuned
    monkeypatch.chdir(folder)
    assert result.exit_code == 0, result.output
    assert "after 32 games" in result.output
    assert "played before" not in result.output
    assert f"Not tested: no gain is claimed. To test it: {TEST}\n" in result.output
    assert "In 4 fresh games against the start:" in result.output
    run = folder / "runs" / "it.tune"
    names = {path.name for path in run.iterdir()}
    assert {CHECKPOINT, "weights.json", "player.toml", *PICTURES} <= names
    assert not any(name.endswith(".part") for name in names)
    for name in PICTURES:
        head = (run / name).read_bytes()[:5]
        assert head == (b"\x89PNG\r" if name.endswith("png") else b"<?xml")
    how = json.loads((run / "weights.json").read_text())["tuning"]
    assert (how["rules"], how["method"], how["games"], how["seed"]) == (
        "othello",
        "selfplay",
        32,
        1,
    )
    assert how["settings"] == {"constant": 0.001, "batch": 8}
    assert how["measured"]["games"] == 4
    assert set(how["versions"]) == {"bot-arena", "numba"}
    board = load_board("othello", rules.load("othello", preset="cornerless").variant)
    weights = load_weights(str(run / "weights.json"), "othello", board.moves)
    assert weights.min() >= 0.9
    assert len(set(weights.flat)) > 2
    shown = folder_run(run)
    assert shown.stands.startswith("32 games, ")
    assert shown.curves[-1].points[-1][0] == 32
    tournament = run / "tournament.toml"
    tournament.write_text(
        '[game]\nrules = "othello"\npreset = "cornerless"\n[[player]]\nbot = "monkey"\n'
        + (run / "player.toml").read_text()
    )
    written = (run / "player.toml").read_text().split("[player.options]")[1]
    assert "iterations" not in written and 'weights = "weights.json"' in written
    checked = arena("run", str(tournament), "--dry-run")
    assert checked.exit_code == 0, checked.output


KILLED = """
import os, signal
from arena.cli import app
from arena.training import tune
from players.learning.tuning.tuner import Tuner

tune._SAVE_S = 1e9  # however slow the machine is
learn = Tuner.run_batch

def run_batch(self):
    learn(self)
    if self.counts["batches"] == 2:
        os.kill(os.getpid(), signal.SIGKILL)

Tuner.run_batch = run_batch
app(["tune", "it.toml"])
"""
"""Dies once the second batch is learned; the first alone is in a checkpoint."""


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_killed_and_stopped_it_goes_on_as_if_nothing_had_happened(
    folder: Path, tuned: tuple[Path, Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "it.toml").write_text(FILE.format(games=32))
    checkpoint = folder / "runs" / "it.tune" / CHECKPOINT
    killed = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert games_in(checkpoint) == 8
    learn = Tuner.run_batch

    def interrupted(tuner: Tuner) -> None:
        learn(tuner)
        if tuner.counts["batches"] == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Tuner, "run_batch", interrupted)
        stopped = tune(folder)
    assert stopped.exit_code == 130
    assert "8 of 32 games were played before." in stopped.output
    assert (
        "Stopped; the best so far is in runs/it.tune/player.toml. Continue with:" in stopped.output
    )
    assert "all is saved" in stopped.output  # before it draws, which takes seconds
    assert games_in(checkpoint) == 24
    assert tune(folder).exit_code == 0
    assert kept(checkpoint) == kept(tuned[0] / "runs" / "it.tune" / CHECKPOINT)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_asked_to_end_before_the_first_game_it_tells_how_to_go_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setattr(Tuner, "__init__", lambda *_: (os.kill(os.getpid(), number), sleep(60)))
    signal.signal(number, signal.default_int_handler)  # as of every command
    stopped = tune(folder)
    assert stopped.exit_code == 130
    assert "Stopped at once; what was not saved is played again. Continue with: " in stopped.output


def games_in(checkpoint: Path) -> int:
    return int(json.loads(checkpoint.read_text())["counts"]["games"])


def kept(checkpoint: Path) -> tuple[object, str]:
    """All that a checkpoint has but the time taken, and the table next to it."""
    content = json.loads(checkpoint.read_text())
    assert content["counts"].pop("seconds") > 0
    assert content.pop("sha256")
    return content, checkpoint.with_name("weights.json").read_text()


@pytest.mark.usefixtures("undrawn")
def test_mistakes_are_reported(folder: Path) -> None:
    wrong = tune(folder, text=FILE.replace("constant", "batch").replace("batch = 8", "bach = 8"))
    assert wrong.exit_code == 2
    assert 'it.toml:17: selfplay.bach: unknown key; did you mean "batch"?' in wrong.output
    assert tune(folder, games=8).exit_code == 0
    other = tune(folder, text=FILE.replace("batch = 8", "batch = 4"))
    assert other.exit_code == 2
    assert "Changed: selfplay.batch: 8 → 4. Give the old" in other.output
    no_opening = FILE.replace("[player]", "[openings]\nplies = 40\n[player]")
    again = arena("tune", "none.toml")
    assert again.exit_code == 2
    assert "none.toml: no such file" in again.output
    (folder / "long.toml").write_text(no_opening.format(games=8).replace("40", "41"))
    long = arena("tune", "long.toml")
    assert long.exit_code == 2
    assert "openings.plies" in long.output


VERIFIED = (
    FILE
    + """
[verify]
elo1 = 100
max_games = 4
iterations = 8
"""
)


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn", "one_core")
def test_verified_it_says_that_no_gain_is_shown_until_one_is(folder: Path) -> None:
    asked = ["tune", "it.toml", "--verify"]
    (folder / "it.toml").write_text(VERIFIED.format(games=8))
    done = arena(*asked)
    assert done.exit_code == 1, done.output
    assert "The tuned player against the start at iterations 16, as tuned:" in done.output
    assert "Not decided after 2 pairs." in done.output
    assert "Not decided at iterations 8, under the referee: no gain is shown." in done.output
    run = folder / "runs" / "it.tune"
    how = json.loads((run / "weights.json").read_text())["tuning"]
    assert [test["at"] for test in how["tests"]] == [
        "iterations 16, as tuned",
        "iterations 8, under the referee",
    ]
    assert all(sum(test["counts"].values()) == 2 for test in how["tests"])
    assert how["gain"].startswith("Not decided at iterations 16, as tuned: no gain is shown.")
    (path,) = run.glob("verify-*-iterations-8.sqlite")
    with Store.open(path) as store:
        tuned, start = (player.contender.options for player in store.config.players)
        assert tuned == start | {"weights": str(run / "weights.json")}
        assert (tuned["iterations"], tuned["playouts"]) == (8, 1)
    (folder / "it.toml").write_text(VERIFIED.format(games=8).replace("elo1 = 100", "elo1 = 50"))
    other = arena(*asked)
    assert other.exit_code == 2
    assert "Changed: elo1 100.0 → 50.0" in other.output
    again = arena("tune", "it.toml")
    assert again.exit_code == 0
    assert "It is finished: all games are played. To continue, raise `games`." in again.output
    assert "Not decided at iterations 8, under the referee: no gain is shown." in again.output


def test_a_test_stopped_goes_on_to_the_same_verdict(folder: Path) -> None:
    (folder / "it.toml").write_text(FILE.format(games=8))
    tuner = Tuner(load_config(folder / "it.toml"), folder)
    tuner.load()
    tuner.run_batch()
    found = Verification(Sprt(elo1=100), 120, Target("", {}, {}))
    whole = budget_test(tuner, found)
    chunks = 0
    while not whole.over:
        whole.play()
        tuner.save()
        chunks += 1
    parts = Tuner(load_config(folder / "it.toml"), folder)
    parts.load()
    kept = parts.matches[VERIFY]
    parts.matches[VERIFY] = kept[: len(kept) // 2]
    again = budget_test(parts, found)
    while not again.over:
        again.play()
    assert again.verdict == whole.verdict
    assert chunks > 1
    for each in (tuner, parts):
        each.close()


def test_a_gain_names_its_start_and_what_tests_the_default(folder: Path) -> None:
    text = FILE.replace("selfplay", "spsa").replace("batch = 8", "pairs = 2").format(games=8)
    (folder / "it.toml").write_text(f"{text}[parameters.c]\n[verify]\nmove_ms = 20\n")
    config, verification = load_both(folder / "it.toml")
    said = partial(gain_words, config, Path("it.tune/player.toml"), verification.target, TEST)
    shown = said({"move_ms 20": {"decision": "H1"}})
    assert "A gain over the start (c 1, weights flat) is shown at move_ms 20." in shown
    _, _, command = shown.partition(" Against the default (c 1, weights tuned): arena ")
    assert "sprt it.tune/player.toml weighted-uct --rules othello --set" in command
    assert "--move-ms 20" in command
    (folder / "it.tune").mkdir()
    (folder / "it.tune" / "player.toml").write_text('[[player]]\nbot = "monkey"\n')
    assert arena(*command.split(), "--dry-run").exit_code == 0, command
    for decision in ("H0", None):
        assert "Against" not in said({"here": {"decision": decision}})
    counting = verification.target._replace(budget={"iterations": 20})
    counted = gain_words(config, Path("p.toml"), counting, TEST, {"here": {"decision": "H1"}})
    assert counted.endswith(" --a-option iterations=20 --b-option iterations=20")
    usual_start = FILE.replace("[weights]", '[weights]\nstart = "tuned"')
    (folder / "it.toml").write_text(usual_start.format(games=8))
    usual = partial(gain_words, load_config(folder / "it.toml"), *said.args[1:])
    assert usual({"here": {"decision": "H1"}}) == (
        "A gain over the start (weights tuned) is shown at here."
    )


def test_nothing_but_an_accepted_h1_is_called_a_gain() -> None:
    said = {name: {"decision": name} for name in ("H1", "H0")} | {"open": {"decision": None}}
    assert gain(said, TEST, "the start") == (
        "A gain over the start is shown at H1. No gain is shown at H0. "
        "Not decided at open: no gain is shown."
    )
    loose = {"here": {"decision": "H1", "usable": False}}
    assert gain(loose, TEST, "the start") == (
        "The test at here is not usable, for its forfeits and void games: no gain is shown."
    )
    assert gain({}, TEST, "the start") == f"Not tested: no gain is claimed. To test it: {TEST}"


def test_tests_before_more_games_are_counted(folder: Path) -> None:
    (folder / "it.toml").write_text(FILE.format(games=8))
    first = Tuner(load_config(folder / "it.toml"), folder)
    first.load()
    first.run_batch()
    first.verdicts["here"] = {"decision": None}
    first.save()
    (folder / "it.toml").write_text(FILE.format(games=24))
    again = Tuner(load_config(folder / "it.toml"), folder)
    again.load()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InProcessRunner, "play", raise_aborted)
        with pytest.raises(Aborted):
            again.run_batch()
    assert again.verdicts and not again.earlier_tests, "nothing was learned"
    again.run_batch()
    again.verdicts["here"] = {"decision": "H1"}
    again.run_batch()
    again.save()
    for each in (again, Tuner(load_config(folder / "it.toml"), folder)):
        assert not each.verdicts and each.earlier_tests == 2
        each.close()
    first.close()
    said = "Earlier tests, of what fewer games had taught: 2. Each is one more chance to show a "
    untested = gain({}, TEST, "the start", 2)
    assert said in untested and untested.endswith(f" hold for one test. To test it: {TEST}")
    assert said in gain({"here": {"decision": "H1"}}, TEST, "the start", 2)
    checkpoint = folder / CHECKPOINT
    content = json.loads(checkpoint.read_text())
    checkpoint.write_text(json.dumps(content | {"stride": 2}))
    with pytest.raises(ValueError, match=r"its content does not match its digest\); move"):
        Tuner(load_config(folder / "it.toml"), folder)
    del content["earlier_tests"], content["sha256"]  # as files of earlier versions lack them
    checkpoint.write_text(json.dumps(content))
    assert not Tuner(load_config(folder / "it.toml"), folder).earlier_tests
    checkpoint.write_text(json.dumps({"format": 2, "version": "0.1.0"}))
    with pytest.raises(ValueError, match=r"has format 2, .* arena 0\.1\.0, .* move it away"):
        Tuner(load_config(folder / "it.toml"), folder)


def raise_aborted(runner: InProcessRunner, tasks: Sequence[MatchTask]) -> list[PlayedGame]:
    raise Aborted


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("elo1 = 0.05", "verify.elo1: must be above elo0 = 0 by 0.1"),
        ("elo0 = -3", "verify.elo0: must be greater than or equal to 0"),
        ("nodes = 9", "weighted-uct does not count nodes; give one of move_ms"),
        ("iterations = 9\nmove_ms = 9", "verify.iterations: cannot be given together with move_ms"),
        ('tournament = "no.toml"', "no.toml: no such file"),
    ],
)
def test_what_cannot_be_verified_is_reported_before_the_first_game(
    folder: Path, table: str, expected: str
) -> None:
    (folder / "it.toml").write_text(FILE.format(games=8) + f"[verify]\n{table}\n")
    with pytest.raises(FileError, match=re.escape(expected)):
        load_both(folder / "it.toml")


def test_the_clock_of_a_tournament_may_be_the_target(folder: Path) -> None:
    (folder / "course.toml").write_text('[clock]\nmove_ms = 700\n[[player]]\nbot = "not there"\n')
    (folder / "it.toml").write_text(FILE.format(games=8) + '[verify]\ntournament = "course.toml"\n')
    target = load_both(folder / "it.toml")[1].target
    assert target.clock["move_ms"] == 700
    assert target.budget == {}
    assert target.words == "the clock of course.toml"


@pytest.mark.slow
def test_games_under_the_referee_are_those_asked_for(folder: Path) -> None:
    text = FILE.replace("threads = 2", "threads = 2\nreferee = true")
    (folder / "it.toml").write_text(text.format(games=8))
    config = load_config(folder / "it.toml")
    game = rules.load("othello", preset="cornerless")
    space = Space(game, config.options, config.ranges, config.weights)
    first = space.contestant(space.start)
    second = space.contestant([1.01] * len(space.start))
    runner = RefereeMatchRunner(config, space)
    runner.load(4)
    try:
        games = runner.play(
            [MatchTask((first, second), "a", 4, "x"), MatchTask((second, first), "a", 4, "y")]
        )
        for played in games:
            assert len(played.moves) > 40
            assert all(move != "pass" for _, move in played.moves)
        assert games[0].moves[0][0] == games[1].moves[0][0] == 0
        runner.abort()
        with pytest.raises(Aborted):
            runner.play([MatchTask((first, second), "a", 4, "x")])
    finally:
        runner.close()


def test_a_tuning_under_the_referee_stops_while_it_waits_for_machines(folder: Path) -> None:
    waits, given_up = Event(), Event()

    def open_executor(config: TournamentConfig, masked: tuple[str, ...]) -> NoReturn:
        waits.set()
        given_up.wait(20)
        raise ExecutorError("stopped" if given_up.is_set() else "nobody stopped it")

    (folder / "it.toml").write_text(FILE.format(games=8))
    config = load_config(folder / "it.toml")
    game = rules.load("othello", preset="cornerless")
    space = Space(game, config.options, config.ranges, config.weights)
    start = space.contestant(space.start)
    site = Site(local.fit, open_executor, here=False, give_up=given_up.set)
    runner = RefereeMatchRunner(config, space, site)
    stop = Thread(target=lambda: waits.wait(20) and runner.abort())
    stop.start()
    try:
        with pytest.raises(Aborted):
            runner.play([MatchTask((start, start), "a", 4, "x")])
    finally:
        stop.join()
        runner.close()


def test_machines_can_tell_apart_tunings_of_one_name(folder: Path) -> None:
    kept_in = list[tuple[str, ...]]()

    def open_executor(config: TournamentConfig, masked: tuple[str, ...]) -> NoReturn:
        kept_in.append(masked)
        raise ExecutorError("no machine")

    site = Site(local.fit, open_executor, here=False)
    text = FILE.replace("threads = 2", "threads = 2\nreferee = true")
    (folder / "it.toml").write_text(text.format(games=8))
    for out in ("one", "other"):
        with pytest.raises(ExecutorError):
            play_tuning(folder / "it.toml", folder / out, Console(), verify=False, site=site)
    assert kept_in == [(str(folder / out / CHECKPOINT),) for out in ("one", "other")]


def test_a_match_runner_that_cannot_start_leaves_no_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    mine = f"{leftovers.prefix()}*"

    def refused(*_: object) -> None:
        assert list(folder.glob(mine)), "by its name it is removed, should we be killed"
        raise UserError("no sandbox")

    monkeypatch.setattr("arena.training.matches.ready", refused)
    (folder / "it.toml").write_text(FILE.format(games=8))
    config = load_config(folder / "it.toml")
    game = rules.load("othello", preset="cornerless")
    with pytest.raises(UserError, match="no sandbox") as _error:  # which holds what began
        RefereeMatchRunner(config, Space(game, config.options, config.ranges, config.weights))
    assert not list(folder.glob(mine))


POINTS = [TuningPoint(games, (1.0 - games / 1000, 1.0)) for games in range(0, 101, 10)]
PLAN = TuningPlan("it", "self-play", 200, ("black b1", "c"), (0.9, 0.0), (1.1, 2.0))


def test_the_live_view_shows_values_trends_and_the_score() -> None:
    console = Console(record=True, width=110, force_terminal=False)
    console.print(parameter_table(PLAN, POINTS, 110, 20))
    shown = console.export_text()
    assert "black b1" in shown
    assert "0.9000" in shown
    assert "↓ 0.0100" in shown
    assert "· 0.0000" in shown
    assert trend(POINTS, 0) == pytest.approx(-0.01)
    progress = TuningProgress(100, 50.0, POINTS, [StartComparison(80, (2.0, 1.0, 0.0, 1.0))])
    line = progress_line(PLAN, progress)
    assert line == "100 of 200 games, 50 games/s, 2 s left"
    compared = "after 80 games 50.0% (20–80) against the start, pairs 50% decisive"
    assert comparison_line(progress.comparisons[-1]) == compared


def test_a_test_says_how_many_of_its_pairs_are_decisive() -> None:
    tally = Tally(Sprt(elo1=100), "tuned", "start", paired=True)
    assert line_of_test(tally.verdict) == "0 pairs; H0 at -2.94, H1 at +2.94"
    tally.add([4, 2, 2, 1])
    assert line_of_test(tally.verdict).startswith("4 pairs, 50% decisive, Elo ")


@pytest.mark.parametrize(("width", "height", "count"), [(80, 19, 120), (80, 19, 30), (120, 35, 60)])
def test_any_number_of_parameters_fits_the_screen(width: int, height: int, count: int) -> None:
    names = tuple(f"white {index}" for index in range(count))
    plan = TuningPlan("it", "", 10, names, (0.9,) * count, (1.1,) * count)
    points = [TuningPoint(games, (1.0 + games / 1000,) * count) for games in range(3)]
    console = Console(record=True, width=width, force_terminal=False)
    console.print(parameter_table(plan, points, width, height))
    lines = console.export_text().splitlines()
    assert len(lines) <= height
    told = sum(line.count("white") for line in lines)
    assert told == count or f"and {count - told} more" in lines[-1]


def test_settings_have_plain_numbers() -> None:
    settings = {"constant": 3e-5, "a": 10.0, "alpha": 0.602, "pairs": 8, "corners": False}
    assert words.settings(settings) == "constant 0.00003, a 10, alpha 0.602, pairs 8, corners false"


def test_pairs_become_counts_and_a_gain_with_its_interval() -> None:
    scores = [2.0] * 30 + [1.0] * 50 + [0.5] * 10 + [0.0] * 10
    gain = measured(scores, ())
    assert gain["games"] == 200
    assert gain["score"] == pytest.approx(0.575)
    assert gain["decisive_pairs"] == 0.5
    assert measured_line(scores, ()).endswith(" (95%), pairs 50% decisive.")
    assert gain["elo"] == pytest.approx(52.5, abs=0.1)
    assert 40 < gain["elo_error_95"] < 70
    assert measured([], ())["games"] == 0
