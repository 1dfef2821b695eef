"""Whole games, written out to be read in review: the files in `golden`, one a variant.

After a change of the rules that is meant, `python tests/rules/test_golden.py` writes them again;
the diff then shows what the change does.
"""

from pathlib import Path
from random import Random

import pytest

import rules

FOLDER = Path(__file__).parent / "golden"
VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    "othello-standard": ("othello", {}),
    "othello-cornerless": ("othello", {"preset": "cornerless"}),
    "othello-4x4": ("othello", {"size": 4}),
    "othello-no-corners-6x6": ("othello", {"size": 6, "corners": False}),
    "othello-free-centre-6x6": ("othello", {"size": 6, "free_centre": True}),
    "dots-1x1": ("dots", {"rows": 1, "cols": 1}),
    "dots-2x3": ("dots", {"rows": 2, "cols": 3}),
    "dots-5x5": ("dots", {}),
    "dots-3x3-majority": ("dots", {"rows": 3, "cols": 3, "stop_at_majority": True}),
    "2048": ("2048", {}),
    "2048-placer-tile": ("2048", {"placer": "player"}),
    "2048-placer-cell": ("2048", {"placer": "player", "placer_chooses": "cell"}),
    "2584": ("2584", {}),
    "2584-spawn-3": ("2584", {"spawn": "1/3"}),
    "2584-placer-cell": ("2584", {"placer": "player", "placer_chooses": "cell"}),
}
LONGEST = {"2048": 24, "2584": 24}
"""Plies written of a game; the rest of a game of tiles shows nothing new."""


def playthrough(name: str, settings: dict[str, object]) -> str:
    """A game of random moves: each position with its state, its moves and the one played."""
    game = rules.load(name, **settings)
    lines = [f"{game.name} {game.variant}, {game.seats} seats"]
    rng = Random(6)
    position = game.start(seed=6)
    for ply in range(LONGEST.get(name, 1000)):
        lines += ["", f"ply {ply}", str(position), f"state {position.state()}"]
        lines += [f"to move {position.to_move}, scores {position.scores()}"]
        if position.is_over:
            lines += ["adjudicated" if position.is_adjudicated else "natural end"]
            break
        lines += [f"legal {' '.join(position.legal_moves())}"]
        if position.chance():
            shown = (f"{move} {probability:.4f}" for move, probability in position.chance())
            lines += [f"chance {', '.join(shown)}"]
            move = rules.draw_chance(position, rng)
        else:
            move = rng.choice(position.legal_moves())
        lines += [f"plays {move}"]
        position = position.play(move)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_game_is_played_as_written(variant: str) -> None:
    written = (FOLDER / f"{variant}.txt").read_text()
    assert playthrough(*VARIANTS[variant]).splitlines() == written.splitlines()


def test_no_file_is_left_over() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(VARIANTS)


if __name__ == "__main__":
    for variant, arguments in VARIANTS.items():
        (FOLDER / f"{variant}.txt").write_text(playthrough(*arguments))
