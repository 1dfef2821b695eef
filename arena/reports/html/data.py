"""From a run to the data of its pages."""

from collections.abc import Iterable, Sequence
from typing import Any

from arena.files.plain_text import printable
from arena.model.game_spec import first_position
from arena.model.protocol import Termination
from arena.model.record import GameRecord, PlayedMove, SeatRecord
from arena.ratings.results import GameDigest
from arena.referee.head_tail import KEPT_BYTES
from arena.reports.html.audience import Audience, Seen
from arena.reports.html.figures import player_figures
from arena.reports.html.model import (
    Drawing,
    GameColumns,
    GameData,
    GameRunning,
    RunData,
    SeatStderr,
)
from arena.reports.words import rounded_ms
from arena.tournament.config import TournamentConfig
from arena.tournament.run_view import GameInPlay, RunView
from rules import tiles

_ALL_ENDINGS = list(Termination)


def run_data(view: RunView, audience: Audience) -> RunData:
    """The run, for its lists of games and players."""
    config, game = view.config, view.config.terms.game
    seen = Seen(config, audience)
    clocks = {each.name: each.contender.clock or config.terms.clock for each in config.players}
    return RunData(
        name=seen.sentence(config.name),
        variant=config.terms.variant,
        drawing=drawing(config.terms.rules),
        marks=list(game.marks),
        seats=game.seats,
        move_gap=game.move_gap,
        players=[seen.names[name] for name in seen.players],
        limits_ms=[clocks[name].move_ms for name in seen.players],
        figures=player_figures(view, seen),
        endings=_ALL_ENDINGS,
        games=columns(view.games, seen),
        running=[running(each, config, seen) for each in view.playing.values()],
    )


def columns(games: Iterable[GameDigest], seen: Seen) -> GameColumns:
    """Finished games, a list a column."""
    finished = list(games)
    return GameColumns(
        id=[seen.game(game.game) for game in finished],
        players=[_places(game.players, seen) for game in finished],
        scores=[game.scores for game in finished],
        points=[_half_points(game.points) for game in finished],
        ending=[_ALL_ENDINGS.index(game.termination) for game in finished],
        offender=[-1 if game.offender is None else game.offender for game in finished],
        plies=[game.plies for game in finished],
        slowest_ms=[
            round(max((max(t) for t in game.used_ms if t), default=0)) for game in finished
        ],
    )


def running(game: GameInPlay, config: TournamentConfig, seen: Seen) -> GameRunning:
    started = game.started
    return GameRunning(
        id=seen.game(started.game),
        round=started.round,
        players=_places(started.players, seen),
        opening=len(started.opening),
        start=first_position(config.terms.game, started.seed).state(),
        moves=game.moves,
    )


def game_data(record: GameRecord, seen: Seen) -> GameData:
    names = [seat.player for seat in record.seats]
    offender = None if record.offender is None else names[record.offender]
    infos = [move.info or {} for move in record.moves]
    return GameData(
        id=seen.game(record.game),
        round=record.round,
        attempt=record.attempt,
        players=list(_places(names, seen)),
        seed=record.seed,
        opening=len(record.opening),
        start=record.start().state(),
        moves=[move.move for move in record.moves],
        seats=[move.seat for move in record.moves],
        used_ms=_unless_empty(  # rounded: most of a report's weight are times
            [move.used_ms and rounded_ms(move.used_ms) for move in record.moves]
        ),
        score=_unless_empty([_rounded(info.get("score")) for info in infos]),
        depth=_unless_empty([info.get("depth") for info in infos]),
        text=_unless_empty([_words(move, names, seen) for move in record.moves]),
        faults=[
            (
                ply,
                fault.seat,
                fault.termination,
                seen.detail(fault.detail, fault.termination, names[fault.seat]),
            )
            for ply, move in enumerate(record.moves)
            if (fault := move.fault) is not None
        ],
        ending=record.termination,
        detail=seen.detail(record.detail, record.termination, offender),
        offender=-1 if record.offender is None else record.offender,
        scores=list(record.scores),
        points=list(_half_points(record.points)),
        started_at=record.started_at,
        duration_ms=round(record.duration_ms),
        machine=machine(record, seen),
        stderr=[_stderr_of(seat, seen) for seat in record.seats],
        boards=_boards(record) if drawing(record.terms.rules) == "text" else [],
    )


def machine(record: GameRecord, seen: Seen) -> str:
    """The machine of a game; its name is for those who may read everything."""
    host = record.host
    name = f"{host.name}: " if seen.audience.reads_all else ""
    details = f"{host.cores} cores, {host.system}, Python {host.python}, {host.versions}"
    return printable(f"{name}{host.cpu}, {details}")


def _places(names: Sequence[str], seen: Seen) -> tuple[int, ...]:
    return tuple(seen.place[name] for name in names)


def _half_points(points: Iterable[float]) -> tuple[int, ...]:
    return tuple(round(2 * each) for each in points)


def drawing(rules: str) -> Drawing:
    if rules in tiles.NAMES:
        return "tiles"
    return "othello" if rules == "othello" else "dots" if rules == "dots" else "text"


def _unless_empty(values: list[Any]) -> list[Any]:
    return [] if all(value is None for value in values) else values


def _rounded(score: float | None) -> float | None:
    """Three digits, two of them behind the point."""
    return None if score is None else round(float(f"{score:.3g}"), 2)


def _words(move: PlayedMove, names: Sequence[str], seen: Seen) -> str | None:
    """The words of a player on its move."""
    if not move.info or move.seat < 0 or not seen.audience.texts:
        return None
    if not seen.audience.may_read(names[move.seat]):
        return None
    return printable(seen.written(str(move.info.get("text") or ""))) or None


def _stderr_of(seat: SeatRecord, seen: Seen) -> SeatStderr | None:
    """The stderr of a seat, with the marks moved where escaped characters take more room."""
    if not seen.audience.may_read(seat.player):
        return None
    head, tail = (printable(text, keep="\n\t") for text in (seat.stderr_head, seat.stderr_tail))
    whole, marks, at, length = seat.stderr, list[int](), 0, 0
    for mark in seat.stderr_marks:
        length += len(printable(whole[at:mark], keep="\n\t"))
        at = max(at, mark)
        marks.append(length)
    # Escapes make a text longer, also in the record, but no more is kept than that.
    lost = max(0, seat.stderr_bytes - min(2 * KEPT_BYTES, len(whole.encode())))
    size = lost + len((head + tail).encode())
    return seen.stderr(SeatStderr(head=head, tail=tail, bytes=size, marks=marks))


def _boards(record: GameRecord) -> list[str]:
    """The text boards, as far as the moves can be replayed."""
    position = record.start()
    boards = [str(position)]
    for move in record.moves:
        try:
            position = position.play(move.move)
        except ValueError:
            break
        boards.append(str(position))
    return boards
