"""Programs that cannot be started: the end of a game, and nothing left.

What is said of them in each mode is tried without a game in sandbox/test_container.py.
"""

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.model.containment import Guarantee
from arena.model.protocol import Termination
from tests.hostile.conftest import Table
from tests.hostile.test_matrix import MODES, TABLES

pytestmark = pytest.mark.slow


class UnrunnableProgram(NamedTuple):
    """A file, and what the referee should say of it."""

    says: str
    text: str | None = "#!/bin/sh\n"
    """None: there is none; empty: a folder."""
    mode: int = 0o755


PROGRAMS = {
    "missing": UnrunnableProgram("There is no program", None),
    "not_executable": UnrunnableProgram("executable (chmod +x)", mode=0o644),
    "no_interpreter": UnrunnableProgram(
        "The interpreter in the #! line of", "#!/no/such/interpreter\n"
    ),
    "unreadable_interpreter": UnrunnableProgram("may not be run", "#!{folder}/interpreter\n"),
    "no_program": UnrunnableProgram("is not a program for this machine", "\x7fnot a program\n"),
    "a_folder": UnrunnableProgram("may not be run", ""),
}
WHERE = {"not_executable": TABLES, "unreadable_interpreter": TABLES, "a_folder": MODES}
"""The tables where one is tried: root runs what others may not; the other kinds are alike."""


@pytest.mark.parametrize(
    ("mode", "kind"), [(mode, kind) for kind in PROGRAMS for mode in WHERE.get(kind, MODES[:1])]
)
def test_a_program_that_cannot_be_started(table: Table, kind: str, mark: str) -> None:
    program = PROGRAMS[kind]
    file = table.bots / kind
    interpreter = table.bots / "interpreter"
    interpreter.write_text("#!/bin/sh\n")
    interpreter.chmod(0)
    if program.text == "":
        file.mkdir()
    elif program.text is not None:
        file.write_text(program.text.format(folder=table.bots))
        file.chmod(program.mode)
    bad = table.player("none", mark, name=kind, command=(str(file), mark))
    played = table.play(table.player("none", mark), bad)
    record = played.record
    assert record.termination is Termination.START_FAILED, record.detail
    assert program.says in record.detail
    assert str(file) in record.detail
    assert (record.offender, record.points) == (1, (1.0, 0.0))
    table.prepare()
    table.after_case(mark, played)


@pytest.mark.parametrize("mode", MODES[:1])
def test_a_command_no_system_takes(table: Table, mark: str) -> None:
    bad = table.player("none", mark, command=("bot\0",))
    played = table.play(bad, table.player("none", mark))
    record = played.record
    assert (record.termination, record.offender) == (Termination.START_FAILED, 0), record.detail
    assert "NUL" in record.detail
    table.after_case(mark, played)


@pytest.mark.parametrize("mode", MODES)
def test_a_folder_to_start_in_that_does_not_exist(table: Table, mark: str) -> None:
    missing = Path("/no/such/folder")
    played = table.play(table.player("none", mark, cwd=str(missing)), table.player("none", mark))
    record = played.record
    assert (record.termination, record.offender) == (Termination.START_FAILED, 0), record.detail
    assert str(missing) in record.detail
    table.after_case(mark, played)


@pytest.mark.parametrize("mode", ("limits", "bwrap"))
def test_an_interpreter_that_only_the_referee_may_run(table: Table, mark: str) -> None:
    if table.held.by.get(Guarantee.UID) is None:
        pytest.skip("here players run as the referee's user, who may run it")
    script, interpreter = table.bots / "script", table.bots / "interpreter"
    shutil.copy("/bin/cat", interpreter)
    interpreter.chmod(0o700)
    script.write_text(f"#!{interpreter}\n")
    script.chmod(0o755)
    bad = table.player("none", mark, command=(str(script), mark))
    played = table.play(table.player("none", mark), bad)
    record = played.record
    assert (record.termination, record.offender) == (Termination.START_FAILED, 1), record.detail
    assert f"{interpreter} is closed to other users" in record.detail
    table.prepare()
    table.after_case(mark, played)
