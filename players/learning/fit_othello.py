"""Fit the patterns of an Othello preset to searches of positions from self-play:

    python -m players.learning.fit_othello standard patterns.npz

Games of shallow searches, with random moves between them, give the positions. Phase by phase, from
the end of the game on, positions are labelled by searches that end in the phases fitted before, and
the phase is fitted to them. The file can be named as a player's evaluation.
"""

import argparse
import json
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import NamedTuple

import numpy as np

import rules
from players.compiled.bits import HALF, below, draw
from players.compiled.cache import kernel, part
from players.games import interface as game
from players.games.endgame import load_endgame, solve
from players.games.interface import MOVES, count_moves
from players.games.othello.board import OthelloBits
from players.games.othello.evaluation import (
    PHASES,
    SCALARS,
    both_moves,
    from_patterns,
    left,
    phase_of,
    scalars,
)
from players.games.othello.patterns import ENTRIES, PLACES, canonical_entries, write_entries
from players.games.registry import load_board
from players.learning.arguments import count, evaluation, out_file, result_file
from players.learning.ridge import ridge, sums
from players.ntuple.board import diagonal
from players.search.alphabeta.cuts import new_margins, uncertain
from players.search.alphabeta.ordering import new_scratch, settle
from players.search.alphabeta.search import INFINITY, Context, search
from players.search.alphabeta.table import GENERATIONS, new_table
from players.search.stop import NEVER
from players.search.types import Array, Int, Record, Rng, Word
from players.weights.evaluations import load_spread

GAME_DEPTH = 2
"""How many moves games look ahead."""
FIRST_RANDOM, MOST_RANDOM = 2, 18
"""A game starts with at least, and at most, that many random moves …"""
LATER = (0.02, 0.05, 0.12, 0.25)
"""… and makes others with one of these chances, drawn for the game."""
KEPT, ASIDE = 0.66, 0.25
"""The share of a game's positions that are kept, and of these the share in whose place one is kept
that a random move leads to: searches meet such, too."""

EXACT = 14
"""Positions are solved from that many empty squares on."""
LEAVES_FROM = 8
"""Searches end in solved positions with that many empty squares."""
PROBCUT = 1.0
"""The option `probcut` of the searches."""
WINDOW = 300
"""Half the window, in hundredths, around the value of a search one move less deep."""

PENALTIES, STEPS = 6 * (10.0,) + 6 * (30.0,), 30
"""The penalties of the ridge regression, phase by phase, chosen by the error on positions held out,
and its steps."""

NEAR = 2000.0
"""A position worth that much, in hundredths, counts half: what is nearer decides games."""

BLOCK, HELD_OUT = 500, 20
"""The positions of a block, each of many whole games; one in `HELD_OUT` blocks is held out."""

GRAIN = 3
"""Entries of patterns are rounded to that many hundredths, which makes for a small file."""

GAMES_SHARE, SHARE = 1_000_000, 2000
"""Positions that a thread collects from games, and labels, at a time."""

Labels = Callable[[Array, Array], Array]
"""The values of rows of the samples, in hundredths, by searches with an evaluation's terms."""


@part
def chance(state: Rng) -> tuple[Rng, float]:
    """(the next state, a number drawn from [0, 1))."""
    state, bits = draw(state)
    return state, np.float64(bits >> HALF) / 2.0**32


@part
def drawn(state: Rng, bound: Int) -> tuple[Rng, Int]:
    """(the next state, a number from 0 to `bound` − 1)."""
    state, bits = draw(state)
    return state, np.int64(below(bits, np.uint64(bound)))


@part
def valued(
    position: OthelloBits, depth: Int, low: Int, high: Int, context: Context, scratch: Record
) -> Int:
    """The value of a position by a search of its own. Literals would make it another kernel, which
    calls the one that the cache may have, and does not find it.
    """
    depth, low, high = np.int64(depth), np.int64(low), np.int64(high)
    return np.int64(search(position, depth, low, high, context, scratch))


@kernel
def play_games(
    start: OthelloBits, state: Rng, context: Context, scratch: Record, words: Array
) -> None:
    """Fill `words`, uint64[n, 2], with the discs of the mover and the other in game after game."""
    moves, rows = np.empty(MOVES, np.int16), 0
    while True:
        position, ply = start, 0
        state, more = drawn(state, MOST_RANDOM - FIRST_RANDOM + 1)
        state, share = drawn(state, len(LATER))
        while True:
            count = np.int64(game.moves(position, moves))
            if count == 0:
                break
            state, index = drawn(state, count)
            move = np.int64(moves[index])
            state, luck = chance(state)
            if luck < KEPT and count > 1:
                state, luck = chance(state)
                kept = game.play(position, move) if luck < ASIDE else position
                if count_moves(kept) > 0:
                    words[rows, 0], words[rows, 1] = kept.own, kept.other
                    rows += 1
                    if rows == len(words):
                        return
            state, luck = chance(state)
            if ply >= FIRST_RANDOM + more and count > 1 and luck >= LATER[share]:
                valued(settle(position), GAME_DEPTH, -INFINITY, INFINITY, context, scratch)
                move = np.int64(scratch.line[0, 0])
            position = game.play(position, move)
            ply += 1


@kernel
def label(
    words: Array,
    model: OthelloBits,
    depth: int,
    context: Context,
    scratch: Record,
    margins: Array,
) -> None:
    """Write what positions of `words` are worth, in hundredths, by searches `depth` deep."""
    _, _, seat, playable, free = model
    for row in range(len(words)):
        position = OthelloBits(words[row, 0], words[row, 1], seat, playable, free)
        if np.int64(game.remaining(position)) <= EXACT:
            margins[row] = 100 * solve(position, -MOVES, MOVES, context.memory, context.stop)
            continue
        scratch.generation = (scratch.generation + 1) % GENERATIONS
        value = valued(position, 1, -INFINITY, INFINITY, context, scratch)
        for deeper in range(2, depth + 1):
            low, high = value - WINDOW, value + WINDOW
            value = valued(position, deeper, low, high, context, scratch)
            if not low < value < high:
                value = valued(position, deeper, -INFINITY, INFINITY, context, scratch)
        margins[row] = uncertain(value)


class Samples(NamedTuple):
    """Positions as the fit sees them."""

    entries: Array
    """int32[n, PLACES]: the pattern entries, mirror images as one."""
    numbers: Array
    """float32[n, SCALARS]"""
    phase: Array
    """int64[n]"""
    margin: Array
    """float64[n]: what the position is worth to the mover, in hundredths of a disc."""


@kernel
def describe(own: Array, other: Array, playable: Word, free: Word, samples: Samples) -> None:
    """Fill the columns of `samples`, but for the margins, from words."""
    flat = samples.entries.reshape(-1)
    for row in range(len(own)):
        words = own[row], diagonal(own[row]), other[row], diagonal(other[row])
        both = both_moves(own[row], other[row], playable, free)
        write_entries(*words, *both, flat, row * PLACES)
        first, second, third, fourth = scalars(own[row], other[row], *both, playable)
        samples.numbers[row, 0], samples.numbers[row, 1] = first, second
        samples.numbers[row, 2], samples.numbers[row, 3] = third, fourth
        samples.numbers[row, 4] = 1
        samples.numbers[row, 5] = left(own[row], other[row], playable) & 1
        samples.phase[row] = phase_of(own[row], other[row], playable)


def samples_of(words: Array, model: OthelloBits) -> Samples:
    """Samples of `words`, uint64[n, 2], not labelled yet; `model` is any position of the board."""
    count = len(words)
    samples = Samples(
        np.zeros((count, PLACES), np.int32),
        np.zeros((count, SCALARS), np.float32),
        np.zeros(count, np.int64),
        np.zeros(count),
    )
    describe(words[:, 0], words[:, 1], model.playable, model.free, samples)
    canonical = canonical_entries()
    return samples._replace(entries=canonical[samples.entries])


def is_held_out(count: int) -> Array:
    """bool[count]: which of that many positions are not fitted to."""
    held_out: Array = np.arange(count) // BLOCK % HELD_OUT == 0
    return held_out


def fit(samples: Samples, labels: Labels) -> tuple[Array, Array]:
    """(scalars, patterns) as in an evaluation's file: each phase from its positions, labelled when
    it comes, drawn towards what was found for the phase after it.
    """
    weights, phases = np.zeros(ENTRIES + SCALARS), np.zeros((PHASES, ENTRIES + SCALARS))
    fitted = ~is_held_out(len(samples.phase))
    for phase in range(PHASES):
        rows = np.flatnonzero(samples.phase == phase)
        if len(rows):
            samples.margin[rows] = labels(rows, from_patterns(*rounded(phases)))
        chosen = fitted & (samples.phase == phase)
        if chosen.any():
            shown = Samples(*(column[chosen] for column in samples))
            penalty, counts = PENALTIES[phase], near(shown)
            weights = ridge(
                shown.entries, shown.numbers, shown.margin, weights, penalty, STEPS, counts
            )
        phases[phase:] = weights
    return rounded(phases)


def near(samples: Samples) -> Array:
    """float64[n]: what positions count."""
    counts: Array = 1 / (1 + (samples.margin / NEAR) ** 2)
    return counts


def rounded(phases: Array) -> tuple[Array, Array]:
    """(scalars, patterns) of weights by phase."""
    patterns = np.round(phases[:, :ENTRIES] / GRAIN) * GRAIN
    patterns[:, canonical_entries() != np.arange(ENTRIES)] = 0
    return phases[:, ENTRIES:].round().astype(np.int16), patterns.astype(np.int16)


def errors(samples: Samples, table: tuple[Array, Array]) -> list[str]:
    """The error of the fit on other samples, phase by phase."""
    lines = []
    held_out = is_held_out(len(samples.phase))
    for phase in range(PHASES):
        rows = Samples(*(column[held_out & (samples.phase == phase)] for column in samples))
        if len(rows.margin) > 1:
            weights = np.concatenate([table[1][phase], table[0][phase]]).astype(np.float64)
            found = sums(rows.entries, rows.numbers, weights)
            error = np.abs(found - rows.margin).mean() / 100
            correlation = np.corrcoef(found, rows.margin)[0, 1]
            lines.append(f"phase {phase}: {error:.2f} discs, correlation {correlation:.3f}")
    return lines


def tools(rule_set: rules.Game, terms: Array, probcut: float) -> tuple[Context, Record]:
    """The context and the memory of searches of positions."""
    board = load_board(rule_set.name, rule_set.variant)
    endgame = load_endgame(rule_set.name, board, 16)
    endgame.guide(terms)
    scratch = new_scratch()
    scratch["margins"] = new_margins(load_spread(rule_set.name, rule_set.variant), probcut)
    scratch["exact_from"] = LEAVES_FROM
    return Context(terms, new_table(1), endgame.memory, NEVER), scratch


def searched(
    rule_set: rules.Game, words: Array, model: OthelloBits, depth: int, pool: ThreadPoolExecutor
) -> Labels:
    """Labels by searches `depth` deep of positions of `words`, uint64[n, 2], exact near the end."""

    def labels(rows: Array, terms: Array) -> Array:
        def share(chosen: Array) -> Array:
            margins = np.zeros(len(chosen))
            label(words[chosen], model, depth, *tools(rule_set, terms, PROBCUT), margins)
            return margins

        shares = np.array_split(rows, range(SHARE, len(rows), SHARE))
        return np.concatenate(list(pool.map(share, shares)))

    return labels


def played(
    rule_set: rules.Game,
    model: OthelloBits,
    count: int,
    terms: Array,
    seed: int,
    pool: ThreadPoolExecutor,
) -> Array:
    """uint64[count, 2]: positions of games."""

    def share(first: int) -> Array:
        words = np.zeros((min(GAMES_SHARE, count - first), 2), np.uint64)
        state = np.uint64(Random(f"{seed} {first // GAMES_SHARE}").getrandbits(64))
        play_games(model, state, *tools(rule_set, terms, 0), words)
        return words

    return np.concatenate(list(pool.map(share, range(0, count, GAMES_SHARE))))


def spread_out(words: Array, model: OthelloBits, most: int) -> Array:
    """The first `most` positions of each phase among `words`, each position once."""
    _, first = np.unique(words, axis=0, return_index=True)
    words = words[np.sort(first)]
    phase = samples_of(words, model).phase
    rows = [np.flatnonzero(phase == each)[:most] for each in range(PHASES)]
    return words[np.sort(np.concatenate(rows))]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("preset", choices=("standard", "cornerless"))
    parser.add_argument("out", type=out_file(".npz"))
    parser.add_argument("--positions", type=count, default=8_000_000, help="of games")
    parser.add_argument("--most", type=count, default=500_000, help="of them labelled, a phase")
    parser.add_argument("--depth", type=count, default=8, help="of the searches that label them")
    parser.add_argument("--start", default="default", help="the evaluation of the games")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=count, default=os.cpu_count())
    options = parser.parse_args()
    rule_set = rules.load("othello", preset=options.preset)
    model = load_board("othello", rule_set.variant).position(rule_set.start().state())
    terms = evaluation(parser, rule_set, options.start)
    with ThreadPoolExecutor(options.threads) as pool:
        words = played(rule_set, model, options.positions, terms, options.seed, pool)
        words = spread_out(words, model, options.most)
        if len(words) <= BLOCK:
            parser.error(
                f"{len(words)} positions that differ are too few: the first {BLOCK} are held out; "
                "raise --positions, and --most"
            )
        samples = samples_of(words, model)
        table = fit(samples, searched(rule_set, words, model, options.depth, pool))
    print(*errors(samples, table), sep="\n", flush=True)  # noqa: T201 - a tool's answer
    about = {
        "about": f"Patterns of {options.preset} Othello on 8×8, in hundredths of a disc, by phase.",
        "source": f"players.learning.fit_othello: {vars(options)}",
    }
    with result_file(options.out, "wb") as file:
        np.savez_compressed(
            file, about=np.array(json.dumps(about)), scalars=table[0], patterns=table[1]
        )


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a kernel sees no other
    main()
