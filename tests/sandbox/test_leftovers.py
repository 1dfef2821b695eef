"""What dead referees left: their players' folders go, others stay."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.errors import SandboxError
from arena.sandbox import leftovers


@pytest.fixture(autouse=True)
def own_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def dead() -> int:
    """The pid of a process that was, and is no more."""
    process = subprocess.Popen((sys.executable, "-I", "-S", "-c", ""))
    process.wait()
    return process.pid


def test_the_dead_ones_folders_go(tmp_path: Path) -> None:
    ours = leftovers.private_folder()
    gone = tmp_path / f"arena-{dead()}-abc"
    gone.mkdir()
    (gone / "file").write_text("text")
    for name in ("arena", "arena-x-1", f"arenas-{dead()}-1"):
        (tmp_path / name).mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / f"arena-{dead()}-link").symlink_to(outside)
    leftovers.sweep()
    assert not gone.exists()
    assert Path(ours).is_dir()
    assert outside.is_dir()
    assert len(list(tmp_path.iterdir())) == 6  # the link, too, was none of a referee's


def test_where_no_temporary_folder_can_be_written_the_remedy_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/proc"])
    for act in (leftovers.sweep, leftovers.private_folder):
        with pytest.raises(SandboxError, match="name one in TMPDIR"):
            act()


def test_whatever_lies_there_is_removed(tmp_path: Path) -> None:
    folder = Path(leftovers.private_folder())
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("text")
    (folder / "link").symlink_to(outside)
    (folder / "dangling").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    (folder / "closed" / "inner").mkdir(parents=True)
    (folder / "closed" / "inner" / "file").write_text("")
    (folder / "closed" / "inner").chmod(0)
    (folder / "closed").chmod(0)
    here = os.open(folder, os.O_RDONLY)
    name = "down" * 20
    for _ in range(60):  # deeper than any path the system takes
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    leftovers.remove(str(folder))
    assert not folder.exists()
    assert (outside / "kept").read_text() == "text"
