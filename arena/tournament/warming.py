"""Compiling kernels while a user waits."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress

from arena.errors import UserError
from arena.files.cache import CACHE_VARIABLE, cache_root
from arena.files.console import PlainConsole
from arena.files.imports import module_command
from arena.model.contender import Module
from arena.tournament.config import TournamentConfig

_COMPILING = "compiling kernels (once)"
_LOADING_S = 2.0
"""Kernels that are not loaded after this time are being compiled."""


@contextmanager
def notice(say: Callable[[str], object]) -> Iterator[None]:
    """Say once that kernels are compiled, where that takes a while."""
    timer = threading.Timer(_LOADING_S, say, [_COMPILING])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _killed_on_the_way_out(process: subprocess.Popen[str]) -> Iterator[None]:
    """End a process whose result is no longer needed, with those it started."""
    try:
        yield
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        raise


def warm_players(config: TournamentConfig, *, processes: int = 1) -> None:
    """Compile what the built-in players of a tournament need, as `warm_for_games` does."""
    needed = [
        player.builtin
        for player in config.players
        if player.builtin
        and isinstance(program := player.contender.program, Module)
        and program.caches
    ]
    if needed:
        warm_for_games(config.terms.rules, needed, processes=processes)


def warm_for_games(rules: str, players: Iterable[str], *, processes: int = 1) -> None:
    """Compile what built-in players need before their games, as `warm_kernels` does. Raises
    UserError where it cannot be kept: each player would compile it again, in its time.
    """
    if not warm_kernels([rules], players=players, processes=processes):
        raise UserError(
            f"Built-in players need kernels that the cache {cache_root()} lacks and cannot keep: "
            f"`arena warm` says why, and {CACHE_VARIABLE} names another folder."
        )


def warm_kernels(
    rules: Iterable[str],
    searches: Iterable[str] = (),
    *,
    players: Iterable[str] = (),
    processes: int = 1,
    noted_too: bool = False,
) -> bool:
    """Compile what these `searches`, and those of these built-in `players`, need for `rules`, or
    find it in the cache; without any, what all need. That is done in `processes` of its own: this
    one never imports numba. Shows progress on a terminal, else one line. What was found before is
    not looked for again unless `noted_too`. Returns whether the cache has it all.
    """
    # pages that name a training's files would load it too
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    options = ["--rules", *rules]
    for option, names in (("--searches", searches), ("--players", players)):
        if chosen := dict.fromkeys(names):
            options += [option, *chosen]
    if noted_too:
        options += ["--noted-too"]
    cache_root()  # refused in a sentence here, with a traceback there
    command = module_command("players.warm", *options, "--processes", str(processes))
    ours = ("--parent", str(os.getpid()))
    console = PlainConsole(stderr=True)
    bar = (BarColumn(bar_width=24), MofNCompleteColumn(), "{task.description}", TimeElapsedColumn())
    with (
        # In a group of its own, Ctrl-C in the terminal reaches us alone.
        subprocess.Popen(
            (*command, *ours), stdout=subprocess.PIPE, text=True, process_group=0
        ) as process,
        _killed_on_the_way_out(process),
        Progress(
            _COMPILING, *bar, console=console, transient=True, disable=not console.is_terminal
        ) as progress,
        nullcontext() if console.is_terminal else notice(console.print),
    ):
        task = progress.add_task("", total=None)
        assert process.stdout is not None  # asked for above
        cached = True
        for line in process.stdout:
            step = json.loads(line)
            cached = cached and step.get("kept", True)
            progress.update(
                task, completed=step.get("step"), total=step["steps"], description=step.get("begun")
            )
    if process.returncode != 0:
        raise UserError(
            f"The kernels could not be compiled: `{' '.join(command)}` ended with code "
            f"{process.returncode}; its message is above."
        )
    return cached
