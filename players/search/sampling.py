"""Games without a referee, for measurements: at random by the thousand, and by the search of 2048
and 2584.
"""

import numpy as np

from players.compiled.bits import ZERO, below, draw, lowest, nth_bit, popcount
from players.compiled.cache import kernel
from players.games import interface as game
from players.games.tiles.interface import SLIDES, Laws, slid, spawned
from players.search.expectimax.search import slide_worths
from players.search.expectimax.settings import TileSettings
from players.search.types import Array, Flag, Int, Position, Record, Rng, Tiles, Word


@kernel
def total_net(position: Position, playouts: int, state: Rng) -> Int:
    """The sum over random playouts of seat 0's margin; `state` seeds them."""
    total: Int = 0
    for _ in range(playouts):
        net, state = game.playout(position, state)
        total += net
    return total


@kernel
def batch_totals(position: Position, batches: int, state: Rng) -> tuple[Int, Int]:
    """(twice the wins and once the draws of seat 0, the sum of its margins) of the batches."""
    wins: Int = 0
    total: Int = 0
    for _ in range(batches):
        some, net, state = game.batch(position, state, False, None)
        wins += some
        total += net
    return wins, total


@kernel
def random_games(board: Tiles, laws: Laws, games: int, random: Array) -> tuple[Int, Word]:
    """(slides, the sum of the scores) of random games; `random`, uint64[1], is their state."""
    slides, total, state = 0, ZERO, random[0]
    for _ in range(games):
        position, state = spawned(board, laws, state)
        position, state = spawned(position, laws, state)
        while True:
            legal = ZERO
            for slide in range(SLIDES):
                legal |= np.uint64(slid(position, slide, laws)[1]) << np.uint64(slide)
            if legal == ZERO:
                break
            state, bits = draw(state)
            chosen = lowest(nth_bit(legal, below(bits, popcount(legal))))
            position, _, reward = slid(position, np.int64(chosen), laws)
            position, state = spawned(position, laws, state)
            total += reward
            slides += 1
    random[0] = state
    return slides, total


@kernel
def play_games(
    start: Tiles,
    depth: int,
    settings: TileSettings,
    stop: Flag,
    scratch: Record,
    random: Array,
    scores: Array,
) -> int:
    """Write the scores of games, looking `depth` slides ahead, to `scores`; their slides."""
    legal, worths = np.empty(SLIDES, np.int64), np.empty(SLIDES)
    slides = 0
    for index in range(len(scores)):
        score = np.uint64(0)
        board, random[0] = spawned(start, settings.laws, random[0])
        board, random[0] = spawned(board, settings.laws, random[0])
        while True:
            count = 0
            for slide in range(SLIDES):
                if slid(board, slide, settings.laws)[1]:
                    legal[count] = slide
                    count += 1
            if count == 0:
                break
            slide_worths(board, legal[:count], depth, settings, stop, scratch, worths)
            after, _changed, reward = slid(board, legal[np.argmax(worths[:count])], settings.laws)
            board, random[0] = spawned(after, settings.laws, random[0])
            score += reward
            slides += 1
        scores[index] = score
    return slides
