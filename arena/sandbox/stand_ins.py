"""Stand-ins of version managers (pyenv, rbenv, asdf, mise, rustup, volta): the PATH finds a program
of theirs, which starts the one that is chosen in the home. No sandbox shows that.
"""

import os
import shutil
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

from arena.model.contender import Prepared
from arena.sandbox.spawn import interpreter

_PATIENCE_S = 10.0
_LINKED = {"rustup": "rustup", "volta-shim": "volta"}
"""The managers whose stand-ins are links, hard ones too, to one program: by its name."""


def past_stand_ins(spec: Prepared, search: str | None) -> str | None:
    """The PATH `search`, led past a stand-in to the program that `spec` starts."""
    name: str | None = spec.command[0]
    if "/" in spec.command[0]:
        name = _found_by_env(Path(spec.cwd or ".", spec.command[0]))
    return past_stand_in(name, search) if name else search


def _found_by_env(script: Path) -> str | None:
    """The interpreter that the script has `env` look for."""
    with suppress(OSError, ValueError):  # it may be run and not read, or is no file
        words = interpreter(str(script))
        if words and Path(words[0]).name == "env":
            return next((word for word in words[1:] if not word.startswith("-")), None)
    return None


@cache
def past_stand_in(program: str, search: str | None) -> str | None:
    """The PATH `search`; before it the folder of `program` as its manager names it, where it is a
    stand-in. A path is none: it may lead to a bot's files, and managers are asked outside of the
    sandbox. They are asked in no folder of a bot: files there could have them install others.
    """
    found = shutil.which(program, path=search) if "/" not in program else None
    with suppress(OSError, ValueError, subprocess.SubprocessError):  # it is none, or chooses none
        if found and (manager := _manager(Path(found))):
            asked = subprocess.run(
                (manager, "which", program),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=True,
                cwd="/",
                timeout=_PATIENCE_S,
            )
            real = Path(asked.stdout.strip()).parent
            return os.pathsep.join((str(real), search or os.defpath))
    return search


def _manager(path: Path) -> str | None:
    """The manager of a stand-in, which is in its folder `shims`, or a link to it."""
    if path.parent.name == "shims":
        home = path.parent.parent
        name = home.name.removeprefix(".")
        return shutil.which(name) or str(home / "bin" / name)
    real = path.resolve()
    for link, manager in _LINKED.items():
        linked = real.with_name(link)
        if path.name != link and linked.exists() and linked.samefile(real):
            return manager
    return None
