"""The games of a person at /play: boards, and the opponents for each."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import rules
from arena.bots.course import bots
from arena.errors import UserError
from arena.human.opponent import Strongest, strongest
from arena.model import Frozen
from arena.reports.html.data import drawing
from arena.web.rights import Role, Visitor
from arena.web.table_lines import Setup
from players.catalogue import BUILTINS
from rules.position import Game

TIMES_MS = (100, 300, 1000, 3000, 10_000)
"""For an opponent's move."""
_SUBMITTED = "bot/"
"""Before the name of a submitted bot, which may be called as a built-in is."""


class BoardOffer(NamedTuple):
    title: str
    rules: str
    settings: dict[str, Any]

    @property
    def game(self) -> Game:
        return rules.load(self.rules, **self.settings)

    @property
    def drawing(self) -> str:
        """How pages draw it; `text` for a game without a drawing."""
        return drawing(self.rules)


_OWN = {
    "othello": BoardOffer("Othello 8×8", "othello", {}),
    "othello-6": BoardOffer("Othello 6×6", "othello", {"size": 6}),
    "othello-10": BoardOffer("Othello 10×10", "othello", {"size": 10}),
    "cornerless": BoardOffer("Cornerless Othello 8×8", "othello", {"preset": "cornerless"}),
    "cornerless-10": BoardOffer(
        "Cornerless Othello 10×10", "othello", {"preset": "cornerless", "size": 10}
    ),
    "dots": BoardOffer("Dots and boxes 5×5", "dots", {}),
    "dots-3": BoardOffer("Dots and boxes 3×3", "dots", {"rows": 3, "cols": 3}),
    "dots-7": BoardOffer("Dots and boxes 7×7", "dots", {"rows": 7, "cols": 7}),
    "2048": BoardOffer("2048, alone", "2048", {}),
    "2584": BoardOffer("2584, alone", "2584", {}),
    "2584-13": BoardOffer("2584 with tiles 1 and 3, alone", "2584", {"spawn": "1/3"}),
    "2048-two": BoardOffer("2048, one slides and one places", "2048", {"placer": "player"}),
    "2584-two": BoardOffer("2584, one slides and one places", "2584", {"placer": "player"}),
}


@cache
def boards() -> dict[str, BoardOffer]:
    """Every board by its name in an address; at the end a board for each other game."""
    offered = {board.rules for board in _OWN.values()}
    others = (name for name in rules.usable() if name not in offered)
    return _OWN | {name: BoardOffer(rules.default(name).title, name, {}) for name in others}


class OpponentOffer(NamedTuple):
    value: str
    title: str
    boards: str
    """The boards that it can play, by name, with spaces between; empty where it is not known."""
    owner: str | None = None
    """A submitted bot's."""


def choices(course: Path | None) -> list[OpponentOffer]:
    submitted = [each for each in bots(course) if each.state == "plays"] if course else []
    offers = (
        OpponentOffer(f"{_SUBMITTED}{bot.name}", bot.name, "", bot.owner) for bot in submitted
    )
    return [*_builtins(), *offers]


@cache
def _builtins() -> tuple[OpponentOffer, ...]:
    two = {name: board for name, board in boards().items() if board.game.seats == 2}
    return tuple(
        OpponentOffer(
            name,
            f"{name}: {player.summary}",
            " ".join(
                board
                for board, each in two.items()
                if not player.unsupported(each.rules, each.game.variant)
            ),
        )
        for name, player in BUILTINS.items()
        if not player.runs_programs
    )


class TableWish(Frozen, extra="ignore"):
    """The form, filled in."""

    board: str = "othello"
    opponent: str = ""
    """Empty for the strongest that can play."""
    seat: int = 0
    move_ms: int = 1000


def setup_of(wish: TableWish, course: Path | None, visitor: Visitor, seed: int) -> Setup:
    """The setup of this visitor's table. Raises UserError for what the form does not offer."""
    board = boards().get(wish.board)
    if board is None:
        raise UserError(f"There is no such board. Choose one of: {', '.join(boards())}.")
    if wish.move_ms not in TIMES_MS:
        raise UserError(f"The time of a move is one of {', '.join(map(str, TIMES_MS))} ms.")
    made = Setup(rules=board.rules, settings=board.settings, seed=seed, move_ms=wish.move_ms)
    if board.game.seats == 1:
        return made
    if wish.seat not in (0, 1):
        raise UserError("The seat is 0, which moves first, or 1.")
    known = {choice.value: choice for choice in choices(course)}
    opponent, options = Strongest(wish.opponent) if wish.opponent else strongest(board.game)
    if opponent not in known:
        raise UserError("There is no such opponent here. Choose one from the list.")
    if opponent in BUILTINS and wish.board not in known[opponent].boards.split():
        reason = BUILTINS[opponent].unsupported(board.rules, board.game.variant)
        raise UserError(f"{reason}. Choose another opponent or board.")
    met: dict[str, Any] = {"opponent": opponent, "options": dict(options), "seat": wish.seat}
    if course is not None and opponent.startswith(_SUBMITTED):
        is_own = visitor.owner is not None and visitor.owner == known[opponent].owner
        met["opponent"] = str(course / opponent.removeprefix(_SUBMITTED))
        met |= {"course": str(course), "reads_stderr": is_own or visitor.may(Role.STAFF)}
    return made.model_copy(update=met)
