"""Packages on their way to another machine."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.bots import parcel
from arena.bots.archive import MAX_ARCHIVE_BYTES
from arena.bots.package import open_bot
from arena.bots.prepare import as_package, named_files, prepare
from arena.errors import PackageError
from arena.model.contender import CommandLine, Contender, Home, Module, Package

FILES = {
    "one script": {"fox.py": "print(1)\n"},
    "a source file": {"fox.c": "int main(void) { return 0; }\n"},
    "a folder": {
        "bot.toml": 'name = "fox"\nrules = ["dots"]\ncommand = ["python3", "b.py"]\n',
        "b.py": "",
    },
    "a folder in it": {
        "bot.toml": 'name = "fox"\nrules = ["dots"]\ncommand = ["python3", "parcel/b.py"]\n',
        "parcel/b.py": "",
    },
}


@pytest.mark.parametrize("files", FILES.values(), ids=FILES)
def test_it_arrives_as_it_was_sent(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "fox.c" in files and shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    for name, text in files.items():
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).write_text(text)
    scripts = [name for name in files if len(files) == 1]
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "head"))
    bot = open_bot(tmp_path.joinpath("src", *scripts))
    package = as_package(bot)
    sent = Contender(name="fox", program=package, sandbox="none")
    packed = parcel.pack(sent, Home(package=bot.cwd))
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert not parcel.is_here(package)
    with pytest.raises(PackageError, match="is not there"):
        prepare(sent, "dots")
    parcel.keep(package.digest, packed)
    assert parcel.is_here(package)
    assert prepare(sent, "dots").command
    with pytest.raises(PackageError, match="holds other files than those of 0000"):
        parcel.keep("0" * 64, packed)
    assert isinstance(sent.program, Package)


def test_one_that_is_larger_than_an_archive_may_be_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "head"))
    (tmp_path / "fox.py").write_bytes(b"#" * (MAX_ARCHIVE_BYTES + 1))
    bot = open_bot(tmp_path / "fox.py")
    package = as_package(bot)
    sent = Contender(name="fox", program=package, sandbox="none")
    packed = parcel.pack(sent, Home(package=bot.cwd))
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "elsewhere"))
    parcel.keep(package.digest, packed)
    assert parcel.is_here(package)


@pytest.mark.parametrize(
    ("program", "options", "named"),
    [
        (Module(module="players.weighted_uct"), {"weights": "new.json", "leaf": "w"}, ["new.json"]),
        (Module(module="players.gtp"), {"folder": "engine"}, ["engine"]),
        (CommandLine(words=("python3", "b.py", "-w", "x/w")), {"net": "new.json"}, ["b.py", "x/w"]),
        (CommandLine(words=("python3",)), {"args": ["-w x/w", "new.json"]}, ["x/w"]),
    ],
)
def test_what_does_not_travel_is_named(
    program: Module | CommandLine, options: dict[str, Any], named: list[str], tmp_path: Path
) -> None:
    (tmp_path / "x").mkdir()
    for name in ("new.json", "b.py", "x/w"):
        (tmp_path / name).touch()
    contender = Contender(name="fox", program=program, options=options)
    assert sorted(named_files(contender, tmp_path)) == named
