"""Too much of everything: memory, processes, threads, files.

Bounded here too, so that a sandbox that fails costs a test and not the machine.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from speech import MARK, OPTIONS, Request, hang, move, named, outcome, say


def hog(megabytes: int) -> None:
    kept = []
    for _ in range(megabytes):
        kept.append(b"m" * 2**20)
        time.sleep(0.001)
    hang()


def memory_hog(request: Request) -> None:
    hog(300)


def memory_hog_in_forks(request: Request) -> None:
    """None of the eight is too large by itself."""
    for _ in range(8):
        if os.fork() == 0:
            hog(40)
    hang()


def hogs_between_turns(request: Request) -> None:
    """Large while the opponent thinks, small again when it is asked."""
    say(move(request))
    kept = [b"m" * 2**20 for _ in range(200)]
    time.sleep(0.15)
    kept.clear()


def fork_bomb() -> dict[str, str]:
    """Every process forks as often as it can; `budget` tokens bound them all together."""
    tokens, more = os.pipe()
    births, born = os.pipe()
    os.set_blocking(tokens, False)
    os.write(more, b"t" * OPTIONS["budget"])
    os.write(born, b"b")
    first = os.getpid()
    with suppress(OSError):  # no tokens, or the system refuses
        while os.read(tokens, 1):
            if os.fork() == 0:
                os.write(born, b"b")
    if os.getpid() != first:
        hang()
    time.sleep(0.3)
    return {"processes": str(len(os.read(births, 65_536)))}


def thread_bomb() -> dict[str, str]:
    threading.stack_size(65_536)
    threads = 1
    with suppress(RuntimeError):  # the system refuses
        for _ in range(OPTIONS["budget"]):
            threading.Thread(target=hang, daemon=True).start()
            threads += 1
    return {"threads": str(threads)}


def _written_mb(path: Path, most_mb: int) -> int:
    """How many megabytes a new file takes; it is left there."""
    written = 0
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while written < most_mb * 2**20:
            written += file.write(b"\0" * 2**18)
    return written // 2**20


def huge_file() -> dict[str, str]:
    path = Path(tempfile.gettempdir()) / f"{MARK}-huge"
    return {"mb": str(_written_mb(path, OPTIONS["most_mb"]))}


def many_files() -> dict[str, str]:
    folder = Path(tempfile.gettempdir())
    made = 0
    with suppress(OSError):
        for _ in range(3000):
            (folder / f"{MARK}-{made}").touch()
            made += 1
    return {"files": str(made)}


def fills_shared_folders() -> dict[str, str]:
    """One file after the other wherever everybody may write."""
    told = {}
    for name in ("/tmp", "/dev/shm", "/var/tmp", "/run/lock", "/dev/mqueue", "HOME"):
        folder = Path(os.environ.get(name, name))
        refused = outcome((folder / f"{MARK}-0").touch)
        sizes = [_written_mb(folder / f"{MARK}-{n}", OPTIONS["most_mb"] // 4) for n in range(4)]
        told[name] = refused if refused.startswith("!") else str(sum(sizes))
    return told


TURN = named(memory_hog, memory_hog_in_forks, hogs_between_turns)
ACTS = named(fork_bomb, thread_bomb, huge_file, many_files, fills_shared_folders)
