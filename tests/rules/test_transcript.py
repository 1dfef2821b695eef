"""Transcripts, there and back."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rules
from rules.transcript import read_transcript, write_transcript
from tests.rules.test_rehearsal import Sticks, WithPasses

GAMES = [
    rules.load("othello", size=4),
    rules.load("othello", size=16),
    rules.load("othello", preset="cornerless"),
    rules.load("dots", rows=12, cols=3),
    rules.load("2048", placer="player", placer_chooses="cell"),
    rules.load("2584"),
]


@settings(max_examples=40)  # of whole games
@given(st.sampled_from(GAMES), st.integers(0, 2**32))
def test_a_written_game_is_read_back(game: rules.Game, seed: int) -> None:
    rng = Random(seed)
    start = position = game.start(seed=seed)
    moves = []
    while not position.is_over:
        moves.append(rng.choice(position.legal_moves()))
        position = position.play(moves[-1])
    assert read_transcript(start, write_transcript(start, moves)) == tuple(moves)


def test_othello_runs_its_squares_together() -> None:
    start = rules.load("othello").start()
    assert write_transcript(start, ("f5", "d6", "c3")) == "f5d6c3"
    for text in ("f5d6c3", "F5D6C3", " f5 d6\nc3 ", "f5,d6, c3"):
        assert read_transcript(start, text) == ("f5", "d6", "c3")
    assert read_transcript(start, "") == ()


def test_other_games_list_their_moves() -> None:
    start = rules.load("dots").start()
    assert write_transcript(start, ("a1b1", "a1a2")) == "a1b1 a1a2"
    assert read_transcript(start, "a1b1,A1A2") == ("a1b1", "a1a2")
    tiles = rules.load("2048").position({"board": [[0, 2, 0, 0], *[[0] * 4] * 3], "score": 0})
    assert read_transcript(tiles, "left c2=4 down") == ("left", "c2=4", "down")


PASSING = {"board": ["XO..", "XXXX", "XXXX", "XXXX"], "to_move": 1}


def test_forced_passes_are_implied_and_may_be_spelled_out() -> None:
    start = rules.load("othello", size=4).position(PASSING)
    moves = ("pass", "c1")
    assert write_transcript(start, moves) == "c1"
    for text in ("c1", "passc1", "-- c1", "PA c1", "PSc1"):
        assert read_transcript(start, text) == moves


def test_a_pass_that_is_a_choice_is_written() -> None:
    start = Sticks(WithPasses).start()
    moves = ("1", "pass", "2", "pass", "2")
    assert write_transcript(start, moves) == "1 pass 2 pass 2"
    assert read_transcript(start, "1 PASS 2, pass 2") == moves


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("othello", "f5d6x", "character 5 of the transcript: 'x' is not a move"),
        ("othello", "f5 55", "character 4 of the transcript"),
        ("othello", "f5d6a1", "move 3 of the transcript: 'a1' is illegal: it turns no disc"),
        ("othello", "f5d9", "move 2 of the transcript: 'd9' is not a square"),
        ("othello", "f5pass", "move 2 of the transcript: 'pass' is illegal"),
        ("dots", "a1b1 a1b1", "move 2 of the transcript: 'a1b1' is illegal: .* already drawn"),
        ("dots", "a1b1 b1", "character 6 of the transcript: 'b1' is not a move"),
    ],
)
def test_wrong_transcripts_are_explained(name: str, text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_transcript(rules.load(name).start(), text)


def test_only_a_legal_game_is_written() -> None:
    with pytest.raises(rules.IllegalMove, match="'a1' is illegal"):
        write_transcript(rules.load("othello").start(), ("f5", "a1"))
