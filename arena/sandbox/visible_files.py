"""Which files a player needs to see: its own, its program's, and what it was given besides."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.model.contender import Prepared
from arena.sandbox import system
from arena.sandbox.spawn import interpreter

_BESIDE_PROGRAMS = ("bin", "lib", "lib64", "libexec", "conf", "pyvenv.cfg")
"""What a program in a folder `bin` may need of that folder's parent: its libraries, a JDK's
settings, what tells Python where it is at home."""
_NEVER_WHOLE = frozenset({"/", "/dev", "/dev/shm", "/proc", "/sys", "/tmp", "/var/tmp"})
"""A player that lies right in one of these, or in the referee's home, sees its own file there and
nothing beside."""


class Link(NamedTuple):
    """A symbolic link on the way to a file."""

    at: str
    to: str
    """As it is written in the link."""


class Shown(NamedTuple):
    """What a player sees beside the system."""

    readable: tuple[str, ...]
    """Existing files and folders by their real paths, outer ones first, none twice."""
    writable: tuple[str, ...]
    links: tuple[Link, ...]
    """What leads there by the names that the command uses."""


def shown(spec: Prepared, program: str, search: str | None) -> Shown:
    """What `spec` needs to run `program` (absolute), which the PATH `search` was searched for."""
    wanted = [*_program(program, search), *spec.policy.readable]
    wanted += [word for word in spec.command[1:] if word.startswith("/") and names_file(word)]
    if spec.cwd is not None:
        wanted.append(str(Path(spec.cwd).absolute()))
    links: dict[Link, None] = {}
    writable = _real(spec.policy.writable, links)
    readable = _real(wanted, links) - {_home()}
    there = (*system.programs(), *system.settings())
    return Shown(
        tuple(sorted(path for path in readable - writable if not within(path, there))),
        tuple(sorted(writable)),
        tuple(link for link in links if not within(link.at, there)),
    )


def within(path: str, folders: Iterable[str]) -> bool:
    """Whether the path is one of the folders or lies below one."""
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def names_file(word: str) -> bool:
    """Whether a word of a command is the path of a file; it may be anything, a whole program."""
    with suppress(OSError):  # too long for a path
        return Path(word).is_file()
    return False


def trail(path: str) -> tuple[str, list[Link]]:
    """The real path of an absolute one, and the links on the way; of a loop, as far as it goes."""
    links: list[Link] = []
    done, rest = "/", [part for part in path.split("/") if part]
    while rest:
        part = rest.pop(0)
        if part == "..":
            done = os.path.dirname(done)  # noqa: PTH120  # plain text: every link is resolved
            continue
        here = done.rstrip("/") + "/" + part
        if part != "." and len(links) < 40 and Path(here).is_symlink():
            link = Link(here, str(Path(here).readlink()))
            links.append(link)
            rest = [piece for piece in link.to.split("/") if piece] + rest
            done = "/" if link.to.startswith("/") else done
        elif part != ".":
            done = here
    return done, links


def _real(paths: Iterable[str], links: dict[Link, None]) -> set[str]:
    found = set()
    for path in paths:
        real, passed = trail(path)
        links.update(dict.fromkeys(passed))
        if real not in _NEVER_WHOLE and Path(real).exists():
            found.add(real)
    return found


def _home() -> str | None:
    """The referee's home; None where it cannot be told."""
    try:
        return str(Path.home().resolve())
    except RuntimeError:
        return None


def _program(program: str, search: str | None) -> list[str]:
    """A program, its interpreter where it is a script, and what lies beside either."""
    wanted = _beside(program)
    with suppress(OSError):  # may be run and not read
        words = interpreter(program)
        if words:
            wanted += _beside(words[0])
        if words and Path(words[0]).name == "env":
            names = [word for word in words[1:] if not word.startswith("-")]
            found = shutil.which(names[0], path=search) if names else None
            wanted += _beside(found) if found else []
    return wanted


def _beside(program: str) -> list[str]:
    real, links = trail(program)
    wanted = [program]
    for place in (program, *(link.at for link in links), real):
        folder = Path(place).parent
        if folder.name == "bin" and not within(place, system.programs()):
            wanted += [str(folder.parent / name) for name in _BESIDE_PROGRAMS]
    return wanted
