"""`arena worker`, up to the moment it becomes a Dask worker."""

import os
import socket

import pytest

from arena.doctor import worker
from arena.tournament.executors import cluster
from tests.command import arena


def test_it_says_what_the_machine_is_and_becomes_a_dask_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    became: list[tuple[str, ...]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: became.append(words))
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    with socket.create_server(("127.0.0.1", 0)) as scheduler:
        address = f"tls://127.0.0.1:{scheduler.getsockname()[1]}"
        done = arena("worker", address, "--cores", "1", "--tls-ca-file", "ca.pem")
    assert done.exit_code == 0, done.output
    assert "1 cores of" in done.output and "holds files" in done.output
    (words,) = became
    assert words[words.index("--resources") + 1] == "cores=1"
    assert words[-2:] == ("--tls-ca-file", "ca.pem")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["tcp://192.0.2.1:8786"], "is not encrypted"),
        (["head"], "is no cluster"),
        (["tls://head:8786", "--cores", "1"], "add --tls-ca-file, --tls-cert and --tls-key"),
        (["tls://head:8786", "--cores", "5000"], "--cores: 5000 were asked for"),
    ],
)
def test_what_it_cannot_be_is_reported(more: list[str], why: str) -> None:
    done = arena("worker", *more)
    assert done.exit_code == 2
    assert why in done.output


def test_without_a_scheduler_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    monkeypatch.setattr(cluster, "_DEATH_S", 0.1)
    done = arena("worker", "tcp://127.0.0.1:1")
    assert done.exit_code == 2
    assert "no scheduler can be reached at tcp://127.0.0.1:1: [Errno 111]" in done.output
