"""A sequential test's units put together from games, whatever their order."""

from itertools import islice, permutations
from random import Random

import pytest

from arena.model.protocol import Termination
from arena.ratings.likelihood_ratio import log_likelihood_ratio
from arena.ratings.results import GameDigest
from arena.ratings.sprt import Sprt
from arena.ratings.trial import Trial

TEST = Sprt(elo0=0, elo1=50)


def game(
    round_: int,
    *players: str,
    score: float = 1.0,
    void: bool = False,
    tiles: int | None = None,
    line: bytes = b"",
) -> GameDigest:
    """A game of a round: `score` is the first player's; `tiles` the score of a lone slider. It is
    like no other, unless a `line` is given.
    """
    return GameDigest(
        game=f"g{round_}{players[0]}",
        round=round_,
        pair=f"p{round_:04d}",
        rules="dots" if tiles is None else "2048",
        seed=round_,
        players=players,
        scores=(4, 0) if tiles is None else (tiles,),
        points=() if void or tiles is not None else (score, 1 - score),
        termination=Termination.VOID if void else Termination.NATURAL,
        line=line or f"{round_}{players}".encode(),
    )


def pair(round_: int, a_first: float, b_first: float) -> list[GameDigest]:
    """Both games of a round, by what the player who moves first takes in each."""
    return [game(round_, "a", "b", score=a_first), game(round_, "b", "a", score=b_first)]


def trial(*games: GameDigest, test: Sprt = TEST, paired: bool = True) -> Trial:
    begun = Trial(test, "a", "b", paired=paired)
    for each in games:
        begun.add(each)
    return begun


def test_pairs_are_counted_by_half_points_of_the_first_player() -> None:
    games = pair(1, 1, 0) + pair(2, 1, 1) + pair(3, 0.5, 0.5) + pair(4, 0, 0.5) + pair(5, 0, 1)
    verdict = trial(*games).verdict
    assert verdict.counts == {"ll": 1, "ld": 1, "wl_dd": 2, "wd": 0, "ww": 1}
    assert verdict.units == 5 and verdict.unit == "pair"
    assert verdict.llr == float(log_likelihood_ratio(TEST, [1, 1, 2, 0, 1]))
    assert (verdict.lower, verdict.upper) == TEST.bounds
    assert verdict.decision is None and verdict.estimate is not None
    assert verdict.estimate.elo == pytest.approx(0, abs=60)


def test_before_the_first_unit() -> None:
    verdict = trial(game(1, "a", "b")).verdict
    assert verdict.units == 0 and verdict.llr == 0
    assert verdict.decision is None and verdict.estimate is None


def test_units_count_in_the_order_of_the_schedule() -> None:
    """A round that is done early waits for those before it, so that a quick game has no say."""
    first, second, third = pair(1, 1, 0), pair(2, 0, 1), pair(3, 1, 0)
    assert trial(*second, *third).verdict.units == 0
    assert trial(*first, *third).verdict.units == 1
    assert trial(*first, second[0], *third).verdict.units == 1
    assert trial(*third, *second, *first).verdict.units == 3


def test_the_verdict_is_that_of_the_set_of_games() -> None:
    games = [each for n in (1, 2, 3) for each in pair(n, n % 2, 0.5)]
    expected = trial(*games).verdict
    for order in islice(permutations(games), 0, None, 17):
        asked = Trial(TEST, "a", "b", paired=True)
        for each in order:
            asked.add(each)
            assert asked.verdict.units <= 3
        assert asked.verdict == expected


def test_a_void_attempt_delays_nothing_and_its_round_counts_once_complete() -> None:
    spoilt = [pair(1, 1, 0)[0], game(1, "b", "a", void=True)]
    begun = trial(*spoilt, *pair(2, 0, 1), *pair(3, 0.5, 0.5))
    assert begun.verdict.counts == {"ll": 1, "ld": 0, "wl_dd": 1, "wd": 0, "ww": 0}
    begun.add(game(1, "b", "a", score=0.0))
    whole = trial(*pair(1, 1, 0), *pair(2, 0, 1), *pair(3, 0.5, 0.5))
    void = {"void": 1, "usable": False}
    assert begun.verdict == whole.verdict.model_copy(update=void) and begun.verdict.units == 3


def test_what_comes_after_the_decision_does_not_count() -> None:
    wins = [each for n in range(1, 40) for each in pair(n, 1, 0)]
    begun = trial(*wins)
    decided = begun.verdict
    assert decided.decision == "H1" and decided.units < 39
    counts = [0, 0, 0, 0, decided.units]
    assert decided.llr == pytest.approx(float(log_likelihood_ratio(TEST, counts)))
    counts[4] -= 1
    assert TEST.decision(float(log_likelihood_ratio(TEST, counts))) is None
    for each in pair(40, 0, 1):
        begun.add(each)
    assert begun.verdict == decided
    losses = trial(*(each for n in range(1, 40) for each in pair(n, 0, 1))).verdict
    assert losses.decision == "H0"


def test_units_taken_one_by_one_and_all_at_once_decide_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.ratings.trial._AT_ONCE", 7)
    rng = Random(3)
    games = [e for n in range(1, 200) for e in pair(n, rng.random() < 0.7, rng.random() < 0.4)]
    slowly = Trial(TEST, "a", "b", paired=True)
    for each in games:
        slowly.add(each)
        current = slowly.verdict
    assert current == trial(*games).verdict
    path = trial(*games).path
    assert len(path) == current.units and path[-1] == current.llr
    assert current.decision == "H1"


def test_forfeits_and_repeated_units_are_counted() -> None:
    """Two players who draw no lots play the same games again once the openings are used up."""
    lost = game(2, "a", "b", score=0.0)._replace(offender=0)
    begun = trial(*pair(1, 1, 0), lost, game(2, "b", "a", score=1.0)._replace(offender=1))
    assert (begun.verdict.forfeits, begun.verdict.repeats) == (2, 0)
    for round_ in (3, 4, 5):
        begun.add(game(round_, "a", "b", line=b"long"))
        begun.add(game(round_, "b", "a", line=b"short" if round_ < 5 else b"other"))
    assert begun.verdict.units == 5 and begun.verdict.repeats == 1
    assert begun.verdict.forfeits == 2


def test_lone_sliders_are_compared_on_each_seed() -> None:
    def seed(round_: int, a: int, b: int) -> list[GameDigest]:
        return [game(round_, "a", tiles=a), game(round_, "b", tiles=b)]

    begun = trial(*seed(1, 900, 400), *seed(2, 300, 300), *seed(3, 800, 10), paired=False)
    verdict = begun.verdict
    assert verdict.unit == "comparison"
    assert verdict.counts == {"lost": 0, "drawn": 1, "won": 2}
    assert verdict.llr == float(log_likelihood_ratio(TEST, [0, 1, 2]))
    assert trial(*seed(1, 1, 2), paired=False).verdict.counts["lost"] == 1


@pytest.mark.parametrize(
    ("forfeits", "void", "usable"),
    [(0, 0, True), (4, 0, True), (5, 0, False), (2, 2, True), (2, 3, False), (0, 5, False)],
)
def test_more_than_5_percent_of_forfeits_or_voids_make_it_not_usable(
    forfeits: int, void: int, usable: bool
) -> None:
    games = [each for n in range(1, 41) for each in pair(n, n % 2, 1 - n % 2)]
    games[:forfeits] = [each._replace(offender=1) for each in games[:forfeits]]
    games += [game(1 + n, "a", "b", void=True) for n in range(void)]
    verdict = trial(*games).verdict
    assert verdict.units == 40
    assert (verdict.forfeits, verdict.void, verdict.usable) == (forfeits, void, usable)
