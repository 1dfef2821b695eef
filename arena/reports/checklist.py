"""A checklist on the terminal: the item being judged, each result, and its fix."""

import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena.bots.course_file import is_course
from arena.bots.versions import authors_of
from arena.checks.events import Checked, Checking, Entered, Event, Judging, PointJudged
from arena.checks.positions import name_of
from arena.checks.result import Checklist, CheckResult

_MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("–", "yellow")}


class CheckScreen:
    """Shows a check of a bot while it goes on; on a terminal one line shows the item being
    judged.
    """

    def __init__(
        self,
        console: Console,
        bot: Path,
        tournament: Path | None = None,
        rules: Iterable[str] | None = None,
    ) -> None:
        """The last two are as requested, also for the command that checks again; a `tournament` of
        which the check takes no terms is not named then.
        """
        self._tournament = [] if tournament is None else ["--tournament", str(tournament)]
        self._rules = [word for name in rules or () for word in ("--rules", name)]
        self._console, self._bot = console, bot
        self._again = "Again"
        self._line = Live(console=console, auto_refresh=False, transient=True)

    def show(self, event: Event) -> None:
        match event:
            case Checking():
                self._begin(event)
            case Judging():
                self._show_progress(event.what)
            case PointJudged():
                show_result(event.result, self._console)
            case Checked():
                self.close()
                again = ("arena", "check", str(self._bot), *self._tournament, *self._rules)
                show_end(event.checklist, f"{self._again}: {shlex.join(again)}", self._console)

    def _begin(self, event: Checking) -> None:
        """Print the bot that is checked, its sandbox, and the tournament."""
        mode, terms = event.held.mode, event.terms
        if terms is None:
            self._tournament = []
        elif not self._tournament:  # it is a file of the server's
            self._again = "Again, not under the terms of the course"
        contained = "without a sandbox" if mode == "none" else f"in the sandbox {mode}"
        played = f", for {name_of(terms.game)} at {terms.clock.words}" if terms else ""
        self._console.print(Text(f"Checking {self._bot} {contained}{played}"), soft_wrap=True)
        if self._console.is_terminal:
            self._line.start()

    def _show_progress(self, what: str) -> None:
        if self._line.is_started:
            line = Text(f"{what} …", style="dim", no_wrap=True, overflow="ellipsis")
            self._line.update(line, refresh=True)

    def close(self) -> None:
        """Take that line away."""
        self._line.stop()


def show_result(result: CheckResult, console: Console) -> None:
    """Print one item as soon as it is judged; skipped ones are left to the end."""
    if result.needs is not None:
        return
    mark, style = _MARKS[result.passed]
    first, *others = result.detail.split("\n")
    row = Table.grid(padding=(0, 1, 0, 0))
    row.add_column(justify="right", width=2)
    row.add_column(width=1)
    row.add_column(width=22)
    row.add_column(overflow="fold")
    detail = Text(first, style="dim" if result.passed is None else "")
    row.add_row(str(result.number), Text(mark, style=f"bold {style}"), Text(result.title), detail)
    console.print(row)
    lines = [Text(other) for other in others]
    if result.line is not None:
        lines.append(Text(f"line {result.line_number} of what your program wrote: {result.line}"))
    if result.fix is not None:
        lines.append(Text.assemble(("Fix: ", "bold"), result.fix))
    for line in lines:
        console.print(Padding(line, (0, 0, 0, 7)))


def show_end(checklist: Checklist, again: str, console: Console) -> None:
    """Print the items that were skipped, in a line, and the totals in another."""
    skipped = [result for result in checklist.results if result.needs is not None]
    if skipped:
        ends = sorted({skipped[0].number, skipped[-1].number})
        console.print(Text(f"{'–'.join(map(str, ends))}: {skipped[0].detail}", style="dim"))
    by = Counter(result.passed for result in checklist.results if result.needs is None)
    counts = ((by[False], "failed"), (by[None], "not judged"), (len(skipped), "skipped"))
    counted = [f"{by[True]} of {len(checklist.results)} passed"]
    counted += [f"{count} {word}" for count, word in counts if count]
    console.print(Text(f"{', '.join(counted)} · {checklist.seconds:.1f} s", style="bold"))
    if not checklist.passed:
        console.print(Text(f"{again} --seed {checklist.seed}"), soft_wrap=True)


def entered_words(entered: Entered, folder: Path | None, *, is_new: bool) -> str:
    """The version that was accepted and how it comes to play from a folder; or that none was."""
    version, before = entered.version, entered.before
    if version is None:
        kept = f"; {before} stays active" if before else ""
        return f"\n{entered.name} is not accepted{kept}."
    change = ", which was active already" if before == version else f" in place of {before}"
    accepted = (
        f"\nAccepted {version}{change if before else ''}.\n"
        f"Games: {', '.join(entered.rules or ('not stated (single file)',))}."
    )
    if folder is None:
        return accepted
    if is_course(folder):
        plays = "It plays in the course's tournaments from the next time they take new bots."
    else:
        plays = (
            f"All bots in {folder} take part in a tournament whose file has\n\n[[player]]\n"
            f'from = "{folder}"'
        )
    made = f"{folder} is new; it was made.\n" if is_new else ""
    return f"{accepted}\n{made}{plays}"


def replaced_words(entered: Entered, folder: Path | None) -> str | None:
    """Advice where a bot was replaced that may be another's, else None; courses know owners."""
    if folder is None or is_course(folder) or not entered.version or not entered.before:
        return None
    now, before = (folder / each.split()[0] for each in (entered.version, entered.before))
    authors = authors_of(before)
    if now == before or not authors or set(authors) & set(authors_of(now)):
        return None
    return (
        f"Warning: {before.name}, which it replaced, is by {', '.join(authors)}. If that is not "
        "yours, let it play again and choose another name for your bot:\n"
        f"{shlex.join(('arena', 'bots', 'rollback', str(before)))}"
    )
