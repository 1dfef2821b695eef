"""From a contender to a program that can be started here: found, contained, built. Scripts and
packages are known by the digest of their files, wherever this machine has them.
"""

import os
import site
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import rules
from arena.bots import programs
from arena.bots.build import build
from arena.bots.package import Bot, open_bot, package_store, startable, with_python
from arena.errors import PackageError
from arena.files.cache import CACHE_VARIABLE, cache_root
from arena.files.imports import module_command
from arena.model.containment import Policy
from arena.model.contender import CommandLine, Contender, Given, Home, Module, Package, Prepared
from arena.sandbox.probe import resolve


def prepare(
    contender: Contender, rule_set: str, home: Home | None = None, *, masked: tuple[str, ...] = ()
) -> Prepared:
    """The contender as this machine starts it for games of `rule_set`. `masked` are files kept from
    it. Raises ProgramError, PackageError, SandboxError.
    """
    home = home or Home()
    folder = Path(home.folder) if home.folder else Path.cwd()
    program, unbuilt = _program(contender.program, folder, home)
    ours = program.command[0] == sys.executable
    is_script = isinstance(contender.program, Package) and contender.program.opens != "."
    prepared = Prepared(
        **{name: getattr(contender, name) for name in Given.model_fields},
        command=program.command,
        builtin=isinstance(contender.program, Module),
        cwd=program.cwd,
        policy=Policy(
            readable=(
                *_readable(contender, folder, rule_set if ours else None),
                *([program.command[-1]] if is_script and not unbuilt else []),
            ),
            listable=_roots(rule_set) if ours else (),
            masked=masked,
            shows_named=isinstance(contender.program, CommandLine),
            environment=_environment(contender, rule_set),
        ),
    )
    held = home.held or resolve(contender.sandbox, prepared)
    policy = prepared.policy.model_copy(update={"mode": held.mode})
    command, cwd = program
    if unbuilt:
        python = _python(contender.program, folder)
        bot = build(unbuilt, held.mode, python)
        command, cwd = with_python(bot.command, python), bot.cwd
    return prepared.model_copy(
        update={"command": command, "cwd": cwd, "policy": policy, "held": held}
    )


def named_files(contender: Contender, folder: Path) -> tuple[str, ...]:
    """The files and folders, as written, that its command and its options name: they do not travel.
    Relative ones begin in `folder`.
    """
    program, options = contender.program, contender.options
    words = list(_named_in(options, folder))
    if isinstance(program, CommandLine):
        words += [word for word in program.words if _is_file(folder / word)]
    elif isinstance(program, Module):  # it takes a file next to the tournament without a "/", too
        words += [text for text in _texts(options) if _is_file(folder / text)]
        words += [options["folder"]] if "folder" in options else []
    return tuple(dict.fromkeys(words))


def as_package(bot: Bot, python: str | None = None, default_python: str | None = None) -> Package:
    """The part of a bot that travels. `python` is what its player's table names, `default_python`
    what is named for all; bot.toml comes between.
    """
    named = python or bot.python or default_python
    return Package(digest=bot.contents, opens=bot.opens, built=bot.build is None, python=named)


def _program(
    program: Module | Package | CommandLine, folder: Path, home: Home
) -> tuple[programs.Program, Bot | None]:
    """The command, and the bot where it is still to be built."""
    match program:
        case Module():
            return programs.Program(module_command(program.module), str(folder)), None
        case CommandLine():
            return programs.command(list(program.words), folder), None
    place = Path(home.package or package_store() / program.digest, program.opens)
    if not place.exists():
        raise PackageError(place, ["is not there; it is needed to play"])
    bot = open_bot(place, again=True)
    if bot.contents != program.digest:
        raise PackageError(place, ["was changed since the tournament was read; start it again"])
    bot = startable(bot) if program.built else bot
    command = with_python(bot.command, _python(program, folder))
    return programs.Program(command, bot.cwd), bot if bot.build else None


def _python(program: Module | Package | CommandLine, folder: Path) -> str:
    """The Python of its scripts. Raises ProgramError."""
    named = getattr(program, "python", None)
    return programs.python(named, folder, or_path=", or name another")


def _environment(contender: Contender, rule_set: str) -> dict[str, str]:
    """The environment of a built-in player: the place of the cache, of a registered game, and of
    the arena and what it needs where an empty home has it not.
    """
    if not isinstance(contender.program, Module):
        return {}
    path = list(_named_folders())
    if rule_set not in rules.GAMES and "PYTHONPATH" in os.environ:
        path.insert(0, os.environ["PYTHONPATH"])
    return {CACHE_VARIABLE: str(cache_root())} | ({"PYTHONPATH": ":".join(path)} if path else {})


def _named_folders() -> tuple[str, ...]:
    """The folders of the arena's packages, and of those they need, where Python finds them by this
    environment alone: by `pip install --user` in the home, by `--target` or the modules of a
    cluster in PYTHONPATH.
    """
    root = Path(__file__).resolve().parents[2]
    named = (*os.environ.get("PYTHONPATH", "").split(os.pathsep), site.getusersitepackages())
    absolute = os.path.abspath  # as in `sys.path`: without "..", links as they are
    folders = dict.fromkeys(Path(absolute(each)) for each in named if each)
    return tuple(
        str(each.resolve())
        for each in folders
        if each.resolve() == root or (str(each) in sys.path and any(each.glob("*.dist-info")))
    )


def _readable(contender: Contender, folder: Path, imported: str | None) -> tuple[str, ...]:
    """The files it reads besides its folder: its kernels, the files its options name, and where
    this Python runs it the arena's packages and that of the rule set it may import. A file may also
    be named in one word of a command.
    """
    paths = list(_packages(imported)) if imported else []
    if isinstance(contender.program, Module):
        paths += [
            *_named_folders(),
            *(str(cache_root() / name) for name in contender.program.caches),
        ]
        if "folder" in contender.options:  # that of an engine
            paths.append(str(folder / contender.options["folder"]))
    paths += [str(folder / word) for word in _named_in(contender.options, folder)]
    return tuple(dict.fromkeys(paths))


def _named_in(options: object, folder: Path) -> Iterator[str]:
    for text in _texts(options):
        words = (text, *text.split())
        yield from (word for word in words if "/" in word and _is_file(folder / word))


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - a word may be too long for a name


@cache
def _packages(rule_set: str) -> tuple[str, ...]:
    """The folders of the arena's packages and of a registered rule set, to import from."""
    found = (find_spec(name) for name in ("arena", "players", "rules"))
    own = [place for spec in found if spec for place in spec.submodule_search_locations or ()]
    return (*own, *map(str, rules.folders(rule_set)))


def _roots(rule_set: str) -> tuple[str, ...]:
    """The folders of those outside of Python's own: an import looks through them."""
    roots = dict.fromkeys(Path(package).parent for package in _packages(rule_set))
    return tuple(str(root) for root in roots if not root.is_relative_to(sys.prefix))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
