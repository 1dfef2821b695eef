"""A game of one player, such as 2048, as a Gymnasium environment."""

from contextlib import suppress
from random import Random
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from arena.environments import frames
from arena.environments.played import EnvironmentBase
from arena.environments.views import Array
from rules.position import Game, IllegalMove


class AloneEnv(EnvironmentBase, gymnasium.Env[Array, np.int64]):
    """The reward is what a move scores. An action that is not legal changes nothing and brings
    nothing; `info["action_mask"]` has 1 for those that are.
    """

    def __init__(self, game: Game, render_mode: str | None) -> None:
        super().__init__(game, render_mode)
        self.metadata = {"render_modes": list(frames.MODES), "render_fps": 8}
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
        """Play an action, then chance. Raises UserError for what is none, and before a game."""
        (before,) = self.position.scores()
        move = self._move_of(action)
        with suppress(IllegalMove):
            self._reach(self.position.play(move))
        (score,) = self.position.scores()
        reward = float(score - before)
        return self._observation(), reward, self.position.is_over, False, self._info()

    def _observation(self) -> Array:
        return self.view.observe(self.position.state(), 0)

    def _info(self) -> dict[str, Any]:
        mask = self.view.mask(self.position.legal_moves())
        return {"action_mask": mask, "score": self.position.scores()[0]}
