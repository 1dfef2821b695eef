"""The process of matches of a server under test: no sandbox."""

import sys
from pathlib import Path
from typing import Any

from arena.web import challenger

make_config = challenger.make_config


def quick(players: Any, tables: Any, command: str) -> Any:
    tables["tournament"]["sandbox"] = "none"
    return make_config(players, tables | {"openings": {"plies": 0}}, command)


if __name__ == "__main__":
    challenger.make_config = quick
    challenger.main(Path(sys.argv[1]))
