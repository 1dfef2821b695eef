"""What a version manager puts on the PATH in place of a program."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.sandbox.container import Container
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


def test_a_bot_names_no_manager(contained: Mode, tmp_path: Path) -> None:
    """It would be asked outside of the sandbox."""
    bot, asked = tmp_path / "bot", tmp_path / "asked"
    _program(tmp_path / ".evil" / "bin" / "evil", f"touch {asked}")
    _program(tmp_path / ".evil" / "shims" / "tool", "")
    bot.write_text(f"#!/usr/bin/env {tmp_path}/.evil/shims/tool\n")
    bot.chmod(0o755)
    spec = Prepared(name="p", command=("./bot",), cwd=str(tmp_path), policy=Policy(mode=contained))
    with Container(spec).running():
        assert not asked.exists()


def test_the_home_of_a_manager_may_be_in_sight(tmp_path: Path) -> None:
    _program(tmp_path / "toolenv" / "shims" / "tool", "")
    _program(tmp_path / "toolenv" / "bin" / "toolenv", "echo /real/bin/tool")
    search = str(tmp_path / "toolenv" / "shims")
    assert past_stand_in("tool", search) == f"/real/bin{os.pathsep}{search}"


@pytest.mark.parametrize("make", [Path.symlink_to, Path.hardlink_to])
@pytest.mark.parametrize(
    ("manager", "link", "program"),
    [("rustup", "rustup", "rustc"), ("volta", "volta-shim", "node")],
)
def test_links_to_a_manager_are_stand_ins(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path, Path], None],
    manager: str,
    link: str,
    program: str,
) -> None:
    folder = tmp_path / "bin"
    _program(folder / link, "exit 1")
    _program(folder / manager, f'[ "$1 $2" = "which {program}" ] && echo {tmp_path}/x/{program}')
    make(folder / program, folder / link)
    search = f"{folder}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", search)
    assert past_stand_in(program, search) == f"{tmp_path}/x{os.pathsep}{search}"
