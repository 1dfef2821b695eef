"""The Python that runs a script, and the modules that the script imports: read from its files, and
looked for by that Python in the sandbox of the bot, before the bot is started.
"""

import ast
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from warnings import catch_warnings

from arena.files import json_text
from arena.files.plain_text import printable
from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.referee.transport import PlayerProcess

_ANSWER_NS = 20_000_000_000
_SOURCE_BYTES = 2**20
"""Of a file whose imports are looked for: a parser takes hundreds of times as much memory."""
_QUESTION = """\
import sys
finds_own = sys.path[0] == ""
if finds_own:
    del sys.path[0]  # the program may have a json.py
import importlib.util, json
if finds_own:
    sys.path.insert(0, sys.argv[1])
def there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
own = getattr(sys, "stdlib_module_names", sys.builtin_module_names)  # Python 3.10 has the first
foreign = [name for name in sys.argv[2:] if name not in own]
version = ".".join(map(str, sys.version_info[:3]))
sys.stdout.write(json.dumps([version, {name: there(name) for name in foreign}]) + "\\n")
"""


class Import(NamedTuple):
    """A module that a program needs, and the line that imports it."""

    module: str
    file: str
    line: int


class PythonFound(NamedTuple):
    """The version of a Python, and the imported modules that it has and lacks."""

    program: str
    version: str
    has: tuple[str, ...]
    """Of others than itself."""
    lacks: tuple[Import, ...]

    def __str__(self) -> str:
        modules = f", with {', '.join(self.has)}" if self.has else ""
        return f"runs on Python {self.version} ({self.program}){modules}"


def ask_python(spec: Prepared) -> PythonFound | None:
    """The Python of a program, asked in its sandbox; None without one. OSError: the host failed."""
    python, folder = spec.command[0], Path(spec.cwd or ".")
    script = _script(spec.command, folder)
    if script is None or not Path(python).name.startswith("python"):
        return None
    at, entry, root = script
    imported = {each.module: each for each in imports(entry, root)}
    command = (*spec.command[:at], "-c", _QUESTION, str(root), *imported)
    answer = _answer(spec.model_copy(update={"command": command}))
    try:
        version, modules = json_text.parse(answer)
        own = sys.stdlib_module_names  # ours, too: a Python before 3.10 names all that is imported
        has = tuple(name for name, there in modules.items() if there and name not in own)
        lacks = tuple(imported[name] for name, there in modules.items() if not there)
        return PythonFound(python, printable(version), has, lacks)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _script(command: tuple[str, ...], folder: Path) -> tuple[int, Path, Path] | None:
    """The place of a script in a command, its file, the folder it imports from; None without."""
    for at, word in enumerate(command[1:], 1):
        if word == "-m" and len(command) > at + 1:
            path = folder / command[at + 1].replace(".", "/")
            entry = path / "__main__.py" if path.is_dir() else path.with_suffix(".py")
            return at, entry, folder
        if not word.startswith("-"):
            entry = folder / word
            return (at, entry, entry.parent) if word.endswith(".py") else None
    return None


def imports(entry: Path, root: Path) -> Iterator[Import]:
    """The modules that a script imports which are not in `root`, its own or its own modules'. Left
    out is what they can do without, in a `try` or for types alone; and all of them, where one
    changes where modules are looked for.
    """
    pending, seen, foreign = [entry], set[Path](), list[Import]()
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            if path.stat().st_size > _SOURCE_BYTES:
                continue
            text = path.read_text("utf-8")
            with catch_warnings(action="ignore"):  # of its text, as "\d": Python 3.12 shows them
                named = list(_named(ast.parse(text)))
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            continue  # the start of the bot will show the error
        if "sys.path" in text:
            return
        for name, line in named:
            own = _own(name, root)
            if own is None:
                foreign.append(Import(name.partition(".")[0], path.name, line))
            pending += own or ()
    yield from foreign


def _named(node: ast.AST) -> Iterator[tuple[str, int]]:
    """The modules that a piece of a program imports, with their lines."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, node.lineno) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
    if isinstance(node, ast.Try):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return
    for child in ast.iter_child_nodes(node):
        yield from _named(child)


def _own(name: str, folder: Path) -> list[Path] | None:
    """The files of the bot that importing a module runs; None where it is not the bot's."""
    parts, files = name.split("."), list[Path]()
    for count in range(1, len(parts) + 1):
        path = folder.joinpath(*parts[:count])
        both = (path.with_suffix(".py"), path / "__init__.py")
        files += [file for file in both if file.is_file()]
    first = folder / parts[0]
    return files if files or first.is_dir() else None


def _answer(spec: Prepared) -> bytes:
    """The first line that a program writes; empty where it is late, or too long."""
    with suppress(PlayerFault):
        process = PlayerProcess(spec)
        try:
            deadline = time.monotonic_ns() + _ANSWER_NS
            return process.read_line(deadline, excused=False).text
        finally:
            process.kill()
    return b""
