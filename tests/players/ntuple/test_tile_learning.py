"""Updates of n-tuple networks against worked examples and against plain Python."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from players.compiled.cache import kernel
from players.games.tiles.boards import TileBoard
from players.ntuple.board import of_words
from players.ntuple.network import SYMMETRIES, Network, entries, listed_value, value
from players.ntuple.temporal import (
    ERROR,
    SIZE,
    WHOLE_GAME,
    Rule,
    Trajectory,
    learn_ended,
    learn_reached,
    new_trajectory,
    with_sums,
)
from players.weights.network_header import Header, network_of

BOARD = TileBoard("2048", "2/4")
EMPTY = BOARD.board([0] * 16)
TUPLES = (("a1", "b1", "a2"), ("b2", "c2"))
Cells = Sequence[int]


def learning(header: Header, *, coherent: bool = False) -> Network:
    network = network_of(header)
    return with_sums(network) if coherent else network


def rule_of(
    alpha: float, mix: float, steps: int, *, coherent: bool = False, forward: bool = False
) -> Rule:
    return Rule(np.float64(alpha), np.float64(mix), np.int64(steps), coherent, forward)


@kernel
def replay(start: Any, trajectory: Any, count: Any, network: Any, rule: Any) -> None:
    """Learn from a game that was played already: its first `count` afterstates."""
    for last in range(count):
        board = of_words(start, trajectory.boards[2 * last], trajectory.boards[2 * last + 1])
        trajectory.values[last] = value(board, network)
        if rule.forward:
            learn_reached(trajectory, last, start, network, rule)
    learn_ended(trajectory, count, 0.0, start, network, rule)


@kernel
def entries_of(board: Any, network: Any, out: Any) -> Any:
    entries(board, network, out, np.uint64(0))
    return listed_value(network, out, np.uint64(0))


@kernel
def value_of(board: Any, network: Any) -> Any:
    return value(board, network)


def learn_from(game: Sequence[tuple[Cells, float]], network: Network, rule: Rule) -> None:
    """Learn from the afterstates of a game, each with the reward for reaching it."""
    trajectory: Trajectory = new_trajectory(network, room=len(game))
    for index, (cells, reward) in enumerate(game):
        trajectory.boards[2 * index] = BOARD.board(cells).cells
        trajectory.rewards[index] = reward
    replay(EMPTY, trajectory, len(game), network, rule)


def board_of(indices: Cells) -> list[int]:
    return [BOARD.values[index] for index in indices]


STATES = [board_of([(3 * cell + 5 * state) % 16 for cell in range(16)]) for state in range(4)]
"""A, B, C, D of the worked example: boards that share no entry, nor have one twice."""
LONG = Header(rules="2048", spawn="2/4", tuples=(("a1", "b1", "c1", "d1", "a2", "b2"),))


def test_the_states_of_the_examples_share_no_entry() -> None:
    network, seen = network_of(LONG), set()
    for cells in STATES:
        out = np.zeros(SYMMETRIES, np.uint64)
        entries_of(BOARD.board(cells), network, out)
        seen |= set(out.tolist())
    assert len(seen) == 4 * 8


@pytest.mark.parametrize(
    ("mix", "steps", "forward", "expected"),
    [
        (0.0, 1, False, [0.042, 0.42, 0.2, 0.0]),
        (0.3, WHOLE_GAME, False, [0.17538, 0.474, 0.2, 0.0]),
        (0.3, 3, False, [0.17538, 0.474, 0.2, 0.0]),
        (1.0, WHOLE_GAME, False, [0.6, 0.6, 0.2, 0.0]),
        (1.0, 2, False, [0.42, 0.6, 0.2, 0.0]),
        (0.0, 1, True, [0.0, 0.4, 0.2, 0.0]),
        (1.0, 2, True, [0.4, 0.6, 0.2, 0.0]),
        (1.0, WHOLE_GAME, True, [0.6, 0.6, 0.2, 0.0]),
        (0.5, WHOLE_GAME, True, [0.25, 0.5, 0.2, 0.0]),
    ],
)
def test_four_afterstates(mix: float, steps: int, forward: bool, expected: list[float]) -> None:
    network = learning(LONG)
    game = list(zip(STATES, [2.0, 0.0, 4.0, 2.0], strict=True))
    learn_from(game, network, rule_of(0.1, mix, steps, forward=forward))
    values = [value_of(BOARD.board(cells), network) for cells in STATES]
    assert values == pytest.approx(expected, abs=1e-6)


def test_monte_carlo_moves_towards_each_return() -> None:
    network, values = learning(LONG), []
    for result in (10.0, 5000.0, 150.0):
        game = [(STATES[0], 2.0), (STATES[1], result)]
        learn_from(game, network, rule_of(0.1, 1.0, WHOLE_GAME))
        values.append(value_of(BOARD.board(STATES[0]), network))
    assert values == pytest.approx([1, 500.9, 465.81], rel=1e-6)


class Plain:
    """The same learning in plain Python, from the definitions: no recursion, n-step returns."""

    def __init__(self, header: Header, rule: Rule) -> None:
        self.tuples = [sorted(_place(name) for name in names) for names in header.tuples]
        self.floors = [BOARD.values.index(tile) for tile in header.stages]
        self.initial = header.initial
        self.rule = rule
        self.weights: dict[Any, float] = {}
        self.errors: dict[Any, float] = {}
        self.sizes: dict[Any, float] = {}

    def keys(self, indices: Cells, stage: int) -> list[Any]:
        grid = np.array(indices).reshape(4, 4)
        images = [np.rot90(image, turn) for image in (grid, grid.T) for turn in range(4)]
        return [
            (stage, number, tuple(int(image.flat[cell]) for cell in cells))
            for number, cells in enumerate(self.tuples)
            for image in images
        ]

    def weight(self, key: Any) -> float:
        stage, number, tiles = key
        found = self.weights.get(key, 0.0)
        return self.weight((stage - 1, number, tiles)) if found == 0 and stage else found

    def value(self, indices: Cells) -> float:
        stage = sum(max(indices) >= floor for floor in self.floors)
        return self.initial + sum(self.weight(key) for key in self.keys(indices, stage))

    def update(self, indices: Cells, target: float) -> None:
        stage = sum(max(indices) >= floor for floor in self.floors)
        keys, error = self.keys(indices, stage), target - self.value(indices)
        for key in set(keys):
            self.weights[key] = self.weight(key)
        for key in keys:
            share = error / len(keys)
            size = self.sizes.get(key, 0.0)
            rate = abs(self.errors.get(key, 0.0)) / size if self.rule.coherent and size else 1.0
            self.weights[key] += self.rule.alpha * share * rate
            self.errors[key] = self.errors.get(key, 0.0) + share
            self.sizes[key] = size + abs(share)

    def target(self, values: list[float], rewards: list[float], at: int) -> float:
        """The λ-return as a weighted mean of n-step returns."""
        after = len(values) - 1 - at
        longest = min(int(self.rule.steps), after)
        ends = longest == after < self.rule.steps
        total, rest = 0.0, 1.0
        for steps in range(1, longest + 1):
            gained = sum(rewards[at + 1 : at + steps + 1])
            last = steps == longest and not ends
            share = rest if last else rest * (1 - self.rule.mix)
            total += share * (gained + values[at + steps])
            rest -= share
        return total + rest * sum(rewards[at + 1 :]) if ends else total

    def learn_from(self, game: list[tuple[Cells, float]]) -> None:
        boards, rewards = [cells for cells, _ in game], [reward for _, reward in game]
        if not self.rule.forward:
            values = [0.0] * len(game)
            for at in reversed(range(len(game))):
                self.update(boards[at], self.target(values, rewards, at))
                values[at] = self.value(boards[at])
            return
        values = []
        for last, cells in enumerate(boards):
            values.append(self.value(cells))
            first = last - int(self.rule.steps)
            if first >= 0:
                self.update(boards[first], self.target(values, rewards[: last + 1], first))
        for at in range(max(0, len(game) - int(self.rule.steps)), len(game)):
            self.update(boards[at], self.target(values, rewards, at))


def _place(name: str) -> int:
    return 4 * (int(name[1]) - 1) + "abcd".index(name[0])


@pytest.mark.parametrize("coherent", [False, True], ids=["fixed", "tc"])
@pytest.mark.parametrize("forward", [False, True], ids=["backward", "forward"])
@pytest.mark.parametrize("mix", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("steps", [1, 3, WHOLE_GAME])
def test_kernels_agree_with_plain_python(
    coherent: bool, forward: bool, mix: float, steps: int
) -> None:
    header = Header(rules="2048", spawn="2/4", tuples=TUPLES, stages=(8, 16), initial=20.0)
    rule = rule_of(0.5, mix, steps, coherent=coherent, forward=forward)
    at = np.zeros(SYMMETRIES * len(TUPLES), np.uint64)
    network, plain, rng = learning(header, coherent=coherent), Plain(header, rule), Random(1)
    for length in (1, 2, 3, 8, 8):
        highest = rng.randint(2, 4)  # every stage is met
        boards = [[rng.randint(0, highest) for _ in range(16)] for _ in range(length)]
        rewards = [float(rng.randint(0, 9)) for _ in boards]
        learn_from(
            [(board_of(cells), reward) for cells, reward in zip(boards, rewards, strict=True)],
            network,
            rule,
        )
        plain.learn_from(list(zip(boards, rewards, strict=True)))
        for cells in boards:
            board = BOARD.board(board_of(cells))
            found = value_of(board, network)
            assert entries_of(board, network, at) == pytest.approx(found, rel=1e-4, abs=1e-3)
            assert found == pytest.approx(plain.value(cells), rel=1e-4, abs=1e-3)
    assert np.count_nonzero(network.weights) > 100
    if coherent:
        assert network.weights[int(ERROR) :: 4].sum() == pytest.approx(
            sum(plain.errors.values()), abs=0.01
        )
        assert network.weights[int(SIZE) :: 4].sum() == pytest.approx(
            sum(plain.sizes.values()), abs=0.01
        )


def test_a_later_stage_begins_with_what_the_one_before_knows() -> None:
    header = Header(rules="2048", spawn="2/4", tuples=TUPLES, stages=(16,))
    network = learning(header)
    size = int(network.offsets[-1])
    network.weights[:size] = 3.0
    low, high = BOARD.board([2] * 16), BOARD.board([16] + [2] * 15)
    before = value_of(high, network)
    assert before == value_of(low, network) == 48.0
    learn_from([([16] + [2] * 15, 0.0)], network, rule_of(0.5, 0.0, 1))
    assert value_of(high, network) < before
    assert value_of(low, network) == 48.0
    assert set(network.weights[:size].tolist()) == {3.0}
    changed = network.weights[size:]
    assert 0 < np.count_nonzero(changed) <= 16
    assert changed[changed != 0].max() < 3.0
