"""What this machine offers to a tournament, and what it lacks, for people."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from arena.doctor.facts import Facts
from arena.reports import words


def show(found: Facts, console: Console) -> None:
    """Print the facts."""
    for line in _report(found):
        console.print(line, soft_wrap=True)


def _report(found: Facts) -> Iterator[Text]:
    yield _title("This machine")
    yield from _machine(found)
    yield _title("Sandboxes, tried just now")
    for sandbox in found.sandboxes:
        if sandbox.held is None:
            yield _missing(sandbox.mode, sandbox.reason or "cannot be used")
        else:
            yield _there(sandbox.mode, f"holds {words.holding(sandbox.held) or 'nothing'}")
            yield from (_missing("", note) for note in sandbox.held.notes)
    install = "not installed: apt install bubblewrap, or dnf install bubblewrap"
    yield _line("bubblewrap", found.bubblewrap, install)
    yield _title("Control groups")
    for control in found.control_groups:
        yield _line(control.what, control.where, control.missing or "not writable")
    yield _title("What bots are started and built with")
    for tool in found.tools:
        missing = f"{tool.program}: not found; its bots cannot play here"
        there = None if tool.version is None else f"{tool.program}: {tool.version}"
        yield _line(tool.language, there, missing)
    yield _title("Built-in players")
    kept = found.kernels
    there = f"{kept.kernels} in {kept.folder} ({kept.megabytes} MB)" if kept.kernels else None
    yield _line("kernels", there, f"none in {kept.folder}; `arena warm` compiles them, once")
    if not kept.writable:
        yield _missing("", "That folder cannot be written: what is missing is compiled each time.")
    yield Text()
    yield from (Text(sentence, style="yellow") for sentence in found.warnings)
    yield from (Text(sentence, style="red") for sentence in found.missing)
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
    busy = ", ".join(f"{lost / 2:.0f} % of core {core}" for core, lost in found.delay_ms.items())
    yield _there("load", f"other programs use {busy}")  # of the 200 ms looked at


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _line(what: str, there: str | None, missing: str) -> Text:
    return _missing(what, missing) if there is None else _there(what, there)


def _there(what: str, told: str) -> Text:
    return Text(f"  {what:<11} {told}")


def _missing(what: str, told: str) -> Text:
    return Text(f"  {what:<11} {told}", style="yellow")
