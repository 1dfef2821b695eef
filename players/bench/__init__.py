"""How fast this machine searches, next to the targets: `arena bench search`."""

from collections.abc import Iterator

from rich.table import Table

from players.bench import speed
from players.bench.measurement import Measurement, table

CAPTION = "The targets are for a machine where scalar code plays 245,000 cornerless games a second."

CORNERLESS = {"preset": "cornerless"}
DOTS = {"rows": 5, "cols": 5}


def search_table() -> Table:
    return table([Measurement(*figures) for figures in bench_search()], CAPTION)


def bench_search() -> Iterator[tuple[str, float, str, float | None]]:
    """Measure everything; about a minute and a half once the kernels are compiled."""
    playouts = speed.playouts_per_second
    unit, name = "playouts/s", "cornerless random playouts"
    yield name, playouts("othello", CORNERLESS, 100_000), unit, 490_000
    together = playouts("othello", CORNERLESS, 800_000, batches=True)
    yield f"{name}, eight boards in lanes", together, unit, 490_000
    name = "dots 5×5 random playouts"
    yield name, playouts("dots", DOTS, 400_000), unit, 1_200_000
    together = playouts("dots", DOTS, 800_000, batches=True)
    yield f"{name}, eight at a time", together, unit, 1_200_000

    iterations, nodes = speed.iterations_per_second, speed.nodes_per_second
    unit, name = "iterations/s", "UCT, 300,000 iterations from the start"
    for title, game, settings, target in (
        ("cornerless", "othello", CORNERLESS, 300_000.0),
        ("dots 5×5", "dots", DOTS, 500_000.0),
    ):
        alone = iterations(game, settings, 300_000)
        shared = iterations(game, settings, 300_000, threads=2)
        yield f"{title} {name}", alone, unit, target
        yield "the same, two threads sharing the tree", shared / alone, "times", 1.8
    name = "cornerless games of a tuning, UCT of 100 iterations, two threads"
    yield name, speed.tuning_games_per_second(500, threads=2), "games/s", 200
    name = "standard Othello alpha-beta, 10 deep"
    yield name, nodes("othello", {"preset": "standard"}, 10), "nodes/s", None
    yield "dots 5×5 alpha-beta, 6 deep", nodes("dots", DOTS, 6), "nodes/s", None
    yield "start of uct to ready, kernels cached", speed.seconds_to_ready(), "s", 1.5

    yield "dots 3×3 solved from the start", speed.dots_start_seconds(3, 3), "s", 0.2
    for edges, target in ((34, 0.008), (36, 0.15), (38, 1.0)):
        name = f"dots 5×5 solved with {edges} edges left, median of 20"
        yield name, speed.dots_median_seconds(edges, 20), "s", target
    solved = speed.ffo()
    seconds = sum(each.seconds for each in solved)
    together = sum(each.seconds for each in speed.ffo(threads=2))
    rate = sum(each.solution.nodes for each in solved) / seconds
    yield "Othello endgames, FFO 40-44 together", seconds, "s", 4.6
    yield "positions searched for them, those with one square left too", rate, "nodes/s", 30_000_000
    yield "the same endgames, two threads sharing the work", seconds / together, "times", 1.8
