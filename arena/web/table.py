"""A person's game on a page, in a process of its own: `python -m arena.web.table PID`, where PID is
the server's, with which it ends. JSON lines: the first one of stdin is a `Setup`, each further
one a `Command`; each line of stdout is a whole `TableState`. It ends with the game or with stdin.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rules
from arena.bots.course import python_of
from arena.errors import ArenaError, ConfigError, UserError
from arena.files.parent import die_with_parent
from arena.files.plain_text import printable
from arena.human.game import HumanGame
from arena.human.opponent import Opponent, open_opponent, warm_for
from arena.model.record import STDERR_FOLLOWS, PlayerFault
from arena.referee.pool import SessionPool
from arena.reports.html.folders import without_folders
from arena.tournament.config_tables import PlayerTable, ResourcesTable
from arena.web.sentences import MISTAKE
from arena.web.table_lines import Command, Phase, Setup, TableState
from rules.position import MoveError


class PersonTable:
    def __init__(self, setup: Setup, write: Callable[[TableState], None]) -> None:
        self._setup, self._write = setup, write
        self._game: HumanGame | None = None
        self._number = 0
        self._messages: list[str] = []
        self._ending = ""

    def run(self, commands: Iterable[Command]) -> None:
        """The game, until it is over or no command comes any more."""
        self._show("preparing")
        try:
            with ExitStack() as held:
                game = self._game = self._seated(held)
                self._advance(game)
                for command in commands:
                    self._obey(game, command)
                    if self._ending:
                        break
                else:
                    game.leave()
        except ArenaError as error:
            self._ending = self._readable(str(error))
            self._show("over")

    def _seated(self, held: ExitStack) -> HumanGame:
        """The game with its opponent, who was begun. Raises UserError."""
        setup = self._setup
        game = rules.load(setup.rules, **setup.settings)
        if setup.opponent is None:
            return HumanGame(game, 0, None, setup.seed)
        table = PlayerTable(bot=setup.opponent, options=setup.options, resources=ResourcesTable())
        python = None
        if setup.course is not None:
            try:
                python = python_of(Path(setup.course))
            except ConfigError:  # the server's log has it
                raise UserError(MISTAKE) from None
        player, builtin = open_opponent(table, game, "The opponent", python)
        warm_for(builtin, game)
        pool = held.enter_context(SessionPool())
        seat, ms = 1 - setup.seat, setup.move_ms
        opponent = Opponent.in_game(player, seat, pool, ms, setup.seed, game)
        held.callback(opponent.quit)
        return HumanGame(game, setup.seat, opponent, setup.seed)

    def _obey(self, game: HumanGame, command: Command) -> None:
        self._messages = []
        try:
            if command.ply != len(game.moves):
                self._messages = ["The board has changed since. Choose again."]
            elif command.do == "resign":
                self._ending = game.resign()
            elif command.do == "undo" and not game.can_undo:
                self._messages = ["There is no move of yours to take back."]
            elif command.do == "undo":
                game.undo()
            else:
                game.choose(command.move)
        except MoveError as error:
            self._messages = [f"{error}."]
        except PlayerFault as fault:
            self._fault(game, fault)
        self._advance(game)

    def _advance(self, game: HumanGame) -> None:
        """Play the moves that the person does not choose; then it is the person's turn, or the
        end.
        """
        try:
            if not self._ending:
                self._show("thinking")
                for made in game.advance():
                    self._messages.append(game.describe(made))
                    self._show("thinking")
                if game.position.is_over:
                    self._ending = game.end()
        except PlayerFault as fault:
            self._fault(game, fault)
        self._show("over" if self._ending else "yours")

    def _fault(self, game: HumanGame, fault: PlayerFault) -> None:
        self._ending = " ".join(map(self._readable, game.faulted(fault)))

    def _readable(self, sentence: str) -> str:
        """A sentence without the folder of the course, and without the opponent's stderr where
        the person may not read it.
        """
        course = self._setup.course
        if not self._setup.reads_stderr:
            sentence = sentence.partition(STDERR_FOLLOWS)[0]
        return without_folders(sentence, None if course is None else Path(course))

    def _show(self, phase: Phase) -> None:
        self._number += 1
        state = TableState(
            number=self._number,
            phase=phase,
            said=tuple(map(printable, self._messages)),
            ending=printable(self._ending, keep="\n"),
            **({} if self._game is None else _of_game(self._game, phase)),
        )
        self._write(state)


def _of_game(game: HumanGame, phase: Phase) -> dict[str, Any]:
    """The fields of a state that are known once the game is."""
    position, many_moves = game.position, game.game.decided_by_seed
    return {
        "names": tuple(printable(game.name(seat)) for seat in range(game.game.seats)),
        "score": printable(game.scores()),
        "ply": len(game.moves),
        "variant": game.game.variant,
        "state": position.state(),
        "board": str(position),
        "last": game.moves[-1][1] if game.moves else None,
        "legal": position.legal_moves() if phase == "yours" else (),
        "can_undo": game.can_undo and phase == "yours",
        "transcript": game.transcript if phase == "over" or not many_moves else "",
    }


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # the players are ended on the way out
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends us
    die_with_parent(int(sys.argv[1]))

    def write(state: TableState) -> None:
        sys.stdout.write(state.model_dump_json() + "\n")
        sys.stdout.flush()

    try:
        setup = Setup.model_validate_json(sys.stdin.readline())
        PersonTable(setup, write).run(map(Command.model_validate_json, sys.stdin))
    except BrokenPipeError:  # the server ended
        os._exit(0)


if __name__ == "__main__":
    main()
