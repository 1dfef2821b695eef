"""`arena tune --verify`: whether a player is stronger by what it learned, by sequential tests: one
in process, the players thinking as they learned, and one under the referee at the time that counts,
a tournament of two players with a store like any other.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from rich.console import Console

import rules
from arena.errors import ConfigChangedError, Exit, UserError
from arena.files.stop_signals import Stop, apart
from arena.files.toml_tables import written
from arena.matches.play import play_config
from arena.model.contender import MEMORY_MB
from arena.ratings.matches import Verdict
from arena.ratings.trial import Tally
from arena.reports import words
from arena.reports.screen import Lines
from arena.tournament.config import TournamentConfig, differences
from arena.tournament.config_file import Unusable, read_config
from arena.tournament.played_store import PlayedStore
from arena.tournament.ready import ready
from arena.tournament.run_view import RunView
from arena.tournament.store import Store
from arena.training.tune_view import LiveTuning, PlainTuning
from arena.training.verify_config import Target, Verification
from players.catalogue import BUILTINS
from players.learning.games.evidence import Evidence, NetworkPairs
from players.learning.games.trainer import GamesConfig
from players.learning.tuning.config import BUDGETS, TuneConfig, unhurried
from players.learning.tuning.matches import Aborted
from players.learning.tuning.tuner import TunedPairs, Tuner

_SAVE_S = 2.0
"""Games are saved at the end, and before that at most this often."""


class Sides(NamedTuple):
    """The names of the two players of a test, and `The tuned player against the start`."""

    new: str
    old: str
    title: str


class Contest(NamedTuple):
    config: TuneConfig | GamesConfig
    """The configuration of the training or tuning: its name, rules, settings and seed count."""
    sides: Sides
    budget: str
    """The thinking time of the test in process, as results name it."""
    at: str
    """The thinking time of this test, as results name it."""
    plies: int
    bot: str
    options: tuple[dict[str, Any], dict[str, Any]]
    """The new player's, and the old one's; budgets of their own among them do not count."""
    store_path: Path
    number: int = 1
    """How often it is begun, this time included; each has openings and seeds of its own."""

    @property
    def seed(self) -> int:
        """That of its tournament; after the greatest that a store keeps comes the least."""
        return (self.config.seed + self.number - 1 + 2**63) % 2**64 - 2**63

    def next_of(self, verdicts: Mapping[str, object]) -> "Contest":
        """Itself, or where its games were taken away, one that leaves its verdict in place."""
        contest = self
        while contest.at in verdicts and not contest.store_path.exists():
            number = contest.number + 1
            path = self.store_path
            contest = self._replace(
                at=f"{self.at}, test {number}",
                store_path=path.with_stem(f"{path.stem}-test-{number}"),
                number=number,
            )
        return contest


def budget_of(options: Mapping[str, Any]) -> str:
    """The thinking time that options have, as results name it."""
    return ", ".join(f"{key} {options[key]}" for key in BUDGETS if options.get(key))


def under_referee(target: Target) -> str:
    """The thinking time of the target, as results name it."""
    return f"{target.words}, under the referee"


def half_points(scores: Sequence[float]) -> list[int]:
    """The half points of each pair, as the tests count them: 0 to 4."""
    return [round(2 * score) for score in scores]


def tests_of(verdicts: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The verdicts of tests, for the files: the thinking time, a sentence, and figures."""
    return [
        {"at": at, "said": words.decision(Verdict.model_validate(each)), **each}
        for at, each in verdicts.items()
    ]


def refuse_damaged(path: Path, verdicts: Mapping[str, Any]) -> None:
    """Raise UserError where one of the verdicts that a file keeps is none."""
    for at, each in verdicts.items():
        try:
            Verdict.model_validate(each)
        except ValidationError:
            raise UserError(
                f"{path}: is damaged: the test at {at} has no readable verdict; move it away to "
                "begin again"
            ) from None


def gain(
    verdicts: Mapping[str, dict[str, Any]], test: str, over: str, earlier_tests: int = 0
) -> str:
    """Whether there is one, in a sentence: nothing is called a gain but an accepted H1. `test` is
    how to have it tested, `over` what it is a gain over; earlier tests were of what fewer games had
    taught, and each was a chance to see a gain where there is none.
    """
    before = ""
    if earlier_tests:
        before = (
            f" Earlier tests, of what fewer games had taught: {earlier_tests:,}. Each is one more "
            "chance to show a gain where there is none: the error rates hold for one test."
        )
    if not verdicts:
        return f"Not tested: no gain is claimed.{before} To test it: {test}"
    sentences = {
        "H1": f"A gain over {over} is shown at {{}}.",
        "H0": "No gain is shown at {}.",
        None: "Not decided at {}: no gain is shown.",
    }
    unusable = "The test at {} is not usable, for its forfeits and void games: no gain is shown."
    shown = (
        (sentences[each["decision"]] if each.get("usable", True) else unusable).format(at)
        for at, each in verdicts.items()
    )
    return " ".join(shown) + before


class BudgetTest:
    """The test in process, as far as its games are there."""

    def __init__(
        self, sides: Sides, at: str, pairs: TunedPairs | NetworkPairs, verification: Verification
    ) -> None:
        """Raises UserError where the test was begun with other hypotheses: the games may not choose
        them. `at` is how results name the thinking time.
        """
        self.at = at
        self.title = f"{sides.title} at {at}"
        self._pairs, self._most = pairs, verification.most_pairs
        self.save = pairs.save
        self._tally = Tally(verification.test, sides.new, sides.old, paired=True)
        test = verification.test.model_dump()
        before = pairs.verdicts.get(at, test)
        changed = [f"{key} {before[key]} → {test[key]}" for key in test if before[key] != test[key]]
        if changed:
            raise UserError(
                f"The test at {at} was begun with other settings in [verify], which may not "
                f"change. Changed: {', '.join(changed)}. Write the old ones again, or "
                "tune in another folder with --out"
            )
        self._count(0)

    @property
    def over(self) -> bool:
        return self._tally.decision is not None or len(self._pairs.scores) >= self._most

    @property
    def verdict(self) -> Verdict:
        repeats = self._pairs.repeats(self._tally.units)
        return self._tally.verdict.model_copy(update={"repeats": repeats})

    def play(self) -> None:
        """Play some more pairs. Raises Aborted."""
        done = len(self._pairs.scores)
        self._pairs.extend(self._most)
        self._count(done)

    def _count(self, since: int) -> None:
        self._tally.add(half_points(self._pairs.scores[since:]))
        if self._pairs.scores:
            self._pairs.verdicts[self.at] = self.verdict.model_dump(mode="json")


def play_budget(
    test: BudgetTest, view: LiveTuning | PlainTuning, stop: Stop, say: Callable[[str], None]
) -> None:
    """Play the test in process until it is over, or a signal stops it; it is kept either way. `say`
    shows a line that stays.
    """
    say(f"{test.title}:")
    saved_at = time.monotonic()
    while not stop.requested and not test.over:
        view.doing("testing")
        try:
            apart(test.play)
        except Aborted:
            break
        view.show_test(test.verdict)
        if time.monotonic() - saved_at > _SAVE_S:
            test.save()
            saved_at = time.monotonic()
    test.save()
    for line in words.about_sprt(test.verdict):
        say(line)


def play_target(
    file: Path,
    contest: Contest,
    verification: Verification,
    console: Console,
    evidence: Tuner | Evidence,
) -> Exit:
    """Play the test at the target, or what is left of it, and keep its verdict; FAILED where this
    or the test in process is undecided. Raises UserError, ConfigError and OSError.
    """
    contest = contest.next_of(evidence.verdicts)
    store_path = contest.store_path
    config = ready(_tournament(contest, verification), file)
    say, more = Lines(console).say, "max_games in [verify]"
    say(f"\n{contest.sides.title} at {contest.at}:")
    if contest.number > 1:
        wrong = f"{100 * verification.test.alpha:g}%"
        say(
            f"Where there is no gain, each such test still shows one in up to {wrong} of the "
            "cases: the verdict before stays next to this one."
        )
    try:
        code = play_config(config, store_path, more=more)
    except ConfigChangedError:
        begun = _as_begun(config, contest, verification.target)
        if begun.rounds > config.rounds:
            say("It continues with the higher max_games that it was begun with.")
        code = play_config(begun, store_path, more=more)
    with RunView(store_path) as view:
        verdict = view.schedule.verdict
    assert verdict is not None  # as the tournament asks for a test
    evidence.verdicts[contest.at] = verdict.model_dump(mode="json")
    evidence.save()
    both = (evidence.verdicts[at]["decision"] for at in (contest.budget, contest.at))
    return Exit.FAILED if code == Exit.DONE and None in both else Exit(code)


def _as_begun(config: TournamentConfig, contest: Contest, target: Target) -> TournamentConfig:
    """The test with the rounds it was begun with, and where its folder was moved since with the
    files there. Raises UserError where anything else changed.
    """
    with Store.open(contest.store_path) as store:
        before = store.config
    config = config.model_copy(update={"rounds": max(before.rounds, config.rounds)})
    moved = _moved(before, config, contest.store_path.parent.resolve())
    changed = differences(moved, config)
    if not changed:
        if moved != before:
            with PlayedStore.open_run(contest.store_path, before) as run:
                run.keep_config(moved)
        return config
    listed = "\n".join(f"  {_as_written(line, contest.sides, target)}" for line in changed)
    raise UserError(
        f"The test at {contest.at} was begun with other settings, which may not change. "
        f"Changed:\n{listed}\nWrite the old ones again, or move {contest.store_path} away: "
        "then another test begins, and the verdict of this one stays."
    )


def _moved(before: TournamentConfig, now: TournamentConfig, folder: Path) -> TournamentConfig:
    """A test with the files of its folder where they are now. They are those it was begun with:
    the name of its run tells what they contain.
    """
    players = []
    for one, other in zip(before.players, now.players, strict=True):
        options = dict(one.contender.options)
        for key, value in other.contender.options.items():
            path, was = Path(str(value)), Path(str(options.get(key)))
            if path.parent == folder and path.name == was.name:
                options[key] = value
        contender = one.contender.model_copy(update={"options": options})
        players.append(one.model_copy(update={"contender": contender, "digest": other.digest}))
    return before.model_copy(update={"players": tuple(players)})


def _as_written(change: str, sides: Sides, target: Target) -> str:
    """A change of the tournament, `key: old → new`, in words of the file that asks for the test."""
    for key, name in (
        ("clock", f"[verify] {target.words}"),
        ("sprt", "[verify]"),
        (f"player {sides.new}", f"{sides.new} player"),
        (f"player {sides.old}", f"{sides.old} player"),
    ):
        if change.startswith((f"{key}.", f"{key}:")):
            return f"{name}, {change[len(key) + 1 :].strip()}"
    return change


def slug(words: str) -> str:
    """Words as a part of a file's name."""
    return "-".join("".join(sign if sign.isalnum() else " " for sign in words).split())


def _tournament(contest: Contest, verification: Verification) -> TournamentConfig:
    on_one_seed = rules.default(contest.config.rules).decided_by_seed  # the games of a round
    target, players = verification.target, []
    for name, options in zip(contest.sides[:2], contest.options, strict=True):
        resources = resources_for(options)
        options = {key: value for key, value in options.items() if key not in BUDGETS}
        if target.budget:  # else it thinks as it does by default in any tournament
            options = unhurried(contest.bot, options | target.budget)
        players.append(
            {"bot": contest.bot, "name": name, "options": options, "resources": resources}
        )
    try:
        return read_config(
            {
                "tournament": {
                    "rounds": verification.most_pairs * (2 if on_one_seed else 1),
                    "seed": contest.seed,
                    "keep_alive": True,
                },
                "game": {"rules": contest.config.rules, **contest.config.variant},
                "clock": target.clock,
                "openings": {"plies": contest.plies},
                "sprt": verification.test.model_dump(),
                "player": players,
            },
            BUILTINS,
            contest.store_path.parent,
            name=f"{contest.config.name}-verify",
        )
    except Unusable as error:
        problems = (f"--verify: {written(each.path)}: {each.message}" for each in error.findings)
        raise UserError("\n".join(problems)) from None


def resources_for(options: Mapping[str, Any]) -> dict[str, int]:
    """The memory of a built-in with these options: room for its tables on top of the default."""
    room = sum(value for key, value in options.items() if key.endswith("_mb"))
    return {"threads": options.get("threads", 1), "memory_mb": MEMORY_MB + room}
