"""What arguments and options may be chosen from."""

from __future__ import annotations

from enum import StrEnum


class Rules(StrEnum):
    """The rule sets."""

    OTHELLO = "othello"
    DOTS = "dots"
    TILES_2048 = "2048"
    TILES_2584 = "2584"


class Sandbox(StrEnum):
    """How a bot may be contained."""

    AUTO = "auto"
    BWRAP = "bwrap"
    LIMITS = "limits"
    NONE = "none"


class Language(StrEnum):
    """What a new bot may be written in."""

    PYTHON = "python"
    CPP = "cpp"
    JS = "js"
    JAVA = "java"
    RUST = "rust"


class EloModel(StrEnum):
    """What a sequential test's hypotheses are given in."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"


class Table(StrEnum):
    """What a CSV report may hold."""

    PLAYERS = "players"
    CROSSTABLE = "crosstable"
    RESULTS = "results"


class Form(StrEnum):
    """How a game may be written for other programs."""

    TRANSCRIPT = "transcript"
    RECORD = "record"
