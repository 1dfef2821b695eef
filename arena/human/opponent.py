"""The player a person meets: named in a word or two, asked in the referee's own dialogue."""

from pathlib import Path
from shlex import split
from typing import Any

from arena.bots.prepare import prepare
from arena.errors import PackageError, ProgramError, SandboxError, UserError
from arena.files.toml import KeyPath
from arena.files.toml_tables import written
from arena.model.contender import Prepared
from arena.model.game_spec import derive
from arena.model.protocol import Clock, End, Start, Termination, Turn
from arena.referee.outcome import Outcome, points
from arena.referee.pool import SessionPool
from arena.referee.session import Answered
from arena.sandbox.features import usable_cores
from arena.tournament.config_tables import PlayerTable, ResourcesTable
from arena.tournament.contenders import Reading, read_player
from players.catalogue import BUILTINS
from rules.position import Game, Position

_DEFAULTS = ("alphabeta", "expectimax", "greedy")
"""The opponent unless the person chooses: the first of them that can play the game."""
_GRACE_MS = 100
_STARTUP_MS = 30_000
_UNLIMITED_MB = 2**30
"""More than a machine has: a person's own game has no limit."""

Moves = list[tuple[int, str]]
"""Seat and move of each ply."""


def choose_opponent(
    words: str | None, options: dict[str, Any], game: Game
) -> tuple[Prepared, str | None]:
    """The opponent, and its name where it is a built-in.

    `words` are a built-in's name, a script by its path, or a command of several words.

    None takes the strongest built-in that plays the game. All but built-ins are contained as
    well as this machine can. Raises UserError.
    """
    if words is None:
        named: dict[str, Any] = {"bot": next(name for name in _DEFAULTS if _can(name, game))}
    else:
        try:
            command = split(words)
        except ValueError as error:
            raise UserError(f"--against: {error} in {words}") from None
        if not command:
            raise UserError("--against names no player")
        named = {"bot": command[0]} if len(command) == 1 else {"command": command}
    problems: list[str] = []
    cores = len(usable_cores())

    def report(at: KeyPath, message: str) -> None:
        place = f"--option {written(at[1:])}" if at[0] == "options" else "--against"
        if at == ("resources", "threads"):
            place, message = "--option threads", f"this machine has {cores} cores to use"
        problems.append(f"{place}: {message}")

    resources = ResourcesTable(threads=cores, memory_mb=_UNLIMITED_MB)
    table = PlayerTable(**named, options=options, resources=resources)
    player = read_player((), table, Reading(game, BUILTINS, Path.cwd(), report))
    if problems or player is None:
        raise UserError("\n".join(problems))
    contender = player.contender
    if player.builtin is not None:  # ours, and quicker to start
        contender = contender.model_copy(update={"sandbox": "none"})
    try:
        return prepare(contender, game.name, player.home), player.builtin
    except (PackageError, ProgramError, SandboxError) as error:
        raise UserError(f"--against: {error}") from None


def _can(name: str, game: Game) -> bool:
    """Whether a built-in plays the game."""
    return BUILTINS[name].unsupported(*_settings(game)) is None


def _settings(game: Game) -> tuple[str, dict[str, Any]]:
    return game.name, game.variant


class Opponent:
    """A player's process at one seat of a person's game."""

    def __init__(
        self, player: Prepared, seat: int, pool: SessionPool, move_ms: int, seed: int
    ) -> None:
        """Start the program. Raises PlayerFault."""
        self.name = player.name
        self.seat = seat
        self._options = player.options
        self._clock = Clock(move_ms=move_ms)
        self._seed = seed
        self._pool = pool
        self._player = pool.open(player)
        self._session = self._player.session
        self._told = 0
        self._used_ms = 0.0

    def begin(self, position: Position, moves: Moves) -> None:
        """Start a game, or start it again, where `moves` have led to `position`.

        Raises PlayerFault.
        """
        assert self._clock.move_ms is not None  # set above
        rules, variant = _settings(position.game)
        request = Start(
            game="play",
            rules=rules,
            variant=variant,
            seat=self.seat,
            seats=position.game.seats,
            clock=self._clock,
            startup_ms=_STARTUP_MS,
            seed=derive(self._seed, f"player {self.seat}"),
            options=self._options,
            state=position.state(),
            moves=moves,
        )
        self._session.start(request, _GRACE_MS)
        self._told = len(moves)

    def choose(self, position: Position, moves: Moves) -> Answered:
        """Its move. Raises PlayerFault."""
        assert self._clock.move_ms is not None  # set above
        request = Turn(
            game="play",
            ply=len(moves),
            time_ms=self._clock.move_ms,
            bank_ms=None,
            state=position.state(),
            moves=moves[self._told :],
            legal=list(position.legal_moves()),
            used_ms=round(self._used_ms),
        )
        answered = self._session.turn(request, _GRACE_MS)
        self._told, self._used_ms = len(moves), answered.used_ms
        return answered

    def end(self, outcome: Outcome, position: Position) -> None:
        """Tell how the game ended."""
        message = End(
            game="play",
            termination=outcome.termination,
            detail=outcome.detail,
            scores=list(position.scores()),
            points=list(points(outcome, position)),
        )
        self._session.end(message)

    def quit(self) -> None:
        """Let the process go, or kill it if it stays."""
        self._pool.finish([self._player])

    def take_back(self, position: Position, moves: Moves) -> None:
        """Begin again at an earlier position. Raises PlayerFault."""
        self.end(Outcome(Termination.VOID, "Moves were taken back."), position)
        self.begin(position, moves)
