"""Text that others wrote, shown so that it commands no terminal and hides nothing."""

import json
import os
import re
from contextlib import suppress
from pathlib import Path

_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters without a width that `isprintable` lets pass: fillers, joiners, variation selectors.
Source: Default_Ignorable_Code_Point of Unicode."""


def printable(text: str, keep: str = "") -> str:
    """The text with each character escaped that could rewrite a terminal or that has no width:
    controls, bidi controls, line separators, surrogates. Those of `keep` stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if _shows(c) or c in keep else c.encode("unicode_escape").decode() for c in text
    )


def printable_json(document: str) -> str:
    """The same JSON document, with such characters of its strings escaped as JSON does."""
    if document.isascii() and document.replace("\n", "").isprintable():
        return document
    return "".join(c if _shows(c) or c == "\n" else json.dumps(c)[1:-1] for c in document)


def end_of(file: Path, most: int) -> str:
    """The last bytes of a text that may be damaged, as a log; empty where it cannot be read."""
    with suppress(OSError), file.open("rb") as opened:
        opened.seek(max(0, opened.seek(0, os.SEEK_END) - most))
        return opened.read().decode("utf-8", "replace")
    return ""


def _shows(character: str) -> bool:
    return character.isprintable() and not _HIDDEN.match(character)
