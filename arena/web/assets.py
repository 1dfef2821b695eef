"""Scripts and styles, under names with a hash of their content: a browser asks once."""

from functools import cache
from pathlib import Path

from arena.reports.html import assets
from arena.web.cached_answers import CachedAnswer, cached

_OWN = Path(__file__).parent / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css"}


def address(name: str) -> str:
    """Where the asset is that a page asks for, as `arena.js`."""
    path = Path(name)
    digest = _assets()[name].etag.strip('W/"')[:12]
    return f"/static/{path.stem}-{digest}{path.suffix}"


@cache
def by_address() -> dict[str, CachedAnswer]:
    """All assets by their addresses, under which a browser keeps them for good."""
    return {address(name): content for name, content in _assets().items()}


@cache
def _assets() -> dict[str, CachedAnswer]:
    """`arena.js` and `arena.css` of all pages, and further files of the server's pages."""
    texts = {"arena.js": assets.script(), "arena.css": assets.stylesheet()}
    for file in sorted(_OWN.glob("*")):
        text = file.read_text(encoding="utf-8")
        texts[file.name] = assets.untied(text) if file.suffix == ".js" else text
    return {
        name: cached(text, f"{_TYPES[Path(name).suffix]}; charset=utf-8")
        for name, text in texts.items()
    }
