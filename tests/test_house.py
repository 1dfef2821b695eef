"""The repository as a whole: what the rooms load when they are imported."""

import subprocess
import sys

HEAVY = ("numba", "llvmlite", "players")


def modules_after(statement: str) -> set[str]:
    """The top-level modules a fresh interpreter has loaded after `statement`."""
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_the_arena_runs_without_players_and_numba() -> None:
    rooms = (
        "rules, arena.model.protocol, arena.referee.game, arena.tournament.run, "
        "arena.ratings.standings, arena.reports.terminal, arena.cli"
    )
    assert modules_after(f"import {rooms}").isdisjoint(HEAVY)


def test_a_worker_starts_without_what_only_a_run_needs() -> None:
    loaded = modules_after("import arena.tournament.executors.worker")
    assert loaded.isdisjoint({"numpy", "scipy", *HEAVY})


def test_help_starts_without_the_tournament() -> None:
    loaded = modules_after("import arena.cli")
    assert loaded.isdisjoint({"numpy", "pydantic", "rules", *HEAVY})


def test_the_rules_need_the_standard_library_only() -> None:
    ours = {"rules"}
    # what an interpreter of this environment has before any import, site hooks included
    extra = modules_after("import rules") - modules_after("pass") - set(sys.stdlib_module_names)
    assert extra <= ours
