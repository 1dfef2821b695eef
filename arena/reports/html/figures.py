"""The figures of each player that its page shows and the columns of games do not contain."""

from collections import defaultdict
from weakref import WeakKeyDictionary

from arena.bots.versions import SHOWN_DIGITS
from arena.model.protocol import Termination
from arena.ratings.conduct import Broken
from arena.ratings.model import PlayerStanding, Standings
from arena.reports.html.audience import Seen
from arena.reports.html.model import FaultData, PlayerData
from arena.reports.html.wording import FEW_GAMES, line_of, rating
from arena.reports.words import share
from arena.tournament.config import Player
from arena.tournament.run_view import RunView

_LINES: WeakKeyDictionary[RunView, dict[tuple[str, str], str]] = WeakKeyDictionary()
"""Lines of stderr that were read before: a record is long, and a page is made often."""
_COUNTS = ("games", "wins", "draws", "losses", "random_moves")


def player_figures(view: RunView, seen: Seen) -> list[PlayerData]:
    """The figures of each player that is shown, in the order of their places."""
    standings = view.standings
    rows = {row.name: row for row in standings.players}
    ranks = {row.name: row.rank for row in standings.players}
    if standings.ranking is not None:
        ranks |= {each.player: each.rank for each in standings.ranking.players}
    faults = defaultdict[str, list[Broken]](list)
    for fault in standings.faults:
        faults[fault.player].append(fault)
    versions = defaultdict[str, list[int]](list)
    players = {each.name: each for each in view.config.players}
    for name in seen.players:
        versions[players[name].name_in_file].append(seen.place[name])
    figures = list[PlayerData]()
    for name in seen.players:
        player, row = players[name], rows.get(name)
        times, clock = row.times if row else None, player.contender.clock
        own = versions[player.name_in_file]
        figures.append(
            PlayerData(
                **{key: getattr(row, key, 0) for key in _COUNTS},
                rank=ranks.get(name),
                rating=rating(row, anchor_of(standings)) if row else "",
                interval=interval(row) if row else None,
                as_first=share(row.as_first) if row else "",
                as_second=share(row.as_second) if row else "",
                mean_ms=round(times.mean_ms, 1) if times else None,
                max_ms=round(times.max_ms, 1) if times else None,
                clock=clock.words if clock else "",
                version=_version(player, seen),
                versions=own if len(own) > 1 else [],
                status=player.status,
                faults=[fault_data(view, fault, seen) for fault in faults[name]],
            )
        )
    return figures


def anchor_of(standings: Standings) -> str | None:
    return standings.anchor.player if standings.anchor.in_force else None


def interval(row: PlayerStanding) -> tuple[float, float, float] | None:
    """Least, Elo and most at 95%; None where there are too few games to show them."""
    if row.elo is None or row.elo_error is None or (row.games < FEW_GAMES and row.elo_error):
        return None
    low, high = row.elo - row.elo_error, row.elo + row.elo_error
    return round(low, 1), round(row.elo, 1), round(high, 1)


def fault_data(view: RunView, fault: Broken, seen: Seen) -> FaultData:
    """A fault, with a line of stderr where the audience may read it and no sentence has it."""
    ending = Termination(fault.termination)
    line = _stderr_line(view, fault) if seen.audience.may_read(fault.player) else ""
    return FaultData(
        ending=ending,
        count=fault.count,
        game=seen.game(fault.game),
        detail=seen.detail(fault.detail, ending, fault.player),
        stderr="" if line in fault.detail else seen.written(line),
    )


def _stderr_line(view: RunView, fault: Broken) -> str:
    """The most telling line of the player's stderr in the game of a fault; may be empty."""
    known, key = _LINES.setdefault(view, {}), (fault.game, fault.player)
    if key not in known:
        record = view.intact_record(fault.game)
        seats = record.seats if record else ()
        wrote = (seat.stderr for seat in seats if seat.player == fault.player)
        known[key] = line_of("\n".join(wrote), 300)
    return known[key]


def _version(player: Player, seen: Seen) -> str:
    """`version 2 (9c0c2c46)`; a digest would show whose it is."""
    if player.number is None:
        return ""
    digest = "" if seen.audience.pseudonyms else (player.digest or "")[:SHOWN_DIGITS]
    return f"version {player.number}" + (f" ({digest})" if digest else "")
