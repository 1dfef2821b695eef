"""How fast this machine searches, next to the targets: `python -m players.bench`."""

from rich.table import Table

from players.bench import endgames, speed
from players.bench.measurement import Measurement, table

__all__ = ["bench_search", "search_table"]

CAPTION = "The targets are for a machine where scalar code plays 245,000 cornerless games a second."

CORNERLESS = {"preset": "cornerless"}
STANDARD = {"preset": "standard"}
DOTS = {"rows": 5, "cols": 5}


def search_table() -> Table:
    """All measurements for a terminal."""
    return table(bench_search(), CAPTION)


def bench_search() -> list[Measurement]:
    """Measure everything; about a minute and a half once the kernels are compiled."""
    return [*_playouts(), *_searches(), *_endgames()]


def _playouts() -> list[Measurement]:
    one, several = speed.playouts_per_second, speed.batched_playouts_per_second
    figures = (
        ("cornerless random playouts", one("othello", CORNERLESS, 100_000), 490_000),
        (
            "cornerless random playouts, eight boards in lanes",
            several("othello", CORNERLESS, 800_000),
            490_000,
        ),
        ("dots 5×5 random playouts", one("dots", DOTS, 400_000), 1_200_000),
        ("dots 5×5 random playouts, eight at a time", several("dots", DOTS, 800_000), 1_200_000),
    )
    return [Measurement(name, value, "playouts/s", target) for name, value, target in figures]


def _searches() -> list[Measurement]:
    iterations, nodes = speed.iterations_per_second, speed.nodes_per_second
    alone = iterations("othello", CORNERLESS, 300_000)
    shared = iterations("othello", CORNERLESS, 300_000, threads=2)
    return [
        Measurement(
            "cornerless UCT, 300,000 iterations from the start", alone, "iterations/s", 300_000
        ),
        Measurement("the same, two threads sharing the tree", shared / alone, "times", 1.8),
        Measurement(
            "dots 5×5 UCT, 300,000 iterations from the start",
            iterations("dots", DOTS, 300_000),
            "iterations/s",
            500_000,
        ),
        Measurement(
            "cornerless games of a tuning, UCT of 100 iterations, two threads",
            speed.tuning_games_per_second(500, threads=2),
            "games/s",
            200,
        ),
        Measurement(
            "standard Othello alpha-beta, 10 deep", nodes("othello", STANDARD, 10), "nodes/s", None
        ),
        Measurement("dots 5×5 alpha-beta, 6 deep", nodes("dots", DOTS, 6), "nodes/s", None),
        Measurement("start of uct to ready, kernels cached", speed.seconds_to_ready(), "s", 1.5),
    ]


def _endgames() -> list[Measurement]:
    solved = endgames.ffo()
    nodes = sum(each.solution.nodes for each in solved)
    slowest = max(each.seconds for each in solved)
    return [
        Measurement("dots 3×3 solved from the start", endgames.dots_start_seconds(3, 3), "s", 0.2),
        *(
            Measurement(
                f"dots 5×5 solved with {edges} edges left, median of 20",
                endgames.dots_median_seconds(edges, 20),
                "s",
                target,
            )
            for edges, target in ((34, 0.008), (36, 0.15), (38, 1.0))
        ),
        Measurement(
            "Othello endgames, FFO 40-44",
            nodes / sum(each.seconds for each in solved),
            "nodes/s",
            10_000_000,
        ),
        Measurement("the slowest of them", slowest, "s", 60),
    ]
