"""Archives that are fine, and archives made to do harm: nothing of those is ever written."""

import stat
import tarfile
import tracemalloc
import zipfile
from pathlib import Path
from random import Random

import pytest

from arena.bots import entries
from arena.bots.archive import unpack
from arena.bots.entries import files_in
from arena.bots.package import open_bot
from arena.errors import ArchiveError, PackageError
from tests.bots.bad_archives import (
    BAD_ARCHIVES,
    FORMS,
    GOOD,
    ArchiveEntry,
    BadArchive,
    bomb,
    packed,
    tarred,
    title,
)
from tests.bots.conftest import BOT, Package


def archived(path: Path, files: dict[str, bytes]) -> Path:
    """An archive of these files, of the form its name tells."""
    path.write_bytes(packed(path.name.partition(".")[2], files.items()))
    return path


def refusal(path: Path, tmp_path: Path) -> str:
    """What is said of the archive, of which nothing was written."""
    folder = tmp_path / "unpacked"
    folder.mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ArchiveError) as caught, path.open("rb") as file:
        unpack(path, file, folder)
    assert sorted(tmp_path.rglob("*")) == before
    return str(caught.value).replace(f"{path}: ", "")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("top", ["", "corner/", "./"])
def test_every_form_opens_as_the_folder_does(
    tmp_path: Path, package: Package, form: str, top: str
) -> None:
    files = {f"{top}{name}": data for name, data in GOOD.items()}
    bot = open_bot(archived(tmp_path / f"handed-in.{form}", files))
    same = open_bot(package())
    assert (bot.name, bot.rules, bot.digest) == (same.name, same.rules, same.digest)
    assert (Path(bot.cwd) / "bot.py").read_text() == BOT


def test_what_tools_leave_behind_is_passed_over(tmp_path: Path) -> None:
    litter = {"__MACOSX/._bot.py": b"x", ".DS_Store": b"x", "__pycache__/bot.pyc": b"x"}
    path = archived(tmp_path / "b.zip", GOOD | litter)
    assert set(files_in(Path(open_bot(path).cwd))) == set(GOOD)


def test_a_folder_that_macos_packed_is_the_top(tmp_path: Path) -> None:
    path = archived(
        tmp_path / "b.tar.gz", {"./._b": b"x"} | {f"./b/{n}": d for n, d in GOOD.items()}
    )
    assert set(files_in(Path(open_bot(path).cwd))) == set(GOOD)


def test_executability_is_all_that_is_kept_of_a_mode(tmp_path: Path) -> None:
    path = tmp_path / "b.tar"
    given = {"bot": 0o6755, "data": 0o666, "own": 0o700}
    path.write_bytes(tarred("tar", [ArchiveEntry(name, mode=mode) for name, mode in given.items()]))
    with path.open("rb") as file:
        unpack(path, file, tmp_path)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in given]
    assert modes == [0o755, 0o644, 0o755]


def test_a_zip_keeps_that_its_owner_may_run_a_file(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("own")
        info.external_attr = (stat.S_IFREG | 0o700) << 16
        archive.writestr(info, "#!/bin/sh\n")
    with path.open("rb") as file:
        unpack(path, file, tmp_path)
    assert stat.S_IMODE((tmp_path / "own").stat().st_mode) == 0o755


def test_a_zip_may_name_files_in_utf_8_without_its_flag(tmp_path: Path) -> None:
    """As the Finder of macOS and Info-ZIP pack `Käfer/`."""
    path = tmp_path / "b.zip"
    data = packed("zip", [("K~~fer/bot.py", b"x")])
    path.write_bytes(data.replace(b"K~~fer", "Käfer".encode()))
    with path.open("rb") as file:
        unpack(path, file, tmp_path)
    assert (tmp_path / "Käfer" / "bot.py").read_bytes() == b"x"


@pytest.mark.slow
@pytest.mark.parametrize("archive", BAD_ARCHIVES, ids=title)
def test_what_does_harm_is_refused(tmp_path: Path, archive: BadArchive) -> None:
    path = tmp_path / f"b.{archive.form}"
    path.write_bytes(archive.make())
    said = refusal(path, tmp_path)
    assert archive.words in said
    assert said.replace("\n", "").isprintable()


def test_a_large_archive_may_be_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    with path.open("wb") as file:
        file.truncate((32 << 20) + 1)
    assert "larger than 32 MiB; leave out" in (said := refusal(path, tmp_path))
    assert "the folder itself, which may have 64 MiB" in said


def test_a_script_packed_on_windows_may_name_its_interpreter(tmp_path: Path) -> None:
    manifest = GOOD["bot.toml"].decode()
    line = next(line for line in manifest.splitlines() if line.startswith("command"))
    files = {"bot.toml": manifest.replace(line, 'command = ["./run.sh"]').encode()}
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (files | {"run.sh": b"#!/bin/sh\n"}).items():
            archive.writestr(name, data)
    with pytest.raises(PackageError, match=r"chmod \+x; Windows .+ \[\"sh\", \"./run.sh\"\]"):
        open_bot(path)


def test_every_refused_entry_is_named(tmp_path: Path) -> None:
    path = archived(tmp_path / "b.tar", {"../a": b"", "/b": b"", "ok": b"", "c\td": b""})
    assert len(refusal(path, tmp_path).splitlines()) == 3


@pytest.mark.parametrize("form", [form for form in FORMS if form != "tar"])
def test_a_bomb_fills_no_memory(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"b.{form}"
    path.write_bytes(bomb(form))
    assert path.stat().st_size < 2**20
    tracemalloc.start()
    refusal(path, tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * 2**20


@pytest.mark.parametrize("form", ["zip", "tar.gz"])
def test_a_bomb_by_size(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_BYTES", 2**20)
    noise = {f"noise{n}": Random(n).randbytes(2**19) for n in range(3)}
    path = archived(tmp_path / f"b.{form}", noise)
    assert "once unpacked" in refusal(path, tmp_path)


def test_extended_headers_take_no_long_time(tmp_path: Path) -> None:
    """Digits alone took some Pythons a time that grew with their square."""
    path = tmp_path / "b.tar"
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 60_000
    path.write_bytes(header.tobuf(tarfile.USTAR_FORMAT) + b"1" * 60_416 + bytes(1024))
    assert "extended headers of many bytes" in refusal(path, tmp_path)
    long_name = "/".join(["a" * 200] * 10)
    assert set(files_in(Path(open_bot(archived(path, GOOD | {long_name: b""})).cwd))) > {long_name}
