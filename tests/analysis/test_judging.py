"""`arena analyse RUN`: how well a run's endgames were played, next to minimax over the rules."""

import io
import json
import sqlite3
from collections import Counter
from pathlib import Path
from weakref import ref

import pytest
from rich.console import Console

from arena.analysis import judge as accuracy
from arena.analysis.judge import Accuracy, Choice, Judgement
from arena.errors import UserError
from arena.model.record import GameRecord
from arena.tournament.store import Store
from tests.command import arena
from tests.players.conftest import true_net
from tests.reports.conftest import play_record
from tests.reports.runs import begun, keep_games

pytestmark = pytest.mark.slow

WITHIN = 7

FILE = """
[tournament]
on_fault = "random_move"
concurrency = 1
sandbox = "none"
[openings]
plies = 6
[game]
{game}
[[player]]
bot = "greedy"
[[player]]
name = "faulty"
bot = "faulty.py"
"""

FAULTY = """
import random
from players.sdk import play

def choose(turn):
    return "z9" if turn.ply % 3 == 0 else random.Random(turn.ply).choice(turn.legal)

play(choose)
"""
"""A bot that now and then says what is no move, so that the referee moves for it."""


def played(folder: Path, game: str) -> str:
    (folder / "faulty.py").write_text(FAULTY)
    (folder / "t.toml").write_text(FILE.format(game=game))
    store = str(folder / "t.sqlite")
    assert arena("run", str(folder / "t.toml"), "--store", store).exit_code == 0
    return store


def losses(record: GameRecord, within: int) -> list[tuple[str, int, int]]:
    """Player, ply and what was lost, of each move a player chose, by minimax."""
    found = []
    position = record.terms.game.start()
    for ply, move in enumerate(record.moves):
        following = position.play(move.move)
        state, legal = position.state(), position.legal_moves()
        left = len(legal)
        if record.terms.rules == "othello":
            left = sum(row.count(".") for row in state["board"])
        if move.used_ms is not None and move.fault is None and len(legal) > 1 and left <= within:
            lost = abs(true_net(position) - true_net(following))
            found.append((record.seats[move.seat].player, ply, lost))
        position = following
    return found


@pytest.mark.parametrize(
    "game", ['rules = "othello"\nsize = 4', 'rules = "dots"\nrows = 2\ncols = 2'], ids=str.split
)
def test_the_table_of_a_run_counts_what_its_players_chose(game: str, tmp_path: Path) -> None:
    store = played(tmp_path, game)
    judged, lost, mistakes = Counter[str](), Counter[str](), Counter[str]()
    most: dict[str, int] = {}
    with Store.open(Path(store)) as run:
        records = list(run.records())
    assert any(move.fault for record in records for move in record.moves)
    for record in records:
        for player, _, gave in losses(record, WITHIN):
            judged[player] += 1
            lost[player] += gave
            mistakes[player] += gave > 0
            most[player] = max(most.get(player, 0), gave)
    result = arena("analyse", store, "--within", str(WITHIN), "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert (document["run"], document["within"], document["games"]) == ("t", WITHIN, len(records))
    assert [each["player"] for each in document["players"]] == ["greedy", "faulty"]
    assert sum(lost.values()) > 0
    by_name = {record.game: record for record in records}
    for each in document["players"]:
        name, worst = each["player"], each["worst"]
        assert each["judged"] == judged[name]
        assert each["mistakes"] == mistakes[name]
        assert each["lost"] == lost[name]
        assert (worst["lost"] if worst else 0) == most.get(name, 0)
        if worst:
            record = by_name[worst["game"]]
            assert record.moves[worst["ply"]].move == worst["move"] != worst["best"]
            assert (name, worst["ply"], worst["lost"]) in losses(record, WITHIN)
    shown = arena("analyse", store)  # within what the solver sees to the end in no time
    assert shown.exit_code == 0
    assert f"judged: the moves chosen in {len(records)} games with at most " in shown.stdout


def test_a_damaged_game_is_named_and_the_others_are_judged(tmp_path: Path) -> None:
    store = played(tmp_path, 'rules = "dots"\nrows = 2\ncols = 2')
    with sqlite3.connect(store) as database:
        database.execute("UPDATE records SET record = '{}' WHERE id = 1")
        lost, *others = (game for (game,) in database.execute("SELECT game FROM games ORDER BY id"))
    database.close()
    result = arena("analyse", store, "--within", 2, "--json")
    assert result.exit_code == 1
    assert f"{store}: game {lost} is damaged and left out. " in result.stderr
    judged = json.loads(result.stdout)
    assert (judged["games"], judged["damaged"]) == (len(others), [lost])


def test_games_are_judged_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, given = tmp_path / "a.sqlite", list[ref[GameRecord]]()
    games = [play_record("dots", "a", "b", game=f"g{n}", rows=2, cols=2) for n in range(9)]
    keep_games(run, games)

    def judged(record: GameRecord, within: int) -> list[tuple[str, Choice]]:
        given.append(ref(record))
        assert sum(each() is not None for each in given) <= 2
        return [("a", Choice(record.game, within, "a1b1", "a1b1", 0))]

    monkeypatch.setattr(accuracy, "warm_kernels", lambda rules, players: None)
    monkeypatch.setattr(accuracy, "_choices_of", judged)
    judgement = accuracy.judge_run(run, 2)
    assert (judgement.games, judgement.players[0].judged) == (9, 9)


def test_a_run_without_games_compiles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled(rules: object, players: object) -> None:
        pytest.fail("kernels are compiled")

    run = tmp_path / "a.sqlite"
    begun(run, [play_record("dots", "a", "b", rows=2, cols=2)]).close()
    monkeypatch.setattr(accuracy, "warm_kernels", compiled)
    with pytest.raises(UserError, match="no game has been played yet"):
        accuracy.judge_run(run, 2)


def test_the_first_of_the_worst_mistakes_is_shown() -> None:
    choices = [
        ("a", Choice("g1", 50, "b1", "b1", 0)),
        ("a", Choice("g1", 52, "b2", "c2", 4)),
        ("a", Choice("g2", 51, "b3", "c3", 4)),
        ("b", Choice("g2", 52, "b4", "b4", 0)),
    ]
    counted = list(accuracy.accuracies(["b", "a", "none"], choices))
    assert counted == [
        Accuracy("b", 1, 0, 0, None),
        Accuracy("a", 3, 2, 8, choices[1][1]),
        Accuracy("none", 0, 0, 0, None),
    ]
    out = io.StringIO()
    judgement = Judgement("t", "othello", {}, 12, 2, counted)
    accuracy.show(judgement, Console(file=out, width=100))
    assert [line.rstrip() for line in out.getvalue().splitlines()[:4]] == [
        "player  judged  mistakes  discs lost  a move  worst mistake",
        "b            1         0           0   0.000  none",
        "a            3         2           8   2.667  g1 ply 52: b2 lost 4, best c2",
        "none         0         0           0       –  none",
    ]


def test_a_run_whose_endgames_cannot_be_solved_is_refused(tmp_path: Path) -> None:
    result = arena("analyse", played(tmp_path, 'rules = "othello"\nsize = 10'))
    assert result.exit_code == 2
    assert "it plays Othello on boards up to 8×8, not 10×10" in result.stderr
