"""Environments pass the tests of their libraries, and tell their mistakes."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, get_args, get_overloads

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
import rules
from arena.environments.views import VIEWS, view
from arena.errors import UserError

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of its own connect four
    from pettingzoo.test import api_test, seed_test

BETWEEN_PLAYERS = [
    ("othello", {"preset": "cornerless"}),
    ("othello", {"size": 4}),
    ("dots", {"rows": 2, "cols": 3}),
    ("2048", {"placer": "player"}),
    ("2584", {"placer": "player", "placer_chooses": "cell"}),
]
EXPECTED = (
    "Observation is not a NumPy array",  # a dict with a mask, as all of PettingZoo's board games
    "Observation space for each agent probably should be",
    "Observation numpy array is all zeros",  # an empty board
    ".*Not able to test alternative render modes",  # not made by gymnasium.make
)


@contextmanager
def what_is_expected() -> Iterator[None]:
    with warnings.catch_warnings():
        for message in EXPECTED:
            warnings.filterwarnings("ignore", message, UserWarning)
        yield


def random_game(env: Any, seed: int) -> Any:
    """Play to the end; the position there."""
    env.reset(seed=seed)
    for agent in env.agents:
        env.action_space(agent).seed(seed)
    for agent in env.agent_iter():
        seen, _, ended, _, _ = env.last()
        env.step(None if ended else env.action_space(agent).sample(seen["action_mask"]))
    return env.position


def test_type_checkers_know_which_library_an_environment_is_of() -> None:
    *known, general = get_overloads(arena.env)
    found = set()
    for each in known:
        placer = get_args(each.__annotations__.get("placer"))
        for name in get_args(each.__annotations__["name"]):
            settings = dict(zip(["placer"], placer, strict=False))
            assert type(arena.env(name, **settings)).__name__ == each.__annotations__["return"]
            found.add((name, *placer))
    tiles = {(name, placer) for name in ("2048", "2584") for placer in ("chance", "player")}
    assert found == tiles | {(name,) for name in VIEWS.keys() - {"2048", "2584"}}
    assert general.__annotations__["return"] == "Env | AloneEnv"


@pytest.mark.parametrize(("name", "variant"), BETWEEN_PLAYERS)
def test_pettingzoo_accepts_a_game_between_players(name: str, variant: dict[str, Any]) -> None:
    with what_is_expected():
        api_test(arena.env(name, **variant), num_cycles=20)
        seed_test(lambda: arena.env(name, **variant), num_cycles=20)


@pytest.mark.parametrize("name", ["2048", "2584"])
def test_gymnasium_accepts_a_game_of_one(name: str) -> None:
    with what_is_expected():
        check_env(arena.env(name, render_mode="ansi"))


@pytest.mark.parametrize(("name", "variant"), BETWEEN_PLAYERS)
def test_a_view_has_an_action_for_each_move(name: str, variant: dict[str, Any]) -> None:
    env = arena.env(name, **variant)
    env.reset(seed=3)
    while not env.position.is_over:
        seen = env.last()[0]
        legal = env.position.legal_moves()
        masked = np.flatnonzero(seen["action_mask"])
        assert {env.view.actions[action] for action in masked} == set(legal)
        env.step(masked[0])
    assert env.position.scores() == env.game.position(env.position.state()).scores()


@given(plies=st.integers(0, 40), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_both_seats_see_the_same_board_from_their_side(plies: int, seed: int) -> None:
    env = arena.env("othello", preset="cornerless")
    env.reset()
    chooser = np.random.default_rng(seed)
    for _ in range(plies):
        env.step(chooser.choice(np.flatnonzero(env.last()[0]["action_mask"])))
    first, second = (env.observe(agent)["observation"] for agent in env.possible_agents)
    assert np.array_equal(first, second[..., ::-1])
    assert tuple(first.sum(axis=(0, 1))) == env.position.scores()


def test_dots_shows_edges_and_boxes_where_they_are() -> None:
    game = rules.load("dots", rows=1, cols=2)
    position = game.start()
    for move in ("a1b1", "a2b2", "a1a2", "b1b2"):
        position = position.play(move)
    seen = view("dots", game.variant).observe(position.state(), 1)
    assert seen[..., 0].tolist() == [[0, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 0, 0, 0]]
    assert (seen[1, 1, 1], seen[1, 1, 2], seen.sum()) == (1, 0, 5), "seat 1 closed it"
    across = ("a1b1", "b1c1", "a2b2", "b2c2")
    assert view("dots", game.variant).actions == (*across, "a1a2", "b1b2", "c1c2")


def test_tiles_are_shown_by_their_ranks() -> None:
    state = {"board": [[2, 4, 8, 0], [2048, 131072, 0, 0], [0] * 4, [0] * 4]}
    seen = view("2048", rules.load("2048").variant).observe(state, 0)
    assert seen[:2].tolist() == [[1, 2, 3, 0], [11, 17, 0, 0]]
    fibonacci = view("2584", rules.load("2584").variant).observe(
        {"board": [[1, 2, 3, 2584]] * 4}, 0
    )
    assert fibonacci[0].tolist() == [1, 2, 3, 17]


def test_a_placer_has_the_tiles_of_its_game() -> None:
    variant = rules.load("2584", spawn="1/3", placer="player", placer_chooses="tile").variant
    assert view("2584", variant).actions[4:8] == ("a1=1", "a1=3", "b1=1", "b1=3")


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_a_board_is_rendered(name: str, mode: str) -> None:
    env = arena.env(name, render_mode=mode)
    env.reset(seed=1)
    before = env.render()
    env.step(int(env.view.mask(env.position.legal_moves()).argmax()))
    after = env.render()
    if mode == "ansi":
        assert after == str(env.position)
    else:
        assert (after.shape, after.dtype) == ((320, 320, 3), np.uint8)
        assert not np.array_equal(before, after)


def test_a_seed_decides_the_game() -> None:
    env = arena.env("2048", placer="player")
    assert random_game(env, 7) == random_game(env, 7)
    assert random_game(env, 7) != random_game(env, 8)
    assert random_game(env, 0) == random_game(env, 0)


def test_a_seed_decides_a_game_of_one_and_the_games_after_it() -> None:
    env: Any = arena.env("2048")

    def games(seed: int) -> list[str]:
        env.reset(seed=seed)
        starts = [str(env.position)]
        for _ in range(4):
            env.reset()
            starts.append(str(env.position))
        return starts

    assert games(7) == games(7) != games(8)
    assert len(set(games(7))) > 1


def test_a_game_of_one_has_four_actions_and_the_ranks_of_its_tiles() -> None:
    env: Any = arena.env("2048")
    assert env.action_space.n == len(env.view.actions) == 4
    space = env.observation_space
    assert space.shape == env.reset(seed=1)[0].shape
    assert (space.low.min(), space.high.max()) == (0, env.view.highest)


def test_a_game_of_one_ends_and_its_rewards_add_up_to_its_score() -> None:
    env: Any = arena.env("2048")
    _, info = env.reset(seed=3)
    rewards, over = list[float](), False
    while not over:
        _, reward, over, is_cut, info = env.step(int(info["action_mask"].argmax()))
        rewards.append(reward)
        assert not is_cut
    assert env.position.is_over
    assert sum(rewards) == info["score"] > 0
    assert {type(each) for each in rewards} == {float}


def test_numbers_of_numpy_are_numbers() -> None:
    env: Any = arena.env("2048", placer="player")
    starts = set[str]()
    for seed in (7, np.int64(7)):
        env.reset(seed=seed)
        starts.add(str(env.position))
    assert len(starts) == 1
    assert arena.env("dots", rows=np.int64(2), cols=3).game.variant["rows"] == 2


def test_a_seed_that_is_no_integer_is_refused() -> None:
    env: Any = arena.env("othello")
    with pytest.raises(UserError, match=r"seed must be an integer or None, not 3\.5"):
        env.reset(seed=3.5)


def test_a_winner_is_rewarded() -> None:
    env = arena.env("othello", size=4)
    env.reset()
    rewards = dict[str, float]()
    for agent in env.agent_iter():
        seen, reward, ended, _, _ = env.last()
        rewards[agent] = reward
        env.step(None if ended else int(seen["action_mask"].argmax()))
    first, second = env.position.scores()
    won = (first > second) - (first < second)
    assert rewards == {"player_0": won, "player_1": -won}


def test_only_the_agent_to_move_has_legal_actions() -> None:
    env = arena.env("othello")
    env.reset()
    moves, waits = (env.observe(agent)["action_mask"] for agent in env.agents)
    assert [env.view.actions[at] for at in np.flatnonzero(moves)] == ["d3", "c4", "f5", "e6"]
    assert not waits.any()
    assert env.last(observe=False)[0] is None


def test_an_illegal_action_loses() -> None:
    env = arena.env("othello")
    env.reset()
    env.step(0)
    assert env.rewards == {"player_0": -1, "player_1": 0}
    assert all(env.terminations.values())


def test_a_slide_that_changes_nothing_brings_nothing() -> None:
    env = arena.env("2048")
    _, info = env.reset(seed=2)
    while info["action_mask"].all():
        _, _, _, _, info = env.step(env.view.actions.index("left"))
    before = env.position
    _, reward, over, _, _ = env.step(int(info["action_mask"].argmin()))
    assert (env.position, reward, over) == (before, 0, False)


@pytest.mark.parametrize(("name", "last"), [("othello", 63), ("2048", 3)])
@pytest.mark.parametrize("action", [-1, 64, None, "d3", 1.0, [1], np.array([1, 2])])
def test_what_is_no_action_is_refused(name: str, last: int, action: Any) -> None:
    env = arena.env(name)
    env.reset()
    with pytest.raises(UserError, match=f"actions are 0 to {last}"):
        env.step(action)


def test_a_game_that_is_over_takes_no_action() -> None:
    env = arena.env("othello")
    env.reset()
    env.step(0)
    with pytest.raises(UserError, match="the game is over"):
        env.step(19)
    for _ in range(2):
        env.step(None)
    with pytest.raises(UserError, match=r"call reset\(\)"):
        env.last()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        *((name, call) for name in ("othello", "2048") for call in ("step", "render")),
        ("othello", "last"),
        ("othello", "observe"),
    ],
)
def test_what_needs_a_game_is_refused_before_one(name: str, call: str) -> None:
    arguments = {"step": [0], "observe": ["player_0"]}.get(call, [])
    env = arena.env(name, render_mode="ansi")
    with pytest.raises(UserError, match=r"call reset\(\)"):
        getattr(env, call)(*arguments)


@pytest.mark.parametrize(
    ("name", "more", "expected"),
    [
        ("chess", {}, "have one: othello, dots, 2048, 2584"),
        ("othello", {"preset": "cornerles"}, "did you mean 'cornerless'"),
        ("dots", {"render_mode": "human"}, "None, ansi or rgb_array"),
    ],
)
def test_mistakes_are_reported(name: str, more: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError, match=expected):
        arena.env(name, **more)


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, library in (("othello", "pettingzoo"), ("2048", "gymnasium")):
        for module in [each for each in sys.modules if each.startswith("arena.environments.a")]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(UserError, match=rf"needs {library}; .*bot-arena\[rl\]"):
            arena.env(name)
