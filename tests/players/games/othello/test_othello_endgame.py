"""The exact Othello endgame against brute force, the rules and published values."""

from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Timer
from typing import Any

import numpy as np
import pytest

import rules
from players.bench.speed import published
from players.compiled import bits
from players.compiled.cache import kernel
from players.games import endgame
from players.games import interface as game
from players.games.endgame import Solution, load_endgame
from players.games.othello.endgame import begin, new_memory, new_work
from players.games.othello.endgame_last import few, turned_at_last, turned_by_flips
from players.games.othello.lines import flips
from players.games.registry import load_board
from players.weights.evaluations import load_terms
from rules.othello import Othello
from rules.position import PASS, Position

SETTINGS: list[dict[str, Any]] = [
    {"preset": preset, "size": size} for preset in ("standard", "cornerless") for size in (4, 6, 8)
] + [
    {"corners": False},
    {"free_centre": True, "size": 6},
    {"preset": "cornerless", "corners": True},
]


@kernel
def brute_force(position: Any, moves: Any, passes: Any) -> int:
    """The margin under best play by trying everything; `passes` counts forced ones."""
    count = game.moves(position, moves[0])
    if count == 0:
        net = game.net(position)
        return net if position.seat == 0 else -net
    best = -100
    for index in range(count):
        child = game.play(position, np.int64(moves[0, index]))
        value = brute_force(child, moves[1:], passes)
        if child.seat == position.seat:
            passes[0] += 1
        else:
            value = -value
        best = max(best, value)
    return best


@kernel
def play_down(position: Any, left: int, state: Any) -> Any:
    """Play random moves while more than `left` squares are empty and the game goes on."""
    moves = np.zeros(game.MOVES, np.int16)
    while game.remaining(position) > left:
        count = game.moves(position, moves)
        if count == 0:
            break
        state, drawn = bits.draw(state)
        choice = np.int64(bits.below(drawn, np.uint64(count)))
        position = game.play(position, np.int64(moves[choice]))
    return position


@kernel
def compare(start: Any, trials: int, deepest: int, seed: Any, memory: Any) -> Any:
    """Solve random positions in random windows; (the failing trial or −1, forced passes met,
    games over with squares empty).
    """
    scratch = np.zeros((64, game.MOVES), np.int16)
    passes, stop, early = np.zeros(1, np.int64), np.zeros(1, np.int64), 0
    state = seed
    for trial in range(trials):
        state, drawn = bits.draw(state)
        left = trial % (deepest + 1)
        position = play_down(start, left, drawn)
        if game.remaining(position) > left:
            early += 1
        value = brute_force(position, scratch, passes)
        state, drawn = bits.draw(state)
        low: Any = np.int64(bits.below(drawn, np.uint64(128))) - 65
        state, drawn = bits.draw(state)
        high: Any = low + 1 + np.int64(bits.below(drawn, np.uint64(64 - low)))
        if drawn & np.uint64(1):  # most searches ask only which side of a line a value is on
            high = low + 1
        bound = endgame.solve(position, low, high, memory, stop)
        full = endgame.solve(position, -65, 65, memory, stop)
        inside = min(max(bound, low), high) == min(max(value, low), high)
        if full != value or not inside or (value <= low and bound < value):
            return trial, passes[0], early
        if value >= high and bound > value:
            return trial, passes[0], early
    return -1, passes[0], early


def load(settings: dict[str, Any]) -> tuple[Othello, Any]:
    """The rules and the kernels' board."""
    othello = rules.load("othello", **settings)
    assert isinstance(othello, Othello)
    return othello, load_board("othello", othello.variant)


def empty_squares(position: Position) -> int:
    """How many squares in play are empty."""
    return sum(row.count(".") for row in position.state()["board"])


def random_position(othello: Othello, left: int, random: Random) -> Position:
    """Random moves from the start until `left` squares are empty and the mover can move; or a
    finished game.
    """
    position = othello.start()
    while not position.is_over:
        moves = position.legal_moves()
        if empty_squares(position) <= left and moves != (PASS,):
            break
        position = position.play(random.choice(moves))
    return position


def never() -> Any:
    """A flag that is not set."""
    return np.zeros(1, np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("memory_mb", [0, 4])
def test_values_are_those_of_brute_force(settings: dict[str, Any], memory_mb: int) -> None:
    """A table of two buckets loses nearly everything, one of 4 MB nothing."""
    othello, board = load(settings)
    memory = new_memory(othello.size, memory_mb)
    seed = 20 + memory_mb
    start = board.position(othello.start().state())
    wrong, passes, early = compare(start, 2_000, 8, np.uint64(seed), memory)
    assert wrong == -1, f"trial {wrong} of seed {seed}"
    assert passes > 0
    assert early > 0


@kernel
def without_table(position: Any, memory: Any, work: Any, stop: Any) -> Any:
    """The margin by trying squares in the order of the board."""
    words = begin(position, memory, work, stop)
    return few(position.own, position.other, np.int64(-65), np.int64(65), words)


@pytest.mark.parametrize("settings", [{}, {"preset": "cornerless"}], ids=str)
def test_deeper_searches_agree_with_one_without_a_table(settings: dict[str, Any]) -> None:
    """From 12 empty squares on moves are looked at further, by patterns where they are known, and
    the table cuts off before any.
    """
    othello, board = load(settings)
    solvers = [load_endgame("othello", board, memory_mb) for memory_mb in (0, 16, 16)]
    solvers[-1].guide(load_terms("othello", othello.variant))
    assert len(solvers[-1].memory.terms)
    for seed in range(12):
        root = board.position(random_position(othello, 12 + seed % 2, Random(seed)).state())
        value = without_table(root, solvers[0].memory, new_work(), never())
        for solver in solvers:
            solution = solver.best(root, never())
            assert solution is not None
            assert solution.margin == value, f"seed {seed}"


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_principal_variation_leads_to_the_margin(settings: dict[str, Any]) -> None:
    """By the rules themselves; and the best of all moves' margins is that of the best move."""
    othello, board = load(settings)
    solver = load_endgame("othello", board, 4)
    for seed in range(10):
        position = random_position(othello, 11, Random(seed))
        if position.is_over:
            continue
        seat, root = position.to_move or 0, board.position(position.state())
        solution, margins = solver.best(root, never()), solver.margins(root, never())
        assert solution is not None
        assert margins is not None
        assert set(margins) == set(position.legal_moves())
        assert max(margins.values()) == solution.margin == margins[solution.move]
        assert solution.pv[0] == solution.move
        for move in solution.pv:
            if position.legal_moves() == (PASS,):
                position = position.play(PASS)
            position = position.play(move)
        scores = position.scores()
        assert position.is_over, f"seed {seed}: {solution}"
        assert scores[seat] - scores[1 - seat] == solution.margin, f"seed {seed}: {solution}"


def test_positions_with_one_empty_square_are_counted() -> None:
    """As Edax counts them: with two squares empty, the position and those after each move."""
    othello, board = load({})
    random, work = Random(1), new_work()
    for _ in range(20):
        position = random_position(othello, 2, random)
        if empty_squares(position) == 2:
            moves = len(position.legal_moves())
            before = int(work[0])
            without_table(board.position(position.state()), new_memory(8, 0), work, never())
            assert int(work[0]) - before == 1 + moves


def test_a_finished_game_has_its_margin_and_no_move() -> None:
    """There is nothing left to choose."""
    othello, board = load({"size": 4})
    position = random_position(othello, 0, Random(1))
    black, white = position.scores()
    margin = black - white if board.position(position.state()).seat == 0 else white - black
    solver = load_endgame("othello", board, 1)
    root = board.position(position.state())
    assert solver.best(root, never()) == Solution("", margin, [], 1)
    assert solver.margins(root, never()) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("state", "best"), published())
def test_published_values(state: dict[str, Any], best: dict[str, int]) -> None:
    """FFO 40 to 44. The published margins give empty squares to the winner, the arena's rules to
    no player: these best lines fill the board, so both agree.
    """
    othello, board = load({})
    root, solver = board.position(state), load_endgame("othello", board, 64)
    solver.guide(load_terms("othello", othello.variant))
    solution = solver.best(root, never())
    assert solution is not None
    assert len(solution.pv) == "".join(state["board"]).count(".")
    assert best[solution.move] == solution.margin


def test_four_by_four_is_won_by_white() -> None:
    """White wins by 8, 11 to 3: the known value of the 4×4 game."""
    othello, board = load({"size": 4})
    solution = load_endgame("othello", board, 4).best(
        board.position(othello.start().state()), never()
    )
    assert solution is not None
    assert solution.margin == -8


def test_a_stopped_search_answers_nothing_and_spoils_nothing() -> None:
    """Stopped again and again while it solves, a table still gives the true margins."""
    othello, board = load({"preset": "cornerless"})
    solver = load_endgame("othello", board, 8)
    set_before = np.ones(1, np.int64)
    position = random_position(othello, 30, Random(3))
    assert solver.best(board.position(position.state()), set_before) is None
    assert solver.margins(board.position(position.state()), set_before) is None
    while empty_squares(position) > 13:
        stop = never()
        timer = Timer(0.02, stop.__setitem__, (0, 1))
        timer.start()
        solver.best(board.position(position.state()), stop)
        timer.join()
        position = position.play(position.legal_moves()[-1])
    root = board.position(position.state())
    fresh = load_endgame("othello", board, 8)
    assert solver.margins(root, never()) == fresh.margins(root, never())


def test_a_line_cut_short_still_has_its_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when `stop` is set once the move is known and before the line is."""
    othello, board = load({"preset": "standard"})
    position = board.position(random_position(othello, 8, Random(1)).state())
    whole = load_endgame("othello", board, 1).best(position, never())
    monkeypatch.setattr("players.games.othello.endgame.follow", lambda *_: 0)
    cut = load_endgame("othello", board, 1).best(position, never())
    assert whole is not None
    assert len(whole.pv) > 1
    assert cut == whole._replace(pv=whole.pv[:1], nodes=cut.nodes if cut else 0)


def test_threads_share_a_table() -> None:
    """Two threads that overwrite each other's few entries both find the true margins."""
    othello, board = load({})
    shared = load_endgame("othello", board, 0)
    roots = [
        board.position(random_position(othello, 14, Random(seed)).state()) for seed in range(12)
    ]
    with ThreadPoolExecutor(2) as threads:
        together = list(threads.map(lambda root: shared.margins(root, never()), roots))
    alone = load_endgame("othello", board, 16)
    assert together == [alone.margins(root, never()) for root in roots]


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"preset": "cornerless"}], ids=str)
def test_threads_that_help_find_the_true_margin(settings: dict[str, Any]) -> None:
    othello, board = load(settings)
    shared, alone = load_endgame("othello", board, 4), load_endgame("othello", board, 4)
    shared.share()
    for seed in range(8):
        root, done = board.position(random_position(othello, 16, Random(seed)).state()), never()
        with ThreadPoolExecutor(2) as threads:
            helpers = [threads.submit(shared.help, root, done) for _ in range(2)]
            together = shared.best(root, never())
            done[0] = 1
        expected = alone.best(root, never())
        assert together is not None and expected is not None
        assert together.margin == expected.margin
        margins = alone.margins(root, never())
        assert margins is not None and margins[together.move] == expected.margin
        assert all(each.result() > 0 for each in helpers)
    assert not shared.memory.marks.any()


@kernel
def count_both_ways(trials: int, state: Any) -> int:
    """How often the two counts of the last square's flips differ from turning them."""
    wrong = 0
    for _ in range(trials):
        state, own = bits.draw(state)
        state, square = bits.draw(state)
        square &= np.uint64(63)
        own &= ~(bits.ONE << square)
        turned = np.int64(bits.popcount(flips(square, own, ~own)))
        wrong += turned != turned_by_flips(square, own) or turned != turned_at_last(square, own)
    return wrong


def test_the_last_squares_flips_are_counted_right() -> None:
    """By either way, whichever the processor allows."""
    assert count_both_ways(100_000, np.uint64(9)) == 0
