"""A game of one player, such as 2048, as a Gymnasium environment."""

from contextlib import suppress
from random import Random
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from arena.environments import frames
from arena.environments.views import Array, view
from rules.position import Game, IllegalMove, Position, forced_move


class AloneEnv(gymnasium.Env[Array, np.int64]):
    """The reward is what a move scores. An action that is not legal changes nothing and brings
    nothing; `info["action_mask"]` has 1 for those that are.
    """

    def __init__(self, game: Game, render_mode: str | None) -> None:
        self.game, self.render_mode = game, render_mode
        self.metadata = {"render_modes": list(frames.MODES), "render_fps": 8}
        self.view = view(game.name, game.variant)
        self.action_space = Discrete(len(self.view.actions))
        self.observation_space = Box(0, self.view.highest, self.view.shape, np.int8)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin a new game. `seed` decides what chance draws in this game and the next ones."""
        super().reset(seed=seed)
        self._chance = Random(int(self.np_random.integers(2**32)))
        self._reach(self.game.start(self._chance.getrandbits(32)))
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play an action, and what chance does after it."""
        (before,) = self.position.scores()
        with suppress(IllegalMove):
            self._reach(self.position.play(self.view.actions[action]))
        (score,) = self.position.scores()
        reward = float(score - before)
        return self._observation(), reward, self.position.is_over, False, self._info()

    def _reach(self, position: Position) -> None:
        while (forced := forced_move(position, self._chance)) is not None:
            position = position.play(forced)
        self.position = position
        """The position as `rules` has it: `scores()`, `legal_moves()` and all else."""

    def _observation(self) -> Array:
        return self.view.observe(self.position.state(), 0)

    def _info(self) -> dict[str, Any]:
        mask = self.view.mask(self.position.legal_moves())
        return {"action_mask": mask, "score": self.position.scores()[0]}

    def render(self) -> Any:
        """The board, as `render_mode` says."""
        return frames.render(self.position, self.render_mode)
