"""Running code as a user who is not root, also where root runs the tests."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.sandbox import mounts
from arena.sandbox.mounts import Mounts
from arena.sandbox.visible_files import VisibleFiles

_NOBODY = 65534
_REPOSITORY = Path(__file__).resolve().parents[2]


def becoming(uid: int, folder: Path) -> Callable[[], None]:
    """What makes a child of root that user, who reads the interpreter and writes `folder`."""
    readable = (sys.base_prefix, sys.prefix, str(_REPOSITORY))
    shown = Mounts.of(VisibleFiles(readable, (str(folder),), ()), None)

    def enter() -> None:
        shown.enter()
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)

    return enter


def run_as_ordinary_user(code: str, folder: Path, *arguments: str) -> str:
    """What `code` prints, run by this interpreter with the repository's packages.

    Its home is `folder`, which it may write. Root becomes nobody, and is shown the interpreter
    where that is in a closed folder.
    """
    environment = {**os.environ, "PYTHONPATH": str(_REPOSITORY), "HOME": str(folder)}
    enter: Callable[[], None] | None = None
    if os.geteuid() == 0:
        if not mounts.mounts_possible():
            pytest.skip("this root can make no mounts, to show another user the interpreter")
        folder.chmod(0o777)
        enter = becoming(_NOBODY, folder)

    done = subprocess.run(
        (sys.executable, "-W", "error", "-c", code, *arguments),
        cwd="/", env=environment, preexec_fn=enter, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
