"""What is said of files and commands that start no bot, and what to submit instead."""

import os
import site
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

import arena
from arena.bots import programs
from arena.bots.package import open_bot
from arena.bots.prepare import prepare
from arena.errors import PackageError, ProgramError
from arena.model.contender import Contender, Module
from tests.bots.conftest import MANIFEST, Package


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bot.kt", "has to be compiled; submit a folder whose bot.toml does that, as `arena new`"),
        ("bot.7z", "pack the bot's folder as .zip or .tar.gz"),
        ("bot.gz", "pack the bot's folder as .zip or .tar.gz"),
        ("bot.PY", "end its name in .py"),
        ("bot.CPP", "end its name in .cpp"),
        ("bot.txt", "is such a script, a source file (.c .cc .cpp .cxx .go .java .rs), an exec"),
    ],
)
def test_a_file_that_is_no_script(name: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    with pytest.raises(PackageError) as caught:
        open_bot(tmp_path / name)
    assert expected in str(caught.value)
    assert "make it executable" not in str(caught.value)


def test_an_executable_file_of_any_name_is_a_script(tmp_path: Path) -> None:
    script = tmp_path / "bot.ts"
    script.write_text("#!/usr/bin/env sh\n")
    script.chmod(0o755)
    assert open_bot(script).command == (str(script),)


@pytest.mark.parametrize("line", [b"#!/no\xff", b"#!/usr/bin/env X=\xff sh", b"#!/bin/sh \x1b[2J"])
def test_a_script_whose_first_line_is_no_text(line: bytes, tmp_path: Path) -> None:
    script = tmp_path / "bot.sh"
    script.write_bytes(line + b"\nread line\n")
    with pytest.raises(PackageError, match="line 1: the #! line is not UTF-8, or has control"):
        open_bot(script)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('["python3 bot.py"]', 'write each word by itself: ["python3", "bot.py"]'),
        ('["./bot.py -v", "x"]', 'write each word by itself: ["./bot.py", "-v", "x"]'),
        ('["no-such-program bot.py"]', "is not on the PATH"),
    ],
)
def test_words_in_one(command: str, expected: str, package: Package) -> None:
    folder = package(manifest=MANIFEST.replace('["python3", "bot.py"]', command))
    with pytest.raises(PackageError) as caught:
        open_bot(folder)
    assert expected in str(caught.value)


def test_words_of_a_build_in_one(package: Package) -> None:
    folder = package(manifest=f'{MANIFEST}build = ["sh -c true"]\n')
    with pytest.raises(PackageError, match=r'build: .* write each word by itself: .*"-c", "true"'):
        open_bot(folder)


def test_a_python_is_named_as_the_path_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python3.99").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProgramError, match=r'not on the PATH; write "python3\.99"$'):
        programs.python("3.99", tmp_path)
    with pytest.raises(ProgramError, match=r"not on the PATH; install it, or write its path$"):
        programs.python("3.98", tmp_path)
    with pytest.raises(ProgramError, match=r"not on the PATH; install it$"):
        programs.python("3.98", tmp_path, or_path="")


@pytest.mark.parametrize("inner", ["inner", "a/b", "a/b/c"])
def test_a_bot_that_is_some_folders_deeper_is_named(
    inner: str, package: Package, tmp_path: Path
) -> None:
    package(f"nest/{inner}")
    with pytest.raises(
        PackageError, match=rf"has no bot\.toml, but nest/{inner} has one; submit that"
    ):
        open_bot(tmp_path / "nest")


def test_a_file_system_that_runs_nothing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "engine").touch()  # no file is executable there, whatever its mode
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC))
    for refuse in (partial(programs.command, ["./engine"]), partial(programs.script, "engine")):
        with pytest.raises(ProgramError, match=r"engine may not be run: .* mounted noexec"):
            refuse(tmp_path)
    with pytest.raises(ProgramError, match="is not an executable file"):
        programs.command(["./"], tmp_path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("b.7z", "as .zip or .tar.gz"), ("b.cs", "has to be compiled"), ("B.KT", "to be compiled")],
)
def test_a_mark_makes_no_program_of_an_archive_or_a_source(
    name: str, expected: str, tmp_path: Path
) -> None:
    """A server marks each upload as executable, and so do the disks of Windows all files."""
    (tmp_path / name).touch(0o755)
    with pytest.raises(ProgramError, match=expected):
        programs.script(name, tmp_path)
    (tmp_path / name).write_text("#!/bin/sh\n")
    assert programs.script(name, tmp_path).command == (str(tmp_path / name),)


def test_a_python_of_a_version_manager_is_the_chosen_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shims, real = tmp_path / ".toolenv" / "shims", tmp_path / "versions" / "bin" / "python9"
    for program in (shims / "python9", shims.parent / "bin" / "toolenv", real):
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho {real}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(shims), prepend=os.pathsep)
    assert programs.python("python9", tmp_path) == str(real)


@pytest.mark.parametrize("by", ["--user", "--target", "an environment"])
def test_a_built_in_finds_an_arena_that_is_not_in_its_python(
    by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package,) = arena.__path__
    root, elsewhere = str(Path(package).resolve().parent), "/no/such/folder"
    monkeypatch.setenv("PYTHONPATH", root if by == "--target" else "")
    user_site = root if by == "--user" else elsewhere
    monkeypatch.setattr(site, "getusersitepackages", lambda: user_site)
    monkey = Contender(name="m", program=Module(module="players.monkey"), sandbox="none")
    policy = prepare(monkey, "dots").policy
    found = policy.environment.get("PYTHONPATH"), root in policy.readable
    assert found == ((None, False) if by == "an environment" else (root, True))


def test_a_built_in_finds_what_the_arena_needs_by_pythonpath(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules, sources = tmp_path / "modules", tmp_path / "sources"
    (modules / "numpy-2.0.dist-info").mkdir(parents=True)
    sources.mkdir()
    monkeypatch.setenv("PYTHONPATH", f"../modules:{sources}")
    monkeypatch.chdir(sources)
    monkeypatch.setattr(site, "getusersitepackages", lambda: "/no/such/folder")
    monkeypatch.setattr(sys, "path", [*map(str, (modules, sources)), *sys.path])
    monkey = Contender(name="m", program=Module(module="players.monkey"), sandbox="none")
    policy = prepare(monkey, "dots").policy
    assert policy.environment["PYTHONPATH"] == str(modules)
    assert str(modules) in policy.readable and str(sources) not in policy.readable
