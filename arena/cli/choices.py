"""What arguments and options may be chosen from."""

from __future__ import annotations

from enum import StrEnum

import typer

RULES = "RULES"
"""What help calls a rule set: any that `rules.load` knows."""


def complete_rule_set(incomplete: str) -> list[str]:
    """The rule sets that begin so, for the shell."""
    from rules import names

    return [name for name in names() if name.startswith(incomplete)]


def rule_set(name: str) -> str:
    """The name of a rule set. Raises typer.BadParameter for any other."""
    from rules import names

    if name not in names():
        known = ", ".join(map(repr, names()))
        raise typer.BadParameter(f"{name!r} is not one of {known}.")
    return name


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
