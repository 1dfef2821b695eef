"""Processes that are kept from game to game: who keeps one, how it waits, when it goes."""

import os
import signal
import time
from pathlib import Path

import pytest

from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from arena.referee.transport import PlayerProcess
from arena.sandbox.container import Container
from tests.conftest import BOTS, PYTHON, Bots, Spec

pytestmark = pytest.mark.slow

T = Termination


def recorder(path: Path, *, builtin: bool = False) -> Prepared:
    """A player that tells its process id as a game begins, and keeps its requests in a file."""
    command = (*PYTHON, str(BOTS / "recorder.py"), str(path))
    return Prepared(name=path.name, command=command, builtin=builtin)


def pid_of(record: GameRecord, seat: int = 0) -> int:
    return int(record.seats[seat].stderr_head.removeprefix("pid "))


def test_a_kept_process_plays_on(tmp_path: Path, bots: Bots, dots: Spec) -> None:
    bot = recorder(tmp_path / "log")
    with SessionPool(keep_alive=True) as pool:
        first, second = (play_game(*dots(bot, bots.hostile()), pool) for _ in range(2))
        assert first.termination is second.termination is T.NATURAL
        assert pid_of(first) == pid_of(second)
    assert bots.left() == []


def test_a_process_killed_between_games_is_replaced(tmp_path: Path, bots: Bots, dots: Spec) -> None:
    bot = recorder(tmp_path / "log")
    with SessionPool(keep_alive=True) as pool:
        first = play_game(*dots(bot, bots.hostile()), pool)
        os.kill(pid_of(first), signal.SIGKILL)
        os.waitid(os.P_PID, pid_of(first), os.WEXITED | os.WNOWAIT)
        second = play_game(*dots(bot, bots.hostile()), pool)
        assert second.termination is T.NATURAL, second.detail
        assert pid_of(second) != pid_of(first)
    assert bots.left() == []


def test_one_whose_host_fails_gives_its_cores_back(
    tmp_path: Path, dots: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(process: PlayerProcess) -> None:
        raise OSError("too many open files")

    a, b = (recorder(tmp_path / name) for name in "ab")
    with SessionPool(keep_alive=True) as pool:
        play_game(*dots(a, b), pool)
        monkeypatch.setattr(PlayerProcess, "expect_silence", failing)
        with pytest.raises(OSError, match="too many"):
            pool.open(a)
        assert pool._playing == []


def test_it_meets_whoever_comes(tmp_path: Path, bots: Bots, dots: Spec) -> None:
    bot, players = recorder(tmp_path / "log"), [bots.hostile(name=name) for name in "ab"]
    with SessionPool(keep_alive=True) as pool:
        games = [dots(bot, players[0]), dots(players[1], bot), dots(*players), dots(bot, bot)]
        first, second, _, alone = (play_game(*game, pool) for game in games)
        assert pid_of(first) == pid_of(second, 1) == pid_of(alone)
        assert pid_of(alone, 1) != pid_of(alone)
        assert len(bots.left()) == 2
    assert bots.left() == []


def test_built_in_players_keep_theirs_by_default(tmp_path: Path, bots: Bots, dots: Spec) -> None:
    ours, theirs = recorder(tmp_path / "a", builtin=True), recorder(tmp_path / "b")
    with SessionPool(keep_alive=None) as pool:
        first, second = (play_game(*dots(ours, theirs), pool) for _ in range(2))
    assert pid_of(first) == pid_of(second)
    assert pid_of(first, 1) != pid_of(second, 1)
    assert "quit" in (tmp_path / "b").read_text()
    with SessionPool(keep_alive=False) as pool:
        first, second = (play_game(*dots(ours, theirs), pool) for _ in range(2))
    assert pid_of(first) != pid_of(second)


@pytest.mark.parametrize("ponder", [False, True])
def test_one_that_waits_stands_still(tmp_path: Path, dots: Spec, ponder: bool) -> None:
    a, b, c = (recorder(tmp_path / name) for name in "abc")
    states = []

    def look(moves: object) -> None:
        states.append(Path(f"/proc/{waiting}/stat").read_text().rpartition(")")[2].split()[0])

    with SessionPool(keep_alive=True) as pool:
        waiting = pid_of(play_game(*dots(a, b, ponder=ponder), pool))
        play_game(*dots(b, c, ponder=ponder), pool, on_move=look)
        assert set(states) == {"T"}
        pool.rest()
        assert pid_of(play_game(*dots(c, a, ponder=ponder), pool), 1) == waiting


def test_the_longest_unused_goes_when_they_hold_too_much(
    tmp_path: Path, dots: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Container, "memory_bytes", lambda container: 1000)
    a, b, c, d = (recorder(tmp_path / name) for name in "abcd")
    games = [(a, b), (c, d), (b, d), (a, d)]  # a goes before the second, c before the last
    with SessionPool(keep_alive=True, idle_bytes=1500) as pool:
        records = [play_game(*dots(*players), pool) for players in games]
        gone = [name for name in "abcd" if "quit" in (tmp_path / name).read_text()]
        assert gone == ["a", "c"]
    assert pid_of(records[0]) != pid_of(records[3])


def test_few_wait_however_little_they_hold(
    tmp_path: Path, dots: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes file descriptors."""
    monkeypatch.setattr("arena.referee.pool._MOST_IDLE", 1)
    a, b = (recorder(tmp_path / name) for name in "ab")
    with SessionPool(keep_alive=True) as pool:
        play_game(*dots(a, b), pool)
        pool.rest()
        assert ["quit" in (tmp_path / name).read_text() for name in "ab"] == [True, False]


def test_one_of_the_same_name_with_other_options_has_its_own(tmp_path: Path, dots: Spec) -> None:
    bot, other = recorder(tmp_path / "a"), recorder(tmp_path / "b")
    changed = bot.model_copy(update={"options": {"level": 2}})
    with SessionPool(keep_alive=True) as pool:
        first, second = (play_game(*dots(each, other), pool) for each in (bot, changed))
    assert pid_of(first) != pid_of(second) and pid_of(first, 1) == pid_of(second, 1)


def test_none_that_is_needed_goes(
    tmp_path: Path, dots: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Container, "memory_bytes", lambda container: 1000)
    a, b = (recorder(tmp_path / name) for name in "ab")
    with SessionPool(keep_alive=True, idle_bytes=0) as pool:
        first, second = (play_game(*dots(a, b), pool) for _ in range(2))
        pool.rest()
        third = play_game(*dots(a, b), pool)
    assert pid_of(first) == pid_of(second) != pid_of(third)


def test_each_of_two_that_think_at_once_has_a_core(tmp_path: Path) -> None:
    a, b, c = (recorder(tmp_path / name) for name in "abc")
    with SessionPool(keep_alive=True, cores=(0, 1)) as pool:
        for players in ((a, b), (a, c), (b, c)):
            opened = [pool.open(player) for player in players]
            assert {player.process.cores for player in opened} == {(0,), (1,)}
            pool.finish(opened)


@pytest.mark.parametrize("on_fault", ["forfeit", "random_move"])
def test_a_fault_ends_it(on_fault: str, bots: Bots, dots: Spec) -> None:
    players = bots.hostile("illegal"), bots.hostile()
    with SessionPool(keep_alive=True) as pool:
        play_game(*dots(*players, on_fault=on_fault), pool)
        assert len(bots.left()) == 1


ONE_GAME = """
import json, sys
starts = 0
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "start":
        starts += 1
        print('{"type": "ready"}' if starts == 1 else END, flush=True)
    elif request["type"] == "turn":
        answer = {"type": "move", "ply": request["ply"], "move": request["legal"][0]}
        print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize("end", ["sys.exit('one is enough')", "'again?'"])
def test_one_that_does_not_start_again_is_replaced(
    end: str, tmp_path: Path, bots: Bots, dots: Spec
) -> None:
    (tmp_path / "bot.py").write_text(ONE_GAME.replace("END", end))
    bot = Prepared(name="bot", command=(*PYTHON, str(tmp_path / "bot.py")))
    with SessionPool(keep_alive=True) as pool:
        records = [play_game(*dots(bot, bots.hostile()), pool) for _ in range(3)]
        assert pool._playing == []
    assert {record.termination for record in records} == {T.NATURAL}


def test_who_talks_between_games_is_replaced(bots: Bots, dots: Spec) -> None:
    talker = bots.hostile("talks_after_end")
    with SessionPool(keep_alive=True) as pool:
        assert play_game(*dots(bots.hostile(), talker), pool).termination is T.NATURAL
        before = bots.left()
        time.sleep(0.2)  # it is told the end, and answers
        record = play_game(*dots(bots.hostile(), talker), pool)
        assert record.termination is T.NATURAL, record.detail
        assert len(set(before) & set(bots.left())) == 1
    assert bots.left() == []


@pytest.mark.parametrize(("pause_s", "looks"), [(1e9, 0), (0.0, 8)])
def test_many_that_wait_are_started_once_and_looked_at_now_and_then(
    tmp_path: Path, dots: Spec, monkeypatch: pytest.MonkeyPatch, pause_s: float, looks: int
) -> None:
    monkeypatch.setattr("arena.referee.pool._LOOK_S", pause_s)
    bots = [recorder(tmp_path / name) for name in "abcd"]
    pids: dict[str, set[int]] = {bot.name: set() for bot in bots}
    with SessionPool(keep_alive=True) as pool:
        for one, other in ((0, 1), (2, 3), (0, 2), (1, 3)):
            record = play_game(*dots(bots[one], bots[other]), pool)
            for seat, each in enumerate(record.seats):
                pids[each.player].add(pid_of(record, seat))
        looked: list[int] = []
        monkeypatch.setattr(PlayerProcess, "look_after", lambda each: looked.append(each.pid))
        pool.rest()
        pool.rest()
        assert len(looked) == looks
    assert all(len(own) == 1 for own in pids.values())
