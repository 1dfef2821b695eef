"""The commands for a course and its bots: `arena course init`, `arena course roster` and
`arena bots`.
"""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.arguments import Arena, argument, console, option, say

if TYPE_CHECKING:
    from arena.bots.course import Entry
    from arena.bots.versions import Receipt

course_app = typer.Typer(cls=Arena, help="Run a course: its owners, deadline and quota.")
roster_app = typer.Typer(cls=Arena, help="The owners of bots, each with a token.")
course_app.add_typer(roster_app, name="roster")
bots_app = typer.Typer(cls=Arena, help="The submitted bots of a folder, and their versions.")

Folder = Annotated[Path, argument("DIR", "The course.")]
CourseOption = Annotated[Path, option("DIR", "The course.", "--course", show_default="this folder")]
Bot = Annotated[Path, argument("DIR/BOT", "A submitted bot, as submissions/fox or fox.")]
OneVersion = Annotated[
    Path, argument("DIR/BOT@VERSION", "A version, as submissions/fox@2 or fox@9c0c2c46.")
]
As = Annotated[str | None, option("OWNER", "Whose request it is, as the staff says.", "--as")]
_TOKEN_VARIABLE = "ARENA_TOKEN"
Token = Annotated[
    str | None,
    option("TOKEN", "The owner's token.", envvar=_TOKEN_VARIABLE),
]


def asking(folder: Path, owner: str | None, token: str | None) -> str | None:
    """The owner of a request. A token of the environment is for courses alone."""
    from arena.bots import course, course_file

    if token is not None:
        course.refuse_missing(folder)
    if token == os.environ.get(_TOKEN_VARIABLE) and not course_file.is_course(folder):
        token = None
    return course.known(folder, owner, token)


@course_app.command()
def init(folder: Folder) -> None:
    """Make a folder a course."""
    from arena.bots import course, course_file

    course.init(folder)
    say(
        f"{folder} is a course. Its deadline and quota: {folder / course_file.FILE}\n"
        f"Its first tournament: {folder / course_file.TOURNAMENTS / 'ladder.toml'}\n"
        f"Its owners: arena course roster add names.csv --course {folder} > tokens-1.csv"
    )


@roster_app.command()
def add(
    file: Annotated[
        Path, argument("NAMES.csv", 'A name a line, or a table with a column "owner".')
    ],
    to: CourseOption = Path(),
) -> None:
    """Add owners, and write the token of each, this once."""
    from arena.bots import course, roster

    tokens = course.add_owners(to, roster.names_in(file), datetime.now(UTC))
    say("\n".join(["owner,token", *map(",".join, tokens.items())]))
    if not tokens:
        said = f"No owner of {file} is new."
    elif len(tokens) == 1:
        said = "1 owner is new. Its token is kept nowhere else."
    else:
        said = f"{len(tokens)} owners are new. Their tokens are kept nowhere else."
    say(said, err=True)


@roster_app.command("list")
def list_owners(of: CourseOption = Path()) -> None:
    """Show the owners."""
    from arena.bots import course

    for owner in course.owners(of):
        gone = f", revoked {_day(owner.revoked_at)}" if owner.revoked_at else ""
        say(f"{owner.name}: added {_day(owner.added_at)}{gone}")


@roster_app.command()
def revoke(owner: Annotated[str, argument("OWNER", "Whose.")], of: CourseOption = Path()) -> None:
    """Let a token open nothing any more."""
    from arena.bots import course

    course.revoke(of, owner, datetime.now(UTC))
    say(f"The token of {owner} opens nothing any more; `arena course roster renew` makes another.")


@roster_app.command()
def renew(owner: Annotated[str, argument("OWNER", "Whose.")], of: CourseOption = Path()) -> None:
    """Write another token for an owner, in place of a lost one."""
    from arena.bots import course

    say(f"owner,token\n{owner},{course.renew(of, owner)}")


@bots_app.command("list")
def list_bots(
    folder: Annotated[Path, argument("DIR", "The submissions.", show_default=False)] = Path(),
) -> None:
    """List the bots with their owners and versions."""
    from rich.table import Table

    from arena.bots import course

    table = Table("Bot", "Owner", "Plays", "Versions", "Last", box=None)
    entries = course.bots(folder)
    if not entries:
        say(f"{folder} has no submission yet; `arena submit BOT --to {folder}`")
        return
    for entry in entries:
        last = entry.versions[-1].accepted_at
        table.add_row(
            entry.name, entry.owner or "", _plays(entry), str(len(entry.versions)), _day(last)
        )
    console().print(table)


@bots_app.command()
def show(bot: Bot) -> None:
    """Show the versions of a bot, or one of them with its check."""
    from arena.bots import course
    from arena.bots.versions import submitted

    name, at, _ = bot.name.partition("@")
    if at and (found := submitted(bot)) is not None:
        _show_version(found[1])
        return
    entry = course.bot(bot.parent, name)
    say(f"{entry.name}{f', of {entry.owner}' if entry.owner else ''}: {_plays(entry)}")
    for receipt in entry.versions:
        say(f"  {_in_a_line(receipt)}")


@bots_app.command()
def rollback(bot: OneVersion, owner: As = None, token: Token = None) -> None:
    """Let another version play; this also brings a withdrawn bot back."""
    from arena.bots import course
    from arena.bots.versions import named

    name, _, which = bot.name.partition("@")
    who = asking(bot.parent, owner, token)
    say(f"{named(course.rollback(bot.parent, name, which, who))} plays from now on.")


@bots_app.command()
def withdraw(bot: Bot, owner: As = None, token: Token = None) -> None:
    """Take one's own bot out of tournaments, until it is submitted again."""
    from arena.bots import course

    entry = course.withdraw(bot.parent, bot.name, asking(bot.parent, owner, token))
    _say_out(entry)


@bots_app.command()
def exclude(bot: Bot) -> None:
    """Take a bot out, as the staff; nothing more is accepted under its name."""
    from arena.bots import course

    _say_out(course.exclude(bot.parent, bot.name))


def _say_out(entry: "Entry") -> None:
    say(
        f"{entry.name} is {entry.state}. Its versions and its games stay; a run that has begun "
        "leaves it out with --take-new, or with --without."
    )


def _show_version(receipt: "Receipt") -> None:
    say(_in_a_line(receipt))
    say(f"  {receipt.source}, SHA-256 {receipt.digest}")
    for item in receipt.checked:
        mark = {True: "✓", False: "✗", None: "–"}[item.passed]
        detail = item.detail.replace("\n", "\n    ")
        say(f"  {mark} {item.title}: {detail}")


def _in_a_line(receipt: "Receipt") -> str:
    from arena.bots.versions import named

    passed = sum(item.passed is True for item in receipt.checked)
    checked = f"{passed} of {len(receipt.checked)} checks" if receipt.checked else "not checked"
    by = f", by {receipt.owner}" if receipt.owner else ""
    return f"{named(receipt)} {receipt.accepted_at:%Y-%m-%d %H:%M} UTC{by}, {checked}"


def _plays(entry: "Entry") -> str:
    from arena.bots.versions import named

    if entry.plays is None:
        return "no version"
    return named(entry.plays) if entry.state == "plays" else entry.state


def _day(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d}"
