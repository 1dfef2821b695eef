"""A new bot: a small program that plays, its bot.toml, a test, and a page of protocol."""

import shlex
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from arena.bots.manifest import FILE_NAME, read_manifest
from arena.bots.trees import made_aside

LANGUAGES = ("python", "cpp", "js", "java", "rust")
_TEST = "test.sh"


def write_starter(
    name: str, language: str, folder: Path, more: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Write the starter of a language, one of LANGUAGES, into `folder`; the names of its files.
    `name` is one that `is_name` accepts; `more` are files besides those of the language. Raises
    FileExistsError when `folder` exists.
    """
    room = files("arena.bots")
    texts = {
        "PROTOCOL.md": (room / "PROTOCOL.md").read_text("utf-8"),
        **_texts(room / "starters" / "every"),
        **_texts(room / "starters" / language),
        **(more or {}),
    }
    if folder.exists():
        raise FileExistsError(folder)
    with made_aside(folder.absolute().parent) as aside:
        new = aside / "new"
        new.mkdir()
        for file, text in texts.items():
            (new / file).write_text(text.replace("@NAME@", name), "utf-8")
        manifest = read_manifest(new / FILE_NAME)
        build = shlex.join(manifest.build) if manifest.build else "true"
        test = texts[_TEST].replace("@BUILD@", build)
        test = test.replace("@COMMAND@", shlex.join(manifest.command))
        (new / _TEST).write_text(test, "utf-8")
        new.rename(folder)
    return tuple(sorted(texts))


def _texts(folder: Traversable) -> dict[str, str]:
    found = [file for file in folder.iterdir() if not file.name.startswith("__")]
    return {file.name: file.read_text("utf-8") for file in found}
