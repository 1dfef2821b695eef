"""`expectimax` and `placer` over the protocol, as a tournament has them."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import ValidationError

import rules
from players.builtin import think_until
from players.catalogue import BUILTINS
from players.expectimax import ExpectimaxOptions
from players.greedy import gains
from players.options import SearchOptions
from players.sdk import Clock, Start, Turn
from rules.position import CHANCE, Game, draw_chance
from tests.players.conftest import FILE, random_position, refusal, start_message, turn_message
from tests.players.tile_cases import NAMES

FULL = {
    "board": [[2, 4, 8, 16], [4, 8, 16, 2], [8, 16, 2, 4], [2, 2, 4, 0]],
    "score": 0,
    "to_move": 0,
}
"""Both slides merge, and lead to a few placements."""
TWO = {
    "2048": [
        rules.load("2048", placer="player"),
        rules.load("2048", placer="player", placer_chooses="cell"),
    ],
    "2584": [
        rules.load("2584", placer="player", spawn="1/3"),
        rules.load("2584", placer="player", placer_chooses="cell"),
    ],
}


def meet(
    game: Game, players: dict[int, Any], networks: Path, options: dict[str, Any], plies: int
) -> list[Any]:
    """A game from a fixed start to its end, or `plies` long: the position and the answers."""
    rng = Random(1)
    position: Any = game.start(seed=1)
    for seat, player in players.items():
        weights = {"weights": str(networks / f"{game.name}-{FILE}")}
        message = start_message(position, seat, options={**weights, **options})
        assert player.ask(message)["type"] == "ready"
    since: dict[int, list[Any]] = {seat: [] for seat in players}
    answers = []
    for ply in range(plies):
        seat = position.to_move
        if seat is None:
            break
        if seat == CHANCE:
            move = draw_chance(position, rng)
        else:
            message = turn_message(position, ply, since[seat])
            answer = players[seat].ask(message)
            answers.append((seat, position, answer))
            move, since[seat] = answer["move"], []
        for moves in since.values():
            moves.append([seat, move])
        position = position.play(move)
    return [position, answers]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("policy", ["random", "greedy", "minimax"])
def test_placers_meet_and_swap_their_roles_in_every_variant(
    policy: str, name: str, networks: Path, running_player: Callable[..., Any]
) -> None:
    """The rules judge every move; games against minimax are over soon, and are played out."""
    pair = [running_player("players.placer", number) for number in (0, 1)]
    for number, game in enumerate(TWO[name]):
        seats = {0: pair[number % 2], 1: pair[1 - number % 2]}
        plies = 10_000 if policy == "minimax" else 60
        position, answers = meet(game, seats, networks, {"policy": policy, "depth": 1}, plies)
        assert position.is_over or policy != "minimax"
        for seat, before, answer in answers:
            assert answer["move"] in before.legal_moves()
            if seat == 1 and policy == "greedy":
                of_move = gains(before, 1)
                assert of_move[answer["move"]] == max(of_move.values())


@pytest.mark.parametrize("name", NAMES)
def test_expectimax_plays_both_seats(
    name: str, networks: Path, running_player: Callable[..., Any]
) -> None:
    players = {seat: running_player("players.expectimax", seat) for seat in (0, 1)}
    options = {"depth": 2}
    answers = [each for game in TWO[name] for each in meet(game, players, networks, options, 40)[1]]
    assert {seat for seat, _, _ in answers} == {0, 1}
    for seat, before, answer in answers:
        assert answer["move"] in before.legal_moves()
        if len(before.legal_moves()) > 1:
            info = answer["info"]
            assert info["depth"] == 2
            assert info["nodes"] > 4
            assert info["score"] >= 0 if seat == 0 else info["score"] <= 0


def test_options_reach_the_search(networks: Path, running_player: Callable[..., Any]) -> None:
    """Each leads to another value or another effort than all of them left out."""
    position = random_position(rules.load("2048"), 40, Random(4))
    while position.to_move != 0:
        position = position.play(draw_chance(position, Random(4)))
    player = running_player("players.expectimax")
    found = {}
    cases: dict[str, dict[str, Any]] = {
        "plain": {},
        "depth": {"depth": 2},
        "minimax": {"method": "minimax"},
        "popup": {"popup": 2},
        "star": {"star": 0.95},
        "table": {"memory_mb": 0},
    }
    for name, options in cases.items():
        weights = {"weights": str(networks / f"2048-{FILE}")}
        player.ask(start_message(position, options={**weights, **options}))
        info = player.ask(turn_message(position, 40, time_ms=60_000))["info"]
        found[name] = (info["score"], info["depth"], info["nodes"])
    assert found["plain"][1] == 3
    assert found["depth"][1] == 2
    assert len(set(found.values())) == len(found), found
    assert found["table"][0] == found["plain"][0]
    assert found["minimax"][0] < found["plain"][0]


@pytest.mark.parametrize(
    ("placer", "options", "method"),
    [
        ("chance", {}, "expectimax"),
        ("player", {}, "minimax"),
        ("player", {"star": 0.7}, "expectimax"),
        ("player", {"method": "expectimax"}, "expectimax"),
        ("chance", {"method": "minimax"}, "minimax"),
    ],
)
def test_a_player_who_places_is_taken_for_an_adversary(
    placer: str, options: dict[str, Any], method: str
) -> None:
    assert ExpectimaxOptions.model_validate(options).method_against(placer) == method


def test_the_method_is_that_of_the_game(networks: Path, running_player: Callable[..., Any]) -> None:
    """A board is worth less where the tiles are placed to harm."""
    player, scores = running_player("players.expectimax"), {}
    for placer in ("chance", "player"):
        position = rules.load("2048", placer=placer).position(FULL)
        options = {"weights": str(networks / f"2048-{FILE}"), "depth": 2}
        for method in ({}, {"method": "expectimax"}, {"method": "minimax"}):
            player.ask(start_message(position, options={**options, **method}))
            info = player.ask(turn_message(position, 40, time_ms=60_000))["info"]
            scores[placer, method.get("method")] = info["score"]
    assert scores["chance", None] == scores["chance", "expectimax"]
    assert scores["player", None] == scores["player", "minimax"] < scores["chance", None]


def test_the_clock_is_obeyed_at_any_depth(
    networks: Path, running_player: Callable[..., Any]
) -> None:
    position = rules.load("2048").start(seed=3)
    player = running_player("players.expectimax")
    options = {"weights": str(networks / f"2048-{FILE}"), "depth": 64}
    player.ask(start_message(position, options=options))
    answer = player.ask(turn_message(position, 2, time_ms=100))
    assert answer["move"] in position.legal_moves()
    assert 2 <= answer["info"]["depth"] < 64


@pytest.mark.parametrize(
    ("module", "fields", "words"),
    [
        ("expectimax", {"options": {"deep": 3}}, "Known options: margin_ms, think_ms, weights"),
        ("expectimax", {"options": {"weights": "none.ntuple"}}, "'none.ntuple' cannot be read"),
        (
            "expectimax",
            {"options": {"weights": f"2584-{FILE}"}},
            "a network for 2584, not for 2048",
        ),
        ("expectimax", {"rules": "dots", "variant": {}}, "it plays 2048 and 2584, not dots"),
        ("placer", {"options": {"policy": "kind"}}, "options.policy: must be 'random', 'greedy'"),
        ("placer", {"rules": "othello", "variant": {}}, "it plays 2048 and 2584, not othello"),
    ],
)
def test_what_it_cannot_play_ends_it_with_a_sentence(
    module: str,
    fields: dict[str, Any],
    words: str,
    networks: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(networks)
    position = rules.load("2048").start(seed=1)
    assert words in refusal(BUILTINS[module], position, monkeypatch, **fields)


def test_star_pruning_is_for_means() -> None:
    assert ExpectimaxOptions.model_validate({"star": 0.7, "popup": 7}).star == 0.7
    with pytest.raises(ValidationError, match=r"it prunes means.*: leave star or method out"):
        ExpectimaxOptions.model_validate({"star": 0.7, "method": "minimax"})
    assert ExpectimaxOptions.model_validate({"downgrade": 0}).downgrade == 0
    for tile in (8, 100):
        with pytest.raises(ValidationError, match=f"must be 0 or a tile of 2048 .*, not {tile}"):
            ExpectimaxOptions.model_validate({"downgrade": tile})


@pytest.mark.slow
def test_a_bank_lasts_for_thousands_of_slides() -> None:
    position = rules.load("2048").start(seed=1)
    fields = start_message(position)
    del fields["type"], fields["protocol"]
    start = Start(**{**fields, "clock": Clock(None, 600_000, 0)})
    turn = Turn(start, "g1", 0, 600_000, 600_000, position.state(), [], ["up"], 0, 700.0)
    assert think_until(turn, SearchOptions(margin_ms=10)) == pytest.approx(100.0 + 0.110)
