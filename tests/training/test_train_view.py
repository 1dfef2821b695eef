"""What is seen of a training, and what is kept of it as CSV."""

import io
from collections.abc import Iterator
from itertools import count

import pytest
from rich.console import Console

from arena.training import train_view as training
from players.learning.tiles.trainer import TileBlock


def block(number: int, mean: float) -> TileBlock:
    return TileBlock(
        *(number, 1000 * number, mean, 9000, 2_400_000, 2.0),
        reached={256: 1.0, 512: 0.75, 1024: 0.05},
        ended={256: 0.25, 512: 0.7, 1024: 0.05},
    )


PLAN = "[bold]cup[/bold]", 10_000
VIEW = training.TileBlockView((256, 512, 1024))


@pytest.fixture
def terminal() -> Iterator[tuple[Console, io.StringIO]]:
    out = io.StringIO()
    yield Console(file=out, width=80, height=40, force_terminal=True, color_system=None), out


@pytest.mark.parametrize("live", [False, True])
def test_lines_end_between_words_and_what_is_copied_is_in_one_piece(
    terminal: tuple[Console, io.StringIO], live: bool
) -> None:
    console, out = terminal
    prose = "word " * 30 + "end."
    command = f"arena tune {'x' * 90}.toml --verify"
    option = f'    options = {{ weights = "{"y" * 90}" }}'
    view = training.LiveTraining(console, *PLAN, VIEW, [], lambda: 0.0)
    lines = view if live else training.PlainTraining(console, VIEW)
    for line in (
        prose,
        f"{prose} To test it: {command}",
        f"Continue with: arena {'z' * 9}",
        option,
    ):
        lines.say(line)
    shown = [line.rstrip() for line in out.getvalue().splitlines()]
    assert " ".join(shown[:2]) == prose and max(map(len, shown[:2])) < 80
    assert shown[5:] == [command, f"Continue with: arena {'z' * 9}", option]


def test_in_a_pipe_a_line_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    line = f"{'word ' * 30}Continue with: arena tune {'x' * 90}.toml"
    training.PlainTraining(Console(width=40), VIEW).say(line)
    assert capsys.readouterr().out == f"{line}\n"


def test_a_block_is_a_line_and_one_for_each_tile() -> None:
    assert VIEW.lines(block(3, 4567.8)) == [
        "3,000 games: average 4,568, maximum 9,000, 1.2 M moves/s",
        "     256  reached 100.0%  ended here  25.0%",
        "     512  reached  75.0%  ended here  70.0%",
        "    1024  reached   5.0%  ended here   5.0%",
    ]


def test_csv_has_all_tiles_those_below_reached_by_all() -> None:
    tiles = (128, 256, 512, 1024, 2048)
    shown = training.TileBlockView(tiles)
    names, cells = (list(map(str, row)) for row in (shown.columns, shown.cells(block(3, 4567.25))))
    row = dict(zip(names, cells, strict=True))
    assert names[:6] == ["games", "mean", "best", "moves", "seconds", "moves_per_s"]
    assert cells[:6] == ["3000", "4567.25", "9000", "2400000", "2.0", "1200000"]
    assert [row[f"reached_{tile}"] for tile in tiles] == ["1.0", "1.0", "0.75", "0.05", "0.0"]
    assert [row[f"ended_{tile}"] for tile in tiles] == ["0.0", "0.25", "0.7", "0.05", "0.0"]


def test_the_screen_shows_the_way_so_far_and_the_last_block(
    terminal: tuple[Console, io.StringIO],
) -> None:
    console, out = terminal
    seconds = count(0.0, 3.0)
    before = [block(number, 1000.0 * number) for number in (1, 2, 3)]
    with training.LiveTraining(console, *PLAN, VIEW, before, lambda: next(seconds)) as view:
        view.say("a line that [stays]")
        view.doing("playing block 4")
        view.show(block(4, 4000.0))
    shown = out.getvalue()
    assert "a line that [stays]" in shown
    screen = shown[shown.rindex("[bold]cup[/bold]") :]
    assert "4,000 of 10,000 games · 1.2 M moves/s · 12 s left" in screen
    assert "average  ▃▅▇█  1,000 → 4,000" in screen
    assert "1024     5.0%" in screen
    assert "playing" not in screen
    assert max(map(len, screen.splitlines())) <= 80


def test_on_a_narrow_screen_the_last_block_is_below(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(width=60, height=40, force_terminal=True, color_system=None)
    before = [block(number, 26_000.0 + number) for number in range(1, 9)]
    with training.LiveTraining(console, *PLAN, VIEW, before, lambda: 0.0):
        pass
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert "games  average  maximum  moves/s" in lines
    assert "8,000   26,008    9,000    1.2 M" in lines
    assert " 512    75.0%  ━━━━━━━━━          70.0%" in lines
    assert not [line for line in lines if "…" in line or len(line) > 60]


def test_before_the_first_block_the_screen_says_what_is_done(
    terminal: tuple[Console, io.StringIO],
) -> None:
    console, out = terminal
    with training.LiveTraining(console, *PLAN, VIEW, [], lambda: 5.0) as view:
        view.doing("compiling")
    assert "compiling · 0 s" in out.getvalue()


def test_a_pipe_gets_lines() -> None:
    out = io.StringIO()
    with training.PlainTraining(Console(file=out, width=40), VIEW) as view:
        view.say("a line that [stays], however long it is")
        view.doing("playing")
        view.show(block(1, 1.0))
    assert out.getvalue().splitlines() == [
        "a line that [stays], however long it is",
        *VIEW.lines(block(1, 1.0)),
    ]


@pytest.mark.parametrize(
    ("values", "line"),
    [([0.0], "▁"), ([0.0, 0.0], "▁▁"), ([1.0, 8.0], "▂█"), ([1.0, 3.0, 8.0, 8.0, 0.0, 0.0], "▃█▁")],
)
def test_a_curve_of_bars_has_at_most_its_width(values: list[float], line: str) -> None:
    assert training.sparkline(values, 3) == line
