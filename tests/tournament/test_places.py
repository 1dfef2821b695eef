"""The machines of a cluster as its head knows them, by what they and the scheduler say."""

from concurrent.futures import Future as Answer
from types import SimpleNamespace
from typing import Any

import pytest

from arena.bench import sleeping
from arena.tournament.executors import places
from arena.tournament.executors.machine import Admission, AdmissionRequest
from arena.tournament.executors.places import Machines

from .conftest import Load


class Cluster:
    """A scheduler that answers at once, on a clock of ours."""

    status = "running"

    def __init__(self, load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(places, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(places, "wait", lambda futures, timeout: None)
        client: Any = self
        config = load('[game]\nrules = "dots"\n')
        request = AdmissionRequest(config=config, label="cup", host=sleeping._host())
        self.machines = Machines(client, request, config, print, sleeping)
        self.asked, self.left = list[tuple[str, str]](), list[str]()
        self.requests = list[AdmissionRequest]()

    def submit(
        self, what: object, *arguments: Any, workers: list[str], key: str = "", **_: Any
    ) -> Any:
        if what is sleeping.answer:
            self.asked.append((workers[0], key))
            self.requests.append(AdmissionRequest.model_validate_json(arguments[-1]))
        else:
            self.left.append(workers[0])
        return SimpleNamespace(add_done_callback=lambda put: None)

    def look(self, now: float, *, cores: int = 1, shared: bool = False, **seen: float) -> list[str]:
        """Look at machines that were last seen then; those that were lost since."""
        self.now = self.machines._looked = now
        self.machines._asked = answer = Answer()
        known = {"resources": {"shared": 1} if shared else {}, "nthreads": cores}
        answer.set_result({name: {**known, "last_seen": at} for name, at in seen.items()})
        return [place.address for place in self.machines.look()]

    def say(
        self, name: str, cpu: str = "", speed: float = 100, arena: str = "", **more: Any
    ) -> list[str]:
        """The last answer of a machine; what is noted then."""
        host = sleeping._host(name).model_copy(update={"cpu": cpu, "speed": speed})
        host = host.model_copy(update={"arena": arena} if arena else {})
        admission = Admission(host=host, **{"games": 1, **more})
        self.machines.hear(dict(self.asked)[name], admission.model_dump_json())
        return self.machines.take_notes()

    @property
    def playing(self) -> list[str]:
        return [place.address for place in self.machines]


@pytest.fixture
def cluster(load: Load, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    return Cluster(load, monkeypatch)


def test_a_machine_that_plays_another_tournament_is_asked_again_every_few_seconds(
    cluster: Cluster,
) -> None:
    cluster.look(0, a=1)
    assert cluster.machines.pending
    (note,) = cluster.say("a", busy="one of desk")
    assert "plays another tournament, one of desk" in note
    for now, times in ((4, 1), (6, 2), (6.1, 2), (20, 2)):
        cluster.look(now, a=now)
        assert len(cluster.asked) == times
    assert not cluster.say("a", busy="one of desk")
    assert cluster.machines.busy and not cluster.machines.pending
    cluster.look(26, a=26)
    cluster.say("a")
    assert cluster.playing == ["a"] and not cluster.machines.busy


def test_a_silent_machine_is_lost_until_it_sends_again(cluster: Cluster) -> None:
    cluster.look(0, a=1, b=1, c=1)
    for name in "ab":
        cluster.say(name)
    cluster.say("c", refused="its disk is full")
    assert cluster.look(14, a=1, b=14, c=1) == []
    assert cluster.look(16, a=1, b=16, c=1) == ["a", "c"]
    assert cluster.machines.take_notes() == ["a (a) is lost."], "c had no game"
    assert cluster.playing == ["b"]
    assert cluster.look(17, a=17, b=17) == ["c"]
    assert cluster.playing == ["a", "b"]
    assert cluster.look(40, a=17, b=40) == ["a"]
    assert cluster.look(41, b=41) == ["a"], "of what it may still play"
    assert cluster.machines.take_notes() == ["a (a) is lost."], "once"
    assert cluster.playing == ["b"]


def test_a_machine_that_falls_silent_before_it_can_play_is_not_waited_for(
    cluster: Cluster,
) -> None:
    for now in (0, 12):
        cluster.look(now, a=1, b=1)
        cluster.say("b", busy="one of desk")
    assert cluster.machines.pending and cluster.machines.busy
    cluster.look(16, a=1, b=1)
    assert not cluster.machines.pending and not cluster.machines.busy


def test_a_machine_with_another_arena_gets_no_game(cluster: Cluster) -> None:
    cluster.look(0, a=1)
    (note,) = cluster.say("a", arena="0.0.9")
    assert note.startswith("a (a) gets no game: it has arena 0.0.9, the head arena ")
    assert cluster.playing == [] and not cluster.machines.pending


def test_what_makes_a_machine_play_badly_is_noted_where_it_plays(cluster: Cluster) -> None:
    cluster.look(0, a=1, b=1, c=1, shared=True)
    assert all(each.shared for each in cluster.requests)
    assert cluster.say("a", cpu="fast", delay="Its load is 9.") == ["a (a): Its load is 9."]
    cluster.say("b", cpu="fast")
    cluster.machines.choose_kind()
    (note,) = cluster.say("c", cpu="slow", speed=50, delay="Its load is 9.")
    assert "gets no game: its processor is slow" in note


def test_the_late_answer_of_a_machine_that_left_is_nothing(cluster: Cluster) -> None:
    cluster.look(0, a=1)
    cluster.look(1)
    assert cluster.say("a", refused="its disk is full") == []


def test_a_slow_machine_is_named_with_how_slow(cluster: Cluster) -> None:
    cluster.look(0, a=1, b=1, c=1)
    assert cluster.say("a") == cluster.say("b", speed=97) == []
    (note,) = cluster.say("c", speed=50)
    assert "c (c) is 50% slower than the fastest machine" in note


def test_of_two_kinds_the_one_that_plays_the_most_games_is_kept(cluster: Cluster) -> None:
    cluster.look(0, a=1, b=1, c=1, cores=3)
    assert {each.cores for each in cluster.requests} == {3}
    for name in "bc":
        cluster.say(name, cpu="slow")
    cluster.say("a", cpu="fast", games=3)
    cluster.machines.choose_kind()
    assert cluster.playing == ["a"]


def test_only_machines_that_hear_it_and_play_for_no_other_are_told_of_the_end(
    cluster: Cluster,
) -> None:
    cluster.look(0, a=1, b=1, c=1, d=1)
    cluster.say("a")
    cluster.say("c", refused="its disk is full")
    cluster.look(14, a=14, b=14, c=14, d=1)
    cluster.say("b", busy="one of desk")
    cluster.look(17, a=17, b=17, c=17, d=1)
    cluster.machines.leave("cup")
    assert cluster.left == ["a", "c"]
    cluster.look(20, a=20, b=20, c=20, d=1)
    cluster.machines.leave("cup")
    assert cluster.left[2:] == ["a", "b", "c"], "it was asked again, and may be free by now"
