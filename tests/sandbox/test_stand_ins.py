"""What a version manager puts on the PATH in place of a program."""

import os
from pathlib import Path

import pytest

from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.sandbox.stand_ins import past_stand_in

from .conftest import Open, line


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a program `tool` that a manager chooses, as pyenv does; the PATH shows its
    stand-in.
    """
    home, real = tmp_path / ".toolenv", tmp_path / "versions" / "bin"
    _program(real / "tool", "echo the chosen one; read line")
    _program(home / "bin" / "toolenv", f'[ "$1 $2" = "which tool" ] && echo {real / "tool"}')
    _program(home / "shims" / "tool", f'exec {home}/bin/toolenv exec tool "$@"')
    _program(home / "shims" / "other", "echo other")
    monkeypatch.setenv("PATH", f"{home / 'shims'}{os.pathsep}{os.environ['PATH']}")
    return real


@pytest.mark.usefixtures("version")
@pytest.mark.parametrize("words", [("tool",), ("./bot",)])
def test_the_program_behind_a_stand_in_is_started(
    started: Open, contained: Mode, tmp_path: Path, words: tuple[str, ...]
) -> None:
    bot = tmp_path / "folder" / "bot"
    _program(bot, "")
    bot.write_text("#!/usr/bin/env tool\n")
    spec = Prepared(name="p", command=words, cwd=str(bot.parent), policy=Policy(mode=contained))
    assert line(started(spec)) == "the chosen one"


@pytest.mark.parametrize(("program", "leads"), [("tool", True), ("other", False), ("sh", False)])
def test_the_path_leads_past_what_its_manager_knows(
    version: Path, program: str, leads: bool
) -> None:
    search = os.environ["PATH"]
    past = past_stand_in(program, search)
    assert past == (f"{version}{os.pathsep}{search}" if leads else search)


def test_compilers_are_found_behind_the_links_to_rustup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / "bin" / "rustup", f'[ "$1 $2" = "which rustc" ] && echo {tmp_path}/x/rustc')
    (tmp_path / "bin" / "rustc").symlink_to("rustup")
    search = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", search)
    assert past_stand_in("rustc", search) == f"{tmp_path}/x{os.pathsep}{search}"
