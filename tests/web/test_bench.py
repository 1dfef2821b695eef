"""What `arena bench web` measures with: runs that were never played, and browsers of its own."""

import asyncio
from io import StringIO
from pathlib import Path

from fastapi import FastAPI
from rich.console import Console

from arena.bench.browsers import OpenPages, PageLoad, get
from arena.bench.made_runs import made_run
from arena.bench.web import Figure, difference, show
from arena.tournament.events import MovesPlayed
from arena.tournament.run_view import RunView
from tests.reports.conftest import Play
from tests.reports.runs import begun, game_started
from tests.web.conftest import serving


def test_a_run_that_was_never_played(tmp_path: Path) -> None:
    made_run(tmp_path / "made.sqlite", 100)
    with RunView(tmp_path / "made.sqlite") as view:
        assert (len(view.games), view.standings.games) == (100, 100)
        assert view.record("g00099") is not None


def test_pages_are_counted(runs: Path, app: FastAPI) -> None:
    made_run(runs / "made.sqlite", 4)
    with serving(app) as url:
        assert asyncio.run(PageLoad(f"{url}/t/made").run(0.1)) > 0
        page = get(f"{url}/t/made")
    assert len(page.text) > page.sent_bytes


def test_open_pages_hear_every_move(runs: Path, app: FastAPI, play: Play) -> None:
    record = play("dots", "ant", "bee", game="g1", rows=2, cols=2)
    with begun(runs / "cup.sqlite", [record]) as store, serving(app) as url:
        store.append(game_started(record))
        pages = OpenPages(f"{url}/t/cup", 3)
        looks = iter(range(100))

        def ended() -> int | None:
            """Not before each page has heard of a move, which comes once all are open."""
            look = next(looks)
            if look and not look % 5:
                store.append(MovesPlayed(game="g1", ply=0, moves=(record.moves[0].move,)))
            return 0 if len(pages.heard) >= 3 else None

        asyncio.run(pages.until_over(ended))
    assert {(game, ply) for game, ply, _ in pages.heard} == {("g1", 1)}


def test_a_loss_within_chance() -> None:
    lost, margin = difference([52.0, 50.0, 51.0, 53.0], [51.0, 50.0, 52.0, 52.0])
    assert 0 < lost < margin
    lost, margin = difference([52.0, 50.0, 51.0, 53.0], [41.0, 40.0, 42.0, 42.0])
    assert lost > margin


def test_figures_stand_next_to_their_targets() -> None:
    written = StringIO()
    figures = [Figure("Memory", "200 MB", "≤ 150 MB", False), Figure("Median", "0.1 s", "", None)]
    show(figures, Console(file=written, width=100))
    rows = [line.split("│") for line in written.getvalue().splitlines() if "│" in line]
    assert [row[-2].strip() for row in rows] == ["no", ""]
