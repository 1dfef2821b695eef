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
    import random

    drawn = random.getstate()
    from arena import api

    random.setstate(drawn)  # rich draws a number when it is loaded; a notebook has set its seed
    globals()[name] = found = getattr(api, name)  # not asked again: other threads may draw then
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
