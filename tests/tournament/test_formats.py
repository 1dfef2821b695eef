"""Any format, killed at any moments and played several games at a time: the same tournament.

A Swiss tournament and a knockout, which stand here alone, show that the interface carries formats
whose pairings depend on results.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Self

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.model import Placing, Ranking, Verdict
from arena.ratings.results import GameDigest
from arena.reports import terminal
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.base import Lost, Moved, Played, Report, Task
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Format, Pairing, Plan
from arena.tournament.run import run
from arena.tournament.run_view import RunView
from arena.tournament.store import Store

Load = Callable[..., TournamentConfig]
Record = Callable[..., GameRecord]
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n[openings]\nplies = 0\n'


def pair_of(round_: int, one: str, other: str) -> list[Pairing]:
    """Two games with seats swapped; ids and seeds are of the players who meet."""
    label = f"r{round_}-{one}-{other}"
    return [
        Pairing(f"{label}-{turn}", round_, label, seats, f"{label} game {turn}")
        for turn, seats in enumerate(((one, other), (other, one)))
    ]


class ByRounds:
    """A schedule that makes a round once every game of the round before has its result."""

    total: int | None = None
    verdict: Verdict | None = None

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.points: Counter[str] = Counter()
        self.met: set[frozenset[str]] = set()
        self.notes: list[str] = []
        self._results: dict[str, GameDigest] = {}
        self._round = 0
        self._games: list[Pairing] = []
        self._handed: set[str] = set()
        self._advance()

    @property
    def over(self) -> bool:
        return all(game.game in self._results for game in self._games)

    def next(self) -> Pairing | None:
        for game in self._games:
            if game.game not in self._handed and game.game not in self._results:
                self._handed.add(game.game)
                return game
        return None

    def add(self, game: GameDigest) -> None:
        if game.termination is not Termination.VOID:
            self._results[game.game] = game
            self._advance()

    def _advance(self) -> None:
        while self.over:
            for game in self._games:
                for player, points in zip(
                    game.players, self._results[game.game].points, strict=True
                ):
                    self.points[player] += int(2 * points)
            pairs = self.pairs(self._round + 1)
            if not pairs:
                return
            self._round += 1
            self.met |= {frozenset(pair) for pair in pairs}
            self._games = [game for pair in pairs for game in pair_of(self._round, *pair)]

    def pairs(self, round_: int) -> list[tuple[str, str]]:
        raise NotImplementedError

    def ranking(self) -> Ranking:
        def rank(player: str) -> int:
            return 1 + sum(points > self.points[player] for points in self.points.values())

        order = sorted(self.plan.players, key=lambda player: (rank(player), player))
        placed = (
            Placing(rank=rank(player), player=player, figures=(self.points[player] / 2,))
            for player in order
        )
        return Ranking(columns=("Points",), players=tuple(placed), notes=tuple(self.notes))


class SwissSchedule(ByRounds):
    """Neighbours in the table meet, no two twice; the last one without an opponent has a bye."""

    def pairs(self, round_: int) -> list[tuple[str, str]]:
        if round_ > self.plan.rounds:
            return []
        waiting = sorted(self.plan.players, key=lambda player: (-self.points[player], player))
        pairs: list[tuple[str, str]] = []
        while waiting:
            one = waiting.pop(0)
            other = next((p for p in waiting if frozenset((one, p)) not in self.met), None)
            if other is None:
                self.points[one] += 2
                self.notes.append(f"Round {round_}: {one} has a bye.")
            else:
                waiting.remove(other)
                pairs.append((one, other))
        return pairs


class KnockoutSchedule(ByRounds):
    """The better one of a pair of games goes on; of equals, the one listed first."""

    def __init__(self, plan: Plan) -> None:
        self._alive = list(plan.players)
        self._before: Counter[str] = Counter()
        super().__init__(plan)

    def pairs(self, round_: int) -> list[tuple[str, str]]:
        if round_ > 1:
            won = self.points - self._before
            bye = self._alive[len(self._alive) // 2 * 2 :]
            pairs = zip(self._alive[::2], self._alive[1::2], strict=False)
            self._alive = [a if won[a] >= won[b] else b for a, b in pairs] + bye
            self._before = self.points.copy()
        return list(zip(self._alive[::2], self._alive[1::2], strict=False))


ADDED = (Format("swiss", SwissSchedule, rounds=3), Format("knockout", KnockoutSchedule, rounds=3))


@pytest.fixture(autouse=True)
def more_formats(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        for each in ADDED:
            patched.setitem(FORMATS, each.name, each)
        yield


class Killed(Exception):
    """The process that plays is killed."""


class Playing:
    """Plays `capacity` games at a time; they end in an order drawn from `rng`. A game's result
    follows from its seed and its players. `kill_after` reports it is killed.
    """

    def __init__(
        self,
        played: Record,
        rng: Random,
        capacity: int,
        kill_after: int | None = None,
        void: float = 0.0,
    ) -> None:
        self.chance_of_void = void
        self.played = played
        self.rng = rng
        self.capacity = capacity
        self.kill_after = kill_after
        self.tasks: list[Task] = []
        self.void: set[str] = set()

    def open(self, config: TournamentConfig, masked: tuple[str, ...]) -> Self:
        return self

    def warning(self) -> None:
        """Nothing makes games void here."""

    def submit(self, task: Task) -> None:
        assert len(self.tasks) < self.capacity
        self.tasks.append(task)

    def wait(self, timeout_s: float) -> Sequence[Report]:
        if self.kill_after is not None:
            if not self.kill_after:
                raise Killed
            self.kill_after -= 1
        task = self.tasks.pop(self.rng.randrange(len(self.tasks)))
        if self.rng.random() < self.chance_of_void and task.spec.game not in self.void:
            self.void.add(task.spec.game)
            return [Lost(task, "its worker ended")]
        return [Moved(task, 0, ("a1b1",)), Played(task, self._result(task))]

    def _result(self, task: Task) -> GameRecord:
        first = Random(f"{task.spec.seed} {task.spec.game}").choice((0.0, 0.5, 1.0, 1.0))
        record = self.played(task.spec, attempt=task.attempt)
        return record.model_copy(update={"points": (first, 1 - first)})

    def close(self, *, now: bool) -> None:
        """Nothing is held open."""


def games_of(store: Path) -> dict[str, tuple[object, ...]]:
    """Every game of a run with all that it was begun with, and its points."""
    with Store.open(store) as opened:
        return {
            record.game: (
                record.round,
                record.pair,
                tuple(seat.player for seat in record.seats),
                record.opening,
                record.seed,
                record.points,
            )
            for record in opened.records()
        }


TOURNAMENTS = {
    "round-robin": ('[tournament]\nformat = "round-robin"\nrounds = 2\n', 4),
    "swiss": ('[tournament]\nformat = "swiss"\nrounds = 3\n', 5),
    "knockout": ("[knockout]\n", 5),
    "sprt": ("[sprt]\nelo1 = 100\n[tournament]\nrounds = 40\n", 2),
}
_whole: dict[str, tuple[dict[str, tuple[object, ...]], Ranking | None, Verdict | None]] = {}


def result(store: Path) -> tuple[Ranking | None, Verdict | None]:
    with RunView(store) as view:
        assert view.schedule.over
        return view.standings.ranking, view.schedule.verdict


@pytest.mark.parametrize("name", TOURNAMENTS)
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    kills=st.lists(st.integers(0, 12), max_size=6),
    side_by_side=st.integers(1, 5),
    order=st.integers(0, 2**32),
)
def test_killed_and_resumed_it_is_the_same_tournament(
    load: Load,
    tmp_path: Path,
    played: Record,
    name: str,
    kills: list[int],
    side_by_side: int,
    order: int,
) -> None:
    text, players = TOURNAMENTS[name]
    config = load(text + DOTS, players=players)
    if name not in _whole:
        whole = tmp_path / "whole.sqlite"
        with Store.open_run(whole, config) as store:
            run(config, store, open_executor=Playing(played, Random(1), 1).open)
        _whole[name] = (games_of(whole), *result(whole))
    games, ranking, verdict = _whole[name]
    rng, path = Random(order), tmp_path / "killed.sqlite"
    path.unlink(missing_ok=True)
    for kill_after in (*kills, None):
        void = 0.0 if name == "sprt" else 0.1  # a test does not wait for rounds with void games
        executor = Playing(played, rng, side_by_side, kill_after, void)
        with Store.open_run(path, config) as store:
            try:
                outcome = run(config, store, open_executor=executor.open)
            except Killed:
                continue
            assert not outcome.void and outcome.exit_code == 0
    assert result(path) == (ranking, verdict)
    again = games_of(path)
    path.unlink()
    if verdict is None:
        assert again == games
    else:  # games in play when a test is decided may end or not; those that it counts are there
        counted = 2 * verdict.units
        both = sorted(games.keys() & again.keys())
        assert len(both) >= counted
        assert [again[game] for game in both] == [games[game] for game in both]


def test_a_format_of_results_from_file_to_report(
    load: Load, tmp_path: Path, played: Record
) -> None:
    config, path = load(TOURNAMENTS["swiss"][0] + DOTS, players=5), tmp_path / "t.sqlite"
    assert config.format == "swiss" and config.rounds == 3
    with Store.open_run(path, config) as store:
        outcome = run(config, store, open_executor=Playing(played, Random(1), 2).open)
        assert (outcome.done, outcome.total, outcome.exit_code) == (12, None, 0)
    met: dict[int, list[tuple[str, ...]]] = defaultdict(list)
    with RunView(path) as view:
        for game in view.games:
            met[game.round].append(game.players)
        console = Console(width=80)
        with console.capture() as shown:
            terminal.show(view.standings, console)
    assert all(len({name for pair in pairs for name in pair}) == 4 for pairs in met.values())
    assert len({frozenset(pair) for pairs in met.values() for pair in pairs}) == 6
    assert "Ranking" in shown.get() and "has a bye" in shown.get()
    assert "12 games" in shown.get()
