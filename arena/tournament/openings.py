"""How games begin: balanced random openings, or those of a file.

A random opening leaves the game unfinished, a player to move who has a real choice, and the sides
about even: played on at random, the first seat takes between 35% and 65% of the points. Playing
each opening twice with colours swapped takes care of the rest. In dots-and-boxes an opening never
leaves a box to be taken.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import count, islice
from random import Random

from arena.errors import first_few
from rules.position import CHANCE, Game, Position, draw_chance, random_move
from rules.transcript import read_transcript

_PLAYOUT_PLIES = 1500
"""Plies spent on the playouts of one candidate, about: a hundred openings take a few seconds."""
_TRIES = 24
"""Candidates looked at before the most even one is taken."""
_REPEATS = 24
"""Openings drawn in search of one that was not used yet."""
_TOLERANCE = 0.15
"""How far from ½ the first seat's share of the points may be."""

Line = tuple[str, ...]
"""The moves of one opening, passes included."""


class OpeningError(ValueError):
    """Openings that cannot be had; a sentence for each problem."""

    def __init__(self, *sentences: str) -> None:
        self.sentences = sentences
        super().__init__("; ".join(sentences))


def random_openings(
    game: Game, plies: int, seed: int, drawn: Sequence[Line] = ()
) -> Iterator[Line]:
    """Openings without end, the same for the same arguments on every machine.

    They differ from each other as far as the game allows: repeats come when no new one was drawn
    in a number of tries. `drawn` are the first of them, where they are known from before. Raises
    OpeningError when the game has none of this length.
    """
    used = set(drawn)
    yield from drawn
    for number in count(len(drawn) + 1):
        label = f"{seed}:opening:{number}"
        line = random_opening(game, plies, seed=label, avoid=used, spare=spare_seed(seed))
        used.add(line)
        yield line


def spare_seed(seed: int) -> str:
    """The seed of an opening that is drawn before the first game, to see whether there are some."""
    return f"{seed}:check"


def random_opening(
    game: Game, plies: int, *, seed: str, avoid: Collection[Line] = (), spare: str | None = None
) -> Line:
    """One balanced opening, if possible none of `avoid`; where all that `seed` draws are over by
    then, the one of the seed `spare`. Raises OpeningError: the game has none.
    """
    if plies == 0:
        return ()
    rng = Random(seed)
    lines = filter(None, (random_line(game, plies, rng) for _ in range(_REPEATS + _TRIES)))
    candidates = ((line, position) for line, position in lines if line not in avoid)
    best: tuple[float, Line] | None = None
    for line, position in islice(candidates, _TRIES):
        bias = abs(_share(position, rng) - 0.5)
        if best is None or bias < best[0]:
            best = bias, line
        if bias <= _TOLERANCE:
            break
    if best is not None:
        return best[1]
    if avoid:
        return random_opening(game, plies, seed=seed, spare=spare)
    if spare is not None:
        return random_opening(game, plies, seed=spare)
    raise OpeningError(
        f"no opening of {plies} plies leaves a game undecided; about {game.typical_plies} plies "
        f"are a whole game, give fewer"
    )


def random_line(game: Game, plies: int, rng: Random) -> tuple[Line, Position] | None:
    """Random moves from the start, with those of chance that follow; None when they lead to no
    usable position.
    """
    position, line = game.start(), list[str]()
    while len(line) < plies or position.to_move == CHANCE:
        by_chance = position.to_move == CHANCE
        moves = [draw_chance(position, rng)] if by_chance else list(position.legal_moves())
        rng.shuffle(moves)
        for move in moves:
            after = position.play(move)
            if not (game.quiet_openings and after.scoring_moves()):
                break
        else:
            return None
        position = after
        line.append(move)
    usable = position.to_move is not None and not position.must_pass
    return (tuple(line), position) if usable else None


def _share(position: Position, rng: Random) -> float:
    """The first seat's share of the points in random playouts."""
    playouts = min(30, max(4, _PLAYOUT_PLIES // position.game.typical_plies))
    points = 0.0
    for _ in range(playouts):
        end = position
        while not end.is_over:
            end = end.play(random_move(end, rng))
        first, second = end.scores()
        points += (first > second) + (first == second) / 2
    return points / playouts


def read_openings(text: str, game: Game) -> tuple[Line, ...]:
    """The openings of a file: one a line, as `f5d6c3` or with blanks or commas between the moves;
    `#` begins a comment. Forced passes may be left out. Raises OpeningError naming each bad line.
    """
    lines: list[Line] = []
    problems: list[str] = []
    for number, written in enumerate(text.splitlines(), 1):
        moves = written.partition("#")[0].strip()
        if not moves:
            continue
        try:
            lines.append(_opening(moves, game))
        except ValueError as error:
            problems.append(f"line {number}: {error}")
    if not lines and not problems:
        problems.append("has no opening; write one a line, such as f5d6c3")
    if problems:
        raise OpeningError(*first_few(problems))
    return tuple(lines)


def _opening(written: str, game: Game) -> Line:
    """A line's moves; ValueError when one is wrong or they end the game."""
    position = game.start()
    line = read_transcript(position, written)
    for move in line:
        position = position.play(move)
    if position.is_over:
        raise ValueError("the game is over after these moves; an opening leaves one to play")
    return line
