"""`arena tune --verify` of a learned evaluation: two tests, stopped and gone on with."""

import json
import os
import re
import shlex
import signal
from pathlib import Path

import numpy as np
import pytest

import rules
from arena.errors import FileError
from arena.tournament.store import Store
from arena.training.verify import gain
from arena.training.verify_config import load_learned
from players.learning.games import evidence
from players.learning.games.evidence import Evidence, NetworkMatch, NetworkPairs
from players.learning.tuning.matches import Aborted
from players.ntuple.network import Network
from players.weights.network_file import load_network
from tests.command import arena
from tests.training.learning_helpers import LEARN

VERIFY = """
[verify]
elo1 = 100
max_games = 4
nodes = 20
"""
SMALL = {"memory_mb": 1, "endgame_mb": 1}
BUDGET = "depth 1, in process, by alphabeta"
TARGET = "nodes 20, under the referee, by alphabeta"


@pytest.fixture
def folder(folder: Path, undrawn: None, one_core: None) -> Path:
    """With the tuning file `t.toml`."""
    (folder / "t.toml").write_text(LEARN + VERIFY)
    return folder


@pytest.mark.slow
def test_a_learned_evaluation_is_tested_in_process_and_under_the_referee(folder: Path) -> None:
    told = arena("tune", "t.toml", "--verify")
    assert told.exit_code == 1, told.output
    said = (
        f"Not decided at {BUDGET}: no gain is shown. Not decided at {TARGET}: no gain is shown.\n"
    )
    assert f"The learned evaluation against the default one at {BUDGET}:" in told.output
    assert f"The learned evaluation against the default one at {TARGET}:" in told.output
    assert told.output.endswith(said)
    run = folder / "runs/t.train"
    assert (run / "log.txt").read_text().endswith(said)
    header = load_network(str(run / "network.ntuple"), "othello").header
    assert header.gain == said.strip()
    assert [test["at"] for test in header.tests] == [BUDGET, TARGET]
    assert [sum(test["counts"].values()) for test in header.tests] == [2, 2]
    (store_path,) = run.glob("verify-*-nodes-20-alphabeta.sqlite")
    with Store.open(store_path) as store:
        learned, default = store.config.players
        assert (learned.name, default.name) == ("learned", "default")
        assert default.contender.options == {"nodes": 20}
        assert learned.contender.options == {
            "nodes": 20,
            "evaluation": str((run / "network.ntuple").resolve()),
        }
    again = arena("tune", "t.toml")
    assert again.exit_code == 0
    assert again.output.endswith(said)
    assert load_network(str(run / "network.ntuple"), "othello").header.gain == said.strip()
    (folder / "t.toml").write_text(LEARN + VERIFY.replace("100", "50"))
    other = arena("tune", "t.toml", "--verify")
    assert other.exit_code == 2
    assert "Changed: elo1 100.0 → 50.0" in other.output
    (folder / "t.toml").write_text(LEARN.replace("games = 60", "games = 90") + VERIFY)
    more = arena("tune", "t.toml")
    assert "Not tested: no gain is claimed. Earlier tests, of what fewer games had" in more.output
    assert "To test it: arena tune t.toml --verify" in more.output
    assert not load_network(str(run / "network.ntuple"), "othello").header.tests
    (run / "curve.png").touch()
    report = arena("report", "runs/t.train")
    assert f"its tests are runs: arena report {store_path.relative_to(folder)}" in report.output


def test_nothing_but_an_accepted_h1_is_called_a_gain() -> None:
    said = {name: {"decision": name} for name in ("H1", "H0")}
    assert gain(said, "", "the default evaluation") == (
        "A gain over the default evaluation is shown at H1. No gain is shown at H0."
    )


@pytest.mark.slow
def test_ctrl_c_ends_with_130_and_the_same_command_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "t.toml").write_text(LEARN + VERIFY.replace("max_games = 4", "max_games = 12"))
    monkeypatch.setattr(evidence, "CHUNK_PAIRS", 2)
    extend = NetworkPairs.extend

    def interrupted(pairs: NetworkPairs, most: int) -> None:
        extend(pairs, most)
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(NetworkPairs, "extend", interrupted)
        stopped = arena("tune", "t.toml", "--verify")
    assert stopped.exit_code == 130, stopped.output
    assert stopped.output.endswith("Stopped. Continue with: arena tune t.toml --verify\n")
    kept = json.loads((folder / "runs/t.train/verify.json").read_text())["pairs"][BUDGET]
    assert len(kept) == 2

    def no_more(pairs: NetworkPairs, most: int) -> None:
        played = len(pairs.scores)
        assert played >= 2
        extend(pairs, min(played + 1, most))
        pairs.interrupt()
        raise Aborted

    monkeypatch.setattr(NetworkPairs, "extend", no_more)
    assert arena("tune", "t.toml", "--verify").exit_code == 130
    after = json.loads((folder / "runs/t.train/verify.json").read_text())["pairs"][BUDGET]
    assert after[:2] == kept
    assert len(after) == 3


def network(weight: float) -> Network:
    """One that differs from others by a weight."""
    weights = np.full(9, weight, np.float32)
    return Network(weights, None, None, None, np.float64(0.0))


def meeting(**options: int) -> NetworkMatch:
    """A player of alpha-beta against one that sees one move ahead, at 6×6 Othello."""
    variant = rules.load("othello", size=6).variant
    players = (options | SMALL, {"depth": 1} | SMALL)
    return NetworkMatch("othello", variant, "alphabeta", players, 2, "seed", 2)


def pairs_of(kept: Evidence, most: int, **options: int) -> NetworkPairs:
    """The pairs of a test, played up to that many."""
    pairs = NetworkPairs(kept, "test", meeting(**options))
    pairs.load()
    while len(pairs.scores) < most:
        pairs.extend(most)
    pairs.close()
    return pairs


@pytest.mark.slow
def test_what_was_saved_goes_on_to_the_same_games(tmp_path: Path) -> None:
    path = tmp_path / "verify.json"
    whole = Evidence(path, network(1.0))
    pairs = pairs_of(whole, 30, depth=3)
    assert sum(pairs.scores) > 30  # who sees further wins more than one game of two
    assert 0 < pairs.repeats(30) < 30  # there are fewer openings of 2 moves
    assert pairs.repeats(1) == 0
    part = Evidence(path, network(1.0))
    pairs_of(part, 7, depth=3)
    part.verdicts["test"] = {"decision": None}
    part.save()
    resumed = Evidence(path, network(1.0))
    assert resumed.verdicts == part.verdicts
    assert resumed.pairs["test"] == whole.pairs["test"][:7]
    pairs_of(resumed, 30, depth=3)
    assert resumed.pairs == whole.pairs


def test_tests_of_another_network_are_none_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "verify.json"
    kept = Evidence(path, network(1.0))
    kept.verdicts["test"] = {"decision": "H1"}
    kept.save()
    assert Evidence(path, network(1.0)).verdicts
    other = Evidence(path, network(2.0))
    assert not other.verdicts and other.earlier_tests == 1
    other.verdicts["test"] = {"decision": "H0"}
    other.save()
    assert Evidence(path, network(2.0)).earlier_tests == 1
    assert Evidence(path, network(3.0)).earlier_tests == 2
    damaged = json.loads(path.read_text()) | {"pairs": {"test": [["x", "moves"]]}}
    for text in (json.dumps(damaged), path.read_text()[:-9]):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"verify\.json: .* damaged .* move it away"):
            Evidence(path, network(2.0))
    path.write_text(json.dumps({"format": evidence.FORMAT + 1, "version": "9"}))
    with pytest.raises(ValueError, match="another version of the arena, 9"):
        Evidence(path, network(1.0))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("elo1 = 0.05", "verify.elo1: must be above elo0 = 0 by 0.1"),
        ("elo9 = 3", 't.toml:14: verify.elo9: unknown key; did you mean "elo1"?'),
        ('bot = "gtp"', "verify.bot: must be one of 'alphabeta', 'uct', got \"gtp\""),
        ("iterations = 9", "alphabeta does not count iterations; give one of move_ms"),
        ("nodes = 9\nmove_ms = 9", "verify.nodes: cannot be given together with move_ms"),
        ("options = { dept = 2 }", 'verify.options.dept: unknown key; did you mean "depth"?'),
        ('options = { evaluation = "x" }', "verify.options.evaluation: is what is tested"),
        ('bot = "uct"\noptions = { leaf = "playout" }', "must be left out without leaf = "),
        ("options = 3", "verify.options: must be a table: write [verify.options]"),
    ],
)
def test_what_cannot_be_verified_is_reported_before_the_first_game(
    folder: Path, table: str, expected: str
) -> None:
    wrong = LEARN.replace('"random"', '"randm"') + f"[verify]\n{table}\n"
    (folder / "t.toml").write_text(wrong)
    with pytest.raises(FileError, match=re.escape(expected)) as told:
        load_learned(folder / "t.toml")
    assert "t.toml:6: tuning.yardstick: must be one of" in str(told.value)
    assert arena("train", "t.toml").exit_code == 2


def test_who_asks_the_evaluation(folder: Path) -> None:
    def asker(table: str) -> tuple[object, ...]:
        (folder / "t.toml").write_text(LEARN.replace("size = 6\n", "") + f"[verify]\n{table}\n")
        return load_learned(folder / "t.toml")[2]

    assert asker("") == ("alphabeta", {}, {"depth": 1}, 8)
    assert asker("options = { depth = 2, memory_mb = 8 }") == (
        *("alphabeta", {"memory_mb": 8}, {"depth": 2}, 8),
    )
    assert asker('bot = "uct"') == ("uct", {"leaf": "mixed"}, {"iterations": 400}, 8)
    assert asker('bot = "uct"\noptions = { prior = 9 }')[1] == {"prior": 9}


@pytest.mark.slow
def test_networks_of_2048_are_compared_by_sprt(folder: Path) -> None:
    tiles = '[tuning]\nmethod = "td"\n[game]\nrules = "2048"\n[network]\ntuples = ["a1 b1"]\n'
    (folder / "t.toml").write_text(tiles)
    told = arena("tune", "t.toml", "--verify")
    assert told.exit_code == 2
    command = told.output.strip().rpartition("by: ")[2].replace("\n", " ")
    network = Path(evidence.__file__).parents[2] / "weights" / "network-2048.ntuple"
    arguments = shlex.split(command.replace("NETWORK.ntuple", str(network)))[1:]
    assert arena(*arguments, "--dry-run", "--max-games", "2").exit_code == 0
