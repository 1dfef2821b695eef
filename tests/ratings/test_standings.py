"""From digests to results and standings."""

from array import array
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from arena.errors import RateError
from arena.model.containment import Guarantee, Held
from arena.model.protocol import Termination
from arena.ratings import tables
from arena.ratings.model import Standings
from arena.ratings.results import GameDigest, Result, results_of
from arena.ratings.scale import Z95, student_t95
from arena.ratings.standings import standings, standings_of_results
from arena.ratings.tie_breaks import shared_ranks
from arena.reports.words import about_rating, about_separation


def played(
    *players: str,
    scores: tuple[int, ...],
    points: tuple[float, ...] = (),
    rules: str = "othello",
    pair: str = "",
    offender: int | None = None,
    ending: Termination | None = None,
    seed: int = 1,
    best_tile: int = 0,
    used: float = 10.0,
    random_moves: tuple[int, ...] | None = None,
    _numbers: list[int] = [],  # noqa: B006 - numbers the games of this file
) -> GameDigest:
    _numbers.append(0)
    fault = Termination.TIMEOUT if offender is not None else Termination.NATURAL
    return GameDigest(
        game=f"g{len(_numbers):04d}",
        round=1,
        pair=pair,
        rules=rules,
        seed=seed,
        players=players,
        scores=scores,
        points=points,
        termination=ending or fault,
        detail="so it was",
        offender=offender,
        random_moves=random_moves or (0,) * len(players),
        faults=() if offender is None else ((offender, fault, "it did not answer"),),
        held=(Held(),) * len(players),
        used_ms=tuple(array("f", [used, used * 3]) for _ in players),
        best_tile=best_tile,
        plies=4,
    )


def tile(player: str, score: int, seed: int, **more: Any) -> GameDigest:
    return played(player, scores=(score,), rules="2048", pair=f"s{seed}", seed=seed, **more)


def duel(slider: str, placer: str, score: int, **more: Any) -> GameDigest:
    return played(slider, placer, scores=(score, 0), rules="2048", pair="p", **more)


def test_games_of_two_are_results_as_they_stand() -> None:
    games = [
        played("a", "b", scores=(40, 24), points=(1.0, 0.0), pair="x"),
        played("b", "a", scores=(32, 32), points=(0.5, 0.5), pair="x"),
        played("a", "b", scores=(3, 1), points=(0.0, 1.0), offender=0),
        played("a", "b", scores=(3, 1), ending=Termination.VOID),
    ]
    assert results_of(games) == (
        Result("a", "b", 1.0, "x"),
        Result("b", "a", 0.5, "x"),
        Result("a", "b", 0.0, ""),
    )


def test_tile_players_are_compared_on_the_same_seed() -> None:
    games = [
        tile("a", 100, 1), tile("b", 50, 1), tile("c", 100, 1),
        tile("a", 900, 2, offender=0), tile("b", 1, 2),
        tile("a", 9, 3, offender=0), tile("b", 7, 3, offender=0),
        tile("a", 5, 4),
    ]  # fmt: skip
    assert set(results_of(games)) == {
        Result("a", "b", 1.0, "s1"),
        Result("a", "c", 0.5, "s1"),
        Result("b", "c", 0.0, "s1"),
        Result("a", "b", 0.0, "s2"),
        Result("a", "b", 0.5, "s3"),
    }


@pytest.mark.parametrize(
    ("a_slides", "b_slides", "score"),
    [
        ({"score": 700}, {"score": 600}, 1.0),
        ({"score": 600}, {"score": 600}, 0.5),
        ({"score": 700, "offender": 0}, {"score": 0}, 0.0),  # a forfeits as slider
        ({"score": 10, "offender": 1}, {"score": 600}, 1.0),  # b forfeits as placer
        ({"score": 700, "offender": 0}, {"score": 9, "offender": 0}, 0.5),
        ({"score": 700, "offender": 1}, {"score": 9, "offender": 1}, 0.5),
        ({"score": 700, "offender": 0}, {"score": 9, "offender": 1}, 0.0),  # a forfeits both
    ],
)
def test_swapped_roles_make_one_result(
    a_slides: dict[str, Any], b_slides: dict[str, Any], score: float
) -> None:
    games = [duel("b", "a", **b_slides), duel("a", "b", **a_slides)]
    assert results_of(games) == (Result("a", "b", score, "p"),)
    assert results_of(games[:1]) == ()


def test_course_points_order_players_with_as_many_results() -> None:
    games = [
        played("a", "b", scores=(40, 24), points=(1.0, 0.0), pair="1"),
        played("b", "c", scores=(34, 30), points=(1.0, 0.0), pair="2"),
        played("c", "a", scores=(32, 32), points=(0.5, 0.5), pair="3"),
    ]
    found = {row.name: row.course_rank for row in standings(games).players}
    assert found == {"a": 1, "b": 2, "c": 3}
    games[2] = played("c", "a", scores=(33, 31), points=(1.0, 0.0), pair="3")
    found = {row.name: row.course_rank for row in standings(games).players}
    assert found == {"a": 1, "c": 2, "b": 3}, "one win each, and the sums +14, −2 and −12"


def test_a_whole_table() -> None:
    games = [
        played("a", "b", scores=(40, 24), points=(1.0, 0.0), pair="1"),
        played("b", "a", scores=(20, 44), points=(0.0, 1.0), pair="1"),
        played("a", "c", scores=(30, 34), points=(0.0, 1.0), pair="2", random_moves=(2, 0)),
        played("c", "a", scores=(10, 12), points=(1.0, 0.0), pair="2", offender=1),
        played("b", "c", scores=(32, 32), points=(0.5, 0.5), pair="3", used=200.0),
        played("b", "c", scores=(0, 0), ending=Termination.VOID),
    ]
    table = standings(games, players=["a", "b", "c", "late"], name="cup", anchor="b", planned=12)
    assert [row.name for row in table.players] == ["c", "a", "b", "late"]
    c, a, b, late = table.players
    assert (c.wins, c.draws, c.losses, c.points, c.games) == (2, 1, 0, 5, 3)
    assert (a.wins, a.draws, a.losses, a.points, a.games) == (2, 0, 2, 4, 4)
    assert (b.wins, b.draws, b.losses, b.points, b.games) == (0, 1, 2, 1, 3)
    # The forfeited game counts 0: a was 2 discs ahead when it forfeited.
    assert (c.difference, a.difference, b.difference) == (4, 36, -40)
    assert {row.course_rank for row in table.players} == {None}, "some played more than others"
    assert a.forfeits == {"timeout": 1} and a.random_moves == 2 and c.forfeits == {}
    assert late.elo is None and late.score is None and late.times is None and late.games == 0
    assert b.elo == 0 and b.elo_error == pytest.approx(0, abs=1e-6)
    errors = Z95 * np.sqrt(np.diag(table.covariance))
    assert errors == pytest.approx([row.elo_error for row in (c, a, b)], abs=1e-6)
    assert b.times is not None
    assert (b.times.moves, b.times.max_ms, b.times.p99_ms) == (6, 600, 600)
    assert b.times.mean_ms == pytest.approx((4 * 20 + 2 * 400) / 6, abs=0.001)
    many = tables.times([range(1, 101), range(101, 201)])
    assert many is not None and (many.p99_ms, many.max_ms) == (198, 200)
    assert a.as_first is not None and (a.as_first.results, a.as_first.score) == (2, 0.5)
    assert a.as_second is not None and (a.as_second.results, a.as_second.score) == (2, 0.5)
    assert (table.games, table.void, table.results, table.planned) == (5, 1, 5, 12)
    assert table.first_player is not None and table.first_player.score == 0.5
    assert table.terminations == {"natural": 4, "timeout": 1}
    assert [(pair.upper, pair.lower) for pair in table.neighbours] == [("c", "a"), ("a", "b")]
    cells = {(cell.player, cell.opponent): cell for cell in table.crosstable}
    assert (cells["a", "b"].wins, cells["b", "a"].losses, cells["c", "b"].draws) == (2, 2, 1)
    assert np.array(table.covariance).shape == (3, 3)
    assert table.match is None


def test_games_that_repeat_an_earlier_one_are_counted() -> None:
    lines = [(("a", "b"), b"x"), (("b", "a"), b"x"), (("a", "b"), b"x"), (("a", "b"), b"y")]
    games = [played(*who, scores=(3, 1), points=(1, 0))._replace(line=line) for who, line in lines]
    unknown = [played("a", "b", scores=(3, 1), points=(1, 0)) for _ in range(3)]
    crashed = [played("a", "b", scores=(0, 0), points=(0, 1), offender=0)] * 2
    found = standings([*games, *unknown, *(each._replace(line=b"x") for each in crashed)])
    assert found.repeats == 1
    said = "Games that went move for move like an earlier one of the same players: 1."
    assert any(line.startswith(said) for line in about_rating(found))
    assert not any("move for move" in line for line in about_rating(standings(games[:2])))


def test_a_forfeit_when_behind_keeps_the_difference() -> None:
    game = played("a", "b", scores=(10, 30), points=(0.0, 1.0), offender=0)
    assert tables.differences([game]) == {"a": -20, "b": 20}


def test_a_forfeit_when_ahead_saves_no_difference() -> None:
    games = [
        played("a", "b", scores=(30, 10), points=(0.0, 1.0), offender=0),
        played("c", "d", scores=(10, 30), points=(1.0, 0.0), offender=1),
        played("c", "d", scores=(30, 10), points=(1.0, 0.0), offender=1),
        played("alone", scores=(500,)),
    ]
    assert tables.differences(games) == {"a": 0, "b": 0, "c": 20, "d": -20}


def test_a_crosstable_is_in_the_order_of_the_players_that_are_given() -> None:
    results = [Result("a", "b", 1.0), Result("a", "c", 0.5), Result("b", "c", 0.0, "p")]
    order = [(cell.player, cell.opponent) for cell in tables.crosstable(results, "cab")]
    assert order == [("c", "a"), ("c", "b"), ("a", "c"), ("a", "b"), ("b", "c"), ("b", "a")]
    first = tables.crosstable(results)[0]
    assert (first.player, first.opponent, first.wins, first.draws) == ("a", "b", 1, 0)


def test_tile_players_have_no_difference() -> None:
    games = [duel("a", "b", 700, offender=1, points=(1.0, 0.0)), duel("b", "a", 900)]
    assert [row.difference for row in standings(games).players] == [None, None]


def test_equal_ratings_share_the_rank() -> None:
    table = standings_of_results([Result(a, b, 0.5) for a in "abc" for b in "abc" if a != b])
    assert [row.rank for row in table.players] == [1, 1, 1]


def test_equal_course_keys_share_the_rank() -> None:
    ranks = shared_ranks({"a": (4, 2, 3), "b": (4, 1, 99), "c": (4, 2, 3), "d": (5, 0, 0)})
    assert ranks == {"d": 1, "a": 2, "c": 2, "b": 4}


def test_tile_figures() -> None:
    games = [
        tile("a", 100, 1, best_tile=64), tile("a", 300, 2, best_tile=256),
        tile("a", 200, 3, best_tile=64), tile("b", 10, 1, best_tile=8),
    ]  # fmt: skip
    table = standings(games)
    assert table.first_mover is None and table.first_player is None
    a, b = table.players
    assert a.name == "a" and a.difference is None and a.as_first is None
    assert a.tiles is not None and b.tiles is not None
    assert (a.tiles.games, a.tiles.mean_score, a.tiles.best_score) == (3, 200, 300)
    assert a.tiles.mean_error == pytest.approx(4.303 * 100 / 3**0.5, rel=1e-3)
    assert b.tiles.mean_error is None
    reach = [(line.tile, line.reached, line.ended) for line in a.tiles.reach]
    assert reach == [
        (256, pytest.approx(1 / 3), pytest.approx(1 / 3)),
        (64, 1, pytest.approx(2 / 3)),
    ]
    assert a.tiles.mean_moves == 2 and a.tiles.mean_seconds == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (99, 1.984)],
)
def test_student_quantiles(freedom: int, quantile: float) -> None:
    assert student_t95(freedom) == pytest.approx(quantile, abs=0.0005)


@given(st.integers(1, 10_000_000))
def test_student_quantiles_are_those_of_scipy(freedom: int) -> None:
    assert student_t95(freedom) == pytest.approx(stdtrit(freedom, 0.975), rel=1e-6)


@pytest.mark.parametrize(
    ("won", "of", "low", "high"),
    [(20, 20, 0.839, 1.0), (0, 20, 0.0, 0.161), (8, 10, 0.490, 0.943), (1, 2, 0.095, 0.905)],
)
def test_a_share_of_independent_games_has_wilsons_interval(
    won: int, of: int, low: float, high: float
) -> None:
    share = tables.share(np.arange(of) < won, np.arange(of))
    assert share is not None and share.score == won / of
    assert (share.low, share.high) == pytest.approx((low, high), abs=0.02)


def test_intervals_of_a_share_cover_the_truth_as_often_as_they_say_with_draws() -> None:
    rng, pairs, hits = np.random.default_rng(1), np.repeat(np.arange(100), 2), 0
    for _ in range(400):
        share = tables.share(rng.choice((0.0, 0.5, 1.0), 200, p=(0.1, 0.7, 0.2)), pairs)
        assert share is not None
        hits += share.low <= 0.55 <= share.high
    assert 0.91 <= hits / 400 <= 0.99


def test_a_share_knows_pairs_that_agree_and_pairs_that_cancel() -> None:
    pairs = np.repeat(np.arange(10), 2)
    agree = tables.share(np.repeat(np.arange(10) < 5, 2), pairs)
    alone = tables.share(np.arange(20) % 2, np.arange(20))
    cancel = tables.share(np.arange(20) % 2, pairs)
    assert agree and alone and cancel
    assert agree.error > alone.error > cancel.error > 0
    assert tables.share(np.zeros(0), np.zeros(0, dtype=np.intp)) is None


def test_the_same_results_again_in_their_clusters_are_no_new_evidence() -> None:
    scores, pairs = np.array([1.0, 0.5, 0.0, 1.0, 1.0, 0.5]), np.repeat(np.arange(3), 2)
    once, again = (
        tables.share(np.repeat(scores, times), np.repeat(pairs, times)) for times in (1, 4)
    )
    assert once is not None and again is not None
    assert (again.low, again.high) == pytest.approx((once.low, once.high))


def test_a_share_is_never_beyond_all_and_nothing() -> None:
    """Where rounding would bring it there."""
    for count in range(1, 100):
        lost, won = (tables.share(np.full(count, each), np.arange(count)) for each in (0.0, 1.0))
        assert lost is not None and won is not None
        assert lost.low >= 0 and won.high <= 1


def test_games_of_one_player_have_figures_whatever_their_rules() -> None:
    alone = tables.tile_figures([played("a", scores=(7,), rules="sokoban")])
    assert alone is not None and (alone.games, alone.mean_score, alone.reach) == (1, 7, ())
    assert tables.tile_figures([played("a", "b", scores=(7, 0))]) is None
    assert tables.tile_figures([duel("a", "b", 7)]) is not None


def test_two_players_have_a_match_and_no_players_are_well_defined() -> None:
    results = [Result("a", "b", 1.0, "1"), Result("b", "a", 0.0, "1")]
    table = standings_of_results(results, name="list")
    assert table.match is not None and table.match.pairs["ww"] == 1
    assert table.match.pentanomial is not None and table.match.pentanomial.with_prior
    assert table.rules is None and table.games == 2
    empty = standings([], players=["a", "b"], anchor="a")
    assert [row.elo for row in empty.players] == [None, None]
    assert not empty.anchor.in_force and empty.first_player is None and empty.match is None
    with pytest.raises(RateError, match='anchor: no player "z" among the results; there are: a, b'):
        standings_of_results(results, anchor="z")


def test_every_key_of_the_report_is_documented() -> None:
    schema = Standings.model_json_schema(mode="serialization")
    models = [schema, *(model for model in schema["$defs"].values() if "properties" in model)]
    assert len(models) > 8
    for model in models:
        assert model["description"].strip()
        for key, field in model["properties"].items():
            assert field.get("description", "").strip(), (model["title"], key)


def test_faults_are_listed_with_the_first_game_to_look_at() -> None:
    games = [
        played("a", "b", scores=(0, 4), points=(0.0, 1.0), offender=0),
        played("b", "a", scores=(4, 0), points=(1.0, 0.0), offender=1),
        played("a", "b", scores=(4, 0), points=(1.0, 0.0)),
    ]
    (broken,) = standings(games).faults
    assert (broken.player, broken.termination, broken.count) == ("a", "timeout", 2)
    assert broken.game == games[0].game
    assert broken.detail == "it did not answer"
    later, first = (
        each._replace(game=f"a:b:{round_}.1", round=round_)
        for each, round_ in zip(games, (10, 2), strict=False)
    )
    assert standings([later, first]).faults[0].game == "a:b:2.1"


def test_void_attempts_are_listed_game_by_game() -> None:
    result = played("a", "b", scores=(4, 0), points=(1.0, 0.0))
    spoilt = result._replace(termination=Termination.VOID, detail="the host was overloaded")
    never = spoilt._replace(game="g9999")
    table = standings([spoilt, never, spoilt._replace(detail="once more"), result])
    assert (table.games, table.void) == (1, 3)
    one, other = table.spoilt
    assert (one.game, one.attempts, one.replayed) == (result.game, 2, True)
    assert one.detail == "once more"
    assert (other.game, other.attempts, other.replayed) == ("g9999", 1, False)


def test_the_sandboxes_of_each_player_are_listed_once_for_each_kind() -> None:
    first = played("a", "b", scores=(4, 0), points=(1.0, 0.0))
    bwrap = Held(mode="bwrap", by={Guarantee.NETWORK: "bwrap"})
    later = first._replace(held=(bwrap, Held()))
    told = standings([first, first, later]).sandboxes
    assert [(each.player, each.games, each.held.mode) for each in told] == [
        ("a", 2, "none"),
        ("a", 1, "bwrap"),
        ("b", 3, "none"),
    ]


def test_neighbours_that_no_result_links_are_not_set_against_each_other() -> None:
    results = [Result("a", "b", 1.0)] * 3 + [Result("c", "d", 1.0)] * 2
    found = standings_of_results(results)
    assert [row.name for row in found.players] == ["a", "c", "d", "b"]
    assert [(pair.upper, pair.lower) for pair in found.neighbours] == [("c", "d")]
    assert about_separation(found)[-1].endswith("cannot be compared: a, b; c, d.")
