"""Steps a second of learning environments, next to PettingZoo's connect four.

Random legal actions, drawn by the action space from the mask, as PettingZoo's pages do it. The
environments take turns in one process; CPU time counts.
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from arena.environments import make
from arena.errors import BenchError

REFERENCE = "PettingZoo connect_four_v3"


class Speed(NamedTuple):
    name: str
    steps_per_s: float
    """Of CPU time, the median of the repeats."""
    ratio: float
    """To connect four, the median of the repeats."""


def bench_environments(steps: int, repeats: int) -> list[Speed]:
    """Measure each environment `repeats` times for about that many steps. Raises BenchError."""
    try:
        from pettingzoo.classic.connect_four import connect_four
    except ImportError as error:
        raise BenchError(
            f"connect four cannot be loaded ({error}), so there is nothing to compare with; "
            "install it with: pip install 'pettingzoo[classic]'"
        ) from None
    players: dict[str, Callable[[int], int]] = {
        REFERENCE: _turns(connect_four.env()),  # type: ignore[no-untyped-call]  # PettingZoo gives it no types
        "othello": _turns(make("othello")),
        "othello, cornerless": _turns(make("othello", preset="cornerless")),
        "dots 5×5": _turns(make("dots")),
        "2048, two players": _turns(make("2048", placer="player")),
        "2048": _alone(make("2048")),
    }
    found: dict[str, list[float]] = {name: [] for name in players}
    for _ in range(repeats):
        for name, play in players.items():
            found[name].append(_speed(play, steps))
    return [
        Speed(
            name,
            median(speeds),
            median(mine / theirs for mine, theirs in zip(speeds, found[REFERENCE], strict=True)),
        )
        for name, speeds in found.items()
    ]


def _speed(play: Callable[[int], int], steps: int) -> float:
    done, seed, began = 0, 0, time.process_time()
    while done < steps:
        seed += 1
        done += play(seed)
    return done / (time.process_time() - began)


def _turns(env: Any) -> Callable[[int], int]:
    """Plays a game of an AEC environment, and returns its steps."""

    def play(seed: int) -> int:
        env.reset(seed=seed)
        steps = 0
        for agent in env.agent_iter():
            seen, _, ended, cut, _ = env.last()
            space = env.action_space(agent)
            env.step(None if ended or cut else space.sample(seen["action_mask"]))
            steps += 1
        return steps

    return play


def _alone(env: Any) -> Callable[[int], int]:
    """The same of a Gymnasium environment."""

    def play(seed: int) -> int:
        info, over, steps = env.reset(seed=seed)[1], False, 0
        while not over:
            _, _, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
            steps += 1
        return steps

    return play


def show(speeds: list[Speed], console: Console) -> None:
    table = Table("Environment", title="Learning environments", title_justify="left")
    table.add_column("Steps/s of CPU time", justify="right")
    table.add_column("To connect four", justify="right")
    for each in speeds:
        table.add_row(each.name, f"{each.steps_per_s:,.0f}", f"{each.ratio:.2f}×")
    console.print(table)
