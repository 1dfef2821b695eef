"""The greedy player: the largest immediate gain, ties broken at random.

The gain is what a move adds to the player's own score: discs, boxes, merged tiles (the greedy
slider of the course notes). A player who places tiles leaves the slider the lowest best reward.
"""

from random import Random

import rules
from players.builtin import Builtin
from players.sdk import CHANCE, Answer, Start, Turn
from rules import tiles
from rules.position import Game, Position

SLIDER, PLACER = 0, 1
"""The seats of 2048 and 2584."""


def gains(position: Position, seat: int) -> dict[str, float]:
    """The gain in score of each legal move of `seat`; for a placer, the slider's loss."""
    if position.game.name in tiles.NAMES and seat == PLACER:
        return {move: -slider_gain(position.play(move)) for move in position.legal_moves()}
    before = position.scores()[seat]
    return {move: position.play(move).scores()[seat] - before for move in position.legal_moves()}


def slider_gain(position: Position) -> float:
    """The best reward the slider can take at once; the mean of it when chance draws the tile."""
    if position.to_move == CHANCE:
        return sum(share * slider_gain(position.play(move)) for move, share in position.chance())
    return max(gains(position, SLIDER).values(), default=0.0)


def greediest(game: Game, turn: Turn, random: Random) -> Answer:
    """One of the moves with the largest gain."""
    of_move = gains(game.position(turn.state), turn.seat)
    best = max(of_move[move] for move in turn.legal)
    move = random.choice([move for move in turn.legal if of_move[move] == best])
    return move, {"score": best, "depth": 1}


class Greedy(Builtin):
    """Greedy choice; the seed of the game breaks ties."""

    name = "greedy"
    summary = "takes the largest immediate gain: discs, boxes, merged tiles"
    uses_clock = False

    def __init__(self, start: Start) -> None:
        self.refuse_options(start)
        self._game: Game = rules.load(start.rules, **start.variant)
        self._random = Random(start.seed)

    def choose(self, turn: Turn) -> Answer:
        return greediest(self._game, turn, self._random)


if __name__ == "__main__":
    Greedy.run()
