"""The commands that improve players: `arena train`, `tune` and `sprt`."""

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer

from arena.cli.arguments import RULES, RULES_HELP, Sandbox, read_pairs
from arena.errors import UserError

app = typer.Typer()


@app.command()
def train(
    file: Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="What to learn.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where all of it is kept.", show_default="runs/NAME.train"
        ),
    ] = None,
) -> None:
    """Train a player for 2048 or 2584, or an evaluation for Othello or dots.

    Stop it anywhere; the same command goes on.

    The folder holds the checkpoint, the log, the learning curve as a picture and
    as a table, and at the end the network, which players take as their weights
    or their evaluation.
    """
    from rich.console import Console

    from arena.cli.file_kinds import Kind, refuse_other

    refuse_other(file, Kind.TRAINING)
    from arena.training.train import train

    raise typer.Exit(train(file, out, Console()))


@app.command()
def tune(
    file: Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="What to tune.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where all of it is kept.", show_default="runs/NAME.tune"
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="End with two SPRTs of what came of it.")
    ] = False,
) -> None:
    """Tune a player by games against itself. Stop it anywhere; the same command goes on.

    The folder holds the checkpoint, pictures of how the values changed, and
    the player with the best values, ready for a tournament.

    --verify tests whether they are a gain, as they were tuned and at the clock
    that counts. Exit code 1 when a test stays undecided.

    With method = "td" an evaluation is learned, as arena train does and in the
    same folder, and tested against the one that players have by default.
    """
    from rich.console import Console

    from arena.cli.file_kinds import Kind, refuse_other

    refuse_other(file, Kind.TUNING, verify=verify)
    from arena.training.tune import tune

    raise typer.Exit(tune(file, out, Console(), verify=verify))


class EloModel(StrEnum):
    """What a sequential test's hypotheses are given in."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"


def _option(metavar: str, help: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, metavar=metavar, help=help, **more)


_PLAYER = (
    "A built-in player, a script, a bot's folder or archive, a command in quotes, a FILE.toml, or "
    "TOURNAMENT.toml:NAME."
)


class Sprt(NamedTuple):
    """The arguments and options of `arena sprt`."""

    a: Annotated[str, typer.Argument(metavar="A", help=_PLAYER)]
    b: Annotated[str, typer.Argument(metavar="B", help="The same.")]
    elo0: Annotated[float, _option("ELO", "A's lead over B under H0.")] = 0.0
    elo1: Annotated[float, _option("ELO", "A's lead over B under H1.")] = 5.0
    alpha: Annotated[float, _option("RATE", "How often H1 may be accepted wrongly.")] = 0.05
    beta: Annotated[float, _option("RATE", "How often H0 may be accepted wrongly.")] = 0.05
    model: Annotated[
        EloModel, _option("MODEL", "The Elo that is meant: normalized or logistic.")
    ] = EloModel.NORMALIZED
    rules: Annotated[str, typer.Option(help=RULES_HELP, **RULES)] = "othello"
    settings: Annotated[
        list[str] | None,
        _option("KEY=VALUE", "A setting of the game, as preset=cornerless; repeatable.", "--set"),
    ] = None
    a_option: Annotated[
        list[str] | None, _option("KEY=VALUE", "An option of A, as depth=6; repeatable.")
    ] = None
    b_option: Annotated[list[str] | None, _option("KEY=VALUE", "An option of B; repeatable.")] = (
        None
    )
    move_ms: Annotated[
        int | None, _option("MS", "The limit of one move.", show_default="1000, or the bank")
    ] = None
    bank_ms: Annotated[
        int | None, _option("MS", "Time for the whole game.", show_default="none")
    ] = None
    increment_ms: Annotated[int, _option("MS", "What each move adds to the bank.")] = 0
    max_games: Annotated[
        int, _option("N", "Stop undecided after that many games.", min=2, max=2_000_000)
    ] = 100_000
    seed: Annotated[int, _option("N", "Draws openings, chance, the players' seeds.")] = 1
    plies: Annotated[
        int | None, _option("N", "Length of the random openings.", show_default="by game")
    ] = None
    openings: Annotated[Path | None, _option("FILE", "Openings from a file, one a line.")] = None
    concurrency: Annotated[
        int | None, _option("N", "Games played at once.", show_default="by the cores")
    ] = None
    new_processes: Annotated[
        bool, typer.Option("--new-processes", help="Start the players again for every game.")
    ] = False
    sandbox: Annotated[
        Sandbox, _option("SANDBOX", "As in a tournament: auto, bwrap, limits, none.")
    ] = Sandbox.AUTO
    name: Annotated[str | None, _option("NAME", "Of the run.", show_default="sprt-RULES-A-B")] = (
        None
    )
    store: Annotated[
        Path | None, _option("FILE", "Where it is kept.", show_default="runs/NAME.sqlite")
    ] = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how long it takes; play nothing.")
    ] = False

    def tables(self) -> dict[str, dict[str, Any]]:
        """What a tournament file says of the test; a key that is None was not given."""
        if self.max_games % 2:
            raise UserError(
                "--max-games: must be a multiple of 2, as games are played in pairs, got "
                f"{self.max_games}"
            )
        untimed = self.move_ms is None and self.bank_ms is None
        return {
            "tournament": {
                "name": self.name,
                "rounds": self.max_games // 2,
                "seed": self.seed,
                "concurrency": self.concurrency,
                "keep_alive": not self.new_processes,
                "sandbox": self.sandbox.value,
            },
            "game": {"rules": self.rules, **read_pairs("--set", self.settings)},
            "clock": {
                "move_ms": 1000 if untimed else self.move_ms,
                "bank_ms": self.bank_ms,
                "increment_ms": self.increment_ms,
            },
            "openings": {
                "plies": self.plies,
                "file": str(self.openings) if self.openings else None,
            },
            "sprt": {
                "elo0": self.elo0,
                "elo1": self.elo1,
                "alpha": self.alpha,
                "beta": self.beta,
                "model": self.model.value,
            },
        }


def _takes_sprt(command: Callable[[Sprt], None]) -> Callable[..., None]:
    """The command with the fields of `Sprt` as its arguments and options."""

    @wraps(command)
    def run(**given: Any) -> None:
        command(Sprt(**given))

    hints = get_type_hints(Sprt, include_extras=True)
    run.__annotations__ = hints
    run.__dict__["__signature__"] = inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=Sprt._field_defaults.get(name, inspect.Parameter.empty),
                annotation=hint,
            )
            for name, hint in hints.items()
        ]
    )
    return run


@app.command()
@_takes_sprt
def sprt(asked: Sprt) -> None:
    """Play two players until it is decided whether A is stronger than B.

    A sequential test (SPRT) on colour-swapped pairs.
    H0: A's lead over B is elo0; H1: it is elo1.

    For example: arena sprt uct alphabeta --rules dots --b-option depth=6

    A FILE.toml holds what a player's table in a tournament file does.
    cup.toml:NAME is the player of that name in a tournament file.
    arena run plays a tournament file with a table named sprt, which can say more.

    Stop it anywhere; the same command goes on.
    Exit codes: 0 decided, 1 not decided by --max-games.
    """
    from arena.reports.playing import play_config, preview_config
    from arena.training.sprt import make_config, read_side
    from players.catalogue import BUILTINS

    sides = (
        read_side("A", asked.a, read_pairs("--a-option", asked.a_option)),
        read_side("B", asked.b, read_pairs("--b-option", asked.b_option)),
    )
    config = make_config(sides, asked.tables())
    if asked.dry_run:
        preview_config(config, asked.store)
    else:
        raise typer.Exit(play_config(config, BUILTINS, asked.store))
