"""The document of a run: what one file holds, and what a server sends.

Values of a template: `style_href` and `script_srcs`, the addresses of the assets, or `style` and
`script`, their text, for a page that needs no network; `site`, links of the header as (address,
words); `run_url`, the address that scripts ask for data; `live`, where they listen to what
happens, the last event that the page knows.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.files.plain_text import printable
from arena.reports.html import overview, rounds
from arena.reports.html.audience import Audience
from arena.reports.html.overview import Look
from arena.reports.html.wording import milliseconds, minus, signed
from arena.tournament.run_view import RunView

SECTIONS: Mapping[str, Callable[[Look], Mapping[str, Any] | None]] = {
    "facts": overview.facts,
    "standings": overview.standings,
    "rounds": rounds.rounds,
    "crosstable": overview.crosstable,
    "reach": overview.reach,
    "openings": overview.openings,
    "faults": overview.faults,
    "machine": overview.machine,
    "method": overview.method,
}
"""Elements of the document by their ids, in its order, and what makes the values of each; None for
one with nothing to show. A format that ranks by its own rules has them before the ratings."""


@cache
def environment(*folders: Path) -> Environment:
    """The templates of these pages and of further folders. What is put into them is escaped, and
    what commands a reader or hides is shown.
    """
    own = PackageLoader(__package__, "templates")
    templates = Environment(
        loader=ChoiceLoader([*map(FileSystemLoader, folders), own]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"signed": signed, "minus": minus, "ms": milliseconds, "in_url": in_url}
    templates.globals |= {"site": (), "run_url": None, "live": False, "script_srcs": ()}
    templates.globals |= dict.fromkeys(("style", "script", "style_href", "csp"))
    return templates


def in_url(text: str) -> str:
    """A name as a part of an address."""
    return quote(text, safe="")


def _shown(value: object) -> object:
    return printable(value, keep="\n\t") if type(value) is str else value


def sections(look: Look, only: Collection[str] = tuple(SECTIONS)) -> dict[str, Markup]:
    """Elements of the document by their ids."""
    return {name: _section(name, make(look)) for name, make in SECTIONS.items() if name in only}


def _section(name: str, values: Mapping[str, Any] | None) -> Markup:
    if values is None:
        return Markup('<section id="{}" hidden></section>').format(name)
    return Markup(environment().get_template(f"parts/{name}.html").render(values))


def run_page(view: RunView, audience: Audience) -> dict[str, Any]:
    """The values of `run.html`, but for its assets."""
    look, terms = Look.at(view, audience), view.config.terms
    parts = sections(look)
    first = ["rounds"] if look.standings.ranking else []
    return {
        "title": look.seen.sentence(view.config.name),
        "subtitle": f"{terms.game.title} · {terms.clock.words}",
        "facts": parts.pop("facts"),
        "parts": (*map(parts.pop, first), *parts.values()),
        "playing": len(view.playing),
    }
