"""`arena doctor`: what this machine offers to a tournament, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterator

import typer
from rich.console import Console
from rich.text import Text

from arena.doctor.facts import Facts, Sandbox, facts
from arena.errors import Exit
from arena.reports import containment

_INSTALL_BUBBLEWRAP = "apt install bubblewrap, or dnf install bubblewrap"


def examine(*, as_json: bool) -> Exit:
    """Look, try, and tell; the exit code says whether all that is needed is there."""
    found = facts()
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        console = Console(highlight=False)
        for line in _report(found):
            console.print(line, soft_wrap=True)
    return Exit.FAILED if found.missing else Exit.DONE


def _report(found: Facts) -> Iterator[Text]:
    yield _title("This machine")
    yield from _machine(found)
    yield _title("Sandboxes, tried just now")
    for sandbox in found.sandboxes:
        yield from _sandbox(sandbox)
    if found.bubblewrap is None:
        yield _missing("bubblewrap", f"not installed: {_INSTALL_BUBBLEWRAP}")
    else:
        yield _there("bubblewrap", found.bubblewrap)
    yield _title("Control groups")
    for control in found.control_groups:
        if control.where is not None:
            yield _there(control.what, control.where)
        else:
            yield _missing(control.what, control.missing or "not writable")
    yield _title("What bots are started and built with")
    for tool in found.tools:
        if tool.version is not None:
            yield _there(tool.language, f"{tool.program}: {tool.version}")
        else:
            yield _missing(tool.language, f"{tool.program}: not found; its bots cannot play here")
    yield _title("Built-in players")
    yield from _kernels(found)
    yield Text()
    for sentence in found.warnings:
        yield Text(sentence, style="yellow")
    for sentence in found.missing:
        yield Text(sentence, style="red")
    if not found.missing:
        yield Text("Programs of strangers can play here.", style="green")


def _machine(found: Facts) -> Iterator[Text]:
    host = found.host
    yield _there("system", f"{host.system}, kernel {found.kernel}, {host.name}")
    yield _there("user", "root" if found.user == 0 else f"number {found.user}, not root")
    cores = f"{len(found.cores)} of {host.cores}, {host.cpu}"
    if found.quota is not None:
        cores += f"; this container is granted {found.quota:g} CPUs' worth of time"
    yield _there("cores", cores)
    yield _there("memory", f"{found.memory_mb:,} MB, {found.available_mb:,} available")
    yield _there("arena", f"{host.arena}, Python {host.python}")
    lost = ", ".join(f"core {core} {lost:.0f} ms" for core, lost in found.delay_ms.items())
    yield _there("delay", f"of 200 ms, lost to other programs: {lost}")


def _sandbox(sandbox: Sandbox) -> Iterator[Text]:
    if sandbox.held is None:
        yield _missing(sandbox.mode, sandbox.reason or "cannot be used")
        return
    yield _there(sandbox.mode, f"holds {containment.holding(sandbox.held) or 'nothing'}")
    for note in sandbox.held.notes:
        yield _missing("", note)


def _kernels(found: Facts) -> Iterator[Text]:
    kept = found.kernels
    told = f"{kept.kernels} in {kept.folder} ({kept.megabytes} MB)"
    if not kept.kernels:
        yield _missing("kernels", f"none in {kept.folder}; `arena warm` compiles them, once")
    else:
        yield _there("kernels", told)
    if not kept.writable:
        yield _missing("", "That folder cannot be written: what is missing is compiled each time.")


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _there(what: str, told: str) -> Text:
    return Text(f"  {what:<11} {told}")


def _missing(what: str, told: str) -> Text:
    return Text(f"  {what:<11} {told}", style="yellow")
