"""A training run in a file: all that it goes on from.

The file is a network file with arrays behind the weights: a player can use it as it is, and with
one thread a run that goes on from it ends as one that was never stopped.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.files.toml_tables import shown
from players.ntuple.temporal import Memory
from players.weights.network_file import load_network, save_network
from players.weights.network_header import Header, network_of

PROGRESS = "progress"
"""JSON as bytes: the settings, the blocks so far, and the seconds of the one begun."""
SUMS = ("errors", "sizes")


class Found(NamedTuple):
    """What a checkpoint holds."""

    memory: Memory
    arrays: Mapping[str, Any]
    """The arrays that were asked for, by name."""
    blocks: list[dict[str, Any]]
    """The blocks that are complete, as JSON has them."""
    seconds: float
    """How long the block after them has taken so far."""


def new_memory(header: Header, *, coherent: bool) -> Memory:
    """The memory of a network that has learned nothing."""
    network = network_of(header)
    sums = len(network.weights) if coherent else 1
    return Memory(network, np.zeros(sums, np.float32), np.zeros(sums, np.float32))


def write(path: Path, header: Header, settings: Mapping[str, Any], found: Found) -> None:
    """Write a checkpoint, as a whole; `settings` are what decides the weights. Raises OSError."""
    record = {"settings": settings, "blocks": found.blocks, "seconds": found.seconds}
    arrays = {**found.arrays, **{name: getattr(found.memory, name) for name in SUMS}}
    arrays[PROGRESS] = np.frombuffer(json.dumps(record).encode(), np.uint8)
    save_network(path, header, found.memory.network, arrays)


def read(path: Path, rules: str, settings: Mapping[str, Any], arrays: Collection[str]) -> Found:
    """The run in a checkpoint. Raises ValueError for a damaged file, and for one of other
    `settings`, with the difference.
    """
    try:
        loaded = load_network(str(path), rules, (*arrays, *SUMS, PROGRESS))
    except ValueError as error:
        raise ValueError(f"{error}. To begin anew, move it away") from error
    record = json.loads(loaded.extra[PROGRESS].tobytes())
    was, now = record["settings"], json.loads(json.dumps(settings))
    changed = [
        f"{key} = {shown(was.get(key))}, not {shown(now[key])}"
        for key in now
        if was.get(key) != now[key]
    ]
    if changed:
        raise ValueError(
            f"{path} was begun with {'; '.join(changed)}: write that again to go on, or give the "
            "run another name to begin anew"
        )
    memory = Memory(loaded.network, *(loaded.extra[name] for name in SUMS))
    found = {name: loaded.extra[name] for name in arrays}
    return Found(memory, found, record["blocks"], record["seconds"])
