"""The arguments and options of commands, and messages about wrong ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arena.errors import UserError

if TYPE_CHECKING:
    from rules.position import Game


def argument(metavar: str, help: str, **more: Any) -> Any:
    return typer.Argument(metavar=metavar, help=help, **more)


def option(metavar: str | None, help: str, *names: str, **more: Any) -> Any:
    """An option with a value; without a metavar, one of a few, which the help lists."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def flag(name: str, help: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=help)


def _rule_sets() -> tuple[str, ...]:
    from rules import names  # when it is asked: `arena --help` loads no rules

    return names()


def _known_rules(context: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """The value, where each name in it is a rule set that can begin. Raises UserError."""
    from rules import unusable

    for name in [value] if isinstance(value, str) else value or ():
        refuse_unknown(place(param), name, _rule_sets())
        if why := unusable(name):
            raise UserError(f"{place(param)}: {why}")
    return value


RULES: dict[str, Any] = {"callback": _known_rules, "autocompletion": _rule_sets}
"""The declaration of an argument or option that takes rule sets."""


RULES_HELP = "The rule set: othello, dots, 2048, 2584, or one that a package registers."


def rules_option(help: str = RULES_HELP, default: str = "") -> Any:
    """The option that names a rule set; the default is for the help alone."""
    return option("RULES", f"{help}  [default: {default}]" if default else help, **RULES)


Sandbox = Literal["auto", "bwrap", "limits", "none"]
_SYNONYMS = {
    "c++": "cpp",
    "cxx": "cpp",
    "javascript": "js",
    "node": "js",
    "nodejs": "js",
    "py": "python",
}
"""Other names of values, which look unlike them."""
AsJson = Annotated[bool, flag("--json", "As JSON.")]
Insecure = Annotated[
    bool, flag("--insecure", "Reach a scheduler elsewhere without TLS, on a network of your own.")
]
GameSettings = Annotated[
    list[str] | None,
    option(
        "KEY=VALUE",
        "A setting of the game, such as preset=cornerless or rows=3; may be repeated.",
        "--set",
    ),
]


def place(param: Any) -> str:
    """How an option or argument is named in a sentence."""
    return next((each for each in param.opts if each.startswith("--")), str(param.name))


def one_of(known: Collection[str], got: str) -> str:
    """A sentence on a value and its allowed choices, of very many those most like it."""
    from arena.files.toml_tables import few_of, nearest, shown

    hint = nearest(_SYNONYMS.get(got.lower(), got), known)
    return f"must be one of {few_of(list(known), got)}, got {shown(got)}{hint}"


def refuse_unknown(option: str, got: str | None, known: Collection[str]) -> None:
    """Raise UserError where the value of an option is given and none of those known."""
    if got is not None and got not in known:
        raise UserError(f"{option}: {one_of(known, got)}")


def refuse_together(**options: object) -> None:
    """Raise UserError where more than one of the options is given."""
    typed = [f"--{name.rstrip('_')}" for name, each in options.items() if each not in (None, False)]
    if len(typed) > 1:
        raise UserError(f"{typed[0]} and {typed[1]} exclude each other; give one of them")


def load_game(name: str, settings: Sequence[str] | None, **more: Any) -> Game:
    """The game of a rule set with the settings of `--set`, before `more`. Raises UserError."""
    import rules
    from arena.files.toml import read_pairs

    game, wrong = rules.judge(name, more | read_pairs("--set", settings))
    if wrong or game is None:
        raise UserError("\n".join(f"--set: {reason}" for reason in wrong.values()))
    return game
