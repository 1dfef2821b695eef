"""A tournament that a sequential test ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from arena.errors import ConfigChangedError, ConfigError
from arena.model.game_spec import GameSpec
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.sprt import Sprt
from arena.tournament.config import differences
from arena.tournament.config_file import TournamentConfig
from arena.tournament.events import GameFinished, RunFinished, RunStarted
from arena.tournament.executors.base import Played, Report, Task
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import GameSpecs
from tests.tournament.helpers import ScriptedExecutor, answering, pairings, play, schedule

Load = Callable[..., TournamentConfig]
Record = Callable[..., GameRecord]
GAME = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n'
SPRT = "[sprt]\nelo1 = 60\n" + GAME


class Winning(ScriptedExecutor):
    """Answers in the order of the tasks; the player named wins, in either seat."""

    def __init__(self, played: Record, winner: str | None, stops_after: int = 10**9) -> None:
        super().__init__(self._won)
        self.played, self.winner, self.left = played, winner, stops_after

    def _won(self, task: Task) -> Report:
        first = task.spec.players[0].name
        share = 0.5 if self.winner is None else float(first == self.winner)
        record = self.played(task.spec)
        return Played(task, record.model_copy(update={"points": (share, 1 - share)}))

    def wait(self, timeout_s: float) -> Sequence[Report]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return [self.answer(self.tasks.pop(0))]


def test_the_table_and_its_defaults(load: Load) -> None:
    assert load(GAME).sprt is None and load(GAME).rounds == 1
    config = load("[sprt]\n" + GAME)
    assert config.sprt == Sprt(elo0=0, elo1=5, alpha=0.05, beta=0.05, model="normalized")
    assert config.rounds == 50_000 and config.schedule().total == 100_000
    config = load(f'[tournament]\nrounds = 7\n[sprt]\nelo0 = -3.5\nmodel = "logistic"\n{GAME}')
    assert config.sprt == Sprt(elo0=-3.5, elo1=5, model="logistic") and config.rounds == 7


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("elo0 = 5", "sprt.elo1: must be above elo0 = 5 by 0.1 at least, got 5"),
        ("elo1 = 1e-300", "sprt.elo1: must be above elo0 = 0 by 0.1 at least, got 1e-300"),
        ("elo0 = nan", "sprt.elo0: must be a finite number, got NaN"),
        ("elo1 = 500", "sprt.elo1: must be less than or equal to 100, got 500"),
        ("alpha = 0.5", "sprt.alpha: must be less than 0.5, got 0.5"),
        ("beta = 0", "sprt.beta: must be greater than or equal to 0.0001, got 0"),
        ('model = "bayesian"', "sprt.model: must be one of 'normalized', 'logistic'"),
        ("elo2 = 3", 'sprt.elo2: unknown key; did you mean "elo'),
    ],
)
def test_mistakes_in_the_table(load: Load, lines: str, expected: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(f"[sprt]\n{lines}\n{GAME}")
    assert expected in str(raised.value)


def test_two_players_exactly(load: Load) -> None:
    with pytest.raises(ConfigError, match=r"sprt: compares two players, got 3: m0, m1, m2"):
        load(SPRT, players=3)
    with pytest.raises(ConfigError, match="at least 2 players are needed"):
        load(SPRT, players=1)
    alone = '[tournament]\nformat = "sprt"\n[game]\nrules = "2048"\n'
    with pytest.raises(ConfigError, match=r"sprt: compares two players, got 1: m0"):
        load(alone, players=1)


def test_the_run_ends_once_it_is_decided(load: Load, tmp_path: Path, played: Record) -> None:
    config, path = load(SPRT), tmp_path / "t.sqlite"
    executor = Winning(played, "m0")
    outcome, events = play(config, path, executor)
    verdict = outcome.verdict
    assert verdict is not None and verdict.decision == "H1"
    assert (verdict.player, verdict.opponent) == ("m0", "m1")
    assert outcome.exit_code == 0 and not outcome.interrupted
    assert outcome.total is not None
    assert 2 * verdict.units <= outcome.done <= 2 * verdict.units + 2 < outcome.total
    assert executor.closed == [True]
    assert isinstance(events[-1], RunFinished) and events[-1].outcome == outcome
    told = [event.verdict for event in events if isinstance(event, GameFinished)]
    ratios = [each.llr for each in told if each is not None]
    assert len(ratios) == outcome.done and ratios == sorted(ratios)
    assert told[-1] == verdict

    again = Winning(played, "m1")
    outcome, events = play(config, path, again)
    assert [type(event) for event in events] == [RunStarted, RunFinished]
    assert outcome.verdict == verdict and again.closed == []
    begun = events[0]
    assert isinstance(begun, RunStarted) and begun.total == begun.done == outcome.done


def test_h0(load: Load, tmp_path: Path, played: Record) -> None:
    outcome, _ = play(load(SPRT), tmp_path / "t.sqlite", Winning(played, "m1"))
    assert outcome.verdict is not None
    assert outcome.verdict.decision == "H0" and outcome.exit_code == 0


def test_forfeits_leave_it_without_a_verdict(load: Load, tmp_path: Path, played: Record) -> None:
    def forfeited(spec: GameSpec) -> GameRecord:
        forfeit = {"termination": Termination.TIMEOUT, "offender": 1}
        return played(spec).model_copy(update=forfeit)

    outcome, _ = play(load(SPRT), tmp_path / "t.sqlite", Winning(forfeited, "m0"))
    assert outcome.verdict is not None and not outcome.verdict.usable
    assert outcome.verdict.decision == "H1" and outcome.exit_code == 1


def test_undecided_and_on_with_more_rounds(load: Load, tmp_path: Path, played: Record) -> None:
    path = tmp_path / "t.sqlite"
    outcome, _ = play(load(f"[tournament]\nrounds = 4\n{SPRT}"), path, Winning(played, "m0"))
    assert outcome.verdict is not None and outcome.verdict.decision is None
    assert (outcome.done, outcome.exit_code) == (8, 1)
    whole, _ = play(load(SPRT), tmp_path / "whole.sqlite", Winning(played, "m0"))
    outcome, _ = play(load(f"[tournament]\nrounds = 400\n{SPRT}"), path, Winning(played, "m0"))
    assert outcome.exit_code == 0
    assert outcome.verdict == whole.verdict, "an interruption has no say"


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on(load: Load, tmp_path: Path, played: Record) -> None:
    config, path = load(SPRT), tmp_path / "t.sqlite"
    with pytest.raises(KeyboardInterrupt):
        play(config, path, Winning(played, "m0", stops_after=9))
    outcome, events = play(config, path, Winning(played, "m0"))
    started = events[0]
    assert isinstance(started, RunStarted) and started.done == 9
    assert started.verdict is not None and started.verdict.units == 4
    whole, _ = play(config, tmp_path / "whole.sqlite", Winning(played, "m0"))
    assert outcome.verdict == whole.verdict


def test_another_hypothesis_is_another_tournament(
    load: Load, tmp_path: Path, played: Record
) -> None:
    """What was seen must not choose what is asked."""
    config, path = load(f"[tournament]\nrounds = 2\n{SPRT}"), tmp_path / "t.sqlite"
    play(config, path, Winning(played, None))
    other = load(f"[tournament]\nrounds = 2\n{SPRT.replace('60', '80')}")
    with pytest.raises(ConfigChangedError, match=r"sprt\.elo1: 60\.0 → 80\.0"):
        PlayedStore.open_run(path, other)
    without = load(f"[tournament]\nrounds = 2\n{GAME}")
    assert any("sprt.alpha: 0.05 → (not set)" in line for line in differences(config, without))


def test_openings_that_are_known_are_not_drawn_again(
    load: Load, tmp_path: Path, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load('[tournament]\nrounds = 6\n[openings]\nplies = 2\n[game]\nrules = "othello"\n')
    specs, path = schedule(config), tmp_path / "t.sqlite"
    with PlayedStore.open_run(path, config) as store:
        for spec in (*specs[:5], specs[8]):  # rounds 1 to 3, and 5
            store.add(played(spec))
        drawn = store.openings()
    assert drawn == tuple(spec.opening for spec in specs[:6:2])
    wanted = [pairing for pairing in pairings(config) if pairing.round > 2]
    known = GameSpecs(config, drawn=drawn)
    assert tuple(map(known.of, wanted)) == specs[4:]

    def never(*_: object, **__: object) -> None:
        raise AssertionError("drawn although it is known")

    monkeypatch.setattr("arena.tournament.openings.random_opening", never)
    assert GameSpecs(config, drawn=drawn).of(wanted[0]) == specs[4]

    monkeypatch.setattr("arena.tournament.openings.random_opening", lambda *_, **__: ("f5",))
    executor = answering(played)  # as in a version that draws others
    play(config, path, executor)
    openings = {task.spec.game: task.spec.opening for task in executor.all}
    assert openings[specs[5].game] == specs[4].opening
    assert openings[specs[6].game] == ("f5",)
