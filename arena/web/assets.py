"""Scripts and styles, under names with a hash of their content: a browser asks once."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena.reports.html import assets
from arena.web.kept import KeptAnswer, kept

_OWN = Path(__file__).parent / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css"}


class Asset(NamedTuple):
    """A file that a browser keeps for good."""

    address: str
    content: KeptAnswer


def address(name: str) -> str:
    """Where the asset is that a page asks for, as `arena.js`."""
    return _assets()[name].address


@cache
def by_address() -> dict[str, KeptAnswer]:
    """All assets by their addresses."""
    return {asset.address: asset.content for asset in _assets().values()}


@cache
def _assets() -> dict[str, Asset]:
    """`arena.js` and `arena.css` of all pages, and what some pages of the server also have."""
    texts = {"arena.js": assets.script(), "arena.css": assets.stylesheet()}
    for file in sorted(_OWN.glob("*")):
        text = file.read_text(encoding="utf-8")
        texts[file.name] = assets.untied(text) if file.suffix == ".js" else text
    return {name: _asset(name, text) for name, text in texts.items()}


def _asset(name: str, text: str) -> Asset:
    path = Path(name)
    content = kept(text, f"{_TYPES[path.suffix]}; charset=utf-8")
    digest = content.etag.strip('W/"')[:12]
    return Asset(f"/static/{path.stem}-{digest}{path.suffix}", content)
