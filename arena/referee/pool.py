"""The player processes that are alive, and the certainty that none outlives its use."""

import time
from collections import Counter
from collections.abc import Collection
from typing import Self

from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.referee.presence import Presence
from arena.referee.session import Session
from arena.referee.transport import HeadTail, PlayerProcess
from arena.sandbox import leftovers
from arena.sandbox.processes import become_subreaper, children, kill_children

QUIT_S = 1.0
"""How long players may take to exit after `quit`."""


class SessionPool:
    """Starts, keeps and ends player processes, in a `with` statement; first it removes what killed
    referees left. With `keep_alive` a process that ended its game well plays its player's next.
    The holder becomes a subreaper: children that were not there before were forked away by a
    player. `cores` are those its contained players run on; None for ours.
    """

    def __init__(self, *, keep_alive: bool = False, cores: tuple[int, ...] | None = None) -> None:
        self.keep_alive = keep_alive
        self._cores = cores
        self._alive: list[Session] = []
        self._idle: list[Session] = []
        self._presence = Presence()
        become_subreaper()
        self._others = children()
        leftovers.sweep()

    def open(self, prepared: Prepared, stderr: HeadTail | None = None) -> Session:
        """A process that plays for `prepared`: an idle one that has kept quiet, or a new one.
        `stderr` keeps what it writes there from now on. Raises PlayerFault (`start_failed`); an
        OSError is the host's fault.
        """
        for player in self._idle:
            if player.process.spec == prepared:
                self._idle.remove(player)
                try:
                    player.process.expect_silence()
                except PlayerFault:  # after its game, and no fault in it: begin afresh
                    self.kill(player)
                    break
                if stderr is not None:
                    player.process.stderr = stderr
                return player
        cores = self._least_used(prepared.threads)
        player = Session(PlayerProcess(prepared, cores, stderr, self._presence))
        self._alive.append(player)
        return player

    def _least_used(self, count: int) -> tuple[int, ...] | None:
        if self._cores is None:
            return None
        used = Counter(core for player in self._alive for core in player.process.cores or ())
        return tuple(sorted(self._cores, key=lambda core: used[core])[:count])

    def play_together(self, players: Collection[Session]) -> None:
        """These are at one board: while one is waited for, the others are looked after too."""
        processes = [player.process for player in players]
        for process in processes:
            process.others = tuple(other for other in processes if other is not process)

    def kill(self, player: Session) -> None:
        """End a process that cannot be trusted any more."""
        player.process.kill()
        self._alive.remove(player)

    def freeze_all_but(self, player: Session) -> None:
        """Stop every other process until something is written to it. OSError: the host fails."""
        for other in self._alive:
            if other is not player:
                other.process.freeze()

    def finish(self, players: Collection[Session]) -> None:
        """A game is over for these: keep them or let them go, and sweep up what was forked away."""
        if self.keep_alive:
            self._idle += players
        else:
            self._retire(players)
        kill_children(self._others | {player.process.pid for player in self._alive})

    def only(self, needed: Collection[Prepared], *, spare: int = 0) -> None:
        """Let go of idle processes that the next game does not need, but for the last `spare`."""
        others = [player for player in self._idle if player.process.spec not in needed]
        self._retire(others[: max(0, len(others) - spare)])

    def _retire(self, players: Collection[Session]) -> None:
        for player in players:
            player.quit()
        deadline = time.monotonic_ns() + int(QUIT_S * 1e9)
        for player in tuple(players):
            player.process.wait_for_exit(deadline)
            if player in self._idle:
                self._idle.remove(player)
            self.kill(player)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self._retire(tuple(self._idle))
        self._idle.clear()
        for player in tuple(self._alive):
            self.kill(player)
        kill_children(self._others)
