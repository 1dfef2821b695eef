"""`arena analyse othello @FILE.obf`: each position of a collection, next to what it states."""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.console import Console

import rules
from arena.analysis.analyse import analyse
from arena.records.form import Damaged
from arena.records.obf import ObfPosition, read_positions
from rules.position import Game


class SolvedProblem(NamedTuple):
    """A position of a collection, as we see it."""

    number: int
    """In the collection, from 1."""
    empty: int
    """Empty squares."""
    move: str
    """The best that was found."""
    score: float
    """The margin in discs that it leads to."""
    exact: bool
    stated: dict[str, float]
    """What the collection says that moves are worth."""

    @property
    def best(self) -> list[str]:
        """The best moves by what is stated."""
        most = max(self.stated.values(), default=0.0)
        return [move for move, value in self.stated.items() if value == most]

    def shown(self) -> str:
        """A line."""
        score = f"{self.score:+.0f} exact" if self.exact else f"{self.score:+.2f}"
        line = f"{self.number:>4}  {self.empty:>2} empty  {self.move} {score}"
        if not self.stated:
            return line
        best = f"{' '.join(self.best)} {self.stated[self.best[0]]:+g}"
        return f"{line:36}{'as stated' if self.move in self.best else 'stated'}: {best}"


def listed(game: Game, text: str) -> list[ObfPosition | Damaged]:
    """The positions of a text of OBF in lines, and what is damaged of it; empty for other texts."""
    if game != rules.load("othello") or len(text.strip().splitlines()) < 2:
        return []
    found = list(read_positions(text))
    return found if any(isinstance(each, ObfPosition) for each in found) else []


def solve(
    found: Iterable[ObfPosition | Damaged], seconds: float
) -> Iterator[SolvedProblem | Damaged]:
    """Each position as we see it in about `seconds`, or why there is nothing to see."""
    for number, each in enumerate(found, 1):
        if isinstance(each, Damaged):
            yield each
        elif each.position.must_pass or each.position.is_over:
            yield Damaged(number, "its side to move has no legal move")
        else:
            best = analyse(each.position, seconds).moves[0]
            empty = "".join(each.position.state()["board"]).count(".")
            yield SolvedProblem(number, empty, best.move, best.score, best.exact, each.values)


def show(solved: Iterable[SolvedProblem | Damaged], console: Console) -> bool:
    """A line for each as it is known, and a sum. Whether none was damaged."""
    kept = []
    for each in solved:
        kept.append(each)
        said = (
            each.shown()
            if isinstance(each, SolvedProblem)
            else f"position {each.number}: {each.why}"
        )
        console.print(said, soft_wrap=True, highlight=False, markup=False)
    stated = [each for each in kept if isinstance(each, SolvedProblem) and each.stated]
    if stated:
        right = sum(each.move in each.best for each in stated)
        console.print(f"{right} of {len(stated)} moves are those that are stated to be best")
    return _whole(kept)


def dumps(solved: Iterable[SolvedProblem | Damaged]) -> tuple[str, bool]:
    """All as one JSON object, and whether none was damaged."""
    kept = list(solved)
    document = {
        "positions": [each._asdict() for each in kept if isinstance(each, SolvedProblem)],
        "damaged": [each._asdict() for each in kept if isinstance(each, Damaged)],
    }
    return json.dumps(document, indent=2) + "\n", _whole(kept)


def _whole(kept: Iterable[SolvedProblem | Damaged]) -> bool:
    return not any(isinstance(each, Damaged) for each in kept)
