"""A new bot: a small program that plays, its bot.toml, a test, and a page of protocol."""

import io
import json
import shlex
import tomllib
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from arena.bots.manifest import FILE_NAME, NAME_RULE, is_name
from arena.bots.programs import build_of
from arena.bots.trees import made_aside
from arena.errors import UserError

LANGUAGES = ("python", "cpp", "js", "java", "rust")
_TEST = "test.sh"
_PLACES = ("@BUILD@", "@COMMAND@")
"""Stand for the commands; in a bot.toml where they are those of its source file by itself."""


def starter_files(name: str, language: str) -> dict[str, str]:
    """The texts of a language's starter, by file. `name` is one that `is_name` accepts."""
    room = files("arena.bots")
    texts = {
        "PROTOCOL.md": (room / "PROTOCOL.md").read_text("utf-8"),
        **_texts(room / "starters" / "every"),
        **_texts(room / "starters" / language),
    }
    if language == "python":
        texts["sdk.py"] = (files("players") / "sdk.py").read_text("utf-8")
    texts = {file: text.replace("@NAME@", name) for file, text in sorted(texts.items())}
    for build in (build_of(file) for file in texts if Path(file).stem.lower() == "bot"):
        for place, words in zip(_PLACES, build or (), strict=False):
            texts[FILE_NAME] = texts[FILE_NAME].replace(place, json.dumps(words))
    manifest = tomllib.loads(texts[FILE_NAME])
    test = texts[_TEST].replace("@BUILD@", shlex.join(manifest.get("build", ["true"])))
    return texts | {_TEST: test.replace("@COMMAND@", shlex.join(manifest["command"]))}


def begin(name: str, language: str) -> str:
    """Write a starter into a new folder called `name`; what to do with it. Raises UserError."""
    if not is_name(name):
        raise UserError(f'"{name}" cannot name a bot: {NAME_RULE}')
    folder = Path(name)
    written = write_starter(name, language, folder)
    return (
        f"{folder}/ holds a bot that plays: {', '.join(written)}\n\n"
        f"  sh {folder}/test.sh                      builds it and asks it for moves\n"
        f"  arena check {folder}                     says what is wrong with it\n"
        f"  arena submit {folder} --to submissions   checks it and submits it"
    )


def write_starter(name: str, language: str, folder: Path) -> tuple[str, ...]:
    """Write the starter of a language into `folder`; the names of its files. Raises UserError."""
    texts = starter_files(name, language)
    write_folder(folder, {file: text.encode() for file, text in texts.items()})
    return tuple(texts)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder with these files. Raises UserError."""
    if folder.exists():
        raise UserError(f"{folder} is there already; choose another name")
    try:
        with made_aside(folder.absolute().parent) as aside:
            new = aside / "new"
            new.mkdir()
            for file, contents in files.items():
                (new / file).write_bytes(contents)
            new.rename(folder)
    except OSError as error:
        raise UserError(f"{folder.absolute()} cannot be written: {error.strerror}") from None


def starter_archive(name: str, language: str) -> bytes:
    """The starter of a language as a zip: its files in a folder called `name`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in starter_files(name, language).items():
            archive.writestr(zipfile.ZipInfo(f"{name}/{file}"), text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _texts(folder: Traversable) -> dict[str, str]:
    found = [file for file in folder.iterdir() if not file.name.startswith("__")]
    return {file.name: file.read_text("utf-8") for file in found}
