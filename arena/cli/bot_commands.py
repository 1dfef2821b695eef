"""The commands for authors of bots: `players`, `new`, `check`, `submit`, `course`, `bots`."""

import os
import shlex
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from arena.cli.group import Arena
from arena.cli.options import Sandbox, argument, flag, option, rules_option
from arena.cli.output import complain, console, say, say_json
from arena.errors import Exit, UserError

app = typer.Typer()
course_app = typer.Typer(cls=Arena, help="Make a course of submissions, and manage its owners.")
roster_app = typer.Typer(cls=Arena, help="Manage the owners of bots, and their tokens.")
course_app.add_typer(roster_app, name="roster")
bots_app = typer.Typer(cls=Arena, help="List submitted bots, and choose the versions that play.")

Folder = Annotated[Path, argument("DIR", "The course.")]
CourseOption = Annotated[
    Path, option("DIR", "The course.  [default: this folder]", "--course", show_default=False)
]
Owner = Annotated[str, argument("OWNER", "The owner's name.")]
BotPath = Annotated[Path, argument("DIR/BOT", "A submitted bot, such as submissions/fox or fox.")]
OneVersion = Annotated[
    Path, argument("DIR/BOT@VERSION", "A version, such as submissions/fox@2 or fox@9c0c2c46.")
]
As = Annotated[str | None, option("OWNER", "For the staff: act for this owner.", "--as")]
_TOKEN_VARIABLE = "ARENA_TOKEN"
Token = Annotated[str | None, option("TOKEN", "The owner's token.", envvar=_TOKEN_VARIABLE)]
TournamentOption = Annotated[
    Path | None, option("FILE", "Check as this tournament plays: its game, clock and limits.")
]
Contained = Annotated[
    Sandbox | None,
    option(
        None,
        "What contains the bot; auto: the strongest on this machine.  "
        "[default: auto, or the tournament's]",
    ),
]
Language = Literal["python", "cpp", "js", "java", "rust"]


@app.command()
def players(
    name: Annotated[
        str | None, argument("NAME", "A player, with its options.  [default: a list of all]")
    ] = None,
) -> None:
    """List the built-in players and their options."""
    from arena.reports import players_list
    from players.catalogue import BUILTINS

    players_list.show(name, BUILTINS, console())


@app.command()
def new(
    name: Annotated[str, argument("NAME", "The bot's name.")],
    language: Annotated[Language, option(None, "The language of the program.", "--lang")],
) -> None:
    """Write a new bot to start from: a program that plays, a test, and the protocol."""
    from arena.bots.starter import begin
    from arena.entering.enter import refuse_builtin

    refuse_builtin(name)
    say(begin(name, language))


@app.command()
def check(
    bot: Annotated[
        Path,
        argument("BOT", "A script, source file, folder or archive with a bot.toml, or DIR/fox@2."),
    ],
    json: Annotated[bool, flag("--json", "As JSON; arena schema --check has its keys.")] = False,
    tournament: TournamentOption = None,
    sandbox: Contained = None,
    rules: Annotated[
        list[str] | None,
        rules_option("A rule set to check it in; may be repeated.", default="all it claims"),
    ] = None,
    seed: Annotated[
        int | None,
        option("N", "The seed of positions and games.  [default: a new one for each check]", min=0),
    ] = None,
) -> Exit:
    """Check a bot as a tournament would play it, and say what to change."""
    from arena.entering.enter import check_only
    from arena.reports.checklist import CheckScreen

    if tournament is not None and rules:
        raise UserError("--rules: the game is that of --tournament; leave one of them out")
    with closing(CheckScreen(console(quiet=json), bot, tournament, rules)) as screen:
        checklist = check_only(
            bot, screen.show, tournament=tournament, rules=rules, seed=seed, sandbox=sandbox
        )
    if json:
        say_json(checklist.model_dump_json(indent=2))
    return Exit.DONE if checklist.passed else Exit.FAILED


@app.command()
def submit(
    bot: Annotated[Path, argument("BOT", "A script, source file, folder or archive.")],
    to: Annotated[str, option("DIR|URL", "A folder of submissions, a course, or its server.")],
    owner: As = None,
    token: Token = None,
    tournament: TournamentOption = None,
    sandbox: Contained = None,
) -> Exit:
    """Check a bot, and accept it into a folder of submissions for a tournament."""
    from arena.bots.course_file import check_file
    from arena.entering import remote
    from arena.entering.enter import enter
    from arena.reports.checklist import CheckScreen, entered_words, replaced_words

    folder = None if remote.is_url(to) else Path(to)
    is_new = folder is not None and not folder.exists()
    named = check_file(folder) if tournament is None and folder is not None else tournament
    with closing(CheckScreen(console(), bot, named)) as screen:
        if folder is None:
            remote.refuse_given({"--as": owner, "--tournament": tournament, "--sandbox": sandbox})
            try:
                entered = remote.send(bot, to, token, screen.show)
            except KeyboardInterrupt:
                page = f"{to.rstrip('/')}/me"
                say(f"A check that has begun continues there; cancel it on {page}", err=True)
                raise
        else:
            who = _asking(folder, owner, token)
            entered = enter(bot, folder, who, screen.show, tournament=tournament, sandbox=sandbox)
    say(entered_words(entered, folder, is_new=is_new), err=entered.version is None)
    if warning := replaced_words(entered, folder):
        say(warning, err=True)
    return Exit.FAILED if entered.version is None else Exit.DONE


def _asking(folder: Path, owner: str | None, token: str | None) -> str | None:
    """The owner of a request. A token of the environment is for courses alone."""
    from arena.bots import course, course_file

    if folder.exists() and not course_file.is_course(folder):
        token = None if token == os.environ.get(_TOKEN_VARIABLE) else token
    return course.known(folder, owner, token)


@course_app.command()
def init(folder: Folder) -> None:
    """Make a folder into a course."""
    from arena.bots import course, course_file

    course.init(folder)
    say(
        f"{folder} is a course. Its deadline and quota: {folder / course_file.FILE}\n"
        f"Its first tournament: {folder / course_file.TOURNAMENTS / 'ladder.toml'}\n"
        f"Its owners: arena course roster add names.csv --course {shlex.quote(str(folder))} "
        "> tokens-1.csv"
    )


@roster_app.command()
def add(
    file: Annotated[
        Path, argument("NAMES.csv", 'One name a line, or a CSV table with a column "owner".')
    ],
    to: CourseOption = Path(),
) -> None:
    """Add owners, and print the token of each: it is not shown again."""
    from arena.bots import course, roster
    from arena.reports import submissions

    tokens = course.add_owners(to, roster.names_in(file), datetime.now(UTC))
    say(submissions.token_lines(tokens))
    say(submissions.added_line(len(tokens), file), err=True)


@roster_app.command("list")
def list_owners(of: CourseOption = Path()) -> Exit:
    """Show the owners, each with its bots."""
    from arena.bots import course
    from arena.reports import submissions

    owners, (bots, damaged) = course.owners(of), course.listing(of)
    for owner in owners:
        say(submissions.owner_line(owner, bots))
    return complain(damaged)


@roster_app.command()
def revoke(owner: Owner, of: CourseOption = Path()) -> None:
    """Make the token of an owner invalid."""
    from arena.bots import course

    course.revoke(of, owner, datetime.now(UTC))
    say(f"The token of {owner} is no longer valid; `arena course roster renew` makes another.")


@roster_app.command()
def renew(owner: Owner, of: CourseOption = Path()) -> None:
    """Print another token for an owner, in place of a lost one."""
    from arena.bots import course
    from arena.reports import submissions

    say(submissions.token_lines({owner: course.renew(of, owner)}))


@bots_app.command("list")
def list_bots(
    folder: Annotated[
        Path, argument("DIR", "Submissions.  [default: this folder]", show_default=False)
    ] = Path(),
) -> Exit:
    """List the bots with their owners and versions."""
    from arena.bots import course
    from arena.bots.submissions import no_submission
    from arena.reports import submissions

    bots, damaged = course.listing(folder)
    if bots:
        console().print(submissions.table(bots))
    elif not damaged:
        say(no_submission(folder))
    return complain(damaged)


@bots_app.command("show")
def show_bot(bot: BotPath) -> Exit:
    """Show the versions of a bot and what other owners' bots have too, or a version's check."""
    from arena.bots import course
    from arena.bots.copies import shared_files
    from arena.bots.versions import submitted
    from arena.reports import submissions

    name, at, _ = bot.name.partition("@")
    if at and (found := submitted(bot)) is not None:
        say("\n".join(submissions.version_lines(found[1])))
        return Exit.DONE
    entry = course.bot(bot.parent, name)
    shared = shared_files(bot.parent, entry)
    say("\n".join(submissions.bot_lines(entry, shared)))
    return complain(entry.damaged)


@bots_app.command()
def rollback(bot: OneVersion, owner: As = None, token: Token = None) -> None:
    """Let another version play; this also brings a withdrawn bot back."""
    from arena.bots import course
    from arena.bots.versions import named

    name, _, which = bot.name.partition("@")
    who = _asking(bot.parent, owner, token)
    say(f"{named(course.rollback(bot.parent, name, which, who))} plays from now on.")


@bots_app.command()
def withdraw(bot: BotPath, owner: As = None, token: Token = None) -> None:
    """Take your own bot out of tournaments, until it is submitted again."""
    from arena.bots import course
    from arena.reports import submissions

    entry = course.withdraw(bot.parent, bot.name, _asking(bot.parent, owner, token))
    say(submissions.out_line(entry))


@bots_app.command()
def exclude(bot: BotPath) -> None:
    """For the staff: take a bot out, and accept nothing more under its name."""
    from arena.bots import course
    from arena.reports import submissions

    say(submissions.out_line(course.exclude(bot.parent, bot.name)))
