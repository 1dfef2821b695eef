"""Ridge regression of many weights, of which each row uses a few."""

import numpy as np
from scipy.sparse import diags
from scipy.sparse.linalg import LinearOperator, cg

from players.compiled.types import Array


def ridge(
    entries: Array,
    numbers: Array,
    targets: Array,
    prior: Array,
    penalty: float,
    steps: int,
    counts: Array | float = 1.0,
) -> Array:
    """float64[:]: the weights w that make counts·|sums(w) − targets|² + penalty·|w − prior|² small,
    after `steps` of preconditioned conjugate gradients from `prior`; `counts` is of a row each.

    `entries` is int32[n, places] and `numbers` float32[n, k]; the last k weights are those of the
    numbers. Few steps are a smoothing of their own: rare entries move late.
    """
    size = len(prior)
    counts = np.broadcast_to(np.float64(counts), len(targets))
    rest = totals(entries, numbers, counts * (targets - sums(entries, numbers, prior)), size)
    uses = totals(entries, np.square(numbers, dtype=np.float64), counts, size)

    def curved(change: Array) -> Array:
        fitted = counts * sums(entries, numbers, change)
        return totals(entries, numbers, fitted, size) + penalty * change

    whole = LinearOperator((size, size), curved, dtype=np.float64)
    found: Array = prior + cg(whole, rest, rtol=0, maxiter=steps, M=diags(1 / (uses + penalty)))[0]
    return found


def sums(entries: Array, numbers: Array, weights: Array) -> Array:
    """float64[n]: each row's weights of its `entries`, and its `numbers` times the last weights."""
    found: Array = weights[entries].sum(axis=1) + numbers @ weights[-numbers.shape[1] :]
    return found


def totals(entries: Array, numbers: Array, values: Array, size: int) -> Array:
    """float64[size]: each weight's sum of the `values` of the rows that use it, as often as they
    do: the transpose of `sums`.
    """
    found: Array = np.bincount(entries.ravel(), np.repeat(values, entries.shape[1]), size)
    found[-numbers.shape[1] :] += values @ numbers
    return found
