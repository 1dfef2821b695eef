"""Linear equations with a symmetric, positive definite matrix, most often sparse."""

from typing import Any

import numpy as np

from arena.ratings.columns import Array

MOST_DENSE = 2000
"""Up to that many unknowns a dense matrix is quicker, and exact."""
_PRECISION = 1e-10
"""Of the residual, relative to the right side."""

Matrix = Any
"""A dense array, or a sparse one of scipy, by rows; scipy has no types for it."""


def whole(matrix: Matrix) -> Array:
    """The matrix as a dense array."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def solve(matrix: Matrix, right: Array, precision: float = _PRECISION) -> Array:
    """The x with matrix·x = right, for one right side or for each of its columns."""
    if matrix.shape[0] <= MOST_DENSE:
        return np.asarray(np.linalg.solve(whole(matrix), right))
    return _conjugate_gradients(matrix.tocsr(), right, precision)


def _conjugate_gradients(matrix: Matrix, right: Array, precision: float) -> Array:
    """Preconditioned by the diagonal (Hestenes & Stiefel 1952); all columns side by side, where
    scipy's takes one.
    """
    scale = (1 / matrix.diagonal()).reshape(-1, *[1] * (right.ndim - 1))
    solution, left = np.zeros_like(right), right.copy()
    direction = scaled = scale * left
    height = (left * scaled).sum(axis=0)
    small = precision**2 * np.maximum(height, np.finfo(float).tiny)
    for _ in range(10 * len(right)):
        if np.all(height <= small):
            return solution
        image = matrix @ direction
        size = height / np.maximum((direction * image).sum(axis=0), np.finfo(float).tiny)
        solution += size * direction
        left -= size * image
        scaled = scale * left
        before, height = height, (left * scaled).sum(axis=0)
        direction = scaled + height / np.maximum(before, np.finfo(float).tiny) * direction
    raise ArithmeticError(f"{len(right):,} equations could not be solved")
