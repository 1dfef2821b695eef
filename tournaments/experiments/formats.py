"""How well formats find the best player and the order, how often `[stop]` errs, and how well the
errors of ratings are known where results choose the opponents, by simulation:

    python -m tournaments.experiments.formats formats
    python -m tournaments.experiments.formats stop
    python -m tournaments.experiments.formats errors

Each takes a quarter of an hour. A tenth of the games is drawn, and the others are won as the
players' Elo says; the first move is worth 30 Elo, and openings add to that, the same for both games
of a pair, with a standard deviation of 100. For `errors` there are no draws, and openings add
nothing: the fits know games of that kind.
"""

import sys
from collections.abc import Sequence
from itertools import combinations
from random import Random
from statistics import mean
from typing import Any

import numpy as np

import rules
from arena.ratings.elo import fit
from arena.ratings.results import results_of
from arena.tournament.estimate import Judge, imagine, imagined
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Pairing, Plan, Schedule
from arena.tournament.formats.stopped import StoppedSchedule, StopTable

FIRST_MOVE, OPENING, DRAWN = 30, 100, 0.1
RATED = 16
"""Bots of `errors`."""
BOTS, SPREAD = 32, 200
"""Bots and the standard deviation of their strengths, in Elo."""
FIELDS: list[tuple[str, int, dict[str, Any]]] = [
    ("knockout", 1, {}),
    ("groups", 1, {"groups": 8}),
    ("swiss", 5, {}),
    ("swiss", 10, {}),
    ("ladder", 10, {}),
    ("knockout", 14, {}),
    ("groups", 3, {"groups": 4}),
    ("swiss", 31, {}),
    ("ladder", 31, {}),
    ("round-robin", 1, {}),
]
"""Formats with their rounds and keys: up to about 300 games, then about 1,000."""


def schedule_of(format_: str, names: Sequence[str], rounds: int, keys: dict[str, Any]) -> Schedule:
    found = FORMATS[format_]
    plan = Plan(tuple(names), rounds, rules.default("othello"), found.keys(**keys).model_dump())
    return found.open(plan)


def judge(
    elo: dict[str, float], seed: int, *, opening: float = OPENING, drawn: float = DRAWN
) -> Judge:
    """Draws the result of a game, the same one each time."""

    def first(game: Pairing) -> float:
        one, other = game.players
        bias = Random(f"{seed} {game.round}").gauss(FIRST_MOVE, opening)
        rng = Random(f"{seed} {game.game}")
        if rng.random() < drawn:
            return 0.5
        return float(rng.random() < 1 / (1 + 10 ** ((elo[other] - elo[one] - bias) / 400)))

    return first


def trial(format_: str, rounds: int, keys: dict[str, Any], seed: int) -> tuple[int, bool, float]:
    """Games played, whether the best one won, and Kendall's tau of the order."""
    rng = Random(seed)
    names = [f"b{number}" for number in range(BOTS)]
    elo = {name: rng.gauss(0, SPREAD) for name in names}
    schedule, drawn = schedule_of(format_, names, rounds, keys), judge(elo, seed)
    games = list(imagine(schedule, "othello", drawn))
    ranking = schedule.ranking()
    if ranking is None:
        rated = fit(results_of(imagined(game, "othello", drawn(game)) for game in games))
        place = dict(zip(rated.players, -rated.elo, strict=True))
    else:
        place = {each.player: float(each.rank) for each in ranking.players}
    from scipy.stats import kendalltau  # a second to load

    tau = kendalltau([-elo[name] for name in names], [place[name] for name in names]).statistic
    return (
        len(games),
        min(names, key=place.__getitem__) == max(elo, key=elo.__getitem__),
        float(tau),
    )


def formats(trials: int) -> None:
    """Print the table of formats."""
    say("format", "rounds", "games", "the best wins", "Kendall's tau")
    for name, rounds, keys in FIELDS:
        found = [trial(name, rounds, keys, seed) for seed in range(trials)]
        games, won, tau = map(mean, zip(*found, strict=True))
        say(f"`{name}`", str(rounds), f"{games:,.0f}", f"{won:.0%}", f"{tau:.2f}")


FIELDS_STOPPED: list[tuple[str, int, int, str, list[float]]] = [
    ("round-robin", 40, 1, "6 equals", [0] * 6),
    ("round-robin", 40, 1, "2 equals, then 100 Elo apart", [0, 0, -100, -200, -300, -400]),
    ("ladder", 200, 1, "2 equals, then 100 Elo apart", [0, 0, -100, -200, -300, -400]),
    ("round-robin", 40, 3, "20 Elo apart", [0, -20, -40, -60, -80, -100]),
    ("round-robin", 40, 1, "50 Elo apart", [0, -50, -100, -150, -200, -250]),
    ("round-robin", 40, 3, "50 Elo apart", [0, -50, -100, -150, -200, -250]),
    ("ladder", 200, 3, "50 Elo apart", [0, -50, -100, -150, -200, -250]),
    ("round-robin", 40, 3, "100 Elo apart", [0, -100, -200, -300, -400, -500]),
]
"""Formats with their rounds, 1,200 games, how many are to be separated, and six strengths."""


def stopped(
    format_: str, strengths: Sequence[float], separated: int, rounds: int, seed: int
) -> tuple[int, bool, bool]:
    """Games played, whether the first were called separated, and whether that was wrong."""
    names = [f"b{number}" for number in range(len(strengths))]
    plan = Plan(tuple(names), rounds, rules.default("othello"), {})
    elo = dict(zip(names, strengths, strict=True))
    inner, drawn = schedule_of(format_, names, rounds, {}), judge(elo, seed)
    schedule = StoppedSchedule(inner, plan, StopTable(separated=separated), 1)
    games = list(imagine(schedule, "othello", drawn))
    rated = fit(results_of(imagined(game, "othello", drawn(game)) for game in games))
    order = [name for _, name in sorted(zip(-rated.elo, rated.players, strict=True))]
    claimed = not inner.over
    right = all(
        elo[order[place]] > max(elo[name] for name in order[place + 1 :])
        for place in range(separated)
    )
    return len(games), claimed, claimed and not right


def stop(trials: int) -> None:
    """Print the table of `separated`."""
    say("format", "strengths", "`separated`", "ended early", "after games", "wrongly")
    for name, rounds, separated, words, strengths in FIELDS_STOPPED:
        found = [stopped(name, strengths, separated, rounds, seed) for seed in range(trials)]
        early = [games for games, claimed, _ in found if claimed]
        wrong = sum(each for *_, each in found) / trials
        games = f"{mean(early):,.0f}" if early else "–"
        ended = f"{len(early) / trials:.0%}"
        say(f"`{name}`", words, str(separated), ended, games, f"{wrong:.1%}")


def rated_twice(format_: str, rounds: int, spread: float, seed: int) -> list[tuple[float, ...]]:
    """By maximum likelihood and with the fitted prior: the share of intervals that hold the truth,
    half an interval and the error in the mean, and how many pairs of players are separated by their
    intervals, and how many of these in the wrong order.
    """
    rng = Random(seed)
    elo = {f"b{number}": rng.gauss(0, spread) for number in range(RATED)}
    drawn = judge(elo, seed, opening=0, drawn=0)
    games = list(imagine(schedule_of(format_, tuple(elo), rounds, {}), "othello", drawn))
    results = results_of(imagined(game, "othello", drawn(game)) for game in games)
    found = []
    for matched in (False, True):
        rated = fit(results, matched=matched)
        truth = np.array([elo[name] for name in rated.players])
        truth -= truth.mean()
        off = np.abs(rated.elo - truth)
        pairs = [rated.compare(*names) for names in combinations(rated.players, 2)]
        surely = [each for each in pairs if abs(each.difference) > each.error]
        wrong = [
            each for each in surely if each.difference * (elo[each.upper] - elo[each.lower]) <= 0
        ]
        held = float((off <= rated.errors).mean())
        found.append((held, float(rated.errors.mean()), float(off.mean()), len(surely), len(wrong)))
    return found


def errors(trials: int) -> None:
    """Print the table of ratings."""
    say(
        "format",
        "rounds",
        "strengths ±",
        "intervals that hold",
        "mean ±",
        "mean error",
        "separated",
        "wrongly",
    )
    for name, rounds in (("swiss", 5), ("swiss", 10), ("ladder", 10)):
        for spread in (0, 50, 100, 200):
            found = [rated_twice(name, rounds, spread, seed) for seed in range(trials)]
            held, half, off, surely, wrong = np.mean(found, axis=0).T
            cells = [f"{held[0]:.0%}, {held[1]:.0%}"]
            cells += [f"{each[0]:.0f}, {each[1]:.0f}" for each in (half, off)]
            cells += [f"{each[0]:.1f}, {each[1]:.1f}" for each in (surely, wrong)]
            say(f"`{name}`", str(rounds), str(spread), *cells)


def say(*cells: str) -> None:
    """A line of a table."""
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    {"formats": formats, "stop": stop, "errors": errors}[sys.argv[1]](
        int(sys.argv[2]) if sys.argv[2:] else 200
    )
