"""The commands of single positions and games: `arena play` and `analyse`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.arguments import (
    Arena,
    AsJson,
    GameSettings,
    Pairs,
    RulesName,
    argument,
    console,
    load_game,
    option,
    say,
    say_json,
)
from arena.errors import Exit, UserError

app = typer.Typer()

_AGAINST = "A built-in player, a script's path, or a command of several words."
_POSITION = "A transcript, a board and who moves, a state as JSON, @FILE, or - for stdin."
_WITHIN = "Of a whole run: judge the choices with at most that many moves to come."


@app.command()
def play(
    rules: RulesName,
    against: Annotated[
        str | None, option("PLAYER", _AGAINST, show_default="the strongest that can play")
    ] = None,
    options: Annotated[Pairs, option("KEY=VALUE", "An option of that player.", "--option")] = None,
    seat: Annotated[int, option("SEAT", "Yours: 0 moves first.", min=0, max=1)] = 0,
    settings: GameSettings = None,
    move_ms: Annotated[
        int, option("MS", "The player's limit for one move.", min=1, max=1_000_000_000)
    ] = 1000,
    seed: Annotated[
        int | None, option("N", "Draws tiles, and the player's seed.", show_default="random")
    ] = None,
) -> None:
    """Play a game yourself, in the terminal."""
    from arena.files.toml import read_pairs
    from arena.human.play import play
    from rules import tiles

    given, variant = read_pairs("--option", options), read_pairs("--set", settings)
    if rules in tiles.NAMES and (against is not None or given or seat != 0):
        variant = {"placer": "player"} | variant  # an opponent is asked for
    play(load_game(rules, variant), against, given, seat, move_ms, seed)


@app.command(context_settings={"ignore_unknown_options": True})  # a board may begin with "--"
def analyse(
    what: Annotated[str, argument("RULES|RUN", "A rule set, or a run's file.")],
    position: Annotated[
        str | None, argument("POSITION", _POSITION, show_default="the start")
    ] = None,
    settings: GameSettings = None,
    game: Annotated[str | None, option("GAME", "Of a run: the game's id, as g0001 or 1.")] = None,
    ply: Annotated[
        int | None,
        option(
            "N",
            "Of that game: after that many moves.",
            min=0,
            show_default="the last with a choice",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        option("S", "How long to think about a position.", min=0.01, max=1e6, show_default="5"),
    ] = None,
    within: Annotated[
        int | None, option("N", _WITHIN, min=1, show_default="as many as are solved in about 10 ms")
    ] = None,
    json: AsJson = False,
) -> None:
    """Show what each move of a position is worth, or how well a run's endgames were played.

    A rule set takes a position, a run's file a --game.

    A run's file alone: the exact solver judges its endgames, player by player.

    A file of OBF with several positions: the best move of each, next to what the file says.

    JSON of a position: rules, variant, state, nodes, seconds, and moves,
    each with move, score, exact, depth, pv.

    JSON of a run: run, rules, variant, within, games, damaged (ids), and players, each with
    player, judged, mistakes, lost, worst (null, or game, ply, move, best, lost).

    Exit code 1 where games are damaged: they are named and left out.
    """
    from arena.analysis import analyse, judge, problems
    from arena.files.toml import read_pairs
    from arena.tournament.store_faults import left_out
    from rules import names

    pairs = read_pairs("--set", settings)
    of = load_game(what, pairs) if what in names() else analyse.run_path(what)
    if isinstance(of, Path):
        if position is not None or pairs:
            raise UserError("a run's file knows its settings and positions: give --game and --ply")
        if game is None and ply is None:
            if seconds is not None:
                raise UserError("--seconds is for one position: give --game too, as --game g0001")
            judgement = judge.judge_run(of, within)
            if json:
                say_json(judge.dumps(judgement))
            else:
                judge.show(judgement, console())
            if judgement.damaged:
                say(left_out(of, judgement.damaged), err=True)
                raise typer.Exit(Exit.FAILED)
            return
    if within is not None:
        raise UserError("--within is for a whole run, not for one position")
    text = analyse.read_text(position or "")
    if not isinstance(of, Path) and (listed := problems.listed(of, text)):
        solved = problems.solve(listed, 5.0 if seconds is None else seconds)
        if json:
            document, whole = problems.dumps(solved)
            say_json(document)
        else:
            whole = problems.show(solved, console())
        raise typer.Exit(Exit.DONE if whole else Exit.FAILED)
    try:
        found, notes = analyse.find_position(of, text, game, ply)
    except UserError as error:
        if position and position.startswith("@"):
            raise UserError(f"{position[1:]}: {error}") from None
        raise
    for note in notes:
        say(note, err=True)
    if not json:
        say(f"{found}\n")  # the reader has it while the search goes on
    analysis = analyse.analyse(found, 5.0 if seconds is None else seconds)
    if json:
        say_json(analyse.dumps(found, analysis))
    else:
        analyse.show(found, analysis, console())


openings_app = typer.Typer(cls=Arena, help="Make files of openings for tournaments.")


@openings_app.command()
def make(
    rules: RulesName,
    plies: Annotated[int, option("N", "The length of each.", min=1, max=60)] = 8,
    within: Annotated[float, option("X", "How far from even, in discs or boxes.", min=0)] = 2.0,
    count: Annotated[int, option("N", "How many.", min=1, max=100_000)] = 500,
    depth: Annotated[int, option("N", "How many moves the judge looks ahead.", min=1)] = 8,
    settings: GameSettings = None,
    seed: Annotated[int, option("N", "Draws the openings.", min=0)] = 1,
) -> None:
    """Print balanced openings, as a search sees them, each with its value.

    For example: arena openings make dots --plies 10 > dots.txt

    A tournament takes the file by [openings] file = "dots.txt".

    Exit code 1 when there are fewer.
    """
    from arena.analysis import openings
    from arena.files.toml import read_pairs

    game = load_game(rules, read_pairs("--set", settings))
    wanted = openings.Search(plies, within, count, depth, seed)
    with console(stderr=True).status("searching") as shown:
        made = openings.make(game, wanted, lambda found: shown.update(f"{found} of {count}"))
    say(openings.text_of(game, wanted, made), nl=False)
    if len(made) < count:
        say(f"There are {len(made)} such openings; {count} were asked for.", err=True)
        raise typer.Exit(Exit.FAILED)
