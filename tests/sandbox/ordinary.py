"""Running code as a user who is not root, also where root runs the tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox import mounts
from arena.sandbox.mounts import Mounts
from arena.sandbox.visible_files import VisibleFiles

_NOBODY = 65534
_REPOSITORY = Path(__file__).resolve().parents[2]


def run_as_ordinary_user(code: str, folder: Path, *arguments: str) -> str:
    """What `code` prints, run by this interpreter with the repository's packages.

    Its home is `folder`, which it may write. Root becomes nobody, and is shown the interpreter
    where that is in a closed folder.
    """
    environment = {**os.environ, "PYTHONPATH": str(_REPOSITORY), "HOME": str(folder)}
    enter = None
    if os.geteuid() == 0:
        if not mounts.mounts_possible():
            pytest.skip("this root can make no mounts, to show another user the interpreter")
        folder.chmod(0o777)
        readable = (sys.base_prefix, sys.prefix, str(_REPOSITORY))
        shown = Mounts.of(VisibleFiles(readable, (str(folder),), ()), None)

        def enter() -> None:
            shown.enter()
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)

    done = subprocess.run(
        (sys.executable, "-W", "error", "-c", code, *arguments),
        cwd="/", env=environment, preexec_fn=enter, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
