"""The files a player needs to see: the system's, its own, its program's, and those it was given."""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena.model.contender import Prepared
from arena.sandbox.spawn import interpreter

_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
    "/nix/store", "/gnu/store", "/snap",
    "/var/lib/ghc",  # Debian's list of Haskell packages, without which GHC builds nothing
)  # fmt: skip
"""Programs and libraries, wherever a distribution keeps them."""
_SETTINGS = (
    # the loader, alternatives, users, time and languages
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "alternatives",
    "passwd", "group", "nsswitch.conf", "localtime", "timezone", "locale.alias", "os-release",
    # runtimes and compilers look for these; of php and ssl nothing secret
    "java*", "python3*", "mono", "ghc*", "R", "nim", "fpc*.cfg", "mime.types", "crypto-policies",
    "php/*/cli", "php/*/mods-available", "php.ini", "php.d",
    "ssl/openssl.cnf", "ssl/certs", "ca-certificates", "pki/tls/certs", "pki/tls/openssl.cnf",
    "pki/java", "pki/ca-trust/extracted",
)  # fmt: skip
_KERNEL = (
    "/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat",
    "/proc/sys", "/proc/uptime", "/proc/version", "/sys/devices/system", "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage", "/sys/kernel/mm/hugepages",
)  # fmt: skip
"""Facts about the machine that runtimes read; nothing about its processes."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
"""Devices every player may read and write."""

_NEXT_TO_PROGRAMS = ("bin", "lib", "lib64", "libexec", "conf", "pyvenv.cfg")
"""Names in the parent of a folder `bin` that a program there may need: its libraries, a JDK's
settings, the file that names Python's home.
"""
_NEVER_WHOLE = frozenset({"/", "/dev", "/dev/shm", "/proc", "/sys", "/tmp", "/var/tmp"})
"""A player in one of these itself, or in the referee's home, sees its own file there alone."""


class Link(NamedTuple):
    """A symbolic link on the way to a file; `to` is its text."""

    at: str
    to: str


class VisibleFiles(NamedTuple):
    """The files a player sees besides the system's."""

    readable: tuple[str, ...]
    """Existing files and folders by their real paths, outer ones first, none twice."""
    writable: tuple[str, ...]
    links: tuple[Link, ...]  # links that lead there by the names that the command uses


def visible_to(spec: Prepared, program: str, search: str | None) -> VisibleFiles:
    """The files `spec` needs to run `program` (absolute), found by the PATH `search`."""
    named = spec.policy.shows_named
    paths = [*_next_to(program), *_interpreter(program, search, anywhere=named)]
    paths += spec.policy.readable
    cwd = [] if spec.cwd is None else [str(Path(spec.cwd).absolute())]
    if named:
        words = (str(Path(*cwd, word)) for word in spec.command[1:])
        paths += [word for word in words if word.startswith("/") and names_file(word)]
    paths += cwd
    links: dict[Link, None] = {}
    writable = _real(spec.policy.writable, links)
    readable = _real(paths, links)
    with suppress(RuntimeError):  # unknown
        readable.discard(str(Path.home().resolve()))
    there = (*programs(), *settings())
    return VisibleFiles(
        tuple(sorted(path for path in readable - writable if not within(path, there))),
        tuple(sorted(writable)),
        tuple(link for link in links if not within(link.at, there)),
    )


def within(path: str, folders: Iterable[str]) -> bool:
    """Whether the path is one of the folders or below one."""
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def of_system(path: str) -> bool:
    return within(str(Path(path).resolve()), programs())


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
        to = _link(here) if part != "." and len(links) < 40 else None
        if to is not None:
            link = Link(here, to)
            links.append(link)
            rest = [piece for piece in link.to.split("/") if piece] + rest
            done = "/" if link.to.startswith("/") else done
        elif part != ".":
            done = here
    return done, links


def _link(path: str) -> str | None:
    """The text of a symbolic link; None where the path is none."""
    with suppress(OSError):
        return os.readlink(path)  # noqa: PTH115  # `Path` takes five times as long
    return None


def _real(paths: Iterable[str], links: dict[Link, None]) -> set[str]:
    found = set()
    for path in paths:
        real, passed = trail(path)
        links.update(dict.fromkeys(passed))
        if real not in _NEVER_WHOLE and os.path.exists(real):  # noqa: PTH110  # `Path` takes longer
            found.add(real)
    return found


def _interpreter(program: str, search: str | None, *, anywhere: bool) -> list[str]:
    """The interpreter of a script, and the files next to it: one that `env` finds on the PATH, or
    `anywhere`.
    """
    with suppress(OSError):  # may be run and not read
        words = interpreter(program)
        names = [word for word in words[1:] if not word.startswith("-")]
        paths = _next_to(words[0]) if words and anywhere else []
        if names and Path(words[0]).name == "env" and "/" not in names[0]:
            path = shutil.which(names[0], path=search)
            paths += _next_to(path) if path else []
        return paths
    return []


def _next_to(program: str) -> list[str]:
    real, links = trail(program)
    paths = [program]
    for place in (program, *(link.at for link in links), real):
        folder = Path(place).parent
        if folder.name == "bin" and not within(place, programs()):
            paths += [str(folder.parent / name) for name in _NEXT_TO_PROGRAMS]
    return paths


@cache
def programs() -> tuple[str, ...]:
    """The folders of this system's programs and libraries, as they are named here."""
    return tuple(path for path in _SYSTEM if Path(path).exists())


@cache
def settings() -> tuple[str, ...]:
    """Files and folders below /etc that programs need, as they are named here; nothing secret."""
    etc = Path("/etc")
    return tuple(str(path) for name in _SETTINGS for path in sorted(etc.glob(name)))


@cache
def kernel() -> tuple[str, ...]:
    """Files of /proc and /sys that describe the machine to a runtime."""
    return tuple(path for path in _KERNEL if Path(path).exists())
