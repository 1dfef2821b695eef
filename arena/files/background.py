"""Long work apart from the main thread, which Ctrl-C then reaches at once."""

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def apart(work: Callable[[], Result]) -> Result:
    """What `work` returns or raises. On Ctrl-C the thread is abandoned: a kernel returns when it is
    done, and the thread does not keep the process alive.
    """
    done: list[Result] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if failed:
        raise failed[0]
    return done[0]
