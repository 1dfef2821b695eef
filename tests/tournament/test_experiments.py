"""The experiments: played by CPU time, kept, and judged on their page."""

import json
import subprocess
import sys
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UserError
from arena.model.protocol import Termination
from arena.tournament.config_file import load_config
from arena.tournament.events import RunOutcome
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run
from arena.tournament.run_view import RunView
from players.builtin import Builtin
from players.catalogue import BUILTINS
from players.sdk import Answer, Turn
from tournaments.experiments import commands, page, results
from tournaments.experiments.cpu_clock import CpuClockExecutor
from tournaments.experiments.results import Experiment, Gap, Scores

ROOT = Path(__file__).parents[2]
FILE = """
[tournament]
rounds = 2
[game]
rules = "{rules}"
{more}
[[player]]
bot = "monkey"
[[player]]
bot = "greedy"
"""


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A tournament of dots, and one of 2048."""
    monkeypatch.setattr(results, "FILE", tmp_path / "results.json")
    stores = {}
    for rules, more in (("dots", "rows = 2\ncols = 2"), ("2048", "")):
        file, store = tmp_path / f"{rules}.toml", tmp_path / f"{rules}.sqlite"
        file.write_text(FILE.format(rules=rules, more=more))
        config = load_config(file, BUILTINS)
        with PlayedStore.open_run(store, config) as kept:
            run(config, kept, open_executor=CpuClockExecutor)
        stores[rules] = store
    return stores


def test_games_are_played_here_and_their_results_kept(played: dict[str, Path]) -> None:
    with RunView(played["dots"]) as view:
        assert len(view.games) == 4
        assert all(game.termination is Termination.NATURAL for game in view.games)
        assert all(len(used) for game in view.games for used in game.used_ms)
    dots, tiles = (results.keep(name, store) for name, store in played.items())
    assert results.load() == {"dots": dots, "2048": tiles}
    assert (dots.games, dots.clock, tiles.games) == (4, "cpu", 4)
    assert abs(datetime.now(UTC).date() - dots.day) <= timedelta(days=1)
    gap, back = dots.gap("greedy", "monkey"), dots.gap("monkey", "greedy")
    assert gap is not None and back is not None
    assert (gap.elo, gap.error) == (-back.elo, back.error) and gap.error > 0
    assert dots.gap("greedy", "nobody") is None
    assert dots.second is not None and tiles.second is None
    assert {each.player for each in tiles.scores} == {"greedy", "monkey"}


@pytest.mark.parametrize("rounds", ["0", "-3"])
def test_an_experiment_has_rounds(
    rounds: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["experiments", "play", "monkey", "--rounds", rounds])
    monkeypatch.setattr(commands, "play", lambda *_: pytest.fail("it was played"))
    with pytest.raises(SystemExit, match="2"):
        commands.main()
    assert f"--rounds: must be 1 or more, got {rounds}" in capsys.readouterr().err


def test_a_run_that_is_not_there_ends_with_2(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tournaments.experiments", "keep", "monkey", tmp_path / "no.sqlite"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"{tmp_path}/no.sqlite: no such run;")


def test_ctrl_c_while_the_experiments_load_is_no_traceback() -> None:
    code = (
        "import os, runpy, signal, sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'arena.errors': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "runpy.run_module('tournaments.experiments', run_name='__main__')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, b"Interrupted.\n")


def test_what_a_move_took_comes_off_the_bank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    banks: list[int | None] = []
    choose = BUILTINS["greedy"].choose

    def slow_choose(player: Builtin, turn: Turn) -> Answer:
        began = time.process_time()
        while time.process_time() < began + 0.002:
            pass
        banks.append(turn.bank_ms)
        return choose(player, turn)

    monkeypatch.setattr(BUILTINS["greedy"], "choose", slow_choose)
    monkeypatch.setattr(time, "monotonic", time.process_time)
    more = "rows = 2\ncols = 2\n[clock]\nbank_ms = 600"
    file = tmp_path / "bank.toml"
    text = FILE.format(rules="dots", more=more)
    for most, written in (
        (600, text),
        (900, text.replace('bot = "greedy"', 'bot = "greedy"\nclock.bank_ms = 900')),
    ):
        banks.clear()
        file.write_text(written)
        config = load_config(file, BUILTINS)
        with PlayedStore.open_run(tmp_path / f"{most}.sqlite", config) as kept:
            run(config, kept, open_executor=CpuClockExecutor)
            record = next(kept.records())
        assert len(banks) > 2 and banks[0] == most
        assert all(bank and bank <= most - 2 * turns for turns, bank in enumerate(banks[:3]))
        clocks = {seat.player: seat.clock for seat in record.seats}
        assert (clocks["greedy"] is None) == (most == 600)
        assert clocks["monkey"] is None


@pytest.mark.parametrize(
    ("elo", "error", "equal", "expected"),
    [
        (50, 20, False, "**yes**"),
        (-50, 20, False, "**no**, the other way round"),
        (10, 40, False, "open"),
        (10, 15, False, "equal"),
        (10, 15, True, "**yes**, equal"),
        (-50, 20, True, "**no**, less"),
        (10, 40, True, "open"),
    ],
)
def test_a_verdict_needs_an_interval(elo: float, error: float, equal: bool, expected: str) -> None:
    gap = Gap(player="a", opponent="b", elo=elo, error=error)
    words, verdict = page.judged(claim(equal=equal), experiment(gap))
    assert words.startswith(f"`a` over `b` {elo:+} ± {error}; ")
    assert verdict == expected


@pytest.mark.parametrize(
    ("mean", "error", "expected", "verdict"),
    [
        (1500, 40, "+50% ± 5%", "**yes**"),
        (800, 40, "-20% ± 5%", "**no**, the other way round"),
        (6000, 4000, "+500% ± 400%", "**yes**"),  # the interval that is judged
        (1010, 0, "+1% ± 3%", "equal"),
        (1040, 40, "+4% ± 5%", "open"),
    ],
)
def test_scores_are_judged_in_place_of_elo(
    mean: float, error: float, expected: str, verdict: str
) -> None:
    gap = Gap(player="a", opponent="b", elo=0, error=900)
    scores = (
        Scores(player="a", mean=mean, error=error, seconds=1),
        Scores(player="b", mean=1000, error=30, seconds=1),
    )
    words, judged = page.judged(claim(), experiment(gap, scores=scores))
    assert f": {expected}; " in words
    assert judged == verdict


@pytest.mark.parametrize(
    ("time", "seconds", "expected"),
    [
        ("less", 0.7, "; in 70% of the time"),
        ("less", 1.1, "; but **no** time is saved"),
        ("the same", 1.1, "; **no** time is saved"),
        ("the same", 0.7, "; but in 70% of the time"),
    ],
)
def test_a_claim_about_time_is_judged_by_it(time: str, seconds: float, expected: str) -> None:
    scores = (
        Scores(player="a", mean=1000, error=9, seconds=seconds),
        Scores(player="b", mean=1000, error=9, seconds=1),
    )
    gap = Gap(player="a", opponent="b", elo=0, error=900)
    _, judged = page.judged(claim(equal=True, time=time), experiment(gap, scores=scores))
    assert judged == f"**yes**, equal{expected}"


def test_a_claim_without_an_experiment_says_what_else_is_known() -> None:
    other = page.Claim("S1", "a system", "a claim", measured="1.6 times", verdict="**yes**")
    assert page.judged(other, None) == ("1.6 times", "**yes**")
    assert page.judged(page.Claim("S1", "a system", "a claim"), None) == ("", "open: not measured")
    assert page.judged(claim(), None) == ("[`monkey`](monkey.toml)", "open: not measured")


def test_the_reach_of_tiles_is_kept_and_shown_where_it_is_known(played: dict[str, Path]) -> None:
    kept = results.keep("2048", played["2048"])
    assert all(set(each.reach) == set(results.TILES["2048"]) for each in kept.scores)
    assert results.load()["2048"] == kept
    old = Scores(player="a", mean=10, error=None, seconds=1)
    assert not old.reach
    known = old.model_copy(update={"reach": {2048: 1.0, 8192: 0.125}})
    rows = [page.text({"popup": experiment(GAP, scores=(each,))})[0] for each in (old, known)]
    assert rows[0].endswith("| `a` 10 in 1.00 s a game |\n")
    assert rows[1].endswith("| `a` 10 in 1.00 s a game, 2048 in 100%, 8192 in 12% |\n")


DAY = date(2026, 1, 2)
GAP = Gap(player="a", opponent="b", elo=0, error=900)


def claim(**more: Any) -> page.Claim:
    """That `a` is ahead of `b`."""
    return page.Claim("S1", "a system", "a claim", "monkey", "a", "b", **more)


def experiment(gap: Gap, **more: Any) -> Experiment:
    """The results of two players."""
    return Experiment(games=9, clock="cpu", machine="", version="", day=DAY, gaps=(gap,), **more)


def test_every_claim_names_an_experiment_and_its_players() -> None:
    claims = page.claims()
    assert {claim.id for claim in claims} == {f"S{number}" for number in range(1, 25)}
    for claim in claims:
        if not claim.experiment:
            assert claim.measured or claim.verdict.startswith("open"), claim
            continue
        config = load_config(page.HERE / f"{claim.experiment}.toml", BUILTINS)
        names = {player.name for player in config.players}
        assert claim.second or {claim.player, claim.opponent} <= names, claim


def test_the_page_is_the_one_that_its_command_writes() -> None:
    written = (page.HERE / "README.md").read_text()
    text, still_open = page.text(results.load())
    assert text == written
    assert len(still_open) == text.count("| open")


def test_an_experiment_has_its_question_and_all_its_players() -> None:
    gaps = (
        Gap(player="one thread", opponent="two threads", elo=4.2, error=25.2),
        Gap(player="two trees", opponent="one thread", elo=-36.3, error=26.3),
        Gap(player="two threads", opponent="two trees", elo=32.1, error=25.5),
    )
    found = Experiment(
        games=1200, clock="referee", machine="EPYC", version="1.0", day=DAY, gaps=gaps
    )
    row = page.text({"threads": found})[0].splitlines()[-1]
    assert row == (
        "| [`threads`](threads.toml) | Does a search shared by two threads lose strength at equal "
        "iterations? | 1,200 | the referee's | EPYC, 1.0, 2026-01-02 | `one thread` 0; "
        "`two threads` -4 ± 25; `two trees` -36 ± 26 |"
    )
    scores = tuple(
        Scores(player=name, mean=mean, error=error, seconds=0.5)
        for name, mean, error in (("full", 900, None), ("k7", 1200, 30))
    )
    found = found.model_copy(update={"scores": scores})
    row = page.text({"popup": found})[0].splitlines()[-1]
    assert row.endswith("| `k7` 1,200 ± 30 in 0.50 s a game; `full` 900 in 0.50 s a game |")


def test_results_that_were_cut_are_refused_and_stay(
    played: dict[str, Path], tmp_path: Path
) -> None:
    results.keep("dots", played["dots"])
    whole = results.FILE.read_text()
    for damaged in (whole[:-20], "[1]", '{"dots": {"games": 3}}', '{"dots": 1}'):
        results.FILE.write_text(damaged)
        with pytest.raises(UserError, match=r"results\.json: is damaged"):
            results.keep("2048", played["2048"])
        assert results.FILE.read_text() == damaged
    results.FILE.write_text(whole.replace('"day"', '"date"'))
    with pytest.raises(UserError, match=r"\(dots: day: Field required\); correct it, or take"):
        results.load()


def test_fewer_games_replace_no_result(played: dict[str, Path]) -> None:
    kept = results.keep("dots", played["dots"])
    assert results.keep("dots", played["dots"]) == kept, "as many do"
    more = kept.model_dump(mode="json") | {"games": 1000}
    results.FILE.write_text(json.dumps({"dots": more}))
    with pytest.raises(UserError, match=r"has 4 games; the 1,000 kept of dots stay\. .*report"):
        results.keep("dots", played["dots"])
    assert results.load()["dots"].games == 1000
    results.keep("2048", played["2048"])
    assert results.load()["dots"].games == 1000


def test_a_run_of_another_experiment_is_refused(played: dict[str, Path]) -> None:
    with pytest.raises(UserError, match=r"dots\.sqlite: is a run of dots, not of 2048"):
        results.keep("2048", played["dots"])
    assert not results.load()


@pytest.mark.parametrize("name", sorted(results.load()))
def test_an_experiment_plays_as_many_games_as_are_kept(name: str) -> None:
    config = load_config(page.HERE / f"{name}.toml", BUILTINS)
    assert (config.schedule().total or 0) >= results.load()[name].games


def test_players_of_several_threads_are_left_to_arena_run() -> None:
    config = load_config(page.HERE / "threads.toml", BUILTINS)
    with pytest.raises(SystemExit, match=r"two threads: .* by `arena run`"):
        CpuClockExecutor(config)


def test_an_experiment_that_was_stopped_replaces_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object, **__: object) -> RunOutcome:
        return RunOutcome(total=9, done=1, void=(), interrupted=True, verdict=None)

    monkeypatch.setattr(sys, "argv", ["experiments", "play", "monkey"])
    monkeypatch.setattr(commands, "RUNS", tmp_path)
    monkeypatch.setattr(commands, "use_cpu_time", lambda: None)
    monkeypatch.setattr(commands, "run", stopped)
    monkeypatch.setattr(results, "keep", lambda *_: pytest.fail("it was kept"))
    with pytest.raises(SystemExit, match="130"):
        commands.main()
    said = capsys.readouterr().err
    assert (
        f"`arena report {tmp_path / 'monkey.sqlite'}` shows how far it is. Ctrl-C ends it after"
        in said
    )
    assert said.endswith("Stopped: no result is kept yet; the same command continues.\n")
