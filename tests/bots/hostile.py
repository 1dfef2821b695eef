"""A correct minimal bot that answers with the first legal move, and every way to break it.

`hostile.py FAULT [MARK]`: the fault is one of the names below, or `none`. The mark is only there
to be found in a list of processes. Standard library only.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

HANG_S = 60
Request = dict


def say(data: bytes) -> None:
    """Write all of it at once; a referee that kills us meanwhile is no news."""
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def hang() -> None:
    time.sleep(HANG_S)


def line(**fields: object) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def move(request: Request, **more: object) -> bytes:
    return line(**{"type": "move", "ply": request["ply"], "move": request["legal"][0], **more})


def move_and(rest: bytes) -> Callable[[Request], bytes]:
    return lambda request: move(request) + rest


# What is said instead of `ready`

READY = {
    "banner": b"Welcome to SuperBot 3000\n",
    "ready_1_mb_name": line(type="ready", name="n" * 2**20),
    "ready_ansi": line(type="ready", name="\x1b[2Jowned"),
    "ready_rtl": line(type="ready", name="\u202eevil"),
    "ready_surrogate": b'{"type":"ready","name":"\\ud800"}\n',
    "ready_wrong_kind": line(type="move", ply=0, move="a1b1"),
    "ready_array": b'["ready"]\n',
    "ready_number_name": line(type="ready", name=7),
    "ready_path": line(type="ready", name="../../etc/passwd", author="/root"),
    "ready_umlaut": '{"type":"ready","name":"Köter 🐕"}\n'.encode(),
    "ready_unknown_field": line(type="ready", mood={"today": ["good"]}),
    "ready_twice": line(type="ready") * 2,
}

# What is said instead of `move`

MOVE: dict[str, Callable[[Request], bytes]] = {
    "bad_utf8": lambda r: b'{"type":"move","move":"\xff\xfe"}\n',
    "utf16": lambda r: move(r).decode().encode("utf-16"),
    "utf16_no_bom": lambda r: move(r).decode().encode("utf-16-le"),
    "bom": lambda r: b"\xef\xbb\xbf" + move(r),
    "nul": lambda r: b"\0" + move(r),
    "repr": lambda r: repr(json.loads(move(r))).encode() + b"\n",
    "nan": lambda r: move(r, info={"score": float("nan")}),
    "infinity": lambda r: move(r, info={"score": float("-inf")}),
    "overflow": lambda r: move(r)[:-2] + b',"info":{"score":1e999}}\n',
    "digits_60k": lambda r: move(r)[:-2] + b',"info":{"nodes":' + b"9" * 60_000 + b"}}\n",
    "duplicate_key": lambda r: move(r)[:-2] + b',"ply":0}\n',
    "deep_30k": lambda r: b"[" * 30_000 + b"]" * 30_000 + b"\n",
    "deep_100k": lambda r: b"[" * 100_000 + b"]" * 100_000 + b"\n",
    "debug_print": lambda r: b"thinking about it\n" + move(r),
    "trailing_text": lambda r: move(r)[:-1] + b" // best\n",
    "array": lambda r: json.dumps(["move", r["ply"], r["legal"][0]]).encode() + b"\n",
    "missing_move": lambda r: line(type="move", ply=r["ply"]),
    "missing_ply": lambda r: line(type="move", move=r["legal"][0]),
    "move_is_number": lambda r: move(r, move=12),
    "wrong_kind": lambda r: line(type="ready"),
    "unknown_kind": lambda r: move(r, type="resign"),
    "surrogate": lambda r: move(r, info={"text": "\udc80"}),
    "ply_string": lambda r: move(r, ply=str(r["ply"])),
    "ply_float": lambda r: move(r, ply=float(r["ply"])),
    "info_text_control": lambda r: move(r, info={"text": "a\tb"}),
    "stale_ply": lambda r: move(r, ply=r["ply"] - 1),
    "boolean_ply": lambda r: move(r, ply=bool(r["ply"])),
    "illegal": lambda r: move(r, move="z9z8"),
    "illegal_case": lambda r: move(r, move=r["legal"][0].upper()),
    "illegal_ansi_like": lambda r: move(r, move="«" * 500),
    "line_70_kb": lambda r: move(r, info={"text": "x" * 70_000}),
    "blank_flood": lambda r: b"\n" * 5000,
    "answers_twice": lambda r: move(r) * 2,
    "answers_early": lambda r: move(r) + move(r, ply=r["ply"] + 2),
    "line_flood": move_and(line(type="info", text="depth 1") * 10_000),
    # all of these are right
    "info_60_kb": lambda r: move(r, info={"text": "x" * 60_000}),
    "info_whole": lambda r: move(
        r, info={"score": 2, "depth": 3, "nodes": 10**18, "pv": ["a", "b"], "text": "né", "x": [1]}
    ),
    "crlf": lambda r: move(r)[:-1] + b"\r\n",
    "blank_lines": lambda r: b"\n\r\n" + move(r) + b"\n",
    "blank_lines_100": lambda r: b"\n" * 100 + move(r),
    "spaced": lambda r: (
        b"  " + json.dumps(json.loads(move(r)), indent=1).encode().replace(b"\n", b"\t") + b"  \n"
    ),
}


# What is done at the start of the process, and when a move is asked


def exits_at_start() -> None:
    sys.exit(0)


def traceback_at_start() -> None:
    raise ImportError("no module named \x1b[31mbrain")


def hang_at_start() -> None:
    hang()


def slow_start() -> None:
    time.sleep(0.5)


def speaks_first() -> None:
    say(line(type="ready"))


def stderr_flood_at_start() -> None:
    os.write(2, b"e" * 2_000_000)


def exit_0(request: Request) -> None:
    sys.exit(0)


def exit_3(request: Request) -> None:
    sys.stderr.write("giving up\n")
    sys.exit(3)


def segfault(request: Request) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def realtime_signal(request: Request) -> None:
    os.kill(os.getpid(), 40)


def traceback(request: Request) -> None:
    raise KeyError("best move")


def leaves_after_answering(request: Request) -> None:
    say(move(request))
    sys.exit(0)


def partial_then_exit(request: Request) -> None:
    say(move(request)[:12])
    sys.exit(1)


def parent_leaves(request: Request) -> None:
    """The process ends; a child of its keeps the pipes and could answer."""
    if os.fork() == 0:
        hang()
    os._exit(5)


def hangs(request: Request) -> None:
    hang()


def partial_then_hang(request: Request) -> None:
    say(move(request)[:-1])
    hang()


def slow_drip(request: Request) -> None:
    for byte in move(request)[:-1]:
        say(bytes([byte]))
        time.sleep(0.02)
    hang()


def blank_drip(request: Request) -> None:
    while True:
        say(b"\n")
        time.sleep(0.02)


def spins(request: Request) -> None:
    while True:
        pass


def stops_itself(request: Request) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def late(request: Request) -> None:
    time.sleep(request["time_ms"] / 1000 + 0.25)
    say(move(request))


def nonblocking_hang(request: Request) -> None:
    fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) | os.O_NONBLOCK)
    hang()


def never_reads() -> None:
    hang()


def closes_stdin(request: Request) -> None:
    os.close(0)
    say(move(request))
    hang()


def closes_stdout(request: Request) -> None:
    os.close(1)
    hang()


def endless_line(request: Request) -> None:
    while True:
        say(b"x" * 65_536)


def endless_lines(request: Request) -> None:
    say(move(request) + b"info depth 1\n" * 10_000)
    while True:
        say(b"info depth 1\n" * 1000)


def endless_blank_lines(request: Request) -> None:
    while True:
        say(b"\n" * 1000)


def hog(megabytes: int) -> None:
    kept = []
    for _ in range(megabytes):
        kept.append(b"m" * 2**20)
        time.sleep(0.001)
    hang()


def memory_hog(request: Request) -> None:
    hog(300)


def memory_hog_in_forks(request: Request) -> None:
    for _ in range(4):
        if os.fork() == 0:
            hog(60)
    hang()


def hogs_between_turns(request: Request) -> None:
    """Large while the opponent thinks, small again when it is asked."""
    say(move(request))
    kept = [b"m" * 2**20 for _ in range(200)]
    time.sleep(0.15)
    kept.clear()


def nearly_late(request: Request) -> None:
    if request["ply"] < 2:
        time.sleep(request["time_ms"] / 1000 - 0.05)
    say(move(request))


def stderr_flood(request: Request) -> None:
    os.write(2, b"head" if request["ply"] < 2 else b"")
    for _ in range(16):
        os.write(2, b"e" * 65_536)
    os.write(2, b"tail")
    say(move(request))


def closes_stderr(request: Request) -> None:
    if request["ply"] < 2:
        os.close(2)
    say(move(request))


def ignores_quit(request: Request) -> None:
    """Neither a signal nor the end of its input ends it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    say(move(request))


def talks_after_end(request: Request) -> None:
    say(move(request))


def grandchild_keeps_pipe(request: Request) -> None:
    if request["ply"] < 2 and os.fork() == 0:
        hang()
    say(move(request))


def daemon(request: Request) -> None:
    if request["ply"] < 2:
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                hang()
            os._exit(0)
        os.waitpid(child, 0)
    say(move(request))


def subprocess_helper(request: Request) -> None:
    """A helper in a session of its own that is not waited for."""
    if request["ply"] < 2:
        code = f"import time; time.sleep({HANG_S})"
        subprocess.Popen([sys.executable, "-S", "-c", code, *sys.argv[1:]], start_new_session=True)
    say(move(request))


LAUNCH = {
    f.__name__: f
    for f in (exits_at_start, traceback_at_start, hang_at_start, slow_start, speaks_first,
              stderr_flood_at_start, never_reads)
}  # fmt: skip
TURN = {
    f.__name__: f
    for f in (exit_0, exit_3, segfault, realtime_signal, traceback, leaves_after_answering,
              partial_then_exit, parent_leaves, hangs, partial_then_hang, slow_drip, blank_drip,
              spins, stops_itself, late, nonblocking_hang, closes_stdin, closes_stdout,
              endless_line, endless_lines, endless_blank_lines, memory_hog, memory_hog_in_forks,
              hogs_between_turns, nearly_late, stderr_flood, closes_stderr, ignores_quit,
              talks_after_end, grandchild_keeps_pipe, daemon, subprocess_helper)
}  # fmt: skip


def main(fault: str) -> None:
    if fault not in {"none", *READY, *MOVE, *LAUNCH, *TURN}:
        sys.exit(f"no fault {fault!r}")
    if fault in LAUNCH:
        LAUNCH[fault]()
    for request in map(json.loads, sys.stdin.buffer):
        if request["type"] == "start":
            say(READY.get(fault, line(type="ready", name="hostile")))
        elif request["type"] == "turn" and fault in TURN:
            TURN[fault](request)
        elif request["type"] == "turn":
            say(MOVE.get(fault, move)(request))
        elif request["type"] == "end" and fault == "talks_after_end":
            say(b"good game\n")
        elif request["type"] == "quit" and fault != "ignores_quit":
            return
    if fault == "ignores_quit":
        hang()


if __name__ == "__main__":
    main(sys.argv[1])
