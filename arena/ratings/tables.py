"""Tables of a tournament: meetings, shares of the points, course ranks, time, tiles."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from arena.ratings.model import Cell, Share, TileFigures, TileReach, Times
from arena.ratings.results import GameDigest, Result
from arena.ratings.scale import Z95, student_t95
from rules import tiles


def crosstable(results: Iterable[Result], players: Sequence[str] = ()) -> tuple[Cell, ...]:
    """The results of each player against each opponent met, in the order of `players`; without it,
    sorted by name.
    """
    counts: dict[tuple[str, str], Counter[float]] = defaultdict(Counter)
    for (first, second, score), number in Counter(result[:3] for result in results).items():
        counts[first, second][score] += number
        counts[second, first][1 - score] += number
    place = {
        name: number for number, name in enumerate(players or sorted(one for one, _ in counts))
    }
    order = sorted(counts, key=lambda names: (place[names[0]], place[names[1]]))
    return tuple(
        Cell(player=one, opponent=other, wins=met[1], draws=met[0.5], losses=met[0])
        for one, other in order
        for met in (counts[one, other],)
    )


def share(scores: NDArray[np.float64], clusters: NDArray[np.intp]) -> Share | None:
    """The mean of `scores` (0 to 1) with its 95% interval (Wilson 1927); None without any.

    `clusters` numbers the cluster of each score: the interval is that of as many independent games
    as have the spread of the clusters' sums. One more cluster, all won or all lost, joins the
    spread, so that clusters of which none differs from another are not taken for certain.
    """
    count = len(scores)
    if not count:
        return None
    mean = float(scores.mean())
    size = count / len(np.unique(clusters))
    squares = float((np.bincount(clusters, weights=scores - mean) ** 2).sum()) + size**2 / 4
    games = count * (count * mean * (1 - mean) + size / 4) / squares
    scale = 1 + Z95**2 / games
    middle = (mean + Z95**2 / (2 * games)) / scale
    error = Z95 * math.sqrt(mean * (1 - mean) / games + (Z95 / (2 * games)) ** 2) / scale
    low, high = max(middle - error, 0.0), min(middle + error, 1.0)
    return Share(results=count, score=mean, low=low, high=high, error=(high - low) / 2)


def differences(games: Iterable[GameDigest]) -> dict[str, int]:
    """Sum of the disc or box differences of each player.

    A forfeit neither earns nor saves difference: it counts as it stood where it was against the
    player who forfeited, else as 0.
    """
    total: Counter[str] = Counter()
    for game in games:
        if len(game.players) != 2:
            continue
        lead = game.scores[0] - game.scores[1]
        if game.offender is not None:
            lead = min(lead, 0) if game.offender == 0 else max(lead, 0)
        total[game.players[0]] += lead
        total[game.players[1]] -= lead
    return dict(total)


def times(used_ms: Sequence[Iterable[float]]) -> Times | None:
    """Figures over all moves of some games; None where no move was asked for."""
    moves = np.concatenate([np.zeros(0), *(np.asarray(game) for game in used_ms)])
    if not len(moves):
        return None
    return Times(
        moves=len(moves),
        mean_ms=round(float(moves.mean()), 3),
        p99_ms=round(float(np.percentile(moves, 99, method="inverted_cdf")), 3),
        max_ms=round(float(moves.max()), 3),
    )


def tile_figures(games: Sequence[GameDigest]) -> TileFigures | None:
    """Figures of who plays `games` alone, or is the slider; None without such games."""
    games = [game for game in games if game.rules in tiles.NAMES or len(game.players) == 1]
    if not games:
        return None
    scores = [game.scores[0] for game in games]
    mean, error = mean_score(scores)
    ended = Counter(game.best_tile for game in games if game.best_tile)
    return TileFigures(
        games=len(games),
        mean_score=mean,
        mean_error=error,
        best_score=max(scores),
        mean_moves=fmean(len(game.used_ms[0]) for game in games),
        mean_seconds=fmean(sum(game.used_ms[0]) for game in games) / 1000,
        reach=tuple(
            TileReach(
                tile=tile,
                reached=sum(n for other, n in ended.items() if other >= tile) / len(games),
                ended=ended[tile] / len(games),
            )
            for tile in sorted(ended, reverse=True)
        ),
    )


def mean_score(scores: Sequence[int]) -> tuple[float, float | None]:
    """The mean, and half of its 95% interval by Student's t; None for a single score."""
    mean = fmean(scores)
    if len(scores) == 1:
        return mean, None
    return mean, student_t95(len(scores) - 1) * stdev(scores) / math.sqrt(len(scores))
