"""/doc: the pages of the package, and starters to download."""

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse

from arena.bots.starter import LANGUAGES, starter_archive
from arena.reports.handbook import PAGES
from arena.web.pages import page
from arena.web.rights import Role, may

router = APIRouter(prefix="/doc", dependencies=[may(Role.ANYONE)])

_STARTER = "mybot"
"""The name of a bot that is downloaded; its author changes it in bot.toml."""
_LANGUAGES = {"cpp": "C++", "js": "JavaScript"}
"""Names of languages, where they are not the key with a capital."""


@router.get("")
def contents(request: Request) -> HTMLResponse:
    titles = {name: _LANGUAGES.get(name, name.title()) for name in LANGUAGES}
    return page(request, "doc.html", pages=PAGES, languages=titles)


@router.get("/starter/{language}.zip")
def starter(language: str) -> Response:
    if language not in LANGUAGES:
        raise HTTPException(404, f"There are starters in: {', '.join(LANGUAGES)}.")
    name = f'attachment; filename="{_STARTER}-{language}.zip"'
    content = starter_archive(_STARTER, language)
    return Response(content, media_type="application/zip", headers={"Content-Disposition": name})


@router.get("/{name}")
def document(request: Request, name: str) -> HTMLResponse:
    if name not in PAGES:
        raise HTTPException(404, f"The pages to read are: {', '.join(PAGES)}.")
    from arena.web.manual import chapter  # reads Markdown, which no other page needs

    return page(request, "doc_page.html", chapter=chapter(name), pages=PAGES, name=name)
