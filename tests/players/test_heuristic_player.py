"""The heuristic player as a process."""

import re
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import rules
from players.heuristic import HeuristicPlayer
from tests.players.conftest import play_with, refusal, start_message, turn_message

pytestmark = pytest.mark.slow

SETTINGS: dict[str, list[dict[str, str]]] = {
    "2048": [{}, {"placer": "player"}],
    "2584": [{"spawn": "1/3"}, {"placer": "player", "placer_chooses": "cell"}],
}


@pytest.mark.parametrize("name", SETTINGS)
def test_plays_whole_games_in_both_roles_on_one_process(
    name: str, start_player: Callable[..., Any]
) -> None:
    player, rng = start_player("players.heuristic"), Random(9)
    for settings in SETTINGS[name]:
        game = rules.load(name, **settings)
        for seat in range(game.seats):
            answers = play_with(player, game, seat, rng, options={"depth": 1, "memory_mb": 1})
            infos = [answer["info"] for answer in answers if "info" in answer]
            assert infos
            for answer in answers:
                assert answer.get("info", {"pv": [answer["move"]]})["pv"][0] == answer["move"]
            assert all(info["depth"] == 1 for info in infos)
            assert all(info["nodes"] > 0 for info in infos)
            assert any(info["score"] is not None for info in infos)
    assert player.close() == (0, b"")
    assert player.stderr() == ""


def test_thinks_for_a_tenth_of_a_second_by_default(
    running_player: Callable[..., Any],
) -> None:
    """The upper bounds are generous, as the machine may be busy."""
    position = rules.load("2048").start(seed=1)
    player = running_player("players.heuristic")
    for options, seconds in (({}, 0.1), ({"think_ms": 300}, 0.3)):
        player.ask(start_message(position, options=options))
        began = time.monotonic()
        answer = player.ask(turn_message(position, 0, time_ms=60_000))
        assert 0.9 * seconds < time.monotonic() - began < seconds + 2
        assert answer["info"]["nodes"] > 0
        assert re.match(r"\d{1,3}(,\d{3})* nodes/s", answer["info"]["text"])


def test_what_the_worst_placements_do_is_reported(running_player: Callable[..., Any]) -> None:
    board = [[4, 8, 4, 8], [8, 4, 8, 4], [4, 8, 16, 8], [32, 64, 2, 2]]
    position = rules.load("2048").position({"board": board, "score": 0})
    player = running_player("players.heuristic")
    player.ask(start_message(position))
    info = player.ask(turn_message(position, 0))["info"]
    assert info["text"].endswith("; slides left under the worst placements: 1")
    assert (info["depth"], info["score"]) == (2, None)


def test_its_weights_are_options(running_player: Callable[..., Any]) -> None:
    """Left alone, the largest tile is to grow; with its weight turned, it is not."""
    board = [[64, 64, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]]
    position = rules.load("2048").position({"board": board, "score": 0})
    player = running_player("players.heuristic")
    only = {"smoothness": 0, "monotonicity": 0, "empty": 0, "depth": 1}
    scores = []
    for largest in (2.0, -2.0):
        player.ask(start_message(position, options={**only, "largest": largest}))
        scores.append(player.ask(turn_message(position, 0))["info"]["score"])
    assert scores == [2.0 * 7, -2.0 * 6]


def test_mistakes_are_reported_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    position = rules.load("2048").start(seed=1)
    for options, words in (
        ({"empty": 1000}, "options.empty: must be less than or equal to 100"),
        ({"deep": 3}, "options.deep: there is no such option. Known options: margin_ms"),
    ):
        assert words in refusal(HeuristicPlayer, position, monkeypatch, options=options)


def test_a_mistake_ends_it(start_player: Callable[..., Any]) -> None:
    player = start_player("players.heuristic")
    player.tell(start_message(rules.load("dots").start()))
    assert player.close() == (1, b"")
    assert player.stderr() == "heuristic cannot play this: it plays 2048 and 2584, not dots\n"
