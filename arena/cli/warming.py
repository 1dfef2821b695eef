"""Compiling kernels in a process of its own, so that this one never imports numba."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from arena.cli.exits import UserError


def warm_kernels(rules: Iterable[str]) -> None:
    """Compile, or find in the cache, what the built-in players need for `rules`; show progress."""
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
    if process.returncode != 0:
        raise UserError(
            f"The kernels could not be compiled: `{' '.join(command)}` ended with code "
            f"{process.returncode}; its message is above."
        )
