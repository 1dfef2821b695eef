"""Othello against an independent walk over a list of lists, and against known figures."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rules

Board = list[str]
"""Rows of X O . #, as in a state."""

STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
VARIANTS = st.fixed_dictionaries(
    {
        "size": st.sampled_from([4, 6, 8, 10, 16]),
        "preset": st.sampled_from(["standard", "cornerless"]),
    },
    optional={"corners": st.booleans()},
)


def name(row: int, column: int) -> str:
    return "abcdefghijklmnop"[column] + str(row + 1)


def naive_flips(board: Board, row: int, column: int, own: str) -> set[tuple[int, int]]:
    """The discs that a disc on an empty square turns, by walking from it in eight directions."""
    opponent = "XO"[own == "X"]
    turned: set[tuple[int, int]] = set()
    for down, right in STEPS:
        line = []
        i, j = row + down, column + right
        while 0 <= i < len(board) and 0 <= j < len(board) and board[i][j] == opponent:
            line.append((i, j))
            i, j = i + down, j + right
        if 0 <= i < len(board) and 0 <= j < len(board) and board[i][j] == own:
            turned.update(line)
    return turned


def naive_moves(board: Board, own: str, free_centre: bool) -> dict[str, Board]:
    """Each legal move but a pass, in reading order, with the board after it."""
    last = len(board) - 1
    moves = {}
    for row, cells in enumerate(board):
        for column, cell in enumerate(cells):
            inner = 0 < row < last and 0 < column < last
            turned = naive_flips(board, row, column, own) if cell == "." else set()
            if cell == "." and (turned or (free_centre and inner)):
                after = [list(line) for line in board]
                for i, j in turned | {(row, column)}:
                    after[i][j] = own
                moves[name(row, column)] = ["".join(line) for line in after]
    return moves


def symmetries() -> list[Callable[[int, int, int], tuple[int, int]]]:
    """The eight maps of (row, column, last index) to (row, column)."""

    def of(flip: bool, mirror: bool, swap: bool) -> Callable[[int, int, int], tuple[int, int]]:
        def moved(row: int, column: int, last: int) -> tuple[int, int]:
            row, column = last - row if flip else row, last - column if mirror else column
            return (column, row) if swap else (row, column)

        return moved

    return [of(*(bool(code >> bit & 1) for bit in range(3))) for code in range(8)]


@pytest.mark.slow
@settings(max_examples=40)  # whole games
@given(VARIANTS, st.integers(0, 2**32))
def test_every_ply_agrees_with_a_naive_walk(variant: dict[str, object], seed: int) -> None:
    rng = Random(seed)
    game = rules.load("othello", **variant)
    position = game.start()
    while not position.is_over:
        board, seat = position.state()["board"], position.state()["to_move"]
        assert seat == position.to_move
        moves = naive_moves(board, "XO"[seat], game.variant["free_centre"])
        assert position.legal_moves() == (tuple(moves) or ("pass",))
        assert position.scores() == tuple("".join(board).count(disc) for disc in "XO")
        move = rng.choice(position.legal_moves())
        position = position.play(move)
        assert position.state()["board"] == moves.get(move, board)
        assert position.to_move in (1 - seat, None)
    board = position.state()["board"]
    assert not any(naive_moves(board, disc, game.variant["free_centre"]) for disc in "XO")


@settings(max_examples=40)  # of whole games
@given(VARIANTS, st.integers(0, 2**32), st.sampled_from(symmetries()))
def test_play_commutes_with_the_symmetries_of_the_board(
    variant: dict[str, object], seed: int, symmetry: Callable[[int, int, int], tuple[int, int]]
) -> None:
    rng = Random(seed)
    game = rules.load("othello", **variant)
    last = game.variant["size"] - 1
    images = {
        name(row, column): name(*symmetry(row, column, last))
        for row in range(last + 1)
        for column in range(last + 1)
    }
    images["pass"] = "pass"

    def image(position: rules.Position) -> rules.Position:
        cells = [["."] * (last + 1) for _ in range(last + 1)]
        for row, line in enumerate(position.state()["board"]):
            for column, cell in enumerate(line):
                i, j = symmetry(row, column, last)
                cells[i][j] = cell
        board = ["".join(line) for line in cells]
        return game.position({"board": board, "to_move": position.to_move})

    position = game.start()
    for _ in range(rng.randrange(2 * last * last)):
        if not position.is_over:
            position = position.play(rng.choice(position.legal_moves()))
    mirrored = image(position)
    assert {images[move] for move in position.legal_moves()} == set(mirrored.legal_moves())
    for move in position.legal_moves():
        assert image(position.play(move)) == mirrored.play(images[move])


def test_the_standard_start() -> None:
    position = rules.load("othello").start()
    assert position.state() == {
        "board": [
            "........",
            "........",
            "........",
            "...OX...",
            "...XO...",
            "........",
            "........",
            "........",
        ],
        "to_move": 0,
    }
    assert position.legal_moves() == ("d3", "c4", "f5", "e6")
    assert position.play("f5").state()["board"][4] == "...XXX.."


def test_the_cornerless_start() -> None:
    position = rules.load("othello", preset="cornerless").start()
    assert position.state()["board"] == ["#......#", *["........"] * 6, "#......#"]
    assert len(position.legal_moves()) == 36
    assert position.legal_moves()[0] == "b2"
    assert "a2" not in position.legal_moves()


def cornerless(*rows: str, to_move: int = 0) -> rules.Position:
    game = rules.load("othello", preset="cornerless", size=4)
    return game.position({"board": list(rows), "to_move": to_move})


def test_a_cornerless_border_square_must_turn_a_disc() -> None:
    position = cornerless("#..#", "..O.", "..X.", "#..#")
    assert position.legal_moves() == ("c1", "b2", "b3")
    assert position.play("c1").state()["board"] == ["#.X#", "..X.", "..X.", "#..#"]


def test_a_free_central_square_turns_what_it_brackets() -> None:
    position = cornerless("#.O#", "...X", "X...", "#..#", to_move=1)
    assert position.play("b2").scores() == (2, 2)
    position = cornerless("#..#", "OX..", "....", "#..#", to_move=1)
    assert position.play("c2").state()["board"][1] == "OOO."


def test_a_corner_out_of_play_brackets_nothing() -> None:
    position = cornerless("#OO#", "XXXX", "XXXX", "#XX#")
    assert position.is_over
    assert position.to_move is None
    assert position.scores() == (10, 2)


PASSING = ["XO..", "XXXX", "XXXX", "XXXX"]


def test_a_forced_pass_is_the_only_move() -> None:
    game = rules.load("othello", size=4)
    position = game.position({"board": PASSING, "to_move": 1})
    assert position.legal_moves() == ("pass",)
    assert not position.is_over
    assert position.play("pass") == game.position({"board": PASSING, "to_move": 0})
    with pytest.raises(rules.MalformedMove, match=r"'z9' is not a square .* must pass"):
        position.play("z9")
    with pytest.raises(rules.IllegalMove, match=r"'c1' is illegal: .* must pass"):
        position.play("c1")


def test_a_finished_board_is_over_with_either_seat_to_move() -> None:
    game = rules.load("othello", size=4)
    board = ["XXXX", "XXXX", "XXXX", "XXX."]
    positions = [game.position({"board": board, "to_move": seat}) for seat in (0, 1, None)]
    assert positions[0] == positions[1] == positions[2]
    assert positions[0].is_over
    assert positions[0].state()["to_move"] is None
    assert positions[0].scores() == (15, 0)


@pytest.mark.parametrize(
    ("move", "error", "sentence"),
    [
        ("d4", rules.IllegalMove, "'d4' is illegal: the square is taken"),
        ("a1", rules.IllegalMove, "'a1' is illegal: it turns no disc"),
        ("pass", rules.IllegalMove, "'pass' is illegal: a player who can move must not pass"),
        ("i1", rules.MalformedMove, "'i1' is not a square of the board, a1 to h8"),
        ("a9", rules.MalformedMove, "'a9' is not a square"),
        ("D3", rules.MalformedMove, "'D3' is not a square"),
        ("", rules.MalformedMove, "'' is not a square"),
        ("d03", rules.MalformedMove, "'d03' is not a square"),
    ],
)
def test_refused_moves(move: str, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        rules.load("othello").start().play(move)


def test_refused_moves_on_special_boards() -> None:
    with pytest.raises(rules.IllegalMove, match="corners are not playable"):
        rules.load("othello", preset="cornerless").start().play("a1")
    over = rules.load("othello", size=4).position({"board": ["XXXX"] * 4, "to_move": None})
    for move in ("a1", "pass"):
        with pytest.raises(rules.IllegalMove, match="the game is over"):
            over.play(move)


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        ("....", "board must be a list of 4 strings, not '....'"),
        (["...."] * 3, "board must be a list of 4 strings, not 3 entries"),
        (["....", ".....", "....", "...."], r"board\[1\] must be a string of 4 characters"),
        (["....", "....", "...x", "...."], r"board\[2\] must be a string of 4 .* not '...x'"),
        (["....", "....", "....", 4], r"board\[3\] must be a string"),
        (["#...", "....", "....", "...."], "a1 is '#', but must be one of X O ."),
    ],
)
def test_wrong_boards_are_explained(board: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        rules.load("othello", size=4).position({"board": board, "to_move": 0})


@pytest.mark.parametrize("corner", [".", "X", "O"])
def test_a_corner_out_of_play_must_be_marked(corner: str) -> None:
    with pytest.raises(ValueError, match=f"a1 is '[{corner}]', but must be '#'"):
        cornerless(f"{corner}..#", "....", "....", "#..#")
