"""Tunings that are stopped and go on, and the mistakes of their files."""

import json
from pathlib import Path

import numpy as np
import pytest

from arena.errors import FileError
from players.learning.tuning.config import TuneConfig, load_config
from players.learning.tuning.matches import Aborted, PlayedGame
from players.learning.tuning.tuner import (
    CHECKPOINT,
    DIGEST,
    MEASURE,
    MOST_POINTS,
    VERIFY,
    TunedPairs,
    Tuner,
    keep,
    kept,
)
from players.weights.evaluations import FOLDER as WEIGHTS

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
    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["selfplay", "spsa", "cma"])
    def test_resumed_it_ends_as_if_never_stopped(self, tmp_path: Path, method: str) -> None:
        whole, parts = tmp_path / "whole", tmp_path / "parts"
        whole.mkdir()
        parts.mkdir()
        config = config_of(tmp_path, method)
        tuner = Tuner(config, whole)
        tuner.load()
        run(tuner).save()
        tuner.close()
        stopped = run(Tuner(config_of(tmp_path, method, threads=1), parts), 3)
        stopped.save()
        run(stopped, 2)  # lost, as after kill -9
        stopped.close()
        last = run(Tuner(config, parts))
        last.save()
        last.close()
        one, other = (json.loads((each / CHECKPOINT).read_text()) for each in (whole, parts))
        for each in (one, other):
            del each[DIGEST]  # also of the seconds
            assert each["counts"].pop("seconds") > 0
            each["config"].pop("threads", None)
        assert one == other
        assert len(one["comparisons"]) == 2
        assert len(one["matches"][MEASURE]) == 4
        assert list(last.vector) != list(last.space.start)

    @pytest.mark.slow
    def test_more_games_are_welcome_and_other_settings_are_not(self, tmp_path: Path) -> None:
        folder = tmp_path / "run"
        folder.mkdir()
        tuner = run(Tuner(config_of(tmp_path, "selfplay", games=16), folder))
        tuner.save()
        assert tuner.finished
        more = Tuner(config_of(tmp_path, "selfplay", games=24), folder)
        assert more.counts["games"] == 16
        assert not more.learned
        with pytest.raises(
            ValueError, match=r"""Changed: tuning\.method: "selfplay" → "spsa"\. Give"""
        ):
            Tuner(config_of(tmp_path, "spsa"), folder)
        (folder / CHECKPOINT).write_text("{}")
        with pytest.raises(ValueError, match="not a checkpoint of a tuning, or is damaged"):
            Tuner(config_of(tmp_path, "selfplay"), folder)

    def test_it_goes_on_from_the_table_it_began_with_wherever_that_is(self, tmp_path: Path) -> None:
        def config_with(weight: float, name: str) -> TuneConfig:
            quarter = [[None, *[weight] * 3], *[[weight] * 4] * 3]
            table = json.dumps({"black": quarter, "white": quarter})
            (tmp_path / name).write_text(table, encoding="utf-8")
            text = FILE.format(method="selfplay", games=8, threads=1)
            (tmp_path / "it.toml").write_text(f'{text}start = "{name}"\n')
            return load_config(tmp_path / "it.toml")

        Tuner(config_with(1.05, "one.json"), tmp_path).save()
        assert Tuner(config_with(1.05, "moved.json"), tmp_path).vector[0] == 1.05
        with pytest.raises(ValueError, match="Changed: the table that weights"):
            Tuner(config_with(0.95, "one.json"), tmp_path)

    def test_another_evaluation_in_the_same_file_is_another_player(self, tmp_path: Path) -> None:
        evaluation, path = tmp_path / "mine.json", tmp_path / "it.toml"
        evaluation.write_text(default := (WEIGHTS / "evaluation-dots.json").read_text())
        path.write_text(
            '[tuning]\nmethod = "spsa"\ngames = 8\n[game]\nrules = "dots"\nrows = 2\ncols = 2\n'
            '[player]\nbot = "uct"\n[parameters.c]\n[player.options]\n'
            'iterations = 9\nleaf = "evaluation"\nevaluation = "mine.json"\n'
        )
        Tuner(load_config(path), tmp_path).save()
        content = kept(tmp_path / CHECKPOINT)
        evaluation.write_text(default.rstrip() + " \n")
        with pytest.raises(ValueError, match="Changed: the files that the player's options name"):
            Tuner(load_config(path), tmp_path)
        del content["files"]  # as in checkpoints of earlier versions
        keep(tmp_path / CHECKPOINT, content.pop("format"), content)
        Tuner(load_config(path), tmp_path)

    @pytest.mark.parametrize("key", ["points", "comparisons", "slid"])
    def test_what_is_no_number_is_damaged(self, tmp_path: Path, key: str) -> None:
        config = config_of(tmp_path, "selfplay")
        tuner = Tuner(config, tmp_path)
        tuner.save()
        content = json.loads((tmp_path / CHECKPOINT).read_text())
        for damage in ([[0, "x"]], [[]]):
            content[key] = damage
            (tmp_path / CHECKPOINT).write_text(json.dumps(content))
            with pytest.raises(ValueError, match="not a checkpoint of a tuning, or is damaged"):
                Tuner(config, tmp_path)

    @pytest.mark.parametrize("damage", ["{}", "[" * 100_000], ids=["empty", "deep"])
    def test_a_damaged_checkpoint_opens_no_match_runner(self, tmp_path: Path, damage: str) -> None:
        (tmp_path / CHECKPOINT).write_text(damage)
        with pytest.raises(ValueError, match="not a checkpoint of a tuning, or is damaged"):
            Tuner(config_of(tmp_path, "selfplay"), tmp_path, lambda *_: pytest.fail("opened"))

    def test_pairs_of_the_test_that_repeat_each_other_are_counted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def opened() -> Tuner:
            tuner = Tuner(config_of(tmp_path, "selfplay"), tmp_path)
            game = PlayedGame(((0, "a1"),), 1)
            monkeypatch.setattr(tuner._runner, "play", lambda tasks: [game] * len(tasks))
            return tuner

        tuner = opened()
        tuner.extend(VERIFY, 4)
        tuner.save()
        again = TunedPairs(opened())
        assert (again.repeats(1), again.repeats(4)) == (0, 3)
        content = json.loads((tmp_path / CHECKPOINT).read_text())
        del content["tested"], content[DIGEST]  # as before they were kept
        (tmp_path / CHECKPOINT).write_text(json.dumps(content))
        tuner = opened()
        tuner.extend(VERIFY, 6)
        assert (TunedPairs(tuner).repeats(4), TunedPairs(tuner).repeats(6)) == (0, 1)

    def test_aborted_nothing_is_learned(self, tmp_path: Path) -> None:
        tuner = Tuner(config_of(tmp_path, "selfplay"), tmp_path)
        tuner.interrupt()
        with pytest.raises(Aborted):
            tuner.run_batch()
        assert tuner.vector == tuner.space.start
        assert tuner.counts["games"] == 0

    @pytest.mark.slow
    def test_a_long_history_is_thinned(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tuner = Tuner(config_of(tmp_path, "selfplay", games=10**6), tmp_path)
        monkeypatch.setattr(tuner._runner, "play", lambda tasks: [PlayedGame((), 1)] * len(tasks))
        for _ in range(MOST_POINTS + 200):
            tuner.run_batch()
        games = [point.games for point in tuner.points]
        assert MOST_POINTS / 2 <= len(games) <= MOST_POINTS
        assert games[:3] == [0, 16, 32]
        assert len(set(np.diff(games))) == 1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (('method = "spsa"', 'method = "spas"'), "one of 'selfplay', 'spsa', 'cma', 'td'"),
        (('method = "spsa"', 'method = "tdd"'), 'got "tdd"; did you mean "td"?'),
        (('bot = "weighted-uct"', 'bot = "uct"'), "uct has no table of weights"),
        (('bot = "weighted-uct"', 'bot = "monkey"'), "has nothing to tune"),
        (("iterations = 20, ", ""), "say how long a move is thought about"),
        (('rules = "othello"', 'rules = "chess"'), "game.rules: must be"),
        (
            ('rules = "othello"\npreset = "cornerless"', 'rules = "2048"'),
            "openings.plies: 2048 has no openings",
        ),
        (
            ('rules = "othello"\npreset = "cornerless"', 'rules = "2048"'),
            "weighted-uct cannot play this: it plays othello and dots, not 2048",
        ),
        (("[weights]", "[weights]\nrange = [1.1, 0.9]"), "must be [low, high] above 0"),
        (
            ("[weights]", "[weights]\nrange = [1e-7, 2]"),
            "within 1e-06 and 1e+38, as weights are kept",
        ),
        (("[weights]", "[weights]\nrange = [0.5, 1e39]"), "got [0.5, 1e+39]"),
        (("[weights]", "[parameters.cc]\n"), "did you mean"),
        (("[weights]", "[parameters.c]\nlow = 2.0"), "begins at 1.0, which is not within 2 and 3"),
        (("[weights]", "[parameters.c]\nstep = inf"), "parameters.c.step: must be a finite number"),
        (("pairs = 4", "a = inf"), "spsa.a: must be a finite number"),
        (("[weights]", ""), "nothing is tuned"),
        (
            ("[weights]", "[parameters.mix]\n"),
            'refuses it: must be left out without leaf = "mixed"',
        ),
        (("[weights]", "[parameters.c]\nhgh = 2.0"), "parameters.c.hgh: unknown key; did you mean"),
        (
            ("[weights]", '[weights]\nstart = "no.json"'),
            "weights.start: weights 'no.json' cannot be",
        ),
        (("[spsa]", "[cma]"), 'the method is "spsa"; leave this table out'),
        (("iterations = 20", 'iterations = 20, weights = "hand"'), "say where to begin as start"),
    ],
)
def test_a_mistake_is_reported_with_its_place(
    tmp_path: Path, change: tuple[str, str], expected: str
) -> None:
    text = FILE.format(method="spsa", games=8, threads=1) + TABLES["spsa"]
    assert change[0] in text
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace(*change))
    with pytest.raises(FileError) as refused:
        load_config(path)
    assert expected in str(refused.value)
    assert str(path) in str(refused.value)


def test_self_play_names_other_methods_to_a_player_without_a_table(tmp_path: Path) -> None:
    text = FILE.format(method="selfplay", games=8, threads=1) + TABLES["selfplay"]
    text = text.replace('"weighted-uct"', '"uct"').replace("[weights]", "[parameters.c]")
    (tmp_path / "it.toml").write_text(text)
    with pytest.raises(FileError) as refused:
        load_config(tmp_path / "it.toml")
    (said,) = refused.value.problems
    assert said.key == "tuning.method"
    assert said.message == (
        '"selfplay" tunes a table of weights, and uct has none; choose "spsa" or "cma"'
    )


def test_selfplay_tunes_weights_alone(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    text = FILE.format(method="selfplay", games=8, threads=1)
    path.write_text(text.replace("[weights]", "[parameters.c]"))
    with pytest.raises(FileError, match="tunes a table of weights alone"):
        load_config(path)


@pytest.mark.parametrize("sigma", ["1e-320", "1e300"])
def test_the_first_spread_is_one_that_can_be_drawn(tmp_path: Path, sigma: str) -> None:
    text = FILE.format(method="cma", games=80, threads=1) + f"[cma]\nsigma = {sigma}\n"
    (tmp_path / "it.toml").write_text(text)
    with pytest.raises(FileError, match=r"cma\.sigma: must be (greater|less) than or equal to"):
        load_config(tmp_path / "it.toml")
