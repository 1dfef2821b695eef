"""Records of games played at random through the rules, with times and infos made up from a seed."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console

import rules
from arena.model.containment import Guarantee, Held
from arena.model.game_spec import Terms, first_position
from arena.model.protocol import Termination
from arena.model.record import Fault, GameRecord, Host, PlayedMove, SeatRecord
from rules.position import draw_chance

Play = Callable[..., GameRecord]
HELD = Held(
    mode="bwrap",
    by={
        Guarantee.MEMORY: "cgroup",
        Guarantee.PROCESSES: "cgroup",
        Guarantee.CPU: None,
        Guarantee.NETWORK: "bwrap",
        Guarantee.FILES: "bwrap",
        Guarantee.DISK: "bwrap",
        Guarantee.PIDS: "bwrap",
        Guarantee.UID: "bwrap",
    },
    notes=("cpu is not held: a player could move to other cores.",),
)


def play_record(
    name: str,
    *players: str,
    seed: int = 1,
    game: str = "g1",
    pair: str = "",
    forfeit: int | None = None,
    stderr: str = "",
    fault_at: int | None = None,
    winner: int | None = None,
    **settings: Any,
) -> GameRecord:
    """A random game; `forfeit` is the seat that stops answering, after at most 11 plies.

    `winner` overrules the points of a played-out game, to make strong players.
    """
    rng = Random(seed)
    made = rules.load(name, **settings)
    position = first_position(made, seed)
    moves: list[PlayedMove] = []
    while position.to_move is not None and not (forfeit is not None and len(moves) > 10):
        if position.to_move == -1:
            moves.append(PlayedMove(seat=-1, move=draw_chance(position, rng)))
        else:
            move = rng.choice(position.legal_moves())
            ply = len(moves)
            fault = None
            if ply == fault_at:
                fault = Fault(
                    ply=ply,
                    seat=position.to_move,
                    termination=Termination.BAD_JSON,
                    detail="not JSON",
                )
            moves.append(
                PlayedMove(
                    seat=position.to_move,
                    move=move,
                    used_ms=None if move == "pass" else round(rng.uniform(1, 90), 3),
                    info={"score": 0.25, "depth": 7, "nodes": 12345, "pv": [move], "text": "[red]"},
                    fault=fault,
                )
            )
        position = position.play(moves[-1].move)
    scores = position.scores()
    points: tuple[float, ...] = ()
    if name in ("othello", "dots"):
        first = 0.5 if scores[0] == scores[1] else float(scores[0] > scores[1])
        if forfeit is not None:
            first = float(forfeit)
        elif winner is not None:
            first = 1.0 - winner
        points = (first, 1 - first)
    return GameRecord(
        game=game,
        round=1,
        pair=pair,
        terms=Terms(rules=name, variant=made.variant),
        seats=tuple(
            SeatRecord(
                player=player,
                command=("./bot",),
                sandbox=HELD,
                reported_name="bot",
                stderr_head=stderr,
                stderr_bytes=len(stderr),
                random_moves=0 if fault_at is None else int(seat == moves[fault_at].seat),
            )
            for seat, player in enumerate(players)
        ),
        opening=(),
        seed=seed,
        moves=tuple(moves),
        final_state=position.state(),
        termination=Termination.NATURAL if forfeit is None else Termination.TIMEOUT,
        detail="–".join(map(str, scores)) if forfeit is None else "no reply within 5100 ms",
        offender=forfeit,
        scores=scores,
        points=points,
        started_at="2025-01-01T00:00:00Z",
        duration_ms=1000.0,
        host=Host(name="host", system="Linux", cpu="cpu", cores=2, python="3.11", arena="0.1.0"),
    )


def text_of(console: Console) -> str:
    """What was printed to it."""
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture(scope="session")
def play() -> Play:
    """Plays one random game."""
    return play_record


@pytest.fixture(scope="session")
def cup() -> list[GameRecord]:
    """Four players at dots 2×2, two rounds of colour-swapped pairs; two forfeits."""
    names = ["uct", "alphabeta", "[bold]greedy[/bold]", "monkey"]
    records = []
    for round_ in range(6):
        for one in range(4):
            for other in range(one + 1, 4):
                for seats in ((one, other), (other, one)):
                    number = len(records)
                    upset = Random(number).random() < 0.25
                    forfeit = seats.index(3) if number in (10, 46) else None
                    winner = int((seats[1] < seats[0]) ^ upset)
                    records.append(
                        play_record(
                            "dots",
                            *(names[seat] for seat in seats),
                            seed=number,
                            game=f"g{number + 1:04d}",
                            pair=f"{round_}-{one}-{other}",
                            forfeit=forfeit,
                            winner=winner,
                            rows=3,
                            cols=3,
                        )
                    )
    return records


@pytest.fixture(scope="session")
def tile_cup() -> list[GameRecord]:
    """Two players of 2048 on ten equal seeds."""
    return [
        play_record(
            "2048", name, seed=100 * which + seed, pair=f"s{seed}", game=f"{name}{seed}"
        ).model_copy(update={"seed": seed})
        for seed in range(10)
        for which, name in enumerate(("left-hander", "monkey"))
    ]


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compares text with a file of tests/reports/golden; ARENA_WRITE_GOLDEN=1 writes it again."""

    def check(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
        if os.environ.get("ARENA_WRITE_GOLDEN"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check
