"""The page of the experiments: source said / we measured / verdict, from `claims.toml` and
`results.json`.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arena.files.whole_file import write_whole
from tournaments.experiments import results
from tournaments.experiments.results import Experiment, Gap

HERE = Path(__file__).parent
EQUAL_ELO = 30.0
"""Players whose interval is within that are equal."""
_HEAD = """# What the sources claim, and what we measured

Written by `python -m tournaments.experiments page` from `claims.toml` and `results.json`.

    python -m tournaments.experiments play dots-default-1s --rounds 10
    python -m tournaments.experiments keep threads runs/threads.sqlite
    python -m tournaments.experiments page

`play` plays by CPU time in one process, so it needs no quiet machine, and with more `--rounds` it
goes on where it stopped. `keep` takes over a run of `arena run`. Both write the page too.

Elo is that of the first named over the second, with its 95 % interval. **Equal** is an interval
within ± 30. **Open** is a wider one that has 0 in it.

| | system | the source said | we measured | verdict |
|---|---|---|---|---|
"""


class Claim(NamedTuple):
    """A row of the page."""

    id: str
    system: str
    said: str
    experiment: str
    player: str = ""
    opponent: str = ""
    equal: bool = False
    second: bool = False


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
    rows = [(claim, *_judged(claim, known.get(claim.experiment))) for claim in claims()]
    lines = [
        f"| {claim.id} | {claim.system} | {claim.said} | {measured} | {verdict} |"
        for claim, measured, verdict in rows
    ]
    still_open = [
        f"{claim.id} {claim.system} ({claim.experiment})"
        for claim, _, verdict in rows
        if verdict in ("open", "not measured")
    ]
    return _HEAD + "\n".join([*lines, "", *_conditions(known)]) + "\n", still_open


def _judged(claim: Claim, found: Experiment | None) -> tuple[str, str]:
    """What was measured, and what that says of the claim."""
    gap = found and (found.second if claim.second else found.gap(claim.player, claim.opponent))
    if found is None or gap is None:
        return f"[`{claim.experiment}`]({claim.experiment}.toml)", "not measured"
    said = f"`{gap.player}` over `{gap.opponent}` {gap.elo:+.0f} ± {gap.error:.0f}"
    scores = [
        f"`{each.player}` {each.mean:,.0f} in {each.seconds:.2f} s a game"
        for each in found.scores
        if each.player in (gap.player, gap.opponent)
    ]
    where = f"[`{claim.experiment}`]({claim.experiment}.toml)"
    return "; ".join([said, *scores, where]), verdict(gap, equal=claim.equal)


def verdict(gap: Gap, *, equal: bool) -> str:
    """What a gap says of a claim that the first is ahead, or that both are `equal`."""
    if abs(gap.elo) + gap.error <= EQUAL_ELO:
        return "**yes**, equal" if equal else "equal"
    if abs(gap.elo) <= gap.error:
        return "open"
    if equal:
        return f"**no**, {'more' if gap.elo > 0 else 'less'}"
    return "**yes**" if gap.elo > 0 else "**no**, the other way round"


def _conditions(known: dict[str, Experiment]) -> Iterator[str]:
    yield "| experiment | games | clock | machine | version |"
    yield "|---|---|---|---|---|"
    for name, each in known.items():
        clock = {"cpu": "CPU time", "referee": "the referee's"}[each.clock]
        where = f"{each.machine} | {each.version}"
        yield f"| [`{name}`]({name}.toml) | {each.games:,} | {clock} | {where} |"
