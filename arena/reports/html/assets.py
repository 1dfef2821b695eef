"""The one script and the one style sheet of all pages."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from markupsafe import Markup

_IMPORT = re.compile(r'^import .* from "\./([^"]*)";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const|let)\b)", re.M)
_COMMENT = re.compile(r"^[ \t]*(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*\n", re.M | re.S)


@cache
def script(*names: str) -> str:
    """The modules of `static`, or some, as one, each after those it needs, without comments."""
    folder, placed = _static(), dict[str, str]()
    every = (each.name for each in folder.iterdir() if each.name.endswith(".js"))
    for name in names or sorted(every):
        _place(name, folder, placed)
    return "".join(placed.values())


def _place(name: str, folder: Traversable, placed: dict[str, str]) -> None:
    if name in placed:
        return
    text = (folder / name).read_text(encoding="utf-8")
    placed[name] = ""  # a circle of modules ends here
    for needed in _IMPORT.findall(text):
        _place(needed, folder, placed)
    del placed[name]
    placed[name] = untied(text)


def untied(module: str) -> str:
    """A module without what ties it to others and without comments; those it needs run before."""
    return _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", module)))


@cache
def stylesheet() -> str:
    """The style of all pages, then that of games."""
    names = ("style.css", "game.css")
    return "".join((_static() / name).read_text(encoding="utf-8") for name in names)


def inlined(code: str, also: str = "") -> dict[str, str]:
    """Style sheet and script of a page, and the policy that allows them and `also` others."""
    style, code = stylesheet(), code.replace("</script", "<\\/script")
    of_style, of_code = map(_content_hash, (style, code))
    return {
        "style": Markup(style),
        "script": Markup(code),
        "csp": f"default-src 'none'; {also}style-src {of_style}; script-src {of_code}",
    }


def _content_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _static() -> Traversable:
    return files(__package__) / "static"
