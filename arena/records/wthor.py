"""WTHOR, the archive of the French Othello federation: `.wtb` with its `.jou` and `.trn`.

All numbers are little-endian. A file begins with 16 bytes: the century, year, month and day it was
made on; the number of games (4 bytes); the number of names (2); the year of the games (2); the size
of the board (0 is 8), the kind (1 is solitaires), the number of empty squares from which the
theoretical score was calculated, and a byte without a meaning. A game has 68 bytes: the numbers of
its tournament, of black and of white (2 bytes each), black's discs, black's discs after best play
from that number of empty squares, and 60 moves, row·10 + column from 1, 0 after the last; passes
are left out. `.jou` has names of players in 20 bytes, `.trn` of tournaments in 26.

Source: the federation's description (ffothello.org/wthor/Format_WThor.pdf), and its files.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from arena.errors import RecordError
from arena.files.whole_file import writing
from arena.model.record import GameRecord
from arena.records.form import (
    Damaged,
    Form,
    ParsedGame,
    game_or,
    move_in,
    read_each,
    record_of,
    scores_by_result,
    two_players,
)
from arena.records.ggf import standard
from rules import load
from rules.position import PASS, Game, square_name

_HEADER = struct.Struct("<BBBBIHHBBBB")
_GAME = struct.Struct("<HHHBB60s")
_PLAYER, _TOURNAMENT = 20, 26
"""Bytes of a name, its closing 0 among them."""
_SQUARES = 64
_NUMBERS = {
    square_name(row, column): 10 * row + column + 11 for row in range(8) for column in range(8)
}
"""The number of each square."""
_MOST = 2**16
THEORETICAL, DEPTH = "theoretical_score", "theoretical_empties"
"""The keys of black's discs after best play, and of the empty squares it was searched from."""


def write(played: Iterable[GameRecord], event: str, path: Path) -> None:
    """Write the games, and the names into files next to them."""
    players, events = dict[str, int](), dict[str, int]()
    games, depth, year = list[bytes](), 0, 0
    for record in played:
        depth = max(depth, int(record.stated.get(DEPTH, 0)))
        year = year if games else _year(record)
        games.append(_packed(record, players, events, event))
    now = datetime.now(UTC)
    head = (now.year // 100, now.year % 100, now.month, now.day)
    header = _HEADER.pack(*head, len(games), 0, year, 8, 0, depth, 0)
    _write(path, header, games)
    for ending, names, size in ((".jou", players, _PLAYER), (".trn", events, _TOURNAMENT)):
        header = _HEADER.pack(*head, 0, len(names) % _MOST, 0, 0, 0, 0, 0)
        _write(path.with_suffix(ending), header, _named(names, size))


def _write(path: Path, header: bytes, items: Iterable[bytes]) -> None:
    with writing(path, "wb") as file:
        file.write(header)
        file.writelines(items)


def read(path: Path, game: Game | None) -> Iterator[GameRecord | Damaged]:
    """The games of a file; their names from those next to it, where they are there."""
    played, data = game_or(game, load("othello"), "WTHOR"), path.read_bytes()
    if len(data) < _HEADER.size:
        raise RecordError(f"{path}: too short to be a file of WTHOR")
    *_, number, _, year, size, kind, depth, _ = _HEADER.unpack_from(data)
    if size not in (0, 8) or kind not in (0, 1):
        raise RecordError(f"{path}: no games of WTHOR on 8×8 (board {size}, kind {kind})")
    players, events = _names(path, ".jou", _PLAYER), _names(path, ".trn", _TOURNAMENT)
    at = range(_HEADER.size, len(data), _GAME.size)

    def game_at(place: int, index: int) -> GameRecord:
        parsed = _unpack(data[place : place + _GAME.size], players, events, year, depth)
        return record_of(parsed, played, index)

    yield from read_each(at[:number], game_at)
    for index in range(len(at) + 1, min(number, len(at) + 1) + 1):
        yield Damaged(index, f"the file ends before it; {number} games were announced")


def _year(record: GameRecord) -> int:
    """The year of a game; 0 where it is not known."""
    written = record.started_at[:4]
    return int(written) if re.fullmatch("[0-9]{4}", written) else 0


def _unpack(
    data: bytes, players: Sequence[str], events: Sequence[str], year: int, depth: int
) -> ParsedGame:
    if len(data) < _GAME.size:
        raise ValueError(f"the file ends after {len(data)} of its {_GAME.size} bytes")
    tournament, black, white, discs, theoretical, moves = _GAME.unpack(data)
    if max(discs, theoretical) > _SQUARES:
        raise ValueError(f"black cannot have {max(discs, theoretical)} discs")
    event = _name(events, tournament, "tournament")
    return ParsedGame(
        moves=[_square(each) for each in moves.rstrip(b"\0")],
        players=(_name(players, black, "player"), _name(players, white, "player")),
        scores=(discs, _SQUARES - discs),
        date=f"{year:04}" if year else "",
        stated={"event": event, THEORETICAL: theoretical, DEPTH: depth},
    )


def _name(names: Sequence[str], number: int, kind: str) -> str:
    """The name, or the number where there is none."""
    return names[number] if number < len(names) else f"{kind} {number}"


def _square(number: int) -> str:
    row, column = divmod(number - 11, 10)
    if not 0 <= row < 8 or not 0 <= column < 8:
        raise ValueError(f"{number} is not a square; squares are 11 to 88")
    return square_name(row, column)


def _numbered(names: dict[str, int], name: str) -> int:
    """The place of a name, which is added where it is new. Raises RecordError."""
    number = names.setdefault(name, len(names))
    if number == _MOST:
        raise RecordError(f"WTHOR has no room for more than {_MOST} names")
    return number


def _packed(
    record: GameRecord, players: dict[str, int], events: dict[str, int], event: str
) -> bytes:
    """The game; names that are new are added to `players` and `events`."""
    if standard(record, "WTHOR").size != 8:
        raise RecordError(f"game {record.game} is not on 8×8, and WTHOR has no other board")
    discs = _with_empties(scores_by_result(record, _SQUARES))
    moves = bytes(move_in(_NUMBERS, move, record) for move in record.moves if move.move != PASS)
    black, white = (_numbered(players, name) for name in two_players(record))
    theoretical = int(record.stated.get(THEORETICAL, discs))
    tournament = _numbered(events, str(record.stated.get("event", event)))
    return _GAME.pack(tournament, black, white, discs, theoretical, moves)


def _with_empties(scores: Sequence[int]) -> int:
    """Black's discs, the squares left empty counted for the winner, as tournaments do."""
    black, white = scores
    empty = _SQUARES - black - white
    return black + (empty if black > white else 0 if black < white else empty // 2)


def _named(names: Iterable[str], size: int) -> Iterator[bytes]:
    """Names cut to their room; of equal ones the later end in `~2` and so on."""
    taken: set[bytes] = set()
    for name in names:
        whole, number = name.encode("latin-1", "replace"), 1
        cut = whole[: size - 1]
        while cut in taken:
            number += 1
            mark = f"~{number}".encode()
            cut = whole[: size - 1 - len(mark)] + mark
        taken.add(cut)
        yield cut.ljust(size, b"\0")


def _names(games: Path, ending: str, size: int) -> list[str]:
    """The names of the file next to the games, its own or the archive's; none without one."""
    near = {path.name.lower(): path for path in games.parent.iterdir()}
    for name in (games.stem.lower() + ending, "wthor" + ending):
        if name in near:
            data = near[name].read_bytes()
            cuts = range(_HEADER.size, len(data), size)
            return [data[at : at + size].split(b"\0")[0].decode("latin-1") for at in cuts]
    return []


WTHOR = Form("wthor", (".wtb",), write, read)
