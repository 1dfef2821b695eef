"""A list of games for people, on a terminal or as plain text."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from arena.model.protocol import Termination
from arena.reports.games import SIDES, GameRow
from arena.reports.tables import new_table
from arena.reports.words import count_games

_MOST = 1000


def show(rows: Sequence[GameRow], console: Console) -> None:
    if not rows:
        console.print("No game matches.")
        return
    shown = rows[:_MOST]
    in_ids = all(name in row.game for row in shown for name in (row.player, *row.opponents))
    # Ids of some formats name both, and leave no room.
    opponent = () if in_ids else ("Opponent",)
    games = new_table(
        "Game", "Player", *opponent, "Side", "Result", "Score", "Plies", "Slowest ms", "Ending"
    )
    for row in shown:
        games.add_row(
            row.game,
            Text(row.player),
            *(Text(", ".join(row.opponents) or "–") for _ in opponent),
            SIDES[row.seat] if row.seat < len(SIDES) else f"seat {row.seat}",
            row.result or "–",
            "–".join(f"{score:,}" for score in (row.score, *row.opponent_scores)),
            str(row.plies),
            "–" if row.slowest_ms is None else f"{row.slowest_ms:,.0f}",
            Text(ending(row)),
        )
    console.print(games)
    cut = f", the first {_MOST:,} shown; --csv has all" if len(rows) > _MOST else ""
    console.print(Text(count_games(len(rows)) + cut))


def ending(row: GameRow) -> str:
    """`illegal_move by gnu: …`: the word, and the sentence where it says more than the score."""
    if row.ending is Termination.NATURAL:
        return row.ending.value
    by = "" if row.forfeited_by is None else f" by {row.forfeited_by}"
    return f"{row.ending}{by}: {row.detail}"
