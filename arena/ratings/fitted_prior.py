"""Ratings with a prior that is fitted: for results that chose the opponents, as those of a Swiss
tournament or a ladder do.

Winners meet winners there. So luck makes the opponents look strong too, and the ratings of greatest
likelihood lie too far apart, with errors too small. How the games were chosen is no part of what
the results say of the strengths (the likelihood principle), but of how often an estimate without a
prior errs. So the strengths are taken as normal around the mean of the field. How far they spread
is unknown, each spread up to the largest as likely as another; for some of them the posterior is
found by Laplace's approximation, and the sum, weighted by what each makes of the results, has the
ratings and their covariance (a hierarchical model; Efron & Morris 1975).

Results that depend on each other count for less: for 1/d, where the squares of the clusters' scores
are d times those of their results alone (the design effect, Kish 1965).
"""

import numpy as np

from arena.ratings.columns import Array, Columns
from arena.ratings.likelihood import Likelihood
from arena.ratings.sandwich import Whole

SPREADS = np.geomspace(0.05, 10, 20)
"""Of strengths, in units of the logistic function: 9 to 1,737 Elo."""


def posterior(results: Columns, first_mover: bool) -> tuple[Array, Whole]:
    """The parameters of a `Likelihood` in the mean, and their covariance."""
    weight = 1 / max(1.0, _design_effect(Likelihood(results, first_mover)))
    means, covariances, evidence = list[Array](), list[Array](), list[float]()
    for spread in SPREADS:
        pool = Likelihood(results, first_mover, weight=weight, spread=spread)
        strengths = pool.maximum()
        information = pool.information(pool.expected(strengths)).toarray()
        volume = pool.size * np.log(spread) + np.linalg.slogdet(information)[1] / 2
        # the smaller the spreads, the closer together they are
        evidence.append(pool.log_likelihood(strengths) - volume + np.log(spread))
        means.append(strengths)
        covariances.append(np.linalg.inv(information))
    shares = np.exp(np.array(evidence) - max(evidence))
    shares /= shares.sum()
    mean = shares @ np.array(means)
    off = np.array(means) - mean
    return mean, Whole(np.tensordot(shares, covariances, 1) + (off.T * shares) @ off)


def _design_effect(pool: Likelihood) -> float:
    """By what factor results of one cluster that go together enlarge the squares of the scores."""
    missed, of_players = pool.missed(pool.expected(pool.maximum())), slice(pool.size)
    alone = (pool.design[pool.pairing] * missed[:, None])[:, of_players]
    together = pool.cluster_rows(missed)[:, of_players]
    return float(together.power(2).sum() / alone.power(2).sum())
