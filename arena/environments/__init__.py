"""Games as environments of the libraries that learning programs use.

`make` gives a PettingZoo environment (`aec`) of a game between players, a Gymnasium one (`alone`)
of a game of one. Both are a `played` game, and show a position by `views`, which also goes with a
policy that becomes a bot (`as_bot`); `frames` draws it.
"""

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

import rules
from arena.environments.frames import MODES
from arena.environments.views import VIEWS
from arena.errors import UserError
from arena.files.imports import extra

if TYPE_CHECKING:
    from arena.environments.aec import Env
    from arena.environments.alone import AloneEnv


@overload
def make(
    name: Literal["othello", "dots"], /, *, render_mode: str | None = None, **settings: object
) -> "Env": ...
@overload
def make(
    name: Literal["2048", "2584"],
    /,
    *,
    placer: Literal["chance"] = "chance",
    render_mode: str | None = None,
    spawn: str = ...,
    placer_chooses: str = ...,
) -> "AloneEnv": ...
@overload
def make(
    name: Literal["2048", "2584"],
    /,
    *,
    placer: Literal["player"],
    render_mode: str | None = None,
    **settings: object,
) -> "Env": ...
@overload
def make(
    name: str, /, *, render_mode: str | None = None, **settings: object
) -> "Env | AloneEnv": ...


def make(name: str, /, *, render_mode: str | None = None, **settings: object) -> "Env | AloneEnv":
    """The environment of a rule set with its settings, as `rules.load` takes them. `render` gives
    text ("ansi") or a picture ("rgb_array", uint8[height, width, 3]). Raises UserError.
    """
    if not isinstance(name, str) or name not in VIEWS:
        raise UserError(f"{name!r} has no environment; these have one: {', '.join(VIEWS)}")
    plain = {key: v.item() if isinstance(v, np.generic) else v for key, v in settings.items()}
    try:
        game = rules.load(name, **plain)
    except ValueError as error:
        raise UserError(f"arena.env: {error}") from None
    if render_mode not in (None, *MODES):
        raise UserError(f"render_mode must be None, {' or '.join(MODES)}, not {render_mode!r}")
    with extra("rl", "arena.env needs"):
        if game.seats == 1:
            from arena.environments.alone import AloneEnv

            return AloneEnv(game, render_mode)
        from arena.environments.aec import Env

        return Env(game, render_mode)
