"""Fuzzing: inputs near to good ones, for every reader of what others write.

    python -m tests.fuzz.search --seconds 600 [READER …]

A reader succeeds or raises an error that its documentation names, with a sentence; never another
exception. It takes at most CPU_S and MEMORY_MB. What breaks that is made small, and kept in a file:
fix the reader, and move the file into `tests/fuzz/cases/READER`.
"""

import argparse
import faulthandler
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random, SystemRandom
from types import FrameType

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.readers import READERS, Reader

CASES = Path(__file__).parent / "cases"
CPU_S, HANG_S, MEMORY_MB = 10, 60, 512
"""What one input may take; of memory, beyond what the process has."""
_SENTENCE_MOST = 20_000
_ROUND = 100
_SMALLER_S = 20
"""How long an input that breaks a promise is made smaller."""


class TookTooLong(Exception):
    """A reader that goes on and on."""


class _TimeIsOver(KeyboardInterrupt):
    """Hypothesis makes no further input after a KeyboardInterrupt."""


def check(reader: Reader, path: Path, data: bytes) -> str:
    """What came of an input: `read`, or the name of an error that is documented.

    Raises what is not, and AssertionError for an error without a fit sentence.
    """
    path.write_bytes(data)
    try:
        with _bounded():
            reader.read(path)
    except reader.refuses as error:
        # Subclasses as UnicodeDecodeError are no sentences of ours.
        if ValueError in reader.refuses and isinstance(error, UnicodeError):
            raise
        said = str(error)
        assert said.strip(), f"{type(error).__name__} without a sentence"
        assert len(said) <= _SENTENCE_MOST, f"{len(said)} characters: {said[:200]}"
        assert "Traceback" not in said, said
        return type(error).__name__
    return "read"


@contextmanager
def _bounded() -> Iterator[None]:
    """Within CPU_S, HANG_S and MEMORY_MB."""

    def too_long(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"more than {CPU_S} s of a CPU, or {HANG_S} s")

    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY_MB * 2**20
    timers = {signal.ITIMER_PROF: CPU_S, signal.ITIMER_REAL: HANG_S}
    handlers = {each: signal.signal(each, too_long) for each in (signal.SIGPROF, signal.SIGALRM)}
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    for timer, seconds in timers.items():
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for timer in timers:
            signal.setitimer(timer, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def search(
    reader: Reader, seconds: float, folder: Path, random: Random | None = None
) -> Counter[str]:
    """Try inputs for that long: how often what came of them. Raises what breaks a promise; the
    smallest such input is in a file that a note names. Without `random` the inputs are others each
    time.
    """
    random = random or SystemRandom()
    came: Counter[str] = Counter()
    path, found = reader.prepare(folder), Path(tempfile.gettempdir(), f"fuzz-{reader.name}")
    until = time.monotonic() + seconds
    failing: set[bytes] = set()

    def one(data: bytes) -> None:
        late = time.monotonic() > until + (_SMALLER_S if failing else 0)
        if late and not failing:
            raise _TimeIsOver
        if late and data not in failing:
            return
        try:
            came[check(reader, path, data)] += 1
        except Exception:
            failing.add(data)
            found.write_bytes(data)
            raise

    warnings.simplefilter("ignore", hypothesis.errors.HypothesisWarning)  # of long inputs
    while time.monotonic() < until:
        inputs = hypothesis.seed(random.randrange(2**32))(given(reader.inputs())(one))
        quiet = settings(
            max_examples=_ROUND, deadline=None, database=None, report_multiple_bugs=False,
            phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        try:
            quiet(inputs)()
        except _TimeIsOver:
            break
        except Exception as error:
            error.add_note(f"the input is in {found}; once fixed, move it to {CASES / reader.name}")
            raise
    return came


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tests.fuzz.search")
    parser.add_argument("--seconds", type=float, default=600, help="in all")
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    given_ = parser.parse_args()
    names = given_.readers or list(READERS)
    broken = 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            try:
                came = search(READERS[name], given_.seconds / len(names), Path(folder))
            except Exception as error:
                broken += 1
                where = "".join(traceback.format_tb(error.__traceback__, limit=-4))
                told = f"{type(error).__name__}: {str(error)[:500]}\n{error.__notes__[-1]}"
                sys.stdout.write(f"{name}: broken\n{where}{told}\n")
                continue
        told = ", ".join(f"{count} {what}" for what, count in came.most_common())
        sys.stdout.write(f"{name}: {came.total()} inputs: {told}\n")
        sys.stdout.flush()
    sys.exit(broken > 0)


if __name__ == "__main__":
    faulthandler.enable()
    main()
