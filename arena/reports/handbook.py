"""The pages that come with the package: their subjects and texts."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena.errors import UserError
from arena.files.toml_tables import did_you_mean

if TYPE_CHECKING:  # the first page of `arena serve` needs none
    from rich.console import Console

_HOME = Path(__file__).parents[2]
"""The folder of the packages: a checkout, or an environment's site-packages."""


class Page(NamedTuple):
    """A page: its file, relative to the checkout, and its subject."""

    file: str
    about: str


PAGES = {
    "readme": Page("README.md", "what the arena is, and the first tournament"),
    "bots": Page("arena/bots/README.md", "for students: from nothing to a submitted bot"),
    "protocol": Page(
        "arena/bots/PROTOCOL.md", "what a bot reads and writes; the rules of the games"
    ),
    "tournaments": Page(
        "tournaments/README.md", "for assistants: tournament files, nights, sandboxes"
    ),
    "players": Page("players/README.md", "for researchers: players, analysis, Python"),
    "measurements": Page("players/MEASUREMENTS.md", "how strong the players are, and why"),
    "experiments": Page(
        "tournaments/experiments/README.md", "what the sources claim, and what was measured"
    ),
    "learning": Page("players/learning/README.md", "training, tuning, sequential tests"),
    "environments": Page(
        "arena/environments/README.md", "for training policies: PettingZoo, Gymnasium, bots of them"
    ),
    "arena": Page("arena/README.md", "for contributors: how the code is built and extended"),
}


def text_of(name: str) -> str:
    """The text of a page, in Markdown. Raises UserError."""
    if name not in PAGES:
        raise UserError(f'there is no page "{name}"; {did_you_mean(name, PAGES, "pages")}')
    return path_of(PAGES[name].file).read_text("utf-8")


def path_of(name: str) -> Path:
    """A file or folder of the checkout that comes with the package."""
    packed = _HOME / "arena" / "pages" / name  # a wheel keeps there what is in no package
    return packed if packed.exists() else _HOME / name


def show(name: str | None, console: "Console") -> None:
    """A page, in a pager on a terminal; without a name, a line for each. Raises UserError."""
    from rich.markdown import Markdown
    from rich.text import Text

    if name is None:
        for each, page in PAGES.items():
            console.print(Text(f"arena docs {each:<12} {page.about}"), soft_wrap=True)
        return
    text = text_of(name)
    if console.is_terminal:
        _refuse_missing_pager()
        os.environ.setdefault("LESS", "-R")  # lets colours through
        with console.pager(styles=True):
            console.print(Markdown(text))
    else:
        console.file.write(text)


def _refuse_missing_pager() -> None:
    """Raise UserError where the first word of a pager's command, as Python looks for one, is the
    name of no program, and no word of the shell that runs it, such as exec: the page would not be
    shown. It uses none where input or output is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    for variable in ("MANPAGER", "PAGER"):
        if words := os.environ.get(variable, "").split():
            is_name = re.fullmatch(r"[\w./+-]+", words[0])  # the shell takes other commands too
            known = ("sh", "-c", 'command -v -- "$1" > /dev/null', "sh", words[0])
            if is_name and subprocess.run(known, check=False).returncode:
                raise UserError(
                    f"{variable}: there is no program {words[0]}; name another one, or cat for none"
                )
            return
