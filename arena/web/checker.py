"""The process of one check: `python -m arena.web.checker FOLDER`, with a folder of
`arena.web.checks`. It outlives the server, and gives way to games.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

from arena.bots.course_file import rules_to_serve
from arena.checks.events import Refused
from arena.entering.enter import enter
from arena.errors import ConfigError, SandboxError, SubmissionError
from arena.web.checks import TOO_OFTEN, HandedIn
from arena.web.jobs import UPLOAD, about_of, mistake_of_staff, put_aside, working

_NICE = 10
_FAILED = "The machine failed, and nothing was changed; tell the staff."


def main(folder: Path) -> None:
    os.nice(_NICE)
    upload, course = folder / UPLOAD, folder.parents[3]
    with working(folder, upload, course, failed=_FAILED) as write:
        try:
            os.chdir(upload)  # sentences name the file as its owner does
            about = about_of(folder, HandedIn)
            rules_to_serve(course)  # else by other rules than the pages show
            entered = enter(
                Path(about.file),
                course,
                about.owner,
                write,
                sent_at=about.sent_at,
                returning=lambda: None if about.returns else _refuse_return(),
                accepting=_cancel_no_more,
            )
            write(entered)
            if entered.version:
                shutil.rmtree(upload, ignore_errors=True)
        except ConfigError as error:  # the bot has no such file
            write(mistake_of_staff(error))
        except SandboxError as error:  # nor a choice of sandboxes
            sys.stderr.write(f"{error}\n")
            write(Refused(sentence=_FAILED))
        finally:
            put_aside(folder)


def _refuse_return() -> None:
    raise SubmissionError(
        f"This version was accepted before, and may not play again now: {TOO_OFTEN}. Submit it "
        "again in ten minutes."
    )


def _leave(*_: object) -> None:
    _cancel_no_more()
    sys.exit()


def _cancel_no_more() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _leave)  # it is cancelled; players are ended on the way out
    main(Path(sys.argv[1]).absolute())
