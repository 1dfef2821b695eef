"""The report of a run as one file that needs no network."""

import base64
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic_core import to_json

from arena.errors import UserError
from arena.files.whole_file import writing
from arena.reports.html.assets import inlined, script
from arena.reports.html.audience import Audience, Seen, owned
from arena.reports.html.data import game_data, run_data
from arena.reports.html.model import GameData
from arena.reports.html.pages import environment, run_page
from arena.tournament.run_view import RunView

CHUNK = 250
"""Games of one data block."""


def publish(
    run: Path,
    path: Path,
    owner: str | None,
    without: Sequence[str],
    *,
    public: bool,
    anonymous: bool,
) -> tuple[Sequence[str], Sequence[str]]:
    """Write the report of a run for an audience. The ids of games that are damaged and not counted,
    and of those whose records are: it has their results alone. Raises UserError, StoreError and
    OSError.
    """
    if path.suffix != ".html":
        raise UserError(f"--html: {path} does not end in .html; give such a name")
    if not path.absolute().parent.is_dir():
        raise UserError(f"--html: there is no folder {path.absolute().parent}; make it first")
    with RunView(run, without) as view:
        audience = Audience(
            reads=frozenset() if public else None if owner is None else owned(view.config, owner),
            texts=owner is not None,
            pseudonyms=view.label if anonymous else "",
            without=view.without,
        )
        write_report(view, audience, path)
        return view.damaged, view.lost_records


def write_report(view: RunView, audience: Audience, path: Path) -> None:
    """Write the file, whole or not at all where it can be replaced. Raises OSError."""
    values = run_page(view, audience) | {
        **inlined(script(), "img-src data:; "),
        "data": _packed(run_data(view, audience).model_dump_json().encode()),
        "chunks": _chunks(view, audience),
    }
    with writing(path) as file:
        file.writelines(environment().get_template("run.html").generate(values))


def _chunks(view: RunView, audience: Audience) -> Iterator[str]:
    """The games in the order they ended, as many at a time as need little memory."""
    seen = Seen(view.config, audience)
    for low in range(0, len(view.games), CHUNK):
        records = (view.intact_record(game.game) for game in view.games[low : low + CHUNK])
        games = [game_data(each, seen).model_dump() if each else {} for each in records]
        columns = {name: [game.get(name) for game in games] for name in GameData.model_fields}
        yield _packed(to_json(columns))


def _packed(text: bytes) -> str:
    packer = zlib.compressobj(9, wbits=-15)
    return base64.b64encode(packer.compress(text) + packer.flush()).decode()
