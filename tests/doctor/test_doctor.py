"""`arena doctor`: what it finds here, and what it says of machines that lack something."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from typer.testing import Result

from arena.doctor.facts import NEEDED, Facts
from arena.errors import SandboxError
from arena.model.containment import Guarantee, Held, SandboxChoice
from arena.model.contender import Prepared
from tests.command import arena


def doctor(*arguments: str) -> Result:
    return arena("doctor", *arguments)


@pytest.fixture(scope="module")
def here() -> tuple[Facts, int]:
    """What is found on this machine, and the exit code."""
    result = doctor("--json")
    return Facts.model_validate_json(result.stdout), result.exit_code


def test_what_is_found_here(here: tuple[Facts, int]) -> None:
    found, code = here
    assert found.host.cores == os.cpu_count()
    assert set(found.delay_ms) == set(found.cores) <= os.sched_getaffinity(0)
    assert 0 < found.available_mb <= found.memory_mb
    assert [sandbox.mode for sandbox in found.sandboxes] == ["bwrap", "limits"]
    assert code == (0 if any(sandbox.suffices for sandbox in found.sandboxes) else 1)
    assert bool(found.missing) == (code == 1)
    assert [control.what for control in found.control_groups] == [
        "memory",
        "processes",
        "cpu",
        "freeze",
    ]
    for sandbox in found.sandboxes:
        if sandbox.held is not None:
            for guarantee, tried in sandbox.attacks.items():
                assert tried
                if sandbox.held.by[guarantee] is not None:
                    assert all(tried.values()), guarantee
    python = next(tool for tool in found.tools if tool.language == "python")
    assert python.version is not None
    assert python.version.startswith("Python 3.")


def test_bubblewrap_is_found_by_its_version(here: tuple[Facts, int]) -> None:
    told = subprocess.run(
        "command -v bwrap && bwrap --version", shell=True, capture_output=True, text=True
    )
    expected = told.stdout.splitlines()[-1] if told.returncode == 0 else None
    assert here[0].bubblewrap == expected


def answering(monkeypatch: pytest.MonkeyPatch, answers: dict[str, Held | SandboxError]) -> None:
    def resolve(asked: SandboxChoice, spec: Prepared) -> Held:
        answer = answers[asked]
        if isinstance(answer, SandboxError):
            raise answer
        return answer

    monkeypatch.setattr("arena.doctor.facts.resolve", resolve)


def holding(*guarantees: Guarantee, mode: str = "limits") -> Held:
    by = {each: "landlock" if each in guarantees else None for each in Guarantee}
    return Held.model_validate({"mode": mode, "by": by, "notes": ("cpu is not held: so it is.",)})


def test_one_mode_that_holds_what_is_needed_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    error = SandboxError("bubblewrap is not installed. Install it.")
    answering(monkeypatch, {"bwrap": error, "limits": holding(*NEEDED)})
    result = doctor()
    assert result.exit_code == 0
    assert "  bwrap       bubblewrap is not installed. Install it.\n" in result.stdout
    assert (
        "  limits      holds memory (landlock), network (landlock), files (landlock), "
        "pids (landlock)\n"
    ) in result.stdout
    assert "cpu is not held: so it is." in result.stdout
    assert "files: a player could not read files that are not its own; list" in result.stdout
    assert "Programs of strangers can play here." in result.stdout


@pytest.mark.parametrize(
    "lacking",
    [*(pytest.param(each, marks=pytest.mark.slow) for each in NEEDED[:-1]), NEEDED[-1]],
)
def test_without_what_is_needed_it_fails_and_says_so(
    monkeypatch: pytest.MonkeyPatch, lacking: Guarantee
) -> None:
    rest = [each for each in Guarantee if each is not lacking]
    answering(monkeypatch, {"bwrap": holding(*rest), "limits": holding(*rest)})
    result = doctor("--json")
    assert result.exit_code == 1
    (sentence,) = json.loads(result.stdout)["missing"]
    assert sentence.startswith("No sandbox holds memory, network, files, pids here")


def test_the_memory_of_a_container_is_what_it_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, {"bwrap": holding(*NEEDED), "limits": holding(*NEEDED)})
    monkeypatch.setattr("arena.doctor.facts.available_memory", lambda: 7 << 20)
    assert json.loads(doctor("--json").stdout)["available_mb"] == 7


def test_what_is_not_installed_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answering(monkeypatch, {"bwrap": holding(*NEEDED), "limits": holding(*NEEDED)})
    broken = tmp_path / "node"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "nothing"))
    result = doctor()
    assert result.exit_code == 0
    assert "bubblewrap  not installed: apt install bubblewrap" in result.stdout
    assert "javascript  node: not found; bots that need it cannot play here" in result.stdout
    assert "`arena warm` compiles them, once" in result.stdout
    assert "That folder cannot be written" not in result.stdout
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "file"))
    assert "That folder cannot be written" in doctor().stdout
