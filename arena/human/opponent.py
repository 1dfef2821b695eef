"""The player a person meets: named in a word or two, asked in the referee's own dialogue."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from arena.bots.prepare import prepare
from arena.errors import PackageError, ProgramError, SandboxError, UserError
from arena.files.toml import KeyPath
from arena.files.toml_tables import written
from arena.model.contender import Prepared
from arena.model.game_spec import GRACE_MS, STARTUP_MS, first_position
from arena.model.protocol import Clock, Termination
from arena.model.record import PlayerFault
from arena.referee.outcome import Outcome
from arena.referee.pool import SessionPool
from arena.referee.requests import Moves, Requests
from arena.referee.session import Answered
from arena.sandbox.features import usable_cores
from arena.tournament.config_tables import PlayerTable, ResourcesTable
from arena.tournament.contenders import Reading, players_of, typed_player
from arena.tournament.warming import warm_for_games
from players.catalogue import BUILTINS
from rules.position import Game, Position


class Strongest(NamedTuple):
    """A built-in player, and the options it is met with unless another is chosen."""

    bot: str
    options: Mapping[str, Any] = {}


_FIRST = {"dots": Strongest("uct", {"playout": "guided", "rave": 3000, "c": 0.1})}
"""By game: ahead of `_OTHERS` at 0.1, 1 and 5 s a move, see tournaments/experiments/README.md."""
_OTHERS = tuple(Strongest(name) for name in ("alphabeta", "expectimax", "greedy"))
_UNLIMITED_MB = 2**30  # more than a machine has: a person's own game has no limit


def strongest(game: Game) -> Strongest:
    known = (_FIRST.get(game.name, _OTHERS[0]), *_OTHERS)
    return next(
        each for each in known if not BUILTINS[each.bot].unsupported(game.name, game.variant)
    )


def choose_opponent(
    words: str | None, options: dict[str, Any], game: Game, label: str = "--against"
) -> tuple[Prepared, str | None]:
    """The opponent, contained unless it is a built-in, and its name if so. `words`: a built-in's
    name, a script's path or a command; None for the strongest built-in. Raises UserError.
    """
    its_own: dict[str, Any] = {}
    if words is None:
        met = strongest(game)
        named: dict[str, Any] = {"bot": met.bot}
        its_own = {key: value for key, value in met.options.items() if key not in options}
    else:
        named = typed_player(label, words)
    resources = ResourcesTable(threads=len(usable_cores()), memory_mb=_UNLIMITED_MB)
    table = PlayerTable(**named, options={**its_own, **options}, resources=resources)
    return open_opponent(table, game, label, its_own=its_own)


def open_opponent(
    table: PlayerTable,
    game: Game,
    label: str,
    python: str | None = None,
    its_own: Collection[str] = (),
) -> tuple[Prepared, str | None]:
    """The player of a table, contained unless it is a built-in, and its name if so. `label` says
    in an error where it was chosen, `python` runs scripts, and `its_own` are options that nobody
    asked for. Raises UserError.
    """
    problems: list[str] = []

    def report(at: KeyPath, message: str) -> None:
        place = f"--option {written(at[1:])}" if at[0] == "options" and at[1:] else label
        if at == ("resources", "threads"):
            place = "--option threads"
            message = f"this machine has {len(usable_cores())} cores to use"
        if at[0] == "options" and at[-1] in its_own:
            message += f"; the default opponent has it, {label} {table.bot} leaves it out"
        problems.append(f"{place}: {message}")

    reading = Reading(game, BUILTINS, Path.cwd(), report, python=python)
    players, _ = players_of((), table, reading)
    if problems:
        raise UserError("\n".join(problems))
    (player,) = players  # or there was a problem
    contender = player.contender
    if player.builtin is not None:  # ours, and quicker to start
        contender = contender.model_copy(update={"sandbox": "none"})
    try:
        return prepare(contender, game.name, player.home), player.builtin
    except (PackageError, ProgramError, SandboxError) as error:
        raise UserError(f"{label}: {error}") from None


def warm_for(builtin: str | None, game: Game) -> None:
    """Compile what a built-in searches with, where there is anything, before its clock runs. Raises
    UserError where that cannot be kept.
    """
    if builtin is not None and BUILTINS[builtin].kernels:
        warm_for_games(game.name, [builtin])


class Opponent:
    """A player's process at one seat of a person's game. Its methods may raise PlayerFault."""

    def __init__(
        self, player: Prepared, seat: int, pool: SessionPool, move_ms: int, seed: int
    ) -> None:
        self.name = player.name
        self.seat = seat
        self._options = player.options
        self.move_ms = move_ms
        """The time limit of its next move."""
        self._seed = seed
        self._pool = pool
        self._session = pool.open(player)

    @classmethod
    def in_game(
        cls, player: Prepared, seat: int, pool: SessionPool, move_ms: int, seed: int, game: Game
    ) -> "Opponent":
        """A player in a game from its first position. Raises UserError."""
        try:
            opponent = cls(player, seat, pool, move_ms, seed)
            opponent.begin(first_position(game, seed), [])
        except PlayerFault as fault:
            raise UserError(f"{player.name} could not start a game: {fault.detail}") from None
        return opponent

    def begin(self, position: Position, moves: Moves) -> None:
        """Start a game, or start it again, where `moves` have led to `position`."""
        self._requests = Requests(
            "play", self.seat, self._clock, STARTUP_MS, self._seed, self._options
        )
        self._session.start(self._requests.start(position, moves), GRACE_MS)

    def choose(self, position: Position, moves: Moves) -> Answered:
        self._requests.clock = self._clock
        answered = self._session.turn(self._requests.turn(position, moves), GRACE_MS)
        self._requests.answered(len(moves), answered.used_ms)
        return answered

    @property
    def _clock(self) -> Clock:
        return Clock(move_ms=self.move_ms)

    def end(self, outcome: Outcome, position: Position) -> None:
        self._session.end("play", outcome, position)

    def quit(self) -> None:
        """Let the process go, or kill it if it stays."""
        self._pool.finish([self._session])

    def take_back(self, position: Position, moves: Moves) -> None:
        """Begin again at an earlier position."""
        self.end(Outcome(Termination.VOID, "Moves were taken back."), position)
        self.begin(position, moves)
