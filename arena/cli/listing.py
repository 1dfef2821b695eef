"""`arena players`: what comes with the package."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from players.catalogue import BUILTINS


def show_players() -> None:
    """Each built-in player with its options, their defaults and what they mean."""
    console = Console()
    for builtin in BUILTINS.values():
        console.print(Text.assemble((builtin.name, "bold"), f"  {builtin.summary}"))
        options = Table.grid(padding=(0, 2, 0, 0))
        options.add_column(no_wrap=True)
        options.add_column(no_wrap=True)
        options.add_column()
        for name, field in builtin.options.model_fields.items():
            meaning = " ".join((field.description or "").split())
            default = "none" if field.default is None else repr(field.default)
            options.add_row(f"  {name}", Text(default, style="cyan"), Text(meaning))
        console.print(options)
    console.print(
        Text('In a tournament file: [[player]] bot = "uct", options = { c = 1.0 }'), style="dim"
    )
