"""What is behind an illegal move: how the program writes it, or whose move it takes it for."""

from __future__ import annotations

from rules.position import PASS, MalformedMove, Position

_WORDS = {"u": "up", "d": "down", "l": "left", "r": "right"}


def about_move(move: str, position: Position) -> str | None:
    """What to change, where the move itself tells it; None for an illegal move like any other."""
    legal = position.legal_moves()
    if move.lower() == PASS:
        return (
            "Never answer a pass: forced passes are played by the referee, and who is asked has a "
            "move. Choose one of `legal`."
        )
    meant = _meant(move, legal)
    if meant:
        return f"Write moves as they stand in `legal`: {meant}, not {move!r}."
    try:
        position.play(move)
    except MalformedMove as error:
        return f"Send one of the strings in `legal`: {error}."
    except ValueError:
        if _is_the_others(move, position):
            return (
                "Play the seat that `start` names (`seat`; `to_move` in `state`): this is a move "
                "of the other player."
            )
    return None


def _meant(move: str, legal: tuple[str, ...]) -> str | None:
    """The legal move that was written in another way."""
    text = move.strip().lower()
    ways = (text, text[::-1], text[2:] + text[:2], _WORDS.get(text, ""))
    return next((way for way in ways if way in legal), None)


def _is_the_others(move: str, position: Position) -> bool:
    """Whether it would be legal if the other seat were to move."""
    if position.game.name != "othello" or position.to_move is None:
        return False
    try:
        other = position.game.position({**position.state(), "to_move": 1 - position.to_move})
    except ValueError:  # nobody but the one to move has a move
        return False
    return move in other.legal_moves()
