"""A script of `# %%` cells, run as a notebook runs it."""

import ast
import re
from pathlib import Path
from typing import Any


def shown_by(script: Path) -> list[Any]:
    """Run each cell; the values of the expressions that cells end with."""
    text = script.read_text("utf-8")
    names: dict[str, Any] = {}
    shown = (_run(cell, names) for cell in re.split("(?m)^# %%.*$", text))
    return [value for value in shown if value is not None]


def _run(cell: str, names: dict[str, Any]) -> Any:
    parsed = ast.parse(cell)
    last = parsed.body[-1]
    if not isinstance(last, ast.Expr) or isinstance(last.value, ast.Constant):
        exec(compile(parsed, "<cell>", "exec"), names)
        return None
    exec(compile(ast.Module(parsed.body[:-1], []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
