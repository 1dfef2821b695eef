"""Words of the pages that the terminal has no use for."""

from arena.model.game_spec import Terms
from arena.model.protocol import Clock, Termination
from arena.ratings.model import PlayerStanding, Share
from arena.reports import words
from rules import load, tiles
from rules.othello import PRESETS

FEW_GAMES = 30
"""With fewer games than that a rating is not shown."""


def ending_word(ending: Termination) -> str:
    """The word that terminal and JSON have for an ending: `illegal move`."""
    return ending.replace("_", " ")


def game_title(terms: Terms) -> str:
    """The game in words, as `cornerless Othello 6×6`, `dots and boxes 5×5`."""
    settings = terms.variant
    if terms.rules == "dots":
        return f"dots and boxes {settings['rows']}×{settings['cols']}"
    if terms.rules == "othello":
        size = settings["size"]
        board = "" if size == 8 else f" {size}×{size}"
        for preset in PRESETS:
            if load("othello", preset=preset, size=size) == terms.game:
                return f"{'' if preset == 'standard' else f'{preset} '}Othello{board}"
        return f"Othello ({words.settings(settings)})"
    if terms.rules in tiles.NAMES:
        spawn = (
            "" if settings["spawn"] == next(iter(tiles.SPAWNS[terms.rules])) else settings["spawn"]
        )
        placer = "tiles placed by a bot" if settings["placer"] == "player" else ""
        return ", ".join(filter(None, (terms.rules, spawn and f"spawn {spawn}", placer)))
    return f"{terms.rules} ({words.settings(settings)})" if settings else terms.rules


def clock_words(clock: Clock) -> str:
    """`0.2 s a move`, `60 s a game, 1 s more a move`."""
    parts = [f"{clock.move_ms / 1000:g} s a move"] if clock.move_ms else []
    parts += [f"{clock.bank_ms / 1000:g} s a game"] if clock.bank_ms else []
    parts += [f"{clock.increment_ms / 1000:g} s more a move"] if clock.increment_ms else []
    return ", ".join(parts)


def signed(value: float) -> str:
    """`+12`, `−3`, `0`."""
    whole = round(value)
    return f"{whole:+d}".replace("-", "−") if whole else "0"


def rating(row: PlayerStanding, anchor: str | None) -> str:
    """`+480 ± 257`, never a rating without its interval."""
    if row.elo is None or row.elo_error is None:
        return "no result"
    if row.name == anchor:
        return f"{signed(row.elo)}, the anchor"
    if row.games < FEW_GAMES:
        return "too few games"
    return f"{signed(row.elo)} ± {row.elo_error:.0f}"


def milliseconds(time: float | None) -> str:
    """`138 ms`, `2.4 ms`; a dash for none."""
    if time is None:
        return "–"
    return f"{time:,.0f} ms" if time >= 10 else f"{time:.1f} ms"


def share(points: Share | None) -> str:
    """A share of the points with its interval; empty without one."""
    return "" if points is None else words.share(points)
