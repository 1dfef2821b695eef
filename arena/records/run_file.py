"""A run written in a form of other programs, and a run made from a file of one."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from arena.errors import RecordError, UserError
from arena.files.whole_file import naming
from arena.model.contender import CommandLine, Contender
from arena.model.protocol import Clock
from arena.model.record import GameRecord
from arena.records import TEXTS, form_of
from arena.records.form import Damaged, Form
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.played_store import PlayedStore
from arena.tournament.store import Store
from arena.tournament.store_faults import none_left, there_already
from rules.position import Game

SHOWN = 3
"""Damaged games that are named where no other can be read."""
_EVENTS = ".events.jsonl"
"""The endings of files next to a run, which are no exports."""


_Kept = TypeVar("_Kept")


class Read(NamedTuple, Generic[_Kept]):
    games: Sequence[_Kept]
    """Records, or what is kept of each."""
    damaged: Sequence[Damaged]
    """Games that cannot be read; all others are."""


class Exported(NamedTuple):
    games: int
    damaged: Sequence[str]
    """The ids of games that cannot be read; all others were written."""


def export_run(run: Path, out: Path, form: str | None = None) -> Exported:
    """Write the games of a run that have a result in a form, by its name or the ending of `out`.
    Raises UserError, StoreError, RecordError, and OSError.
    """
    chosen, damaged = form_of(out, form), list[str]()
    _refuse_other(out, chosen)
    exported = list[str]()
    with Store.open(run) as store, naming(out):
        chosen.write(_played(store, exported, damaged), store.config.name, out)
    return Exported(len(exported), damaged)


def export_text(run: Path, form: str | None, say: Callable[[str], None]) -> Exported:
    """Say the games of a run that have a result, one by one, in a form that is text. Raises
    UserError, StoreError and RecordError.
    """
    one, damaged = TEXTS.get(form or ""), list[str]()
    if one is None:
        raise UserError(f"--out -: name a form that is text by --as: {', '.join(TEXTS)}")
    exported = list[str]()
    with Store.open(run) as store:
        event = store.config.name
        for record in _played(store, exported, damaged):
            say(one(record, event))
    return Exported(len(exported), damaged)


def _played(store: Store, exported: list[str], damaged: list[str]) -> Iterator[GameRecord]:
    """The games of a run that have a result, read one by one: all together take far more
    memory than the file. Adds their ids, and those of `damaged` ones. Raises StoreError
    where there is none.
    """
    for record in store.records(damaged=damaged):
        exported.append(record.game)
        yield record
    if not exported:
        raise none_left(store.path, damaged)


def _refuse_other(out: Path, form: Form) -> None:
    """Raise UserError for a file that is there and, by its own name, is no file of the form."""
    name = Path(os.path.realpath(out)).name.lower()  # also of a link to itself
    if out.is_file() and (not name.endswith(form.endings) or name.endswith(_EVENTS)):
        known = " or ".join(form.endings)
        raise UserError(
            f"--out {out}: is there already, and its name does not end in {known} as exports do; "
            "give another name"
        )


def import_run(
    file: Path, to: Path, form: str | None = None, game: Game | None = None
) -> Read[GameRecord]:
    """Make a run of a file's games; see `read_file`. Raises StoreError too."""
    if Store.begun_with(to) is not None:
        raise there_already(to)
    read = read_file(file, lambda record: record, form, game)
    PlayedStore.open_run(to, _config(to.stem, read.games), read.games).close()
    return read


def read_file(
    file: Path,
    keep: Callable[[GameRecord], _Kept],
    form: str | None = None,
    game: Game | None = None,
) -> Read[_Kept]:
    """The games of a file, of a form by its name or the file's ending, read as `game` where that
    is given. Of each what `keep` makes of it is held: records take 90 kB. Raises UserError, and
    RecordError where none can be read.
    """
    if not file.is_file():
        why = "is a folder; name a file in it" if file.is_dir() else "there is no such file"
        raise UserError(f"{file}: {why}")
    read = _sorted_out(form_of(file, form).read(file, game), keep)
    if not read.games:
        raise RecordError(f"{file}: no game can be read from it: {_why_none(read.damaged)}")
    return read


def _why_none(damaged: Sequence[Damaged]) -> str:
    if not damaged:
        return "it is empty, or of another form"
    more = f"\nand {len(damaged) - SHOWN:,} more" if len(damaged) > SHOWN else ""
    first = "\n".join(map(str, damaged[:SHOWN]))
    return f"{first}{more}\nIf it has another game, --rules and --set say which"


def _sorted_out(
    games: Iterable[GameRecord | Damaged], keep: Callable[[GameRecord], _Kept]
) -> Read[_Kept]:
    """Good games and damaged ones; a game of other rules than the first, or whose id was there
    before, cannot be in one run with it.
    """
    kept, damaged = dict[str, _Kept](), list[Damaged]()
    game: Game | None = None
    for number, each in enumerate(games, 1):
        if isinstance(each, Damaged):
            damaged.append(each)
            continue
        game = game or each.terms.game
        if each.terms.game != game:
            damaged.append(Damaged(number, "it has other rules than the first; a run has one game"))
        elif each.game in kept:
            damaged.append(Damaged(number, f"there is another game {each.game} before it"))
        else:
            kept[each.game] = keep(each)
    return Read(list(kept.values()), damaged)


def _config(name: str, records: Sequence[GameRecord]) -> TournamentConfig:
    """A tournament that has these players and nothing left to play."""
    clocks = {seat.player: seat.clock for record in records for seat in record.seats}
    return TournamentConfig(
        name=name,
        rounds=0,
        concurrency=1,
        terms=records[0].terms,
        players=tuple(_player(*each) for each in clocks.items()),
    )


def _player(name: str, clock: Clock | None) -> Player:
    """A player that nothing is known of but its name, and a clock of its own."""
    program = CommandLine(words=(name,))
    contender = Contender(name=name, program=program, memory_mb=None, clock=clock, sandbox="none")
    return Player(bot=name, builtin=None, uses_clock=None, contender=contender)
