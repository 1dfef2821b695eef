"""Compiling kernels in a process of its own, so that this one never imports numba."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from arena.errors import UserError

_LOADING_S = 2.0
"""Kernels that are not there after so long are being compiled."""


def warm_kernels(rules: Iterable[str]) -> None:
    """Compile, or find in the cache, what the built-in players need for `rules`; show progress,
    and where there is no terminal say once what takes so long.
    """
    command = [sys.executable, "-P", "-m", "players.warm", "--rules", *rules]
    console = Console(stderr=True)
    columns = (
        TextColumn("compiling kernels (once)"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with (
        # In a group of its own, Ctrl-C in the terminal reaches us alone.
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, process_group=0) as process,
        Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        ) as progress,
    ):
        task = progress.add_task("", total=None)
        notice = threading.Timer(_LOADING_S, console.print, ["compiling kernels (once)"])
        if not console.is_terminal:
            notice.start()
        assert process.stdout is not None  # asked for above
        try:
            for line in process.stdout:
                step = json.loads(line)
                progress.update(
                    task, completed=step["step"], total=step["steps"], description=step["name"]
                )
        except KeyboardInterrupt:
            process.kill()
            raise
        finally:
            notice.cancel()
    if process.returncode != 0:
        raise UserError(
            f"The kernels could not be compiled: `{' '.join(command)}` ended with code "
            f"{process.returncode}; its message is above."
        )
