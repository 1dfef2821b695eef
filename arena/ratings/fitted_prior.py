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
are d times those of their results alone (the design effect, Kish 1965). They count for more where
they cancel, as where the same colour wins both games of most pairs: d is below 1 there. And draws
have less luck in them than games won and lost: all results count for more where there are many.
Otherwise the luck is taken for larger than it is, and the spread of strengths for smaller.
"""

import math
from statistics import NormalDist

import numpy as np

from arena.ratings.columns import Array, Columns
from arena.ratings.likelihood import Likelihood, Maximum
from arena.ratings.sandwich import Whole
from arena.ratings.solving import whole

SPREADS = np.geomspace(0.05, 10, 20)
"""Of strengths, in units of the logistic function: 9 to 1,737 Elo."""
_SURELY = NormalDist().inv_cdf(0.95)
"""Standard errors from an estimate to what it is at most, at 95%. That of the design effect is
about 1/√n for n pairs: the square of a pair's score, of two independent games, is 0 or 2 times
theirs.
"""
_LEAST_SHARE = 1e-6
"""Of the belief: spreads with less are left out."""


def posterior(
    results: Columns, first_mover: bool, plain: Maximum
) -> tuple[Array, Whole, tuple[Maximum, ...]]:
    """The parameters of a `Likelihood` in the mean, their covariance, and the maxima at the spreads
    that it is made of. `plain` is the maximum without this prior.
    """
    weight = 1 / (_design_effect(plain) * _spread_of_draws(plain))
    pools, modes, evidence = list[Likelihood](), list[Array](), list[float]()
    strengths = None
    for spread in SPREADS:
        pool = Likelihood(results, first_mover, weight=weight, spread=spread)
        strengths = pool.maximum(strengths)
        information = whole(pool.information(pool.expected(strengths)))
        volume = pool.size * np.log(spread) + np.linalg.slogdet(information)[1] / 2
        # the smaller the spreads, the closer together they are
        evidence.append(pool.log_likelihood(strengths) - volume + np.log(spread))
        pools.append(pool)
        modes.append(strengths)
    shares = np.exp(np.array(evidence) - max(evidence))
    shares[shares < _LEAST_SHARE] = 0
    shares /= shares.sum()
    found = [Maximum(*each) for each in zip(pools, modes, shares.tolist(), strict=True) if each[-1]]
    mean = shares @ np.array(modes)
    covariance = np.zeros((len(mean), len(mean)))
    for pool, mode, share in found:  # one at a time, as they are large
        inverse = np.linalg.inv(whole(pool.information(pool.expected(mode))))
        covariance += share * (inverse + np.outer(mode - mean, mode - mean))
    return mean, Whole(covariance), tuple(found)


def _design_effect(plain: Maximum) -> float:
    """By what factor results of one cluster that go together enlarge the squares of the scores, or
    those that cancel lessen them: by no more than is sure at 95%, as they cancel by chance, too,
    and as the ratings were fitted to them.
    """
    pool, of_players = plain.likelihood, slice(plain.likelihood.size)
    missed = pool.missed(pool.expected(plain.parameters))
    alone = ((pool.design[pool.pairing] * missed[:, None])[:, of_players] ** 2).sum()
    of_clusters = pool.cluster_rows(missed)[:, of_players]
    effect = float((of_clusters**2).sum() / alone) if alone else 1.0  # 0: all were draws
    if effect >= 1:
        return effect
    clusters, fitted = int(of_clusters.shape[0]), pool.size
    if clusters <= fitted:
        return 1.0
    effect *= (1 - fitted / len(missed)) / (1 - fitted / clusters)
    return min(1.0, effect + _SURELY / math.sqrt(clusters))


def _spread_of_draws(plain: Maximum) -> float:
    """The variance of the scores, as a share of that without draws, each of which takes a quarter
    off. One more pair without draws joins, and the share is a tenth at least, so that draws alone
    are not taken for certain.
    """
    pool = plain.likelihood
    expected = pool.expected(plain.parameters)[pool.pairing]
    without = (expected * (1 - expected)).sum() + 0.5
    return max(0.1, float(1 - (pool.scores * (1 - pool.scores)).sum() / without))
