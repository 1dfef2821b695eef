"""Where and with what games are played."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

from arena.model.record import Host


@cache
def this_host() -> Host:
    """The machine this process runs on."""
    return Host(
        name=platform.node(),
        system=platform.platform(),
        cpu=_cpu_model(),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        arena=version("bot-arena"),
    )


def _cpu_model() -> str:
    """As Linux names it; the architecture where it does not."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
