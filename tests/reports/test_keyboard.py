"""Keys from a real terminal, a pseudo one."""

import os
import pty
import termios

import pytest

from arena.reports import replay


def test_keys_come_at_once_and_the_terminal_is_put_back() -> None:
    ours, theirs = pty.openpty()
    try:
        before = termios.tcgetattr(theirs)
        with pytest.raises(KeyboardInterrupt), replay.keys(theirs) as read_key:
            seen = []
            for pressed in (b" ", b"\x1b[D", b"G", b"q"):
                os.write(ours, pressed)
                seen.append(read_key())
            assert seen == ["next", "back", "end", "quit"]
            assert not termios.tcgetattr(theirs)[3] & (termios.ECHO | termios.ICANON)
            raise KeyboardInterrupt
        assert termios.tcgetattr(theirs) == before
    finally:
        os.close(ours)
        os.close(theirs)
