"""The commands for a course and its bots: `arena course init`, `arena course roster` and
`arena bots`.
"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.arguments import Arena, argument, console, option, say
from arena.errors import Exit

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
    from arena.reports import submissions

    tokens = course.add_owners(to, roster.names_in(file), datetime.now(UTC))
    say(submissions.token_lines(tokens))
    say(submissions.added_line(len(tokens), file), err=True)


@roster_app.command("list")
def list_owners(of: CourseOption = Path()) -> None:
    """Show the owners."""
    from arena.bots import course
    from arena.reports import submissions

    for owner in course.owners(of):
        say(submissions.owner_line(owner))


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
    from arena.reports import submissions

    say(submissions.token_lines({owner: course.renew(of, owner)}))


@bots_app.command("list")
def list_bots(
    folder: Annotated[Path, argument("DIR", "The submissions.", show_default=False)] = Path(),
) -> None:
    """List the bots with their owners and versions."""
    from arena.bots import course
    from arena.reports import submissions

    entries, damaged = course.bots(folder), course.damaged(folder)
    if entries:
        console().print(submissions.table(entries))
    elif not damaged:
        say(f"{folder} has no submission yet; `arena submit BOT --to {folder}`")
    _say_damaged(damaged)


@bots_app.command()
def show(bot: Bot) -> None:
    """Show the versions of a bot, or one of them with its check."""
    from arena.bots import course
    from arena.bots.versions import submitted
    from arena.reports import submissions

    name, at, _ = bot.name.partition("@")
    if at and (found := submitted(bot)) is not None:
        say("\n".join(submissions.version_lines(found[1])))
        return
    entry = course.bot(bot.parent, name)
    say("\n".join(submissions.bot_lines(entry)))
    _say_damaged(entry.damaged)


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
    from arena.reports import submissions

    entry = course.withdraw(bot.parent, bot.name, asking(bot.parent, owner, token))
    say(submissions.out_line(entry))


@bots_app.command()
def exclude(bot: Bot) -> None:
    """Take a bot out, as the staff; nothing more is accepted under its name."""
    from arena.bots import course
    from arena.reports import submissions

    say(submissions.out_line(course.exclude(bot.parent, bot.name)))


def _say_damaged(problems: Sequence[str]) -> None:
    for problem in problems:
        say(problem, err=True)
    if problems:
        raise typer.Exit(Exit.FAILED)
