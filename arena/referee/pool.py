"""The player processes that are alive, and the certainty that none outlives its use."""

import time
from collections import Counter
from collections.abc import Collection
from typing import Self

from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.referee.head_tail import HeadTail
from arena.referee.lateness import Presence
from arena.referee.session import Session
from arena.referee.transport import PlayerProcess
from arena.sandbox import leftovers
from arena.sandbox.features import available_memory
from arena.sandbox.processes import become_subreaper, children, kill_children

QUIT_S = 1.0
"""How long players may take to exit after `quit`."""
_MOST_IDLE = 64
"""Idle processes a pool has at most: each takes file descriptors."""

_LOOK_S = 0.25
"""Between two looks at the idle processes: at many of them it takes longer than a fast game."""


class SessionPool:
    """Starts, keeps and ends player processes, in a `with` statement; first it removes leftovers of
    killed referees. The holder becomes a subreaper: children that were not there before were
    forked away by a player. `cores` are those its contained players run on; None for ours.

    With `keep_alive` a process that ended its game well plays its player's next; with None those
    of built-in players do. Meanwhile it is idle: stopped, and let go if all idle ones together hold
    more than `idle_bytes` of memory and the others were used since.
    """

    def __init__(
        self,
        *,
        keep_alive: bool | None = False,
        cores: tuple[int, ...] | None = None,
        idle_bytes: int | None = None,
    ) -> None:
        self._keep_alive = keep_alive
        self._cores = cores
        self._idle_bytes = available_memory() // 2 if idle_bytes is None else idle_bytes
        self._playing: list[Session] = []
        self._idle: list[Session] = []  # the longest unused first
        self._look_at = 0.0
        self._presence = Presence()
        become_subreaper()
        self._others = children()
        leftovers.sweep()

    def open(self, prepared: Prepared, stderr: HeadTail | None = None) -> Session:
        """A process that plays for `prepared`: an idle one that has kept quiet, or a new one.
        `stderr` keeps what it writes there from now on. Raises PlayerFault (`start_failed`); an
        OSError is the host's fault.
        """
        used = Counter(core for player in self._playing for core in player.process.cores or ())
        cores = sorted(self._cores or (), key=used.__getitem__)[: prepared.threads]
        most = sum(used[core] for core in cores)  # players that it shares its cores with
        for player in self._idle:
            shared = sum(used[core] for core in player.process.cores or ())
            if shared <= most and _plays_for(player, prepared):
                if self._wake(player, stderr):
                    return player
                break
        own = None if self._cores is None else tuple(cores)
        player = Session(PlayerProcess(prepared, own, stderr, self._presence))
        self._playing.append(player)
        return player

    def _wake(self, player: Session, stderr: HeadTail | None) -> bool:
        """Have an idle process play again; False where it died or wrote since: it is ended."""
        self._idle.remove(player)
        self._playing.append(player)
        try:
            player.process.expect_silence()
        except PlayerFault:
            self.kill(player)
            return False
        except OSError:
            self.kill(player)
            raise
        if stderr is not None:
            player.process.stderr = stderr
        return True

    def play_together(self, players: Collection[Session]) -> None:
        """These are at one board: while one is waited for, the others are looked after too."""
        processes = [player.process for player in players]
        for process in processes:
            process.others = tuple(other for other in processes if other is not process)

    def kill(self, player: Session) -> None:
        """End a process that cannot be trusted any more."""
        player.process.kill()
        (self._idle if player in self._idle else self._playing).remove(player)

    def freeze_all_but(self, player: Session) -> None:
        """Stop every other process until something is written to it. OSError: the host fails."""
        for other in self._playing:
            if other is not player:
                other.process.freeze()

    def finish(self, players: Collection[Session], faulty: Collection[Session] = ()) -> None:
        """A game is over for these: keep them or let them go, the `faulty` in any case, and sweep
        up what was forked away. Those kept have until `rest` to take note of the end.
        """
        kept = [each for each in players if self._keeps(each) and each not in faulty]
        self._retire([each for each in players if each not in kept])
        for player in kept:
            player.reused = True
            self._playing.remove(player)
        self._idle += kept
        alive = (*self._playing, *self._idle)
        kill_children(self._others | {player.process.pid for player in alive})

    def _keeps(self, player: Session) -> bool:
        builtin = player.process.spec.builtin
        return builtin if self._keep_alive is None else self._keep_alive

    def rest(self, needed: Collection[Prepared] = (), *, ponder: bool = False) -> None:
        """Stop the idle processes, and let go of those that hold too much memory in sum, but for
        those `needed` at once; where players may `ponder`, these are not stopped either. OSError:
        the host fails.
        """
        others = [
            player for player in self._idle if not any(_plays_for(player, each) for each in needed)
        ]
        if (now := time.monotonic()) >= self._look_at:
            self._look_at = now + _LOOK_S
            for player in others:
                player.process.look_after()
        for player in others if ponder else self._idle:
            player.process.freeze()
        surplus = [player for player in others if player.process.fault is not None]
        held = sum(player.process.memory_bytes for player in others)
        for number, player in enumerate(others):
            if held > self._idle_bytes or len(others) - number > _MOST_IDLE:
                held -= player.process.memory_bytes
                surplus.append(player)
        self._retire(dict.fromkeys(surplus))

    def _retire(self, players: Collection[Session]) -> None:
        for player in players:
            player.quit()
        deadline = time.monotonic_ns() + int(QUIT_S * 1e9)
        for player in tuple(players):
            player.process.wait_for_exit(deadline)
            self.kill(player)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self._retire(tuple(self._idle))
        for player in (*self._playing, *self._idle):
            self.kill(player)
        kill_children(self._others)


def _plays_for(player: Session, prepared: Prepared) -> bool:
    """Names first: comparing whole players takes long where many are idle."""
    spec = player.process.spec
    return spec is prepared or (spec.name == prepared.name and spec == prepared)
