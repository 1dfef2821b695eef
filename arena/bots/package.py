"""A bot as it is handed in: a script, a folder or an archive."""

import sys
from pathlib import Path

from arena.bots import programs
from arena.bots.archive import is_archive, unpack
from arena.bots.entries import MAX_BYTES, files_in
from arena.bots.manifest import FILE_NAME, NAME_RULE, is_name, read_manifest
from arena.bots.trees import digest, made_aside, settle
from arena.errors import PackageError, ProgramError
from arena.files.cache import cache_root
from arena.model import Frozen
from arena.sandbox import visible_files
from arena.sandbox.visible_files import names_file, within

_PYTHON = ("python", "python3")
ACTIVE, TREE = "active", "tree"
"""In a folder of submissions: the link to the version of a bot that plays, and its files there."""


class Bot(Frozen):
    """A bot that can be started, or can once it is built."""

    name: str  # also the name of files and folders
    rules: tuple[str, ...] | None
    """The rule sets it claims to play; null for a script, which claims none."""
    command: tuple[str, ...]
    """The command that starts it in `cwd`; before a build, as its author wrote it."""
    cwd: str  # the folder of its files, absolute
    build: tuple[str, ...] | None = None
    """The command to run in a copy of its folder before it can be started; null for none."""
    authors: tuple[str, ...] = ()
    digest: str  # SHA-256, in hex, of the names and contents of its files as they were handed in
    contents: str
    """The same of its files as they are now in `cwd`, perhaps built; of a script, of that alone."""
    source: str  # the absolute path at which it was handed in


def open_bot(path: Path) -> Bot:
    """The bot at `path`; an archive is unpacked into the user's cache. Raises PackageError."""
    source = path.absolute()
    try:
        if not source.exists():
            raise PackageError(path, [f"no such file{programs.nearest_to(source)}"])
        if source.is_dir():
            return open_folder(source, source)
        if is_archive(source) and source.is_file():
            with made_aside(package_store()) as aside:
                unpack(source, aside)
                final = package_store() / digest(files_in(aside))
                settle(aside, final)
            return open_folder(final, source)
        return _open_script(source)
    except OSError as error:
        reason = f"{error.filename or 'it'} cannot be read: {error.strerror}"
        raise PackageError(path, [reason]) from None


def open_folder(folder: Path, source: Path) -> Bot:
    """The bot with its bot.toml in `folder`. Raises PackageError."""
    if not (folder / FILE_NAME).is_file():
        raise PackageError(source, [_without_manifest(folder)])
    content = digest(files_in(folder))  # before it is read: links and huge files are refused
    manifest = read_manifest(folder / FILE_NAME)
    for key, words in (("command", manifest.command), ("build", manifest.build or ())):
        _refuse_files_outside(key, words, source)
    given, of = manifest.model_dump(), str(source)
    bot = Bot(**given, cwd=str(folder), digest=content, contents=content, source=of)
    return bot if bot.build else startable(bot)


def _without_manifest(folder: Path) -> str:
    """Why a folder without a bot.toml is no bot: it may be the home of a submitted one."""
    tree = folder / ACTIVE / TREE
    if not tree.is_dir():
        return f"has no {FILE_NAME}, which says how it is started; `arena new` writes one"
    scripts = [] if (tree / FILE_NAME).is_file() else sorted(entry.name for entry in tree.iterdir())
    bot = Path(folder.name, ACTIVE, TREE, *scripts[:1])
    return (
        f"is the folder of a submitted bot's versions; its active version is {bot}, "
        f'and from = "{folder.parent.name}" takes every bot there'
    )


def startable(bot: Bot) -> Bot:
    """The same bot with its command resolved and no build left to do. Raises PackageError."""
    folder = Path(bot.cwd)
    program, *arguments = bot.command
    if program in _PYTHON:  # the Python that runs the arena, so that all bots have the same
        command: tuple[str, ...] = (sys.executable, *arguments)
    else:
        try:
            named_only = "/" not in program or Path(program).is_absolute()
            if not named_only and not (folder / program).resolve().is_relative_to(folder.resolve()):
                raise ProgramError(f'"{program}" leads out of the package')
            command = programs.command([program, *arguments], folder).command
        except ProgramError as error:
            hint = ""
            if "/" not in program and (folder / program).is_file():
                hint = f'; the file of that name in the package is started as "./{program}"'
            raise PackageError(Path(bot.source), [f"command: {error}{hint}"]) from None
    return bot.model_copy(update={"command": command, "build": None})


def _refuse_files_outside(key: str, words: tuple[str, ...], source: Path) -> None:
    """A sandbox shows the files a command names: a student's could name our secrets. It also shows
    the files installed next to a program, so a program elsewhere must be on the PATH.
    """
    for word in words:
        own = not word.startswith("/") or not names_file(word)
        if not own and not within(str(Path(word).resolve()), visible_files.programs()):
            reason = (
                f"{key}: {word} is absolute; name files of the package as seen from its folder, "
                "and programs as the PATH finds them"
            )
            raise PackageError(source, [reason])


def _open_script(source: Path) -> Bot:
    try:
        program = programs.script(str(source), source.parent)
    except ProgramError as error:
        raise PackageError(source, [str(error)]) from None
    if not is_name(source.stem):
        raise PackageError(source, [f"the file's name is the bot's, and {NAME_RULE}; rename it"])
    if source.stat().st_size > MAX_BYTES:
        raise PackageError(source, [f"is larger than {MAX_BYTES >> 20} MiB"])
    content = digest({source.name: source})
    return Bot(
        name=source.stem,
        rules=None,
        command=program.command,
        cwd=program.cwd,
        digest=content,
        contents=content,
        source=str(source),
    )


def package_store() -> Path:
    """The folder of the user's cache with packages by the digest of their files."""
    return cache_root() / "bots"
