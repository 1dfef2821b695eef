"""The commands of single positions and games: `arena play` and `analyse`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.arguments import AsJson, GameSettings, RulesName, game_id, load_game, read_pairs
from arena.errors import UserError

if TYPE_CHECKING:
    from rules.position import Position

app = typer.Typer()


@app.command()
def play(
    rules: RulesName,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="A built-in player, a script's path, or a command of several words.",
            show_default="the strongest that can play",
        ),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="An option of that player.")
    ] = None,
    seat: Annotated[
        int, typer.Option(metavar="SEAT", min=0, max=1, help="Yours: 0 moves first.")
    ] = 0,
    settings: GameSettings = None,
    move_ms: Annotated[
        int,
        typer.Option(
            metavar="MS", min=1, max=1_000_000_000, help="The player's limit for one move."
        ),
    ] = 1000,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Draws tiles, and the player's seed.", show_default="random"
        ),
    ] = None,
) -> None:
    """Play a game yourself, in the terminal."""
    from arena.human.play import play
    from rules import tiles

    options, variant = read_pairs("--option", option), read_pairs("--set", settings)
    if rules in tiles.NAMES and (against is not None or options or seat != 0):
        variant = {"placer": "player"} | variant  # an opponent is asked for
    play(load_game(rules, variant), against, options, seat, move_ms, seed)


@app.command(context_settings={"ignore_unknown_options": True})  # a board may begin with "--"
def analyse(
    what: Annotated[str, typer.Argument(metavar="RULES|RUN", help="A rule set, or a run's file.")],
    position: Annotated[
        str | None,
        typer.Argument(
            metavar="POSITION",
            help="A transcript, a board and who moves, a state as JSON, @FILE, or - for stdin.",
            show_default="the start",
        ),
    ] = None,
    settings: GameSettings = None,
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME", help="Of a run: the game's id, as g0001 or 1.", callback=game_id
        ),
    ] = None,
    ply: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Of that game: after that many moves.",
            show_default="the last with a choice",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=0.01,
            max=1e6,
            help="How long to think about a position.",
            show_default="5",
        ),
    ] = None,
    within: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Of a whole run: judge the choices with at most that many moves to come.",
            show_default="as many as are solved in about 10 ms",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show what each move of a position is worth, or how well a run's endgames were played.

    A rule set takes a position, a run's file a --game.

    A run's file alone: the exact solver judges its endgames, player by player.

    JSON of a position: rules, variant, state, nodes, seconds, and moves,
    each with move, score, exact, depth, pv.

    JSON of a run: run, rules, variant, within, games, and players, each with
    player, judged, mistakes, lost, worst (null, or game, ply, move, best, lost).
    """
    from arena.analysis.analyse import find_position, run_path
    from rules import names

    pairs = read_pairs("--set", settings)
    of = load_game(what, pairs) if what in names() else run_path(what)
    if isinstance(of, Path):
        if position is not None or pairs:
            raise UserError("a run's file knows its settings and positions: give --game and --ply")
        if game is None and ply is None:
            if seconds is not None:
                raise UserError("--seconds is for one position: give --game too, as --game g0001")
            _judge(of, within, as_json=json)
            return
    if within is not None:
        raise UserError("--within is for a whole run, not for one position")

    found, notes = find_position(of, position, game, ply)
    for note in notes:
        typer.echo(note, err=True)
    _analyse(found, 5.0 if seconds is None else seconds, as_json=json)


def _analyse(position: Position, seconds: float, *, as_json: bool) -> None:
    from rich.console import Console

    from arena.analysis.analyse import analyse, dumps, show

    if as_json:
        typer.echo(dumps(position, analyse(position, seconds)), nl=False)
    else:
        typer.echo(f"{position}\n")  # the reader has it while the search goes on
        show(position, analyse(position, seconds), Console())


def _judge(run: Path, within: int | None, *, as_json: bool) -> None:
    from rich.console import Console

    from arena.analysis.judge import dumps, judge_run, show

    judgement = judge_run(run, within)
    if as_json:
        typer.echo(dumps(judgement), nl=False)
    else:
        show(judgement, Console())
