"""What of this machine matters to a tournament: found out by looking and trying, and shown."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field
from rich.console import Console
from rich.text import Text

import rules
from arena.errors import SandboxError
from arena.files.cache import CACHE_VARIABLE, cache_root
from arena.model import Frozen
from arena.model.containment import Guarantee, Held, SandboxChoice
from arena.model.contender import Prepared
from arena.model.record import Host
from arena.reports.words import holding
from arena.sandbox import cgroups
from arena.sandbox.features import available_memory, cpu_quota, this_host, usable_cores
from arena.sandbox.overload import DELAY_S, delay_warning, scheduling_delay, used_by_others
from arena.sandbox.probe import attempts, resolve
from players.compiled.folder import cache_folder

NEEDED = (Guarantee.MEMORY, Guarantee.NETWORK, Guarantee.FILES, Guarantee.PIDS)
"""Without these, programs of strangers are a danger to the machine or to each other."""
_LANGUAGES = {
    "python": ((sys.executable, "--version"),),
    "javascript": (("node", "--version"),),
    "java": (("java", "-version"), ("javac", "-version")),
    "c": (("gcc", "--version"),),
    "c++": (("g++", "--version"),),
    "go": (("go", "version"),),
    "rust": (("rustc", "--version"), ("cargo", "--version")),
}
"""What bots of a language are started or built with, and how it tells its version."""
_PATIENCE_S = 20.0
_ZONES = "/usr/share/zoneinfo"
_OWN_RULES = re.compile(r"(?:<[^>]+>|[A-Za-z]{3,})[+-]?\d")
"""How a time zone begins that is no name of a file. Source: tzset(3)."""


class TriedSandbox(Frozen):
    """One mode, tried."""

    mode: SandboxChoice
    held: Held | None  # its guarantees; null where it cannot be used
    reason: str | None = None  # why it cannot be used, and what to do
    attacks: dict[Guarantee, dict[str, bool]] = Field(default_factory=dict)
    """What its players tried, in words that continue "a player could …", and whether it held."""

    @property
    def suffices(self) -> bool:
        return self.held is not None and None not in (self.held.by.get(each) for each in NEEDED)


class Tool(Frozen):
    """A program that bots are started or built with."""

    language: str
    program: str
    version: str | None  # as it tells itself; null where it is not there or does not run


class Kernels(Frozen):
    """The compiled kernels of the built-in players."""

    folder: str
    kernels: int  # how many are kept there
    megabytes: float
    writable: bool  # whether what is missing can be kept once it is compiled


class PackagedGame(Frozen):
    """A game that a package registers."""

    name: str
    package: str
    compiled: bool  # whether it has compiled code, with which uct and alphabeta play it
    wrong: str | None  # why it cannot be played, a sentence; null where it can


class Facts(Frozen):
    """All of it."""

    host: Host
    kernel: str
    user: int  # the number of the user; 0 is root
    cores: tuple[int, ...]  # those a run may use
    quota: float | None  # CPUs' worth of time this container is granted; null for no limit
    memory_mb: int
    available_mb: int  # what programs may still take, also of the limits of a container
    sandboxes: tuple[TriedSandbox, ...]
    control_groups: tuple[cgroups.ControlGroup, ...]
    bubblewrap: str | None  # its version; null where it is not installed
    tools: tuple[Tool, ...]
    kernels: Kernels
    games: tuple[PackagedGame, ...]
    delay_ms: dict[int, float]
    """By core, what a busy loop of 200 ms lost to other programs just now."""
    missing: tuple[str, ...]  # what is needed and not there: a sentence each
    warnings: tuple[str, ...]  # what could be better: a sentence each


def facts() -> Facts:
    """Look and try; about 2 s."""
    sandboxes = tuple(_sandbox(mode) for mode in ("bwrap", "limits"))
    lines = map(str.split, Path("/proc/meminfo").read_text().splitlines())
    kilobytes = {words[0].rstrip(":"): int(words[1]) for words in lines}
    cores = usable_cores()
    delays = scheduling_delay(cores, DELAY_S)
    busy = delay_warning(delays, cpu_quota())
    return Facts(
        host=this_host(),
        kernel=platform.release(),
        user=os.geteuid(),
        cores=cores,
        quota=cpu_quota(),
        memory_mb=kilobytes["MemTotal"] // 1024,
        available_mb=available_memory() // 2**20,
        sandboxes=sandboxes,
        control_groups=cgroups.available(),
        bubblewrap=_version(("bwrap", "--version")),
        tools=tuple(
            Tool(language=language, program=words[0], version=_version(words))
            for language, commands in _LANGUAGES.items()
            for words in commands
        ),
        kernels=_kernels(),
        delay_ms=delays,
        missing=_missing(sandboxes),
        games=tuple(map(_game, rules.names()[len(rules.GAMES) :])),
        warnings=(
            *((busy,) if busy else ()),
            *_time_zone(os.environ.get("TZ", "")),
            *(f"{why}." for why in (*rules.misnamed(), *rules.slow())),
        ),
    )


def _game(name: str) -> PackagedGame:
    wrong = rules.unusable(name) or None
    compiled = wrong is None and bool(rules.registration(name).kernels)
    return PackagedGame(name=name, package=rules.package(name), compiled=compiled, wrong=wrong)


def _sandbox(mode: SandboxChoice) -> TriedSandbox:
    player = Prepared(name="doctor", command=(sys.executable,))
    try:
        held = resolve(mode, player)
    except SandboxError as error:
        return TriedSandbox(mode=mode, held=None, reason=str(error))
    return TriedSandbox(mode=mode, held=held, attacks=attempts(held.mode, player))


def _missing(sandboxes: tuple[TriedSandbox, ...]) -> tuple[str, ...]:
    if any(sandbox.suffices for sandbox in sandboxes):
        return ()
    return (
        f"No sandbox holds {', '.join(NEEDED)} here: play only programs that you trust. "
        "What each sandbox lacks is said next to it.",
    )


def _time_zone(zone: str) -> Iterator[str]:
    """A warning where `TZ` names a zone that is not there: the C library then takes UTC."""
    name = zone.removeprefix(":")
    file = Path(os.environ.get("TZDIR") or _ZONES, name)  # of an absolute name, that one
    if name not in ("", "UTC", "GMT") and not _OWN_RULES.match(name) and not file.is_file():
        yield (
            f"The time zone {name} of TZ is not known here, as there is no {file}: local times, "
            "such as the deadline of a course, are UTC. Install its file (apt install tzdata, or "
            "dnf install tzdata), or give deadlines with their offset."
        )


def _version(words: tuple[str, ...]) -> str | None:
    try:
        told = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return next((line.strip() for line in told.splitlines() if line.strip()), "unknown version")


def _kernels() -> Kernels:
    folder = cache_folder()
    try:
        files = [path for path in folder.rglob("*.nbc") if path.is_file()]
        above = (folder, cache_root(), *cache_root().parents)
        nearest = next(path for path in above if path.exists())
        writable = os.access(nearest, os.W_OK | os.X_OK)  # a file is no folder to write in
    except OSError:  # in a folder of others
        files, writable = [], False
    return Kernels(
        folder=str(folder),
        kernels=len(files),
        megabytes=round(sum(path.stat().st_size for path in files) / 2**20, 1),
        writable=writable,
    )


def show(found: Facts, console: Console) -> None:
    for line in _report(found):
        console.print(line, soft_wrap=True)


def _report(found: Facts) -> Iterator[Text]:
    yield _title("This machine")
    yield from _machine(found)
    yield _title("Sandboxes, tried just now")
    for sandbox in found.sandboxes:
        if sandbox.held is None:
            yield _lacking(sandbox.mode, sandbox.reason or "cannot be used")
        else:
            yield _there(sandbox.mode, f"holds {holding(sandbox.held) or 'nothing'}")
            yield from (_lacking("", note) for note in sandbox.held.notes)
            yield from _attacks(sandbox)
    install = "not installed: apt install bubblewrap, or dnf install bubblewrap"
    yield _line("bubblewrap", found.bubblewrap, install)
    yield _title("Control groups")
    for control in found.control_groups:
        yield _line(control.what, control.where, control.missing or "not writable")
    yield _title("What bots are started and built with")
    for tool in found.tools:
        missing = f"{tool.program}: not found; bots that need it cannot play here"
        there = None if tool.version is None else f"{tool.program}: {tool.version}"
        yield _line(tool.language, there, missing)
    yield _title("Built-in players")
    kept = found.kernels
    there = f"{kept.kernels} in {kept.folder} ({kept.megabytes} MB)" if kept.kernels else None
    yield _line("kernels", there, f"none in {kept.folder}; `arena warm` compiles them, once")
    if not kept.writable:
        yield _lacking(
            "",
            "That folder cannot be written: players whose kernels it lacks cannot play. "
            f"{CACHE_VARIABLE} names another.",
        )
    if found.games:
        yield _title("Games of packages")
    for game in found.games:
        code = "with compiled code" if game.compiled else "rules alone: greedy and monkey play it"
        there = f"the package {game.package}, {code}"
        yield _line(game.name, None if game.wrong else there, f"cannot be played: {game.wrong}")
    yield Text()
    yield from (Text(sentence, style="yellow") for sentence in found.warnings)
    yield from (Text(sentence, style="red") for sentence in found.missing)
    if not found.missing:
        yield Text("Programs of strangers can play here.", style="green")


def _attacks(sandbox: TriedSandbox) -> Iterator[Text]:
    for guarantee, tried in sandbox.attacks.items():
        off = [words for words, held in tried.items() if held]
        open_ = [words for words, held in tried.items() if not held]
        if off:
            yield _there("", f"{guarantee}: a player could not {'; '.join(off)}")
        if open_:
            yield _lacking("", f"{guarantee}: a player could {'; '.join(open_)}")


def _machine(found: Facts) -> Iterator[Text]:
    host = found.host
    yield _there("system", f"{host.system}, kernel {found.kernel}, {host.name}")
    yield _there("user", "root" if found.user == 0 else f"number {found.user}, not root")
    cores = f"{len(found.cores)} of {host.cores}, {host.cpu}"
    if found.quota is not None:
        cores += f"; this container may use {found.quota:g} CPUs"
    yield _there("cores", cores)
    yield _there("memory", f"{found.memory_mb:,} MB, {found.available_mb:,} available")
    yield _there("arena", f"{host.arena}, Python {host.python}")
    delays = found.delay_ms.items()
    busy = ", ".join(f"{used_by_others(lost)} of core {core}" for core, lost in delays)
    yield _there("load", f"other programs use {busy}")


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _line(what: str, there: str | None, missing: str) -> Text:
    return _lacking(what, missing) if there is None else _there(what, there)


def _there(what: str, told: str, style: str = "") -> Text:
    return Text(f"  {what:<11} {told}", style=style)


def _lacking(what: str, told: str) -> Text:
    return _there(what, told, "yellow")
