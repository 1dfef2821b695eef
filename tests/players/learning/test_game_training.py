"""Training at Othello and dots: updates against plain Python, strength, going on, mistakes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rules
from arena.errors import FileError
from players.games.registry import load_board
from players.learning.games.trainer import GamesConfig, GamesTrainer, load_config
from players.learning.trainer import CHECKPOINT
from players.weights.evaluations import load_terms
from players.weights.network_file import load_network
from rules.position import PASS, Position
from tests.players.view_helpers import slow_entries

pytestmark = pytest.mark.slow

MASK = (1 << 64) - 1
TOML = """
[training]
games = {games}
block = {block}
seed = 3
yardstick = "random"
yardstick_games = {yardstick_games}
[game]
rules = {rules}
[network]
tuples = [{tuples}]
stages = {stages}
[learning]
{learning}
"""
OTHELLO = '"othello"\nsize = 4'
DOTS = '"dots"\nrows = 3\ncols = 3'
FORWARD = 'target = "n-step"\nsteps = 2\nupdates = "forward"'
BACKWARD = 'target = "td-lambda"\nlambda = 0.5'


def config_of(folder: Path, **changes: Any) -> GamesConfig:
    chosen = {
        "games": 120,
        "block": 40,
        "rules": OTHELLO,
        "tuples": '"straight-2", "a1 b1 a2 b2"',
        "stages": [8],
        "learning": "epsilon = 0.2",
        "yardstick_games": 2,
        **changes,
    }
    (folder / "t.toml").write_text(TOML.format(**chosen))
    return load_config(folder / "t.toml")


def trained(config: GamesConfig, folder: Path) -> GamesTrainer:
    trainer = GamesTrainer(config, folder)
    while trainer.run_block() is not None:
        pass
    return trainer


def weights_of(trainer: GamesTrainer) -> Any:
    trainer.write_network(trainer._path.parent / "network.ntuple")
    rule_set = trainer.config.rules
    return load_network(str(trainer._path.parent / "network.ntuple"), rule_set).network.weights


class Slow:
    """The learning of one thread in plain Python, by the rules and the words of the modules."""

    def __init__(self, config: GamesConfig, state: int) -> None:
        self.config, self.state = config, state
        self.header = config.header()
        from players.weights.network_header import network_of

        self.network = network_of(self.header)
        self.game = rules.load(config.rules, **config.variant)
        self.moves = load_board(config.rules, config.variant).moves
        self.weights = [0.0] * len(self.network.weights)
        self.errors, self.sizes = self.weights.copy(), self.weights.copy()

    def draw(self) -> int:
        self.state = bits = (self.state + 0x9E3779B97F4A7C15) & MASK
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & MASK
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & MASK
        return bits ^ bits >> 31

    def legal(self, position: Position) -> list[str]:
        return sorted(position.legal_moves(), key=lambda move: self.moves[move])

    def after(self, position: Position, move: str) -> Position:
        position = position.play(move)
        return position.play(PASS) if position.legal_moves() == (PASS,) else position

    def at_random(self, position: Position) -> Position:
        legal = self.legal(position)
        return self.after(position, legal[(self.draw() >> 32) * len(legal) >> 32])

    def banked(self, position: Position) -> int:
        if self.config.rules == "othello" and not position.is_over:
            return 0
        first, second = position.scores()
        return int(first - second)

    def entries(self, position: Position) -> list[int]:
        from tests.players.view_helpers import slow_progress

        later = slow_progress(position) >= self.config.stages[0] if self.config.stages else False
        size = int(self.network.offsets[-1])
        found = []
        for at in slow_entries(position, self.header, self.network):
            if later and self.weights[size + at] == 0.0:
                self.weights[size + at] = self.weights[at] if self.touches else 0.0
            found.append(size + at if later else at)
        return found

    touches = False
    """Whether weights of the second stage are being learned, and inherit."""

    def weight(self, at: int) -> float:
        size = int(self.network.offsets[-1])
        return self.weights[at] or (self.weights[at - size] if at >= size else 0.0)

    def value(self, position: Position) -> float:
        """For seat 0."""
        value = sum(self.weight(at) for at in self.entries(position))
        return value if position.to_move == 0 else -value

    def best(self, position: Position) -> Position:
        sign = 1 if position.to_move == 0 else -1
        children = [self.after(position, move) for move in self.legal(position)]

        def worth(after: Position) -> float:
            return sign * (self.banked(after) + (0 if after.is_over else self.value(after)))

        return max(children, key=worth)

    def update(self, position: Position, target: float) -> float:
        """The value for seat 0 afterwards."""
        self.touches = True
        at = self.entries(position)
        self.touches = False
        sign = 1 if position.to_move == 0 else -1
        error = sign * target - sum(self.weights[each] for each in at)
        for each in at:
            rate = 1.0
            if self.config.rate == "tc" and self.sizes[each] > 0:
                rate = abs(self.errors[each]) / self.sizes[each]
            self.weights[each] += self.config.alpha * error / len(at) * rate
            if self.config.rate == "tc":
                self.errors[each] += error / len(at)
                self.sizes[each] += abs(error / len(at))
        return sign * sum(self.weights[each] for each in at)

    def learn(self, reached: list[tuple[Position, float, float]], to_come: float) -> None:
        """Backward, from (afterstate, reward, value) of a segment."""
        for position, reward, value in reversed(reached):
            target, mix = to_come, self.config.mix
            value = self.update(position, target)
            to_come = reward + (1 - mix) * value + mix * target

    def play(self) -> None:
        position = self.game.start()
        for _ in range(self.config.plies):
            after = self.at_random(position)
            if after.is_over:
                break
            position = after
        reached: list[tuple[Position, float, float]] = []
        while not position.is_over:
            wanders = self.draw() / 2**64 < self.config.epsilon
            if wanders:
                if reached:
                    self.learn(reached, reached[-1][2])
                reached = []
                after = self.at_random(position)
            else:
                after = self.best(position)
            gained = self.banked(after) - self.banked(position)
            if after.is_over and not wanders:
                self.learn(reached, gained)
            elif not after.is_over:
                reached.append((after, gained, self.value(after)))
            position = after


@pytest.mark.parametrize(
    ("rule_set", "tuples", "stages", "learning"),
    [
        (OTHELLO, '"straight-2", "a1 b1 a2 b2"', "[8]", "epsilon = 0.2\nplies = 2"),
        (
            *(DOTS, '"boxes-2x2", "a1b1 b1c1 c1d1 a2b2"', "[16]"),
            'target = "td-lambda"\nlambda = 0.6\nalpha = 0.05\nrate = "fixed"\nplies = 10',
        ),
    ],
    ids=["othello", "dots"],
)
def test_it_learns_as_plain_python_does(
    tmp_path: Path, rule_set: str, tuples: str, stages: str, learning: str
) -> None:
    config = config_of(
        *(tmp_path,),
        games=16,
        block=16,
        rules=rule_set,
        tuples=tuples,
        stages=stages,
        learning=learning,
    )
    trainer = GamesTrainer(config, tmp_path / "run")
    slow = Slow(config, int(trainer._arrays["random"][0]))
    assert trainer.run_block() is not None
    for _ in range(16):
        slow.play()
    found = weights_of(trainer)
    assert np.abs(found).max() > 0.1
    assert found == pytest.approx(np.array(slow.weights), abs=2e-3)
    assert slow.state == int(trainer._arrays["random"][0])


def test_a_short_training_beats_random_moves(tmp_path: Path) -> None:
    for name, rule_set, tuples, target in (
        ("othello", '"othello"\nsize = 6', '"straight-3", "a1 b1 c1 a2 b2 c2"', FORWARD),
        ("dots", '"dots"\nrows = 3\ncols = 3', '"boxes-1x2", "boxes-2x2"', BACKWARD),
    ):
        config = config_of(
            *(tmp_path,),
            games=4000,
            block=2000,
            rules=rule_set,
            tuples=tuples,
            stages=[],
            learning=f"{target}\nplies = 3",
            yardstick_games=1000,
        )
        blocks = trained(config, tmp_path / name).blocks
        assert blocks[-1].score > 0.8, name
        assert blocks[-1].margin > 2, name
        assert [block.games for block in blocks] == [2000, 4000]


def test_a_run_that_was_stopped_goes_on_as_if_it_was_not(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    whole = trained(config, tmp_path / "whole")
    first = GamesTrainer(config, tmp_path / "parts")
    assert first.run_block() is not None
    first.save()
    assert first.run_block() is not None  # is lost
    second = GamesTrainer(config, tmp_path / "parts")
    second.interrupt()
    assert second.run_block() is None
    second.save()
    third = trained(config, tmp_path / "parts")
    assert np.array_equal(weights_of(third), weights_of(whole))
    assert [block._replace(seconds=0) for block in third.blocks] == [
        block._replace(seconds=0) for block in whole.blocks
    ]
    assert third.finished


def test_a_run_of_other_settings_is_refused(tmp_path: Path) -> None:
    GamesTrainer(config_of(tmp_path), tmp_path / "run").save()
    changed = config_of(tmp_path, learning="epsilon = 0.1")
    with pytest.raises(ValueError, match=r"was begun with epsilon = 0\.2, not 0\.1"):
        GamesTrainer(changed, tmp_path / "run")
    mixed = config_of(tmp_path, learning='target = "td-lambda"\nlambda = 0.5')
    GamesTrainer(mixed, tmp_path / "mixed").save()
    changed = config_of(tmp_path, learning='target = "td-lambda"\nlambda = 0.25\nsteps = 3')
    with pytest.raises(ValueError, match=r"with lambda = 0\.5, not 0\.25; steps = none, not 3: "):
        GamesTrainer(changed, tmp_path / "mixed")
    more = config_of(tmp_path, games=400)
    assert GamesTrainer(more, tmp_path / "run").config.games == 400


def test_two_threads_learn_too(tmp_path: Path) -> None:
    from dataclasses import replace

    config = replace(config_of(tmp_path, games=400), threads=2)
    assert trained(config, tmp_path / "run").blocks[-1].games == 400


def test_a_checkpoint_is_a_network_that_players_take(tmp_path: Path) -> None:
    trainer = trained(config_of(tmp_path), tmp_path / "run")
    trainer.save()
    terms = load_terms(
        "othello", rules.load("othello", size=4).variant, str(tmp_path / "run" / CHECKPOINT)
    )
    assert terms.any()
    header = load_network(str(tmp_path / "run" / CHECKPOINT), "othello").header
    assert header.games == 120
    assert header.method["epsilon"] == 0.2
    assert "against random at 1 ply" in header.scores


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"othello"', '"chess"', "rules: must be one of 'othello', 'dots', got \"chess\""),
        ("size = 4", "size = 5", "game.size: size must be even"),
        (
            "size = 4",
            "size = 10",
            "game: alphabeta cannot play this: it plays Othello on boards up to 8×8",
        ),
        ('"straight-2"', '"a1 z9"', "tuples[1]: a tuple is made of squares"),
        ('"straight-2"', '"a2 b2 a1 b1"', "tuples[2]: tuple 1 is the same by symmetry"),
        ("[8]", "[16]", "stages: this board has 16 discs, and a stage begins before all of them"),
        ("[8]", "[9, 8]", "stages: the numbers of stages must go up"),
        ("epsilon = 0.2", "epsilon = 2", "epsilon: must be less than or equal to 1"),
        ("epsilon = 0.2", "lambda = 0.5", 'lambda: only target = "td-lambda" mixes'),
        ("block = 40", "block = 50", "games: must be a multiple of the block of 50 games"),
        ("seed = 3", 'colour = "red"', "colour: unknown key"),
        ('yardstick = "random"', 'yardstick = "best"', "yardstick: must be one of"),
    ],
)
def test_a_mistake_gets_a_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    config_of(tmp_path)
    text = (tmp_path / "t.toml").read_text()
    assert old in text
    (tmp_path / "t.toml").write_text(text.replace(old, new))
    with pytest.raises(FileError) as caught:
        load_config(tmp_path / "t.toml")
    assert sentence in str(caught.value)


def test_all_that_is_wrong_with_the_game_is_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        config_of(tmp_path, rules='"othello"\nrows = 3\ncols = 3', tuples='"a1b1 b1c1"')
    told = str(caught.value)
    assert "game.rows: othello has no option 'rows'" in told
    assert "game.cols: othello has no option 'cols'" in told
    assert "network.tuples[1]: a tuple is made of squares" in told


def test_a_tuning_file_may_say_the_same(tmp_path: Path) -> None:
    plain = config_of(tmp_path)
    text = (tmp_path / "t.toml").read_text().replace("[training]", '[tuning]\nmethod = "td"')
    (tmp_path / "t.toml").write_text(text)
    assert load_config(tmp_path / "t.toml") == plain
    (tmp_path / "t.toml").write_text(text + "[training]\ngames = 5\n")
    with pytest.raises(FileError, match="leave one out"):
        load_config(tmp_path / "t.toml")
