"""The drawings replay moves as the rules do, on every kind of board."""

from collections.abc import Iterator
from random import Random
from typing import Any, get_args

import pytest
from playwright.sync_api import Browser, Page

import rules
from arena.reports.html.assets import script
from arena.reports.html.model import Drawing
from rules.position import draw_chance

pytestmark = pytest.mark.slow

OTHELLO = [
    *({"preset": preset, "size": size} for preset in ("standard", "cornerless") for size in (4, 8)),
    {"size": 6, "corners": False},
    {"size": 10, "free_centre": True},
    {"preset": "cornerless", "size": 16, "corners": True},
]
DOTS = [
    {"rows": 1, "cols": 1},
    {"rows": 2, "cols": 3},
    {"rows": 5, "cols": 5},
    {"rows": 4, "cols": 3, "stop_at_majority": True},
    {"rows": 12, "cols": 2},
]
PLACERS = [{}, {"placer": "player"}, {"placer": "player", "placer_chooses": "cell"}]
GAMES = [
    *(("othello", "othello", each) for each in OTHELLO),
    *(("dots", "dots", each) for each in DOTS),
    *(("tiles", "2048", each) for each in PLACERS),
    *(("tiles", "2584", {"spawn": spawn} | each) for spawn in ("1/2", "1/3") for each in PLACERS),
]
FIRST_DIFFERENCE = """([run, game, positions]) => {
    const drawing = drawingOf(run), at = replayed(run, game);
    for (const [ply, position] of positions.entries()) {
        const {state, scores} = position, cells = at(ply), last = game.moves[ply - 1];
        const found = JSON.stringify(drawing.state(cells, state.to_move));
        if (found !== JSON.stringify(state)) return [ply, found];
        if (drawing.scores(cells).some((score, seat) => score !== scores[seat])) return [ply, 0];
        if (ply % 9 || !ply) continue;
        const drawn = drawing.draw(cells, last);
        if (drawn.childElementCount < 5) return [ply, 1];
        const words = drawn.querySelector("desc").textContent;
        if (!words.endsWith(`. Last move: ${last}`)) return [ply, 2];
    }
    return null;
}"""


def test_each_drawing_replays_games() -> None:
    assert {drawing for drawing, *_ in GAMES} == {*get_args(Drawing)} - {"text"}, "add to GAMES"


def played(game: rules.Game, seed: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A random game as pages have it, and its positions."""
    rng, position = Random(seed), game.start(seed)
    data: dict[str, Any] = {"start": position.state(), "moves": [], "seats": []}
    positions = [{"state": position.state(), "scores": position.scores()}]
    while position.to_move is not None:
        by_chance = position.to_move == -1
        move = draw_chance(position, rng) if by_chance else rng.choice(position.legal_moves())
        data["seats"].append(position.to_move)
        data["moves"].append(move)
        position = position.play(move)
        positions.append({"state": position.state(), "scores": position.scores()})
    return data, positions


@pytest.fixture(scope="module")
def drawings(browser: Browser) -> Iterator[Page]:
    """A page that has the drawings."""
    page = browser.new_page()
    shared = "Object.assign(window, {drawingOf, replayed});"
    page.add_script_tag(content=script() + shared, type="module")
    page.wait_for_function("typeof window.replayed === 'function'")
    yield page
    page.close()


@pytest.mark.parametrize(("drawing", "name", "settings"), GAMES)
def test_every_position_is_that_of_the_rules(
    drawing: str, name: str, settings: dict[str, Any], drawings: Page
) -> None:
    game = rules.load(name, **settings)
    run = {"drawing": drawing, "variant": game.variant}
    for seed in range(2):
        data, positions = played(game, seed)
        assert drawings.evaluate(FIRST_DIFFERENCE, [run, data, positions]) is None


@pytest.mark.parametrize(("drawing", "name"), [("othello", "othello"), ("dots", "dots")])
def test_a_game_in_play_needs_no_seats(drawing: str, name: str, drawings: Page) -> None:
    game = rules.load(name)
    data, positions = played(game, 7)
    run = {"drawing": drawing, "variant": game.variant}
    assert drawings.evaluate(FIRST_DIFFERENCE, [run, data | {"seats": []}, positions]) is None
