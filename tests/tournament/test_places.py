"""The machines of a cluster as its head knows them, by what they and the scheduler say."""

import asyncio
from concurrent.futures import Future as Answer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.bench import sleeping
from arena.errors import ExecutorError, PackageError
from arena.tournament.executors import places
from arena.tournament.executors.machine import OTHER_VERSION, Admission, AdmissionRequest
from arena.tournament.executors.places import Machines

from .conftest import Load


class Cluster:
    """A scheduler that answers at once, on a clock of ours."""

    status = "running"
    loop = SimpleNamespace(asyncio_loop=None)

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
        if arguments[0] is sleeping.admit:
            self.requests.append(AdmissionRequest.model_validate_json(arguments[-1]))
        if what is sleeping.leave:
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
        self,
        name: str,
        cpu: str = "",
        speed: float | None = 100,
        arena: str = "",
        machine: str = "",
        **more: Any,
    ) -> list[str]:
        """The last answer of a machine; what is noted then."""
        host = sleeping._host(machine or name).model_copy(update={"cpu": cpu, "speed": speed})
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


def test_a_machine_that_stays_silent_is_lost_once(cluster: Cluster) -> None:
    cluster.look(0, a=1, b=1)
    cluster.say("a")
    next(iter(cluster.machines)).runs = 2
    assert cluster.look(16, a=1, b=16) == ["a"]
    assert cluster.look(17, a=1, b=17) == []
    assert cluster.machines.take_notes() == ["a (a) is lost; its games (2) are played elsewhere."]


def test_a_machine_that_gets_no_game_is_not_missed(cluster: Cluster) -> None:
    """Nor waited for, by whichever name it is known."""
    cluster.look(0, a=1, b=1)
    cluster.say("a")
    (place,) = cluster.machines
    cluster.machines.drop(place, "its clock stands")
    lost: Any = SimpleNamespace(
        key=dict(cluster.asked)["b"], status="error", exception=lambda timeout: "no arena"
    )
    cluster.machines.take(lost)
    assert not cluster.machines.pending and cluster.playing == []
    assert cluster.look(16, a=1, b=1) == ["a", "b"]
    assert cluster.machines.take_notes() == [
        "a (a) gets no game: its clock stands.",
        "b gets no game: it cannot run the arena (no arena).",
    ]
    assert cluster.machines.get("a") is None


def test_a_machine_that_leaves_or_ends_before_it_answers_is_no_failure(cluster: Cluster) -> None:
    cluster.look(0, a=1, b=1, c=1)
    cluster.look(1, c=1)
    for name, status in (("a", "error"), ("b", "finished"), ("c", "finished")):
        key = dict(cluster.asked)[name]
        ended: Any = SimpleNamespace(key=key, status=status, exception=lambda timeout: "gone")
        cluster.machines.take(ended)
        assert cluster.say(name) == [], "nothing waits for it any more"
    assert cluster.playing == []


def test_a_machine_is_found_by_its_address_while_it_plays(cluster: Cluster) -> None:
    cluster.look(0, a=1)
    assert cluster.machines.get("a") is None, "it has not answered"
    cluster.say("a")
    place = cluster.machines.get("a")
    assert place is not None and place.address == "a"
    assert cluster.machines.get(None) is cluster.machines.get("b") is None
    cluster.machines.ask_again(place)
    assert cluster.machines.get("a") is None and cluster.machines.pending
    cluster.say("a")
    assert cluster.machines.get("a") is place


def test_a_machine_plays_on_the_cores_that_it_names(cluster: Cluster) -> None:
    assert places.cores_of({"resources": {"cores": 3.0}, "nthreads": 8}) == 3
    assert places.cores_of({"resources": {}, "nthreads": 8}) == 8
    cluster.look(0, a=1)
    (place,) = cluster.machines._places.values()
    assert (place.games, place.kind, place.speed) == (0, "", 0)
    cluster.say("a", cpu="fast", speed=None, games=2)
    assert (place.games, place.kind, place.speed) == (2, "fast", 0)


def test_the_scheduler_is_asked_once_a_second_and_one_question_at_a_time(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = list[Answer[Any]]()

    def ask(asking: Any, _: object) -> Answer[Any]:
        asking.close()
        questions.append(Answer())
        return questions[-1]

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", ask)
    monkeypatch.setattr(places, "_ANSWER_S", 0)
    about = {"resources": {}, "nthreads": 1, "last_seen": 5}

    def asked_by(now: float) -> int:
        cluster.now = now
        assert not cluster.machines.look()
        return len(questions)

    assert [asked_by(now) for now in (5, 5.5, 6.5)] == [1, 1, 1], "it has not answered"
    questions[0].set_result({"a": about})
    assert asked_by(7) == 1 and [name for name, _ in cluster.asked] == ["a"]
    assert [asked_by(now) for now in (7.5,)] == [2]
    questions[1].set_exception(OSError("the line is cut"))
    assert [asked_by(now) for now in (8, 8.4, 8.6)] == [2, 2, 3]


def test_a_scheduler_that_is_lost_is_reported(cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="ours"), cluster.machines.reached():
        raise ValueError("ours")
    cluster.status = "closed"
    with pytest.raises(ExecutorError, match="connection to the scheduler"):
        cluster.machines.look()
    lost = pytest.raises(ExecutorError, match="connection to the scheduler")
    with lost, cluster.machines.reached():
        raise ValueError("of Dask")


def test_an_answer_is_a_sentence_whatever_it_says(cluster: Cluster) -> None:
    cluster.look(0, a=1, b=1)
    assert cluster.say("a", refused="Its disk is full.") == [
        "a (a) gets no game: Its disk is full."
    ]
    cluster.machines.hear(dict(cluster.asked)["b"], "{}")
    assert cluster.machines.take_notes() == [f"b gets no game: {OTHER_VERSION}."]


@pytest.fixture
def sent(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> list[Answer[str]]:
    """What was sent to the two workers a and b of one machine, which lack a package."""
    sent = list[Answer[str]]()

    def send(sending: Any, _: object) -> Answer[str]:
        sending.close()
        sent.append(Answer())
        return sent[-1]

    def put(message: Any) -> None:
        cluster.machines.hear(message["asked"], message["said"])

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", send)
    monkeypatch.setattr(cluster.machines, "_put", put)
    monkeypatch.setattr(sleeping, "keep", None, raising=False)
    cluster.look(0, a=1, b=1)
    lack(cluster)
    return sent


def lack(cluster: Cluster) -> None:
    """Both say what they lack; who is asked from now on is noted."""
    for name in "ab":
        assert cluster.say(name, machine="lab", lacking=("d1", "d2")) == []
    cluster.asked.clear()


def test_a_package_is_sent_to_a_machine_once(cluster: Cluster, sent: list[Answer[str]]) -> None:
    (sending,) = sent
    sending.set_result("the package")
    ((name, key),) = cluster.asked
    assert name == "a", "it keeps the package"
    cluster.machines.hear(key, None)
    assert [name for name, _ in cluster.asked[1:]] == ["a", "b"], "what they lack now"
    lack(cluster)
    assert len(sent) == 2


def test_a_machine_that_keeps_no_package_gets_no_game(
    cluster: Cluster, sent: list[Answer[str]]
) -> None:
    sent[0].set_result("the package")
    cluster.machines.hear(cluster.asked[0][1], "its disk is full")
    assert cluster.machines.take_notes() == ["lab (a) gets no game: its disk is full."]
    assert [name for name, _ in cluster.asked[1:]] == ["b"]


def test_a_package_that_is_not_taken_is_sent_three_times(
    cluster: Cluster, sent: list[Answer[str]]
) -> None:
    sent[0].set_exception(TimeoutError())
    assert [name for name, _ in cluster.asked] == ["a", "b"]
    lack(cluster)
    sent[1].cancel()
    assert cluster.machines.take_notes() == []
    lack(cluster)
    sent[2].set_exception(OSError())
    (note,) = cluster.machines.take_notes()
    assert note.startswith("lab (a) gets no game: it did not take a bot that was sent 3 times; ")
    assert [name for name, _ in cluster.asked] == ["b"]


def test_a_machine_that_left_is_sent_nothing_more(
    cluster: Cluster, sent: list[Answer[str]]
) -> None:
    cluster.look(1, b=1)
    sent[0].set_exception(TimeoutError())
    assert [name for name, _ in cluster.asked] == ["b"]


def test_a_package_that_cannot_be_packed_is_reported(
    cluster: Cluster, sent: list[Answer[str]]
) -> None:
    (question,) = cluster.machines._questions
    failed = Answer[str]()
    failed.set_exception(PackageError(Path("fox"), ["was changed"]))
    with pytest.raises(ExecutorError, match="fox: was changed"):
        cluster.machines.hear(question, failed)
