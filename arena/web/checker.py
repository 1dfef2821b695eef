"""The process of one check: `python -m arena.web.checker FOLDER`, with a folder of
`arena.web.checks`. It outlives the server, and gives way to games.
"""

import os
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from arena.checks.events import Event, Refused
from arena.entering.enter import enter
from arena.errors import ArenaError, ConfigError
from arena.files.lock import acquire, release
from arena.web.checks import HandedIn
from arena.web.jobs import EVENTS, about_of, mistake_of_staff
from arena.web.sentences import without_folders

_NICE = 10


def main(folder: Path) -> None:
    """Check what was handed in, and write each event as it happens."""
    os.nice(_NICE)
    held = acquire(folder / EVENTS)
    try:
        with (folder / EVENTS).open("a", encoding="utf-8", buffering=1) as file:

            def tell(event: Event) -> None:
                file.write(event.model_dump_json() + "\n")

            tell(_outcome(folder, tell))
    finally:
        shutil.rmtree(folder / "upload", ignore_errors=True)
        release(folder / EVENTS, held)


def _outcome(folder: Path, tell: Callable[[Event], None]) -> Event:
    course = folder.parents[3]
    os.chdir(folder / "upload")  # sentences name the file as its owner does
    try:
        about = about_of(folder, HandedIn)
        return enter(Path(about.file), course, about.owner, tell)
    except ConfigError as error:  # the bot has no such file
        return mistake_of_staff(error)
    except ArenaError as error:
        return Refused(sentence=without_folders(str(error), folder / "upload", course))
    except Exception:
        traceback.print_exc()
        return Refused(sentence="The machine failed, and nothing was changed; tell the staff.")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
