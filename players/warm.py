"""Compile the kernels ahead of time: `python -m players.warm --rules othello dots`.

Prints a JSON line as a step begins, `{"steps": 4, "begun": "…"}`, and one as it ends,
`{"step": 1, "steps": 4, "name": "…", "seconds": 0.5, "kept": true}`, where "step" counts those that
ended, and "kept" says whether the kernels are in the cache now. Those that were are left out: a
note next to them says so. Each step has a process of its own, which gives back its memory; those
that run at once leave to each other what both need. numba replaces files of the cache whole.
"""

import argparse
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout, suppress
from functools import cache
from itertools import count
from pathlib import Path

from llvmlite import binding

import rules as rule_sets
from arena.errors import Exit
from arena.files.cache import CACHE_VARIABLE
from arena.files.imports import module_command
from arena.files.parent import die_with_parent
from players.compiled.folder import cache_folder
from players.games.registry import unsupported
from rules.package_errors import BrokenPromise, describe

BOARD_SEARCHES = ("uct", "alphabeta", "analysis")
TILE_SEARCHES = ("expectimax", "heuristic")

_UNKEPT = 3
"""The exit code of a process that compiled a kernel and could not keep it."""
_said = set[str]()
"""What processes wrote to stderr, which is shown once."""

_Kernels = tuple[str, str]
"""A rule set, and a search that plays it."""


def _load_for_tiles(rules: str, searches: Sequence[str]) -> None:
    from players.games.tiles.boards import TileBoard

    game = rule_sets.load(rules)
    board = TileBoard(rules, game.variant["spawn"])
    if "expectimax" in searches:
        from players.search.expectimax import driver as expectimax
        from players.search.expectimax.settings import make_settings
        from players.weights.network_header import Header, network_of

        header = {"rules": rules, "spawn": game.variant["spawn"], "tuples": (("a1",),)}
        network = network_of(Header.model_validate(header))
        expectimax.load_kernels(board, make_settings(board.laws, network))
    if "heuristic" in searches:
        from players.search.heuristic import driver as heuristic

        heuristic.load_kernels(board, board.position(game.start().state()))


def _load_for_board(rules: str, searches: Sequence[str]) -> None:
    from players.games.agreement import refuse_unanswered
    from players.games.endgame import load_endgame
    from players.games.registry import compiled_game, load_board

    game = rule_sets.load(rules)
    board = load_board(rules, game.variant)
    position, endgame = board.position(game.start().state()), load_endgame(rules, board, 1)
    refuse_unanswered(position)
    if "uct" in searches:
        from players.search.uct import driver as uct
        from players.search.uct.settings import make_settings

        settings = make_settings(compiled_game(rules).most_margin(game.variant))
        uct.load_kernels(position, settings, endgame)
    if "alphabeta" in searches or "analysis" in searches:
        from players.search.alphabeta import driver as alphabeta
        from players.weights.evaluations import load_terms

        alphabeta.load_kernels(position, load_terms(rules, game.variant), endgame)
    endgame.load_kernels(position)
    if "analysis" in searches:
        from players.search import analysis

        analysis.load_kernels(position, endgame)
    if rules not in rule_sets.GAMES:
        _compare_with_rules(rules)


def _compare_with_rules(rules: str) -> None:
    """Raise ValueError where the compiled code of a package is of another game than its rules."""
    from players.games.agreement import refuse_disagreement
    from players.games.registry import load_board
    from players.weights.evaluations import load_terms

    usual = rule_sets.load(rules)
    others = (rule_sets.load(rules, **settings) for settings in usual.check_boards.values())
    for game in dict.fromkeys((usual, *others)):
        if not unsupported(rules, game.variant):
            try:
                board = load_board(rules, game.variant)
                refuse_disagreement(game, board, load_terms(rules, game.variant))
            except BrokenPromise:
                raise
            except Exception as error:
                raise BrokenPromise(f"{game.title}: {describe(error)}") from error


def _steps(
    asked: Sequence[str], searches: Container[str], *, at_once: bool
) -> Iterator[Sequence[_Kernels]]:
    """What is loaded by a process each: all for boards, all for tiles, which share parts; or, where
    processes run at once, each by its own.
    """
    for known in (BOARD_SEARCHES, TILE_SEARCHES):
        wanted = [
            (rules, search)
            for rules in rule_sets.names()
            if rules in asked and _searches_of(rules) == known
            for search in known
            if search in searches
        ]
        if wanted:
            yield from ([each] for each in wanted) if at_once else [wanted]


def _searches_of(rules: str) -> Sequence[str]:
    if rules in rule_sets.tiles.NAMES:
        return TILE_SEARCHES
    return () if unsupported(rules, rule_sets.default(rules).variant) else BOARD_SEARCHES


@cache
def _notes() -> Path:
    """Where empty files say for which rules and searches all kernels are in the cache. It is named
    for what decides which they are, besides what the cache's folder is named for: the processor,
    as numba tells processors apart, and the sources of the players.
    """
    processor = f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"
    digest = hashlib.sha256(processor.encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return cache_folder() / f"warm-{digest.hexdigest()[:16]}"


def _run(step: Sequence[_Kernels], *, noted_too: bool = False) -> bool:
    """Load what a step names, in a process, but for what is noted; whether all could be kept."""
    notes = {f"{rules}:{search}": _notes() / f"{rules}-{search}" for rules, search in step}
    missing = [
        kernels
        for kernels, note in notes.items()
        if noted_too or not os.path.exists(note)  # noqa: PTH110  # `Path` raises where others own it
    ]
    if not missing:
        return True
    command = module_command("players.warm", "--parent", str(os.getpid()), "--one", *missing)
    # Players have none of what a user sets for numba, which would be other kernels.
    settings = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    # What a package's game prints is none of our lines.
    done = subprocess.run(
        command, check=False, stdout=2, stderr=subprocess.PIPE, text=True, env=settings
    )
    code = done.returncode
    if code == -signal.SIGINT:  # Ctrl-C, which all processes of a terminal get
        raise KeyboardInterrupt
    if done.stderr not in _said:  # each says why it could keep none
        _said.add(done.stderr)
        sys.stderr.write(done.stderr)
    if code < 0:
        sys.stderr.write(
            f"The process that compiled {_name(step)} was killed by signal {-code}. Where the "
            "memory was full, free some; then try again.\n"
        )
    if code not in (0, _UNKEPT):
        sys.exit(1)  # it said why
    if code == 0:
        with suppress(OSError):  # a cache of others, which has the kernels
            _notes().mkdir(exist_ok=True)
            for kernels in missing:
                notes[kernels].touch()
    return code == 0


def _load(step: Sequence[str]) -> None:
    from players.compiled import cache as kernel_cache

    kernel_cache.unkept = _end
    searches = defaultdict[str, list[str]](list)
    for kernels in step:
        rules, _, search = kernels.partition(":")
        searches[rules].append(search)
    failed = False
    for rules, wanted in searches.items():
        load = _load_for_board if _searches_of(rules) == BOARD_SEARCHES else _load_for_tiles
        try:
            load(rules, wanted)
        except Exception as error:  # a package's code may do anything
            if rules in rule_sets.GAMES:
                raise
            why = _in_short(error, rules)
            sys.stderr.write(f"The compiled code of the game {rules!r}: {why}\n")
            failed = True
    if failed:
        sys.exit(1)


def _end(why: str) -> None:
    """What else is compiled could not be kept either."""
    sys.stderr.write(f"{why}; {CACHE_VARIABLE} names another folder.\n")
    sys.exit(_UNKEPT)


_ON_THE_WAY = re.compile(
    r"(TypingError: )?Failed in|No implementation|>>>|There (is|are)|- Of which|Overload |With arg|"
    "Rejected as|During:|raised from"
)
"""Begins a line in which numba tells of the calls that lead to a mistake, or of those tried."""
_PLACE = re.compile(r'File "(.+)", line (\d+)')


def _in_short(error: Exception, rules: str) -> str:
    """An error of a package's code in a sentence: numba tells one in a hundred lines."""
    from numba.core.errors import NumbaError

    text = str(error)
    places = list(_PLACE.finditer(text))
    if not (isinstance(error, NumbaError) and places):
        return describe(error)
    package = rule_sets.registration(rules).kernels.partition(".")[0]
    in_package = [place for place in places if f"/{package}/" in place[1]]
    file, line = (in_package or places)[0].groups()
    lines = map(str.strip, text[: places[0].start()].splitlines())
    reasons = [each for each in lines if each and not _ON_THE_WAY.match(each)]
    reason = reasons[-1] if reasons else text.splitlines()[0]
    return f"numba cannot compile it: {reason} ({'/'.join(file.split('/')[-2:])}, line {line})"


def _search_of(player: str) -> str:
    """The search whose kernels a built-in player loads."""
    from players.catalogue import BUILTINS  # which takes most of a start to load

    if player not in BUILTINS or not BUILTINS[player].kernels:
        raise argparse.ArgumentTypeError(f"{player!r} is no built-in player with kernels")
    return BUILTINS[player].kernels


def main() -> None:
    """Compile what the command line asks for, and say so line by line."""
    parser = argparse.ArgumentParser(prog="python -m players.warm", description=__doc__)
    every = (*BOARD_SEARCHES, *TILE_SEARCHES)
    parser.add_argument(
        "--rules",
        nargs="+",
        choices=rule_sets.names(),
        help="rule sets whose players are to be ready (default: all)",
    )
    parser.add_argument(
        "--searches", nargs="+", choices=every, default=(), help="what they use (default: all)"
    )
    parser.add_argument(
        "--players",
        nargs="+",
        type=_search_of,
        default=(),
        help="built-in players whose searches are added",
    )
    parser.add_argument("--processes", type=int, default=1, help="steps at once (default: 1)")
    parser.add_argument("--noted-too", action="store_true", help="look for what is noted, too")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--parent", type=int, help="end with this process, which started it")
    given = parser.parse_args()
    if given.processes < 1:
        parser.error("--processes: must be at least 1")
    if given.parent:
        die_with_parent(given.parent)
    if given.one:
        _load(given.one)
        return
    searches = {*given.searches, *given.players} or every
    with redirect_stdout(sys.stderr):  # a package's game may print
        asked = given.rules or rule_sets.usable()
        steps = list(_steps(asked, searches, at_once=given.processes > 1))
    ended, failed = count(1), list[Sequence[_Kernels]]()

    def run(step: Sequence[_Kernels]) -> None:
        about = {"steps": len(steps)}
        _say({**about, "begun": _name(step)})
        began = time.monotonic()
        try:
            kept = _run(step, noted_too=given.noted_too)
        except SystemExit:  # a package's game: the others can be compiled
            failed.append(step)
            return
        took = round(time.monotonic() - began, 3)
        _say({"step": next(ended), **about, "name": _name(step), "seconds": took, "kept": kept})

    try:
        with ThreadPoolExecutor(given.processes) as pool:
            for _ in pool.map(run, steps):
                pass  # an error of a step is raised here
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(Exit.INTERRUPTED)
    except (OSError, RuntimeError) as error:  # too many processes, threads, or open files
        if isinstance(error, RuntimeError) and str(error) != "can't start new thread":
            raise
        sys.exit(f"No kernels can be compiled: {error}")
    if failed:
        sys.exit(1)


def _name(step: Sequence[_Kernels]) -> str:
    games, searches = (", ".join(dict.fromkeys(names)) for names in zip(*step, strict=True))
    return f"{games}: {searches}"


def _say(line: dict[str, object]) -> None:
    try:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # no longer read
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123  # no path: the null device
            os.dup2(nowhere.fileno(), sys.stdout.fileno())  # Python flushes again at its end
        sys.exit(1)


if __name__ == "__main__":
    main()
