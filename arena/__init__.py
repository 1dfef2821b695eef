"""A tournament server for board-game bots.

In Python it offers `load_run`, `run`, `play`, `rate`, `rate_report` and `board` of `arena.api`, and
`env` and `save_bot` of `arena.environments`, loaded when they are used.
"""

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than Ctrl-C at the start may
if TYPE_CHECKING:
    from arena.api import Run, board, env, load_run, play, rate, rate_report, run, save_bot

__all__ = ["Run", "board", "env", "load_run", "play", "rate", "rate_report", "run", "save_bot"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if hider := found_instead("rules"):
        raise ImportError(hider)
    import random

    drawn = random.getstate()
    from arena import api

    random.setstate(drawn)  # rich draws a number when it is loaded; a notebook has set its seed
    globals()[name] = found = getattr(api, name)  # not asked again: other threads may draw then
    return found


def found_instead(room: str) -> str | None:
    """Which file hides a room next to this one from Python, and what to do; None: none does."""
    from importlib.util import find_spec
    from os.path import realpath  # a folder may be on the path by two names

    above = __path__[0].removesuffix("arena")
    found = find_spec(room)
    file = found.origin if found else None
    if file and realpath(file.rpartition("/")[0]) != realpath(f"{above}{room}"):
        return (
            f"{file} hides the arena's own {room!r}: rename it, or keep its folder off "
            "Python's path (PYTHONPATH, the folder of a script, that of `python -m arena`)."
        )
    return None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
