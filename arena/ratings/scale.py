"""Units of ratings and their errors, for those who rate nothing, too: this imports no numpy."""

import math
from statistics import NormalDist

SCALE = 400 / math.log(10)
"""Elo in one unit of the logistic function: 173.72."""
Z95 = NormalDist().inv_cdf(0.975)
"""Standard errors on each side of a 95% interval: 1.96."""
ERROR_RATE = 0.05


def student_t95(freedom: float) -> float:
    """The 97.5% quantile of Student's t with `freedom` (≥ 1) degrees of freedom."""
    from scipy.special import stdtrit  # takes longer than most tables

    return float(stdtrit(freedom, 0.975))
