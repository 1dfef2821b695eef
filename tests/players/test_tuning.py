"""Tuning: the parameters, the rule of self-play by hand, SPSA and CMA-ES on a function whose best
point is known, games in process beside the players themselves, and runs that are resumed.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random

import numpy as np
import pytest

import rules
from arena.toml.file import FileError
from players.learning.tuning.config import TuneConfig, load_config
from players.learning.tuning.hall import KernelHall
from players.learning.tuning.methods import (
    CmaEs,
    Duel,
    Method,
    SelfPlay,
    Spsa,
    make_method,
    pair_scores,
)
from players.learning.tuning.plain import PlainDesk
from players.learning.tuning.space import Range, Space, WeightsPlan
from players.learning.tuning.tasks import Aborted, Opened, Played, Task
from players.learning.tuning.tuner import CHECKPOINT, MEASURE, MOST_POINTS, Tuner
from players.options import UctOptions, WeightedUctOptions
from players.options.tunable import tunable_table, tunables
from players.weights import load_weights

CORNERLESS = rules.load("othello", preset="cornerless")
PLAN = WeightsPlan("weights", "flat", 0.9, 1.1, 0.02, "apart", "all")


def space_of(game: rules.Game = CORNERLESS, **changes: object) -> Space:
    plan = WeightsPlan(**{**vars(PLAN), **changes})  # type: ignore[arg-type]
    return Space(game, {"iterations": 20}, [], plan)


class TestSpace:
    def test_squares_that_mirror_each_other_share_a_weight(self) -> None:
        space = space_of()
        assert space.names[:9] == tuple(
            f"black {square}" for square in ("b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4")
        )
        assert len(space.names) == 18
        weight = space.of_move()
        for image in ("c1", "f1", "a3", "h3", "a6", "h6", "c8", "f8"):
            assert weight[0, image] == weight[0, "c1"]
            assert weight[1, image] == weight[0, "c1"] + 9
        assert sum(index == weight[0, "c1"] for index in weight.values()) == 8

    def test_squares_never_played_have_no_weight(self) -> None:
        played = {move for _, move in space_of().of_move()}
        assert len(played) == 60
        assert not played & {"a1", "h1", "a8", "h8"}
        standard = {move for _, move in space_of(rules.load("othello")).of_move()}
        assert len(standard) == 60
        assert not standard & {"d4", "e4", "d5", "e5"}

    def test_fewer_symmetries_and_sides_together(self) -> None:
        assert len(space_of(symmetry="axes").names) == 2 * 15
        assert len(space_of(symmetry="none").names) == 2 * 60
        together = space_of(colours="together")
        assert together.names[0] == "b1"
        assert together.of_move()[0, "b1"] == together.of_move()[1, "b1"]

    def test_edges_of_a_rectangle_mirror_in_its_axes_alone(self) -> None:
        square = space_of(rules.load("dots", rows=2, cols=2)).of_move()
        assert square[0, "a1b1"] == square[0, "a1a2"]
        oblong = space_of(rules.load("dots", rows=1, cols=2)).of_move()
        assert oblong[0, "a1b1"] == oblong[0, "b2c2"]
        assert oblong[0, "a1b1"] != oblong[0, "a1a2"]

    def test_its_table_is_what_the_player_reads(self, tmp_path: Path) -> None:
        for game in (CORNERLESS, rules.load("dots", rows=2, cols=3)):
            space = space_of(game)
            vector = np.round(np.linspace(0.9, 1.1, len(space.names)), 4).tolist()
            (tmp_path / "w.json").write_text(json.dumps(space.table(vector)))
            board = space._board
            read = load_weights(str(tmp_path / "w.json"), game.name, board.moves)
            assert np.array_equal(read, space.contestant(vector).weights)

    def test_a_start_outside_of_the_range_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"black b1 weighs 2\.5, outside of the range"):
            space_of(start="hand")
        assert space_of(start="hand", low=0.5, high=3.0).start[0] == 2.5

    def test_whole_options_are_whole(self) -> None:
        ranges = [Range("expand_after", 1, 40, 1, 2, True), Range("c", 0.1, 2, 0.1, 1, False)]
        space = Space(CORNERLESS, {"iterations": 9}, ranges, None)
        assert space.clipped([2.6, 7.0]) == (2.6, 2.0)
        assert space.contestant((2.6, 2.0)).options == {"iterations": 9, "expand_after": 3, "c": 2}

    def test_players_declare_what_may_be_tuned(self) -> None:
        assert {"c", "mix", "rave", "expand_after"} <= set(tunables(UctOptions))
        table = tunable_table(WeightedUctOptions)
        assert table is not None
        assert (table[0], table[1].low, table[1].high) == ("weights", 0.9, 1.1)


def game_of(*moves: tuple[int, str], net: int) -> Played:
    return Played(moves, net)


class TestSelfPlay:
    def test_the_rule_by_hand(self) -> None:
        space = space_of()
        method = SelfPlay(space, constant=0.01, batch=1)
        won_by_black = game_of((0, "c1"), (1, "b1"), (0, "f8"), (1, "d4"), (0, "d4"), net=2)
        method.learn([won_by_black])
        found = dict(zip(space.names, method.vector, strict=True))
        assert found.pop("black c1") == pytest.approx(1.02)  # c1 and f8 mirror each other
        assert found.pop("black d4") == pytest.approx(1.01)
        assert found.pop("white b1") == pytest.approx(0.99)
        assert found.pop("white d4") == pytest.approx(0.99)
        assert set(found.values()) == {1.0}
        method.learn([game_of((0, "c1"), (1, "d4"), net=-1)])
        found = dict(zip(space.names, method.vector, strict=True))
        assert found["black c1"] == pytest.approx(1.01)
        assert found["white d4"] == pytest.approx(1.0)

    def test_a_drawn_game_changes_nothing(self) -> None:
        method = SelfPlay(space_of(), constant=0.01, batch=1)
        method.learn([game_of((0, "c1"), (1, "b1"), net=0)])
        assert set(method.vector) == {1.0}

    def test_weights_are_clipped_after_each_game(self) -> None:
        space = space_of()
        method = SelfPlay(space, constant=0.07, batch=2)
        up, down = game_of((0, "c1"), net=1), game_of((0, "c1"), net=-1)
        method.learn([up, up, down])
        assert method.vector[space.names.index("black c1")] == pytest.approx(1.1 - 0.07)

    def test_both_play_the_same_weights_from_the_start(self) -> None:
        method = SelfPlay(space_of(), constant=0.01, batch=3)
        assert method.duels() == [Duel(method.vector, method.vector, None)] * 3


OPTIMUM = (0.7, 1.6)
OPTIONS = [Range("c", 0.05, 3.0, 0.1, 1.2, False), Range("mix", 0.0, 4.0, 0.2, 0.6, False)]


def strength(vector: tuple[float, ...]) -> float:
    """Best at OPTIMUM; a step away costs a quarter of a unit of log odds, and more further off."""
    steps = [(x - best) / each.step for x, best, each in zip(vector, OPTIMUM, OPTIONS, strict=True)]
    return -0.25 * sum(step * step for step in steps) ** 0.5


def noisy_game(duel: Duel, rng: Random) -> Played:
    odds = math.exp(strength(duel.first) - strength(duel.second))
    return Played((), 1 if rng.random() < odds / (1 + odds) else -1)


def learned(method: Method, games: int) -> tuple[float, ...]:
    rng = Random(5)
    while games > 0:
        duels = method.duels()
        method.learn([noisy_game(duel, rng) for duel in duels])
        games -= len(duels)
    return method.vector


def distance(vector: tuple[float, ...]) -> float:
    """From the optimum, in steps."""
    return max(
        abs(x - best) / each.step for x, best, each in zip(vector, OPTIMUM, OPTIONS, strict=True)
    )


SPSA = {"a": 30.0, "A": 50.0, "c": 1.0, "alpha": 0.602, "gamma": 0.101, "pairs": 8}
CMA = {"population": 8, "sigma": 1.5, "pairs": 16, "most_pairs": 64, "resample": 0.25}


class TestOptimisers:
    def test_the_start_is_far_from_the_optimum(self) -> None:
        assert distance(tuple(each.start for each in OPTIONS)) == pytest.approx(5.0)

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_spsa_finds_the_optimum_of_a_noisy_function(self, seed: int) -> None:
        space = Space(CORNERLESS, {}, OPTIONS, None)
        assert distance(learned(Spsa(space, seed, **SPSA), 16_000)) < 1.0  # type: ignore[arg-type]

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_cma_finds_the_optimum_of_a_noisy_function(self, seed: int) -> None:
        space = Space(CORNERLESS, {}, OPTIONS, None)
        assert distance(learned(CmaEs(space, seed, **CMA), 16_000)) < 1.0  # type: ignore[arg-type]

    def test_a_step_of_spsa_by_hand(self) -> None:
        space = Space(CORNERLESS, {}, OPTIONS, None)
        method = Spsa(space, 1, **{**SPSA, "pairs": 1})  # type: ignore[arg-type]
        up, down = method.duels()
        assert (up.first, up.second, up.opening) == (down.second, down.first, down.opening)
        signs = np.sign(np.array(up.first) - np.array(space.start))
        assert np.allclose(np.array(up.first) - space.start, signs * space.step)
        method.learn([Played((), 1), Played((), -1)])  # θ+ wins both
        gain = 30.0 / 51.0**0.602 * 0.5  # a_0 · (1 − 0)/(2 · c_0)
        assert np.allclose(np.array(method.vector) - space.start, gain * signs * space.step)

    def test_noise_makes_candidates_play_more_pairs(self) -> None:
        method = CmaEs(Space(CORNERLESS, {}, OPTIONS, None), 1, **{**CMA, "pairs": 2})  # type: ignore[arg-type]
        rng, before = Random(1), len(method.duels())
        for _ in range(40):
            method.learn([Played((), rng.choice((-1, 1))) for _ in method.duels()])
        assert len(method.duels()) > 2 * before

    @pytest.mark.parametrize(("name", "settings"), [("spsa", SPSA), ("cma", CMA)])
    def test_put_away_and_taken_out_they_go_on_to_the_bit(
        self, name: str, settings: dict[str, float]
    ) -> None:
        space, rng = Space(CORNERLESS, {}, OPTIONS, None), Random(3)
        one = make_method(name, dict(settings), space, 7)
        for _ in range(9):
            one.learn([noisy_game(duel, rng) for duel in one.duels()])
        other = make_method(name, dict(settings), space, 7)
        other.restore(json.loads(json.dumps(one.state())))
        for _ in range(3):
            assert one.duels() == other.duels()
            games = [noisy_game(duel, rng) for duel in one.duels()]
            one.learn(games)
            other.learn(games)
        assert one.vector == other.vector

    def test_pairs_are_scored_as_the_one_sees_them(self) -> None:
        won, drawn, lost = (Played((), net) for net in (3, 0, -3))
        assert pair_scores([won, lost, drawn, drawn, lost, won, won, drawn]) == [2, 1, 0, 1.5]


BUDGET = {"iterations": 24, "endgame_mb": 1, "memory_mb": 8}


class TestGames:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"reuse": False, "playouts": 1, "c": "auto", "final": "value"},
            {"final": "bound", "expand_after": 5, "backup": "score"},
        ],
    )
    def test_a_game_in_one_kernel_is_the_players_own(self, options: dict[str, object]) -> None:
        space = Space(CORNERLESS, BUDGET | options, [], PLAN)
        first = space.contestant(space.start)
        second = space.contestant(np.linspace(0.9, 1.1, len(space.start)).tolist())
        hall = KernelHall(CORNERLESS, "weighted-uct", first, 1)
        hall.load(4)
        assert hall._counted is not None
        for number in range(2):
            task = Task((first, second), f"opening {number}", 4, f"seed {number}")
            (played,) = hall.play([task])
            rng = Random(task.seed)
            seeds = (rng.getrandbits(63), rng.getrandbits(63))
            desk = PlainDesk(CORNERLESS, space._board, "weighted-uct", hall._stop)
            opened: Opened = hall._opened(task.opening, task.plies)
            assert desk.play((first, second), opened, seeds) == played
            assert len(played.moves) > 40
        hall.close()

    def test_neither_threads_nor_their_order_change_a_game(self) -> None:
        space = Space(CORNERLESS, BUDGET, [], PLAN)
        contestant = space.contestant(space.start)
        tasks = [Task((contestant, contestant), f"{n}", 4, f"{n}") for n in range(12)]
        results = []
        for threads in (1, 3):
            hall = KernelHall(CORNERLESS, "weighted-uct", contestant, threads)
            hall.load(4)
            results.append(hall.play(tasks))
            hall.close()
        assert results[0] == results[1]
        assert len(set(results[0])) > 6

    def test_openings_end_even_and_are_those_of_their_seed(self) -> None:
        space = Space(CORNERLESS, BUDGET, [], PLAN)
        hall = KernelHall(CORNERLESS, "weighted-uct", space.contestant(space.start), 1)
        lines = set()
        for seed in ("a", "b", "c", "a"):
            opened = hall._opened(seed, 6)
            position = CORNERLESS.start()
            for move, mover in zip(opened.moves[:6], opened.movers[:6], strict=True):
                assert position.to_move == mover
                position = position.play(space._board.names[move])
            lines.add(tuple(opened.moves[:6].tolist()))
        assert len(lines) == 3
        with pytest.raises(ValueError, match="no opening of 60 moves"):
            hall._opened("a", 60)
        hall.close()

    def test_other_players_are_asked_turn_by_turn(self) -> None:
        game = rules.load("othello", size=4)
        space = Space(
            game,
            {"nodes": 50, "endgame_mb": 1, "memory_mb": 1},
            [Range("aspiration", 0, 20, 1, 0, False)],
            None,
        )
        contestant = space.contestant(space.start)
        hall = KernelHall(game, "alphabeta", contestant, 2)
        hall.load(2)
        games = hall.play([Task((contestant, contestant), "x", 2, "y")] * 2)
        assert games[0] == games[1]
        assert 0 < len(games[0].moves) <= 10
        hall.abort()
        with pytest.raises(Aborted):
            hall.play([Task((contestant, contestant), "x", 2, "y")])
        hall.close()

    def test_players_may_think_for_milliseconds(self) -> None:
        """Also beside a number of iterations that they never reach."""
        space = Space(CORNERLESS, BUDGET | {"iterations": 10**8, "think_ms": 1}, [], PLAN)
        contestant = space.contestant(space.start)
        hall = KernelHall(CORNERLESS, "weighted-uct", contestant, 1)
        hall.load(4)
        (played,) = hall.play([Task((contestant, contestant), "x", 4, "y")])
        assert len(played.moves) > 40
        hall.close()


FILE = """
[tuning]
method = "{method}"
games = {games}
compare_every = 40
compare_games = 8
measure_games = 8
threads = {threads}
[game]
rules = "othello"
preset = "cornerless"
[openings]
plies = 4
[player]
bot = "weighted-uct"
options = {{ iterations = 20, playouts = 1, endgame_mb = 1, memory_mb = 8 }}
[weights]
"""
TABLES = {
    "selfplay": "[selfplay]\nbatch = 8\nconstant = 0.003\n",
    "spsa": "[spsa]\npairs = 4\n",
    "cma": "[cma]\npopulation = 4\npairs = 2\nmost_pairs = 2\n",
}


def config_of(folder: Path, method: str, games: int = 80, threads: int = 2) -> TuneConfig:
    path = folder / "it.toml"
    path.write_text(FILE.format(method=method, games=games, threads=threads) + TABLES[method])
    return load_config(path)


def run(tuner: Tuner, batches: int = 1000) -> Tuner:
    while batches and not tuner.finished:
        batches -= 1
        if tuner.wants_comparison:
            tuner.compare()
        elif tuner.learned:
            tuner.extend(MEASURE, tuner.config.measure_games // 2)
        else:
            tuner.run_batch()
    return tuner


class TestTuner:
    @pytest.mark.parametrize("method", ["selfplay", "spsa", "cma"])
    def test_resumed_it_ends_as_if_never_stopped(self, tmp_path: Path, method: str) -> None:
        whole, parts = tmp_path / "whole", tmp_path / "parts"
        whole.mkdir()
        parts.mkdir()
        config = config_of(tmp_path, method)
        tuner = Tuner.open(config, whole)
        tuner.load()
        run(tuner).save()
        tuner.close()
        stopped = run(Tuner.open(config_of(tmp_path, method, threads=1), parts), 3)
        stopped.save()
        run(stopped, 2)  # lost, as after kill -9
        stopped.close()
        last = run(Tuner.open(config, parts))
        last.save()
        last.close()
        one, other = (json.loads((each / CHECKPOINT).read_text()) for each in (whole, parts))
        for each in (one, other):
            assert each["counts"].pop("seconds") > 0
            each["config"].pop("threads", None)
        assert one == other
        assert len(one["comparisons"]) == 2
        assert len(one["matches"][MEASURE]) == 4
        assert list(last.vector) != list(last.space.start)

    def test_more_games_are_welcome_and_other_settings_are_not(self, tmp_path: Path) -> None:
        folder = tmp_path / "run"
        folder.mkdir()
        tuner = run(Tuner.open(config_of(tmp_path, "selfplay", games=16), folder))
        tuner.save()
        assert tuner.finished
        more = Tuner.open(config_of(tmp_path, "selfplay", games=24), folder)
        assert more.counts["games"] == 16
        assert not more.learned
        with pytest.raises(
            ValueError, match=r"""Changed: tuning\.method: "selfplay" → "spsa"\. Give"""
        ):
            Tuner.open(config_of(tmp_path, "spsa"), folder)
        (folder / CHECKPOINT).write_text("{}")
        with pytest.raises(ValueError, match="no checkpoint of a tuning, or damaged"):
            Tuner.open(config_of(tmp_path, "selfplay"), folder)

    def test_aborted_nothing_is_learned(self, tmp_path: Path) -> None:
        tuner = Tuner.open(config_of(tmp_path, "selfplay"), tmp_path)
        tuner.interrupt()
        with pytest.raises(Aborted):
            tuner.run_batch()
        assert tuner.vector == tuner.space.start
        assert tuner.counts["games"] == 0

    def test_a_long_history_is_thinned(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tuner = Tuner.open(config_of(tmp_path, "selfplay", games=10**6), tmp_path)
        monkeypatch.setattr(tuner._hall, "play", lambda tasks: [Played((), 1)] * len(tasks))
        for _ in range(MOST_POINTS + 200):
            tuner.run_batch()
        games = [point.games for point in tuner.points]
        assert MOST_POINTS / 2 <= len(games) <= MOST_POINTS
        assert games[:3] == [0, 16, 32]
        assert len(set(np.diff(games))) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('method = "spsa"', 'method = "spas"'), "one of 'selfplay', 'spsa', 'cma'"),
        (('bot = "weighted-uct"', 'bot = "uct"'), "uct has no table of weights"),
        (('bot = "weighted-uct"', 'bot = "monkey"'), "has nothing to tune"),
        (("iterations = 20, ", ""), "say how long a move is thought about"),
        (('rules = "othello"', 'rules = "2048"'), "game.rules: must be"),
        (("[weights]", "[weights]\nrange = [1.1, 0.9]"), "must be [low, high] above 0"),
        (("[weights]", "[parameters.cc]\n"), "did you mean"),
        (("[weights]", "[parameters.c]\nlow = 2.0"), "begins at 1.0, which is not within 2 and 3"),
        (("[weights]", ""), "nothing is tuned"),
        (("[weights]", "[parameters.mix]\n"), 'refuses it: only leaf = "mixed" mixes'),
        (("[weights]", "[parameters.c]\nhgh = 2.0"), "parameters.c.hgh: unknown key; did you mean"),
        (
            ("[weights]", '[weights]\nstart = "no.json"'),
            "weights.start: weights 'no.json' cannot be",
        ),
        (("[spsa]", "[cma]"), 'the method is "spsa"; leave this table out'),
        (("iterations = 20", 'iterations = 20, weights = "hand"'), "say where to begin as start"),
    ],
)
def test_a_mistake_is_told_with_its_place(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    text = FILE.format(method="spsa", games=8, threads=1) + TABLES["spsa"]
    assert change[0] in text
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace(*change))
    with pytest.raises(FileError) as refused:
        load_config(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)


def test_selfplay_tunes_weights_alone(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    text = FILE.format(method="selfplay", games=8, threads=1)
    path.write_text(text.replace("[weights]", "[parameters.c]"))
    with pytest.raises(FileError, match="tunes a table of weights alone"):
        load_config(path)
