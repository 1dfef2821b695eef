"""A game between players as a PettingZoo environment, in which agents move in turn (AEC)."""

import operator
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv

from arena.environments import frames
from arena.environments.played import EnvironmentBase
from arena.environments.views import Array
from arena.errors import UserError
from rules.position import Game, MoveError, Position


class Env(EnvironmentBase, AECEnv[str, dict[str, Array], int | None]):
    """The agent `player_0` moves first. Chance and forced passes are played at once, so that the
    same agent may move again. At the end the winner's reward is 1, the loser's −1; 0 for a draw.

    It needs none of PettingZoo's wrappers, which take longer than the game.
    """

    def __init__(self, game: Game, render_mode: str | None) -> None:
        super().__init__(game, render_mode)
        self.metadata = {
            "name": game.name,
            "render_modes": list(frames.MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(game.seats)]
        self.agents: list[str] = []
        count = len(self.view.actions)
        self.action_spaces: dict[str, Space[Any]] = {
            agent: Discrete(count) for agent in self.possible_agents
        }
        self.observation_spaces: dict[str, Space[Any]] = {
            agent: Dict(
                observation=Box(0, self.view.highest, self.view.shape, np.int8),
                action_mask=Box(0, 1, (count,), np.int8),
            )
            for agent in self.possible_agents
        }
        self._chance = Random()

    def action_space(self, agent: str) -> Space[Any]:
        """An action for each move of the game, legal now or not: `view.actions`."""
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> Space[Any]:
        return self.observation_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game. `seed` decides what chance draws in this game and the next ones.
        Raises UserError where it is no integer.
        """
        if seed is not None:
            try:
                self._chance.seed(operator.index(seed))
            except TypeError:
                raise UserError(f"seed must be an integer or None, not {seed!r}") from None
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._reach(self.game.start(self._chance.getrandbits(32)))

    def step(self, action: int | None) -> None:
        """Play an action of the agent to move. One that is not legal ends the game: its agent's
        reward is −1, the other's 0. Raises UserError for what is no action at all.
        """
        if not self.agents:
            raise UserError("there is no game to step: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise UserError(f"action {action!r}: the game is over; step(None), or reset()")
            self._was_dead_step(action)
            return
        move = self._move_of(action)
        try:
            self._reach(self.position.play(move))
        except MoveError:
            self._end({**self.rewards, agent: -1.0})

    def _reach(self, position: Position) -> None:
        super()._reach(position)
        if self.position.to_move is not None:
            self.agent_selection = self.possible_agents[self.position.to_move]
            return
        first, second = self.position.scores()
        won = float((first > second) - (first < second))
        self._end(dict(zip(self.agents, (won, -won), strict=True)))

    def _end(self, rewards: dict[str, float]) -> None:
        self.rewards = rewards
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, Array] | None, float, bool, bool, dict[str, Any]]:
        """The observation and reward of the agent to move, and the end. Raises UserError without a
        game.
        """
        if not self.agents:
            raise UserError("there is no game: call reset() first")
        return super().last(observe)

    def observe(self, agent: str) -> dict[str, Array]:
        """The board as the agent sees it; no action is legal unless it is to move."""
        seat = self.possible_agents.index(agent)
        legal = self.position.legal_moves() if seat == self.position.to_move else ()
        return {
            "observation": self.view.observe(self.position.state(), seat),
            "action_mask": self.view.mask(legal),
        }

    def close(self) -> None:
        """Nothing is held; PettingZoo asks for this where there is `render`."""
