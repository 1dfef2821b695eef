"""A small file of a large network: weights as int16, those that play does not meet left out.

`python -m players.learning.tiles.shrink IN OUT`. The network plays games first, as `expectimax`
does with depth 1, and a weight that they asked for less than `--least` times becomes 0. The others
are rounded to multiples of a scale for each table: of `--grain` points, or coarser where int16 does
not reach so far otherwise. Weights that were asked for less than `--often` times are rounded more
coarsely, to twice the scale for each quarter of it: they matter less, and there are many of them.
Then the small network plays as many games, and its header has the scores.
"""

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from players.expectimax import ExpectimaxOptions
from players.learning.arguments import count, out_file
from players.learning.tiles.trainer import play_greedily
from players.ntuple.network import SYMMETRIES, Network
from players.search.types import Array
from players.weights.network_file import (
    INT16_MOST,
    SMALL,
    load_network,
    save_network,
    tables_of,
)
from players.weights.network_header import Header
from rules.tiles import SPAWNS

_KEPT = " Of its weights "
DOWNGRADE = int(ExpectimaxOptions.model_fields["downgrade"].default)


def shrunk(
    header: Header, network: Network, visits: Array, least: int, grain: float, often: int = 1
) -> tuple[Header, Network]:
    """The network as int16 can represent it: weights with less than `least` of the `visits` are 0,
    the others multiples of their table's scale, which is `grain` or what int16 needs; of twice as
    much for each quarter of `often` that their visits fall short. What the network starts from is
    part of each weight, so that a board never met is worth nothing.
    """
    share = np.float32(network.initial / (SYMMETRIES * len(network.masks)))
    size, scales = int(network.offsets[-1]), []
    met = visits >= least
    met[size:] &= network.weights[size:] != 0  # the others inherit
    weights = np.where(met, network.weights + share, np.float32(0))
    for table in tables_of(header):
        part = weights[table]
        scale = max(float(np.abs(part).max()) / INT16_MOST, grain) or 1.0
        step = _steps(visits[table], often)
        multiples = np.rint(part / (np.float32(scale) * step)) * step
        if table.start >= size:  # a 0 in a later stage would mean the weight of the one before
            multiples = np.where(multiples == 0, np.sign(part), multiples)
        weights[table] = multiples * np.float32(scale)
        scales.append(scale)
    changed = {"numbers": "int16", "scales": tuple(scales), "initial": 0.0}
    small = header.model_copy(update=changed)
    return small, network._replace(weights=weights, initial=np.float64(0.0))


def _steps(visits: Array, often: int) -> Array:
    """How many multiples of a scale are as one, by visits: the error of a sum grows with how often
    a weight is in it, and with the square of what it is rounded to.
    """
    quarters = np.log2(often / np.maximum(visits, 1).astype(np.float32)) / 2
    return np.exp2(np.maximum(np.floor(quarters), 0))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m players.learning.tiles.shrink",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("source", metavar="IN", help="a network file, or a checkpoint")
    parser.add_argument("out", metavar="OUT", type=out_file(), help="the small file")
    parser.add_argument("--games", type=count, default=1000, help="games played (default 1000)")
    parser.add_argument(
        "--least", type=count, default=1, help="visits that keep a weight (default 1)"
    )
    parser.add_argument(
        "--grain", type=_points, default=0.0, help="points weights are rounded to (default: least)"
    )
    parser.add_argument(
        "--often", type=count, default=1, help="visits that keep it fine (default 1)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the games (default 1)")
    args = parser.parse_args(arguments)
    try:
        network, header, _ = load_network(args.source, None)
        if header.rules not in SPAWNS:
            known = " and ".join(SPAWNS)
            raise ValueError(
                f"{args.source}: is a network for {header.rules}; those for {known} are made small"
            )
        before, visits = play_greedily(header, network, args.games, args.seed, DOWNGRADE)
        header, network = shrunk(header, network, visits, args.least, args.grain, args.often)
        after, _ = play_greedily(header, network, args.games, args.seed + 1, DOWNGRADE)
        kept = int(np.count_nonzero(network.weights))
        about = (
            f"{header.about.partition(_KEPT)[0]}{_KEPT}{kept} are kept, as int16: those met "
            f"{args.least} times or more in {args.games} games. The scores are those of "
            f"{args.games} other games of `expectimax` with this file and depth 1."
        )
        scores = {"mean": after.mean, "best": float(after.best)}
        scores |= {str(tile): share for tile, share in after.reached.items()}
        header = header.model_copy(update={"about": about, "scores": scores})
        save_network(args.out, header, network, level=SMALL)
    except ValueError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a tool's answer
        sys.exit(2)
    except OSError as error:
        print(f"{args.out} cannot be written: {error.strerror}", file=sys.stderr)  # noqa: T201 - a tool's answer
        sys.exit(2)
    print(  # noqa: T201 - a tool's answer
        f"{args.out}: {args.out.stat().st_size:,} bytes, {kept:,} weights; mean of "
        f"{args.games} games {before.mean:,.0f} before, {after.mean:,.0f} after"
    )


def _points(text: str) -> float:
    with suppress(ValueError):
        if 0 <= float(text) < float("inf"):
            return float(text)
    raise argparse.ArgumentTypeError(f"must be 0 or more, got {text!r}")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a kernel sees no other
    main()
