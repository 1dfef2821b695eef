"""Files outside of a bot that its commands or first line name: refused, and never shown."""

import errno
import json
import re
import shutil
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.bots.entries import files_in, opened
from arena.bots.package import open_bot
from arena.bots.prepare import as_package, prepare
from arena.errors import PackageError
from arena.model.contender import Contender, Home
from arena.sandbox.visible_files import visible_to
from tests.bots.conftest import Package
from tests.files.users import as_nobody


def _commanded(*words: str) -> str:
    return f'name = "b"\nrules = ["dots"]\ncommand = {json.dumps(words)}\n'


@pytest.mark.parametrize("key", ["build", "command"])
@pytest.mark.parametrize("written", ['["cp", "/usr/..{}", "here"]', '["{}"]'])
def test_no_command_names_a_file_by_an_absolute_path(
    package: Package, tmp_path: Path, key: str, written: str
) -> None:
    """A sandbox shows a player the files its command names."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    words = {"build": '["true"]', "command": '["./bot"]'}
    words[key] = written.format(secret)
    text = 'name = "b"\nrules = ["dots"]\n' + "".join(f"{k} = {v}\n" for k, v in words.items())
    with pytest.raises(PackageError, match=f"{key}: .*{secret} is absolute"):
        open_bot(package(manifest=text))


@pytest.mark.parametrize("written", ["../fox", "{}/fox"])
def test_no_command_starts_a_program_of_others(
    package: Package, tmp_path: Path, written: str
) -> None:
    """Not even in a bot that was accepted, where others may have come next to it."""
    shutil.copy("/bin/true", tmp_path / "fox")
    folder = package(manifest=_commanded(written.format(tmp_path)))
    with pytest.raises(PackageError, match=r"command: .*fox\" leads out of the package"):
        open_bot(folder, again=True)


@pytest.mark.parametrize("line", ["{}", "{} -u", "/usr/..{}"])
def test_no_first_line_names_a_program_of_others(
    package: Package, tmp_path: Path, line: str
) -> None:
    """Else a player could be, or read, another student's program."""
    other = tmp_path / "fox"
    shutil.copy("/bin/true", other)
    folder = package(manifest=_commanded("./bot"))
    (folder / "bot").write_text(f"#!{line.format(other)}\n")
    (folder / "bot").chmod(0o755)
    with pytest.raises(PackageError, match=r"bot, line 1: the interpreter .*fox is not the system"):
        open_bot(folder)
    for name in ("bot.sh", "bot"):
        script = tmp_path / name
        script.write_text(f"#!{line.format(other)}\n")
        script.chmod(0o755)
        with pytest.raises(PackageError, match=r"line 1: the interpreter .*fox is not the system"):
            open_bot(script)


@pytest.mark.parametrize("form", ["script", "package"])
def test_a_bot_sees_no_file_that_its_words_name(
    package: Package, tmp_path: Path, form: str
) -> None:
    """Not even one that came after it was taken, which must not stop a tournament either."""
    secret, name = tmp_path / "secret", "bot.sh"
    if form == "script":
        (tmp_path / "in").mkdir()
        source = tmp_path / "in" / name
        source.write_text(f"#!/usr/bin/env -u {secret} bash\nread line\n")
    else:
        source = package(manifest=_commanded("cat", str(secret)))
    bot = open_bot(source)
    secret.write_text("secret")
    contender = Contender(name="fox", program=as_package(bot), sandbox="none")
    prepared = prepare(contender, "dots", Home(package=bot.cwd))
    assert str(secret) in prepared.command
    seen = visible_to(prepared, "/usr/bin/env", None).readable
    assert str(secret) not in seen
    assert str(source) in seen


def test_a_file_that_may_not_be_read_is_named_with_its_folders(for_all: Path) -> None:
    (for_all / "a" / "b").mkdir(parents=True)
    (for_all / "a" / "x").touch(0o600)
    with as_nobody(), pytest.raises(PermissionError) as of_file, opened(for_all, "a/x"):
        pass
    named = [of_file.value.filename]
    for closed, mode in (("a/b", 0o700), ("a", 0o744)):  # not to be listed, or not to be entered
        (for_all / closed).chmod(mode)
        with as_nobody(), pytest.raises(PermissionError) as of_folder:
            files_in(for_all)
        named.append(of_folder.value.filename)
    assert named == [f"{for_all}/a/x", f"{for_all}/a/b", f"{for_all}/a/b"]


def test_a_folder_that_the_disk_does_not_list_is_named(
    package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error of a descriptor names no file."""
    folder = package()
    failed = OSError(errno.EIO, "Input/output error")
    monkeypatch.setattr("os.listdir", Mock(side_effect=failed))
    with pytest.raises(OSError, match=re.escape(f"'{folder}'")):
        files_in(folder)
