"""A policy becomes a bot: a folder that `arena check` and `arena submit` take."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arena.bots.manifest import NAME_RULE, is_name
from arena.bots.starter import write_folder
from arena.environments.played import EnvironmentBase
from arena.environments.policy import ARRAYS, PolicyCopy, policy_of
from arena.environments.views import Array, View
from arena.errors import UserError
from rules.position import Game

if TYPE_CHECKING:
    from arena.environments.aec import Env
    from arena.environments.alone import AloneEnv

Act = Callable[..., int | np.integer[Any]]
"""An action for `observation`, `action_mask`, and arrays by their names."""

_MANIFEST = """\
name = {name}
rules = {rules}
command = ["python3", "bot.py"]
"""
_BOT = '''\
"""Plays as policy.py says. On a board of another shape than it learned on: the first legal move."""

import numpy as np
import sdk
import views
from policy import act

SHAPE = {shape}
ARRAYS = dict(np.load("arrays.npz"))


def choose(turn):
    view = views.view(turn.start.rules, turn.start.variant)
    if view.shape != SHAPE:
        return turn.legal[0]
    action = act(view.observe(turn.state, turn.seat), view.mask(turn.legal), **ARRAYS)
    return view.move(int(action))


sdk.play(choose)
'''


def save_bot(
    env: "Env | AloneEnv", act: Act, folder: str | PathLike[str], **arrays: npt.ArrayLike
) -> Path:
    """Write a bot that plays the game of `env` by `act`, and return its folder, whose name is the
    bot's.

    `act(observation, action_mask, **arrays)` gives an action; `arrays` are what it learned. Copied
    are its source and what it uses of the file it is written in, as `policy` says. Raises
    UserError.
    """
    if not isinstance(folder, str | PathLike):
        raise UserError(f"folder: must be the path of one, got {folder!r}")
    folder = Path(folder)
    if not is_name(folder.name):
        raise UserError(f'"{folder.name}" cannot name a bot: {NAME_RULE}')
    base = getattr(env, "unwrapped", None)
    if not isinstance(base, EnvironmentBase):
        raise UserError(f"the environment must be one of arena.env, got {env!r}")
    game, view = base.game, base.view
    policy = policy_of(act)
    learned = {name: _array(name, value) for name, value in arrays.items()}
    _try(policy, game, view, learned)
    texts = {
        "bot.toml": _MANIFEST.format(name=json.dumps(folder.name), rules=json.dumps([game.name])),
        "bot.py": _BOT.format(shape=view.shape),
        "policy.py": policy.file,
        "views.py": (files("arena.environments") / "views.py").read_text("utf-8"),
        "sdk.py": (files("players") / "sdk.py").read_text("utf-8"),
    }
    contents = {name: text.encode() for name, text in texts.items()}
    packed = {"arrays.npz": _packed(learned)}
    if policy.arrays:
        packed[ARRAYS] = _packed(policy.arrays)
    write_folder(folder, {**policy.modules, **contents, **packed})
    return folder


def _array(name: str, value: npt.ArrayLike) -> npt.NDArray[Any]:
    """Raises UserError for what is no array of numbers or texts."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, RuntimeError) as error:  # also as a tensor with gradients says
        raise UserError(f"{name}: must be an array: {error}") from None
    if array.dtype.hasobject:
        raise UserError(f"{name}: must be an array of numbers or texts, not of Python's objects")
    return array


def _packed(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """As `numpy.savez_compressed` does, under whatever names: its own arguments have some."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, _array(name, array), allow_pickle=False)
    return packed.getvalue()


def _try(
    policy: PolicyCopy, game: Game, view: View, arrays: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Ask the copied policy for a move at the start. Raises UserError."""
    alone: dict[str, Any] = dict(policy.arrays)
    position = game.start(seed=0)
    legal = position.legal_moves()
    seen: tuple[Array, Array] = view.observe(position.state(), 0), view.mask(legal)
    try:
        exec(compile(policy.text, "policy.py", "exec"), alone)
        move = view.move(int(alone["act"](*seen, **arrays)))
    except Exception as error:  # whatever the policy does
        raise UserError(
            f"the policy, copied to a file of its own, fails at the start of a game: "
            f"{type(error).__name__}: {error}. It may use its arguments, modules, and functions, "
            "classes, arrays and constants of its file; give what a network learned as arrays"
        ) from error
    if move not in legal:
        raise UserError(f"the policy chooses {move} at the start of a game, which is not legal")
