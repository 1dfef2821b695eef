"""Boards as networks see them, in plain Python, by the words of the network file's description."""

from collections.abc import Sequence

from players.ntuple.network import Network
from players.weights.network_header import Header
from rules.position import Position


def slow_cells(truth: Position) -> dict[str, int]:
    """What each cell holds, by the rules alone."""
    state = truth.state()
    if "board" in state:
        own = "XO"[truth.to_move or 0]
        return {
            f"{'abcdefgh'[column]}{row + 1}": 0 if cell not in "XO" else 1 if cell == own else 2
            for row, cells in enumerate(state["board"])
            for column, cell in enumerate(cells)
            if cell != "#"
        }
    return {
        f"{'abcdefgh'[c]}{r + 1}{'abcdefgh'[c + (kind == 'horizontal')]}"
        f"{r + 1 + (kind == 'vertical')}": 1 - drawn
        for kind in ("horizontal", "vertical")
        for r, edges in enumerate(state[kind])
        for c, drawn in enumerate(edges)
    }


def turned(names: Sequence[str], size: int, image: int) -> list[str]:
    """The cells that `names` are on an image of the board; `size` is in squares or dots."""
    result = []
    for name in names:
        ends = []
        for at in range(0, len(name), 2):
            column, row = "abcdefgh".index(name[at]), int(name[at + 1]) - 1
            column = size - 1 - column if image & 1 else column
            row = size - 1 - row if image & 2 else row
            column, row = (row, column) if image & 4 else (column, row)
            ends.append((row, column))
        result.append("".join(f"{'abcdefgh'[column]}{row + 1}" for row, column in sorted(ends)))
    return result


def slow_entries(truth: Position, header: Header, network: Network) -> list[int]:
    """Where the entries of the tables lie, of the first stage, as often as they count."""
    held = slow_cells(truth)
    is_dots = header.rules == "dots"
    size = header.variant["rows"] + 1 if is_dots else header.variant["size"]
    return [
        int(network.offsets[number])
        + sum(
            held[cell] * (2 if is_dots else 3) ** place
            for place, cell in enumerate(turned(names, size, image))
        )
        for number, names in enumerate(header.tuples)
        for image in range(8)
    ]


def slow_progress(truth: Position) -> int:
    """Discs on the board, or edges drawn."""
    cells = list(slow_cells(truth).values())
    return sum(map(bool, cells)) if truth.game.name == "othello" else cells.count(0)
