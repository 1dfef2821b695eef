"""`arena worker`, up to the moment it becomes a Dask worker."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from distributed import Client, LocalCluster
from distributed.security import Security

from arena.doctor import worker
from arena.errors import ExecutorError, SandboxError, UserError
from arena.model.containment import Guarantee, Held
from arena.sandbox.features import usable_cores
from arena.tournament.config_tables import ClusterTable
from arena.tournament.executors import cluster
from arena.tournament.executors.places import workers_of
from tests.command import arena


def test_it_says_what_the_machine_is_and_becomes_a_dask_worker(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    became: list[tuple[str, ...]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: became.append(words))
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    with tls_scheduler(tmp_path) as (address, options):
        done = arena("worker", address, "--cores", "1", *options)
    assert done.exit_code == 0, done.output
    assert "1 cores of" in done.output and "holds files" in done.output
    (words,) = became
    assert words[words.index("--resources") + 1] == "cores=1"
    folder = Path(words[words.index("--local-directory") + 1])
    assert folder.stat().st_mode & 0o077 == 0, "modules are imported from there"
    folder.rmdir()
    assert words[-len(options) :] == options


@pytest.mark.parametrize(
    "given", [(), ("--listen-address=tls://127.0.0.1:1",), ("--interface=lo",)]
)
def test_a_worker_of_this_machine_alone_listens_here_or_where_it_is_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: tuple[str, ...]
) -> None:
    became: list[tuple[str, ...]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: became.append(words))
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    folder = ("--local-directory", str(tmp_path))
    with tls_scheduler(tmp_path) as (address, options):
        done = arena("worker", address, "--cores", "1", *options, *folder, *given)
    assert done.exit_code == 0, done.output
    assert became[0].count("--local-directory") == 1
    assert ("--host" in became[0]) == (not given), "Dask takes one of them"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (0, "certificate verify failed"),  # another CA
        (2, "key values mismatch"),
    ],
)
def test_certificates_that_do_not_fit_are_said_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wrong: int, why: str
) -> None:
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    with tls_scheduler(tmp_path) as (address, options):
        others = files_of(Security.temporary(), tmp_path / "other")
        given = [*options]
        given[wrong] = others[wrong]
        done = arena("worker", address, "--cores", "1", *given)
    assert done.exit_code == 2
    assert why in done.output and "the clocks of both machines" in done.output


def test_certificates_for_an_open_address_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    options = files_of(Security.temporary(), tmp_path / "own")
    done = arena("worker", "tcp://127.0.0.1:1", "--cores", "1", *options)
    assert done.exit_code == 2
    assert "encryption required" in done.output and "tcp:// or tls:// as it says" in done.output


@pytest.mark.parametrize("given", [[], ["--tls-ca-file", __file__]])
def test_certificates_that_are_not_given_are_named(
    monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    done = arena("worker", "tls://head:8786", "--cores", "1", *given)
    assert done.exit_code == 2
    assert "add --tls-ca-file, --tls-cert and --tls-key" in done.output


@contextmanager
def tls_scheduler(folder: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Its address, and the options of a worker that it takes."""
    security = Security.temporary()
    with LocalCluster(
        n_workers=0, protocol="tls://", security=security, host="127.0.0.1", dashboard_address=":0"
    ) as made:
        yield made.scheduler_address, files_of(security, folder / "own")


def files_of(security: Security, folder: Path) -> tuple[str, ...]:
    """Its certificates, as options."""
    folder.mkdir()
    return tuple(cluster.tls_options(security, str(folder)))


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["tcp://192.0.2.1:8786"], "is not encrypted"),
        (["head"], "is not a cluster"),
        (["tcp://the..head:8786"], "is not encrypted"),
        (["tcp://the..head:8786", "--insecure"], "at tcp://the..head:8786: encoding with 'idna'"),
        (["tcp://127.0.0.1:1", "--host", "0.0.0.0"], "--host: tcp://0.0.0.0:0 is not encrypted"),
        (["tcp://127.0.0.1:1", "--listen-address=tcp://:7"], "tcp://:7 is not encrypted"),
        (["tls://head:8786", "--listen-address", "0.0.0.0"], "tcp://0.0.0.0:0 is not encrypted"),
        (["tls://head:8786", "--listen-address=ws://:7"], "ws://:7 is not encrypted"),
        (["tls://192.0.2.1:8786", "--protocol", "tcp"], "--protocol: tcp://0.0.0.0:0 is not"),
        (["tls://head:8786", "--protocol=tcp://", "--host=0.0.0.0"], "--host: tcp://0.0.0.0:0 is"),
        (["tls://head:8786", "--interface", "lo9"], "--interface: 'lo9' is not a valid network"),
        (["tls://head:8786", "--cores", "5000"], "got 5000; give fewer"),
    ],
)
def test_what_it_cannot_be_is_reported(more: list[str], why: str) -> None:
    done = arena("worker", *more)
    assert done.exit_code == 2
    assert why in done.output


@pytest.fixture
def becomes(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """What a worker of a scheduler would be started with, that takes it."""
    became: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: became.append(words))
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    monkeypatch.setattr(cluster, "await_scheduler", lambda address, more: None)

    def becomes(
        address: str,
        *more: str,
        cores: int | None = 1,
        insecure: bool = False,
        shared: bool = False,
    ) -> list[str]:
        given = ("--local-directory", "/tmp/of-its-own", *more)
        worker.become_worker(address, cores, given, insecure=insecure, shared=shared)
        return became.pop()

    return becomes


@pytest.mark.parametrize(
    "more",
    [
        ("--listen-address", "tls://:7"),
        ("--listen-address", "wss://0.0.0.0"),
        ("--host", "0.0.0.0"),  # with the scheduler's protocol
        ("--protocol", "tls"),
    ],
)
def test_a_worker_that_listens_by_tls_may_be_reached_by_all(
    becomes: Callable[..., list[str]], more: tuple[str, ...]
) -> None:
    words = becomes("tls://head:8786", *more)
    assert " ".join(more) in " ".join(words)
    assert words.count("--host") == more.count("--host")


def test_an_open_worker_of_this_machine_is_reached_from_here_alone(
    becomes: Callable[..., list[str]],
) -> None:
    for more in (("--host", "127.0.0.1"), ("--host", "tcp://127.0.0.1"), ("--protocol", "tcp"), ()):
        words = becomes("tcp://127.0.0.1:1", *more)
        assert words.count("--host") == 1
        assert words[words.index("--host") + 1].endswith("127.0.0.1")


def test_an_open_worker_is_one_where_that_is_asked_for(
    becomes: Callable[..., list[str]],
) -> None:
    more = ("--host", "0.0.0.0")
    with pytest.raises(UserError, match="is not encrypted"):
        becomes("tcp://127.0.0.1:1", *more)
    assert "0.0.0.0" in becomes("tcp://127.0.0.1:1", *more, insecure=True)
    with pytest.raises(UserError, match="is not encrypted"):
        becomes("tcp://192.0.2.1:1")
    assert "--host" not in becomes("tcp://192.0.2.1:1", insecure=True)


def test_a_worker_has_the_cores_that_are_given_or_all(
    becomes: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    there = len(usable_cores())
    for cores, has in ((1, 1), (there, there), (None, there)):
        words = becomes("tcp://127.0.0.1:1", cores=cores)
        assert words[words.index("--resources") + 1] == f"cores={has}"
        assert f": {has} cores of " in capsys.readouterr().err
    words = becomes("tcp://127.0.0.1:1", shared=True)
    assert words[words.index("--resources") + 1] == "cores=1 shared=1"
    with pytest.raises(UserError, match=f"has {there}, got {there + 1}; give fewer"):
        becomes("tcp://127.0.0.1:1", cores=there + 1)


def test_a_worker_says_what_contains_its_players(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(mode="bwrap", by={Guarantee.CPU: "bwrap"}, notes=("No memory.", "No pids."))
    monkeypatch.setattr(worker, "resolve", lambda *_: held)
    assert worker._held() == "Sandbox bwrap: holds cpu. No memory. No pids."
    monkeypatch.setattr(worker, "resolve", lambda *_: Held())
    assert worker._held() == "Sandbox none: holds nothing."

    def none(*_: object) -> Held:
        raise SandboxError("It is not there. Install it.")

    monkeypatch.setattr(worker, "resolve", none)
    assert worker._held() == "No sandbox: It is not there. Install it."


@pytest.mark.parametrize(
    "given",
    [(), ("--host", "::1"), ("--host", "tcp://127.0.0.1"), ("--listen-address=tcp://127.0.0.1",)],
)
def test_without_a_scheduler_it_says_so(
    monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...]
) -> None:
    monkeypatch.setattr(worker, "_held", lambda: "Sandbox bwrap: holds files.")
    monkeypatch.setattr(cluster, "_DEATH_S", 0.1)
    monkeypatch.setattr(cluster, "_CONNECT_S", 0.1)
    done = arena("worker", "tcp://127.0.0.1:1", *given)
    assert done.exit_code == 2
    assert "no scheduler can be reached at tcp://127.0.0.1:1: " in done.output


def test_a_worker_waits_for_a_scheduler_that_starts_later(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Exception | None] = [ConnectionRefusedError(), TimeoutError(), None]

    async def greet(*_: object) -> None:
        if error := answers.pop(0):
            raise error

    monkeypatch.setattr(cluster, "_greet", greet)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    cluster.await_scheduler("tcp://127.0.0.1:1", ())
    assert not answers


def test_the_options_of_dask_are_words_with_a_value_in_them_or_after_them() -> None:
    found = cluster.values_of(["--tls-key=/keys/a=b.pem", "--name", "lab"])
    assert (found["--tls-key"], found["--name"]) == ("/keys/a=b.pem", "lab")


def test_a_port_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_S", 0.1)
    monkeypatch.setattr(cluster, "_ANSWER_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(ExecutorError, match=r"no answer within 0\.2 s"):
            cluster.connected(address, ClusterTable(), Path())


def test_a_head_is_let_in_by_the_certificates_next_to_its_tournament(tmp_path: Path) -> None:
    with tls_scheduler(tmp_path) as (address, _):
        table = ClusterTable(
            ca_file="own/tls_ca_file.pem",
            cert_file="own/tls_worker_cert.pem",
            key_file="own/tls_worker_key.pem",
        )
        with cluster.connected(address, table, tmp_path) as client:
            assert client.status == "running"
        lacking = table.model_copy(update={"key_file": "own/key.pem"})
        with pytest.raises(UserError, match=r"own/key\.pem cannot be read; it is needed for TLS"):
            cluster.connected(address, lacking, tmp_path)
        with pytest.raises(UserError, match="give ca_file, cert_file and key_file in"):
            cluster.connected(address, ClusterTable(), tmp_path)
        with pytest.raises(ExecutorError, match="encryption required"):
            cluster.connected("tcp://127.0.0.1:1", table, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("send", [os.kill, os.killpg])
def test_a_closed_terminal_ends_a_worker_as_sigterm_does(
    tmp_path: Path, send: Callable[[int, int], None]
) -> None:
    """Also where it says so twice, as a shell and the system do."""
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=":0") as made,
        Client(made) as client,
        subprocess.Popen(
            cluster.worker_command(
                made.scheduler_address, 1, "--host", "127.0.0.1", "--local-directory", str(tmp_path)
            ),
            stderr=subprocess.PIPE,
            process_group=0,
            text=True,
        ) as process,
    ):
        client.wait_for_workers(1, timeout=60)
        # The scheduler knows it before its nanny, which else says that its start failed.
        while set(client.run(lambda dask_worker: dask_worker.status.name, nanny=True).values()) != {
            "running"
        }:
            time.sleep(0.05)
        send(process.pid, signal.SIGHUP)
        send(process.pid, signal.SIGHUP)
        assert "Traceback" not in process.communicate(timeout=30)[1]
        assert process.returncode == 0
        assert not workers_of(client)
