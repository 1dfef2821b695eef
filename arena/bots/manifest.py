"""bot.toml: a bot's name, its rule sets, how it is built and started."""

import re
import unicodedata
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field
from pydantic_core import PydanticKnownError

from arena.bots.entries import opened
from arena.errors import ManifestError, Problem
from arena.files.toml import NotToml, parse
from arena.files.toml_tables import Finding, TomlTable, problems, read_tables, shown
from rules import names

FILE_NAME = "bot.toml"


def _known(name: str) -> str:
    if name not in names():
        *most, last = map(repr, names())
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(most)} or {last}"})
    return name


RuleSet = Annotated[str, AfterValidator(_known)]

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?")
NAME_RULE = (
    "a name is letters, digits, dots, dashes and underscores (a–z, A–Z, 0–9, ., -, _), begins with "
    "a letter or digit, does not end with a dot, and has at most 64 characters"
)
_COMMAND = 4096
"""The most characters of a command."""
_REQUIRED = {
    "name": f"is missing: {NAME_RULE}",
    "rules": 'is missing: what it plays, as rules = ["othello", "dots"]',
    "command": 'is missing: what starts it, as command = ["python3", "bot.py"]',
}


class Manifest(TomlTable):
    """A bot.toml. Required keys are demanded later, so that all problems come at once."""

    synonyms: ClassVar = {"game": "rules", "games": "rules", "run": "command", "compile": "build"}

    name: str = ""
    rules: list[RuleSet] = Field(default_factory=list, min_length=1)
    command: list[str] = Field(default_factory=list, min_length=1)
    """The command that starts it in its own folder."""
    build: list[str] | None = Field(default=None, min_length=1)
    """The command that runs once in its folder before it can be started; None for none."""
    authors: list[str] = Field(default_factory=list)
    python: str | None = Field(default=None, min_length=1)
    """The Python that runs its scripts; None for that of the tournament."""


def is_name(text: str) -> bool:
    """Whether a bot may have this name, which is also that of files and folders."""
    return _NAME.fullmatch(text) is not None


def read_manifest(path: Path) -> Manifest:
    """Read a bot.toml. Raises ManifestError with every problem found, each with its line."""
    try:
        with opened(path.parent, path.name) as handed_in:
            text = handed_in.read().decode("utf-8-sig")  # some editors begin with its mark
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ManifestError(path, (Problem("", line, "not UTF-8 text"),)) from None
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise ManifestError(path, (Problem("", None, message),)) from None
    try:
        file, findings = read_tables(Manifest, parse(text))
    except NotToml as error:
        raise ManifestError(path, (error.problem,)) from None
    wrong = {finding.path[0] for finding in findings if finding.path}
    findings += [finding for finding in _judge(file) if finding.path[0] not in wrong]
    if findings:
        raise ManifestError(path, problems(text, findings))
    return file.model_copy(update={"rules": list(dict.fromkeys(file.rules))})


def _judge(file: Manifest) -> list[Finding]:
    """The problems that the types of the keys do not show."""
    values, keys = file.model_dump(), file.model_fields_set
    findings = [Finding((key,), missing) for key, missing in _REQUIRED.items() if key not in keys]
    if "name" in keys and not is_name(file.name):
        findings.append(Finding(("name",), f"{NAME_RULE}; got {shown(file.name)}"))
    for key in ("command", "build", "python"):
        words = [values[key]] if isinstance(values[key], str) else values[key] or []
        if words and not words[0].strip():
            findings.append(
                Finding((key,), "begins with the program to run; its first word is empty")
            )
        if any("\0" in word for word in words):
            findings.append(Finding((key,), "no program takes a NUL character; remove it"))
        elif any(_commands_a_terminal(word) for word in words):
            findings.append(Finding((key,), "a word has control characters; remove them"))
    if sum(map(len, file.command)) > _COMMAND:
        long = f"has more than {_COMMAND:,} characters, and each game's record keeps them; "
        findings.append(Finding(("command",), f"{long}have the program read them from a file"))
    if file.python is not None and "/" in file.python:
        findings.append(Finding(("python",), "must be a name without slashes, such as python3.12"))
    if any(not author.isprintable() for author in file.authors):
        hidden = "a name has characters that cannot be shown; remove them"
        findings.append(Finding(("authors",), hidden))
    return findings


def _commands_a_terminal(word: str) -> bool:
    """Whether a word, which may be shown, would command a terminal."""
    return any(unicodedata.category(char) in ("Cc", "Cf") and char not in "\n\t" for char in word)
