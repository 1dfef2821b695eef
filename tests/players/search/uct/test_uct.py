"""UCT: what it chooses, how its tree goes along with the game, and that it is reproducible."""

import time
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rules
from players.games.interface import MOVES
from players.games.registry import load_board
from players.search.stop import stop_at
from players.search.tree import ENTRY_BYTES, children
from players.search.uct.driver import ThinkingLimits, UctSearch
from rules.position import PASS, Game, Position
from tests.players.conftest import random_position, true_net
from tests.players.uct_helpers import check_tree, choose, compiled, search_of, think

GAMES = [
    rules.load("dots", rows=2, cols=2),
    rules.load("dots", rows=1, cols=4, stop_at_majority=True),
    rules.load("othello", size=4),
    rules.load("othello", size=4, preset="cornerless"),
]


@pytest.mark.parametrize("solver", [True, False], ids=["solver", "statistics"])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name} {game.variant}")
def test_finds_the_best_outcome_of_small_positions(game: Game, solver: bool) -> None:
    proofs = 0
    for seed in range(12):
        position = random_position(game, 6, Random(seed))
        search = search_of(game, c=0.7, solver=solver)
        thought = think(search, position, 10_000)
        choice = choose(search, position)
        reached = outcome(position.play(choice.move), position.to_move)
        assert reached == outcome(position, position.to_move), f"seed {seed}\n{position}\n{choice}"
        if thought.ended == "proof":
            assert choice.proven
            assert choice.value == 0.5 + 0.5 * reached
            proofs += 1
        check_tree(search._trees[0])
    assert proofs > 5 if solver else proofs == 0


def outcome(position: Position, seat: int | None) -> int:
    """The true result for `seat`: 1, 0 or −1."""
    return int(np.sign(true_net(position))) * (1 if seat == 0 else -1)


def test_the_seed_decides_everything() -> None:
    game = rules.load("othello", preset="cornerless")
    results = []
    for seed in (7, 7, 8):
        search = search_of(game, seed=seed)
        assert think(search, game.start(), 2000).iterations == 2000
        visits = search._trees[0].visits[: search.nodes].tolist()
        results.append((choose(search, game.start()), visits))
    assert results[0] == results[1]
    assert results[0][1] != results[2][1]


@pytest.mark.parametrize(
    "game",
    [rules.load("dots", rows=2, cols=3), rules.load("othello", size=4)],
    ids=lambda game: game.name,
)
def test_the_tree_follows_the_moves_played(game: Game) -> None:
    """Through whole games, with passes and extra turns on the way."""
    reused, passes, extra_turns = 0, 0, 0
    for seed in range(30):
        rng = Random(seed)
        search, position, since = search_of(game, solver=False), game.start(), list[str]()
        while not position.is_over:
            legal = position.legal_moves()
            if legal != (PASS,) and position.to_move == 0:
                expected = _visits_below(search, since) if since else 0
                search.follow(since, legal, reuse=True)
                assert search.visits == expected, f"seed {seed}\n{position}"
                check_tree(search._trees[0])
                reused += expected > 0
                think(search, position, 400)
                since = []
                check_tree(search._trees[0])
            before, move = position.to_move, rng.choice(legal)
            position = position.play(move)
            passes += move == PASS
            extra_turns += position.to_move == before
            since.append(move)
    assert reused > 60
    assert passes > 3 if game.name == "othello" else extra_turns > 30


def _visits_below(search: UctSearch, moves: list[str]) -> int:
    """The visits of the node that `moves` lead to, read without the search's own methods; 0 when
    it has no children yet, as the tree is then started again.
    """
    tree, node = search._trees[0], 0
    for name in moves:
        if name == PASS:
            continue
        first, count = int(tree.first[node]), int(tree.count[node])
        block = tree.move[first : first + count].tolist() if count > 0 else []
        move = search._board.moves[name]
        if move not in block:
            return 0
        node = first + block.index(move)
    return int(tree.visits[node]) if tree.count[node] > 0 else 0


def test_a_tree_that_does_not_fit_the_position_is_dropped() -> None:
    game = rules.load("dots", rows=2, cols=2)
    search = search_of(game, solver=False)
    think(search, game.start(), 500)
    after = game.start().play("a1b1")
    search.follow(["a1a2"], after.legal_moves(), reuse=True)
    assert search.visits == 0
    think(search, after, 500)
    search.follow([], after.legal_moves(), reuse=True)
    assert search.visits == 500
    search.follow([], after.legal_moves(), reuse=False)
    assert search.visits == 0
    think(search, after, 500)
    for proof, kept in ((-1, 500), (1, 0)):  # which the first move proves, or none
        search._trees[0].proof[0], search._trees[0].proof[search._trees[0].first[0]] = proof, -1
        search.follow([], after.legal_moves(), reuse=True)
        assert search.visits == kept


def test_a_pass_that_is_a_choice_is_followed() -> None:
    game = rules.load("dots", rows=2, cols=2)
    search = search_of(game, solver=False)
    think(search, game.start(), 500)
    board: Any = search._board
    search._board = SimpleNamespace(names=board.names, moves={"pass": board.moves["a1b1"]})
    search.follow(["pass"], game.start().play("a1b1").legal_moves(), reuse=True)
    assert 0 < search.visits < 500


def test_a_tree_goes_on_growing_in_what_room_is_left() -> None:
    """Ever more slowly: the visits a node must have go with the room."""
    game = rules.load("othello", preset="cornerless")
    search, room = search_of(game, memory_mb=1), 1_000_000 // ENTRY_BYTES
    nodes = []
    for _ in range(5):
        think(search, game.start(), 30_000)
        nodes.append(search.nodes)
        check_tree(search._trees[0])
    assert nodes == sorted(set(nodes))
    assert room * 0.8 < nodes[-1] <= room
    assert search.visits == 150_000


def test_a_tree_has_no_more_entries_than_their_numbers_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    monkeypatch.setattr(
        "players.search.tree.new_tree", lambda entries, *, rave: asked.append(entries)
    )
    for memory_mb in (1, 65_536):
        search_of(GAMES[0], memory_mb=memory_mb)
    assert asked == [1_000_000 // ENTRY_BYTES, np.iinfo(np.int32).max]


def test_a_node_waits_for_its_visits_before_it_is_expanded() -> None:
    game = rules.load("dots", rows=2, cols=3)
    for wait in (1, 5, 20):
        search = search_of(game, solver=False, expand_after=wait)
        think(search, game.start(), 20_000)
        tree = search._trees[0]
        visits, counts = tree.visits[1 : search.nodes], tree.count[1 : search.nodes]
        assert (visits[counts >= 0] > wait).all()
        assert (visits[counts < 0] <= wait + 1).all()  # the root's room makes it a little more


def test_weights_draw_visits_by_colour_and_move() -> None:
    game = rules.load("othello", preset="cornerless")
    board = load_board(game.name, game.variant)
    weights = np.ones((2, MOVES), np.float32)
    weights[0, board.moves["b7"]] = 1.5
    weights[1, board.moves["c3"]] = 2.0
    search = search_of(game, weights=weights)
    think(search, game.start(), 5000)
    choice = choose(search, game.start())
    assert choice.move == "b7"
    assert choice.pv[1] == "c3"
    plain, ones = search_of(game), search_of(game, weights=np.ones((2, MOVES), np.float32))
    think(plain, game.start(), 1000)
    think(ones, game.start(), 1000)
    assert choose(plain, game.start(), "value") == choose(ones, game.start(), "value")


def test_the_final_move_is_by_visits_by_value_or_by_its_bounds() -> None:
    game = rules.load("othello", preset="cornerless")
    search = search_of(game)
    think(search, game.start(), 3000)
    tree = search._trees[0]
    block = list(children(tree, 0))
    visits, means = tree.visits[block], tree.total[block] / tree.visits[block]
    bounds = means - 0.8 * np.sqrt(2 * np.log(visits.sum()) / visits)
    assert choose(search, game.start(), "visits").visits == visits.max()
    assert choose(search, game.start(), "value").value == means.max()
    names = [search._board.names[tree.move[child]] for child in block]
    assert choose(search, game.start(), "bound", 0.8).move == names[int(np.argmax(bounds))]
    upper = 2 * means - bounds
    assert choose(search, game.start(), "ucb", 0.8).move == names[int(np.argmax(upper))]


def test_the_clock_stops_it_and_a_little_is_always_done() -> None:
    game = rules.load("dots")
    position = compiled(game.start())
    search = search_of(game)
    with stop_at(time.monotonic() + 0.05) as stop:
        thought = search.think(position, stop, ThinkingLimits())
    assert stop[0] == 1
    assert thought.iterations > 0
    assert thought.ended == ""
    late = search_of(game)
    with stop_at(time.monotonic() - 1) as stop:
        assert late.think(position, stop, ThinkingLimits(), least=60).iterations == 60
    assert choose(late, game.start()).move in game.start().legal_moves()
