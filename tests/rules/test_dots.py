"""Dots and boxes against an independent board of sets, and against published values."""

import json
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rules
from rules.dots import Dots

Edge = frozenset[tuple[int, int]]
"""Two neighbouring dots, each (row, column)."""


def edge(move: str) -> Edge:
    """The dots of a move with one-digit rows, such as `a1b1`."""
    return frozenset(
        (int(move[at + 1]) - 1, "abcdefghijklmnop".index(move[at])) for at in range(0, len(move), 2)
    )


def text(drawn: Edge) -> str:
    return "".join("abcdefghijklmnop"[column] + str(row + 1) for row, column in sorted(drawn))


def sides(row: int, column: int) -> set[Edge]:
    """The sides of the box right of and below a dot."""
    corners = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
    return {frozenset((corners[at], corners[at - 1])) for at in range(4)}


class NaiveDots:
    """A board that is changed by each move."""

    def __init__(self, rows: int, cols: int) -> None:
        self.boxes = [(row, column) for row in range(rows) for column in range(cols)]
        self.open = set().union(*(sides(*box) for box in self.boxes))
        self.owner: dict[tuple[int, int], int] = {}
        self.seat = 0

    def play(self, drawn: Edge) -> None:
        self.open.remove(drawn)
        closed = [box for box in self.boxes if drawn in sides(*box) and not sides(*box) & self.open]
        self.owner.update(dict.fromkeys(closed, self.seat))
        self.seat = self.seat if closed else 1 - self.seat


sizes = st.integers(1, 6)


@settings(max_examples=40)  # of whole games
@given(sizes, sizes, st.integers(0, 2**32))
def test_every_ply_agrees_with_a_naive_board(rows: int, cols: int, seed: int) -> None:
    rng = Random(seed)
    position = rules.load("dots", rows=rows, cols=cols).start()
    naive = NaiveDots(rows, cols)
    while naive.open:
        assert position.to_move == naive.seat
        assert set(position.legal_moves()) == {text(drawn) for drawn in naive.open}
        move = rng.choice(position.legal_moves())
        position = position.play(move)
        naive.play(edge(move))
        owners = position.state()["owners"]
        assert {box: owners[box[0]][box[1]] for box in naive.boxes} == {
            box: str(naive.owner.get(box, ".")) for box in naive.boxes
        }
    assert position.is_over
    assert not position.is_adjudicated
    assert sum(position.scores()) == rows * cols


@settings(max_examples=40)  # of whole games
@given(sizes, sizes, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_play_commutes_with_the_symmetries_of_the_board(
    rows: int, cols: int, flip: bool, mirror: bool, swap: bool, seed: int
) -> None:
    """Boards that are not square keep four symmetries; transposing maps to the other shape."""
    rng = Random(seed)

    def image(move: str) -> str:
        dots = [
            (rows - row if flip else row, cols - column if mirror else column)
            for row, column in edge(move)
        ]
        return text(frozenset((column, row) if swap else (row, column) for row, column in dots))

    position = rules.load("dots", rows=rows, cols=cols).start()
    shape = (cols, rows) if swap else (rows, cols)
    mirrored = rules.load("dots", rows=shape[0], cols=shape[1]).start()
    while not position.is_over:
        assert {image(move) for move in position.legal_moves()} == set(mirrored.legal_moves())
        move = rng.choice(position.legal_moves())
        position, mirrored = position.play(move), mirrored.play(image(move))
        assert position.scores() == mirrored.scores()
        assert position.to_move == mirrored.to_move


def value(rows: int, cols: int) -> int:
    """First player's boxes minus second's when both play best, by plain search."""

    @cache
    def net(drawn: str) -> int:
        """What the mover gains from here on over the opponent."""
        position = game.position(complete(game, drawn))
        if position.is_over:
            return 0
        best = -rows * cols
        for move in position.legal_moves():
            after = position.play(move)
            gained = sum(after.scores()) - sum(position.scores())
            rest = net(edges_of(after.state()))
            best = max(best, gained + rest if gained else -rest)
        return best

    game = rules.load("dots", rows=rows, cols=cols)
    return net(edges_of(game.start().state()))


def edges_of(state: dict[str, Any]) -> str:
    return "".join(str(bit) for row in state["horizontal"] + state["vertical"] for bit in row)


def complete(game: rules.Game, drawn: str) -> dict[str, Any]:
    """A state with these edges, seat 0 to move and owner of every closed box."""
    rows, cols = game.variant["rows"], game.variant["cols"]
    bits = [int(bit) for bit in drawn]
    across = [bits[row * cols : (row + 1) * cols] for row in range(rows + 1)]
    rest = bits[(rows + 1) * cols :]
    down = [rest[row * (cols + 1) : (row + 1) * (cols + 1)] for row in range(rows)]
    owners = [
        "".join(
            "0"
            if across[row][column] + across[row + 1][column] + sum(down[row][column : column + 2])
            == 4
            else "."
            for column in range(cols)
        )
        for row in range(rows)
    ]
    return {
        "rows": rows,
        "cols": cols,
        "horizontal": across,
        "vertical": down,
        "owners": owners,
        "score": [sum(row.count("0") for row in owners), 0],
        "to_move": 0,
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "cols", "expected"),
    [(1, 1, -1), (1, 2, 0), (1, 3, -1), (3, 1, -1), (1, 4, 0), (2, 2, 2)],
)
def test_best_play_reaches_the_published_value(rows: int, cols: int, expected: int) -> None:
    assert value(rows, cols) == expected


@pytest.mark.slow
def test_the_value_of_2_by_3_by_edge_masks() -> None:
    """17 edges: the same search over positions' own integers."""
    game = Dots(2, 3, stop_at_majority=False)

    @cache
    def net(drawn: int) -> int:
        best = -6 if drawn != game.all_edges else 0
        for bit, boxes in game.edges.values():
            if not drawn & bit:
                after = drawn | bit
                gained = sum(after & side == side for side, _ in boxes)
                best = max(best, gained + net(after) if gained else -net(after))
        return best

    assert net(0) == -2


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 4))
def test_what_is_kept_of_the_last_position_never_shows(seed: int, rows: int, cols: int) -> None:
    rng, game = Random(seed), Dots(rows, cols, stop_at_majority=False)
    positions = []
    for _ in range(2):
        position = game.start()
        while not position.is_over:
            position = position.play(rng.choice(position.legal_moves()))
            positions.append(position)
    for position in (*positions, *rng.sample(positions, len(positions))):
        text = json.dumps(position.state(), separators=(",", ":"))
        assert position.state_json() == text.encode()
        assert position.legal_moves() == tuple(
            name for edge, name in enumerate(game.names) if not position.edges >> edge & 1
        )


def test_one_edge_may_close_two_boxes_and_keeps_the_turn() -> None:
    position = rules.load("dots", rows=1, cols=2).start()
    for move in ("a1b1", "b1c1", "a2b2", "b2c2", "a1a2", "c1c2"):
        position = position.play(move)
    assert position.to_move == 0
    assert position.legal_moves() == ("b1b2",)
    assert position.state() == {
        "rows": 1,
        "cols": 2,
        "horizontal": [[1, 1], [1, 1]],
        "vertical": [[1, 0, 1]],
        "owners": [".."],
        "score": [0, 0],
        "to_move": 0,
    }
    over = position.play("b1b2")
    assert over.scores() == (2, 0)
    assert over.state()["owners"] == ["00"]
    assert over.is_over
    assert not over.is_adjudicated


def test_closing_a_box_keeps_the_turn() -> None:
    position = rules.load("dots", rows=1, cols=2).start()
    for move in ("a1b1", "a2b2", "a1a2"):
        position = position.play(move)
    assert position.to_move == 1
    position = position.play("b1b2")
    assert position.to_move == 1
    assert position.scores() == (0, 1)


def test_moves_are_named_left_or_upper_dot_first_and_listed_by_rows() -> None:
    assert rules.load("dots", rows=1, cols=1).start().legal_moves() == (
        "a1b1",
        "a2b2",
        "a1a2",
        "b1b2",
    )
    assert rules.load("dots", rows=15, cols=15).start().legal_moves()[-1] == "p15p16"


def majority(stop: bool) -> rules.Position:
    """1×3 boxes, seat 1 has just closed two of them."""
    position = rules.load("dots", rows=1, cols=3, stop_at_majority=stop).start()
    for move in ("a1b1", "a2b2", "b1c1", "b2c2", "a1a2", "b1b2", "c1c2"):
        position = position.play(move)
    return position


def test_stop_at_majority_ends_the_game_early() -> None:
    position = majority(stop=True)
    assert position.scores() == (0, 2)
    assert position.is_over
    assert position.is_adjudicated
    assert position.legal_moves() == ()
    assert position.state()["to_move"] is None
    with pytest.raises(rules.IllegalMove, match="'c1d1' is illegal: the game is over"):
        position.play("c1d1")


def test_without_it_the_game_goes_on() -> None:
    position = majority(stop=False)
    assert not position.is_over
    assert position.to_move == 1


@pytest.mark.parametrize(
    ("move", "error", "sentence"),
    [
        ("a1b1", rules.IllegalMove, "'a1b1' is illegal: the edge is already drawn"),
        ("b1a1", rules.MalformedMove, "'b1a1' .* wrong order: it is 'a1b1'"),
        ("a2a1", rules.MalformedMove, "wrong order: it is 'a1a2'"),
        ("a1c1", rules.MalformedMove, "'a1c1' is not an edge: .* between a1 and f6"),
        ("f1g1", rules.MalformedMove, "is not an edge"),
        ("a6a7", rules.MalformedMove, "is not an edge"),
        ("a1b2", rules.MalformedMove, "is not an edge"),
        ("a1", rules.MalformedMove, "is not an edge"),
        ("A1B1", rules.MalformedMove, "is not an edge"),
        ("pass", rules.MalformedMove, "is not an edge"),
    ],
)
def test_refused_moves(move: str, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        rules.load("dots").start().play("a1b1").play(move)


OPEN: dict[str, Any] = rules.load("dots", rows=1, cols=1).start().state()
CLOSED = OPEN | {"horizontal": [[1], [1]], "vertical": [[1, 1]]}


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (OPEN | {"rows": 2}, "rows is 2, but this game has 1"),
        (OPEN | {"cols": True}, "cols must be an integer from 1 to 15, not True"),
        (OPEN | {"horizontal": [[0]]}, "horizontal must be a list of 2 lists, not 1 entries"),
        (OPEN | {"horizontal": [[0], [0, 0]]}, r"horizontal\[1\] must be a list of 1 integers"),
        (OPEN | {"vertical": [[0, True]]}, r"vertical\[0\] must be a list of 2 integers"),
        (OPEN | {"vertical": [[0, 2]]}, r"edge b1b2 is 2, but must be 0 \(open\) or 1 \(drawn\)"),
        (OPEN | {"owners": ["x"]}, r"owners\[0\] must be a string of 1 characters out of . 0 1"),
        (OPEN | {"owners": ["0"]}, "right of dot a1 is owned, but not all its sides are drawn"),
        (CLOSED, "dot a1 is without an owner, but all its sides are drawn"),
        (CLOSED | {"owners": ["1"]}, r"score must be \[0, 1\], the boxes in owners, not \[0, 0\]"),
        (OPEN | {"score": 0}, r"score must be \[0, 0\]"),
    ],
)
def test_wrong_states_are_explained(state: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        rules.load("dots", rows=1, cols=1).position(state)


def test_a_finished_board_is_over_with_either_seat_to_move() -> None:
    game = rules.load("dots", rows=1, cols=1)
    state = CLOSED | {"owners": ["1"], "score": [0, 1]}
    positions = [game.position(state | {"to_move": seat}) for seat in (0, 1, None)]
    assert positions[0] == positions[1] == positions[2]
    assert positions[0].is_over
