"""The page of the experiments: source said / we measured / verdict, from `claims.toml` and
`results.json`.
"""

import math
import re
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Literal, NamedTuple

from arena.files.whole_file import write_whole
from tournaments.experiments import results
from tournaments.experiments.results import Experiment, Scores

HERE = Path(__file__).parent
EQUAL_ELO = 30.0
EQUAL_PERCENT = 5.0
"""Players whose interval is within that are equal. At 2048 scores scatter by 40%: with a twentieth
more one wins as often as with 30 Elo more.
"""
_HEAD = """# What the sources claim, and what we measured

Written by `python -m tournaments.experiments page` from `claims.toml` and `results.json`.

    python -m tournaments.experiments play dots-default-1s --rounds 10
    python -m tournaments.experiments keep threads runs/threads.sqlite
    python -m tournaments.experiments page

`play` plays by CPU time in one process, so it needs no quiet machine, and with more `--rounds` it
continues where it stopped; its run is kept in `runs/experiments`, for `arena report`. `keep` takes
over a run of `arena run`. Both write the page too, and neither replaces results of more games.

The file of an experiment has its players, clock and seed; openings are random ones, the same for
all with the same seed, where it has no others. The results of all pairs are in `results.json`; the
games are not kept here. The code is that of the day that is named next to its version.

The sources are a course report on UCT at cornerless Othello (S1 to S10), a journal article on UCT
and alpha-beta at dots and boxes (S11 to S15), and course notes, a code reading and a school
research report on 2048 and 2584 (S16 to S24). To cite a method, its paper: UCB1 (Auer, Cesa-Bianchi
and Fischer 2002, Machine Learning 47), UCT (Kocsis and Szepesvári 2006, ECML), n-tuple networks at
2048 (Szubert and Jaśkowski 2014, CIG), stages of them (Yeh et al. 2017, IEEE Transactions on
Computational Intelligence and AI in Games 9).

Elo is the lead of the player named first over the second, with its 95% interval. At 2048 and 2584
the mean scores are compared instead: their difference with its interval, in percent of the second's
mean. The worth of a seat holds for the openings of the experiment. **Equal** is an interval within
± 30 Elo, or ± 5%. **Open** is a wider one that has 0 in it, and a claim that was not measured.
Many experiments were looked at while they ran, and continued until the players were separated:
their Elo is too far from 0 on average. If equal players are compared in this way, with a look every
200 games up to 1,000, about 15% end as separated, not 5%; and of this many claims, some at 95%
are wrong. Rows without an experiment are of other measurements, which they name. Elo kept before
2026-11-29 was rated with two extra draws a player, not [one](../README.md#read-the-table).

Below the claims are the experiments with all their players: Elo over the one at 0, or the mean
score, the time of a game and, where it was kept, the share of the games that reached a tile. Times
compare within an experiment alone: what a second of CPU is worth depends on what else is running.

| | system | the source said | we measured | verdict |
|---|---|---|---|---|
"""


class Claim(NamedTuple):
    """A row of the page."""

    id: str
    system: str
    said: str
    experiment: str = ""
    player: str = ""
    opponent: str = ""
    equal: bool = False
    second: bool = False
    time: Literal["", "less", "the same"] = ""
    """What it says of the first's time a game."""
    measured: str = ""
    """In words, where it was no experiment; or what is known instead."""
    verdict: str = "open: not measured"
    """That of such words, and of an experiment without results."""


def claims() -> list[Claim]:
    """Those of the file, in its order."""
    tables = tomllib.loads((HERE / "claims.toml").read_text())["claim"]
    return [Claim(**table) for table in tables]


def write() -> list[str]:
    """Write the page; the claims that are still open."""
    page, still_open = text(results.load())
    write_whole(HERE / "README.md", page)
    return still_open


def text(known: dict[str, Experiment]) -> tuple[str, list[str]]:
    """The page of these results, and the claims that are still open."""
    rows = [(claim, *judged(claim, known.get(claim.experiment))) for claim in claims()]
    lines = [
        f"| {claim.id} | {claim.system} | {claim.said} | {measured} | {verdict} |"
        for claim, measured, verdict in rows
    ]
    still_open = [
        f"{claim.id} {claim.system}: {claim.experiment or claim.said}"
        for claim, _, verdict in rows
        if verdict.startswith("open")
    ]
    return _HEAD + "\n".join([*lines, "", *_results(known)]) + "\n", still_open


def judged(claim: Claim, found: Experiment | None) -> tuple[str, str]:
    """The measurement, and its verdict on the claim."""
    if not claim.experiment:
        return claim.measured, claim.verdict
    measured = found and (_by_score(claim, found) or _by_elo(claim, found))
    where = f"[`{claim.experiment}`]({claim.experiment}.toml)"
    if measured is None:
        return where, claim.verdict
    figures, ahead, error, equal_within = measured
    time = _time_saved(claim, found) if found and claim.time else ""
    return f"{figures}; {where}", _verdict(ahead, error, equal_within, equal=claim.equal) + time


_Measured = tuple[str, float, float, float]
"""In words; how far the first is ahead, half of the 95% interval, within what both are equal."""


def _by_elo(claim: Claim, found: Experiment) -> _Measured | None:
    gap = found.second if claim.second else found.gap(claim.player, claim.opponent)
    if gap is None:
        return None
    sentence = f"`{gap.player}` over `{gap.opponent}` {gap.elo:+.0f} ± {gap.error:.0f}"
    return sentence, gap.elo, gap.error, EQUAL_ELO


def _by_score(claim: Claim, found: Experiment) -> _Measured | None:
    scores = {each.player: each for each in found.scores}
    first, second = scores.get(claim.player), scores.get(claim.opponent)
    if first is None or second is None or first.error is None or second.error is None:
        return None
    percent = 100 / second.mean
    ahead = percent * (first.mean - second.mean)
    error = percent * math.hypot(first.error, second.error)
    sentence = f"{_score(first)}, {_score(second)}: {ahead:+z,.0f}% ± {error:,.0f}%"
    return sentence, ahead, error, EQUAL_PERCENT


def _time_saved(claim: Claim, found: Experiment) -> str:
    seconds = {each.player: each.seconds for each in found.scores}
    share = 100 * seconds[claim.player] / seconds[claim.opponent]
    if claim.time == "less":
        return f"; in {share:.0f}% of the time" if share < 95 else "; but **no** time is saved"
    return "; **no** time is saved" if share > 95 else f"; but in {share:.0f}% of the time"


def _verdict(ahead: float, error: float, equal_within: float, *, equal: bool) -> str:
    """The verdict of an interval on a claim that the first is ahead, or that both are `equal`."""
    if abs(ahead) + error <= equal_within:
        return "**yes**, equal" if equal else "equal"
    if abs(ahead) <= error:
        return "open"
    if equal:
        return f"**no**, {'more' if ahead > 0 else 'less'}"
    return "**yes**" if ahead > 0 else "**no**, the other way round"


def _results(known: dict[str, Experiment]) -> Iterator[str]:
    yield "| experiment | question | games | clock | machine, version, day | Elo, or mean score |"
    yield "|---|---|---|---|---|---|"
    for name, each in known.items():
        clock = {"cpu": "CPU time", "referee": "the referee's"}[each.clock]
        cells = f"[`{name}`]({name}.toml) | {_question(name)} | {each.games:,} | {clock}"
        yield f"| {cells} | {each.machine}, {each.version}, {each.day} | {_standing(name, each)} |"


def _question(name: str) -> str:
    """The first sentence of the comment that an experiment's file begins with."""
    lines = (HERE / f"{name}.toml").read_text().splitlines()
    comment = takewhile(lambda line: line.startswith("#"), lines)
    head = " ".join(line.removeprefix("#").strip() for line in comment)
    return re.split(r"(?<=[.?]) (?=[A-Z])", head)[0]


def _standing(name: str, found: Experiment) -> str:
    """Every player, the best first; Elo is over the anchor of the file."""
    if found.scores:
        best_first = sorted(found.scores, key=lambda each: -each.mean)
        return "; ".join(_score(each) for each in best_first)
    anchor = tomllib.loads((HERE / f"{name}.toml").read_text())["rating"]["anchor"]
    players = {player for gap in found.gaps for player in (gap.player, gap.opponent)}
    gaps = [gap for player in players if (gap := found.gap(player, anchor))]
    shown = [(gap.elo, f"`{gap.player}` {round(gap.elo):+} ± {gap.error:.0f}") for gap in gaps]
    return "; ".join(words for _, words in sorted([*shown, (0.0, f"`{anchor}` 0")], reverse=True))


def _score(scores: Scores) -> str:
    error = "" if scores.error is None else f" ± {scores.error:,.0f}"
    reach = "".join(f", {tile} in {100 * share:.0f}%" for tile, share in scores.reach.items())
    return f"`{scores.player}` {scores.mean:,.0f}{error} in {scores.seconds:.2f} s a game{reach}"
