"""The parts of an n-tuple network: tuples and stages, as in the header of its file."""

import os
from collections.abc import Sequence
from importlib.metadata import version
from itertools import accumulate
from typing import Any, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from arena.files.toml_tables import TomlTable
from players.ntuple.network import Network
from players.weights.board_tuples import BOARD_GAMES, STATES, board_cells
from rules.tiles import SPAWNS


class Extra(TomlTable):
    """An array that follows the weights, as in a checkpoint."""

    name: str
    """Its description."""
    numbers: Literal["float32", "int64", "uint64", "uint8"]
    """The type of its numbers."""
    length: int = Field(ge=0)
    """How many there are."""


class Header(TomlTable):
    """The header of a network's file."""

    rules: Literal["2048", "2584", "othello", "dots"]
    """The game."""
    spawn: str = Field(default="", validate_default=True)
    """Of 2048 and 2584: the spawn table it learned with."""
    variant: dict[str, Any] = Field(default_factory=dict, validate_default=True)
    """Of Othello and dots: the settings of the rules, complete."""
    tuples: tuple[tuple[str, ...], ...] = Field(min_length=1)
    """The cells of each tuple, such as `["a1", "b1", "c1", "d1"]`, in any order."""
    stages: tuple[int, ...] = ()
    """From where on each later stage counts: the largest tile, or how many discs are on the board,
    or edges drawn. None for a network of one stage."""
    initial: float = Field(default=0.0, allow_inf_nan=False)
    """The value of a board never met."""
    numbers: Literal["float32", "int16"] = "float32"
    """How weights are written."""
    scales: tuple[float, ...] = ()
    """For int16: what one stands for in each table, stage after stage."""
    about: str = ""
    """In a sentence, where the network comes from."""
    method: dict[str, Any] = Field(default_factory=dict)
    """How it learned."""
    games: int = Field(default=0, ge=0)
    """How many games it learned from."""
    seed: int | None = None
    """The seed of these games."""
    scores: dict[str, float] = Field(default_factory=dict)
    """What it scored at 1 ply, such as `{"mean": 119720.0}`, in the last block of games it learned
    from or in those of `about`.
    """
    tests: tuple[dict[str, Any], ...] = ()
    """The results of sequential tests of it, each with the thinking time `at` which it was
    played.
    """
    gain: str = ""
    """Whether they show a gain over the evaluation it was tested against, in a sentence."""
    version: str = Field(default_factory=lambda: version("bot-arena"))
    """The version of the arena that wrote it."""
    extra: tuple[Extra, ...] = ()
    """The arrays after the weights."""

    @field_validator("spawn")
    @classmethod
    def _is_spawn(cls, spawn: str, info: ValidationInfo) -> str:
        known = SPAWNS.get(info.data.get("rules", ""), ("",))
        if "rules" in info.data and spawn not in known:
            raise ValueError(f"must be {' or '.join(map(repr, known))}")
        return spawn

    @field_validator("variant")
    @classmethod
    def _is_variant(cls, variant: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if info.data.get("rules") in BOARD_GAMES:
            board_cells(info.data["rules"], variant)
        elif variant:
            raise ValueError("must be empty")
        return variant

    @field_validator("tuples", "stages")
    @classmethod
    def _are_of_the_board(cls, cells: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        if {"rules", "variant"} <= info.data.keys():
            board = board_cells(info.data["rules"], info.data["variant"])
            if info.field_name == "stages":
                board.floors(cells)
            else:
                for names in cells:
                    board.in_order(names)
        return cells

    @field_validator("scales")
    @classmethod
    def _has_scales(cls, scales: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
        stages, tuples = info.data.get("stages", ()), info.data.get("tuples", ())
        needed = (len(stages) + 1) * len(tuples) if info.data.get("numbers") == "int16" else 0
        if len(scales) != needed:
            raise ValueError(f"must be {needed} numbers")
        return scales


def network_of(header: Header, weights: Any = None) -> Network:
    """The network of a header with these weights, float32[stages · size]; new ones are all 0."""
    offsets = offsets_of(header.rules, header.tuples)
    cells = board_cells(header.rules, header.variant)
    floors = cells.floors(header.stages)
    if weights is None:
        weights = np.zeros((len(floors) + 1) * offsets[-1], np.float32)
    return Network(
        weights,
        cells.masks(header.tuples),
        np.array(offsets, np.int64),
        np.array(floors, np.uint64),
        np.float64(header.initial),
    )


def offsets_of(rules: str, tuples: Sequence[Sequence[str]]) -> list[int]:
    """Where the table of each tuple begins, and at the end the size of a stage, in weights."""
    return list(accumulate((STATES[rules] ** len(names) for names in tuples), initial=0))


def memory_mb() -> int:
    """How much memory this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_000_000
