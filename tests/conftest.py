"""The order of all tests; players, games and traces of processes that several rooms share."""

from __future__ import annotations

import gc
import os
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.testing
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from arena.model.contender import Prepared
from arena.model.game_spec import GameSetup, Terms
from arena.model.protocol import Clock
from arena.referee import SessionPool

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
"""Hundreds of processes are started, that would compile the same modules each time."""

typer.testing._get_command = cache(typer.testing._get_command)
"""The commands are made once, not for each that a test gives."""

settings.register_profile("arena", deadline=None, print_blob=True)
settings.load_profile("arena")
"""No example is judged by its time, and a failure prints how to repeat it."""

BOTS = Path(__file__).parent / "programs"
PYTHON = (sys.executable, "-I", "-S")
DOTS = {"rows": 2, "cols": 2}
SMALL_TOURNAMENT = """
[tournament]
concurrency = 1
sandbox = "none"
[game]
rules = "othello"
size = 4
[[player]]
bot = "greedy"
[[player]]
bot = "monkey"
"""
"""A file of two games that take a moment."""
CLOCKED = (
    "checks/test_busy.py",
    "hostile/",
    "referee/test_clock.py",
    "referee/test_faults.py",
    "referee/test_ponder.py",
    "referee/test_presence.py",
    "referee/test_side_by_side.py",
    "referee/test_tolerance.py",
    "sandbox/test_canary.py",
    "sandbox/test_overload.py",
    "test_bench.py",
    "web/test_upload.py::test_a_broken_bot",
)
"""Where tests judge clocks or measure load."""
WARMING = ("analysis/", "human/", "players/compiled/test_cache.py", "tournament/test_sandbox.py")
"""Where commands compile all kernels of a rule set: one after the other, each is compiled once."""
STARTING = (
    *WARMING,
    "bots/",
    "browser/",
    "checks/",
    "cli/",
    "players/test_gtp.py",
    "players/test_nboard.py",
    "referee/",
    "sandbox/",
    "test_class.py",
    "test_docs.py",
    "test_third_game.py",
    "tournament/",
    "web/",
)
"""Begun while workers are small: a start of a player is a fork, which costs 5 ms then and 40 ms
once a worker has compiled kernels.
"""
LONG = ("fuzz/", "players/", "ratings/", "reports/test_damaged.py", "training/")
"""Begun before the rest: what comes last should be short, for all workers to end together."""
SLOW = (
    # 2048's kernels once more, for another board
    r"/players/.*2584",
    # all kernels there are; other tests compile most of them as they need them
    "test_cache.py::test_warming_reports_each_step",
    "test_cache.py::test_a_cache_that_cannot_be_written",
    "test_endgame_common.py::test_recursive_kernels_have_one_version",
    # attacks once more as an ordinary user
    r"test_matrix.py::test_an_attack\[\w+-as-nobody",
    r"test_start.py::.* as nobody",
    r"test_commands.py::test_tile_games_replay.*2584",
    # kernels that nothing else needs: of training and of players that take what it made
    "test_evaluation_fits.py::test_quiet_positions_of_dots_are_described",
    "test_tile_training.py::test_games_teach",
    r"test_tuning.py::TestTuner::test_resumed_it_ends_as_if_never_stopped\[(selfplay|cma)",
    "test_game_training.py::test_a_run_that_was_stopped_goes_on",
    "test_tuning_tiles.py::test_two_players_without_chance",
    "test_tuning.py::test_verified_it_says_that_no_gain",
    "test_game_training.py::test_it_learns_as_plain_python_does",
    "test_game_training.py::test_a_short_training_beats_random_moves",
    "test_bench.py::test_what_is_timed_is_done",
    "test_bench_tiles.py",
    "test_tuning_games.py::.*test_a_game_in_one_kernel_is_the_players_own",
    "test_tuning_tiles.py::test_a_game_in_one_kernel_is_the_players_own",
    # whole games through a front; its commands are tried next to it
    "human/test_engine.py::test_through_our_front",
    # whole games analysed; positions of them are tried next to them
    "test_analyse.py::test_small_games_are_seen_to_their_end",
    "test_judging.py::test_the_table_of_a_run",
    "test_training_games.py::test_tune_trains_a_network_that_players_take",
    "test_tuning_tiles.py::test_from_a_file_to_a_verdict",
    "test_evaluation_fits.py::test_a_fit_of_othello_finds",
    "test_uct_rave.py::test_a_recorded_batch_is_a_batch",
    "test_third_game.py::test_(built_in_players|a_game_is_drawn|a_position_is|the_plain_solver)",
    "test_third_game.py::test_(a_bot_is_checked|kernels_agree_with_the_rules)",
    # long games and deep positions; short ones are tried next to them
    "test_first_tournament.py",
    "test_class.py",
    "test_perfect_endgames.py",
    "test_othello_endgame.py::test_published_values",
    r"test_alphabeta.py::test_full_depth_is_exact\[Dots\(rows=(3, cols=3|2, cols=3)",
    r"test_alphabeta.py::test_every_method_has_the_value_of_minimax\[Dots\(rows=4, cols=4",
    "test_tile_players.py::test_a_bank_lasts_for_thousands_of_slides",
    "test_sprt.py::test_not_decided_within_max_games_and_on_with_more",
    "test_kernels_playouts.py::test_counting_out_is_mostly_exact",
    r"test_kernels_playouts.py::test_(every_lane|playouts_are_games).*'rows': 7",
    "test_dots_far.py::test_values_are_those_of_the_plain_search",
    r"test_perft.py::test_the_number_of_games\[othello-standard",
    r"test_uct_options.py::test_threads_share_the_work_and_lose_nothing\[root",
    "test_dots_endgame.py::test_a_sample_of_all_positions_of_3x3",
    r"test_dots_endgame_moves.py::test_moves_margins_and_lines.*\(rows=4, cols=5",
    # many samples of what is random
    r"test_elo.py::test_intervals_cover_the_truth_as_often_as_they_say\[elo[1-8]",
    r"test_sprt.py::test_wrong_decisions_are_as_rare_as_promised\[(-90|0-20|0-100-(nearly|drawish))",
    "ratings/test_sprt.py::test_(half_way_between|a_lead_beyond)",
    "test_othello.py::test_random_play_is_a_little_better_for_white",
    "test_tiles.py::test_random_2048_scores_as_known",
    # kernels for the smallest part of what is printed
    r"test_foreign_text.py::test_a_store\[analyse",
    # a bit of hundreds of stores; of some of them next to it
    r"test_damaged.py::test_no_byte_anywhere_gives_a_traceback\[([1-9]|0-True)",
    # one more mistake of a kind
    r"test_mistakes.py::.*\[(upper case|one board only|leaves after a game|ignores quit)",
    r"test_check.py::test_a_good_script_passes_in_a_sandbox\[limits",
    r"test_build.py::test_what_it_makes_is_judged.*seq 1200",
    r"test_doctor.py::test_without_what_is_needed.*\[(memory|network|files)",
    r"test_gtp.py::test_an_engines_fault.*\[(refuses_(play|set_game|boardsize)|exits|passes)",
    # runs killed many times, or in one more way; others are killed once
    r"test_formats.py::test_killed_and_resumed_it_is_the_same_tournament\[(sprt|separated|games|ladder|groups)",
    "test_soak.py",
    "test_class_on_the_web.py",
    "test_keeper.py::test_(new_bots|a_standing|one_is_played)",
    # half a minute of inputs; some of each reader are tried next to them
    "test_fuzz.py::test_a_longer_search",
    "test_local.py::test_killed_at_any_moment",
    "test_local.py::test_a_game_whose_worker_always_dies_stays_void",
    "test_training.py::test_a_disk_that_fills_up_leaves_the_checkpoint_before",
    "test_training.py::test_a_pipe_without_a_reader_loses_no_games",
    "test_verifying_td.py::test_ctrl_c_ends_with_130",
    "test_verifying_td.py::test_a_learned_evaluation_is_tested_in_process_and_under_the_referee",
    r"test_tuning_tiles.py::test_games_under_the_referee_are_those_asked_for\[player",
    r"test_kept_players.py::.*\[(networks|expectimax|alphabeta)",
    r"test_searching_players.py::test_plays_whole_games.*\[(weighted-uct|alphabeta)",
    "test_sprt.py::test_players_are_named_in_many_ways",
    "test_sprt.py::test_a_clear_lead_is_soon_decided",
    "test_verifying.py::test_a_tuning_begins_again_next_to_the_tests_of_one_that_was_damaged",
    "test_verifying.py::test_settings_that_changed_are_told_as_they_were_written",
    # pages in Chromium; the list of games, a game and live pages are tried next to them
    r"browser/test_(hostile|rooms|play|me|player)\.py",
    r"browser/test_games?.py::test_(everyone_can_use_it|space_plays)",
    r"browser/test_drawings.py::test_every_position.*settings(1\d|2\d|[3579])\]",
    # whole checks, runs and matches behind a page; the page is tried next to them
    r"web/test_hostile_uploads\.py",
    r"web/test_upload.py::test_(a_broken_bot|a_killed_server)",
    r"web/test_submit_to_server.py::test_(what_is_shown|a_folder)",
    r"web/test_keeper.py::test_(a_killed_server|what_cannot_be_played)",
    r"web/test_challenge.py::test_(two_games|in_a_sandbox|there_is_a_quota)",
    r"web/test_killed_server\.py",
    "web/test_api.py::test_it_answers_as_described",
    # a cluster of processes; machines that sleep are tried next to it
    "test_cluster_faults.py",
    "test_cluster_bench.py::test_machines_that_sleep",
    "test_cluster.py::test_the_games_of_a_machine_that_is_cut_off",
    "test_spread.py",
    # what bytes mean, once more where the referee goes on
    r"test_game.py::test_faults_may_be_answered.*(bad_utf8|debug_print|line_70_kb|ready_array)",
)
"""Tests that `.ci/run` runs and the README's command does not."""
_IS_SLOW = re.compile("|".join(SLOW))
GIVES_WAY = 19
"""How nice the other tests are: most compile."""


def is_clocked(nodeid: str) -> bool:
    """Whether a test judges clocks or measures load."""
    return nodeid.removeprefix("tests/").startswith(CLOCKED)


def turn(item: pytest.Item) -> int:
    """Clocked tests come first, which wait while others work; then what starts many processes,
    then what compiles kernels.
    """
    name = item.nodeid.removeprefix("tests/")
    early = (is_clocked(name), name.startswith(STARTING), name.startswith(LONG))
    return early.index(True) if any(early) else len(early)


class _FileByFile(LoadScopeScheduling):
    """Gives workers whole files, and to one of them all clocked tests, to one all that warm."""

    def _split_scope(self, nodeid: str) -> str:
        if is_clocked(nodeid):
            return "clock"
        file = nodeid.partition("::")[0]
        return "warm" if file.removeprefix("tests/").startswith(WARMING) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, as clocked tests mostly wait; no more than help."""
    return min(len(os.sched_getaffinity(0)), 3) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _FileByFile:
    return _FileByFile(config, log)


def pytest_itemcollected(item: pytest.Item) -> None:
    if _IS_SLOW.search(item.nodeid):
        item.add_marker(pytest.mark.slow)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Each worker begins to collect somewhere else: in a new checkout each compiles a part of the
    files, and finds what others compiled.
    """
    args, worker = session.config.args, os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker:
        gc.disable()  # all that is collected stays
    if worker and len(args) == 1 and Path(args[0]).is_dir():
        parts = sorted(map(str, Path(args[0]).glob("[a-z]*")))
        at = len(parts) * int(worker[2:]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        args[:] = parts[at:] + parts[:at]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: (turn(item), item.path))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give way to clocked tests in other workers. This one has none to come."""
    if not is_clocked(item.nodeid) and os.getpriority(os.PRIO_PROCESS, 0) < GIVES_WAY:
        os.setpriority(os.PRIO_PROCESS, 0, GIVES_WAY)


class Bots:
    """Makes the players of one test, all carrying its mark in their arguments."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex

    def hostile(self, fault: str = "none", **more: Any) -> Prepared:
        """The bot of `tests/programs/hostile` with a fault."""
        command = (*PYTHON, str(BOTS / "hostile"), fault, self.mark)
        return Prepared(**{"name": fault, "command": command, **more})

    def left(self) -> list[str]:
        """The command lines of processes that carry the mark; a zombie has none."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                with suppress(OSError):
                    command = (entry / "cmdline").read_text(errors="replace")
                    if self.mark in command:
                        found.append(f"{entry.name}: {command}")
        return found


@pytest.fixture
def bots() -> Bots:
    return Bots()


@pytest.fixture
def pool() -> Iterator[SessionPool]:
    with SessionPool() as pool:
        yield pool


class Match(NamedTuple):
    """What `play_game` is given first."""

    setup: GameSetup
    players: tuple[Prepared, ...]

    def but(self, **changed: Any) -> Match:
        """The same with other values of its setup."""
        return self._replace(setup=self.setup.model_copy(update=changed))


def match(*players: Prepared, rules: str, variant: dict[str, Any], **more: Any) -> Match:
    """A game between these players; `more` are values of its setup and its terms."""
    terms = {key: more.pop(key) for key in Terms.model_fields if key in more}
    setup = {"game": "g1", "terms": Terms(rules=rules, variant=variant, **terms), **more}
    return Match(GameSetup(**setup), players)


Spec = Callable[..., Match]


@pytest.fixture
def dots() -> Spec:
    """A game of 2×2 boxes with short clocks between two players."""

    def make(*players: Prepared, **more: Any) -> Match:
        given = {"clock": Clock(move_ms=300), "startup_ms": 3000, **more}
        return match(*players, rules="dots", variant=DOTS, **given)

    return make
