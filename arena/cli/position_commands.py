"""The commands of single positions and games: `arena play`, `engine`, `analyse` and `openings`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from arena.cli.group import Arena
from arena.cli.options import RULES, RULES_HELP, AsJson, GameSettings, argument, load_game, option
from arena.cli.output import complain, console, say, say_json, show
from arena.errors import Exit, UserError

app = typer.Typer()
openings_app = typer.Typer(cls=Arena, help="Make files of openings for tournaments.")

_POSITION = (
    "A transcript, a board and who moves, a state as JSON, @FILE, or - for stdin.  "
    "[default: the start]"
)
_PLY = "With --game: the position after N moves.  [default: the last with a choice]"
_WITHIN = (
    "For a whole run: judge the choices with at most N moves to come.  [default: as many as are "
    "solved in about 10 ms]"
)
_PROGRAM = "A built-in player, a script's path, or a command in quotes."
RulesName = Annotated[str, argument("RULES", RULES_HELP, **RULES)]
PlayerOptions = Annotated[
    list[str] | None, option("KEY=VALUE", "An option of that player; may be repeated.", "--option")
]


@app.command()
def play(
    rules: RulesName,
    against: Annotated[
        str | None, option("PLAYER", f"{_PROGRAM}  [default: the strongest that can play]")
    ] = None,
    options: PlayerOptions = None,
    seat: Annotated[int, option("SEAT", "Your seat: 0 moves first.", min=0, max=1)] = 0,
    settings: GameSettings = None,
    move_ms: Annotated[
        int, option("MS", "The player's limit for one move.", min=1, max=1_000_000_000)
    ] = 1000,
    seed: Annotated[
        int | None, option("N", "The seed of tiles and of the player.  [default: random]")
    ] = None,
) -> None:
    """Play a game yourself, in the terminal."""
    from arena.files.toml import read_pairs
    from arena.human.play import play
    from rules import tiles

    given, defaults = read_pairs("--option", options), {}
    if rules in tiles.NAMES and (against is not None or given or seat != 0):
        defaults = {"placer": "player"}
    play(load_game(rules, settings, **defaults), against, given, seat, move_ms, seed)


@app.command()
def engine(
    protocol: Annotated[Literal["nboard", "gtp"], option(None, "The protocol of that program.")],
    bot: Annotated[str, option("PLAYER", _PROGRAM)] = "alphabeta",
    options: PlayerOptions = None,
    settings: GameSettings = None,
    move_ms: Annotated[
        int, option("MS", "The player's limit, unless GTP has one.", min=1, max=1_000_000_000)
    ] = 1000,
    seed: Annotated[int | None, option("N", "The player's seed.  [default: random]")] = None,
) -> None:
    """Let a player of the arena play Othello in another program, which starts this command.

    For example, as an engine of NBoard: arena engine --protocol nboard --bot alphabeta
    """
    from arena.files.toml import read_pairs
    from arena.human.engine import serve

    game = load_game("othello", settings)
    serve(protocol, bot, read_pairs("--option", options), game, move_ms, seed)


@app.command(context_settings={"ignore_unknown_options": True})  # a board may begin with "--"
def analyse(
    what: Annotated[str, argument("RULES|RUN", "A rule set, or a run's file.")],
    position: Annotated[str | None, argument("POSITION", _POSITION)] = None,
    settings: GameSettings = None,
    game: Annotated[str | None, option("GAME", "For a run: a game's id (g0001 or 1).")] = None,
    ply: Annotated[int | None, option("N", _PLY, min=0)] = None,
    seconds: Annotated[
        float | None,
        option("S", "Seconds to think about a position.  [default: 5]", min=0.01, max=1e6),
    ] = None,
    within: Annotated[int | None, option("N", _WITHIN, min=1)] = None,
    json: AsJson = False,
) -> Exit:
    """Show what each move of a position is worth, or how well a run's endgames were played.

    Give a rule set with a position, or a run's file with --game. The game is Othello or dots.

    For a run's file without --game the exact solver judges its endgames, player by player.

    For an OBF file with several positions: the best move of each, next to what the file says.

    JSON of a position: rules, variant, state, nodes, seconds, and moves,
    each with move, score, exact, depth, pv.

    JSON of a run: run, rules, variant, within, games, damaged (ids), and players, each with
    player, judged, mistakes, lost, worst (null, or game, ply, move, best, lost).

    JSON of an OBF file: positions, each with number, empty, move, score, exact, stated,
    and damaged, each with number, why.

    Exit code 1 where games or positions are damaged: they are named and left out.
    """
    from arena.analysis import analyse, judge, problems
    from arena.tournament.store_faults import damaged_lines
    from rules import names

    of = load_game(what, settings) if what in names() else analyse.run_path(what)
    if isinstance(of, Path):
        if position is not None or settings:
            raise UserError("a run's file has its own settings: give --game and --ply instead")
        if game is None and ply is None:
            if seconds is not None:
                raise UserError("--seconds is for one position: give --game too, such as g0001")
            judgement = judge.judge_run(of, within)
            show(judgement, judge.show, json=json)
            return complain(damaged_lines(of, judgement.damaged))
    if within is not None:
        raise UserError("--within is for a whole run, not for one position; leave it out")
    seconds = 5.0 if seconds is None else seconds
    written = analyse.read_text(position or "")
    if not isinstance(of, Path) and (listed := problems.listed(of, written.text)):
        solved = problems.solve(listed, seconds, console(quiet=json))
        show(solved, problems.sum_up, json=json)
        return Exit.FAILED if solved.damaged else Exit.DONE
    chosen, notes = analyse.find_position(of, written, game, ply)
    complain(notes)
    if json:
        say_json(analyse.dumps(chosen, analyse.analyse(chosen, seconds)))
    else:
        say(f"{chosen}\n")  # the reader has it while the search goes on
        analyse.show(chosen, analyse.analyse(chosen, seconds), console())
    return Exit.DONE


@openings_app.command()
def make(
    rules: RulesName,
    plies: Annotated[int, option("N", "Moves in each opening.", min=1, max=60)] = 8,
    within: Annotated[float, option("X", "How far from even, in discs or boxes.", min=0)] = 2.0,
    count: Annotated[int, option("N", "How many openings to print.", min=1, max=100_000)] = 500,
    depth: Annotated[int, option("N", "How many moves the judge looks ahead.", min=1)] = 8,
    settings: GameSettings = None,
    seed: Annotated[int, option("N", "The seed of the openings.", min=0)] = 1,
) -> Exit:
    """Print balanced openings, as a search sees them, each with its value.

    For example: arena openings make dots --plies 10 > dots.txt

    A tournament plays them with [openings] file = "dots.txt".

    Exit code 1 when there are fewer than --count.
    """
    from arena.analysis import openings

    game = load_game(rules, settings)
    search = openings.Search(plies, within, count, depth, seed)
    with console(stderr=True).status("searching") as shown:
        balanced = openings.make(game, search, lambda number: shown.update(f"{number} of {count}"))
    say(openings.text_of(game, search, balanced), nl=False)
    few = f"Only {len(balanced)} of {count} openings were found; raise --within or --plies."
    return complain([few] if len(balanced) < count else [])
