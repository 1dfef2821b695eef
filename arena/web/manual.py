"""The pages of the package as HTML: no HTML of theirs, links that lead to one another, anchors."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from arena.reports.handbook import PAGES, text_of

_NAMES = {page.file: name for name, page in PAGES.items()}


class Chapter(NamedTuple):
    title: str
    html: Markup
    headings: tuple[tuple[str, str], ...]
    """The anchors of its sections and their titles."""


@cache
def chapter(name: str) -> Chapter:
    """The page of that name, one of PAGES."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text_of(name))
    headings = list(_anchored(tokens))
    for token in tokens:
        if token.children:
            token.children = list(_linked(token.children, PAGES[name].file))
    for opening, inline, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "th_open" and not inline.content:
            opening.tag = closing.tag = "td"  # a corner without words heads nothing
    shown = markdown.renderer.render(list(_scrolling(tokens)), markdown.options, {})
    (_, title), *sections = ((anchor, text) for level, anchor, text in headings if level < 3)
    return Chapter(title, Markup(shown), tuple(sections))


def _anchored(tokens: Sequence[Token]) -> Iterator[tuple[int, str, str]]:
    """Gives each heading its anchor; its level, anchor and text."""
    seen: dict[str, int] = {}
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(each.content for each in inline.children or ())
            anchor = re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")
            seen[anchor] = seen.get(anchor, -1) + 1
            anchor += f"-{seen[anchor]}" if seen[anchor] else ""
            opening.attrs["id"] = anchor
            yield int(opening.tag[1]), anchor, text


def _linked(tokens: Sequence[Token], file: str) -> Iterator[Token]:
    """The text of the page in `file` with links to pages of ours and other sites; what links to
    another file of the package is text alone.
    """
    are_links: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            address = _address(str(token.attrs["href"]), file)
            are_links.append(address is not None)
            token.attrs["href"] = address or ""
        if token.type not in ("link_open", "link_close") or are_links[-1]:
            yield token
        if token.type == "link_close":
            are_links.pop()


def _address(link: str, file: str) -> str | None:
    """Where a link of the page in `file` leads."""
    target, mark, anchor = link.partition("#")
    if not target or target.startswith("https://"):
        return link
    page = _NAMES.get(posixpath.normpath(posixpath.join(posixpath.dirname(file), target)))
    return f"/doc/{page}{mark}{anchor}" if page else None


def _scrolling(tokens: Sequence[Token]) -> Iterator[Token]:
    """HTML with its tables and examples in boxes that scroll, by keys too."""
    for token in tokens:
        if token.type == "table_open":
            yield _box("scroll", "Table")
        if token.type == "fence":
            yield _box("scroll example", "Example")
        yield token
        if token.type in ("table_close", "fence"):
            yield _html("</div>")


def _box(name: str, label: str) -> Token:
    return _html(f'<div class="{name}" tabindex="0" role="group" aria-label="{label}">')


def _html(text: str) -> Token:
    return Token("html_block", "", 0, content=text)
