"""Sequential tests, trainings and tunings that a researcher watches, as their files have them."""

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from starlette.concurrency import run_in_threadpool

from arena.errors import ArenaError, UserError
from arena.files import json_text, lock
from arena.files.whole_file import stamp
from arena.model import Frozen
from arena.ratings.matches import Verdict
from arena.reports import words
from arena.reports.html.charts import Curve, short
from arena.reports.html.folders import without_folders
from arena.tournament.config import Player
from arena.tournament.formats.sprt import SEQUENTIAL_TEST, SprtSchedule
from arena.tournament.run_view import RunView
from arena.tournament.store import Store
from arena.training.run_folder import LOG, TABLE, TRAINED, TRAINING, TUNED, TUNING
from arena.web.runs import FileState, Runs, ShownRun

Kind = Literal["test", "training", "tuning"]
_LOCKS = {TRAINED: TRAINING, TUNED: TUNING}
_NETWORK, _POINTS = "checkpoint.ntuple", "checkpoint.json"
"""The checkpoints of a training and of a tuning."""
_SHOWN_COLUMNS = 6
"""The columns of a training's table that are shown; two for each tile follow."""
_LAST_LINES = 12
_MOST_BYTES = 2**25
"""The most of a file that is read here."""


class LabRun(Frozen):
    """A sequential test, a training or a tuning."""

    name: str
    kind: Kind
    about: str
    stands: str
    """Where it stands, in a line."""
    is_running: bool
    changed_at: datetime
    settings: dict[str, str]
    """Every setting, by its key."""
    measure: str = ""
    """The figure of the first curve."""
    curves: tuple[Curve, ...] = ()
    verdicts: tuple[tuple[str, Verdict], ...] = ()
    """Sequential tests by their names."""
    said: tuple[str, ...] = ()
    """Sentences, or the last lines of the log."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """The curves' figures, as a table."""


class LabRuns:
    """The runs of a server's folder that a researcher watches."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._folders: dict[str, tuple[FileState, LabRun]] = {}

    async def all(self) -> tuple[list[LabRun], list[str]]:
        """The runs, those that go on first, and a sentence for each that cannot be read."""
        runs, problems = list[LabRun](), list[str]()
        names = [folder.name for folder in folders(self._runs.folder)]
        for name in [*names, *self._runs.names()]:
            try:
                run = await self.find(name)
            except ArenaError as error:
                problems.append(without_folders(str(error), self._runs.folder))
            else:
                runs += [run] if run else []
        return sorted(runs, key=lambda run: (not run.is_running, run.name)), problems

    async def find(self, name: str) -> LabRun | None:
        """The run of a name; None where a tournament has it. Raises ArenaError, HTTPException."""
        if name.endswith((TRAINED, TUNED)):
            known = {folder.name: folder for folder in folders(self._runs.folder)}
            if name in known:
                return await run_in_threadpool(self._of_folder, known[name])
        run = self._runs[name]
        return await run.once("test", run.state(moves=False), partial(_test, run))

    def _of_folder(self, folder: Path) -> LabRun:
        state = state_of_folder(folder)
        known = self._folders.get(folder.name)
        if known is None or known[0] != state:
            known = self._folders[folder.name] = state, folder_run(folder)
        return known[1]


async def _test(run: ShownRun) -> LabRun | None:
    """The run as a sequential test; None where it is none."""
    if not await run_in_threadpool(_is_test, run.path):
        return None
    changed, running = run.changed_at, run.is_played
    return await run.look(lambda view: test_of(run.name, view, changed, is_running=running))


def _is_test(path: Path) -> bool:
    with Store.open(path) as store:
        return store.config.format == SEQUENTIAL_TEST.name


def test_of(name: str, view: RunView, changed_at: datetime, *, is_running: bool) -> LabRun:
    """A sequential test; its view's schedule is one."""
    assert isinstance(view.schedule, SprtSchedule)  # asked before
    verdict, path, config = view.schedule.verdict, view.schedule.path, view.config
    points = tuple((2.0 * unit, ratio) for unit, ratio in enumerate(path, 1))
    title, clock = config.terms.game.title, config.terms.clock.words
    players = {each.name: each for each in config.players}
    player, opponent = players[verdict.player], players[verdict.opponent]
    return LabRun(
        name=name,
        kind="test",
        about=f"{_apart(player, opponent)} against {_apart(opponent, player)}: {title}, {clock}",
        stands=words.where_it_stands(verdict),
        is_running=is_running,
        changed_at=changed_at,
        settings=_flat(
            {
                "rules": config.terms.rules,
                "variant": config.terms.variant,
                "clock": config.terms.clock.model_dump(),
                "sprt": {key: getattr(verdict, key) for key in _HYPOTHESES},
                "player": {
                    str(place): {
                        "bot": each.bot,
                        "options": each.contender.options,
                        "clock": each.contender.clock and each.contender.clock.model_dump(),
                    }
                    for place, each in enumerate(config.players)
                },
            }
        ),
        measure="log-likelihood ratio",
        curves=(Curve("log-likelihood ratio", ((0.0, 0.0), *points)),),
        verdicts=((name, verdict),),
        said=tuple(words.about_sprt(verdict)),
        columns=("games", "log-likelihood ratio"),
        rows=tuple((f"{games:.0f}", f"{ratio:+.3f}") for games, ratio in points),
    )


def _apart(player: Player, other: Player) -> str:
    """A player with the options that the other has not, as `deep (depth = 6)`."""
    known = other.contender.options
    own = [
        f"{key} = {value}"
        for key, value in player.contender.options.items()
        if key not in known or known[key] != value
    ]
    return f"{player.name} ({', '.join(own)})" if own else player.name


_HYPOTHESES = ("elo0", "elo1", "alpha", "beta", "model")


def folders(runs: Path) -> Iterator[Path]:
    if runs.is_dir():
        yield from sorted(
            each for each in runs.iterdir() if each.suffix in (TRAINED, TUNED) and each.is_dir()
        )


def state_of_folder(folder: Path) -> FileState:
    """A value that changes whenever a training or a tuning does."""
    files = (folder, *(folder / name for name in (LOG, TABLE, _NETWORK, _POINTS)))
    return (*map(stamp, files), _is_running(folder))


def folder_run(folder: Path) -> LabRun:
    """A training or a tuning. Raises UserError where its files cannot be read."""
    kind: Kind = "training" if folder.suffix == TRAINED else "tuning"
    of_kind = partial(LabRun, name=folder.name, kind=kind, is_running=_is_running(folder))
    try:
        return (_training if kind == "training" else _tuning)(folder, of_kind)
    except OSError as error:
        raise UserError(f"{folder.name} cannot be read: {error.strerror}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, csv.Error):
        raise UserError(f"{folder.name} has files that no training or tuning wrote") from None


def _training(folder: Path, of_kind: Callable[..., LabRun]) -> LabRun:
    log = _text(folder / LOG).splitlines()
    columns, *rows = list(csv.reader(_text(folder / TABLE).splitlines())) or [["games", "score"]]
    rows = [row for row in rows if len(row) == len(columns)]  # the last is being written
    about, last = (log[0] if log else "It has not begun."), rows[-1] if rows else None
    measure = _MEASURES.get(columns[1], columns[1])
    return of_kind(
        about=about,
        stands=f"{int(last[0]):,} games, {measure} {short(float(last[1]))}" if last else _NONE,
        changed_at=_changed(folder / TABLE, folder / LOG),
        settings=_flat(_header(folder / _NETWORK)),
        measure=measure,
        curves=(_curve(measure, [(row[0], row[1]) for row in rows]),),
        said=tuple(log[-_LAST_LINES:]),
        columns=tuple(columns[:_SHOWN_COLUMNS]),
        rows=tuple(tuple(row[:_SHOWN_COLUMNS]) for row in rows),
    )


_MEASURES = {"mean": "average score", "score": "share of the points"}
"""Titles of the columns of a training's table."""
_NONE = "no block of games yet"


def _header(path: Path) -> dict[str, Any]:
    """How a network learns, by the second line of its file; nothing before the first checkpoint."""
    if not path.exists():
        return {}
    with path.open("rb") as file:
        file.readline(200)
        header: dict[str, Any] = json_text.parse(file.readline(_MOST_BYTES))
    kept = ("rules", "spawn", "variant", "stages", "initial", "method", "seed")
    sizes = [len(cells) for cells in header.get("tuples", ())]
    return {"tuples": f"{len(sizes)} of {min(sizes)} to {max(sizes)}" if sizes else ""} | {
        key: header[key] for key in kept if header.get(key) not in (None, "", {}, [])
    }


def _tuning(folder: Path, of_kind: Callable[..., LabRun]) -> LabRun:
    path = folder / _POINTS
    if not path.exists():
        return of_kind(
            about="It has no checkpoint yet.",
            stands="no games yet",
            changed_at=_changed(folder),
            settings={},
        )
    content = json_text.parse(_text(path))
    config, points = content["config"], content["points"]
    named = [str(each["name"]) for each in config["ranges"]]
    weights = len(points[0][1]) - len(named)
    names = [*named, *(f"weight {number}" for number in range(1, weights + 1))]
    games = int(content["counts"]["games"])
    compared = [
        (int(at), [float(each) for each in scores]) for at, scores in content["comparisons"]
    ]
    against = [(float(at), 50 * sum(scores) / len(scores)) for at, scores in compared if scores]
    best = f", {against[-1][1]:.1f}% against the start" if against else ""
    return of_kind(
        about=f"{config['bot']} by {config['method']}: {config['rules']}",
        stands=f"{games:,} games{best}",
        changed_at=_changed(path),
        settings=_flat({key: each for key, each in config.items() if key != "weights"}),
        measure="points against the start, %",
        curves=(
            _curve("points against the start, %", against),
            *(
                _curve(name, [(at, vector[index]) for at, vector in points])
                for index, name in enumerate(names)
            ),
        ),
        verdicts=tuple(
            (name, Verdict.model_validate(kept))
            for name, kept in content["verdicts"].items()
            if "llr" in kept
        ),
        columns=("games", *names),
        rows=tuple((f"{at}", *(f"{each:.4g}" for each in vector)) for at, vector in points),
    )


def _curve(name: str, figures: Iterable[tuple[Any, Any]]) -> Curve:
    """The figures that can be drawn: a training may diverge."""
    points = ((float(at), float(figure)) for at, figure in figures)
    return Curve(name, tuple(point for point in points if all(map(math.isfinite, point))))


def _is_running(folder: Path) -> bool:
    return lock.is_held(folder / _LOCKS[folder.suffix])


def _flat(settings: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Settings in settings as one table: `clock.move_ms`."""
    flat: dict[str, str] = {}
    for key, each in settings.items():
        if isinstance(each, Mapping):
            flat |= _flat(each, f"{before}{key}.")
        elif isinstance(each, list) and each and all(isinstance(one, dict) for one in each):
            named = {str(one.get("name", place)): one for place, one in enumerate(each)}
            flat |= _flat(named, f"{before}{key}.")
        elif each is not None:
            flat[f"{before}{key}"] = each if isinstance(each, str) else json.dumps(each)
    return flat


def _text(path: Path) -> str:
    if not path.exists():
        return ""
    with path.open("rb") as file:
        return file.read(_MOST_BYTES).decode("utf-8", "replace")


def _changed(*paths: Path) -> datetime:
    times = [path.stat().st_mtime for path in paths if path.exists()]
    return datetime.fromtimestamp(max(times, default=0.0), UTC)
