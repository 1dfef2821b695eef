"""The machines of a run's games, where a cluster played them: results and speeds."""

from collections.abc import Iterator
from typing import NamedTuple

from arena.model.record import GameRecord

BY_MACHINE = """
SELECT machines.name, cpu, player, count(*), sum(points), avg(speed),
       sum(CAST(nodes AS REAL)), sum(ms)
FROM machines JOIN games USING (id) JOIN seats USING (id, seat)
WHERE termination <> 'void' GROUP BY machines.name, cpu, player
ORDER BY machines.name, player
"""

SLOWER = 1.1
"""Players think noticeably less on a machine that is that many times slower."""
SAME_KIND = "same_kind = true uses only machines with the same processor."


class PlayedAt(NamedTuple):
    """The games of a player on a machine."""

    machine: str
    cpu: str
    player: str
    games: int
    points: float | None
    """None where one game alone decides nothing."""
    speed: float
    """Plies a second of random Othello, as the machine was measured."""
    nodes: float | None
    """The nodes that the player stated; None where it never did."""
    ms: float | None
    """The time of the moves with stated nodes."""

    @property
    def nodes_per_s(self) -> float | None:
        """The player's own speed, by its stated nodes."""
        return 1000 * self.nodes / self.ms if self.nodes and self.ms else None


def seats_at(record: GameRecord) -> Iterator[tuple[object, ...]]:
    """The rows of a game in `machines`; none where no cluster played it."""
    host = record.host
    for seat in range(len(record.seats)) if host.speed is not None else ():
        counted = [
            (float(nodes), move.used_ms)  # an integer of a bot may be longer than one of SQLite
            for move in record.moves
            if move.seat == seat
            and move.used_ms
            and isinstance(nodes := (move.info or {}).get("nodes"), int)
        ]
        nodes, ms = map(sum, zip(*counted, strict=True)) if counted else (None, None)
        yield seat, host.name, host.cpu, host.speed, nodes, ms
