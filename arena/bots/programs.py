"""Programs: from the words of a file to a command this machine can start."""

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.errors import ProgramError
from arena.files.toml_tables import nearest, shown
from arena.sandbox import spawn
from arena.sandbox.stand_ins import past_stand_in
from arena.sandbox.visible_files import of_system

INTERPRETERS: dict[str, tuple[str, ...]] = {
    ".py": (sys.executable,),
    ".js": ("node",),
    ".mjs": ("node",),
    ".sh": ("sh",),
    ".jar": ("java", "-jar"),
}
"""The interpreter of a script, by its suffix; any other file must be executable itself. A shell's
script that names its own is run by that.
"""

_CPP = ("g++ -std=c++17 -O2 -Wall -Wextra -o bot {file}", "./bot")
_SOURCES = {
    ".c": ("gcc -std=c17 -O2 -Wall -Wextra -o bot {file} -lm", "./bot"),
    ".cc": _CPP,
    ".cpp": _CPP,
    ".cxx": _CPP,
    ".go": ("go build -o bot {file}", "./bot"),
    ".java": (
        "javac -encoding UTF-8 -Xlint:all -sourcepath . -d classes {file}",
        "java -XX:+UseSerialGC -cp classes {stem}",
    ),
    ".rs": ("rustc --edition=2021 -O --crate-name bot -o bot {file}", "./bot"),
}
"""How a source file is built, and how what that makes is started, by its suffix."""
SUFFIXES = frozenset({*INTERPRETERS, *_SOURCES})
"""Of files that are a bot by themselves."""
_FOR_A_FOLDER = (
    ".cs", ".d", ".dart", ".hs", ".kt", ".ml", ".nim", ".pas", ".scala", ".swift", ".ts", ".zig",
)  # fmt: skip
"""Suffixes of sources that only a folder with a build command can compile."""
_OTHER_ARCHIVES = (".7z", ".bz2", ".gz", ".rar", ".xz", ".zst")
_NOEXEC = (
    "may not be run: its file system is mounted noexec; use another (built bots are in the cache, "
    "which the variable ARENA_CACHE_DIR moves)"
)


class Program(NamedTuple):
    command: tuple[str, ...]
    cwd: str


class Build(NamedTuple):
    build: tuple[str, ...]
    command: tuple[str, ...]


def build_of(file: str) -> Build | None:
    """How a source file of that name is built in its folder; None for any other file."""
    path = Path(file)
    lines = _SOURCES.get(path.suffix)
    if lines is None:
        return None
    names = {"file": file, "stem": path.stem}
    return Build(*(tuple(word.format(**names) for word in line.split()) for line in lines))


def is_path(bot: str, folder: Path) -> bool:
    """Whether `bot` is the path of a file, a folder or a version, not a built-in's name."""
    return "/" in bot or "@" in bot or Path(bot).suffix in SUFFIXES or (folder / bot).exists()


def python(written: str | None, folder: Path, *, or_path: str = ", or write its path") -> str:
    """The Python `written`, a program of the PATH or a path relative to `folder`; None for the one
    that runs the arena. Raises ProgramError, which advises `or_path` where that may be written.
    """
    if written is None:
        return sys.executable
    if "/" in written:
        return command([written], folder).command[0]
    path = shutil.which(written, path=past_stand_in(written, os.environ.get("PATH")))
    if path is None:
        program = f"python{written}"
        do = f'write "{program}"' if shutil.which(program) else f"install it{or_path}"
        raise ProgramError(f'Python "{written}" is not on the PATH; {do}')
    return str(Path(path).absolute())


def script(written: str, folder: Path) -> Program:
    """The script `written`, relative to `folder`, started in its own folder by its interpreter; of
    a source file what its build makes.
    """
    path = existing(written, folder)
    if path.is_dir():
        raise ProgramError(f"{path} is a folder; name the script in it")
    if not path.is_file():
        raise ProgramError(f"{path} is not a plain file; name a script")
    if not os.access(path, os.R_OK):
        raise ProgramError(f"{path} is not readable; check its permissions")
    if source := build_of(path.name):
        if shutil.which(source.build[0]) is None:
            raise ProgramError(
                f"{path} needs {source.build[0]}, which is not on the PATH; install it, or submit "
                "a folder with a bot.toml and what it makes"
            )
        return Program(source.command, str(path.parent))
    interpreter = INTERPRETERS.get(path.suffix)
    if path.suffix == ".sh" and (named := spawn.interpreter(str(path))):
        if not all(word.isprintable() for word in named):  # no record can keep such a command
            raise ProgramError(
                f"{path}, line 1: the #! line is not UTF-8, or has control characters; remove them"
            )
        if not Path(named[0]).exists():
            raise ProgramError(
                f"{path}, line 1: the interpreter {named[0]} does not exist; name another"
            )
        refuse_interpreter(path)
        interpreter = tuple(named)
    if interpreter is None:
        other = (*_FOR_A_FOLDER, *_OTHER_ARCHIVES)
        is_other = path.suffix.lower() in other and not spawn.interpreter(str(path))
        if is_other or not os.access(path, os.X_OK):
            raise ProgramError(f"{path} {_why_no_script(path)}")
        refuse_interpreter(path)
        return Program((str(path),), str(path.parent))
    if shutil.which(interpreter[0]) is None:
        raise ProgramError(f"{path} needs {interpreter[0]}, which is not on the PATH; install it")
    return Program((*interpreter, str(path)), str(path.parent))


def _why_no_script(path: Path) -> str:
    """Why a file is no script, and what to submit."""
    suffix = path.suffix.lower()
    if suffix in _FOR_A_FOLDER:
        return "has to be compiled; submit a folder whose bot.toml does that, as `arena new` shows"
    if suffix in _OTHER_ARCHIVES:
        return "is a file of a kind that is not unpacked; pack the bot's folder as .zip or .tar.gz"
    if suffix in SUFFIXES:
        return f"is not executable and has no known interpreter; end its name in {suffix}"
    if _runs_nothing(path):
        return _NOEXEC
    return (
        f"is not executable and has no known interpreter (known: {' '.join(INTERPRETERS)}); a bot "
        f"is such a script, a source file ({' '.join(_SOURCES)}), an executable file that begins "
        "with a #! line, or a folder, .zip or .tar.gz with a bot.toml"
    )


def refuse_interpreter(program: Path) -> None:
    """Raise ProgramError for a #! line with a program that no sandbox shows: not the system's."""
    with suppress(OSError):  # may be run and not read
        for name in spawn.interpreter(str(program))[:1]:
            if Path(name).exists() and not of_system(name):
                raise ProgramError(
                    f"{program}, line 1: the interpreter {name} is not the system's; write "
                    f"#!/usr/bin/env {Path(name).name}, which finds it on the PATH"
                )


def command(words: list[str], folder: Path) -> Program:
    """A command line started in `folder`; a program with a slash is relative to it."""
    refuse_joined_words(words, folder)
    program, *arguments = words
    if "/" in program:
        path = existing(program, folder)
        if path.is_dir() or not os.access(path, os.X_OK):
            otherwise = "is not an executable file; make it one with chmod +x"
            raise ProgramError(f"{path} {_NOEXEC if _runs_nothing(path) else otherwise}")
        return Program((str(path), *arguments), str(folder))
    if shutil.which(program) is None:
        raise ProgramError(
            f'program "{program}" is not on the PATH; install it, or give its path with a slash'
        )
    return Program((program, *arguments), str(folder))


def _runs_nothing(file: Path) -> bool:
    return file.is_file() and bool(os.statvfs(file).f_flag & os.ST_NOEXEC)


def refuse_joined_words(words: Sequence[str], folder: Path) -> None:
    """Raise ProgramError where the program is the beginning of a command line in one word."""
    program, *arguments = words
    first, *others = program.split() or [program]
    if others and not (folder / program).exists() and is_there(first, folder):
        raise ProgramError(
            f'there is no program "{program}"; write each word by itself: '
            f"{shown([first, *others, *arguments])}"
        )


def is_there(program: str, folder: Path) -> bool:
    return (folder / program).is_file() if "/" in program else shutil.which(program) is not None


def existing(written: str, folder: Path) -> Path:
    """The path `written`, relative to `folder`. Raises ProgramError with the nearest name."""
    path = Path(os.path.abspath(folder / written))  # noqa: PTH100  # links stay as written
    try:
        if path.exists():
            return path
        near = nearest_to(path)
    except OSError as error:
        raise ProgramError(unreachable(error)) from None
    raise ProgramError(f"no such file: {path}{near}")


def unreachable(error: OSError) -> str:
    """Why a path cannot be looked at, and what to do."""
    return f"{error.filename}: {error.strerror}; check it and the permissions of its folders"


def nearest_to(path: Path) -> str:
    """`; did you mean "bot.py"?`: the nearest name in the folder; empty where none is near."""
    siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    return nearest(path.name, siblings)
