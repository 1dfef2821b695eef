"""Units of ratings and their errors, for those who rate nothing, too: this imports no numpy."""

import math
from bisect import bisect
from functools import cache
from itertools import accumulate
from statistics import NormalDist

SCALE = 400 / math.log(10)
"""Elo in one unit of the logistic function: 173.72."""
Z95 = NormalDist().inv_cdf(0.975)
"""Standard errors on each side of a 95% interval: 1.96."""
ERROR_RATE = 0.05
_CELLS = 10_000
"""Into that many the angles are divided."""


@cache
def student_t95(freedom: int) -> float:
    """The 97.5% quantile of Student's t with `freedom` (≥ 1) degrees of freedom, to six digits.

    The angle whose tangent is t / √freedom has a density proportional to the power freedom - 1 of
    its cosine, of which 95% below a right angle are below the one sought. For many degrees next to
    nothing is far from 0. scipy's own takes longer to import than most tables take.
    """
    step = math.pi / 2 * min(1, 10 / math.sqrt(freedom)) / _CELLS
    cells = [math.cos((cell + 0.5) * step) ** (freedom - 1) for cell in range(_CELLS)]
    below = list(accumulate(cells))
    wanted = (1 - ERROR_RATE) * below[-1]
    last = bisect(below, wanted)
    angle = step * (last + 1 - (below[last] - wanted) / cells[last])
    return math.sqrt(freedom) * math.tan(angle)
