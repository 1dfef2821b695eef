"""The field of a run that goes on. A run keeps the players it began with: those that were submitted
are versions that never change, and later submissions wait for --take-new.

A new version is a player of its own, `ant@2`; the player it replaces has no more games, and its
games count as long as the bot plays: a bot that is withdrawn leaves with all its versions.
"""

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from arena.bots.package import TREE
from arena.bots.versions import RECEIPT, SHOWN_DIGITS, chosen, folder_of, verified
from arena.errors import SubmissionError, UserError
from arena.files.toml_tables import no_such
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Format


class Wanted(NamedTuple):
    """The change of a run's field that a command asks for."""

    take_new: bool = False
    """Whether the field becomes that of the file, as it is now."""
    without: Sequence[str] = ()
    """Players that leave."""


def resumed(
    kept: TournamentConfig, read: TournamentConfig, wanted: Wanted, round_: int | None
) -> TournamentConfig:
    """The tournament that was `read` now, with the field of the run that has `kept` so far, and
    the change that is `wanted`. Where walkovers take the place of those that leave, they leave in
    this `round_`. `kept` is `read` itself where no run has begun.

    Other changes, as a program in its place or a table of the file, are left for `differences` to
    refuse. Raises UserError.
    """
    fresh = {player.name: player for player in read.players}
    begun = [_found(player, fresh, read.players) for player in kept.players]
    out = {player.name for player in leavers(begun, wanted.without)}
    change = _Change.between(begun, fresh, out)
    # A table that is new in the file was written for this run.
    added = {player.name: player for player in change.added if not _is_version(player)}
    moved = change.taken(begun) if wanted.take_new else added
    if not wanted.take_new:
        _refuse_lost(begun, fresh, out)
    stay = (_as_read(moved.pop(each.name, each), fresh, out) for each in begun)
    players = [player for player in stay if player is not None]
    players += moved.values()
    for each in wanted.without:
        one = _named(each, players)
        gone = one.model_copy(update={"status": "out", "left": round_ if one.plays else one.left})
        players[players.index(one)] = gone
    if kept is not read:
        _refuse_closed(kept, players)
    if read.terms.game.seats <= len(players):
        left = [player.name for player in players if player.plays or player.left is not None]
        refuse_too_few(read, left, wanted.without)
    changes = change.sentences(FORMATS[kept.format], take_new=wanted.take_new)
    return read.model_copy(
        update={"players": tuple(players), "left_out": (*read.left_out, *changes)}
    )


def leavers(players: Sequence[Player], without: Sequence[str]) -> tuple[Player, ...]:
    """Those left out, before or now, of whose bot no version plays: nothing needs their files."""
    named = set[str]()
    for each in without:
        with suppress(UserError):  # it may be about to join
            named.add(_named(each, players).name)
    stay = _bots(each for each in players if each.plays and each.name not in named)
    out = (each for each in players if each.status == "out" or each.name in named)
    return tuple(each for each in out if each.name_in_file not in stay)


def refuse_too_few(config: TournamentConfig, left: Sequence[str], without: Sequence[str]) -> None:
    """Raise UserError where those that are left are too few for a game, or for the format."""
    seats = config.terms.game.seats
    if len(left) < seats:
        raise UserError(f"a game needs {seats} players, and {len(left)} would be left")
    problems = FORMATS[config.format].problems(config.format_keys, left) if without else ()
    for key, problem in problems:
        where = f"{config.format}.{key}" if key else config.format
        raise UserError(f"without {', '.join(without)}: {where}: {problem}")


class _Change(NamedTuple):
    """The changes of the players since the run was played last."""

    added: list[Player]
    """Those that are new in the file."""
    newer: list[tuple[Player, Player]]
    """Players of the run that play no more as they are, each with the new one of its name."""
    gone: list[Player]

    @classmethod
    def between(
        cls, kept: Sequence[Player], fresh: Mapping[str, Player], out: Collection[str]
    ) -> "_Change":
        order = sorted(kept, key=lambda each: (each.plays, each.status == "out"))
        latest = {player.name_in_file: player for player in order}
        here = [one for one in latest.values() if one.status != "out"]
        both = [(one, fresh[one.name_in_file]) for one in here if one.name_in_file in fresh]
        return cls(
            added=[player for name, player in fresh.items() if name not in latest],
            newer=[(one, now) for one, now in both if one.digest != now.digest or not one.plays],
            gone=[
                one
                for one in here
                if one.name_in_file not in fresh and one.plays and one.name not in out
            ],
        )

    def taken(self, kept: Sequence[Player]) -> dict[str, Player]:
        """The players whose standing changes, and then those that join, by name."""
        left, back = _bots(self.gone), _bots(one for one, _ in self.newer)
        again = {(now.name, now.digest) for _, now in self.newer}
        moved = dict[str, Player]()
        for each in kept:
            bot, before = each.name_in_file, each.status
            if (bot, each.digest) in again:
                status = "playing"
            elif bot in left and before in ("playing", "replaced"):
                status = "gone"
            elif bot in back and before in ("playing", "gone"):
                status = "replaced"
            else:
                continue
            moved[each.name] = each.model_copy(update={"status": status})
        names, group = {player.name for player in kept}, 1 + max(each.joined for each in kept)
        known = {(each.name_in_file, each.digest) for each in kept}
        fresh = (now for _, now in self.newer if (now.name, now.digest) not in known)
        for each in (*self.added, *fresh):
            name = next(name for name in _names_for(each) if name not in names)
            names.add(name)
            of = None if name == each.name else each.name
            moved[name] = renamed(each, name, joined=group, version_of=of)
        return moved

    def sentences(self, format_: Format, *, take_new: bool) -> Iterator[str]:
        """A sentence on the changes and their consequence; none without changes."""
        parts = list[str]()
        if self.added:
            parts.append(f"added {', '.join(player.name for player in self.added)}")
        for one, now in self.newer:
            what = "has a new version"
            if one.digest == now.digest:
                what = "is back"
            elif one.number and now.number and now.number < one.number:
                what = f"went back to version {now.number}"
            parts.append(f"{now.name} {what}")
        parts += [f"{player.name_in_file} is gone" for player in self.gone]
        if parts and take_new:
            yield f"Taken into this run: {'; '.join(parts)}."
        elif parts:
            how = "" if format_.closed else " --take-new takes the change into it."
            if format_.walkovers and self.gone:
                how = f" --without {self.gone[0].name} counts its games for its opponents."
            yield (
                f"The players changed since this run began: {'; '.join(parts)}. It continues "
                f"with those it began with.{how}"
            )


def _as_read(player: Player, fresh: Mapping[str, Player], out: Collection[str]) -> Player | None:
    """A player of the run as its table is now; None where a table of its own is gone."""
    now = fresh.get(player.name_in_file)
    if not player.plays:
        return player
    if now is None:
        return player if _is_version(player) or player.name in out else None
    if now.digest != player.digest and _is_version(player):
        own = {"name": player.name, "program": player.contender.program}
        return player.model_copy(update={"contender": now.contender.model_copy(update=own)})
    return renamed(
        now, player.name, joined=player.joined, away=player.away, version_of=player.version_of
    )


def _refuse_lost(
    begun: Sequence[Player], fresh: Mapping[str, Player], out: Collection[str]
) -> None:
    """Raise UserError where the submitted version of a player is gone, and no other is there."""
    for each in begun:
        needed = each.number and each.plays and each.name not in out
        if needed and each.name_in_file not in fresh and not _is_version(each):
            raise UserError(not_as_accepted(each))


def is_as_accepted(player: Player) -> bool:
    """Whether the files of a player are those that were submitted, where it is such a version."""
    if player.number is None or player.home.package is None:
        return True
    with suppress(SubmissionError):
        verified(Path(player.home.package).parent)
        return True
    return False


def not_as_accepted(player: Player) -> str:
    """Why a player of a run that is a submitted version cannot be played, and what to do."""
    version = folder_of(player.digest or "")
    return (
        f"{player.bot}: its version {version}, which plays in this run, is not there as it was "
        f"accepted; put its files back ({without_it(player.name)})"
    )


def without_it(player: str) -> str:
    """The way on where a player cannot be played any more."""
    return f"to continue without this player: --without {shlex.quote(player)}"


def _named(typed: str, players: Sequence[Player]) -> Player:
    """The player of that name; of several versions the one that plays. Raises UserError."""
    name, at, which = typed.partition("@")
    versions = [each for each in players if each.name_in_file == name]
    versions.sort(key=lambda each: each.plays)
    exact = [player for player in players if player.name == typed] if at else versions[-1:]
    player = exact[0] if exact else chosen(which, versions)
    if player is None:
        raise UserError(f"without: {no_such('player', typed, [each.name for each in players])}")
    return player


def _refuse_closed(kept: TournamentConfig, players: Sequence[Player]) -> None:
    there = {player.name for player in kept.players if player.plays}
    gone = (each.name in there and not each.plays and each.left is None for each in players)
    format_ = FORMATS[kept.format]
    if not format_.closed or not (any(each.joined for each in players) or any(gone)):
        return
    tournament = f'a tournament of the format "{kept.format}"'
    reason = f"nobody joins or leaves {tournament} once it has begun"
    if format_.walkovers:
        reason = (
            f"a player leaves {tournament} by --without NAME while it is played, and nobody joins "
            "it once it has begun"
        )
    raise UserError(f"{reason}; play the changed field as another run, with --store FILE")


def _names_for(player: Player) -> Iterator[str]:
    """Its own name, or where that is taken the name of its version."""
    yield player.name
    if player.number:
        yield f"{player.name}@{player.number}"
    if player.digest:
        yield f"{player.name}@{player.digest[:SHOWN_DIGITS]}"
    yield from (f"{player.name}@{number}" for number in count(2))


def renamed(player: Player, name: str, **more: object) -> Player:
    """The player under another name, with `more` changed."""
    contender = player.contender.model_copy(update={"name": name})
    return player.model_copy(update={"contender": contender, **more})


def _bots(players: Iterable[Player]) -> set[str]:
    return {player.name_in_file for player in players}


def _found(player: Player, fresh: Mapping[str, Player], read: Sequence[Player]) -> Player:
    """A player of the run with its version where the submissions are now: they may have moved; and
    with the files of its options as they are where an earlier version looked at none.
    """
    now = fresh.get(player.name_in_file)
    if (
        player.digest is None
        and now is not None
        and now.builtin
        and now.contender.options == player.contender.options
    ):
        return player.model_copy(update={"digest": now.digest})
    folder = read[0].home.folder if read else None
    if folder is None or player.digest is None:
        return player
    bot = Path(fresh.get(player.name_in_file, player).bot)
    at = Path(folder, bot.parent, bot.name.partition("@")[0], folder_of(player.digest))
    if not (at / RECEIPT).is_file():
        return player
    home = player.home.model_copy(update={"folder": folder, "package": str(at / TREE)})
    return player.model_copy(update={"home": home})


def _is_version(player: Player) -> bool:
    """Whether its files are a submitted version, which never changes."""
    package = player.home.package
    return package is not None and (Path(package).parent / RECEIPT).is_file()
