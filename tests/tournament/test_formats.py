"""Any format, killed at any moments and played several games at a time: the same tournament."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Self

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from arena.errors import UserError
from arena.matches.play import preview_config
from arena.model.record import GameRecord
from arena.ratings.matches import Verdict
from arena.ratings.rankings import Ranking
from arena.reports import csv_report, terminal
from arena.tournament.config import TournamentConfig
from arena.tournament.config_file import load_config
from arena.tournament.estimate import estimate_left
from arena.tournament.executors.base import Lost, Moved, Played, Report, Task
from arena.tournament.executors.local import fit
from arena.tournament.field import Wanted
from arena.tournament.formats import FORMATS
from arena.tournament.played_store import PlayedStore
from arena.tournament.ready import with_field_of
from arena.tournament.run import run
from arena.tournament.run_view import RunView
from arena.tournament.store import Store
from players.catalogue import BUILTINS

Load = Callable[..., TournamentConfig]
Record = Callable[..., GameRecord]
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n[openings]\nplies = 0\n'


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
    "gauntlet": ('[gauntlet]\nplayers = ["m1", "m3"]\n', 4),
    "swiss": ('[tournament]\nformat = "swiss"\nrounds = 3\n', 5),
    "knockout": ("[knockout]\nextra = 1\n", 5),
    "groups": ("[groups]\n", 5),
    "ladder": ("[ladder]\n[tournament]\nrounds = 4\n", 5),
    "games": ('[tournament]\nformat = "ladder"\nrounds = 9\n[stop]\ngames = 15\n', 5),
    "separated": ("[tournament]\nrounds = 4\n[stop]\nseparated = 1\n", 3),
    "sprt": ("[sprt]\nelo1 = 100\n[tournament]\nrounds = 40\n", 2),
}
_whole: dict[str, tuple[dict[str, tuple[object, ...]], Ranking | None, Verdict | None]] = {}


def result(store: Path) -> tuple[Ranking | None, Verdict | None]:
    with RunView(store) as view:
        assert view.schedule.over
        return view.standings.ranking, view.schedule.verdict


@pytest.mark.parametrize("name", FORMATS)
def test_it_plays_its_own_rounds_where_the_file_says_none(load: Load, name: str) -> None:
    config = load(f'[tournament]\nformat = "{name}"\n{DOTS}', players=2 if name == "sprt" else 4)
    assert config.rounds == FORMATS[name].rounds


def test_each_format_is_killed_and_resumed() -> None:
    lacking = FORMATS.keys() - TOURNAMENTS.keys()
    assert not lacking, "add a tournament to TOURNAMENTS"


@pytest.mark.slow
@pytest.mark.parametrize("name", TOURNAMENTS)
@settings(
    max_examples=8,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    kills=st.lists(st.integers(0, 12), min_size=1, max_size=6),
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
        with PlayedStore.open_run(whole, config) as store:
            run(config, store, open_executor=Playing(played, Random(1), 1).open)
        _whole[name] = (games_of(whole), *result(whole))
    games, ranking, verdict = _whole[name]
    rng, path = Random(order), tmp_path / "killed.sqlite"
    path.unlink(missing_ok=True)
    for kill_after in (*kills, None):
        void = 0.0 if name == "sprt" else 0.1  # a test does not wait for rounds with void games
        executor = Playing(played, rng, side_by_side, kill_after, void)
        with PlayedStore.open_run(path, config) as store:
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


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.walkovers])
def test_all_but_one_may_leave(load: Load, tmp_path: Path, name: str) -> None:
    config, path = load(TOURNAMENTS[name][0] + DOTS, players=5), tmp_path / "t.sqlite"
    PlayedStore.open_run(path, config).close()
    *leavers, last = [each.name for each in config.players]
    found = with_field_of(path, config, Wanted(without=leavers))
    assert [each.name for each in found.players if each.plays] == [last]


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.walkovers])
@pytest.mark.parametrize("kill_after", [1, 4, 9])
def test_a_player_that_leaves_gives_its_games_to_its_opponents(
    load: Load, tmp_path: Path, played: Record, name: str, kill_after: int
) -> None:
    config = load(TOURNAMENTS[name][0] + DOTS, players=5)
    owned = [each.model_copy(update={"owner": each.name}) for each in config.players]
    config = config.model_copy(update={"players": tuple(owned)})
    path, leaver = tmp_path / "t.sqlite", config.players[0].name
    with PlayedStore.open_run(path, config) as store, pytest.raises(Killed):
        run(config, store, open_executor=Playing(played, Random(1), 2, kill_after).open)
    before = games_of(path)
    for kill in (1, None, None):  # again, and once nothing is left to play
        config = with_field_of(path, config, Wanted(without=[leaver] if kill else []))
        with PlayedStore.open_run(path, config) as store, suppress(Killed):
            run(config, store, open_executor=Playing(played, Random(2), 2, kill).open)
    again = with_field_of(path, config, Wanted(without=[leaver]))
    assert again.players == config.players, "it has left once"
    ranking, _ = result(path)
    assert ranking is not None
    notes = [note for note in ranking.notes if note.startswith(f"{leaver} has left: ")]
    assert len(notes) == 1 and ranking.players[0].player != leaver
    games = games_of(path)
    assert before.items() <= games.items()
    assert not any(f"{leaver}:" in game or f":{leaver}:" in game for game in games.keys() - before)
    with RunView(path) as view:
        assert len(list(csv_report.owners(view)[1])) == 5
        assert {row.name for row in view.standings.players} == {
            each.name for each in config.players
        }
    with pytest.raises(UserError, match="by --without NAME while it is played"):
        with_field_of(path, config, Wanted(without=[config.players[1].name]))


EXAMPLES = Path(__file__).parents[2] / "tournaments/examples"


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("round-robin", "sprt")])
def test_its_example_from_file_to_report(
    name: str, tmp_path: Path, played: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    config = load_config(EXAMPLES / f"{name}.toml", BUILTINS, fit=partial(fit, cores=2))
    config = config.model_copy(update={"rounds": min(config.rounds, 5)})
    path, ahead = tmp_path / "t.sqlite", estimate_left(config, config.schedule())
    preview_config(config, path)
    assert f"{ahead.games} " in capsys.readouterr().out.split("games to play")[0]
    with PlayedStore.open_run(path, config) as store:
        outcome = run(config, store, open_executor=Playing(played, Random(1), 2).open)
    assert config.format == name and outcome.exit_code == 0
    assert outcome.done == outcome.total or not FORMATS[name].fixed
    assert ahead.games <= outcome.done <= outcome.total
    console = Console(width=80)
    with RunView(path) as view, console.capture() as shown:
        terminal.show(view.standings, console)
        table = csv_report.table(*csv_report.ranking(view.standings)).splitlines()
    assert len(table) == 1 + len(config.players) and table[0].startswith("rank,player,")
    text = shown.get()
    assert f"{outcome.done} of {outcome.done} games" in text
    assert all(words in " ".join(text.split()) for words in SHOWN.get(name, ()))
    assert max(map(len, text.splitlines())) <= 80
    cheater = config.players[0].name
    assert re.search(rf"\b{cheater}\b", text)
    with RunView(path, [cheater]) as view, console.capture() as shown:
        terminal.show(view.standings, console)
        document = view.standings.model_dump_json()
        table = csv_report.table(*csv_report.ranking(view.standings)).splitlines()
    assert not re.search(rf"\b{cheater}\b", shown.get() + document)
    assert len(table) == len(config.players)


def test_a_sequential_test_names_no_player_that_is_left_out(
    tmp_path: Path, load: Load, played: Record
) -> None:
    path, text = tmp_path / "t.sqlite", "[sprt]\nelo1 = 100\n[tournament]\nrounds = 3\n"
    config = load(text + DOTS, players=2)
    with PlayedStore.open_run(path, config) as store:
        run(config, store, open_executor=Playing(played, Random(1), 2).open)
    cheater = config.players[0].name
    with RunView(path) as view:
        assert view.standings.sprt is not None
    with RunView(path, [cheater]) as view:
        assert view.standings.sprt is None
        assert f'"{cheater}"' not in view.standings.model_dump_json()


SHOWN = {
    "swiss": ("Ranking", "Points Buchholz S-B", "Byes (2 points each)"),
    "knockout": ("Bracket", "Final", "Third place:", "┐", "Matches won"),
    "groups": ("Group A", "Group B", "Bracket", "Matches won"),
}
