"""From a tournament file (TOML) to a `TournamentConfig`, or to all that is wrong with it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import rules
from arena.bots import programs
from arena.errors import ConfigError, FileError, Problem, ProgramError
from arena.files.toml import KeyPath, read_file
from arena.files.toml_tables import Finding, did_you_mean, problems, read_tables, shown, wrong_name
from arena.model.protocol import Clock
from arena.model.terms import Terms
from arena.tournament import openings
from arena.tournament.config import Openings, Player, Rating, TournamentConfig, cores_a_game
from arena.tournament.config_tables import ClockTable, TournamentFile, with_formats
from arena.tournament.contenders import CatalogueEntry, Reading, read_players
from arena.tournament.executors import local
from arena.tournament.executors.base import Demand, Fit
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Format
from arena.tournament.formats.round_robin import RoundRobin
from rules.position import Game

__all__ = [
    "CatalogueEntry",
    "ConfigError",
    "Problem",
    "TournamentConfig",
    "Unusable",
    "load_config",
    "read_config",
]


def load_config(
    path: Path, builtins: Mapping[str, CatalogueEntry], *, fit: Fit = local.fit
) -> TournamentConfig:
    """Read a tournament file. `fit` tells what the machines that play it can play at a time.

    Raises ConfigError with every problem found. Paths are relative to the file. Scripts are started
    in their own folder; commands and built-ins are started in the folder of the file.
    """
    path = Path(path)
    try:
        text, data = read_file(path)
    except FileError as error:
        raise ConfigError(path, error.problems) from None
    try:
        return read_config(data, builtins, path.resolve().parent, name=path.stem, fit=fit)
    except Unusable as error:
        raise ConfigError(path, problems(text, error.findings)) from None


class Unusable(ValueError):
    """Tables that make no tournament, and all that is wrong with them."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("; ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


def read_config(
    data: dict[str, Any],
    builtins: Mapping[str, CatalogueEntry],
    folder: Path,
    *,
    name: str,
    player_folders: Mapping[int, Path] | None = None,
    fit: Fit = local.fit,
) -> TournamentConfig:
    """The tournament of a file's tables, wherever they come from.

    Paths are relative to `folder`, those of player tables that have one in `player_folders` to
    that. `name` is the tournament's where the tables give none. Raises Unusable.
    """
    return _Reader(data, builtins, folder, player_folders or {}, name, fit).config()


class _Reader:
    """The checks of one file, in the order of its tables; each reports and goes on."""

    def __init__(
        self,
        data: dict[str, Any],
        builtins: Mapping[str, CatalogueEntry],
        folder: Path,
        player_folders: Mapping[int, Path],
        name: str,
        fit: Fit,
    ) -> None:
        self.builtins = builtins
        self.folder = folder
        self.player_folders = player_folders
        self.name = name
        self.fit = fit
        self.tables: TournamentFile
        self.tables, self.findings = read_tables(with_formats(), data)
        self.wrong = {finding.path for finding in self.findings}

    def report(self, at: KeyPath, message: str) -> None:
        """Note a problem, unless the key was already found wrong in itself."""
        if not any(at[: len(known)] == known for known in self.wrong):
            self.findings.append(Finding(at, message))

    def config(self) -> TournamentConfig:
        """The resolved configuration, or Unusable."""
        table = self.tables.tournament
        name = self._name()
        game = self._game()
        clock = self._clock(self.tables.clock)
        reading = Reading(game, self.builtins, self.folder, self.report, table.sandbox)
        roster = read_players(self.tables.player, reading, self.player_folders)
        players = roster.players
        start = self._openings(game) if game else Openings()
        concurrency = self._concurrency(game, players)
        self._require(players)
        self._rating(players)
        format_, format_keys = self._format(players)
        if self.findings:
            raise Unusable(self.findings)
        assert game is not None and clock is not None  # or there was a finding
        return TournamentConfig(
            name=name,
            format=format_.name,
            format_keys=format_keys,
            rounds=table.rounds or format_.rounds,
            seed=table.seed,
            concurrency=concurrency,
            keep_alive=table.keep_alive,
            require=tuple(table.require),
            terms=Terms(
                rules=game.name,
                variant=game.variant,
                clock=clock,
                startup_ms=self.tables.clock.startup_ms,
                grace_ms=self.tables.clock.grace_ms,
                on_fault=table.on_fault,
                ponder=table.ponder,
                max_plies=table.max_plies,
            ),
            openings=start,
            rating=Rating(**self.tables.rating.model_dump()),
            players=players,
            left_out=roster.left_out,
        )

    def _name(self) -> str:
        name = self.tables.tournament.name
        if name is None:
            return self.name
        wrong = wrong_name(name, "the run's file")
        if wrong is not None:
            self.report(("tournament", "name"), wrong)
        return name

    def _game(self) -> Game | None:
        settings = dict(self.tables.game)
        name = settings.pop("rules", None)
        try:
            game, wrong = rules.judge(str(name), settings)
        except ValueError as error:
            self.report(("game", "rules"), str(error) if name else "is missing: which game is it?")
            return None
        for key, message in wrong.items():
            self.report(("game", key) if key else ("game",), message)
        return None if wrong else game

    def _clock(self, table: ClockTable) -> Clock | None:
        bank, increment = table.bank_ms, table.increment_ms
        if increment and bank is None:
            self.report(
                ("clock", "increment_ms"),
                "needs bank_ms: an increment is added to a bank; give bank_ms too, or leave it out",
            )
        if bank and table.move_ms and bank < table.move_ms and not increment:
            self.report(
                ("clock", "bank_ms"),
                f"the bank of the whole game, {bank} ms, is less than one move may take, "
                f"move_ms = {table.move_ms}; give more, or leave out move_ms",
            )
        default = Clock().move_ms if bank is None else None
        move = default if table.move_ms is None else table.move_ms
        return Clock(move_ms=move, bank_ms=bank, increment_ms=increment)

    def _openings(self, game: Game) -> Openings:
        table, at = self.tables.openings, ("openings",)
        if game.decided_by_seed:
            for key in ("plies", "file"):
                if getattr(table, key):
                    self.report((*at, key), f"{game.name} has none: each seed is another game")
            return Openings()
        if table.file is None:
            plies = game.opening_plies if table.plies is None else table.plies
            try:
                openings.random_opening(game, plies, seed=f"{self.tables.tournament.seed}:check")
            except openings.OpeningError as error:
                self.report((*at, "plies"), str(error))
            self._check_max_plies(plies)
            return Openings(plies=plies)
        if table.plies is not None:
            self.report((*at, "plies"), "cannot be given together with file; leave one of them out")
        try:
            file = programs.existing(table.file, self.folder)
            lines = openings.read_openings(file.read_text("utf-8"), game)
        except openings.OpeningError as error:
            for sentence in error.sentences:
                self.report((*at, "file"), f"{file}: {sentence}")
        except ProgramError as error:
            self.report((*at, "file"), str(error))
        except OSError as error:
            self.report((*at, "file"), f"{file} cannot be read: {error.strerror}")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            self.report((*at, "file"), f"{file}: line {line} is not UTF-8 text")
        else:
            self._check_max_plies(max(map(len, lines)))
            return Openings(lines=lines)
        return Openings()

    def _check_max_plies(self, plies: int) -> None:
        most = self.tables.tournament.max_plies
        if most is not None and most <= plies:
            self.report(
                ("tournament", "max_plies"),
                f"{most} plies leave no move after an opening of {plies}; give more",
            )

    def _concurrency(self, game: Game | None, players: tuple[Player, ...]) -> int:
        table = self.tables.tournament
        threads = [player.contender.threads for player in players] or [1]
        seats = game.seats if game else 1
        demand = Demand(
            threads=tuple(player.resources.threads for player in self.tables.player),
            a_game=cores_a_game(threads, seats, table.ponder),
            concurrency=table.concurrency,
            ponder=table.ponder,
        )
        concurrency, findings = self.fit(demand)
        for finding in findings:
            self.report(*finding)
        return concurrency

    def _require(self, players: tuple[Player, ...]) -> None:
        """What can be seen without trying: without a sandbox nothing is held."""
        free = [player.name for player in players if player.contender.sandbox == "none"]
        if free and self.tables.tournament.require:
            self.report(
                ("tournament", "require"),
                f'nothing is held where sandbox = "none", as it is for {", ".join(free)}; leave '
                "one of the two out",
            )

    def _rating(self, players: tuple[Player, ...]) -> None:
        rating, names = self.tables.rating, [player.name for player in players]
        names += [
            table.name for table in self.tables.player if table.name and table.name not in names
        ]
        if rating.anchor is not None and rating.anchor not in names:
            self.report(
                ("rating", "anchor"),
                f"no player is named {shown(rating.anchor)}; {did_you_mean(rating.anchor, names)}",
            )

    def _format(self, players: tuple[Player, ...]) -> tuple[Format, dict[str, Any]]:
        """The format, and its own keys: a format's table selects it. A sequential test is one of
        round-robins, so its table may follow `format = "round-robin"`.
        """
        asked, tables = self.tables.tournament.format, self.tables.format_tables()
        name = next(iter(tables), asked or RoundRobin.name)
        if name not in FORMATS:
            known = ", ".join(map(repr, FORMATS))
            self.report(("tournament", "format"), f"must be one of {known}, got {shown(name)}")
            name = RoundRobin.name
        others = [other for other in tables if other != name]
        if asked not in (None, name, RoundRobin.name):
            self.report((name,), f'belongs to another format than "{asked}"; leave one of them out')
        for other in others:
            self.report((other,), f"another format than [{name}]; leave one of them out")
        format_ = FORMATS[name]
        keys = (tables.get(name) or format_.keys()).model_dump()
        for key, problem in format_.problems(keys, [player.name for player in players]):
            self.report((name, key) if key else (name,), problem)
        return format_, keys
