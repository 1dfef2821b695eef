"""The commands that play many games: `arena run`, `match`, `sprt`, `train` and `tune`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from arena.cli.options import (
    GameSettings,
    Insecure,
    Sandbox,
    argument,
    flag,
    option,
    refuse_together,
    rules_option,
)
from arena.cli.output import console
from arena.errors import Exit, UserError

app = typer.Typer()

_ON = "A cluster to play on: tls://HOST:PORT, tcp://HOST:PORT, or local:N for N workers here.  "
_PLAYER = (
    "A built-in player, a script, a source file, a bot's folder or archive, a command in quotes, a "
    "FILE.toml, or TOURNAMENT.toml:NAME."
)
PlayerA = Annotated[str, argument("A", _PLAYER)]
PlayerB = Annotated[str, argument("B", "The other player, in the same forms.")]
OptionsA = Annotated[
    list[str] | None, option("KEY=VALUE", "An option of A, such as depth=6; may be repeated.")
]
OptionsB = Annotated[list[str] | None, option("KEY=VALUE", "An option of B; may be repeated.")]
BankMs = Annotated[int | None, option("MS", "Time for the whole game.  [default: none]")]
IncrementMs = Annotated[int, option("MS", "What each move adds to the bank.")]
OpeningsFile = Annotated[Path | None, option("FILE", "Openings from a file, one a line.")]
Concurrency = Annotated[
    int | None, option("N", "Games played at once.  [default: as many as the cores allow]", min=1)
]
StoreOption = Annotated[
    Path | None, option("FILE", "Where the run is kept.  [default: runs/NAME.sqlite]")
]
DryRun = Annotated[bool, flag("--dry-run", "Check everything and estimate the time; play nothing.")]
ReplayDamaged = Annotated[
    bool, flag("--replay-damaged", "Play again the games that are damaged in the run's file.")
]
On = Annotated[str | None, option("CLUSTER", f"{_ON}[default: here]")]


@app.command()
def run(
    file: Annotated[Path, argument("FILE.toml", "The tournament file.")],
    store: StoreOption = None,
    dry_run: DryRun = False,
    replay_damaged: ReplayDamaged = False,
    take_new: Annotated[
        bool, flag("--take-new", "Take new bots and versions into a run that has begun.")
    ] = False,
    without: Annotated[
        list[str] | None, option("BOT", "Leave a player out from now on; may be repeated.")
    ] = None,
    on: Annotated[
        str | None, option("CLUSTER", f"{_ON}[default: here, or as the file says]")
    ] = None,
    insecure: Insecure = False,
) -> int:
    """Play a tournament. Stop it at any time; the same command continues it."""
    from arena.matches.play import play_config
    from arena.tournament.field import Wanted
    from arena.tournament.file_kinds import refuse_other
    from arena.tournament.ready import load_to_play
    from arena.tournament.site import site
    from players.catalogue import BUILTINS

    refuse_other(file, "run")
    with site(on, file, insecure=insecure) as at:
        wanted = Wanted(take_new, without or ())
        config = load_to_play(file, BUILTINS, store, wanted, site=at)
        return play_config(config, store, dry_run=dry_run, replay_damaged=replay_damaged, site=at)


@app.command()
def match(
    a: PlayerA,
    b: PlayerB,
    games: Annotated[
        int,
        option(
            "N",
            "Games in all, an even number; where one plays alone, games of each player.",
            min=1,
            max=100_000,
        ),
    ] = 2,
    watch: Annotated[bool, flag("--watch", "Show the boards, move by move.")] = False,
    like: Annotated[
        Path | None,
        option("FILE.toml", "Play as in this tournament: its game, clock, openings and sandbox."),
    ] = None,
    rules: Annotated[str | None, rules_option(default="othello")] = None,
    settings: GameSettings = None,
    a_option: OptionsA = None,
    b_option: OptionsB = None,
    move_ms: Annotated[
        int | None, option("MS", "The limit of one move.  [default: 1000, or the bank]", min=1)
    ] = None,
    bank_ms: BankMs = None,
    increment_ms: IncrementMs = 0,
    openings: OpeningsFile = None,
    concurrency: Concurrency = None,
    seed: Annotated[
        int | None,
        option(
            "N",
            "The seed of openings and chance.  [default: the run's number; 1 with --store]",
            min=1,
        ),
    ] = None,
    store: Annotated[
        Path | None, option("FILE", "Where the run is kept.  [default: a new file in runs]")
    ] = None,
) -> int:
    """Play some games between two players now, and keep them as a run.

    For example: arena match bot.py uct --like cup.toml --watch

    With --like, A and B may also be names of players of that tournament.
    """
    from arena.matches import match as making
    from arena.matches.play import play_config
    from arena.matches.sprt import game_and_clock

    refuse_together(watch=watch, concurrency=concurrency)
    typed = ((a, a_option), (b, b_option))
    if like is None:
        tables = {
            "tournament": {"concurrency": concurrency},
            **game_and_clock(rules, settings, move_ms, bank_ms, increment_ms),
            "openings": {"file": openings and str(openings)},
        }
        config = making.between(typed, tables)
    elif rules or settings or move_ms or bank_ms or increment_ms or openings or concurrency:
        raise UserError(
            "--like: the game, the clock, the openings and the concurrency are those of that "
            "tournament; leave out --rules, --set, --move-ms, --bank-ms, --increment-ms, "
            "--openings and --concurrency"
        )
    else:
        config = making.like(like, typed)
    config = making.of_games(config, games, watch=watch)
    config, path = making.with_store(config, seed, store)
    return play_config(config, path, watch=watch)


@app.command()
def sprt(
    a: PlayerA,
    b: PlayerB,
    elo0: Annotated[float, option("ELO", "A's lead over B under H0.")] = 0.0,
    elo1: Annotated[float, option("ELO", "A's lead over B under H1, at most 100.")] = 5.0,
    alpha: Annotated[float, option("RATE", "How often H1 may be accepted wrongly.")] = 0.05,
    beta: Annotated[float, option("RATE", "How often H0 may be accepted wrongly.")] = 0.05,
    model: Annotated[
        Literal["normalized", "logistic"],
        option("MODEL", "The kind of Elo: normalized or logistic."),
    ] = "normalized",
    rules: Annotated[str | None, rules_option(default="othello")] = None,
    settings: GameSettings = None,
    a_option: OptionsA = None,
    b_option: OptionsB = None,
    move_ms: Annotated[
        int | None, option("MS", "The limit of one move.  [default: 1000, or the bank]")
    ] = None,
    bank_ms: BankMs = None,
    increment_ms: IncrementMs = 0,
    max_games: Annotated[
        int, option("N", "Stop undecided after that many games.", min=2, max=2_000_000)
    ] = 100_000,
    seed: Annotated[int, option("N", "The seed of openings, chance and players.")] = 1,
    plies: Annotated[
        int | None, option("N", "Moves in each random opening.  [default: by game]")
    ] = None,
    openings: OpeningsFile = None,
    concurrency: Concurrency = None,
    new_processes: Annotated[
        bool, flag("--new-processes", "Start the players again for every game.")
    ] = False,
    sandbox: Annotated[
        Sandbox, option("SANDBOX", "What contains the players: auto, bwrap, limits or none.")
    ] = "auto",
    name: Annotated[str | None, option("NAME", "Names the run.  [default: sprt-RULES-A-B]")] = None,
    store: StoreOption = None,
    dry_run: DryRun = False,
    replay_damaged: ReplayDamaged = False,
    on: On = None,
    insecure: Insecure = False,
) -> int:
    """Play two players until it is decided whether A is stronger than B.

    A sequential test (SPRT) on colour-swapped pairs.
    Hypothesis H0: A's lead over B is elo0; H1: it is elo1.

    For example: arena sprt uct alphabeta --rules dots --b-option depth=6

    A FILE.toml has the keys of a player's table in a tournament file.
    cup.toml:NAME is the player of that name in a tournament file.
    A tournament file with a table named sprt can say more; arena run plays it.

    Stop it at any time; the same command continues it.
    Exit codes: 0 decided; 1 not decided by --max-games, or not usable because of forfeits
    and void games.
    """
    from arena.matches.play import play_config
    from arena.matches.sprt import game_and_clock, make_config, pairs_in, read_side
    from arena.tournament.site import site

    sides = read_side("A", a, a_option), read_side("B", b, b_option)
    tables = {
        "tournament": {
            "name": name,
            "rounds": pairs_in(max_games),
            "seed": seed,
            "concurrency": concurrency,
            "keep_alive": not new_processes,
            "sandbox": sandbox,
        },
        **game_and_clock(rules, settings, move_ms, bank_ms, increment_ms),
        "openings": {"plies": plies, "file": openings and str(openings)},
        "sprt": {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "model": model},
    }
    with site(on, insecure=insecure) as at:
        return play_config(
            make_config(sides, tables, site=at),
            store,
            dry_run=dry_run,
            replay_damaged=replay_damaged,
            site=at,
        )


@app.command()
def train(
    file: Annotated[Path, argument("CONFIG.toml", "The file that says what to learn.")],
    out: Annotated[
        Path | None, option("FOLDER", "Where the training is kept.  [default: runs/NAME.train]")
    ] = None,
) -> Exit:
    """Train a player for 2048 or 2584, or an evaluation for Othello or dots.

    Stop it at any time; the same command continues it.

    The folder holds the checkpoint, the log, the learning curve as a picture and
    as a table, and at the end the network, which players take as their weights
    or their evaluation.
    """
    from arena.tournament.file_kinds import refuse_other

    refuse_other(file, "train")
    from arena.training.train import train

    return train(file, out, console())


@app.command()
def tune(
    file: Annotated[Path, argument("CONFIG.toml", "The file that says what to tune.")],
    out: Annotated[
        Path | None, option("FOLDER", "Where the tuning is kept.  [default: runs/NAME.tune]")
    ] = None,
    verify: Annotated[bool, flag("--verify", "End with two sequential tests (SPRT).")] = False,
    on: On = None,
    insecure: Insecure = False,
) -> Exit:
    """Tune a player by games against itself. Stop it at any time; the same command continues it.

    The folder holds the checkpoint, pictures of how the values changed, and
    the player with the best values, ready for a tournament.

    --verify tests whether they are a gain: once with the limits of the tuning, once
    with the clock of [verify]. Exit code 1 when a test stays undecided or is not usable.

    With method = "td" an evaluation is learned, as arena train does and in the
    same folder, and tested against the one that players have by default.
    """
    from arena.tournament.file_kinds import refuse_other

    refuse_other(file, "tune", verify=verify)
    from arena.tournament.site import site
    from arena.training.tune import tune

    with site(on, insecure=insecure) as at:
        return tune(file, out, console(), verify=verify, site=at)
