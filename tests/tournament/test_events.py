"""The events of a run, written and read while it is played."""

import io
from pathlib import Path
from typing import Any

from arena.tournament.events import EVENT, EventReader, Noted, append_event


def lines(*texts: str) -> bytes:
    """Events that say this, as a file has them."""
    return b"".join(EVENT.dump_json(Noted(text=text)) + b"\n" for text in texts)


def said(reader: EventReader) -> list[str]:
    """What the new events say."""
    return [event.text for event in reader.read() if isinstance(event, Noted)]


def test_a_new_run_is_read_from_its_beginning_in_the_inode_of_an_old_one(tmp_path: Path) -> None:
    path = tmp_path / "cup.events.jsonl"
    reader = EventReader(path)
    assert said(reader) == []
    path.write_bytes(lines("one", "two") + b"{")
    assert said(reader) == ["one", "two"]
    with path.open("r+b") as file:
        file.write(lines("three", "four", "five"))
    assert said(reader) == ["three", "four", "five"]
    assert said(reader) == []


class Filling(io.BytesIO):
    """A file on a disk that fills, and has room again."""

    def write(self, data: Any) -> int:
        """A part is written without an error."""
        return super().write(data[:10])


def test_an_event_is_written_whole_or_is_an_error() -> None:
    file = Filling()
    event = Noted(text="not cut off")
    append_event(file, event)
    assert file.getvalue() == EVENT.dump_json(event) + b"\n"
