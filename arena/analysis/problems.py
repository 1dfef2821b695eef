"""`arena analyse othello @FILE.obf`: each position of a collection, next to what it states."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console

import rules
from arena.analysis.analyse import analyse
from arena.records.form import Damaged
from arena.records.obf import ObfPosition, read_positions
from rules.position import Game


@dataclass(frozen=True)
class SolvedProblem:
    """A position of a collection, as we see it."""

    number: int
    """In the collection, from 1."""
    empty: int
    move: str
    """The best that was found."""
    score: float
    """The margin in discs that it leads to."""
    exact: bool
    stated: dict[str, float]
    """The values of moves that the collection states."""

    @property
    def best(self) -> list[str]:
        """The best moves by what is stated."""
        most = max(self.stated.values(), default=0.0)
        return [move for move, value in self.stated.items() if value == most]

    def shown(self) -> str:
        score = f"{self.score:+.0f} exact" if self.exact else f"{self.score:+.2f}"
        line = f"{self.number:>4}  {self.empty:>2} empty  {self.move} {score}"
        if not self.stated:
            return line
        best = f"{' '.join(self.best)} {self.stated[self.best[0]]:+g}"
        return f"{line:36}{'as stated' if self.move in self.best else 'stated'}: {best}"


@dataclass(frozen=True)
class SolvedProblems:
    positions: Sequence[SolvedProblem]
    damaged: Sequence[Damaged]


def listed(game: Game, text: str) -> list[ObfPosition | Damaged]:
    """The positions of a text of OBF in lines, and what is damaged of it; empty for other texts."""
    if game != rules.load("othello") or len(text.strip().splitlines()) < 2:
        return []
    positions = list(read_positions(text))
    return positions if any(isinstance(each, ObfPosition) for each in positions) else []


def solve(
    positions: Iterable[ObfPosition | Damaged], seconds: float, console: Console
) -> SolvedProblems:
    """Each position as seen in about `seconds`, or why it cannot be; a line is printed for each."""
    solved, damaged = list[SolvedProblem](), list[Damaged]()
    for number, each in enumerate(positions, 1):
        if isinstance(each, ObfPosition) and (each.position.must_pass or each.position.is_over):
            each = Damaged(number, "its side to move has no legal move")
        if isinstance(each, Damaged):
            damaged.append(each)
            line = f"position {each.number}: {each.why}"
        else:
            best = analyse(each.position, seconds).moves[0]
            empty = "".join(each.position.state()["board"]).count(".")
            one = SolvedProblem(number, empty, best.move, best.score, best.exact, each.values)
            solved.append(one)
            line = one.shown()
        console.print(line, soft_wrap=True, highlight=False)
    return SolvedProblems(solved, damaged)


def sum_up(problems: SolvedProblems, console: Console) -> None:
    """How many moves are the stated ones, of the positions that were solved."""
    stated = [each for each in problems.positions if each.stated]
    solved = [each for each in stated if each.exact]
    if solved:
        right = sum(each.move in each.best for each in solved)
        console.print(f"{right} of {len(solved)} moves are those that are stated to be best")
    if len(solved) < len(stated):
        left = len(stated) - len(solved)
        console.print(f"Not solved in time: {left} of {len(stated)}; --seconds gives them more")
