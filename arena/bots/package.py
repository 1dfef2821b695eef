"""A bot as it is handed in, whichever form it has: a script, a folder or an archive."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

from arena.bots import programs
from arena.bots.archive import is_archive, unpack
from arena.bots.entries import MAX_BYTES
from arena.bots.manifest import FILE_NAME, NAME_RULE, is_name, read_manifest
from arena.bots.trees import digest, made_aside, settle, whole
from arena.errors import PackageError, ProgramError
from arena.files.cache import cache_root
from arena.model.frozen import Frozen
from arena.sandbox import system
from arena.sandbox.visible_files import names_file, within

_PYTHON = ("python", "python3")


class Bot(Frozen):
    """A bot that can be started, or can once it is built."""

    name: str
    """Fit for a file's name."""
    rules: tuple[str, ...] | None
    """The rule sets it claims to play; null for a script, which says nothing."""
    command: tuple[str, ...]
    """What starts it in `cwd`; while `build` is to be run, as its author wrote it."""
    cwd: str
    """The folder of its files, absolute."""
    build: tuple[str, ...] | None = None
    """What is to be run in a copy of its folder before it can be started; null when nothing is."""
    authors: tuple[str, ...] = ()
    digest: str
    """SHA-256, in hex, of the names and contents of its files as they were handed in."""
    source: str
    """Where it was handed in, absolute."""


def open_bot(path: Path) -> Bot:
    """The bot at `path`: a script, or a folder or an archive with a bot.toml.

    An archive is unpacked into the user's cache, by its digest. Raises PackageError.
    """
    source = path.absolute()
    try:
        if not source.exists():
            raise PackageError(path, [f"no such file{_nearest(source)}"])
        if source.is_dir():
            return open_folder(source, source)
        if is_archive(source) and source.is_file():
            return open_folder(_unpacked(source), source)
        return _open_script(source)
    except OSError as error:
        reason = f"{error.filename or 'it'} cannot be read: {error.strerror}"
        raise PackageError(path, [reason]) from None


def open_folder(folder: Path, source: Path) -> Bot:
    """The bot whose bot.toml lies in `folder`. Raises PackageError."""
    if not (folder / FILE_NAME).is_file():
        raise PackageError(
            source,
            [f"has no {FILE_NAME}, which says how it is started; `arena new` writes one"],
        )
    _, content = whole(folder)  # before it is read: links and huge files are refused
    manifest = read_manifest(folder / FILE_NAME)
    for key, words in (("command", manifest.command), ("build", manifest.build or ())):
        _refuse_files_outside(key, words, source)
    bot = Bot(
        name=manifest.name,
        rules=manifest.rules,
        command=manifest.command,
        cwd=str(folder),
        build=manifest.build,
        authors=manifest.authors,
        digest=content,
        source=str(source),
    )
    return bot if bot.build else startable(bot)


def startable(bot: Bot) -> Bot:
    """The same with its command resolved: nothing is left to be built. Raises PackageError."""
    folder = Path(bot.cwd)
    program, *arguments = bot.command
    if program in _PYTHON:  # the Python that runs the arena, so that all bots have the same
        command: tuple[str, ...] = (sys.executable, *arguments)
    else:
        try:
            if "/" in program and not (folder / program).resolve().is_relative_to(folder.resolve()):
                _refuse_outside(program)
            command = programs.command([program, *arguments], folder).command
        except ProgramError as error:
            hint = ""
            if "/" not in program and (folder / program).is_file():
                hint = f'; the file of that name in the package is started as "./{program}"'
            raise PackageError(Path(bot.source), [f"command: {error}{hint}"]) from None
    return bot.model_copy(update={"command": command, "build": None})


def _refuse_files_outside(key: str, words: tuple[str, ...], source: Path) -> None:
    """A sandbox shows what a command names: here a student wrote it, and may name our secrets.

    What is installed beside a program, it shows too: one elsewhere is found by the PATH.
    """
    for word in words:
        if not word.startswith("/") or not names_file(word):
            continue
        if not within(str(Path(word).resolve()), system.programs()):
            reason = (
                f"{key}: {word} is absolute; name files of the package as seen from its folder, "
                "and programs as the PATH finds them"
            )
            raise PackageError(source, [reason])


def _refuse_outside(program: str) -> None:
    if not Path(program).is_absolute():
        raise ProgramError(f'"{program}" leads out of the package')


def _open_script(source: Path) -> Bot:
    try:
        program = programs.script(str(source), source.parent)
    except ProgramError as error:
        raise PackageError(source, [str(error)]) from None
    if not is_name(source.stem):
        raise PackageError(source, [f"the file's name is the bot's, and {NAME_RULE}; rename it"])
    if source.stat().st_size > MAX_BYTES:
        raise PackageError(source, [f"is larger than {MAX_BYTES >> 20} MiB"])
    return Bot(
        name=source.stem,
        rules=None,
        command=program.command,
        cwd=program.cwd,
        digest=digest({source.name: source}),
        source=str(source),
    )


def _unpacked(archive: Path) -> Path:
    """The folder of the cache that holds what the archive holds."""
    cache = cache_root() / "bots"
    with made_aside(cache) as aside:
        unpack(archive, aside)
        _, content = whole(aside)
        final = cache / content
        settle(aside, final)
    return final


def _nearest(path: Path) -> str:
    siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, siblings, n=1)
    return f'; did you mean "{near[0]}"?' if near else ""
