"""Sentences on faults of a player whose process or streams broke the contract, and fixes."""

import os
import signal

from arena.model.protocol import Termination, excerpt
from arena.model.record import STDERR_FOLLOWS, PlayerFault

_TOLD_FILES_BYTES = 2**20


def spoke_unasked(waiting: bytes) -> PlayerFault:
    """Output came before a request."""
    return PlayerFault(
        Termination.UNSOLICITED,
        f"The player wrote before it was asked: {excerpt(waiting)}. "
        f"Write to stdout only to answer a request; log to stderr.",
    )


def too_much_unasked(waiting: bytes) -> PlayerFault:
    """So much output came before a request that it may never have stopped."""
    return PlayerFault(
        Termination.FLOOD,
        f"The player wrote too much before it was asked: {excerpt(waiting)}. "
        f"Write one line for each request, and nothing else.",
    )


def did_not_read() -> PlayerFault:
    """The pipe to its stdin stayed full."""
    return PlayerFault(
        Termination.TIMEOUT,
        "The player did not read its stdin, so the request could not be written in time. "
        "Read every line the referee sends.",
    )


def late(buffer: bytearray) -> PlayerFault:
    """No newline came by the deadline; `buffer` did."""
    begun = f"only {excerpt(bytes(buffer))} without a newline"
    written = begun if buffer else "nothing"
    return PlayerFault(
        Termination.TIMEOUT, f"No complete reply by the deadline; the player had written {written}."
    )


def late_to_start(fault: PlayerFault, limit_ms: int) -> PlayerFault:
    """The same, of a late answer to `start`."""
    return PlayerFault(
        fault.termination, f"{fault.detail} It was to answer `start`, in startup_ms = {limit_ms}."
    )


def kept_from_answering(how: str) -> PlayerFault:
    """The host's fault: without what it took, the player's time is within the limit. The player's
    name is to go before it.
    """
    return PlayerFault(Termination.VOID, f"was late, and {how}")


def line_too_long(buffer: bytearray) -> PlayerFault:
    """No newline in more bytes than a line may have."""
    return PlayerFault(
        Termination.LINE_TOO_LONG,
        f"A line of more than 64 KiB, beginning {excerpt(bytes(buffer))}. "
        f"Keep a reply short; log to stderr.",
    )


def out_of_memory(used_bytes: int, limit_bytes: int, file_bytes: int) -> PlayerFault:
    """The process tree was killed for its memory, of which `file_bytes` were files in memory."""
    detail = (
        f"The player's processes used {used_bytes / 2**20:.0f} MB; "
        f"{limit_bytes / 2**20:.0f} MB are allowed (`resources.memory_mb`)."
    )
    if file_bytes >= _TOLD_FILES_BYTES:
        detail += (
            f" Files in /tmp and /dev/shm are kept in memory and count: "
            f"these and shared memory had {file_bytes / 2**20:.0f} MB."
        )
    return PlayerFault(Termination.OUT_OF_MEMORY, detail)


def closed_pipe(stream: str, termination: Termination) -> PlayerFault:
    """The process is alive and has closed `stream`."""
    return PlayerFault(
        termination,
        f"The player closed its {stream} while it was still running. "
        f"Keep stdin and stdout open until `quit`.",
    )


def exited(end: os.waitid_result | None, last_lines: str) -> PlayerFault:
    """The process is dead: how it ended; None when that is not known. Its death is seen later than
    it happened, so the sentence does not say whether it was asked.
    """
    if end is None:
        how = "ended"
    elif end.si_code == os.CLD_EXITED:
        how = f"exited with code {end.si_status}"
    else:
        try:
            how = f"was ended by {signal.Signals(end.si_status).name}"
        except ValueError:  # most real-time signals have only a number
            how = f"was ended by signal {end.si_status}"
    stderr = f"{STDERR_FOLLOWS}{last_lines}" if last_lines else " It wrote nothing to stderr."
    return PlayerFault(Termination.EXITED, f"The player {how} before `quit` was sent.{stderr}")
