"""The command `arena`, also as `python -m arena`."""

import atexit
import gc
import os
import sys

from arena import found_instead

TYPE_CHECKING = False  # as in the package's own file
if TYPE_CHECKING:
    from collections.abc import Callable

_INTERRUPTED = 130
"""As in `arena.errors`, which takes its time to load."""


def main() -> None:
    """Run a command of the arena."""
    if not os.path.isfile(__file__):  # noqa: PTH113  # pathlib takes long
        sys.stderr.write(
            f"{__file__} is inside an archive, and players are programs that are started from "
            "files: install the wheel instead.\n"
        )
        sys.exit(2)

    def load() -> "Callable[[], object]":
        if hider := found_instead("rules"):
            sys.stderr.write(f"{hider}\n")
            sys.exit(2)
        if hider := found_instead("players"):  # not needed by all commands
            sys.meta_path.insert(0, _Refusal("players", hider))
        from arena.cli import app

        return lambda: app(prog_name="arena")

    interruptible(load)


class _Refusal:
    """Refuses to import a room that a file hides, before that file is run."""

    def __init__(self, room: str, hider: str) -> None:
        self._room, self._hider = room, hider

    def find_spec(self, name: str, *_: object) -> None:
        """What Python asks of a finder of modules."""
        if name == self._room:
            from arena.errors import UserError

            raise UserError(self._hider)


def interruptible(load: "Callable[[], Callable[[], object]]") -> None:
    """Run the program that `load` imports. Ctrl-C has the same message while it loads or ends."""
    # Equations are small here, and threads of OpenBLAS wait busily, next to players that are timed.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # To find plugins pydantic looks through all packages that are installed; no command has any.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Most of what is made while a command is imported stays: looking through it for garbage, then
    # and at the end, took a sixth of the time of a short command.
    gc.set_threshold(100_000, 50, 50)
    atexit.register(gc.freeze)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by `>&-`
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115  # pathlib takes long
    try:
        import signal

        # A parent may ignore it, and how players and compilers ended could not be known.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # All end it alike: temporary files and players are removed on the way out.
        ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        untaken = (signal.SIG_DFL, signal.default_int_handler)
        heeded = [number for number in ends if signal.getsignal(number) in untaken]
        # At once: what is raised inside an import may come out as another error.
        for number in heeded:
            signal.signal(number, _leave)
        if signal.SIGINT in heeded:
            # `arena serve` holds it back while the interpreter starts.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        program = load()
        if heeded:
            sys.unraisablehook = lambda error: _raise_again(error, heeded[0])
        for number in heeded:
            signal.signal(number, signal.default_int_handler)
        try:
            program()
        finally:  # the interpreter may not be interrupted while it waits for threads
            for number in heeded:
                signal.signal(number, _leave)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(_INTERRUPTED)


def _raise_again(error: "sys.UnraisableHookArgs", number: int) -> None:
    """Raise Ctrl-C once more that came where Python drops errors, as in a callback of an import: by
    the signal `number`, as SIGINT may be ignored.
    """
    if error.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(error)
        return
    from signal import pthread_kill
    from threading import Timer, main_thread

    # Later: here it would be dropped again. A true signal: `interrupt_main` ends no wait.
    Timer(0.01, pthread_kill, [main_thread().ident, number]).start()


def _leave(*_: object) -> None:
    try:
        os.write(sys.stderr.fileno(), b"Interrupted.\n")
    finally:  # SIGHUP comes of a terminal that was closed
        os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
