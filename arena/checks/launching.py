"""Why a program's file does not start, told by the file itself."""

from __future__ import annotations

import os
from pathlib import Path

from arena.model.game_spec import PlayerSpec

_ELF = b"\x7fELF"


def launch_fix(spec: PlayerSpec) -> str | None:
    """What to change in the file the command names; None where nothing is seen to be wrong."""
    program = Path(spec.cwd or ".", spec.command[0])
    try:
        with program.open("rb") as file:
            line = file.readline(200)
    except OSError:
        return None
    name = program.name
    if not os.access(program, os.X_OK):
        return f"Make {name} executable: chmod +x {name}"
    if line.startswith(b"#!") and line.endswith(b"\r\n"):
        return (
            f"Save {name} with Unix line ends: its #! line ends in a carriage return, which the "
            f"system takes for a part of the interpreter's name (sed -i 's/\\r$//' {name})."
        )
    interpreter = Path(line[2:].split()[0].decode(errors="replace")) if line[2:].split() else None
    if line.startswith(b"#!") and interpreter is not None and not interpreter.exists():
        return f"Name an interpreter that is there in the #! line of {name}, not {interpreter}."
    if not line.startswith((b"#!", _ELF)):
        return (
            f"Begin {name} with the line of its interpreter, such as #!/usr/bin/env python3, "
            "or name the interpreter in `command`."
        )
    return None
