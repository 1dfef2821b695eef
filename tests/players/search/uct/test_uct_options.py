"""What each option of UCT does: selection against its formula, leaves, limits, threads."""

import math
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.compiled.cache import bare_kernel, kernel
from players.games import interface as kernels
from players.games.registry import compiled_game, load_board
from players.options import Final
from players.search.tree import NEAR, UNKNOWN, Tree, child_by_move, children, new_tree
from players.search.uct.driver import FINALS, ThinkingLimits, best_child, root_moves
from players.search.uct.leaf import STRETCH
from players.search.uct.search import iterate, select, spread
from players.search.uct.settings import Settings, make_settings
from players.weights.evaluations import load_terms
from tests.players.conftest import random_position, true_net
from tests.players.uct_helpers import NEVER, check_tree, choose, compiled, search_of, think

FINALS_CHOOSE: list[tuple[Final, int]] = [("visits", 1), ("value", 2), ("bound", 0), ("ucb", 2)]
CORNERLESS = rules.load("othello", preset="cornerless")
DOTS = rules.load("dots")


@kernel
def selected(tree: Any, seat: Any, opponent: Any, c: Any, settings: Any) -> Any:
    """What `select` takes at the root."""
    values = np.empty(kernels.MOVES, np.float32)
    return select(tree, np.int64(0), seat, opponent, c, settings, values)


def plainly_selected(
    tree: Any, seat: int, opponent: bool, settings: Settings, options: dict[str, Any]
) -> set[int]:
    """The children that the definition allows, allowing for the rounding of 32 bits."""
    values = {}
    for child in children(tree, 0):
        n, mean = int(tree.visits[child]), float(tree.total[child] / tree.visits[child])
        bonus = options["c"] * math.sqrt(2 * math.log(tree.visits[0]) / n)
        least = opponent and options.get("opponent") == "least"
        if least:
            mean = 1 - mean  # as the player sees it
        value = 2 * mean - 1 if options.get("backup") == "zero-sum" else mean
        value = (value + bonus) * float(settings.weights[seat, tree.move[child]])
        values[child] = -value if least else value
    best = max(values.values())
    return {child for child, value in values.items() if value > best - 1e-4}


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["own", "least"])
@pytest.mark.parametrize("backup", ["win", "zero-sum", "score"])
@pytest.mark.parametrize("weighted", [False, True])
def test_selection_is_by_the_formula(opponent: Any, backup: Any, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    for count in (1, 2, 15, 16, 17, 60, 112):
        for _ in range(20):
            options = {"c": rng.uniform(0, 2), "opponent": opponent, "backup": backup}
            weights = rng.uniform(0.9, 1.1, (2, kernels.MOVES)).astype(np.float32)
            settings = make_settings(60, weights=weights if weighted else None, **options)
            tree = new_tree(count + 1)
            tree.first[0], tree.count[0] = 1, count
            tree.visits[1 : count + 1] = rng.integers(1, 1000, count)
            tree.visits[0] = tree.visits[1 : count + 1].sum() + 1
            tree.total[1 : count + 1] = tree.visits[1 : count + 1] * rng.random(count)
            tree.move[1 : count + 1] = rng.permutation(count)
            for seat, is_opponent in ((0, False), (1, True)):
                allowed = plainly_selected(tree, seat, is_opponent, settings, options)
                child = selected(tree, seat, is_opponent, options["c"], settings)
                assert child in allowed, f"{options} {count} children"


def test_proven_children_need_no_exploration() -> None:
    """A node above: a proven draw is worth its 1/2 and a proven loss nothing; all the root's visits
    go to what is open.
    """

    @kernel
    def selected_below(tree: Any, settings: Any) -> Any:
        values = np.empty(kernels.MOVES, np.float32)
        return select(tree, np.int64(1), 0, False, 1.0, settings, values)

    tree, settings = new_tree(5), make_settings(60)
    tree.visits[:5], tree.total[:5] = (900, 900, 300, 300, 300), (0, 0, 120, 0, 290)
    tree.proof[:5] = (UNKNOWN, NEAR, UNKNOWN, 0, -1)
    tree.move[:5] = range(5)
    for node in (0, 1):
        tree.first[node], tree.count[node] = 2, 3
    assert selected_below(tree, settings) == 2  # 0.4 and its bonus of 0.2 against 0.5
    tree.total[2] = 60
    assert selected_below(tree, settings) == 3
    tree.proof[0] = NEAR
    assert selected(tree, 0, False, 1.0, settings) == 2


def one_leaf(game: rules.Game, **options: Any) -> tuple[float, Any]:
    """The result of a search's first leaf for the player to move, and the position there."""
    terms = load_terms(game.name, game.variant)
    search = search_of(game, terms=terms, **options)
    think(search, game.start(), 1)
    tree = search._trees[0]
    child = int(tree.first[0])
    return tree.total[child], game.start().play(search._board.names[tree.move[child]])


@kernel
def estimate(position: Any, terms: Any) -> Any:
    """(evaluation, expected result) for the mover."""
    value = np.int64(kernels.evaluate(position, terms))
    return value, np.float64(kernels.expectation(position, value))


@pytest.mark.parametrize("game", [rules.load("othello"), DOTS], ids=lambda game: game.name)
def test_leaves_are_worth_their_evaluation_or_a_mixture(game: rules.Game) -> None:
    terms = load_terms(game.name, game.variant)
    for seed in range(8):
        result, position = one_leaf(game, evaluated=1.0, seed=seed)
        value, expected = estimate(compiled(position), terms)
        assert position.to_move == 1
        assert result == pytest.approx(1 - expected)
        result, _ = one_leaf(game, plies=1, seed=seed)
        assert result == pytest.approx(1 - expected)
        result, _ = one_leaf(game, evaluated=1.0, backup="score", seed=seed)
        most = compiled_game(game.name).most_margin(game.variant)
        assert result == pytest.approx(0.5 - value / 100 / (2 * most))
        result, _ = one_leaf(game, evaluated=0.25, seed=seed)
        played = (result - 0.25 * (1 - expected)) / 0.75
        assert min(abs(played - each) for each in (0, 0.5, 1)) < 1e-9


def test_a_finished_game_is_no_estimate() -> None:
    """The last edge of a board: its child is worth the result whatever the leaves are worth."""
    game = rules.load("dots", rows=1, cols=2)
    for seed in range(5):
        position = random_position(game, 6, Random(seed))
        final = position.play(position.legal_moves()[0])
        assert final.is_over
        first, second = final.scores()
        result = 0.5 + 0.5 * np.sign(first - second) * (1 if position.to_move == 0 else -1)
        for leaf in ({"evaluated": 1.0}, {"plies": 1}, {"evaluated": 0.5}, {}):
            for solver in (False, True):
                terms = load_terms(game.name, game.variant)
                search = search_of(game, terms=terms, solver=solver, **leaf)
                think(search, position, 5)
                assert choose(search, position).value == result


def test_the_tree_goes_no_deeper_than_its_plies() -> None:
    for plies in (1, 2, 3):
        terms = load_terms("dots", DOTS.variant)
        search = search_of(DOTS, plies=plies, terms=terms)
        assert think(search, DOTS.start(), 20_000).depth == plies
        assert len(choose(search, DOTS.start()).pv) <= plies


@pytest.mark.parametrize("guided", [False, True])
def test_eight_playouts_a_leaf_count_as_eight_visits(guided: bool) -> None:
    for game in (CORNERLESS, DOTS):
        search = search_of(game, samples=8, guided=guided)
        assert think(search, game.start(), 3000).iterations == 3000
        assert search.visits == 24_000
        check_tree(search._trees[0], samples=8)
        halves = 2 * search._trees[0].total[: search.nodes]
        assert (halves == np.round(halves)).all()


def test_guided_playouts_are_others() -> None:
    for samples in (1, 8):
        values = []
        for guided in (False, True):
            search = search_of(CORNERLESS, samples=samples, guided=guided)
            think(search, CORNERLESS.start(), 2000)
            values.append(search._trees[0].total[0])
        assert values[0] != values[1]


def test_score_results_are_margins() -> None:
    """In a dots endgame that is a win whatever is played, only the margin tells moves apart."""
    game = rules.load("dots", rows=2, cols=2)
    apart = 0
    for seed in range(30):
        position = random_position(game, 8, Random(seed))
        search = search_of(game, backup="score", c=0.2, seed=seed)
        think(search, position, 3000)
        sign = 1 if position.to_move == 0 else -1
        margins = {move: sign * true_net(position.play(move)) for move in position.legal_moves()}
        assert margins[choose(search, position).move] == max(margins.values()), f"seed {seed}"
        apart += len({np.sign(margin) for margin in margins.values()}) < len(set(margins.values()))
    assert apart > 3


@bare_kernel
def deviation(moments: Any) -> Any:
    return spread(moments)


def test_a_part_called_from_python_says_that_only_kernels_can_call_it() -> None:
    with pytest.raises(KeyError, match="spread is a part of kernels, and only they can call it"):
        spread(np.zeros(3, np.int64))


def test_c_follows_the_spread_of_results() -> None:
    rng = np.random.default_rng(1)
    results = rng.random(500)
    moments = np.array([500, results.sum(), (results**2).sum()])
    assert deviation(moments) == pytest.approx(results.std())
    assert deviation(np.array([1.0, 1.0, 1.0])) == 0.5
    auto = search_of(CORNERLESS, backup="score", samples=8, spread_factor=2.0)
    think(auto, CORNERLESS.start(), 5000)
    own = 2.0 * math.sqrt(8) * deviation(auto._workers[0].moments)
    assert own < 0.5
    fixed = search_of(CORNERLESS, backup="score", samples=8, c=own)
    think(fixed, CORNERLESS.start(), 5000)
    plain = search_of(CORNERLESS, backup="score", samples=8, c=1.0)
    think(plain, CORNERLESS.start(), 5000)
    most = [choose(search, CORNERLESS.start()).visits for search in (auto, fixed, plain)]
    assert most[2] < 0.8 * most[0]
    assert most[0] == pytest.approx(most[1], rel=0.2)


@pytest.mark.parametrize(
    ("limits", "visits", "left", "expected"),
    [
        (ThinkingLimits(), (90, 5), 0, ""),
        (ThinkingLimits(early_stop=True), (90, 40), 49, "early stop"),
        (ThinkingLimits(early_stop=True), (90, 40), 50, ""),
        (ThinkingLimits(early_stop=True), (90,), 89, "early stop"),
        (ThinkingLimits(direction=0.8), (80, 20), 1e9, "direction"),
        (ThinkingLimits(direction=0.8), (79, 21), 1e9, ""),
        (ThinkingLimits(direction=0.8, direction_after=1001), (80, 20), 1e9, ""),
        (ThinkingLimits(depth=6), (80, 20), 1e9, ""),
        (ThinkingLimits(depth=5), (80, 20), 1e9, "depth"),
    ],
)
def test_limits_are_met(limits: ThinkingLimits, visits: Any, left: float, expected: str) -> None:
    assert limits.met(visits, done=1000, left=left, depth=5) == expected


def test_thinking_ends_when_a_limit_is_met() -> None:
    position = random_position(CORNERLESS, 30, Random(8))
    ends = {}
    for name, options in {
        "depth": {"depth": 6},
        "direction": {"direction": 0.3, "direction_after": 2000},
        "early stop": {"early_stop": True},
        "": {},
    }.items():
        search = search_of(CORNERLESS, c=0.3)
        thought = think(search, position, 40_000, **options)
        assert thought.ended == name
        ends[name] = thought.iterations
        if name == "depth":
            assert thought.depth >= 6
    assert ends[""] == 40_000
    assert 2000 <= ends["direction"] < 40_000
    assert 20_000 <= ends["early stop"] < 40_000
    plain, stopped = search_of(CORNERLESS, c=0.3), search_of(CORNERLESS, c=0.3)
    think(plain, position, 40_000)
    think(stopped, position, 40_000, early_stop=True)
    assert choose(plain, position).move == choose(stopped, position).move


@pytest.mark.slow
@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_threads_share_the_work_and_lose_nothing(parallel: str) -> None:
    for game, memory_mb in ((CORNERLESS, 50), (DOTS, 50), (DOTS, 1)):
        search = search_of(game, threads=2, parallel=parallel, memory_mb=memory_mb)
        for round_ in range(1, 4):
            assert think(search, game.start(), 8000).iterations == 8000
            assert search.visits == 8000 * round_
        assert len(search._trees) == (1 if parallel == "tree" else 2)
        for tree in search._trees:
            nodes, used = below(tree, 0), int(tree.used[0])
            assert len(set(nodes)) == len(nodes) <= used <= memory_mb * 1_000_000 // 24
            apart = 2 * STRETCH + used // 16  # set aside by threads, or too short for a block
            assert used - len(nodes) <= (apart if parallel == "tree" else 0)
            for node in nodes:
                block = list(children(tree, node))
                assert tree.visits[block].sum() <= tree.visits[node]
                assert len(set(tree.move[block].tolist())) == len(block)
                assert tree.total[node] <= tree.visits[node]
        assert sum(tree.visits[list(children(tree, 0))].sum() for tree in search._trees) > 23_900
        best = root_moves(search._trees)[0][root_moves(search._trees)[1].argmax()]
        kept = [below(tree, child_by_move(tree, 0, best)) for tree in search._trees]
        wanted = [
            tree.visits[nodes].tolist() for tree, nodes in zip(search._trees, kept, strict=True)
        ]
        position = game.start().play(search._board.names[best])
        search.follow([search._board.names[best]], position.legal_moves(), reuse=True)
        for tree, visits in zip(search._trees, wanted, strict=True):
            assert tree.visits[below(tree, 0)].tolist() == visits
            assert int(tree.used[0]) == len(visits)


def below(tree: Tree, node: int | None) -> list[int]:
    """A node and all that are below it."""
    assert node is not None
    nodes = [node]
    for each in nodes:
        nodes.extend(children(tree, each))
    return nodes


@pytest.mark.slow
@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_threads_stop_early_when_no_other_move_can_catch_up(parallel: str) -> None:
    """Also by what the threads do between the moment one of them sees it and their end."""
    position = random_position(CORNERLESS, 30, Random(12))
    search = search_of(CORNERLESS, c=0.3, threads=2, parallel=parallel)
    thought = think(search, position, 40_000, early_stop=True)
    assert thought.ended == "early stop"
    assert search.visits == thought.iterations < 40_000
    second, first = sorted(root_moves(search._trees)[1])[-2:]
    assert first - second > 40_000 - thought.iterations


@pytest.mark.slow
@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_threads_find_the_best_outcome_too(parallel: str) -> None:
    for game in (rules.load("dots", rows=2, cols=2), rules.load("othello", size=4)):
        for seed in range(6):
            position = random_position(game, 6, Random(seed))
            search = search_of(game, threads=2, parallel=parallel, c=0.7)
            think(search, position, 10_000)
            net = true_net(position.play(choose(search, position).move))
            assert np.sign(net) == np.sign(true_net(position)), f"seed {seed}\n{position}"


def test_roots_are_added_up() -> None:
    trees = [new_tree(8), new_tree(8)]
    for tree, moves in zip(trees, ((1, 2, 3), (3, 1, 2)), strict=True):
        tree.first[0], tree.count[0], tree.move[1:4] = 1, 3, moves
        tree.visits[1:4], tree.total[1:4], tree.proof[1:4] = moves, np.array(moves) / 2, UNKNOWN
    trees[1].proof[1] = 1
    found = [each.tolist() for each in root_moves(trees)]
    assert found == [[1, 2, 3], [2, 4, 6], [1, 2, 3], [UNKNOWN, UNKNOWN, 1]]


def test_the_best_move_is_chosen_by_visits_value_or_bounds() -> None:
    settings = make_settings(60)
    open_moves = [(50, 30.0, UNKNOWN), (60, 24.0, UNKNOWN), (3, 3.0, UNKNOWN)]
    lost, drawn, won = ((200, 100.0, proof) for proof in (-1, 0, 1))

    def best(moves: Any, final: Final) -> int:
        facts = (np.array(each) for each in zip(*moves, strict=True))
        return int(best_child(*facts, 0, settings, FINALS[final], 0.5)[0])

    for final, move in FINALS_CHOOSE:
        assert best(open_moves, final) == move
    assert best([*open_moves, lost], "visits") == 1
    assert best([*open_moves, drawn], "visits") == 3
    assert best([*open_moves, drawn], "value") == 2
    assert best([*open_moves, lost, won], "visits") == 4
    assert best([lost, drawn], "visits") == 1
    seldom_or_never = [(5, 2.9, UNKNOWN), (0, 0.0, UNKNOWN)]
    assert best([open_moves[0], *seldom_or_never], "value") == 0
    assert best([open_moves[0], *seldom_or_never], "ucb") == 1


def test_a_single_thread_needs_no_sharing() -> None:
    """The tree is the same, entry for entry, with the operations that threads need."""
    trees = []
    for shared in (False, True):
        search = search_of(DOTS, seed=4)
        settings = search._settings._replace(shared=shared)
        arguments = (search._trees[0], compiled(DOTS.start()), settings, search._workers[0])
        iterate(*arguments, search._memory, NEVER, 5000)
        tree = search._trees[0]
        assert sum(tree.visits[list(children(tree, 0))]) == 5000
        nodes = below(tree, 0)
        written = (tree.visits, tree.total, tree.count, tree.move, tree.proof)
        trees.append([array[nodes].tolist() for array in written])
    assert trees[0][1][0] > 0
    assert trees[0] == trees[1]


def test_schedules_replace_c() -> None:
    board = load_board("othello", CORNERLESS.variant)
    position = board.position(CORNERLESS.start().state())
    visits = []
    for own, given in ((0.1, None), (1.0, 0.1), (1.0, None)):
        search = search_of(CORNERLESS, c=own)
        search.think(position, NEVER, ThinkingLimits(5000), c=given)
        visits.append(search._trees[0].visits[: search.nodes].tolist())
    assert visits[0] == visits[1] != visits[2]
