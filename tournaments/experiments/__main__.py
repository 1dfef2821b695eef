"""The experiments of this folder, see `commands`. Ctrl-C while they load is no traceback."""

from collections.abc import Callable

from arena.__main__ import interruptible


def _load() -> Callable[[], None]:
    from tournaments.experiments.commands import main

    return main


if __name__ == "__main__":
    interruptible(_load)
