"""Long work apart from the main thread, which Ctrl-C then reaches at once."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

Result = TypeVar("Result")


def apart(work: Callable[[], Result]) -> Result:
    """What `work` returns or raises. On Ctrl-C the thread is abandoned: a kernel returns when it is
    done, and the thread does not keep the process alive.
    """
    result: Future[Result] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    while not result.done():
        wait([result], 0.1)
    return result.result()
