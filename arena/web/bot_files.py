"""The versions of bots to download, as the course keeps them, for their owner and the staff."""

import stat
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Annotated
from zipfile import ZIP_DEFLATED, ZipInfo

from fastapi import APIRouter, HTTPException, Request
from fastapi import Path as InPath
from fastapi.responses import Response, StreamingResponse

from arena.bots import course as course_of
from arena.bots.entries import files_in, opened
from arena.bots.package import TREE
from arena.bots.trees import chunks, runs
from arena.bots.versions import Receipt, verified
from arena.errors import SubmissionError
from arena.web.api import INVALID, refusals
from arena.web.cached_answers import PRIVATE, headers_of, is_known
from arena.web.downloads import Download, zipped
from arena.web.rights import BY_TOKEN, Asking, Role, may
from arena.web.state import OfCourse

pages = APIRouter(dependencies=[may(Role.OWNER)])
api = APIRouter(
    prefix="/api/bots",
    tags=["bots"],
    dependencies=[BY_TOKEN, may(Role.OWNER)],
    responses=refusals({401: "No owner has this token.", 404: "You have no such version."})
    | INVALID,
)
_FILE, _ZIP = "application/octet-stream", "application/zip"


@pages.get("/me/bots/{version}")
@api.get(
    "/{version}",
    response_class=StreamingResponse,
    responses={200: {"content": {kind: {} for kind in (_FILE, _ZIP)}}},
    summary="The files of a version",
)
def download(
    request: Request,
    asking: Asking,
    course: OfCourse,
    version: Annotated[str, InPath(description="As `fox@2`; numbers are on /me.")],
) -> Response:
    """A single file as it was submitted, anything else as a ZIP, with what its build made."""
    receipt = _version(course.folder, asking.owner, version)
    is_file, name = receipt.opens != ".", f"{receipt.name}-{receipt.number}"
    shown = receipt.opens if is_file else f"{name}.zip"
    etag = f'W/"{receipt.contents}"'
    headers = headers_of(etag, PRIVATE)
    if is_known(request, etag):
        return Response(status_code=304, headers=headers)
    at = course.folder / receipt.name / receipt.version
    verified(at)
    tree = at / TREE
    pieces = _pieces(tree, receipt.opens) if is_file else zipped(_members(tree, name, receipt))
    return Download(pieces, shown, headers, _FILE if is_file else _ZIP)


def _version(folder: Path, owner: str | None, named: str) -> Receipt:
    """The version of that name, of this owner's bots; the staff, None, has those of all."""
    name, _, which = named.partition("@")
    entries = (each for each in course_of.bots(folder) if owner in (None, each.owner))
    entry = next((each for each in entries if each.name == name), None)
    if entry is None:
        raise HTTPException(404, "There is no such bot of yours.")
    try:
        return course_of.version(entry, which)
    except SubmissionError as error:
        raise HTTPException(404, str(error)) from None


def _pieces(tree: Path, file: str) -> Generator[bytes]:
    with opened(tree, file) as found:
        yield from chunks(found)


def _members(tree: Path, top: str, receipt: Receipt) -> Iterator[tuple[ZipInfo, IO[bytes]]]:
    """The files in a folder `top`, which may be executed where they could be."""
    when = receipt.accepted_at
    for path in files_in(tree):
        with opened(tree, path) as file:
            info = ZipInfo(f"{top}/{path}", when.timetuple()[:6])
            info.compress_type = ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | (0o755 if runs(file) else 0o644)) << 16
            yield info, file
