"""A tournament as it will be played: the tournament file with every default and path resolved."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from arena.errors import UserError
from arena.files.toml_tables import no_such
from arena.model import Frozen
from arena.model.containment import Guarantee
from arena.model.contender import Contender, Home
from arena.model.game_spec import UnderTerms
from arena.ratings.sprt import Sprt
from arena.tournament.config_tables import RatingTable
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Plan, Schedule
from arena.tournament.formats.stopped import StoppedSchedule, StopTable

Status = Literal["playing", "replaced", "gone", "out"]
"""Where a player stands: a newer version of it plays on, its bot was withdrawn, or it was left out
by hand. All but the first meet nobody any more, and their games stay in the record."""


class Player(Frozen):
    bot: str
    """The bot as in the tournament file: a built-in's name, a path or a command line."""
    builtin: str | None
    """The built-in's name; null for a script or a command."""
    uses_clock: bool | None
    """Whether it thinks for all the time it is given; null when unknown (not a built-in)."""
    think_ms: int | None = None
    """The time limit of a built-in for a move, given or by default; null without such a limit."""
    budgeted: bool = False
    """Whether options of a built-in, such as `iterations` or `depth`, end its thinking earlier."""
    digest: str | None = None
    """SHA-256 of a script's or a package's files as submitted, or of the files that a built-in's
    options name; null without any, and for these in runs of earlier versions.
    """
    contender: Contender
    """The player as it travels."""
    home: Home = Home()
    """The facts on it of the machine that reads the file."""
    number: int | None = None
    """Of its version among those of a submitted bot, from 1; null for all others."""
    owner: str | None = None
    """Whose bot it is; null outside of courses, and in runs of earlier versions."""
    joined: int = 0
    """0 from the beginning; 1 for players of the first group that joined later, and so on."""
    status: Status = "playing"
    left: int | None = None
    """The round in which it left a closed format that goes on with walkovers; else null."""
    away: tuple[int, ...] = ()
    """The rounds in which it left and came back, in turn, where rounds are made one by one."""
    version_of: str | None = None
    """The name its bot has in the file, where an earlier version has it here; else null."""

    @model_validator(mode="before")
    @classmethod
    def _lift_contender(cls, data: Any) -> Any:
        """Take what stores of schema 1 hold: the program as one machine started it; and leave out
        what some of 2026-11-30 hold: the kernels of a built-in, which its name tells.
        """
        if not isinstance(data, Mapping):
            return data
        data = {key: value for key, value in data.items() if key != "kernels"}
        if "spec" not in data:
            return data
        spec = data["spec"]
        fields = {key: spec[key] for key in ("name", "options", "threads", "memory_mb")}
        kind = (
            {"kind": "builtin", "module": spec["command"][-1]}
            if data.get("builtin")
            else {"kind": "command", "words": spec["command"]}
        )
        old = ("spec", "sandbox", "unbuilt")
        return {key: data[key] for key in data if key not in old} | {
            "contender": fields | {"program": kind, "sandbox": data.get("sandbox", "none")},
            "home": {"folder": spec.get("cwd"), "held": spec.get("held")},
        }

    @property
    def plays(self) -> bool:
        """Whether games are still played with it: it was not replaced, and did not leave."""
        return self.status == "playing"

    @property
    def name(self) -> str:
        return self.contender.name

    @property
    def name_in_file(self) -> str:
        """The name that all versions of its bot have in the tournament file."""
        return self.version_of or self.name


class Openings(Frozen):
    """How games begin. One opening serves a whole round."""

    plies: int = 0
    """Length of the random openings; 0 starts every game at the beginning."""
    lines: tuple[tuple[str, ...], ...] = ()
    """The openings of the file, in its order and taken in turn; empty when they are random."""


class TournamentConfig(UnderTerms):
    """Everything a tournament is made from. The schedule is a function of this alone."""

    name: str
    format: str = "round-robin"
    """One of `arena.tournament.formats`."""
    format_keys: dict[str, Any] = Field(default_factory=dict)
    """The format's own keys, complete."""
    rounds: int = 1
    """In a round-robin: how often every pairing is met, each time as a pair of games with seats
    swapped; where one seat plays alone, how many seeds each player plays."""
    seed: int = 1
    concurrency: int
    keep_alive: bool | None = None
    """Whether further games are played on the same player process; null: on those of built-ins."""
    require: tuple[Guarantee, ...] = ()
    """The guarantees that every player needs, or nothing is played."""
    openings: Openings = Openings()
    rating: RatingTable = RatingTable()
    stop: StopTable = StopTable()
    players: tuple[Player, ...]
    """In the order they joined in."""
    left_out: tuple[str, ...] = ()
    """Submissions that do not take part: a sentence each."""

    @property
    def threads(self) -> int:
        """Cores one game needs."""
        threads = (player.contender.threads for player in self.players)
        return cores_a_game(threads, self.terms.game.seats, self.terms.ponder)

    @property
    def sprt(self) -> Sprt | None:
        """The sequential test that ends the tournament of two players; None without one."""
        return Sprt(**self.format_keys) if self.format == "sprt" else None

    @property
    def unrated(self) -> frozenset[str]:
        """Names of players whose games stay in the record and count for nothing."""
        unrated = (each for each in self.players if each.status in ("gone", "out"))
        return frozenset(each.name for each in unrated if each.left is None)

    @property
    def replaced(self) -> tuple[str, ...]:
        """Names of versions that play no more, as a newer one of their bot does."""
        return tuple(each.name for each in self.players if each.status == "replaced")

    @property
    def is_fixed(self) -> bool:
        """Whether as many games are played as the schedule has, whatever comes out."""
        timed = self.stop.hours is not None
        return FORMATS[self.format].fixed and not timed and self.stop.separated is None

    def called(self, typed: Iterable[str]) -> frozenset[str]:
        """The names of players that are called so: of a bot all its versions. Raises UserError."""
        names = set[str]()
        for name in typed:
            versions = [
                each.name
                for each in self.players
                if name in (each.name, each.name_in_file, f"{each.name_in_file}@{each.number}")
            ]
            if not versions:
                known = [each.name for each in self.players]
                raise UserError(f"--without: {no_such('player', name, known)}")
            names.update(versions)
        return frozenset(names)

    def without(self, names: Collection[str]) -> Self:
        """The same without these players, for a look at the others. It has another schedule."""
        if not names:
            return self
        there = tuple(each for each in self.players if each.name not in names)
        anchor = None if self.rating.anchor in names else self.rating.anchor
        rating = self.rating.model_copy(update={"anchor": anchor})
        return self.model_copy(update={"players": there, "rating": rating})

    def schedule(self) -> Schedule:
        """Its schedule, before the first game."""
        format_, joined = FORMATS[self.format], [player.joined for player in self.players]
        out = frozenset(each.name for each in self.players if not each.plays)
        names = tuple(player.name for player in self.players)
        left = {each.name: each.left for each in self.players if each.left is not None}
        if format_.closed:  # the others were out before it began
            names = tuple(name for name in names if name not in out or name in left)
            out = frozenset()
        plan = Plan(
            players=names,
            rounds=self.rounds,
            game=self.terms.game,
            keys=self.format_keys,
            later=tuple(joined.index(group) for group in sorted(set(joined) - {0})),
            version_of={each.name: each.version_of for each in self.players if each.version_of},
            out=out,
            left=left,
            away={each.name: _between(each.away) for each in self.players if each.away},
        )
        schedule = format_.open(plan)
        if not self.stop:
            return schedule
        return StoppedSchedule(schedule, plan, self.stop, self.concurrency)

    @field_validator("format")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in FORMATS:
            raise ValueError(f"no format {name}; there are {', '.join(FORMATS)}")
        return name

    @field_validator("format_keys")
    @classmethod
    def _complete(cls, keys: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        """With the defaults of the keys that a run of an earlier version does not have."""
        format_ = FORMATS.get(info.data.get("format", ""))
        return format_.keys().model_dump() | keys if format_ else keys

    @model_validator(mode="before")
    @classmethod
    def _lift_keys(cls, data: Any) -> Any:
        """Take what stores of earlier versions hold: in schema 1 the keys of a test stand on their
        own, and one version kept `clashes`, the bots whose names others had taken.
        """
        if not isinstance(data, Mapping):
            return data
        test = data.get("sprt")
        lifted = {} if test is None else {"format": "sprt", "format_keys": test}
        return {key: data[key] for key in data if key not in ("sprt", "clashes")} | lifted


def cores_a_game(threads: Iterable[int], seats: int, ponder: bool) -> int:
    """Cores that any game needs: those of the player that thinks, or of all where they ponder."""
    most = sorted(threads, reverse=True)
    return sum(most[:seats]) if ponder else most[0]


def _between(turns: Sequence[int]) -> frozenset[int]:
    """The rounds from each time a player left to when it came back."""
    return frozenset(chain(*map(range, turns[::2], turns[1::2])))


def continued(old: TournamentConfig, new: TournamentConfig) -> TournamentConfig:
    """`new` as it goes on with the games of `old`: a run whose players were all begun afresh, as
    they were by default in earlier versions, remains so where the file does not say otherwise.
    """
    afresh = new.keep_alive is None and old.keep_alive is False
    return new.model_copy(update={"keep_alive": False}) if afresh else new


def differences(old: TournamentConfig, new: TournamentConfig) -> tuple[str, ...]:
    """The differences that keep `new` from going on with the games of `old`: a line `key: old →
    new` for each, and `added bee, gnu` for players.

    Left out is what changes no game and no comparison: `concurrency`, `name`, `require`, `[stop]`,
    the rating's anchor, where the programs are on this machine, players that joined later or are
    out, and more rounds where the format `grows`. Fewer rounds are a difference, for games could
    lose their place.
    """
    new = continued(old, new)
    before, after = dict(_leaves("", _identity(old))), dict(_leaves("", _identity(new)))
    if new.rounds > old.rounds and FORMATS[new.format].grows:
        before["tournament.rounds"] = new.rounds
    for one, other in _both(old, new):
        if one.builtin is None and one.digest is not None and one.digest == other.digest:
            other = other.model_copy(update={"bot": one.bot})  # the same files, wherever they are
        before |= _leaves(f"player {one.name}.", _of_player(one))
        after |= _leaves(f"player {one.name}.", _of_player(other))
    lines = (
        f"{key}: {_shown(before, key)} → {_shown(after, key)}"
        for key in before | after
        if key not in before or key not in after or before[key] != after[key]
    )
    return (*lines, *changed_players(old, new))


def changed_players(old: TournamentConfig, new: TournamentConfig) -> Iterator[str]:
    """Those that came, went or changed, without having joined or left as a run allows."""
    before, after = ([player.name for player in config.players] for config in (old, new))
    added = [each.name for each in new.players if each.name not in before and not each.joined]
    gone = [name for name in before if name not in after]
    if added:
        yield f"added {', '.join(added)}"
    if gone:
        yield f"gone: {', '.join(gone)}"
    if [name for name in after if name in before] != [name for name in before if name in after]:
        yield f"the players are in another order: {', '.join(before)} → {', '.join(after)}"
    for one, other in _both(old, new):
        if one.bot == other.bot and one.digest != other.digest:
            was, now = (each.digest[:12] if each.digest else "unknown" for each in (one, other))
            changed = "changed" if one.digest else "may have changed"  # of an earlier version
            if one.builtin is None:
                yield f"{one.name}: its program {changed} since, {other.bot} (digest {was} → {now})"
            elif one.digest and other.digest:  # else other options, or a run of an earlier version
                files = ", ".join(_files_of(other))
                yield f"{one.name}: {files} of its options changed since (digest {was} → {now})"


def _files_of(player: Player) -> Iterator[str]:
    """The files that its options name, as written."""
    for value in player.contender.options.values():
        if isinstance(value, str) and Path(player.home.folder or ".", value).is_file():
            yield value


def _both(old: TournamentConfig, new: TournamentConfig) -> Iterator[tuple[Player, Player]]:
    """The players that are in both."""
    found = {player.name: player for player in new.players}
    return ((each, found[each.name]) for each in old.players if each.name in found)


def _shown(table: dict[str, object], key: str) -> str:
    return repr(table[key]) if key in table else "(not set)"


def _identity(config: TournamentConfig) -> dict[str, Any]:
    """The settings that a game depends on, under the keys of the tournament file."""
    terms = config.terms
    tournament = {key: getattr(config, key) for key in ("format", "rounds", "seed", "keep_alive")}
    tournament |= {key: getattr(terms, key) for key in ("on_fault", "max_plies", "ponder")}
    limits = {"grace_ms": terms.grace_ms, "startup_ms": terms.startup_ms}
    lines = enumerate(map(" ".join, config.openings.lines), 1)
    return {
        "tournament": tournament,
        "game": {"rules": terms.rules, **terms.variant},
        "clock": terms.clock.model_dump() | limits,
        "openings": {"plies": config.openings.plies, **{f"file[{n}]": line for n, line in lines}},
        config.format: config.format_keys,
    }


def _of_player(player: Player) -> dict[str, Any]:
    contender = player.contender
    clock = contender.clock.model_dump() if contender.clock else {}
    return {
        "bot": player.bot,
        "options": contender.options,
        "clock": {key: ms for key, ms in clock.items() if ms},
        "resources": {"threads": contender.threads, "memory_mb": contender.memory_mb},
        "sandbox": contender.sandbox,
        "python": getattr(contender.program, "python", None),
    }


def _leaves(path: str, table: dict[str, Any]) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(f"{path}{key}.", value)
        else:
            yield f"{path}{key}", value
