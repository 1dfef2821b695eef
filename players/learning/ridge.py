"""Least squares for sums of table entries, with a penalty on weights that few positions show."""

from __future__ import annotations

from typing import Any

import numpy as np

from players.compiled.cache import kernel


@kernel
def sums(entries: Any, numbers: Any, weights: Any, out: Any) -> None:
    """Write to the float64 array `out` each row's sum of the weights of its `entries`, and of its
    `numbers` times the last weights.
    """
    rows, columns = entries.shape
    first = len(weights) - numbers.shape[1]
    for row in range(rows):
        total = 0.0
        for column in range(columns):
            total += weights[entries[row, column]]
        for column in range(numbers.shape[1]):
            total += numbers[row, column] * weights[first + column]
        out[row] = total


@kernel
def totals(entries: Any, numbers: Any, values: Any, out: Any) -> None:
    """Write to the float64 array `out` each weight's sum of the `values` of the rows that use it,
    as often as they do: the transpose of `sums`.
    """
    out[:] = 0.0
    rows, columns = entries.shape
    first = len(out) - numbers.shape[1]
    for row in range(rows):
        value = values[row]
        for column in range(columns):
            out[entries[row, column]] += value
        for column in range(numbers.shape[1]):
            out[first + column] += numbers[row, column] * value


def ridge(entries: Any, numbers: Any, targets: Any, prior: Any, penalty: float, steps: int) -> Any:
    """float64[:]: the weights w that make |sums(w) − targets|² + penalty·|w − prior|² small, after
    `steps` of preconditioned conjugate gradients from `prior`.

    `entries` is int32[n, places] and `numbers` float32[n, k]; the last k weights are those of the
    numbers. Few steps are a smoothing of their own: rare entries move late.
    """
    fitted, gradient = np.zeros(len(targets)), np.zeros(len(prior))
    sums(entries, numbers, prior, fitted)
    totals(entries, numbers, targets - fitted, gradient)
    uses = np.bincount(entries.ravel(), minlength=len(prior)).astype(np.float64)
    uses[len(prior) - numbers.shape[1] :] = np.square(numbers, dtype=np.float64).sum(axis=0)
    scale = 1.0 / (uses + penalty)

    change, rest = np.zeros(len(prior)), gradient.copy()
    scaled = scale * rest
    direction, size = scaled.copy(), rest @ scaled
    for _ in range(steps):
        sums(entries, numbers, direction, fitted)
        totals(entries, numbers, fitted, gradient)
        curved = gradient + penalty * direction
        length = size / (direction @ curved)
        change += length * direction
        rest -= length * curved
        scaled = scale * rest
        before, size = size, rest @ scaled
        direction = scaled + size / before * direction
    return prior + change
