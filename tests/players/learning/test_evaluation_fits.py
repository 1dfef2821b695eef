"""The fits of the evaluations: the regression against NumPy, self-play against the rules."""

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest

import rules
from players.games.dots.evaluation import CHAINS, FEATURES, STAGES, from_features
from players.games.endgame import load_endgame
from players.games.othello.board import OthelloBits
from players.games.othello.evaluation import from_patterns
from players.games.othello.patterns import ENTRIES, PLACES, canonical_entries
from players.games.registry import load_board
from players.learning import arguments, fit_cuts, fit_dots, fit_othello
from players.learning.fit_dots import Recipe, self_play
from players.learning.ridge import ridge
from players.search.alphabeta.driver import AlphaBetaSearch, DepthLimits, legal_moves
from players.search.alphabeta.table import new_table
from players.search.stop import NEVER
from players.search.types import Array
from players.weights.evaluations import load_terms
from tests.players.conftest import true_net
from tests.players.evaluation_helpers import evaluate, expectation

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["fit_dots", "fit_cuts", "fit_othello", "tiles.shrink"])
def test_help_needs_no_docstrings(name: str) -> None:
    command = (sys.executable, "-OO", "-m", f"players.learning.{name}", "--help")
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("usage: ")


@pytest.mark.parametrize(
    ("main", "given", "out"),
    [
        (fit_dots.main, [], "out.json"),
        (fit_cuts.main, ["standard"], "out.json"),
        (fit_othello.main, ["standard"], "out.npz"),
    ],
)
def test_wrong_arguments_are_refused_before_the_work(
    main: Callable[[], None],
    given: list[str],
    out: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    end = Path(out).suffix
    for wrong, words in (
        ([f"none/{out}"], f"none/{out}: there is no folder none; make it"),
        (["out.txt"], f"out.txt: must end with {end}, as players expect"),
        ([out, "--positions", "0"], "must be 1 or more, got '0'"),
    ):
        monkeypatch.setattr(sys, "argv", ["fit", *given, *wrong])
        with pytest.raises(SystemExit, match="2"):
            main()
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("main", "given", "words"),
    [
        (fit_dots.main, ["out.json", "--positions", "1"], "none of 1 positions is quiet"),
        (
            fit_othello.main,
            ["standard", "out.npz", "--positions", "5"],
            "5 positions that differ are too few",
        ),
        (
            fit_cuts.main,
            ["standard", "out.json", "--evaluation", "bad.npz"],
            "bad.npz: expected a NumPy",
        ),
        (
            fit_othello.main,
            ["standard", "out.npz", "--start", "bad.npz"],
            "bad.npz: expected a NumPy",
        ),
    ],
)
def test_too_few_positions_and_damaged_evaluations_are_refused(
    main: Callable[[], None],
    given: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.npz").write_text("no archive", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["fit", *given])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert words in capsys.readouterr().err
    assert not list(tmp_path.glob("out.*"))


def test_ridge_agrees_with_the_normal_equations() -> None:
    random = np.random.default_rng(1)
    entries = random.integers(0, 12, (300, 3)).astype(np.int32)
    numbers = random.normal(size=(300, 2)).astype(np.float32)
    targets, prior = random.normal(size=300), random.normal(size=14)
    matrix = np.zeros((300, 14))
    for row, chosen in enumerate(entries):
        for entry in chosen:
            matrix[row, entry] += 1
    matrix[:, 12:] = numbers
    change = np.linalg.solve(
        matrix.T @ matrix + 5 * np.eye(14), matrix.T @ (targets - matrix @ prior)
    )
    found = ridge(entries, numbers, targets, prior, 5.0, 60)
    assert found == pytest.approx(prior + change, abs=1e-6)

    counts = random.uniform(0.1, 1, 300)
    change = np.linalg.solve(
        (matrix.T * counts) @ matrix + 5 * np.eye(14),
        (matrix.T * counts) @ (targets - matrix @ prior),
    )
    found = ridge(entries, numbers, targets, prior, 5.0, 60, counts)
    assert found == pytest.approx(prior + change, abs=1e-6)


def test_margins_of_self_play_are_true_where_play_is_exact() -> None:
    rule_set = rules.load("othello", size=4)
    terms = load_terms("othello", rule_set.variant)
    games = self_play(rule_set, terms, Recipe(2, 12, 4, 6, 0.5), Random(1))
    board = load_board("othello", rule_set.variant)
    truths = {}
    for seed in range(400):
        rng, truth = Random(seed), rule_set.start()
        for _ in range(12):
            if truth.is_over:
                break
            position = board.position(truth.state())
            if truth.legal_moves() != ("pass",):
                truths[position.own, position.other, position.seat] = truth
            truth = truth.play(rng.choice(truth.legal_moves()))
    compared = 0
    for position, margin in islice(games, 200):
        truth = truths.get((position.own, position.other, position.seat))
        if truth is not None:
            net = true_net(truth)
            assert margin == (net if position.seat == 0 else -net), truth
            compared += 1
    assert compared > 50


@pytest.mark.parametrize("preset", ["standard", "cornerless"])
def test_expectation_is_what_positions_of_self_play_are_worth(preset: str) -> None:
    """The mean of what is expected is near the mean of the results, where the mover seems to lose
    and where he seems to win.
    """
    rule_set = rules.load("othello", preset=preset)
    terms = load_terms("othello", rule_set.variant)
    games = self_play(rule_set, terms, Recipe(2, 10, 8, 50, 0.5), Random(4))
    results = [
        (float(expectation(position, evaluate(position, terms))), (1 + np.sign(margin)) / 2)
        for position, margin in islice(games, 4000)
    ]
    said, came = np.array(results).T
    for part in (said < 0.5, said >= 0.5):
        assert said[part].mean() == pytest.approx(came[part].mean(), abs=0.1)
    assert np.corrcoef(said, came)[0, 1] > 0.6


def words_of_games(count: int) -> tuple[Array, OthelloBits, rules.Game]:
    """uint64[count, 2] of self-play, any position of the board, and the game."""
    rule_set = rules.load("othello")
    model = load_board("othello", rule_set.variant).position(rule_set.start().state())
    terms = load_terms("othello", rule_set.variant)
    words = np.zeros((count, 2), np.uint64)
    fit_othello.play_games(model, np.uint64(1), *fit_othello.tools(rule_set, terms, 0), words)
    return words, model, rule_set


def test_each_seed_has_games_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_othello, "GAMES_SHARE", 20)
    rule_set = rules.load("othello")
    model = load_board("othello", rule_set.variant).position(rule_set.start().state())
    terms = load_terms("othello", rule_set.variant)
    with ThreadPoolExecutor(2) as pool:
        shares = [
            words[first : first + 20].tobytes()
            for words in (
                fit_othello.played(rule_set, model, 60, terms, seed, pool) for seed in (1, 2)
            )
            for first in (0, 20, 40)
        ]
    assert len(set(shares)) == 6


def test_games_give_positions_of_all_phases_with_a_move() -> None:
    words, model, _ = words_of_games(4000)
    assert (words[:, 0] & words[:, 1] == 0).all()
    for own, other in words[:200]:
        assert legal_moves(model._replace(own=own, other=other))
    phases = fit_othello.samples_of(words, model).phase
    assert set(phases) == set(range(12))
    kept = fit_othello.spread_out(words, model, 50)
    assert len(np.unique(kept, axis=0)) == len(kept)
    assert np.bincount(fit_othello.samples_of(kept, model).phase).max() == 50


def test_a_fit_of_othello_finds_the_values_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Margins made by an evaluation known: the fit says nearly the same where it was not shown."""
    monkeypatch.setattr(fit_othello, "STEPS", 8)
    words, model, rule_set = words_of_games(4000)
    positions = [model._replace(own=own, other=other) for own, other in words]
    truth = load_terms("othello", rule_set.variant, "classic")
    values = np.array([evaluate(position, truth) for position in positions])
    samples = fit_othello.samples_of(words, model)
    assert samples.entries.shape == (4000, PLACES)
    assert (canonical_entries()[samples.entries] == samples.entries).all()
    assert samples.entries.max() < ENTRIES
    table = fit_othello.fit(samples, lambda rows, _: values[rows])
    fitted = from_patterns(*table)
    shown = np.array([evaluate(position, fitted) for position in positions])
    held_out = fit_othello.is_held_out(4000)
    assert held_out.sum() == fit_othello.BLOCK
    assert np.corrcoef(shown[held_out], values[held_out])[0, 1] > 0.8
    lines = fit_othello.errors(samples, table)
    phases = np.unique(samples.phase[held_out])
    assert [line.split(":")[0] for line in lines] == [f"phase {phase}" for phase in phases]


def test_labels_are_values_of_searches_and_exact_near_the_end() -> None:
    words, model, rule_set = words_of_games(1500)
    terms = load_terms("othello", rule_set.variant)
    margins = np.zeros(len(words))
    context, scratch = fit_othello.tools(rule_set, terms, 0)
    without_table = context._replace(table=new_table(0))  # deeper searches of others are in one
    fit_othello.label(words, model, 3, without_table, scratch, margins)
    board = load_board("othello", rule_set.variant)
    search = AlphaBetaSearch(
        board,
        terms=terms,
        endgame=load_endgame("othello", board, 4),
        memory_mb=0,
        endgame_from=fit_othello.EXACT,
        leaves_from=fit_othello.LEAVES_FROM,
    )
    for (own, other), margin in zip(words, margins, strict=True):
        found = search.think(model._replace(own=own, other=other), NEVER, DepthLimits(3))
        assert margin == pytest.approx(100 * found.score)


def test_threads_change_neither_games_nor_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_othello, "GAMES_SHARE", 500)
    monkeypatch.setattr(fit_othello, "SHARE", 400)
    rule_set = rules.load("othello")
    model = load_board("othello", rule_set.variant).position(rule_set.start().state())
    terms, found = load_terms("othello", rule_set.variant), []
    for threads in (1, 3):
        with ThreadPoolExecutor(threads) as pool:
            words = fit_othello.played(rule_set, model, 1200, terms, 1, pool)
            labels = fit_othello.searched(rule_set, words, model, 2, pool)
            found.append((words, labels(np.arange(1000), terms)))
    (words, margins), (same_words, same_margins) = found
    assert (words == same_words).all() and len(words) == 1200
    assert (margins == same_margins).all() and len(np.unique(margins)) > 100


def test_each_phase_is_labelled_by_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_othello, "STEPS", 1)
    words, model, _ = words_of_games(2000)
    samples = fit_othello.samples_of(words, model)
    seen: list[tuple[int, int]] = []

    def labels(rows: Array, terms: Array) -> Array:
        (phase,) = np.unique(samples.phase[rows])
        fitted = terms[1:].reshape(12, -1).any(axis=1).sum()
        seen.append((phase, fitted))
        return np.full(len(rows), 100.0)

    fit_othello.fit(samples, labels)
    assert seen == [(0, 0), *((phase, 12) for phase in range(1, 12))]


def test_a_fit_of_dots_finds_the_values_it_is_shown() -> None:
    random = np.random.default_rng(3)
    values = random.integers(-50, 50, (STAGES, 2, len(FEATURES)))
    rows = random.integers(0, 2 * STAGES, 60_000)
    features = random.integers(1, 9, (60_000, len(FEATURES))).astype(np.float64)
    targets = (values.reshape(2 * STAGES, -1)[rows] * features).sum(axis=1)
    found = fit_dots.fit(rows, features, targets)
    assert np.abs(found - values).max() < 25
    assert np.corrcoef(found.ravel(), values.ravel())[0, 1] > 0.95
    whole = found.round().astype(int)
    assert from_features(whole.tolist()).tolist() == [CHAINS, *whole.ravel()]


def test_quiet_positions_of_dots_are_described() -> None:
    rule_set = rules.load("dots", rows=3, cols=3)
    terms = load_terms("dots", rule_set.variant)
    games = self_play(rule_set, terms, Recipe(1, 12, 2, 12, 0.9), Random(1))
    rows, features, targets = fit_dots.samples_of(islice(games, 300))
    assert len(rows) == len(features) == len(targets) > 30
    assert rows.min() >= 0
    assert rows.max() < 2 * STAGES
    assert (features[:, fit_dots.FREE] > 0).all()
    assert (np.abs(targets) <= 900).all()


def test_a_file_that_may_not_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)  # also for root
    with pytest.raises(ArgumentTypeError, match="may not be written; name another file"):
        arguments.out_file(".json")(str(tmp_path / "values.json"))


@pytest.mark.parametrize("fit", ["fit_cuts", "fit_othello"])
def test_ctrl_c_ends_a_fit_at_once(tmp_path: Path, fit: str) -> None:
    out = str(tmp_path / ("out.json" if fit == "fit_cuts" else "out.npz"))
    words = [f"players.learning.{fit}", "standard", out, "--positions", "9000000"]
    with subprocess.Popen([sys.executable, "-m", *words], stderr=subprocess.PIPE) as process:
        time.sleep(5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
    assert process.returncode == -signal.SIGINT


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_leaves_the_result_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.npz"
    out.write_bytes(b"before")
    with pytest.raises(SystemExit, match="2"), arguments.result_file(out, "wb") as file:
        np.savez_compressed(file, scalars=np.zeros(3))
    assert f"{out} cannot be written: No space left on device" in capsys.readouterr().err
    assert out.read_bytes() == b"before"
