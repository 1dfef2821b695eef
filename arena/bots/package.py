"""A bot as it is submitted: a script, a source file, a folder or an archive."""

import errno
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from arena.bots import programs
from arena.bots.archive import is_archive, unpack
from arena.bots.course_file import FILE as COURSE
from arena.bots.entries import MAX_BYTES, EntryJudge, files_in
from arena.bots.manifest import FILE_NAME, NAME_RULE, is_name, read_manifest
from arena.bots.trees import (
    chunks,
    copy,
    digest,
    hold,
    made_aside,
    remove_unheld,
    runs,
    settle,
    write,
)
from arena.errors import ManifestError, PackageError, ProgramError
from arena.files.cache import CACHE_VARIABLE, cache_root
from arena.model import Frozen
from arena.sandbox import visible_files
from arena.sandbox.visible_files import names_file, within

ANOTHER_CACHE = f"{CACHE_VARIABLE} names another"
_PYTHON = ("python", "python3")
ACTIVE, TREE = "active", "tree"
"""In a folder of submissions: the link to the version of a bot that plays, and its files there."""


class Bot(Frozen):
    """A bot that can be started, or can once it is built."""

    name: str  # also the name of files and folders
    rules: tuple[str, ...] | None
    """The rule sets it claims to play; null for a script or a source file, which claim none."""
    command: tuple[str, ...]
    """The command that starts it in `cwd`; before a build, as its author wrote it."""
    cwd: str  # the folder of its files, absolute
    build: tuple[str, ...] | None = None
    """The command to run in a copy of its folder before it can be started; null for none."""
    authors: tuple[str, ...] = ()
    python: str | None = None
    """The Python that bot.toml names for its scripts; null where it names none."""
    digest: str  # SHA-256, in hex, of the names and contents of its files as they were submitted
    contents: str
    """The same of its files as they are now in `cwd`, perhaps built; of a script, of that alone."""
    source: str  # the absolute path at which it was submitted
    number: int | None = None
    """Of a submitted bot: its version's, from 1."""
    owner: str | None = None
    """Of a bot of a course: whose it is."""
    opens: str = "."
    """The path in `cwd`: the file of a script; "." for a package."""


def open_bot(path: Path, *, again: bool = False) -> Bot:
    """The bot at `path`; an archive is unpacked into the user's cache. What was opened before is
    not refused `again` for files its commands name, which may have come since. Raises PackageError.
    """
    source = path.absolute()
    with _errors_about(path):
        if source.is_dir():
            return open_folder(source, source, again=again)
        if is_archive(source) and source.is_file():
            with made_in_store() as aside, source.open("rb") as file:
                unpack(source, file, aside)
                return open_folder(_stored(aside), source)
        refuse_nameless(source)
        return _open_script(source, source)


def refuse_nameless(script: Path) -> None:
    """Raise PackageError where the name of a script's file cannot be a bot's."""
    if not is_name(script.stem):
        raise PackageError(script, [f"the file's name is the bot's, and {NAME_RULE}; rename it"])


def take(path: Path) -> Bot:
    """The bot at `path`, copied into the user's cache as it is now: what is checked there is what
    is accepted. No link is followed, `path` included. A script whose file's name cannot be a bot's
    is named `bot`. Raises PackageError.
    """
    source = path.absolute()
    with _errors_about(path), made_in_store() as aside, ExitStack() as held:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        held.callback(os.close, descriptor)
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            _refuse_without_manifest(source, source)
            here = Path(f"/proc/self/fd/{descriptor}")  # whatever has its path now
            try:
                copy(here, files_in(here), aside)
            except OSError as error:
                if isinstance(error.filename, str):
                    error.filename = error.filename.replace(str(here), str(source))
                raise
            return open_folder(_stored(aside), source)
        if not stat.S_ISREG(mode):
            raise PackageError(path, ["is not a plain file"])
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            if is_archive(source):
                unpack(source, file, aside)
                return open_folder(_stored(aside), source)
            parts = EntryJudge(path, PackageError).counted(chunks(file))
            name = source.name if is_name(source.stem) else f"bot{source.suffix}"
            write(aside / name, parts, runs(file))
            return _open_script(_stored(aside) / name, source)


def forget(bot: Bot) -> None:
    """Remove the copy of a bot from the user's cache, and its build, but for what another process
    uses: a run that plays the same files, or another check of them.
    """
    taken = Path(bot.cwd)
    if taken.parent == package_store():
        for place in taken.parent.glob(f"{taken.name}*"):
            remove_unheld(place)


def refuse_missing(path: Path) -> None:
    """Raise PackageError, which names the nearest file, where there is none at `path`."""
    if not os.path.lexists(path):
        raise PackageError(path, [f"no such file{programs.nearest_to(path.absolute())}"])


@contextmanager
def _errors_about(path: Path) -> Iterator[None]:
    """Raise errors of reading the bot at `path` as PackageError about that path."""
    refuse_missing(path)
    try:
        yield
    except ManifestError as error:
        raise ManifestError(path / FILE_NAME, error.problems) from None
    except PackageError as error:
        raise type(error)(path, error.reasons) from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            reason = "is a symbolic link; name the file or folder itself"
        elif error.filename != str(path) and (at := place_in_cache(error)):
            reason = f"the cache {at} cannot be used: {error.strerror}; {ANOTHER_CACHE}"
        else:
            inner = str(error.filename or "it").removeprefix(f"{path.absolute()}/")
            reason = f"{inner} cannot be read: {error.strerror}"
        raise PackageError(path, [reason]) from None


def place_in_cache(error: OSError) -> Path | None:
    """The place in the cache that an error is about: one of a full disk may name none."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    at = Path(error.filename) if error.filename else package_store() if full else None
    is_there = at and (within(str(at), [str(cache_root())]) or at in cache_root().parents)
    return at if is_there else None


def _stored(aside: Path) -> Path:
    """The folder of the cache for the files in `aside`, which become it."""
    final = package_store() / digest(aside, files_in(aside))
    hold(final)
    settle(aside, final)
    return final


def open_folder(folder: Path, source: Path, *, again: bool = False) -> Bot:
    """The bot with its bot.toml in `folder`, as `open_bot` opens it. Raises PackageError."""
    _refuse_without_manifest(folder, source)
    files = files_in(folder)  # before one is read: links and huge files are refused
    content = digest(folder, files)
    manifest = read_manifest(folder / FILE_NAME)
    if not again:
        _refuse_files_outside("command", manifest.command, source)
        _refuse_files_outside("build", manifest.build or (), source)
    if manifest.build:
        try:
            programs.refuse_joined_words(manifest.build, folder)
        except ProgramError as error:
            raise PackageError(source, [f"build: {error}"]) from None
    own = manifest.model_dump()
    bot = Bot(**own, cwd=str(folder), digest=content, contents=content, source=str(source))
    return bot if bot.build else startable(bot)


def _refuse_without_manifest(folder: Path, source: Path) -> None:
    """A folder without a bot.toml is no bot: it may be the home of a submitted one."""
    if (folder / FILE_NAME).is_file():
        return
    tree = folder / ACTIVE / TREE
    has_bots = any((each / ACTIVE).is_symlink() for each in folder.iterdir())
    if has_bots or (folder / COURSE).is_file():
        of_bots = f'is a folder of submissions; from = "{folder.name}" takes every bot there'
        raise PackageError(source, [of_bots])
    if not tree.is_dir():
        for below in ("*", "*/*", "*/*/*"):
            for found in sorted(folder.glob(f"{below}/{FILE_NAME}"))[:1]:
                inner = Path(source.name) / found.parent.relative_to(folder)
                deeper = f"has no {FILE_NAME}, but {inner} has one; submit that folder"
                raise PackageError(source, [deeper])
        missing = f"has no {FILE_NAME}, which says how it is started; `arena new` writes one"
        raise PackageError(source, [missing])
    scripts = [] if (tree / FILE_NAME).is_file() else sorted(entry.name for entry in tree.iterdir())
    bot = Path(folder.name, ACTIVE, TREE, *scripts[:1])
    reason = (
        f"is the folder of a submitted bot's versions; its active version is {bot}, "
        f'and from = "{folder.parent.name}" takes every bot there'
    )
    raise PackageError(source, [reason])


def startable(bot: Bot) -> Bot:
    """The same bot with its command resolved and no build left to do. Raises PackageError."""
    folder = Path(bot.cwd)
    command = with_python(bot.command)
    program = command[0]
    if command == bot.command:
        try:
            is_own = (folder / program).resolve().is_relative_to(folder.resolve())
            is_absolute = Path(program).is_absolute()
            is_known = program == sys.executable or visible_files.of_system(program)
            if "/" in program and not is_own and not (is_absolute and is_known):
                raise ProgramError(f'"{program}" leads out of the package')
            command = programs.command(list(command), folder).command
            if "/" in program:
                programs.refuse_interpreter(Path(command[0]))
        except ProgramError as error:
            hint = ""
            if "/" not in program and (folder / program).is_file():
                hint = f'; the file of that name in the package is started as "./{program}"'
            elif is_archive(Path(bot.source)) and _is_not_marked(folder / program):
                hint = (
                    "; Windows packs no such mark, so name a script's interpreter there: "
                    f'["sh", "{program}"]'
                )
            reason = str(error).replace(f"{folder}/", "")
            raise PackageError(Path(bot.source), [f"command: {reason}{hint}"]) from None
    return bot.model_copy(update={"command": command, "build": None})


def _is_not_marked(file: Path) -> bool:
    """Whether it is a file that is not executable."""
    return file.is_file() and not file.stat().st_mode & 0o100


def with_python(words: tuple[str, ...], python: str = sys.executable) -> tuple[str, ...]:
    """A command with a certain Python, by default the arena's, in place of that or `python3`."""
    return (python, *words[1:]) if words[0] in (*_PYTHON, sys.executable) else words


def _refuse_files_outside(key: str, words: Sequence[str], source: Path) -> None:
    """No sandbox shows the files outside that a package's commands name."""
    for word in words:
        if word.startswith("/") and names_file(word) and not visible_files.of_system(word):
            reason = (
                f"{key}: {word} is absolute; name files of the package as seen from its folder, "
                "and programs as the PATH finds them"
            )
            raise PackageError(source, [reason])


def _open_script(place: Path, source: Path) -> Bot:
    """The script or source file that was submitted at `source` and is now at `place`."""
    try:
        program = programs.script(str(place), place.parent)
    except ProgramError as error:
        reason = str(error).removeprefix(str(place)).lstrip(", ").replace(str(place), str(source))
        raise PackageError(source, [reason]) from None
    if place.stat().st_size > MAX_BYTES:
        raise PackageError(source, [f"is larger than {MAX_BYTES >> 20} MiB"])
    content = digest(place.parent, (place.name,), follow=True)
    build = programs.build_of(place.name)
    return Bot(
        name=place.stem,
        rules=None,
        command=program.command,
        cwd=program.cwd,
        build=build.build if build else None,
        opens=place.name,
        digest=content,
        contents=content,
        source=str(source),
    )


@contextmanager
def made_in_store() -> Iterator[Path]:
    """The same as `made_aside` in the cache, which has bots of many owners and so is closed to
    others; not that of root, whose players have users of their own and read them.
    """
    store = package_store()
    store.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(store.stat().st_mode)
    closed = mode & ~(stat.S_IRWXO if mode & stat.S_IWGRP else stat.S_IRWXO | stat.S_IRWXG)
    if mode != closed and os.geteuid():
        with suppress(PermissionError):  # another user's
            store.chmod(closed)
    with made_aside(store) as aside:
        yield aside


def package_store() -> Path:
    """The folder of the user's cache with packages by the digest of their files."""
    return cache_root() / "bots"
