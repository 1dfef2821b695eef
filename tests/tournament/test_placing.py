"""Which machine of a cluster gets which game, with events and a clock of ours."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from arena.bench import sleeping
from arena.model.contender import Home
from arena.model.record import GameRecord
from arena.tournament.executors import dask, places
from arena.tournament.executors.base import Lost, Played, Remark, Report, Task
from arena.tournament.executors.dask import DaskExecutor
from arena.tournament.executors.machine import Admission, AdmissionRequest
from arena.tournament.executors.places import MachinePlace

from .conftest import Load
from .helpers import schedule

DOTS = '[game]\nrules = "dots"\n'


class Head:
    """The head of a tournament with machines that are only places."""

    status: str = "running"

    def __init__(self, load: Load, played: Callable[..., GameRecord], monkeypatch: Any) -> None:
        self.config = load(f"[tournament]\nrounds = 10\n{DOTS}")
        self._played, self._specs = played, schedule(self.config)
        self.now, self.places, self.lost = 0.0, dict[str, MachinePlace](), list[MachinePlace]()
        self.begun, self.cancelled = list[tuple[int, str]](), list[tuple[int, str]]()
        self.with_moves, self._futures = set[bool](), list[Any]()
        self.unheard, self.left = list[str](), list[str]()
        monkeypatch.setattr(places.Machines, "leave", lambda _, label: self.left.append(label))
        monkeypatch.setattr(dask, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(places.Machines, "look", lambda machines: self._look(machines))

    def _look(self, machines: Any) -> Sequence[MachinePlace]:
        machines._places.update(self.places)
        lost, self.lost = self.lost, []
        return lost

    def open(
        self, *masked: str, here: bool = False, same_kind: bool = False, **cores: int
    ) -> AdmissionRequest:
        """Open it with machines of those cores; the request that machines are sent."""
        for name, games in cores.items():
            admission = Admission(host=sleeping._host(name), games=games)
            self.places[name] = MachinePlace(name, games, shared=False, admission=admission)
        client: Any = self
        self.executor = DaskExecutor(
            client, self.config, masked, here=here, same_kind=same_kind, runs=sleeping
        )
        return self.executor._machines._request

    def give(self, *games: int) -> None:
        """Submit those of the schedule, whose numbers are then 1, 2, …; both of a pair are 0, 1."""
        for game in games:
            self.executor.submit(Task(spec=self._specs[game]))
        self.look()

    def look(self) -> Sequence[Report]:
        return self.executor.wait(0)

    def end(self, run: int, **event: Any) -> Sequence[Report]:
        """End the run of that index in `begun`, after an event: `took_s` is one with a record."""
        number, _ = self.begun[run]
        if took_s := event.pop("took_s", None):
            took = {"duration_ms": 1000 * took_s}
            event["record"] = self._played(self._specs[0]).model_copy(update=took).model_dump_json()
        if event:
            self.executor._news.put({"number": number, **event})
        self.executor._news.put(self._futures[run])
        return self.look()

    # What it calls of a client

    def subscribe_topic(self, topic: str, handler: object) -> None:
        """The tests put events themselves."""

    def unsubscribe_topic(self, topic: str) -> None:
        self.unheard.append(topic)

    def submit(
        self, what: object, task: str, label: str, number: int, *, moves: bool, **where: Any
    ) -> Any:
        assert what is sleeping.play
        self.begun.append((number, where["workers"][0]))
        self.with_moves.add(moves)
        self._futures.append(SimpleNamespace(key=where["key"], add_done_callback=lambda put: None))
        return self._futures[-1]

    def cancel(self, futures: list[Any]) -> None:
        self.cancelled += (self.begun[self._futures.index(each)] for each in futures)


@pytest.fixture
def head(load: Load, played: Callable[..., GameRecord], monkeypatch: pytest.MonkeyPatch) -> Head:
    return Head(load, played, monkeypatch)


def test_a_machine_gets_as_many_games_as_it_has_cores_and_one_more_each_where_they_are_short(
    head: Head,
) -> None:
    head.open(a=2, b=1)
    assert head.executor.capacity == 6
    head.give(*range(0, 20, 2))
    assert sorted(where for _, where in head.begun) == ["a", "a", "b"]
    (report,) = head.end(0, took_s=0.01)
    assert isinstance(report, Played)
    assert sorted(where for _, where in head.begun) == sorted("aab" + "aaab")
    assert [number for number, _ in head.begun] == list(range(1, 8)), "in their order"
    assert head.executor.capacity == 9


@pytest.mark.parametrize(("same_kind", "waited_s"), [(False, 5), (True, 60)])
def test_all_machines_are_waited_for_where_one_kind_is_asked_for(
    head: Head, monkeypatch: pytest.MonkeyPatch, same_kind: bool, waited_s: float
) -> None:
    def a_second_without_news(_executor: DaskExecutor, _timeout_s: float) -> list[Report]:
        head.now += 1
        return []

    monkeypatch.setattr(DaskExecutor, "_take_news", a_second_without_news)
    monkeypatch.setattr(places.Machines, "pending", property(lambda _: head.now < 60))
    head.open(a=1, same_kind=same_kind)
    assert waited_s <= head.now <= waited_s + 2


def test_a_game_begins_before_news_are_waited_for(
    head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    head.open(a=1)
    begun = list[int]()
    monkeypatch.setattr(
        head.executor, "_take_news", lambda timeout_s: begun.append(len(head.begun)) or []
    )
    head.give(0)
    assert begun == [1]


def test_a_head_that_closes_lets_go_of_what_it_has(head: Head) -> None:
    """Where the scheduler is lost, nothing is left to be asked of it."""
    head.open(a=1, b=1)
    head.give(0, 2)
    head.status = "closed"
    head.executor.close(now=True)
    assert (head.cancelled, head.unheard, head.left) == ([], [], [])
    head.status = "running"
    head.executor.close(now=True)
    label = head.executor._label
    assert sorted(head.cancelled) == sorted(head.begun)
    assert (head.unheard, head.left) == ([label], [label])


def test_the_games_of_a_pair_wait_for_one_machine_and_hold_up_no_others(head: Head) -> None:
    head.open(a=1, b=1)
    head.give(0, 1, 2)
    assert {number for number, _ in head.begun} == {1, 3}
    first = dict(head.begun)[1]
    head.end(head.begun.index((1, first)), took_s=0.01)
    assert (2, first) in head.begun


def test_a_lost_game_is_reported_and_not_begun_again(head: Head) -> None:
    head.open(a=1)
    head.give(0)
    (report,) = head.end(0, lost="a: its worker ended")
    assert isinstance(report, Lost) and report.reason == "a: its worker ended"
    head.look()
    assert head.begun == [(1, "a")]


def test_a_game_that_ends_without_a_word_is_begun_again(head: Head) -> None:
    head.open(a=1)
    head.give(0)
    assert not head.end(0)
    assert head.begun == [(1, "a")] * 2


def test_a_machine_that_plays_no_more_is_noted_once_and_its_games_are_begun_elsewhere(
    head: Head,
) -> None:
    head.open(a=2, b=2)
    head.give(0, 1)
    name = head.begun[0][1]
    assert head.begun == [(1, name), (2, name)]
    said = [*head.end(0, left="its disk is full.", worker=name)]
    said += head.end(1, left="its disk is full.", worker=name)
    assert said == [Remark(f"{name} gets no game: its disk is full.")]
    other = "ab".replace(name, "")
    assert head.begun[2:] == [(1, other), (2, other)]


def lose(head: Head, name: str, *, left: bool) -> None:
    place = head.places.pop(name) if left else head.places[name]
    if left:
        del head.executor._machines._places[name]
    place.left, place.gone = left, not left  # as Machines.look has it
    head.lost.append(place)


@pytest.mark.parametrize("left", [False, True])
def test_the_first_result_of_a_game_whose_machine_was_lost_counts(head: Head, left: bool) -> None:
    head.open(a=1, b=1)
    head.give(0, 2)
    lost = dict(head.begun)[1]
    other = "ab".replace(lost, "")
    lose(head, lost, left=left)
    head.look()
    assert head.cancelled == ([(1, lost)] if left else []), "what is silent may still play it"
    assert len(head.begun) == 2, "it waits"
    run = head.begun.index((1, lost))
    assert [type(each) for each in head.end(run, took_s=0.01)] == [Played]
    head.end(1 - run, took_s=0.01)
    assert head.begun.count((1, other)) == 0, "it has been played"


@pytest.mark.parametrize("left", [False, True])
def test_a_game_whose_next_machine_is_lost_too_is_begun_on_a_third(head: Head, left: bool) -> None:
    head.open(a=1, b=1, c=1)
    head.give(0)
    for runs in (2, 3):
        lose(head, head.begun[-1][1], left=left and runs == 3)
        head.look()
        assert len(head.begun) == runs
    assert {where for _, where in head.begun} == {"a", "b", "c"}


def test_games_are_taken_while_all_machines_are_lost(head: Head) -> None:
    """Else the run would be taken for ended."""
    head.open(a=1)
    lose(head, "a", left=True)
    head.look()
    assert head.executor.capacity == 1


def test_a_game_that_takes_long_is_begun_on_one_more_machine(head: Head) -> None:
    head.open(a=1, b=1, c=1)
    head.give(0, 2)
    head.now = 1.0
    head.end(1, took_s=1.0)
    slow = head.begun[0][1]
    for head.now in (2.9, 3.1, 9.0, 90.0):
        head.look()
        assert len(head.begun) == 2 + (head.now > 3)
    number, second = head.begun[2]
    assert number == 1 and second != slow
    lose(head, slow, left=True)
    head.look()
    head.look()
    assert len(head.begun) == 3, "the other has it"
    assert [type(each) for each in head.end(2, took_s=1.0)] == [Played]
    assert not head.end(0) and len(head.begun) == 3


def test_a_game_that_waits_long_for_its_machine_is_begun_on_another_alone(head: Head) -> None:
    head.open(a=1, b=1, c=1)
    head.give(0, 1, 2, 4)
    assert sorted(number for number, _ in head.begun) == [1, 3, 4]
    head.now = 1.0
    for run in (1, 2):
        head.end(run, took_s=9.0)
    for head.now in (2.9, 3.1, 3.2):
        head.look()
    assert [number for number, _ in head.begun[3:]] == [1, 2]
    head.end(0, took_s=9.0)
    assert len(head.begun) == 5


def test_a_game_is_not_slow_that_waited_for_a_core(head: Head) -> None:
    head.open(a=1, b=1)
    head.give(0, 2, 4)
    head.now = 1.0
    for run in (0, 1):
        head.end(run, took_s=9.0)
    for head.now in (3.9, 4.1):
        head.look()
        assert len(head.begun) == 3 + (head.now > 4)


def test_cores_idle_for_a_second_before_they_help(head: Head) -> None:
    head.open(a=1, b=1)
    head.give(0, 2)
    head.now = 1.0
    head.end(1, took_s=9.0)  # long enough that none is sent ahead
    head.now = 8.5
    head.give(4)
    head.now = 9.0
    head.end(2, took_s=9.0)
    assert len(head.begun) == 3
    head.now = 10.1
    head.look()
    assert head.begun[3] == (1, head.begun[1][1])


@pytest.mark.parametrize(("cores", "expected"), [(64, {True}), (65, {False})])
def test_machines_send_moves_where_there_are_few_games(
    head: Head, cores: int, expected: set[bool]
) -> None:
    head.open(a=cores)
    head.give(0)
    assert head.with_moves == expected


@pytest.mark.parametrize("here", [False, True])
def test_machines_elsewhere_are_sent_no_place_of_this_one(head: Head, here: bool) -> None:
    homes = Home(folder="/course")
    players = tuple(each.model_copy(update={"home": homes}) for each in head.config.players)
    head.config = head.config.model_copy(update={"players": players})
    request = head.open("/course/secret", a=1, here=here)
    assert {each.home for each in request.config.players} == {homes if here else Home()}
    assert set(request.named) == (set() if here else {"m0", "m1"})
    assert request.masked == (("/course/secret",) if here else ())
    assert request.kept_in == "/course/secret"
