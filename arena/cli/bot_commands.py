"""The commands for the author of a bot: `arena players`, `new`, `check` and `submit`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arena.cli.arguments import (
    PLAYER_HELP,
    RULES,
    RULES_HELP,
    GameSettings,
    Sandbox,
    argument,
    console,
    flag,
    option,
    say,
    say_json,
)
from arena.cli.course_commands import As, Token, asking
from arena.errors import Exit, UserError

if TYPE_CHECKING:
    from arena.checks.events import Entered
    from arena.entering.enter import Tell

app = typer.Typer()

TournamentFile = Annotated[
    Path | None,
    option(
        "FILE", "Check as this tournament plays: its game, clock and limits.", show_default=False
    ),
]
Contained = Annotated[
    Sandbox | None,
    typer.Option(
        help="What contains it; auto is the strongest there is here.",
        show_default="auto, or the tournament's",
    ),
]
Language = Literal["python", "cpp", "js", "java", "rust"]


@app.command()
def players(
    name: Annotated[
        str | None, argument("NAME", "One of them, in full.", show_default="all, in short")
    ] = None,
) -> None:
    """List the built-in players and their options."""
    from arena.reports import players_list
    from players.catalogue import BUILTINS

    screen = console(highlight=False)
    if name is None:
        players_list.show_players(BUILTINS, screen)
    else:
        players_list.show_player(name, BUILTINS, screen)


@app.command()
def new(
    name: Annotated[str, argument("NAME", "The bot's name.")],
    language: Annotated[Language, typer.Option("--lang", help="What to write it in.")],
) -> None:
    """Write the start of a new bot: a program that plays, a test, a page of protocol."""
    from arena.bots.starter import begin

    say(begin(name, language))


@app.command()
def check(
    bot: Annotated[
        Path, argument("BOT", "A script, a folder or archive with a bot.toml, or DIR/fox@2.")
    ],
    json: Annotated[bool, flag("--json", "As JSON; its keys: arena schema --check.")] = False,
    tournament: TournamentFile = None,
    sandbox: Contained = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            help="A rule set to check it in; may be repeated.",
            show_default="those it claims",
            **RULES,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        option("N", "Draws positions and games.", min=0, show_default="drawn for each check"),
    ] = None,
) -> None:
    """Check a bot before a tournament does, and tell what to change."""
    from arena.entering.enter import check_only

    if tournament is not None and rules:
        raise UserError("--rules: the game is that of --tournament; leave one of them out")
    with _showing(bot, tournament, rules, quiet=json) as tell:
        checklist = check_only(
            bot, tell, tournament=tournament, rules=rules, seed=seed, sandbox=sandbox
        )
    if json:
        say_json(checklist.model_dump_json(indent=2))
    raise typer.Exit(Exit.DONE if checklist.passed else Exit.FAILED)


@app.command()
def match(
    a: Annotated[str, argument("A", PLAYER_HELP)],
    b: Annotated[str, argument("B", "The same.")],
    games: Annotated[int, option("N", "How many.", min=1, max=100_000)] = 2,
    watch: Annotated[bool, flag("--watch", "Show the boards, move by move.")] = False,
    like: Annotated[
        Path | None,
        option("FILE.toml", "The tournament whose game, clock and sandbox it is played with."),
    ] = None,
    rules: Annotated[
        str | None, typer.Option(help=RULES_HELP, show_default="othello", **RULES)
    ] = None,
    settings: GameSettings = None,
    move_ms: Annotated[
        int | None, option("MS", "The limit of one move.", min=1, show_default="1000")
    ] = None,
    seed: Annotated[
        int | None,
        option("N", "Draws openings and chance.", min=1, show_default="the number of the run"),
    ] = None,
    store: Annotated[
        Path | None,
        option("FILE", "Where it is kept.", show_default="a new file in runs"),
    ] = None,
) -> None:
    """Play some games between two players now, and keep them.

    For example: arena match bot.py uct --like cup.toml --watch

    With --like, the players of that tournament may be named as they are there.
    """
    from arena.files.toml import read_pairs
    from arena.reports.playing import play_config
    from arena.training import match as making
    from players.catalogue import BUILTINS

    variant = read_pairs("--set", settings)
    config = making.between((a, b), like, rules, variant, move_ms)
    config = making.of_games(config, games, watch=watch)
    config, path = making.kept(config, seed, store)
    raise typer.Exit(play_config(config, BUILTINS, path, watch=watch))


@app.command()
def submit(
    bot: Annotated[Path, argument("BOT", "A script, folder or archive.")],
    to: Annotated[str, option("DIR|URL", "The submissions, the course, or its server.")],
    owner: As = None,
    token: Token = None,
    tournament: TournamentFile = None,
    sandbox: Contained = None,
) -> None:
    """Check a bot, and accept it into a folder of submissions for a tournament."""
    from arena.bots.course_file import is_course
    from arena.entering import remote
    from arena.entering.enter import enter

    if remote.is_url(to):
        _refuse_with_url(as_=owner, tournament=tournament, sandbox=sandbox)
        with _showing(bot) as tell:
            entered = remote.send(bot, to, token, tell)
        _say_entered(entered)
        return
    folder = Path(to)
    who, is_new = asking(folder, owner, token), not folder.exists()
    with _showing(bot, tournament) as tell:
        entered = enter(bot, folder, who, tell, tournament=tournament, sandbox=sandbox)
    _say_entered(entered)
    if is_course(folder):
        say("It plays in the course's tournaments from the next time they take new bots.")
        return
    if is_new:
        say(f"{folder} is new; it was made.")
    say(
        f"All bots in {folder} take part in a tournament whose file has\n\n"
        f'[[player]]\nfrom = "{folder}"'
    )


def _refuse_with_url(**given: object) -> None:
    """Raise UserError for an option that a server decides itself."""
    for name, value in given.items():
        if value is not None:
            option = f"--{name.rstrip('_')}"
            raise UserError(f"{option}: the server decides this itself; leave it out")


@contextmanager
def _showing(
    bot: Path,
    tournament: Path | None = None,
    rules: list[str] | None = None,
    *,
    quiet: bool = False,
) -> Iterator[Tell]:
    """Show a check as it goes on."""
    from arena.reports.checklist import CheckScreen

    conditions = [] if tournament is None else ["--tournament", str(tournament)]
    conditions += [word for name in rules or () for word in ("--rules", name)]
    again = shlex.join(["arena", "check", str(bot), *conditions])
    screen = CheckScreen(console(quiet=quiet), str(bot), again)
    try:
        yield screen.show
    finally:
        screen.close()


def _say_entered(entered: Entered) -> None:
    """Show the version that was accepted. Exits where none was."""
    from arena.reports.checklist import entered_words

    refused = entered.version is None
    say(entered_words(entered), err=refused)
    if refused:
        raise typer.Exit(Exit.FAILED)
