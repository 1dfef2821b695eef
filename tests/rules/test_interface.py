"""What every game must do, whatever its rules."""

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rules

VARIANTS: list[tuple[str, Mapping[str, object]]] = [
    *((name, board) for name in rules.GAMES for board in rules.default(name).check_boards.values()),
    ("othello", {"size": 4}),
    ("othello", {"size": 16, "preset": "cornerless"}),
    ("othello", {"size": 6, "corners": False}),
    ("othello", {"size": 6, "free_centre": True}),
    ("othello", {"size": 6, "start": "empty", "free_centre": True}),
    ("dots", {"rows": 1, "cols": 1}),
    ("dots", {"rows": 3, "cols": 2}),
    ("dots", {"rows": 2, "cols": 4, "stop_at_majority": True}),
    ("dots", {"rows": 15, "cols": 15}),
    ("2048", {"placer": "player"}),
    ("2048", {"placer": "player", "placer_chooses": "cell"}),
    ("2584", {"spawn": "1/3"}),
    ("2584", {"spawn": "1/3", "placer": "player", "placer_chooses": "cell"}),
]
GAMES = [rules.load(name, **settings) for name, settings in VARIANTS]

games = st.sampled_from(GAMES)
seeds = st.integers(0, 2**32)


def random_game(game: rules.Game, rng: Random) -> list[rules.Position]:
    """Every position of a game of uniformly random moves."""
    positions = [game.start(seed=rng.randrange(2**32))]
    while not positions[-1].is_over:
        assert len(positions) < 20_000
        positions.append(positions[-1].play(rng.choice(positions[-1].legal_moves())))
    return positions


@given(games, seeds)
def test_a_random_game_keeps_the_promises_of_the_interface(game: rules.Game, seed: int) -> None:
    positions = random_game(game, Random(seed))
    for position in positions[:-1]:
        assert position.to_move in (rules.CHANCE, *range(game.seats))
        assert position.legal_moves()
        assert len(set(position.legal_moves())) == len(position.legal_moves())
        assert not position.is_adjudicated
    for position in positions:
        assert len(position.scores()) == game.seats
        assert all(type(score) is int and score >= 0 for score in position.scores())
        assert (position.to_move is None) == position.is_over == (not position.legal_moves())
    last = positions[-1]
    assert last.chance() == ()
    for move in positions[0].legal_moves():
        with pytest.raises(rules.IllegalMove, match="the game is over"):
            last.play(move)


@settings(max_examples=40)  # of whole games
@given(games, seeds)
def test_a_state_survives_json_and_gives_the_position_back(game: rules.Game, seed: int) -> None:
    for position in random_game(game, Random(seed))[::7]:
        again = game.position(json.loads(json.dumps(position.state())))
        assert again == position
        assert hash(again) == hash(position)
        assert again.legal_moves() == position.legal_moves()
        assert str(again) == str(position)
        text = json.dumps(position.state(), separators=(",", ":")).encode()
        assert position.state_json() in (None, text)


@given(games, seeds, st.text(max_size=6))
def test_what_is_not_legal_is_refused_by_name(game: rules.Game, seed: int, text: str) -> None:
    rng = Random(seed)
    position = rng.choice(random_game(game, rng))
    before = position.state()
    vocabulary = {move for other in random_game(game, rng) for move in other.legal_moves()}
    for move in (vocabulary | {text, "pass"}) - set(position.legal_moves()):
        with pytest.raises(rules.MoveError) as caught:
            position.play(move)
        assert repr(move) in str(caught.value)
        assert isinstance(caught.value, ValueError)
        if move in vocabulary:
            assert isinstance(caught.value, rules.IllegalMove)
    assert position.state() == before


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_variant_is_complete(game: rules.Game) -> None:
    again = rules.load(game.name, **json.loads(json.dumps(game.variant)))
    assert again == game
    assert hash(again) == hash(game)
    assert again.start(seed=3) == game.start(seed=3)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_positions_are_frozen(game: rules.Game) -> None:
    position = game.start(seed=1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        position.to_move = 1
    position.state().clear()
    assert game.position(position.state()) == position
    assert position != position.play(position.legal_moves()[0])


def test_different_games_have_different_positions() -> None:
    assert rules.load("dots").start() != rules.load("dots", stop_at_majority=True).start()
    assert rules.load("2048").start(seed=1) != rules.load("2048", placer="player").start(seed=1)


def test_chance_is_drawn_with_its_probabilities() -> None:
    position = rules.load("2584", spawn="1/3").start(seed=5)
    position = position.play(position.legal_moves()[0])
    rng = Random(11)
    drawn = Counter(rules.draw_chance(position, rng) for _ in range(20_000))
    for move, probability in position.chance():
        assert abs(drawn[move] / 20_000 - probability) < 0.01


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        ("go", {}, ", ".join(rules.GAMES)),
        ("Othello", {}, "did you mean 'othello'"),
        ("othello", {"sise": 8}, "known: preset, size.*did you mean 'size'"),
        ("othello", {"preset": "corner"}, "preset must be one of standard, cornerless"),
        ("othello", {"size": 7}, "even"),
        ("othello", {"size": 2}, "size must be an integer from 4 to 16, not 2"),
        ("othello", {"size": 18}, "from 4 to 16"),
        ("othello", {"size": True}, "from 4 to 16, not True"),
        ("othello", {"size": "8"}, "from 4 to 16, not '8'"),
        ("othello", {"corners": 1}, "corners must be true or false, not 1"),
        ("othello", {"start": "full"}, "start must be one of centre, empty"),
        ("othello", {"start": "empty"}, "free_centre = true"),
        ("dots", {"rows": 0}, "rows must be an integer from 1 to 15, not 0"),
        ("dots", {"cols": 16}, "cols must be"),
        ("dots", {"columns": 5}, "known: rows, cols, stop_at_majority"),
        ("dots", {"stop_at_majority": "yes"}, "must be true or false"),
        ("2048", {"spawn": "1/2"}, "spawn must be one of 2/4"),
        ("2584", {"spawn": "2/4"}, "spawn must be one of 1/2, 1/3"),
        ("2048", {"placer": "nobody"}, "placer must be one of chance, player"),
        ("2048", {"placer_chooses": None}, "placer_chooses must be one of tile, cell, not None"),
        ("2048", {"size": 5}, "2048 has no option 'size'; known: spawn"),
        ("2048", {"name": "mine"}, "2048 has no option 'name'; known: spawn"),
    ],
)
def test_wrong_settings_are_explained(
    name: str, settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        rules.load(name, **settings)


def test_a_name_that_is_no_text_is_explained() -> None:
    names: Any = ([], {}, None)
    for name in names:
        with pytest.raises(ValueError, match="the game must be one of othello"):
            rules.load(name)


def test_all_wrong_settings_are_named_at_once() -> None:
    game, wrong = rules.judge("othello", {"size": 5, "rows": 3, "preset": "cornerless"})
    assert game == rules.load("othello", preset="cornerless")
    assert list(wrong) == ["rows", "size"]
    game, wrong = rules.judge("othello", {"preset": "cornerless", "free_centre": False})
    assert game is None
    assert "needs free_centre = true" in wrong[""]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_state_must_be_an_object_with_its_keys(game: rules.Game) -> None:
    with pytest.raises(ValueError, match="a state must be an object"):
        game.position([])  # type: ignore[arg-type] # on purpose
    state = game.start(seed=2).state()
    optional = {"to_move"} if game.name in ("2048", "2584") else set()
    for key in state.keys() - optional:
        with pytest.raises(ValueError, match=f"the state has no '{key}'"):
            game.position({other: value for other, value in state.items() if other != key})
    for wrong in (2, -2, "0", False, 0.0):
        with pytest.raises(ValueError, match="to_move must be one of"):
            game.position({**state, "to_move": wrong})
    with pytest.raises(ValueError, match="to_move is null, but the game is not over"):
        game.position({**state, "to_move": None})
    assert game.position({**state, "extra": 1}) == game.start(seed=2)


@pytest.mark.parametrize(
    ("name", "settings", "title"),
    [
        ("othello", {}, "Othello"),
        ("othello", {"preset": "cornerless", "size": 6}, "cornerless Othello 6×6"),
        (
            "othello",
            {"corners": False},
            "Othello (size 8, start centre, corners false, free_centre false)",
        ),
        ("dots", {"rows": 2}, "dots and boxes 2×5"),
        ("2048", {}, "2048"),
        ("2584", {"spawn": "1/3", "placer": "player"}, "2584, spawn 1/3, tiles placed by a bot"),
    ],
)
def test_the_title_of_a_game(name: str, settings: dict[str, Any], title: str) -> None:
    assert rules.load(name, **settings).title == title
