"""The events of a run, written and read while it is played."""

from pathlib import Path

from arena.tournament.events import EVENT, EventReader, Noted


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
