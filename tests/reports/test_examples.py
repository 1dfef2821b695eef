"""`arena examples`: the tournament files that are included."""

import errno
from pathlib import Path

import pytest

from arena.reports import examples
from tests.command import arena

ROOT = Path(__file__).parents[2] / "tournaments"


def run(*arguments: str) -> tuple[int, str]:
    result = arena("examples", *arguments)
    return result.exit_code, result.output


def test_every_file_is_listed_with_what_it_is() -> None:
    code, shown = run()
    assert code == 0
    assert set(examples.listed()) == {
        str(file.relative_to(ROOT))
        for suffix in ("toml", "txt", "py")
        for file in ROOT.rglob(f"*.{suffix}")
    }
    assert all(examples.listed().values()), "each begins with a comment"
    assert "first.toml" in shown


def test_all_are_copied(tmp_path: Path) -> None:
    copy = tmp_path / "mine"
    code, shown = run(str(copy))
    assert code == 0
    assert f"arena run {copy}/first.toml" in shown
    assert (copy / "first.toml").read_text() == (ROOT / "first.toml").read_text()
    assert (copy / "examples" / "swiss.toml").exists()


def test_what_a_checkout_was_used_for_is_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for name in ("first.toml", "runs/first.txt", "game/build/game.py", "game.egg-info/top.txt"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()
    monkeypatch.setattr(examples, "path_of", lambda _: home)
    assert list(examples.listed()) == ["first.toml"]
    examples.copy(tmp_path / "copy")
    assert [file.name for file in (tmp_path / "copy").rglob("*")] == ["first.toml"]


def test_a_full_disk_is_named_with_the_folder_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Path, copied: Path) -> None:
        copied.touch()
        raise OSError(errno.ENOSPC, "No space left on device", str(file))

    monkeypatch.setattr("shutil.copyfile", full)
    code, shown = run(str(tmp_path / "mine"))
    assert (code, shown) == (2, f"{tmp_path}/mine: No space left on device\n")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    code, shown = run(str(tmp_path))
    assert (code, list(tmp_path.iterdir())) == (2, [])
    assert "is there already; name a new folder" in shown


def test_a_link_to_nowhere_is_left_alone(tmp_path: Path) -> None:
    link = tmp_path / "mine"
    link.symlink_to("nowhere")
    code, shown = run(str(link))
    assert (code, shown) == (2, f"{link} is there already; name a new folder\n")
    assert list(tmp_path.iterdir()) == [link]
