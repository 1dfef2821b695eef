"""Whether the players of a tournament can be started on this machine, before its first game."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from arena.bots.prepare import prepare
from arena.errors import ConfigError, PackageError, Problem, ProgramError, SandboxError
from arena.model.containment import Guarantee, Held
from arena.tournament.catalogue import CatalogueEntry
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.config_file import Begun, SoFar, load_config
from arena.tournament.field import Wanted, is_as_accepted, leavers, not_as_accepted, resumed
from arena.tournament.formats import FORMATS
from arena.tournament.formats.matched import MatchedSchedule
from arena.tournament.formats.staged import StagedSchedule
from arena.tournament.site import HERE, Site
from arena.tournament.store import Store, default_store
from arena.tournament.store_faults import readable


def load_to_play(
    file: Path,
    builtins: Mapping[str, CatalogueEntry],
    store: Path | None,
    wanted: Wanted,
    *,
    site: Site = HERE,
) -> TournamentConfig:
    """A file's tournament, ready to begin or go on. Raises ConfigError, UserError, StoreError."""
    begun = begun_in(store, wanted)
    config = load_config(file, builtins, fit=site.fit, begun=begun)
    path = store or default_store(config.name)
    return ready_to_play(config, file, path, wanted, site=site)


def begun_in(store: Path | None, wanted: Wanted) -> Begun:
    """Gives what matters of the run in `store`, by default that of the name."""

    def begun(name: str) -> SoFar:
        config = Store.begun_with(store or default_store(name))
        if config is None:
            return SoFar()
        out = leavers(config.players, wanted.without)
        return SoFar(None if wanted.take_new else config.players, out)

    return begun


def ready_to_play(
    config: TournamentConfig, file: Path, store: Path, wanted: Wanted, *, site: Site = HERE
) -> TournamentConfig:
    """The same of a tournament that was read: with the field of the run in `store`."""
    found = with_field_of(store, config, wanted)
    return ready(found, file) if site.here else found


def with_field_of(store: Path, config: TournamentConfig, wanted: Wanted) -> TournamentConfig:
    """The tournament with the field of the run in `store`, if one has begun (see `resumed`)."""
    begun = Store.begun_with(store)
    round_ = walkover_round(store) if begun and wanted.without else None
    found = resumed(begun or config, config, wanted, round_)
    return found if begun is None else _with_turns(store, begun, found)


def _with_turns(store: Path, begun: TournamentConfig, now: TournamentConfig) -> TournamentConfig:
    """`now`, with the round in which players leave or come back, if rounds are made one by one.
    The return of one that left in an earlier version is not kept, as its leaving was not.
    """
    was = {each.name: each.plays for each in begun.players}
    turned = {
        each.name
        for each in now.players
        if was.get(each.name, each.plays) != each.plays == len(each.away) % 2
    }
    schedule = begun.schedule()
    if not turned or not isinstance(schedule, MatchedSchedule):
        return now
    with Store.open(store) as opened:
        for game in filter(None, (readable(found) for _, found in opened.digests())):
            schedule.add(game)
    round_ = schedule.complete() + 1
    players = (
        each.model_copy(update={"away": (*each.away, round_)}) if each.name in turned else each
        for each in now.players
    )
    return now.model_copy(update={"players": tuple(players)})


def walkover_round(store: Path) -> int | None:
    """The round that a run with walkovers is in; None after its end, and of other formats."""
    with Store.open(store) as opened:
        if not FORMATS[opened.config.format].walkovers:
            return None
        schedule = opened.schedule()
    assert isinstance(schedule, StagedSchedule)
    return schedule.reached


def ready(config: TournamentConfig, file: Path) -> TournamentConfig:
    """The tournament of `file`, its players prepared here once: found, contained, built. Raises
    ConfigError: a sandbox cannot be had or holds less than is required, a build fails.
    """
    players: list[Player] = []
    refused: dict[str, list[str]] = {}
    """By sentence, the players it is about: one about the machine is about all of them."""
    for player in config.players:
        if not player.plays:
            players.append(player)
            continue
        at = f"player {player.name}"
        try:
            held = prepare(player.contender, config.terms.rules, player.home).held
        except (SandboxError, PackageError, ProgramError) as error:
            why = str(error)
            if isinstance(error, SandboxError):
                why = f'sandbox = "{player.contender.sandbox}": {error}'
            elif isinstance(error, PackageError):  # of an archive, too, in the words of the file
                source = Path(player.home.folder or ".") / player.bot
                why = str(PackageError(source, error.reasons))
                why = why if is_as_accepted(player) else not_as_accepted(player)
            refused.setdefault(why, []).append(at)
        else:
            home = player.home.model_copy(update={"held": held})
            players.append(player.model_copy(update={"home": home}))
    problems = [Problem(", ".join(places), None, why) for why, places in refused.items()]
    in_play = (player for player in players if player.plays)
    sandboxes = {player.name: player.home.held for player in in_play if player.home.held}
    problems += _lacking(sandboxes, config.require)
    if problems:
        raise ConfigError(file, tuple(problems))
    return config.model_copy(update={"players": tuple(players)})


def _lacking(sandboxes: dict[str, Held], require: Iterable[Guarantee]) -> Iterator[Problem]:
    """The guarantees that are required and not held, each with its players and a remedy."""
    for guarantee in dict.fromkeys(require):
        without = {name: held for name, held in sandboxes.items() if held.by.get(guarantee) is None}
        if without:
            hints = (note for held in without.values() for note in held.notes if guarantee in note)
            notes = " ".join(dict.fromkeys(hints))
            why = notes or "leave it out of require, or use a machine that holds it"
            message = f"{guarantee} is not held for {', '.join(without)}: {why}"
            yield Problem("tournament.require", None, message)
