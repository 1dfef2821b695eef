"""The evaluation of dots and boxes against plain Python over `rules/` and the exact solver."""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

import rules
from players.compiled.cache import kernel
from players.games import interface as game
from players.games.dots import evaluation as dots_evaluation
from players.games.endgame import Endgame, Solution, load_endgame
from players.games.registry import load_board
from players.weights.evaluations import load_terms
from rules.position import Position
from tests.players.conftest import random_position
from tests.players.evaluation_helpers import evaluate, expectation

BOARDS = [(1, 1), (1, 5), (3, 3), (5, 5), (4, 6), (7, 7), (3, 15)]
STILL = np.zeros(1, np.int64)
Box = tuple[int, int]


@kernel
def capture(position: Any) -> Any:
    """`dots_evaluation.capture` for Python."""
    across, down, stride, boxes = position.across, position.down, position.stride, position.boxes
    return dots_evaluation.capture(across, down, stride, boxes)


@kernel
def quiet_features(position: Any) -> Any:
    """`dots_evaluation.quiet_features` for Python."""
    across, down, stride, boxes = position.across, position.down, position.stride, position.boxes
    return dots_evaluation.quiet_features(across, down, stride, boxes)


def solved(endgame: Endgame, position: Any) -> Solution:
    solution = endgame.best(position, STILL)
    assert solution is not None
    return solution


class Sketch(NamedTuple):
    """A position as a graph: which undrawn edges a box has, which boxes an undrawn edge has."""

    edges: dict[Box, set[tuple[Any, ...]]]
    boxes: dict[tuple[Any, ...], set[Box]]

    def draw(self, edge: tuple[Any, ...]) -> None:
        for box in self.boxes.pop(edge):
            self.edges[box].discard(edge)

    def string(self, start: Box) -> set[Box]:
        """The boxes of up to two undrawn edges tied to `start`."""
        found, queue = {start}, [start]
        while queue:
            for edge in self.edges[queue.pop()]:
                for box in self.boxes[edge] - found:
                    if len(self.edges[box]) <= 2:
                        found.add(box)
                        queue.append(box)
        return found


def sketch_of(truth: Position) -> Sketch:
    state = truth.state()
    rows, columns = state["rows"], state["cols"]
    boxes: dict[tuple[Any, ...], set[Box]] = {}
    edges: dict[Box, set[tuple[Any, ...]]] = {
        (row, column): set() for row in range(rows) for column in range(columns)
    }
    for orientation, (back, left) in (("horizontal", (1, 0)), ("vertical", (0, 1))):
        for row, line in enumerate(state[orientation]):
            for column, drawn in enumerate(line):
                if not drawn:
                    near = {(row, column), (row - back, column - left)} & edges.keys()
                    boxes[orientation, row, column] = near
                    for box in near:
                        edges[box].add((orientation, row, column))
    return Sketch(edges, boxes)


def slow_capture(sketch: Sketch) -> tuple[int, int]:
    """Take everything there is to take: how many boxes, and the price of leaving some over."""
    taken, price = 0, 1000
    while singles := [box for box, edges in sketch.edges.items() if len(edges) == 1]:
        string = sketch.string(singles[0])
        ends = len(string & set(singles))
        if ends == 1 and len(string) >= 2:
            price = min(price, 4)
        elif len(string) >= 4:
            price = min(price, 8)
        taken += len(string)
        for edge in {edge for box in string for edge in sketch.edges[box]}:
            sketch.draw(edge)
    return taken, price


def slow_opening_value(chains: list[int], loops: list[int]) -> int:
    """What the mover wins who must open these, the cheapest first."""
    costs = [(length if length > 2 else length - 10, 1, length, 4) for length in chains]
    costs += [(length - 4, 0, length, 8) for length in loops]
    value = 0
    for _, _, length, price in sorted(costs, reverse=True):
        choices = [length + value] + ([length - price - value] if length > 2 else [])
        value = -max(choices)
    return value


def slow_quiet(sketch: Sketch) -> tuple[int, int, tuple[int, ...]]:
    low = {box for box, edges in sketch.edges.items() if len(edges) == 2}
    free = sum(len(edges) > 2 for edges in sketch.edges.values())
    safe = sum(not near & low for near in sketch.boxes.values())
    chains, loops, rest = [], [], set(low)
    while rest:
        string = sketch.string(rest.pop())
        rest -= string
        inside = {edge for box in string for edge in sketch.edges[box]}
        closed = all(
            sketch.boxes[edge] <= string and len(sketch.boxes[edge]) == 2 for edge in inside
        )
        (loops if closed else chains).append(len(string))
    long = [length for length in chains if length > 2]
    chains = [min(length, 15) for length in chains]
    loops = [min(length, 19) for length in loops]
    parity = (len(sketch.boxes) - len(low) - free + len(long)) % 2
    return (
        min(safe, 22),
        parity,
        (1, -slow_opening_value(chains, loops), free, len(long), sum(long)),
    )


def slow_value(truth: Position, terms: Any) -> int:
    first, second = truth.scores()
    lead = first - second if truth.to_move == 0 else second - first
    sketch = sketch_of(truth)
    taken, price = slow_capture(sketch)
    value = 0
    if sketch.boxes:
        stage, parity, features = slow_quiet(sketch)
        row = terms[1:].reshape(dots_evaluation.STAGES, 2, len(dots_evaluation.FEATURES))[
            stage, parity
        ]
        value = int(row @ features) if features[2] else -100 * features[1]
        value = max(value, -100 * price - value)
    return value + 100 * (lead + taken)


def name_of(orientation: str, row: int, column: int) -> str:
    """The move that draws an edge."""
    dots = [(row, column), (row, column + 1) if orientation == "horizontal" else (row + 1, column)]
    return "".join(f"{'abcdefghijklmnop'[column]}{row + 1}" for row, column in dots)


def sensible_moves(truth: Position) -> list[str]:
    """Those that close a box or leave none to the other player."""
    sketch = sketch_of(truth)
    undrawn = {box: len(edges) for box, edges in sketch.edges.items()}
    to_take = 1 in undrawn.values()
    sensible = set()
    for edge, near in sketch.boxes.items():
        counts = {undrawn[box] for box in near}
        if 1 in counts or not (to_take or 2 in counts):
            sensible.add(name_of(*edge))
    return [move for move in truth.legal_moves() if move in sensible]


def sensible_position(rule_set: rules.Game, plies: int, rng: Random) -> Position:
    """After sensible moves while there are such, one of them random now and then."""
    position = rule_set.start()
    for _ in range(plies):
        moves, legal = sensible_moves(position), position.legal_moves()
        after = position.play(rng.choice(moves if moves and rng.random() < 0.9 else legal))
        if after.is_over:
            break
        position = after
    return position


def positions(rows: int, cols: int, count: int) -> Iterator[tuple[str, Position, Any]]:
    """Seeded positions of all phases: (where they come from, the rules' position, the kernels')."""
    rule_set = rules.load("dots", rows=rows, cols=cols)
    board = load_board("dots", rule_set.variant)
    edges = 2 * rows * cols + rows + cols
    for seed in range(count):
        rng = Random(seed)
        plies = rng.randrange(edges)
        sensible = seed % 2 and edges <= 60
        truth = (sensible_position if sensible else random_position)(rule_set, plies, rng)
        yield f"{rows}×{cols}, seed {seed}\n{truth}", truth, board.position(truth.state())


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "cols"), BOARDS)
def test_values_are_those_of_the_graph(rows: int, cols: int) -> None:
    terms = load_terms("dots", rules.load("dots", rows=rows, cols=cols).variant)
    for where, truth, position in positions(rows, cols, 40):
        taken, price = capture(position)[2:]
        assert (taken, price) == slow_capture(sketch_of(truth)), where
        if not taken:
            assert quiet_features(position) == slow_quiet(sketch_of(truth)), where
        assert evaluate(position, terms) == slow_value(truth, terms), where


def images(truth: Position) -> Iterator[Position]:
    """The position of a square board under its eight symmetries."""
    state = truth.state()
    lines = [np.array(state[name]) for name in ("horizontal", "vertical")]
    owners = np.array([list(row) for row in state["owners"]])
    for symmetry in range(8):
        across, down, of = lines[0], lines[1], owners
        if symmetry & 1:
            across, down, of = across[::-1], down[::-1], of[::-1]
        if symmetry & 2:
            across, down, of = across[:, ::-1], down[:, ::-1], of[:, ::-1]
        if symmetry & 4:
            across, down, of = down.T, across.T, of.T
        yield truth.game.position(
            {
                **state,
                "horizontal": across.tolist(),
                "vertical": down.tolist(),
                "owners": ["".join(row) for row in of],
            }
        )


def test_values_know_no_side_of_the_board_and_no_seat() -> None:
    rule_set = rules.load("dots", rows=5, cols=5)
    board, terms = load_board("dots", rule_set.variant), load_terms("dots", rule_set.variant)
    for where, truth, position in positions(5, 5, 30):
        value = evaluate(position, terms)
        for image in images(truth):
            assert evaluate(board.position(image.state()), terms) == value, where
        other = position._replace(seat=1 - position.seat, lead=-position.lead)
        assert evaluate(other, terms) == value, where


@pytest.mark.slow
def test_where_all_is_chains_and_loops_the_value_is_nearly_always_exact() -> None:
    rule_set = rules.load("dots", rows=4, cols=4)
    board, terms = load_board("dots", rule_set.variant), load_terms("dots", rule_set.variant)
    endgame = load_endgame("dots", board, 4)
    right = wrong = 0
    for seed in range(300):
        truth = sensible_position(rule_set, 24 + seed % 12, Random(seed))
        position = board.position(truth.state())
        if any(len(edges) > 2 for edges in sketch_of(truth).edges.values()):
            continue
        is_exact = evaluate(position, terms) == 100 * solved(endgame, position).margin
        right, wrong = right + is_exact, wrong + (not is_exact)
    assert right > 100
    assert wrong <= right / 20


@pytest.mark.slow
def test_values_are_bounded() -> None:
    count = dots_evaluation.STAGES * 2 * len(dots_evaluation.FEATURES)
    terms = np.full(1 + count, 50_000, np.int32)
    terms[0] = dots_evaluation.CHAINS
    values = {evaluate(position, terms) for _, _, position in positions(5, 5, 20)}
    assert max(map(abs, values)) == game.LIMIT


@pytest.mark.slow
def test_expectation_rises_with_the_value_and_is_fair() -> None:
    for where, _, position in positions(5, 5, 10):
        values = [float(expectation(position, value)) for value in range(-2500, 2501, 100)]
        assert values == sorted(values), where
        assert values[25] == 0.5, where
        assert 0.0 <= values[0] < 0.01, where
        assert np.allclose(np.add(values, values[::-1]), 1.0), where


@pytest.mark.slow
def test_expectation_is_what_positions_are_worth() -> None:
    """Positions that perfect play came to, with 14 to 26 edges left: the mean of what is expected
    is near the mean of the results, where the mover seems to lose and where he seems to win.
    """
    rule_set = rules.load("dots", rows=5, cols=5)
    board, terms = load_board("dots", rule_set.variant), load_terms("dots", rule_set.variant)
    endgame = load_endgame("dots", board, 16)
    results = []
    for seed in range(120):
        rng = Random(seed)
        truth = sensible_position(rule_set, 32, rng)
        for _ in range(rng.randrange(2, 14)):
            truth = truth.play(solved(endgame, board.position(truth.state())).move)
        position = board.position(truth.state())
        value = float(expectation(position, evaluate(position, terms)))
        results.append((value, (1 + np.sign(solved(endgame, position).margin)) / 2))
    said, came = np.array(results).T
    for part in (said < 0.5, said >= 0.5):
        assert said[part].mean() == pytest.approx(came[part].mean(), abs=0.12)
    assert np.corrcoef(said, came)[0, 1] > 0.7
