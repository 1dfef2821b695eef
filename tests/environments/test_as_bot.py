"""A policy becomes a bot that is accepted and plays."""

import importlib
import linecache
import math
import runpy
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import arena
from arena.environments.views import Array
from arena.errors import UserError
from tests import command

helper: Any = None
"""A module that a test writes."""


def by_squares(observation: Array, action_mask: Array, values: Any) -> int:
    return int(np.where(action_mask, values, -np.inf).argmax())


def learned(env: Any, games: int) -> Any:
    """The mean result after each action, of random games."""
    sums, counts = np.zeros(len(env.view.actions)), np.ones(len(env.view.actions))
    for seed in range(games):
        env.reset(seed=seed)
        made: dict[str, list[int]] = {agent: [] for agent in env.agents}
        for agent in env.agent_iter():
            seen, reward, over, _, _ = env.last()
            if over:
                sums[made[agent]] += reward
                counts[made[agent]] += 1
                env.step(None)
            else:
                action = int(env.action_space(agent).sample(seen["action_mask"]))
                made[agent].append(action)
                env.step(action)
    return sums / counts


@pytest.mark.slow
def test_a_policy_plays_as_a_bot(tmp_path: Path) -> None:
    env = arena.env("othello", size=4)
    bot = arena.save_bot(env, by_squares, tmp_path / "learner", values=learned(env, 20))
    record = arena.play(
        "othello", [str(bot), "monkey"], settings={"size": 4}, sandbox="none", seed=2
    )
    assert record.termination == "natural"
    values = np.load(bot / "arrays.npz")["values"]
    position = record.start()
    env.reset()
    for move in record.moves:
        if move.seat == 0 and not position.must_pass:
            chosen = by_squares(
                env.view.observe(position.state(), 0), env.view.mask(position.legal_moves()), values
            )
            assert env.view.actions[chosen] == move.move
        position = position.play(move.move)


WEIGHTS, DOUBLED = np.arange(16.0), {"yes": True}


class Layer:
    """Uses what is around it."""

    def __call__(self, values: Any) -> Any:
        return values * (2 if DOUBLED["yes"] else 1)


@lru_cache
def scale() -> float:
    return math.sqrt(4.0)


def by_helpers(observation: Array, action_mask: Array) -> int:
    return by_squares(observation, action_mask, Layer()(WEIGHTS) / scale() * helper.SIGN)


@pytest.mark.slow
def test_a_policy_brings_what_it_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions, a class, an array, a constant, a module of the library, and one of its own."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "helper.py").write_text("import deeper\nSIGN = deeper.SIGN\n")
    (own / "deeper.py").write_text("SIGN = -1\n")
    monkeypatch.syspath_prepend(own)
    monkeypatch.setitem(globals(), "helper", importlib.import_module("helper"))
    bot = arena.save_bot(arena.env("othello", size=4), by_helpers, tmp_path / "learner")
    record = arena.play(
        "othello", [str(bot), "monkey"], settings={"size": 4}, sandbox="none", seed=2
    )
    assert record.termination == "natural"
    legal = record.start().legal_moves()
    assert record.moves[0].move == min(legal, key=lambda move: (move[1], move[0]))


def test_a_package_that_would_be_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "nets.py").write_text("SIGN = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    nets = importlib.import_module("own.nets")

    def act(observation: Array, action_mask: Array) -> int:
        return int(action_mask.argmax()) * nets.SIGN

    with pytest.raises(UserError, match=r"uses own\.nets, which does not go along: install it"):
        arena.save_bot(arena.env("othello"), act, tmp_path / "learner")


@pytest.mark.slow
def test_a_policy_inside_a_function_brings_what_is_around_it(tmp_path: Path) -> None:
    values = np.ones(16)

    def act(observation: Array, action_mask: Array) -> int:
        return by_squares(observation, action_mask, values)

    bot = arena.save_bot(arena.env("othello", size=4), act, tmp_path / "learner")
    assert (np.load(bot / "globals.npz")["values"] == values).all()


def test_on_another_board_it_plays_some_move(tmp_path: Path) -> None:
    env = arena.env("dots", rows=2, cols=2)
    bot = arena.save_bot(env, by_squares, tmp_path / "learner", values=np.ones(12))
    record = arena.play(
        "dots", [str(bot), "monkey"], settings={"rows": 1, "cols": 2}, sandbox="none"
    )
    assert record.termination == "natural"


@pytest.mark.slow
def test_a_policy_is_submitted_and_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way: learn for a second, submit, play a tournament from the submissions."""
    monkeypatch.chdir(tmp_path)
    env = arena.env("othello", preset="cornerless", size=6)
    arena.save_bot(env, by_squares, "learner", values=learned(env, 200))
    accepted = command.arena("submit", "learner", "--to", "bots")
    assert accepted.exit_code == 0, accepted.output
    run = arena.run(
        {
            "tournament": {"name": "cup", "rounds": 10, "keep_alive": True},
            "game": {"rules": "othello", "preset": "cornerless", "size": 6},
            "player": [{"from": "bots"}, {"bot": "monkey"}],
        }
    )
    assert Counter(run.games()["termination"]) == {"natural": 20}
    assert run.standings()["name"][0] == "learner"


OBJECT = object()


def uses_an_object(observation: Array, action_mask: Array) -> int:
    return int(action_mask.argmax()) + hash(OBJECT)


def never_legal(observation: Array, action_mask: Array) -> int:
    return int(action_mask.argmin())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (uses_an_object, "NameError: name 'OBJECT' is not defined"),
        (never_legal, "chooses a1 at the start of a game, which is not legal"),
        (lambda observation, action_mask: 0, "a function written with def"),
        (max, "a function written with def"),
    ],
)
def test_a_policy_that_cannot_stand_alone_is_refused(
    act: Any, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=expected):
        arena.save_bot(arena.env("othello"), act, tmp_path / "learner")
    assert not (tmp_path / "learner").exists()


def the_last_from_the_end(observation: Array, action_mask: Array) -> int:
    return -1


def test_an_action_counts_from_the_start(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="IndexError: action -1: actions are 0 to 11"):
        env = arena.env("dots", rows=2, cols=2)
        arena.save_bot(env, the_last_from_the_end, tmp_path / "learner")


def test_names_are_those_of_bots(tmp_path: Path) -> None:
    env = arena.env("othello", size=4)
    nothing: Any = None
    with pytest.raises(UserError, match=r"must be one of arena\.env, got None"):
        arena.save_bot(nothing, by_squares, tmp_path / "bot")
    with pytest.raises(UserError, match="folder: must be the path of one, got None"):
        arena.save_bot(env, by_squares, nothing)
    with pytest.raises(UserError, match="cannot name a bot"):
        arena.save_bot(env, by_squares, tmp_path / "my bot", values=np.ones(16))
    arena.save_bot(env, by_squares, tmp_path / "learner", values=np.ones(16))
    with pytest.raises(UserError, match="is there already"):
        arena.save_bot(env, by_squares, tmp_path / "learner", values=np.ones(16))


def test_arrays_may_have_any_name(tmp_path: Path) -> None:
    def act(observation: Array, action_mask: Array, **weights: Any) -> int:
        return int(action_mask.argmax())

    arrays = {"net.0.weight": np.eye(2), "file": np.ones(3), "allow_pickle": np.zeros(())}
    bot = arena.save_bot(arena.env("othello"), act, tmp_path / "learner", **arrays)
    found = np.load(bot / "arrays.npz")
    assert {name: found[name].tolist() for name in found} == {
        name: array.tolist() for name, array in arrays.items()
    }


@pytest.mark.parametrize("value", [None, [[1], [1, 2]], {"a": 1}, np.array([b"", None])])
def test_what_is_no_array_is_refused_by_its_name(tmp_path: Path, value: Any) -> None:
    with pytest.raises(UserError, match="values: must be an array"):
        arena.save_bot(arena.env("othello"), by_squares, tmp_path / "learner", values=value)
    assert not list(tmp_path.iterdir())


NOTEBOOK = """
FIRST = np.int64(0)


class Base:
    chosen = FIRST

    def action(self, mask):
        return int(np.flatnonzero(mask)[self.chosen])


@dataclass
class Choice(Base):
    weight: float = 1.0

    def action(self, mask):
        return super().action(mask * self.weight)


@np.errstate(all="ignore")
def act(observation, action_mask):
    return Choice().action(action_mask)


class Empty: ...


def lost(observation, action_mask):
    return Empty() and 0
"""


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What a cell has defined: its source is known by its lines, and its module has no file."""
    cell, module = "<cell>", ModuleType("notebook")
    monkeypatch.setitem(linecache.cache, cell, (0, None, NOTEBOOK.splitlines(keepends=True), cell))
    monkeypatch.setitem(sys.modules, "notebook", module)
    exec("from dataclasses import dataclass\nimport numpy as np", vars(module))
    exec(compile(NOTEBOOK, cell, "exec"), vars(module))
    return module


def test_a_policy_of_a_notebook_brings_its_classes(
    tmp_path: Path, notebook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = arena.save_bot(arena.env("othello"), notebook.act, tmp_path / "learner")
    monkeypatch.delitem(sys.modules, "notebook")
    monkeypatch.chdir(bot)
    assert runpy.run_path("policy.py")["act"](None, np.array([0, 1, 1])) == 1


def test_nothing_is_imported_from_a_notebook(
    tmp_path: Path, notebook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="name 'Empty' is not defined"):
        arena.save_bot(arena.env("othello"), notebook.lost, tmp_path / "learner")
    monkeypatch.delitem(linecache.cache, "<cell>")
    with pytest.raises(UserError, match="source of act, to copy it: write it in a file, or in a"):
        arena.save_bot(arena.env("othello"), notebook.act, tmp_path / "learner")
    assert not list(tmp_path.iterdir())
