"""2048 and 2584 against an independent slide, and what placers may do."""

from collections import Counter
from itertools import pairwise
from math import isclose
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rules

FIBONACCI = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584]
TILES = {"2048": [2**power for power in range(1, 12)], "2584": FIBONACCI[:-1]}
MERGES = {
    "2048": {(tile, tile) for tile in TILES["2048"]},
    "2584": {(1, 1), *pairwise(FIBONACCI), *((b, a) for a, b in pairwise(FIBONACCI))},
}
Board = list[list[int]]

boards = st.sampled_from(["2048", "2584"]).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.lists(
            st.lists(st.one_of(st.just(0), st.sampled_from(TILES[name])), min_size=4, max_size=4),
            min_size=4,
            max_size=4,
        ),
    )
)


def turned(board: Board) -> Board:
    """The board turned by 90 degrees against the clock: its right column becomes the top row."""
    return [list(column) for column in zip(*board, strict=True)][::-1]


def naive_left(name: str, board: Board) -> tuple[Board, int]:
    """A slide to the left: tiles move one by one, each until it hits a wall or a tile."""
    reward = 0
    after = []
    for row in board:
        lane: list[int] = []
        closed = 0
        for tile in filter(None, row):
            if len(lane) > closed and (lane[-1], tile) in MERGES[name]:
                lane[-1] += tile
                reward += lane[-1]
                closed = len(lane)
            else:
                lane.append(tile)
        after.append(lane + [0] * (4 - len(lane)))
    return after, reward


def naive_slides(name: str, board: Board) -> dict[str, tuple[Board, int]]:
    slides = {}
    for turns, move in enumerate(("left", "up", "right", "down")):
        view = board
        for _ in range(turns):
            view = turned(view)
        after, reward = naive_left(name, view)
        for _ in range(-turns % 4):
            after = turned(after)
        if after != board:
            slides[move] = (after, reward)
    return {move: slides[move] for move in ("up", "down", "left", "right") if move in slides}


@given(boards, st.integers(0, 10**6))
def test_slides_agree_with_a_naive_slide(named: tuple[str, Board], score: int) -> None:
    name, board = named
    position = rules.load(name).position({"board": board, "score": score})
    slides = naive_slides(name, board)
    assert position.legal_moves() == tuple(slides)
    assert position.is_over == (not slides)
    for move, (after, reward) in slides.items():
        played = position.play(move)
        assert played.state() == {"board": after, "score": score + reward, "to_move": -1}
    for move in {"up", "down", "left", "right"} - slides.keys():
        with pytest.raises(rules.IllegalMove):
            position.play(move)


@given(boards)
def test_slides_commute_with_the_symmetries_of_the_board(named: tuple[str, Board]) -> None:
    name, board = named
    game = rules.load(name)

    def slides(view: Board) -> dict[str, tuple[Board, int]]:
        position = game.position({"board": view, "score": 0})
        states = {move: position.play(move).state() for move in position.legal_moves()}
        return {move: (state["board"], state["score"]) for move, state in states.items()}

    quarter = {"up": "left", "left": "down", "down": "right", "right": "up"}
    mirror = {"up": "up", "down": "down", "left": "right", "right": "left"}
    assert slides(turned(board)) == {
        quarter[move]: (turned(after), score) for move, (after, score) in slides(board).items()
    }
    assert slides([row[::-1] for row in board]) == {
        mirror[move]: ([row[::-1] for row in after], score)
        for move, (after, score) in slides(board).items()
    }


@pytest.mark.parametrize(
    ("name", "lane", "expected", "reward"),
    [
        ("2048", [2, 2, 2, 0], [4, 2, 0, 0], 4),
        ("2048", [2, 2, 2, 2], [4, 4, 0, 0], 8),
        ("2048", [4, 2, 2, 0], [4, 4, 0, 0], 4),
        ("2048", [0, 2, 0, 2], [4, 0, 0, 0], 4),
        ("2584", [1, 1, 1, 0], [2, 1, 0, 0], 2),
        ("2584", [1, 2, 3, 5], [3, 8, 0, 0], 11),
        ("2584", [2, 1, 1, 0], [3, 1, 0, 0], 3),
        ("2584", [3, 1, 1, 2], [3, 2, 2, 0], 2),
        ("2584", [0, 1597, 0, 987], [2584, 0, 0, 0], 2584),
    ],
)
def test_the_pair_nearest_the_wall_merges_first(
    name: str, lane: list[int], expected: list[int], reward: int
) -> None:
    position = rules.load(name).position({"board": [lane, *[[0] * 4] * 3], "score": 7})
    after = position.play("left")
    assert after.state()["board"][0] == expected
    assert after.scores() == (7 + reward,)


def test_2584_does_not_merge_equal_or_distant_tiles() -> None:
    board = [[2, 2, 5, 13], [8, 21, 55, 3], [1, 3, 8, 21], [5, 13, 34, 89]]
    assert "left" not in rules.load("2584").position({"board": board, "score": 0}).legal_moves()


@given(st.sampled_from(["2048", "2584"]), st.integers(0, 2**32))
def test_the_start_holds_two_spawned_tiles(name: str, seed: int) -> None:
    game = rules.load(name)
    start = game.start(seed=seed)
    tiles = [tile for row in start.state()["board"] for tile in row if tile]
    assert len(tiles) == 2
    assert set(tiles) <= ({2, 4} if name == "2048" else {1, 2})
    assert start.to_move == 0
    assert start.scores() == (0,)
    assert game.start(seed=seed) == start


def test_the_start_does_not_depend_on_the_placer() -> None:
    settings: list[dict[str, str]] = [
        {},
        {"placer": "player"},
        {"placer": "player", "placer_chooses": "cell"},
    ]
    starts = [rules.load("2048", **each).start(seed=9).state() for each in settings]
    assert starts[0] == starts[1] == starts[2]


def test_starts_without_a_seed_differ() -> None:
    starts = {rules.load("2048").start() for _ in range(40)}
    assert len(starts) > 1


@pytest.mark.parametrize("seed", [3.5, "3", [1], True, -1])
def test_a_seed_that_is_no_integer_from_0_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be an integer of at least 0, not"):
        rules.load("2048").start(seed)


def test_the_share_of_starting_tiles_follows_the_spawn_table() -> None:
    game = rules.load("2584", spawn="1/3")
    starts = (game.start(seed=seed).state()["board"] for seed in range(4000))
    tiles = Counter(tile for board in starts for row in board for tile in row if tile)
    assert tiles.keys() == {1, 3}
    assert abs(tiles[3] / 8000 - 0.25) < 0.02


CROWDED = [[2, 4, 8, 16], [16, 8, 4, 2], [2, 4, 8, 16], [16, 8, 4, 4]]


def after_slide(**settings: str) -> rules.Position:
    """One empty cell, a4, after the slide."""
    game = rules.load("2048", **settings)
    return game.position({"board": CROWDED, "score": 0}).play("right")


def test_chance_places_a_tile_on_an_empty_cell() -> None:
    position = after_slide()
    assert position.to_move == -1
    assert position.chance() == (("a4=2", 0.9), ("a4=4", 0.1))
    assert position.legal_moves() == ("a4=2", "a4=4")
    assert position.scores() == (8,)
    over = position.play("a4=4")
    assert over.state()["board"][3] == [4, 16, 8, 8]


@given(boards.filter(lambda named: not all(all(row) for row in named[1])))
def test_chance_is_uniform_over_cells_and_weighted_over_tiles(named: tuple[str, Board]) -> None:
    name, board = named
    position = rules.load(name).position({"board": board, "score": 0, "to_move": -1})
    chance = dict(position.chance())
    assert tuple(chance) == position.legal_moves()
    assert isclose(sum(chance.values()), 1)
    empty = sum(tile == 0 for row in board for tile in row)
    assert len(chance) == 2 * empty
    assert isclose(max(chance.values()), 0.9 / empty)
    for move in chance:
        row, column = int(move[1]) - 1, "abcd".index(move[0])
        after = position.play(move).state()["board"]
        assert after[row][column] == int(move[3:])
        after[row][column] = 0
        assert after == board


def test_a_player_places_cell_and_tile() -> None:
    position = after_slide(placer="player")
    assert position.to_move == 1
    assert position.chance() == ()
    assert position.legal_moves() == ("a4=2", "a4=4")
    assert position.scores() == (8, 0)
    assert position.play("a4=4").to_move == 0


def test_a_player_places_the_cell_and_chance_the_tile() -> None:
    position = after_slide(placer="player", placer_chooses="cell")
    assert position.to_move == 1
    assert position.legal_moves() == ("a4",)
    waiting = position.play("a4")
    assert waiting.to_move == -1
    assert waiting.state()["cell"] == "a4"
    assert waiting.chance() == (("a4=2", 0.9), ("a4=4", 0.1))
    assert waiting.game.position(waiting.state()) == waiting
    assert "a tile comes to a4" in str(waiting)
    assert waiting.play("a4=2").to_move == 0
    assert "cell" not in waiting.play("a4=2").state()


def test_the_game_ends_when_no_slide_changes_the_board() -> None:
    board = [[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]]
    for placer in ("chance", "player"):
        game = rules.load("2048", placer=placer)
        over = game.position({"board": board, "score": 5})
        assert over.is_over
        assert over == game.position({"board": board, "score": 5, "to_move": None})
        assert over.state() == {"board": board, "score": 5, "to_move": None}
    last = [[0, 4, 2, 4], *board[1:]]
    position = rules.load("2048").position({"board": last, "score": 5, "to_move": -1})
    assert position.play("a1=2").is_over
    assert not position.play("a1=4").is_over


@pytest.mark.parametrize(
    ("settings", "plies", "move", "error", "sentence"),
    [
        ({}, 0, "a1=2", rules.IllegalMove, "it is the slider's turn"),
        ({}, 0, "Up", rules.MalformedMove, "'Up' is not a move of 2048: expected up, down"),
        ({}, 0, "a1", rules.MalformedMove, "expected up, down, left or right$"),
        ({}, 1, "up", rules.IllegalMove, "'up' is illegal: a placement is due"),
        ({}, 1, "a4=8", rules.MalformedMove, "'a4=8' is not a move"),
        ({}, 1, "e1=2", rules.MalformedMove, "'e1=2' is not a move"),
        ({}, 1, "a1=2", rules.IllegalMove, "'a1=2' is illegal: a1 holds 2"),
        ({"placer": "player"}, 1, "a4", rules.MalformedMove, "such as 'c2=2'"),
        ({"placer_chooses": "cell"}, 1, "a4", rules.MalformedMove, "such as 'c2=2'"),
    ],
)
def test_refused_moves(
    settings: dict[str, str], plies: int, move: str, error: type[Exception], sentence: str
) -> None:
    game = rules.load("2048", **settings)
    position = game.position({"board": CROWDED, "score": 0})
    for slide in ("right",)[:plies]:
        position = position.play(slide)
    with pytest.raises(error, match=sentence):
        position.play(move)


@pytest.mark.parametrize(
    ("plies", "move", "sentence"),
    [
        (("right",), "a4=2", "a placement is due, a cell alone"),
        (("right",), "a1", "'a1' is illegal: a1 holds 2"),
        (("right", "a4"), "a4", "a placement is due, a cell, a1 to d4, with a tile"),
        (("right", "a4"), "b4=2", "'b4=2' is illegal: the tile goes to a4"),
        ((), "a4", "it is the slider's turn"),
    ],
)
def test_refused_moves_when_the_placer_chooses_the_cell(
    plies: tuple[str, ...], move: str, sentence: str
) -> None:
    game = rules.load("2048", placer="player", placer_chooses="cell")
    position = game.position({"board": CROWDED, "score": 0})
    for played in plies:
        position = position.play(played)
    with pytest.raises(rules.IllegalMove, match=sentence):
        position.play(move)


GOOD: dict[str, Any] = {"board": [[0, 2, 0, 0], *[[0] * 4] * 3], "score": 0}
CELL = {"placer": "player", "placer_chooses": "cell"}


@pytest.mark.parametrize(
    ("settings", "state", "sentence"),
    [
        ({}, GOOD | {"board": [[0] * 4] * 3}, "board must be a list of 4 lists, not 3 entries"),
        ({}, GOOD | {"board": [[0] * 5] * 4}, r"board\[0\] must be a list of 4 integers"),
        ({}, GOOD | {"board": [[0, 2.0, 0, 0]] * 4}, r"board\[0\] must be a list of 4 integers"),
        ({}, GOOD | {"board": [[0, 0, 3, 0]] * 4}, "board: c1 is 3, but must be 0 or a tile of"),
        ({}, GOOD | {"board": [[0, 0, 1, 0]] * 4}, "board: c1 is 1"),
        ({}, GOOD | {"board": [[0, 0, -2, 0]] * 4}, "board: c1 is -2"),
        ({}, GOOD | {"score": -1}, "score must be an integer of at least 0, not -1"),
        ({}, GOOD | {"score": True}, "score must be an integer"),
        ({}, GOOD | {"to_move": 1}, "to_move must be one of 0, -1 or null, not 1"),
        ({"placer": "player"}, GOOD | {"to_move": -1}, "to_move must be one of 0, 1 or null"),
        ({}, {"board": CROWDED, "score": 0, "to_move": -1}, "-1, but the board has no empty cell"),
        (CELL, GOOD | {"to_move": -1}, "the state has no 'cell'"),
        (CELL, GOOD | {"to_move": -1, "cell": "e5"}, "cell must be one of a1"),
        (CELL, GOOD | {"to_move": -1, "cell": "b1"}, "cell must be empty, but b1 holds 2"),
    ],
)
def test_wrong_states_are_explained(
    settings: dict[str, str], state: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        rules.load("2048", **settings).position(state)


def test_a_2584_board_holds_fibonacci_numbers() -> None:
    game = rules.load("2584")
    with pytest.raises(ValueError, match="board: d2 is 4, but must be 0 or a tile of 2584"):
        game.position({"board": [[1, 2, 3, 5], [0, 0, 0, 4], [0] * 4, [0] * 4], "score": 0})


@pytest.mark.slow
def test_random_2048_scores_as_known() -> None:
    """Uniformly random slides average about 1,096 points over 118.5 slides."""
    rng = Random(7)
    scores, slides = [], []
    game = rules.load("2048")
    for _ in range(300):
        position = game.start(seed=rng.randrange(2**32))
        count = 0
        while not position.is_over:
            if position.to_move == -1:
                position = position.play(rules.draw_chance(position, rng))
            else:
                position = position.play(rng.choice(position.legal_moves()))
                count += 1
        scores.append(position.scores()[0])
        slides.append(count)
    assert abs(sum(scores) / 300 - 1096) < 130
    assert abs(sum(slides) / 300 - 118.5) < 9
