"""A person's game in the process that a page starts for it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pydantic import ValidationError

import rules
from arena.sandbox.processes import children
from arena.web.sentences import MISTAKE
from arena.web.table import PersonTable
from arena.web.table_lines import Command, Setup, TableState
from rules.transcript import read_transcript
from tests.web.conftest import wait_for

Reply = Callable[[TableState], Command | None]
"""The person: a command to a state in which it is the person's turn, None to leave."""


def played(setup: Setup, reply: Reply) -> list[TableState]:
    """Every state of a game that this person plays."""
    states: list[TableState] = []

    def commands() -> Iterator[Command]:
        while (command := reply(states[-1])) is not None:
            yield command

    PersonTable(setup, states.append).run(commands())
    return states


def first_legal(state: TableState) -> Command:
    return Command(do="move", ply=state.ply, move=state.legal[0])


DOTS = Setup(rules="dots", settings={"rows": 2, "cols": 2}, opponent="greedy", seed=1)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_is_played_to_its_end(seat: int) -> None:
    states = played(DOTS.model_copy(update={"seat": seat}), first_legal)
    assert [state.number for state in states] == list(range(1, len(states) + 1))
    assert states[0].phase == "preparing"
    last = states[-1]
    assert last.phase == "over"
    assert not last.legal
    assert last.ending.startswith("Game over. ")
    end = start = rules.load("dots", **DOTS.settings).start()
    for move in read_transcript(start, last.transcript):
        end = end.play(move)
    assert end.is_over
    assert f"you {end.scores()[seat]}" in last.ending
    assert any("greedy: " in line for state in states for line in state.said)


def test_a_mistake_of_the_staff_is_not_the_persons(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("deadline = \n")
    states = played(DOTS.model_copy(update={"course": str(tmp_path)}), first_legal)
    assert states[-1].ending == MISTAKE


def test_kernels_that_cannot_be_kept_are_a_sentence_without_the_place_of_the_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.tournament.warming.warm_kernels", lambda *_, **__: False)
    states = played(DOTS.model_copy(update={"opponent": "uct"}), first_legal)
    assert states[-1].phase == "over"
    assert "kernels that the cache . lacks" in states[-1].ending


def test_a_forced_pass_is_reported() -> None:
    setup = Setup(rules="othello", settings={"size": 6}, opponent="greedy", seed=3)
    told = {line for state in played(setup, first_legal) for line in state.said}
    assert any(line.endswith("no legal move, a forced pass.") for line in told), told


def test_tiles_are_slid_alone_and_the_game_can_be_given_up() -> None:
    setup = Setup(rules="2048", seed=2)

    def reply(state: TableState) -> Command:
        if state.ply < 8:
            assert state.transcript == ""
            return first_legal(state)
        return Command(do="resign", ply=state.ply)

    last = played(setup, reply)[-1]
    assert last.ending.startswith("You left the game. Score ")
    assert len(last.transcript.split()) == last.ply == 8


def test_a_move_is_taken_back() -> None:
    script = iter(
        [
            Command(do="undo", ply=0),
            Command(do="move", ply=0, move="a1b1"),
            Command(do="undo", ply=2),
            Command(do="move", ply=7, move="a1a2"),
            Command(do="move", ply=0, move="z9"),
            Command(do="resign", ply=0),
        ]
    )
    turns: list[TableState] = []

    def reply(state: TableState) -> Command:
        turns.append(state)
        return next(script)

    last = played(DOTS, reply)[-1]
    assert [state.ply for state in turns] == [0, 0, 2, 0, 0, 0]
    assert [state.can_undo for state in turns] == [False, False, True, False, False, False]
    assert turns[1].said == ("There is no move of yours to take back.",)
    assert turns[4].said == ("The board has changed since. Choose again.",)
    assert turns[5].said[0].startswith("'z9' ")
    assert last.ending == "You resigned. greedy wins."


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"opponent": "gtp"}, "The opponent: gtp cannot play this: it plays othello, not dots"),
        ({"opponent": "gredy"}, 'did you mean "greedy"?'),
        ({"opponent": "greedy", "move_ms": 1, "settings": {"rows": 1, "cols": 1}}, "Game over"),
    ],
)
def test_what_cannot_be_played_is_a_sentence(changed: dict[str, object], expected: str) -> None:
    last = played(DOTS.model_copy(update=changed), first_legal)[-1]
    assert last.phase == "over"
    assert expected in last.ending


def test_a_bot_that_fails_loses(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        'import sys\nprint(\'{"type": "ready"}\', flush=True)\n'
        "for line in sys.stdin:\n    if '\"turn\"' in line:\n        print('no', flush=True)\n"
    )
    patient = DOTS.model_copy(update={"opponent": str(bot), "move_ms": 5000})
    last = played(patient, first_legal)[-1]
    assert "bot forfeits (bad_json): " in last.ending
    assert last.ending.endswith("You win.")


def test_the_place_of_a_course_is_not_shown(tmp_path: Path) -> None:
    course = tmp_path / "course"
    setup = DOTS.model_copy(update={"opponent": str(course / "fox"), "course": str(course)})
    ending = played(setup, first_legal)[-1].ending
    assert ending == "The opponent: no such file: fox"


def test_a_fault_without_the_stderr_that_others_may_not_read(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "print('{\"type\": \"ready\"}', flush=True)\ninput(), input()\nassert 'mine' == 0\n"
    )
    setup = DOTS.model_copy(update={"opponent": str(bot), "move_ms": 5000})
    assert "'mine'" in played(setup, first_legal)[-1].ending
    last = played(setup.model_copy(update={"reads_stderr": False}), first_legal)[-1]
    assert last.ending.endswith("exited with code 1 before `quit` was sent. You win.")


def test_a_move_is_short() -> None:
    with pytest.raises(ValidationError):
        Command(do="move", ply=0, move="a" * 201)


# The process


def start(
    setup: Setup, parent: int, environment: dict[str, str] | None = None
) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.web.table", str(parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        stderr=subprocess.PIPE if environment else None,
        env=environment,
    )
    assert process.stdin is not None
    process.stdin.write(setup.model_dump_json() + "\n")
    process.stdin.flush()
    return process


def is_there(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.slow
def test_the_process_ends_with_its_input() -> None:
    with start(DOTS, os.getpid()) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        for line in process.stdout:
            if TableState.model_validate_json(line).phase == "yours":
                break
        process.stdin.close()
        assert process.wait(10) == 0


def test_the_process_and_its_player_end_with_the_server() -> None:
    server = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-m', 'arena.web.table', str(os.getpid())],"
        " stdin=subprocess.PIPE)\n"
        f"child.stdin.write({DOTS.model_dump_json().encode()!r} + b'\\n')\n"
        "child.stdin.flush()\nprint(child.pid, flush=True)\nchild.wait()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", server], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        table = int(parent.stdout.readline())
        while TableState.model_validate_json(parent.stdout.readline()).phase != "yours":
            pass
        (player,) = children(table)
        parent.kill()
    wait_for(lambda: not (is_there(table) or is_there(player)), most_s=10)


def test_the_process_ends_at_once_while_kernels_are_compiled(tmp_path: Path) -> None:
    environment = os.environ | {"ARENA_CACHE_DIR": str(tmp_path)}
    with start(DOTS.model_copy(update={"opponent": "uct"}), os.getpid(), environment) as process:
        assert process.stderr is not None
        assert any("compiling" in line for line in process.stderr)  # it takes minutes
        compiling = children(process.pid)
        process.terminate()
        assert process.wait(10) == 0
    assert compiling
    assert not any(map(is_there, compiling))
