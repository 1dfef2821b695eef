"""Results by machine, where a cluster played the games, and players that are slower on some."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from arena.reports.tables import new_table, paragraphs, titled
from arena.tournament.machines import SAME_KIND, SLOWER, PlayedAt


def sections(played: Sequence[PlayedAt]) -> Iterator[RenderableType]:
    """A table for a terminal, and sentences; nothing for games on one machine."""
    if len({each.machine for each in played}) < 2:
        return
    table = new_table("Machine", "Processor", "Player", "Games", "Score", "Nodes/s")
    for each in played:
        table.add_row(
            each.machine,
            each.cpu,
            each.player,
            str(each.games),
            "" if each.points is None else f"{each.points / each.games:.1%}",
            "" if each.nodes_per_s is None else f"{each.nodes_per_s:,.0f}",
        )
    yield titled("By machine", table)
    yield from paragraphs(about(played))


def about(played: Sequence[PlayedAt]) -> list[str]:
    """A sentence for each machine on which players are more than 10% slower than elsewhere: by
    what they state, or where one of a player's machines has nothing of that, by what was measured.
    """
    machines = {each.machine: f"{each.machine} ({each.cpu})" for each in played}
    by_player = defaultdict[str, list[PlayedAt]](list)
    for each in played:
        by_player[each.player].append(each)
    found = defaultdict[tuple[str, str, bool], list[str]](list)
    for player, places in by_player.items():
        stated = all(place.nodes_per_s for place in places)
        speeds = {place.machine: (stated and place.nodes_per_s) or place.speed for place in places}
        fastest = max(speeds, key=speeds.__getitem__)
        for machine, speed in speeds.items():
            if speed * SLOWER < speeds[fastest]:
                percent = 100 - 100 * speed / speeds[fastest]
                found[machine, fastest, stated].append(f"{player} by {percent:.0f}%")
    return [
        f"Slower on {machines[machine]} than on {machines[fastest]}, by the "
        f"{'nodes/s they state' if stated else 'speed that was measured'}: {', '.join(players)}. "
        + SAME_KIND
        for (machine, fastest, stated), players in sorted(found.items())
    ]
