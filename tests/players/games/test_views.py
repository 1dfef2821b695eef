"""Othello and dots as networks see them: entries and values against plain Python."""

from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.compiled.cache import kernel
from players.games import interface as kernels
from players.games.registry import load_board
from players.ntuple.as_terms import NETWORK, terms_of
from players.ntuple.board import view
from players.ntuple.network import Network, value
from players.weights.board_tuples import BoardCells
from players.weights.evaluations import FOLDER, load_terms
from players.weights.network_file import load_network, save_network
from players.weights.network_header import Header, network_of
from rules.position import Position
from tests.players.conftest import random_position
from tests.players.evaluation_helpers import evaluate
from tests.players.view_helpers import slow_entries, slow_progress

TUPLES = {
    "othello": ("straight-3", "b1 c1 b2 d4", "a2 a3 b3 c3"),
    "dots": ("boxes-1x2", "a1b1 a1a2 b2c2 c2c3"),
}
GAMES = [
    rules.load("othello"),
    rules.load("othello", preset="cornerless", size=6),
    rules.load("dots", rows=4, cols=4),
]
IDS = ["othello", "cornerless 6×6", "dots 4×4"]


@kernel
def value_of(position: Any, network: Any) -> Any:
    return value(view(position), network)


def network_for(game: rules.Game) -> tuple[Header, Network]:
    """A network of two stages with weights of chance, some of the second one unlearned."""
    cells = BoardCells(game.name, game.variant)
    header = Header(
        rules=game.name,  # type: ignore[arg-type] # judged there
        variant=dict(game.variant),
        tuples=tuple(names for line in TUPLES[game.name] for names in cells.tuples(line)),
        stages=(14,),
        initial=0.25,
    )
    network = network_of(header)
    random = np.random.default_rng(1)
    weights = random.normal(size=len(network.weights)).astype(np.float32)
    size = network.offsets[-1]
    weights[size:][random.random(size) < 0.3] = 0
    return header, network._replace(weights=weights)


def slow_value(truth: Position, header: Header, network: Network) -> float:
    """The value of a position; the network has two stages."""
    tables, total = int(network.offsets[-1]), 0.25
    for at in slow_entries(truth, header, network):
        later = 0.0
        if slow_progress(truth) >= header.stages[0]:
            later = float(network.weights[tables + at])
        total += later or float(network.weights[at])
    return total


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_a_network_values_a_position_as_its_description_says(game: rules.Game) -> None:
    header, network = network_for(game)
    board, terms, rng = load_board(game.name, game.variant), terms_of(network), Random(2)
    stages = set()
    for _ in range(60):
        truth = random_position(game, rng.randrange(1, 40), rng)
        position = board.position(truth.state())
        expected = slow_value(truth, header, network)
        stages.add(slow_progress(truth) >= header.stages[0])
        assert value_of(position, network) == pytest.approx(expected, abs=1e-4)
        first, second = truth.scores() if game.name == "dots" else (0, 0)
        lead = first - second if truth.to_move == 0 else second - first
        assert evaluate(position, terms) == pytest.approx(100 * (expected + lead), abs=1.0 + 3.0)
    assert stages == {False, True}


@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_symmetric_boards_are_worth_the_same(game: rules.Game) -> None:
    _, network = network_for(game)
    board, rng = load_board(game.name, game.variant), Random(3)
    for _ in range(20):
        truth = random_position(game, rng.randrange(1, 30), rng)
        images = [board.position(image_of(truth.state(), image)) for image in range(8)]
        values = [float(value_of(position, network)) for position in images]
        assert values == pytest.approx([values[0]] * 8, abs=1e-4)


def image_of(state: dict[str, Any], image: int) -> dict[str, Any]:
    """The state with its board turned."""
    grids = {key: state[key] for key in ("board", "horizontal", "vertical") if key in state}
    for bit, turn in ((1, _mirrored), (2, _flipped), (4, _transposed)):
        if image & bit:
            grids = {key: turn(rows) for key, rows in grids.items()}
            if bit == 4 and "horizontal" in grids:
                grids = {"horizontal": grids["vertical"], "vertical": grids["horizontal"]}
    return {**state, **grids}


def _mirrored(rows: Any) -> Any:
    return [row[::-1] for row in rows]


def _flipped(rows: Any) -> Any:
    return rows[::-1]


def _transposed(rows: Any) -> Any:
    return [list(column) for column in zip(*rows, strict=True)]


def test_estimates_are_bounded() -> None:
    game = GAMES[0]
    _, network = network_for(game)
    terms = terms_of(network._replace(weights=np.full_like(network.weights, 1e9)))
    position = load_board(game.name, game.variant).position(game.start().state())
    assert evaluate(position, terms) == kernels.LIMIT


# Tuples


def test_all_straight_pairs_are_32_classes() -> None:
    """Jaśkowski 2014: 32 systematic 2-tuples, 288 weights."""
    cells = BoardCells("othello", rules.load("othello").variant)
    pairs = cells.tuples("straight-2")
    assert len(pairs) == 32
    assert len({twin for pair in pairs for twin in cells.twins(pair)}) == 2 * 56 + 2 * 49
    assert len(cells.tuples("straight-1")) == 10


def test_blocks_of_boxes_have_all_their_edges() -> None:
    cells = BoardCells("dots", rules.load("dots", rows=5, cols=5).variant)
    assert sorted(map(len, cells.tuples("boxes-1x1"))) == [4] * 6
    assert sorted(map(len, cells.tuples("boxes-2x3"))) == [17] * 4
    assert len(cells.cells) == 60


@pytest.mark.parametrize(
    ("name", "settings", "line", "sentence"),
    [
        ("othello", {}, "a1 i1", "'i1' is not one on this board"),
        ("othello", {"preset": "cornerless"}, "a1 b1", "'a1' is not one on this board"),
        ("othello", {}, "a1 a1", "a1 is there again"),
        ("othello", {}, "straight-9", "N from 1 to 8"),
        ("othello", {}, "a1 b1 c1 d1 e1 f1 g1 h1 a2 b2 c2 d2 e2", "at most 12 cells, got 13"),
        ("dots", {}, "a1c1", "'a1c1' is not one on this board"),
        ("dots", {}, "boxes-6x1", "R and C from 1 to 5"),
        ("dots", {}, "boxes-4x4", "at most 24 cells, got 40"),
    ],
)
def test_what_is_no_tuple_is_named(
    name: str, settings: dict[str, Any], line: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        BoardCells(name, rules.load(name, **settings).variant).tuples(line)


def test_networks_are_for_square_boards() -> None:
    with pytest.raises(ValueError, match="square boards of up to 7×7 boxes, not for 3×4"):
        BoardCells("dots", rules.load("dots", rows=3, cols=4).variant)


# Files as evaluations


def test_an_evaluation_may_be_a_network_s_file(tmp_path: Any) -> None:
    header, network = network_for(GAMES[0])
    save_network(tmp_path / "a.ntuple", header, network)
    name = str(tmp_path / "a.ntuple")
    assert np.array_equal(load_terms("othello", GAMES[0].variant, name), terms_of(network))
    with pytest.raises(ValueError, match=r"a\.ntuple: is a network for othello, not for dots"):
        load_terms("dots", GAMES[2].variant, name)
    other = rules.load("othello", preset="cornerless").variant
    with pytest.raises(
        ValueError, match="is a network for othello with corners = true, not false and free_centre"
    ):
        load_terms("othello", other, name)
    smaller = rules.load("othello", size=6).variant
    with pytest.raises(ValueError, match="is a network for othello with size = 8, not 6"):
        load_terms("othello", smaller, name)
    (tmp_path / "a.ntuple").write_bytes((tmp_path / "a.ntuple").read_bytes()[:-3])
    with pytest.raises(ValueError, match="is damaged: cut short"):
        load_terms("othello", GAMES[0].variant, name)
    with pytest.raises(ValueError, match="cannot be read"):
        load_terms("othello", GAMES[0].variant, str(tmp_path / "no.ntuple"))


@pytest.mark.parametrize("preset", ["standard", "cornerless"])
def test_learned_evaluations_come_along(preset: str) -> None:
    variant = rules.load("othello", preset=preset).variant
    assert load_terms("othello", variant, "learned")[0] == NETWORK
    path = FOLDER / f"network-othello-{preset}.ntuple"
    header = load_network(str(path), "othello").header
    assert path.stat().st_size <= 3_000_000
    assert header.games >= 100_000
    assert "Elo" in header.about
    with pytest.raises(ValueError, match="no learned evaluation is included for these rules"):
        load_terms("othello", rules.load("othello", size=6).variant, "learned")
    with pytest.raises(ValueError, match="no learned evaluation is included for these rules"):
        load_terms("dots", GAMES[2].variant, "learned")
