"""The build of a bot: its build command runs in a copy of its folder, in a sandbox, once for each
content; the result is kept in the user's cache.
"""

import errno
import hashlib
import os
import re
import selectors
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.bots.entries import files_in, files_of
from arena.bots.package import (
    ANOTHER_CACHE,
    Bot,
    made_in_store,
    package_store,
    place_in_cache,
    startable,
    with_python,
)
from arena.bots.trees import copy, digest, hold, settle
from arena.errors import BuildError, PackageError
from arena.files.plain_text import printable
from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.sandbox.container import Container
from arena.sandbox.stand_ins import past_stand_in

MAX_SECONDS = 120
MAX_MEMORY_MB = 2048
MAX_DISK_MB = 512
"""For its files while it is built, and for each of its private folders."""
MAX_FILES = 32_768
"""Files and folders, while it is built: empty ones take room too."""
_MAX_PROCESSES = 256
_KEPT_BYTES = 2**16  # of the build's output; its beginning helps most
_SHOWN_LINES = 10
_COMPILER_ERROR = re.compile(
    r"\berror\b|(?-i:\bFatal:)|undefined reference|multiple definition|cannot find -l",
    re.IGNORECASE,
)
_PLACE = re.compile(r'(?:File ")?[\w./-]+(?::|", line )\d+[:,]')
"""Above an error that does not name it, as OCaml and Fortran write."""
_LOOK_S = 0.2  # how often time and disk are checked


@contextmanager
def _cache_named() -> Iterator[None]:
    """Have errors in writing the cache say what moves it."""
    try:
        yield
    except OSError as error:
        if (at := place_in_cache(error)) is None:
            raise
        why = f"{error.strerror}; this is in the cache, and {ANOTHER_CACHE}"
        raise OSError(error.errno, why, str(at)) from error


@_cache_named()
def build(bot: Bot, mode: Mode, python: str = sys.executable) -> Bot:
    """The bot ready to start, built in this `mode` with that `python3`. Raises BuildError."""
    if bot.build is None:
        return bot
    store = package_store()
    words = with_python(bot.build, python)
    other = words != with_python(bot.build)  # then what it makes may differ
    by_python = f"-{hashlib.sha256(python.encode()).hexdigest()[:12]}" if other else ""
    final = store / f"{bot.digest}-built{by_python}"
    hold(final)
    if not final.is_dir():
        with made_in_store() as aside:
            settle(_made(bot, words, aside, mode), final)
    try:
        contents = digest(final, files_in(final))
        return startable(bot.model_copy(update={"cwd": str(final), "contents": contents}))
    except PackageError as error:
        sentence = f"its build command ended well, but then: {error.reasons[0]}"
        raise BuildError(Path(bot.source), [sentence]) from None


def _made(bot: Bot, words: tuple[str, ...], aside: Path, mode: Mode) -> Path:
    """A folder in `aside` with the bot's files and those that its build command makes of them."""
    work, made = aside / "work", aside / "made"
    work.mkdir()
    made.mkdir()
    here = Path(bot.cwd)
    copy(here, files_of(here, bot.opens), work, follow=bot.opens != ".")
    if digest(work, files_in(work)) != bot.digest:
        raise BuildError(Path(bot.source), ["was changed while it was read; try again"])
    _run(bot, words, work, mode)
    try:
        results = files_in(work)
    except PackageError as error:
        refused = "the result of its build command is refused"
        reasons = [f"{refused}: {reason}" for reason in error.reasons]
        raise BuildError(Path(bot.source), reasons) from None
    except OSError as error:
        reason = f"the result of its build command cannot be read: {error.strerror}"
        raise BuildError(Path(bot.source), [reason]) from None
    copy(work, results, made)
    return made


def _run(bot: Bot, words: tuple[str, ...], folder: Path, mode: Mode) -> None:
    path = os.environ.get("PATH", os.defpath)
    policy = Policy(
        mode=mode,
        writable=(str(folder),),
        environment={"PATH": past_stand_in("rustc", path) or path},  # which a script may start
        processes=_MAX_PROCESSES,
        disk_mb=MAX_DISK_MB,
    )
    prepared = Prepared(
        name=bot.name, command=words, cwd=str(folder), memory_mb=MAX_MEMORY_MB, policy=policy
    )
    container = Container(prepared)
    output = bytearray()
    try:
        with container.running() as process:
            wrong = _follow(container, process, folder, output)
    except PlayerFault as fault:
        wrong = f"could not be started: {fault.detail}"
    if wrong:
        sentence = f"its build command, {shlex.join(bot.build or words)}, {wrong}"
        text = output.decode("utf-8", "replace")
        text = text.replace(f"{folder}/", "").replace(str(folder), ".")
        if lines := first_errors(text):
            sentence += ":\n    " + "\n    ".join(lines)
        raise BuildError(Path(bot.source), [sentence])


def _follow(
    container: Container, process: subprocess.Popen[bytes], folder: Path, output: bytearray
) -> str | None:
    assert process.stdin and process.stdout and process.stderr, "a container gives all three"
    process.stdin.close()
    deadline = time.monotonic() + MAX_SECONDS
    private = container.allocation.folder if container.allocation else None
    folders = [str(folder), *([private] if private else [])]
    with selectors.DefaultSelector() as selector:
        for pipe in (process.stdout, process.stderr):
            selector.register(pipe, selectors.EVENT_READ)
        while True:
            ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            _listen(selector, output)
            if container.out_of_memory() or container.memory_bytes() > MAX_MEMORY_MB * 2**20:
                return f"took more than {MAX_MEMORY_MB} MB of memory"
            if (too_much := _beyond_disk(folders)) is not None:
                return too_much
            if ended is not None and ended.si_code == os.CLD_EXITED:
                return f"ended with exit code {ended.si_status}" if ended.si_status else None
            if ended is not None:
                return f"was ended by signal {ended.si_status}"
            if time.monotonic() > deadline:
                return f"took more than {MAX_SECONDS} s"


def _listen(selector: selectors.BaseSelector, output: bytearray) -> None:
    """Take the output for a moment; beyond the part that is kept, it is thrown away."""
    until = time.monotonic() + _LOOK_S
    while (left := until - time.monotonic()) > 0:
        if not selector.get_map():
            time.sleep(0.01)  # it has closed both and will end
            return
        for key, _ in selector.select(left):
            pipe = key.fileobj
            assert not isinstance(pipe, int), "registered as a file"
            data = os.read(key.fd, _KEPT_BYTES)
            output += data[: _KEPT_BYTES - len(output)]
            if not data:
                selector.unregister(pipe)


def _beyond_disk(folders: list[str]) -> str | None:
    """How the files below go beyond the limits; None while they do not."""
    total, count, pending = 0, 0, list(folders)
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    count += 1
                    if count > MAX_FILES:
                        return f"made more than {MAX_FILES:,} files"
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        with suppress(FileNotFoundError):  # it comes and goes
                            total += entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError as error:  # folders come and go too
            if error.errno == errno.ENAMETOOLONG:
                return "made folders deeper than the system allows paths to be"
    return f"wrote more than {MAX_DISK_MB} MB" if total > MAX_DISK_MB * 2**20 else None


def first_errors(output: str) -> list[str]:
    """The lines with a compiler's first errors. They begin with the place of the first, where that
    is above it, or with the line that uses a template of the system's. Without errors, the first
    lines.
    """
    lines = [printable(line.expandtabs()) for line in output.splitlines() if line.strip()]
    first = next((at for at, line in enumerate(lines) if _COMPILER_ERROR.search(line)), 0)
    if lines and lines[first].startswith("Error: "):
        near = range(max(0, first + 1 - _SHOWN_LINES), first)
        first = max((at for at in near if _PLACE.match(lines[at])), default=first)
    errors = lines[first : first + _SHOWN_LINES]
    if "".join(errors[:1]).startswith("/usr/include/"):
        errors[:0] = [line for line in lines[:first] if line.endswith("required from here")][-1:]
    return errors
