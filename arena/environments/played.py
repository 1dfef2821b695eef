"""The common part of both libraries' environments: the game, by numbers of actions."""

from random import Random
from typing import Any

from arena.environments import frames
from arena.environments.views import view
from arena.errors import UserError
from rules.position import Game, Position, forced_move


class EnvironmentBase:
    """A game after another, whose chance and forced passes are played at once."""

    _chance: Random
    _position: Position | None = None

    def __init__(self, game: Game, render_mode: str | None) -> None:
        self.game, self.render_mode = game, render_mode
        self.view = view(game.name, game.variant)

    @property
    def position(self) -> Position:
        """The position as `rules` has it. Raises UserError before the first game."""
        if self._position is None:
            raise UserError("there is no game yet: call reset() first")
        return self._position

    def render(self) -> Any:
        """The board as text or as uint8[height, width, 3], as `render_mode` says; None without one.
        Raises UserError before the first game.
        """
        if self.render_mode == "rgb_array":
            return frames.picture(self.position)
        return str(self.position) if self.render_mode else None

    def _reach(self, position: Position) -> None:
        while (forced := forced_move(position, self._chance)) is not None:
            position = position.play(forced)
        self._position = position

    def _move_of(self, action: object) -> str:
        """The move of an action. Raises UserError for what is no action."""
        try:
            return self.view.move(action)
        except IndexError as error:
            raise UserError(f"{error}, the places of their moves in env.view.actions") from None
