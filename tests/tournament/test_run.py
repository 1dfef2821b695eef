"""A run, with an executor that does what a test tells it: what is played, kept, replayed, told."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from arena.errors import StoreError, UnkeptError
from arena.files.stop_signals import SIGNALS
from arena.model.record import GameRecord
from arena.tournament.config_file import TournamentConfig
from arena.tournament.events import (
    Event,
    GameFinished,
    GameStarted,
    GameVoid,
    MovesPlayed,
    Noted,
    RunFinished,
    RunOutcome,
    RunStarted,
)
from arena.tournament.executors.base import Lost, Played, Report, Task
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import HOPELESS, run
from arena.tournament.store import Store
from tests.tournament.helpers import ScriptedExecutor, play, schedule

Load = Callable[..., TournamentConfig]
Record = Callable[..., GameRecord]
Answer = Callable[[Task], Report]
DOTS = '[tournament]\nrounds = 2\n[game]\nrules = "dots"\nrows = 2\ncols = 2\n'


def stored(path: Path) -> list[tuple[str, int, str]]:
    with Store.open(path) as store:
        records = store.records(void=True)
        return sorted((r.game, r.attempt, r.termination.value) for r in records)


def test_every_game_is_played_kept_and_reported(load: Load, tmp_path: Path, played: Record) -> None:
    config, path = load(DOTS), tmp_path / "t.sqlite"
    executor = ScriptedExecutor(lambda task: Played(task, played(task.spec)))
    outcome, events = play(config, path, executor)
    assert outcome == RunOutcome(total=4, done=4)
    assert outcome.exit_code == 0
    assert executor.most == 2
    assert executor.closed == [False]
    assert stored(path) == [(f"g000{i}", 1, "natural") for i in range(1, 5)]
    assert isinstance(events[0], RunStarted)
    assert (events[0].total, events[0].done) == (4, 0)
    assert isinstance(events[-1], RunFinished) and events[-1].outcome == outcome
    assert sum(isinstance(event, GameStarted) for event in events) == 4
    moved = [event for event in events if isinstance(event, MovesPlayed)]
    assert [(event.ply, event.moves) for event in moved] == [(0, ("d3", "c3"))] * 4
    finished = [event for event in events if isinstance(event, GameFinished)]
    assert [event.done for event in finished] == [1, 2, 3, 4]
    assert {event.game for event in finished} == {"g0001", "g0002", "g0003", "g0004"}


def test_the_store_is_kept_from_the_players(load: Load, tmp_path: Path, played: Record) -> None:
    """A bot may be next to it, and would need no more than to read it to lock it."""
    masked: list[set[str]] = []

    def answer(task: Task) -> Report:
        files = {path.name for path in tmp_path.iterdir() if path.name.startswith("t.")}
        masked.append({Path(path).name for path in executor.masked})
        assert files - {"t.toml"} <= masked[-1]
        return Played(task, played(task.spec))

    executor = ScriptedExecutor(answer)
    play(load(DOTS), tmp_path / "t.sqlite", executor)
    assert len(masked) == 4


def test_what_the_store_has_is_not_played_again(load: Load, tmp_path: Path, played: Record) -> None:
    config, path = load(DOTS), tmp_path / "t.sqlite"
    with PlayedStore.open_run(path, config) as store:
        for spec in schedule(config)[1:3]:
            store.add(played(spec))
    seen: list[str] = []

    def answer(task: Task) -> Report:
        seen.append(task.spec.game)
        return Played(task, played(task.spec))

    outcome, events = play(config, path, ScriptedExecutor(answer))
    assert sorted(seen) == ["g0001", "g0004"]
    assert outcome == RunOutcome(total=4, done=4)
    assert isinstance(events[0], RunStarted)
    assert events[0].done == events[0].estimate.games == 2

    outcome, events = play(config, path, ScriptedExecutor(answer))
    assert outcome.exit_code == 0
    assert [type(event) for event in events] == [RunStarted, RunFinished]


def test_a_game_is_in_the_store_before_its_event_is_appended(
    load: Load, tmp_path: Path, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, path = load(DOTS), tmp_path / "t.sqlite"
    kept: list[bool] = []
    append = PlayedStore.append

    def looking(store: PlayedStore, event: Event) -> None:
        append(store, event)
        if isinstance(event, GameFinished):
            with sqlite3.connect(path) as other:
                rows = other.execute("SELECT game FROM games").fetchall()
            other.close()
            kept.append((event.game,) in rows)

    monkeypatch.setattr(PlayedStore, "append", looking)
    executor = ScriptedExecutor(lambda task: Played(task, played(task.spec)))
    with PlayedStore.open_run(path, config) as store:
        run(config, store, open_executor=executor.open)
    assert kept == [True] * 4


def test_the_executor_is_closed_where_the_run_cannot_begin(
    load: Load, tmp_path: Path, played: Record
) -> None:
    class Unready(ScriptedExecutor):
        def warning(self) -> None:
            raise OSError("cannot be measured")

    executor = Unready(lambda task: Played(task, played(task.spec)))
    with pytest.raises(OSError, match="measured"):
        play(load(DOTS), tmp_path / "t.sqlite", executor)
    assert executor.closed == [True]


def test_void_and_lost_games_are_replayed_with_their_attempts_kept(
    load: Load, tmp_path: Path, played: Record
) -> None:
    config, path = load(DOTS), tmp_path / "t.sqlite"

    def answer(task: Task) -> Report:
        match task.spec.game, task.attempt:
            case "g0002", 1:
                return Played(task, played(task.spec, void=True))
            case ("g0002", 2) | ("g0003", 1):
                return Lost(task, "its worker ended (killed by signal 9)")
        return Played(task, played(task.spec, attempt=task.attempt))

    outcome, events = play(config, path, ScriptedExecutor(answer))
    assert outcome == RunOutcome(total=4, done=4)
    assert stored(path) == [
        ("g0001", 1, "natural"),
        ("g0002", 1, "void"),
        ("g0002", 2, "void"),
        ("g0002", 3, "natural"),
        ("g0003", 1, "void"),
        ("g0003", 2, "natural"),
        ("g0004", 1, "natural"),
    ]
    void = [event for event in events if isinstance(event, GameVoid)]
    assert [event.replayed for event in void] == [True] * 3
    with Store.open(path) as store:
        lost = [r for r in store.records(void=True) if r.game == "g0003" and r.attempt == 1]
    assert lost[0].detail == "its worker ended (killed by signal 9)"
    assert lost[0].final_state["rows"] == 2


def test_a_game_that_stays_void_is_tried_three_times_and_again_in_the_next_run(
    load: Load, tmp_path: Path, played: Record
) -> None:
    config, path = load(DOTS), tmp_path / "t.sqlite"

    def fails(task: Task) -> Report:
        if task.spec.game == "g0002":
            return Lost(task, "the referee failed: RuntimeError: simulated")
        return Played(task, played(task.spec))

    outcome, events = play(config, path, ScriptedExecutor(fails))
    assert (outcome.done, outcome.exit_code) == (3, 1)
    (void,) = outcome.void
    assert (void.game, void.attempt, void.replayed) == ("g0002", 3, False)
    assert "simulated" in void.detail
    assert [e.replayed for e in events if isinstance(e, GameVoid)] == [True, True, False]
    assert isinstance(events[-1], RunFinished) and events[-1].outcome == outcome

    fixed = ScriptedExecutor(lambda task: Played(task, played(task.spec, attempt=task.attempt)))
    outcome, _ = play(config, path, fixed)
    assert outcome == RunOutcome(total=4, done=4)
    assert [row for row in stored(path) if row[0] == "g0002"] == [
        ("g0002", 1, "void"),
        ("g0002", 2, "void"),
        ("g0002", 3, "void"),
        ("g0002", 4, "natural"),
    ]


@pytest.mark.slow
def test_a_run_ends_where_all_games_fail_for_one_reason(
    load: Load, tmp_path: Path, played: Record
) -> None:
    config, path = load(DOTS.replace("rounds = 2", "rounds = 50")), tmp_path / "t.sqlite"

    class AllAtOnce(ScriptedExecutor):
        capacity = HOPELESS + 10

        def wait(self, timeout_s: float) -> Sequence[Report]:
            tasks, self.tasks = self.tasks, []
            return [Lost(task, "the referee failed: no such file") for task in tasks]

    outcome, events = play(config, path, AllAtOnce(lambda task: Lost(task, "")))
    assert (outcome.total, outcome.done, outcome.exit_code) == (100, 0, 1)
    assert len(outcome.void) == len(stored(path)) == HOPELESS + 10
    assert [e.text for e in events if isinstance(e, Noted)] == [
        "The first 20 attempts failed for one reason: the run ends here."
    ]

    def fails_differently(task: Task) -> Report:
        if len(stored(path)) > HOPELESS + 60:
            return Played(task, played(task.spec, attempt=task.attempt))
        return Lost(task, f"the referee failed at {task.spec.game}")

    outcome, _ = play(config, path, ScriptedExecutor(fails_differently))
    assert outcome.done == 100


def test_a_run_that_has_played_a_game_goes_on_whatever_fails(
    load: Load, tmp_path: Path, played: Record
) -> None:
    config = load(DOTS.replace("rounds = 2", f"rounds = {HOPELESS}"))

    def answer(task: Task) -> Report:
        if task.attempt == 1 and len(executor.all) > executor.capacity:
            return Lost(task, "the machine was busy")
        return Played(task, played(task.spec, attempt=task.attempt))

    executor = ScriptedExecutor(answer)
    outcome, _ = play(config, tmp_path / "t.sqlite", executor)
    assert outcome == RunOutcome(total=2 * HOPELESS, done=2 * HOPELESS)


@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_stops_the_run_and_the_next_one_goes_on(
    load: Load, tmp_path: Path, played: Record, number: signal.Signals
) -> None:
    config, path = load(DOTS), tmp_path / "t.sqlite"
    handler = signal.getsignal(number)

    def interrupted(task: Task) -> Report:
        os.kill(os.getpid(), number)
        return Played(task, played(task.spec))

    executor = ScriptedExecutor(interrupted)
    outcome, events = play(config, path, executor)
    assert outcome == RunOutcome(total=4, done=1, interrupted=True)
    assert outcome.exit_code == 130
    assert isinstance(events[-1], RunFinished) and events[-1].outcome == outcome
    assert executor.closed == [True]
    assert len(stored(path)) == 1  # games cut off are no attempts
    assert signal.getsignal(number) == handler

    again = ScriptedExecutor(lambda task: Played(task, played(task.spec)))
    assert play(config, path, again)[0] == RunOutcome(total=4, done=4)


@pytest.mark.usefixtures("heeded")
def test_a_signal_after_the_last_game_interrupts_nothing(
    load: Load, tmp_path: Path, played: Record
) -> None:
    class Slow(ScriptedExecutor):
        def close(self, *, now: bool) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    slow = Slow(lambda task: Played(task, played(task.spec)))
    outcome, _ = play(load(DOTS), tmp_path / "t.sqlite", slow)
    assert outcome == RunOutcome(total=4, done=4)


@pytest.mark.parametrize(
    ("fault", "error", "expected"),
    [
        ("PRAGMA query_only = 1", UnkeptError, "cannot be kept: .*; .* the same command continues"),
        (
            "CREATE TRIGGER no BEFORE INSERT ON games BEGIN SELECT raise(ABORT, 'no'); END",
            StoreError,
            "damaged .*; to make a new run in its place, move it away",
        ),
    ],
)
def test_a_failing_store_closes_the_executor(
    load: Load, tmp_path: Path, played: Record, fault: str, error: type[StoreError], expected: str
) -> None:
    config, path = load(DOTS), tmp_path / "t.sqlite"
    executor = ScriptedExecutor(lambda task: Played(task, played(task.spec)))
    with PlayedStore.open_run(path, config) as store:
        store._database.execute(fault)
        with pytest.raises(error, match=expected) as raised:
            run(config, store, open_executor=executor.open)
    assert raised.type is error
    assert executor.closed == [True]


def test_a_run_keeps_so_much_of_what_a_player_tells(
    load: Load, tmp_path: Path, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.run.INFO_A_RUN", 15)

    def answer(task: Task) -> Report:
        record = played(task.spec)
        seats = (record.seats[0].model_copy(update={"info_kept": 10}), *record.seats[1:])
        record = record.model_copy(update={"seats": seats})
        return Played(task, record, record.model_dump_json())

    path = tmp_path / "run.sqlite"
    play(load(DOTS), path, ScriptedExecutor(answer))
    with Store.open(path) as store:
        kept = store.info_kept()
        told = Counter(
            (record.seats[0].player, record.seats[0].info_cut, record.moves[0].info is None)
            for record in store.records()
        )
    for player in {name for name, _, _ in told}:
        assert told[player, 0, False] == told[player, 1, True] == 1
        assert kept[player] == 10
    more = load(DOTS).model_copy(update={"rounds": load(DOTS).rounds + 1})
    play(more, path, ScriptedExecutor(answer))  # the run goes on, and so does its bound
    with Store.open(path) as store:
        assert store.info_kept() == kept
