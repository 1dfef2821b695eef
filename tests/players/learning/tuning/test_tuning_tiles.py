"""Tuning players of 2048 and 2584: games next to those of the players themselves, and values that
are found again.
"""

from pathlib import Path

import numpy as np
import pytest

import rules
from arena.errors import FileError
from players.expectimax import ExpectimaxOptions
from players.games.tiles.boards import TileBoard
from players.heuristic import HeuristicOptions
from players.learning.tuning.config import load_config
from players.learning.tuning.matches import Aborted, Contestant, MatchTask
from players.learning.tuning.runner import DrivenPlayer, InProcessRunner, TurnWorker
from players.learning.tuning.tile_games import TileWorker
from players.learning.tuning.tuner import MEASURE, Tuner
from players.options import tunables
from rules.tiles import SLIDES, SPAWNS
from tests.players.tile_cases import cells_of

BUDGET = {"nodes": 30, "think_ms": None, "memory_mb": 1}
ONE = Contestant(BUDGET, None, ())
OTHER = Contestant({**BUDGET, "smoothness": 0.4, "empty": 1.5}, None, (1.0,))
NEVER = np.zeros(1, np.int64)


def worker_of(game: rules.Game) -> TileWorker:
    return TileWorker(game, HeuristicOptions.model_validate(BUDGET), NEVER)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("2048", {}),
        ("2048", {"placer": "player"}),
        ("2048", {"placer": "player", "placer_chooses": "cell"}),
        ("2584", {"spawn": "1/3"}),
    ],
)
def test_a_game_in_one_kernel_is_the_players_own(name: str, settings: dict[str, str]) -> None:
    """Every decision is what the player answers to the same board."""
    game = rules.load(name, **settings)
    board, record = TileBoard(name, game.variant["spawn"]), np.zeros((120, 3), np.uint64)
    score = worker_of(game).slide((ONE, OTHER), 7, record)
    assert score > 100
    position, slider = game.start(7), True
    seats = [
        DrivenPlayer("heuristic", each, game, position, seat, seed=1)
        for seat, each in enumerate((ONE, OTHER)[: game.seats])
    ]
    common, rare = SPAWNS[name][game.variant["spawn"]]
    cells = [f"{column}{row}" for row in range(1, 5) for column in "abcd"]
    names = [*SLIDES, *(f"{cell}={tile}" for cell in cells for tile in (common, rare))]
    empty = board.board([0] * 16)
    for *words, code in record[record.any(axis=1)].tolist():
        here = cells_of(board, type(empty)(*map(np.uint64, words[: len(empty)])))
        state = {"board": [here[at : at + 4] for at in range(0, 16, 4)], "score": 0}
        position = game.position({**state, "to_move": 0 if slider else 1})
        answer = seats[0 if slider else 1].choose(position, [])
        tile_too = game.variant["placer_chooses"] == "tile"
        assert answer == (names[code] if tile_too else names[code].partition("=")[0])
        slider = game.seats == 1 or not slider


@pytest.mark.slow
def test_two_players_without_chance_play_the_same_game_by_the_rules() -> None:
    game = rules.load("2048", placer="player")
    for seed in range(3):
        by_rules = TurnWorker(game, "heuristic", NEVER).slide((OTHER, ONE), seed)
        assert worker_of(game).slide((OTHER, ONE), seed) == by_rules


@pytest.mark.slow
def test_each_slides_once_on_the_same_seed_and_the_higher_score_wins() -> None:
    game = rules.load("2048")
    tasks = [MatchTask((ONE, OTHER), "", 0, f"seed {number}") for number in range(6)]
    results = []
    for threads in (1, 3):
        runner = InProcessRunner(game, "heuristic", ONE, threads)
        runner.load(0)
        results.append(runner.play(tasks))
        swapped = runner.play([MatchTask((OTHER, ONE), "", 0, "seed 0")])
        runner.close()
    assert results[0] == results[1]
    assert len(set(results[0])) == 6
    for played in results[0]:
        assert played.slid is not None
        first, second = played.slid
        assert played.net == first - second
        assert played.points == (first > second) + 0.5 * (first == second)
    assert results[0][0].slid == swapped[0].slid[::-1]
    same = InProcessRunner(game, "heuristic", ONE, 1)
    assert same.play([MatchTask((ONE, ONE), "", 0, "x")])[0].net == 0
    same.abort()
    with pytest.raises(Aborted):
        same.play([MatchTask((ONE, ONE), "", 0, "x")])
    same.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("placer", "bot"), [("chance", "heuristic"), ("player", "heuristic"), ("player", "expectimax")]
)
def test_other_players_are_asked_turn_by_turn(placer: str, bot: str) -> None:
    """So are those who look at the clock."""
    game = rules.load("2048", placer=placer)
    contestant = Contestant({"depth": 1, "memory_mb": 0, "think_ms": 50}, None, ())
    runner = InProcessRunner(game, bot, contestant, 1)
    runner.load(0)
    (played,) = runner.play([MatchTask((contestant, contestant), "", 0, "x")])
    assert played.net == 0
    assert played.slid is not None
    assert played.slid[0] > 100
    runner.close()


def test_players_declare_what_may_be_tuned() -> None:
    assert set(tunables(HeuristicOptions)) == {"smoothness", "monotonicity", "empty", "largest"}
    assert set(tunables(ExpectimaxOptions)) == {"popup", "star"}


FILE = """
[tuning]
method = "spsa"
games = 120
compare_every = 120
compare_games = 10
measure_games = 40
[game]
rules = "2048"
[player]
bot = "heuristic"
options = { depth = 1, memory_mb = 0, smoothness = 0.0 }
[parameters.smoothness]
[spsa]
a = 20.0
A = 5.0
c = 3.0
pairs = 4
"""


@pytest.mark.slow
def test_a_weight_that_matters_is_found_again(tmp_path: Path) -> None:
    """Who does not care for smooth boards is beaten by who learned to."""
    (tmp_path / "it.toml").write_text(FILE)
    config = load_config(tmp_path / "it.toml")
    assert config.options["think_ms"] is None  # no clock cuts a game short
    vectors = []
    for games in (120, 56):
        path = tmp_path / str(games)
        path.mkdir()
        tuner = Tuner(config, path)
        while tuner.counts["games"] < games:
            tuner.run_batch()
        tuner.save()
        tuner.close()
        if games < 120:  # stopped, and gone on with
            tuner = Tuner(config, path)
            while not tuner.learned:
                tuner.run_batch()
        vectors.append(tuner.vector)
    assert vectors[0] == vectors[1]
    tuner.extend(MEASURE, 20)
    tuner.close()
    scores = tuner.matches[MEASURE]
    assert sum(scores) / 40 > 0.6
    points = [(one > other) + 0.5 * (one == other) for one, other in tuner.slid]
    assert [sum(pair) for pair in zip(points[::2], points[1::2], strict=True)] == list(scores)
    tuner.save()
    assert Tuner(config, path).slid == tuner.slid


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("[parameters.smoothness]", "[parameters.popup]"), "popup"),
        (("depth = 1, ", ""), "say how long a move is thought about"),
        (("[parameters.smoothness]", "[weights]"), "heuristic has no table of weights"),
        (('"2048"', '"2048"\nspawn = "1/2"'), "spawn"),
        (('"spsa"', '"selfplay"'), 'heuristic has none; choose "spsa" or "cma"'),
        (
            (
                'bot = "heuristic"\noptions = { depth = 1, memory_mb = 0, smoothness = 0.0 }\n'
                "[parameters.smoothness]",
                'bot = "expectimax"\noptions = { depth = 1 }\n[parameters.popup]',
            ),
            "begins at nothing, which is not within 1 and 16: give popup in [player] options",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_place(
    tmp_path: Path, change: tuple[str, str], expected: str
) -> None:
    assert change[0] in FILE
    path = tmp_path / "wrong.toml"
    path.write_text(FILE.replace(*change))
    with pytest.raises(FileError) as refused:
        load_config(path)
    assert expected in str(refused.value)
