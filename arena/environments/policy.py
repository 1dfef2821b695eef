"""A policy as a file of its own: a function, and what it uses of the file it was written in.

Functions and classes are copied, constants and arrays kept as they are now, and modules imported; a
module next to the policy goes along as a file. What else it uses is left out, and missed when the
copy is tried.
"""

import __future__

import ast
import dis
import inspect
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.errors import UserError

ARRAYS = "globals.npz"
_HEAD = "from __future__ import annotations\n\nimport numpy as np\n"
_WITH_ARRAYS = f'{_HEAD}\nglobals().update(np.load("{ARRAYS}"))\n'
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_PLAIN = (bool, int, float, str, bytes, tuple, list, dict, set, type(None))


class PolicyCopy(NamedTuple):
    """The sources that a policy needs to stand alone."""

    text: str
    """The source of a module that has the function as `act`, once it has the `arrays`."""
    arrays: Mapping[str, npt.NDArray[Any]]
    """Those that it has by name."""
    modules: Mapping[str, bytes]
    """Files of modules that go along."""

    @property
    def file(self) -> str:
        """The source that loads the arrays itself."""
        return self.text.replace(_HEAD, _WITH_ARRAYS, 1) if self.arrays else self.text


def policy_of(act: Callable[..., Any]) -> PolicyCopy:
    """The policy that a function is. Raises UserError where it has no source to copy."""
    source = _source(act)
    if isinstance(act, FunctionType) and not source:
        raise UserError(
            f"Python does not find the source of {act.__name__}, to copy it: write it in a file, "
            "or in a cell of a notebook without %%time or the like"
        )
    if not isinstance(act, FunctionType) or not _is_def(source):
        raise UserError(
            f"the policy must be a function written with def, in a file or a notebook, not {act!r}"
        )
    found = _Found(act.__module__)
    found.define(act.__name__, act)
    name = "" if act.__name__ == "act" else f"\n\nact = {act.__name__}\n"
    lines = "".join(f"{line}\n" for line in found.lines)
    parts = "".join(f"\n\n{part}" for part in found.parts)
    return PolicyCopy(f"{_HEAD}{lines}{parts}{name}", found.arrays, found.modules)


@dataclass
class _Found:
    """The objects found in the module of that name, or from there on."""

    module: str
    lines: list[str] = field(default_factory=list)
    """Imports and constants."""
    parts: list[str] = field(default_factory=list)
    """Functions and classes, each after what it uses."""
    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    modules: dict[str, bytes] = field(default_factory=dict)
    names: set[str] = field(default_factory=lambda: {"np"})

    def define(self, name: str, value: Any) -> None:
        """Copy a function or a class, after what it uses."""
        self.names.add(name)
        source = _source(value)
        code = compile(source, name, "exec", __future__.annotations.compiler_flag)
        around = _around(value)
        for used in sorted(_loaded(code) & around.keys() - self.names):
            self.add(used, around[used])
        self.parts.append(source)

    def add(self, name: str, value: Any) -> None:
        """Take up what goes by a name."""
        self.names.add(name)
        if isinstance(value, ModuleType):
            self.lines.append(f"import {value.__name__} as {name}")
            self.carry(value)
        elif getattr(value, "__module__", None) == self.module and _source(value):
            self.define(name, value)
        elif isinstance(value, np.ndarray | np.generic):
            self.arrays[name] = np.asarray(value)
        elif isinstance(value, _PLAIN) and _is_literal(value):
            self.lines.append(f"{name} = {value!r}")
        elif (
            hasattr(value, "__name__")
            and (module := inspect.getmodule(value)) is not None
            and module.__name__ != self.module  # else its source is not found
        ):
            self.lines.append(f"from {module.__name__} import {value.__name__} as {name}")
            self.carry(module)

    def carry(self, module: ModuleType) -> None:
        """Take along a module that is a file and not installed, and those that it uses. Raises
        UserError for one of a package in the current folder.
        """
        path = Path(getattr(module, "__file__", None) or "")
        file = f"{module.__name__}.py"
        installed = any(path.is_relative_to(each) for each in sysconfig.get_paths().values())
        if installed or file in self.modules:
            return
        if path.name != file:
            package = module.__name__.partition(".")[0]
            ours = package in ("arena", "players", "rules", self.module)  # is there, or is copied
            if path.is_relative_to(Path.cwd()) and not ours:
                raise UserError(
                    f"the policy uses {module.__name__}, which does not go along: install it, or "
                    "write a module that is a file next to the policy"
                )
            return
        self.modules[file] = path.read_bytes()
        for value in vars(module).values():
            used = inspect.getmodule(value)
            if used is not None:
                self.carry(used)


def _source(value: Any) -> str:
    try:
        return dedent(inspect.getsource(value))
    except (OSError, TypeError):
        return _source_in_cell(value) if isinstance(value, type) else ""


def _source_in_cell(value: type) -> str:
    """The source of a class of a notebook, around one of its methods: Python looks for the class in
    the file of its module, and there is none.
    """
    for method in _methods(value):
        with suppress(OSError, SyntaxError):
            lines, at = inspect.findsource(method)
            for node in ast.walk(ast.parse("".join(lines))):
                if isinstance(node, ast.ClassDef) and node.name == value.__name__:
                    begin = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                    if begin <= at + 1 <= (end := node.end_lineno or begin):
                        return dedent("".join(lines[begin - 1 : end]))
    return ""


def _methods(value: type) -> Iterator[FunctionType]:
    functions = map(inspect.unwrap, filter(callable, vars(value).values()))
    return (each for each in functions if isinstance(each, FunctionType))


def _is_def(source: str) -> bool:
    try:
        return isinstance(ast.parse(source).body[0], ast.FunctionDef)
    except SyntaxError:  # as of a lambda in the middle of a line
        return False


def _around(value: Any) -> dict[str, Any]:
    """The names that a function, or the first method of a class, uses from around it."""
    if isinstance(value, type):
        value = next(_methods(value), None)
    function = inspect.unwrap(value) if value is not None else None
    if not isinstance(function, FunctionType):
        return {}
    return {**function.__globals__, **inspect.getclosurevars(function).nonlocals}


def _loaded(code: CodeType) -> set[str]:
    """The names that code takes from around it."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname in _LOADS}
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return {name for name in names.union(*map(_loaded, inner)) if not name.startswith("__")}


def _is_literal(value: object) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError):
        return False
