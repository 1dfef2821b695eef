"""`arena worker`, up to the moment it becomes a Dask worker."""

import os

import pytest

from arena.doctor import worker
from tests.command import arena


def test_it_says_what_the_machine_is_and_becomes_a_dask_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    became: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: became.append(words))
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    given = ["worker", "tls://head:8786", "--cores", "1", "--tls-ca-file", "ca.pem"]
    done = arena(*given)
    assert done.exit_code == 0, done.output
    assert "1 cores of" in done.output and "holds files" in done.output
    (words,) = became
    assert words[words.index("--resources") + 1] == "cores=1"
    assert words[-2:] == ["--tls-ca-file", "ca.pem"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["tcp://192.0.2.1:8786"], "is not encrypted"),
        (["head"], "is no cluster"),
        (["tls://head:8786", "--cores", "1"], "add --tls-ca-file, --tls-cert and --tls-key"),
        (["tls://head:8786", "--cores", "5000"], "--cores: 5000 were asked for"),
    ],
)
def test_what_it_cannot_be_is_said(more: list[str], why: str) -> None:
    done = arena("worker", *more)
    assert done.exit_code == 2
    assert why in done.output
