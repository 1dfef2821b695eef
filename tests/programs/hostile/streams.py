"""Wrong streams: too little, too much, too slowly, or closed."""

from __future__ import annotations

import fcntl
import os
import sys
import time

from speech import Request, hang, move, named, say


def never_reads() -> None:
    hang()


def stderr_flood_at_start() -> None:
    os.write(2, b"e" * 2_000_000)


def partial_then_exit(request: Request) -> None:
    say(move(request)[:12])
    sys.exit(1)


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


def nonblocking_hang(request: Request) -> None:
    fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) | os.O_NONBLOCK)
    hang()


def closes_stdin(request: Request) -> None:
    os.close(0)
    say(move(request))
    hang()


def closes_stdout(request: Request) -> None:
    os.close(1)
    hang()


def closes_stderr(request: Request) -> None:
    if request["ply"] < 2:
        os.close(2)
    say(move(request))


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


def stderr_flood(request: Request) -> None:
    os.write(2, b"head" if request["ply"] < 2 else b"")
    for _ in range(16):
        os.write(2, b"e" * 65_536)
    os.write(2, b"tail")
    say(move(request))


LAUNCH = named(never_reads, stderr_flood_at_start)
TURN = named(
    partial_then_exit, partial_then_hang, slow_drip, blank_drip, nonblocking_hang, closes_stdin,
    closes_stdout, closes_stderr, endless_line, endless_lines, endless_blank_lines, stderr_flood,
)  # fmt: skip
