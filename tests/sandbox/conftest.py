"""Players that run a few lines of Python, contained in every way this machine has."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.referee.transport import PlayerProcess
from arena.sandbox.features import detect
from arena.sandbox.processes import gathering

PATIENT_NS = 20_000_000_000


WEAK = replace(detect(), cgroups=False, root=False)
"""What an ordinary user has."""


def modes() -> list[str]:
    return ["none", "limits", *(["bwrap"] if detect().bwrap else [])]


@pytest.fixture(params=modes())
def mode(request: pytest.FixtureRequest) -> Mode:
    value: Mode = request.param
    return value


@pytest.fixture(params=modes()[1:])
def contained(request: pytest.FixtureRequest) -> Mode:
    value: Mode = request.param
    return value


def python(code: str, mode: Mode, **more: object) -> Prepared:
    """A player that runs this code."""
    policy = Policy(mode=mode, disk_mb=16, processes=64)
    command = (sys.executable, "-I", "-S", "-c", code)
    return Prepared.model_validate(
        {"name": "p", "command": command, "policy": policy, "memory_mb": 256} | more
    )


Open = Callable[[Prepared], PlayerProcess]


@pytest.fixture
def started() -> Iterator[Open]:
    """Starts players, and ends them after the test."""
    processes: list[PlayerProcess] = []

    def open_(spec: Prepared) -> PlayerProcess:
        processes.append(PlayerProcess(spec))
        return processes[-1]

    with gathering():
        yield open_
        for process in processes:
            process.kill()


def line(process: PlayerProcess) -> str:
    return process.read_line(time.monotonic_ns() + PATIENT_NS).text.decode()


def fault(process: PlayerProcess, wait_ns: int = PATIENT_NS) -> PlayerFault:
    with pytest.raises(PlayerFault) as raised:
        process.read_line(time.monotonic_ns() + wait_ns)
    return raised.value
