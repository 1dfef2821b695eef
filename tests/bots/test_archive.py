"""Archives that are fine, and archives made to do harm: nothing of those is ever written."""

import gzip
import io
import lzma
import stat
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from random import Random

import pytest

from arena.bots import entries
from arena.bots.archive import unpack
from arena.bots.entries import files_in
from arena.bots.package import open_bot
from arena.errors import ArchiveError
from tests.bots.conftest import BOT, MANIFEST, Package

FORMS = ("zip", "tar", "tar.gz", "tgz", "tar.bz2", "tar.xz")
GOOD = {"bot.toml": MANIFEST.encode(), "bot.py": BOT.encode()}


def packed(path: Path, files: dict[str, bytes]) -> Path:
    """An archive of these files, of the form its name tells."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return path
    with tar_writer(path) as tar:
        for name, data in files.items():
            add(tar, name, data=data)
    return path


def tar_writer(path: Path) -> tarfile.TarFile:
    modes = {".gz": "w:gz", ".tgz": "w:gz", ".bz2": "w:bz2", ".xz": "w:xz"}
    return tarfile.open(path, modes.get(path.suffix, "w"))  # type: ignore[call-overload]  # a mode


def add(
    tar: tarfile.TarFile, name: str, kind: bytes = tarfile.REGTYPE, data: bytes = b"", to: str = ""
) -> None:
    member = tarfile.TarInfo(name)
    member.type, member.size, member.linkname = kind, len(data), to
    tar.addfile(member, io.BytesIO(data))


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
    bot = open_bot(packed(tmp_path / f"handed-in.{form}", files))
    same = open_bot(package())
    assert (bot.name, bot.rules, bot.digest) == (same.name, same.rules, same.digest)
    assert (Path(bot.cwd) / "bot.py").read_text() == BOT


def test_what_tools_leave_behind_is_passed_over(tmp_path: Path) -> None:
    litter = {"__MACOSX/._bot.py": b"x", ".DS_Store": b"x", "__pycache__/bot.pyc": b"x"}
    path = packed(tmp_path / "b.zip", GOOD | litter)
    assert set(files_in(Path(open_bot(path).cwd))) == set(GOOD)


def test_executability_is_all_that_is_kept_of_a_mode(tmp_path: Path) -> None:
    path = tmp_path / "b.tar"
    with tar_writer(path) as tar:
        for name, mode in (("bot", 0o6755), ("data", 0o666)):
            member = tarfile.TarInfo(name)
            member.mode = mode
            tar.addfile(member)
    with path.open("rb") as file:
        unpack(path, file, tmp_path)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("bot", "data")]
    assert modes == [0o755, 0o644]


@pytest.mark.parametrize("form", ["zip", "tar"])
@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["../../etc/cron.d/x"], '"../../etc/cron.d/x" leads out of the package'),
        (["a/../../b"], "leads out of the package"),
        (["/etc/passwd"], "is an absolute path"),
        (["C:/windows/x"], "is an absolute path"),
        (["a\\..\\b"], "has a backslash"),
        (["a\nb"], "has control characters"),
        (["a\x1b[2Jb"], "has control characters"),
        (["a\u202eb"], "has control characters"),
        (["n" * 300], "of more than 255 bytes"),
        (["é" * 200], "of more than 255 bytes"),
        (["d/" * 20 + "x"], "more than 16 folders deep"),
        (["a.py", "a.py"], '"a.py" is in the package twice'),
        (["a/b.py", "./a//b.py"], "is in the package twice"),
        (["Bot.PY", "bot.py"], "only in case or accents"),
        (["Src/a", "src/b"], "only in case or accents"),
        (["caf\u00e9", "cafe\u0301"], "only in case or accents"),
        (["a", "a/b"], "both a file and a folder"),
    ],
    ids=lambda value: repr(value)[:30],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")  # it is what the test makes
def test_names_are_refused(tmp_path: Path, form: str, names: list[str], words: str) -> None:
    path = tmp_path / f"b.{form}"
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, b"x")
    else:
        with tar_writer(path) as tar:
            for name in names:
                add(tar, name, data=b"x")
    said = refusal(path, tmp_path)
    assert words in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (tarfile.SYMTYPE, "is a symbolic link"),
        (tarfile.LNKTYPE, "is a hard link"),
        (tarfile.CHRTYPE, "is a device"),
        (tarfile.BLKTYPE, "is a device"),
        (tarfile.FIFOTYPE, "is a named pipe"),
        (b"Q", "is of an unknown kind"),
    ],
)
def test_kinds_are_refused(tmp_path: Path, kind: bytes, words: str) -> None:
    path = tmp_path / "b.tar"
    with tar_writer(path) as tar:
        add(tar, "bot.toml", data=GOOD["bot.toml"])
        add(tar, "x", kind, to="/etc/passwd")
    assert f'"x" {words}' in refusal(path, tmp_path)


def test_a_link_and_what_goes_through_it(tmp_path: Path) -> None:
    path = tmp_path / "b.tar"
    with tar_writer(path) as tar:
        add(tar, "out", tarfile.SYMTYPE, to=str(tmp_path))
        add(tar, "out/evil", data=b"x")
    assert '"out" is a symbolic link' in refusal(path, tmp_path)


def test_a_link_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert '"link" is a symbolic link' in refusal(path, tmp_path)


def test_every_refused_entry_is_named(tmp_path: Path) -> None:
    path = packed(tmp_path / "b.tar", {"../a": b"", "/b": b"", "ok": b"", "c\td": b""})
    assert len(refusal(path, tmp_path).splitlines()) == 3


@pytest.mark.parametrize("form", [form for form in FORMS if form != "tar"])
def test_a_bomb_by_ratio(tmp_path: Path, form: str) -> None:
    path = packed(tmp_path / f"b.{form}", {"zeros": bytes(30 * 2**20)})
    assert path.stat().st_size < 2**20
    tracemalloc.start()
    said = refusal(path, tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "more than 100 times its size" in said
    assert peak < 16 * 2**20


@pytest.mark.parametrize("form", ["zip", "tar.gz"])
def test_a_bomb_by_size(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_BYTES", 2**20)
    noise = {f"noise{n}": Random(n).randbytes(2**19) for n in range(3)}
    path = packed(tmp_path / f"b.{form}", noise)
    assert "once unpacked" in refusal(path, tmp_path)


@pytest.mark.parametrize("form", ["zip", "tar.gz"])
def test_a_bomb_by_count(tmp_path: Path, form: str) -> None:
    path = packed(tmp_path / f"b.{form}", {f"f{n}": b"" for n in range(2001)})
    assert "more than 2000 entries" in refusal(path, tmp_path)


def test_a_header_that_lies_about_the_size(tmp_path: Path) -> None:
    path = packed(tmp_path / "b.zip", {"zeros": bytes(30 * 2**20)})
    data = path.read_bytes()
    size = struct.pack("<L", 30 * 2**20)
    assert data.count(size) == 2
    path.write_bytes(data.replace(size, struct.pack("<L", 10)))
    assert "is broken" in refusal(path, tmp_path)


def test_a_directory_of_a_zip_that_would_fill_the_memory(tmp_path: Path) -> None:
    path = packed(tmp_path / "b.zip", GOOD)
    data = bytearray(path.read_bytes())
    data[-22 + 12 : -22 + 16] = struct.pack("<L", 2**30)
    path.write_bytes(data)
    assert "more than 2000 entries" in refusal(path, tmp_path)


def test_a_zip_by_a_method_whose_library_bounds_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x", b"x")
    assert "another method than deflate" in refusal(path, tmp_path)


def test_xz_that_asks_for_gigabytes_of_memory(tmp_path: Path) -> None:
    path = tmp_path / "b.tar.xz"
    data = bytearray(lzma.compress(b"x"))
    assert data[14:16] == b"\x21\x01", "the block's header: LZMA2, one byte of properties"
    data[16] = 40  # a dictionary of 4 GiB
    data[20:24] = struct.pack("<L", zlib.crc32(data[12:20]))
    path.write_bytes(data)
    assert "memory" in refusal(path, tmp_path).lower()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("length", [0, 1, 100])
def test_half_an_archive(tmp_path: Path, form: str, length: int) -> None:
    whole = packed(tmp_path / f"whole.{form}", GOOD).read_bytes()
    path = tmp_path / f"b.{form}"
    path.write_bytes(whole[:length])
    said = refusal(path, tmp_path)
    assert "pack it again" in said


def test_noise_by_the_name_of_an_archive(tmp_path: Path) -> None:
    for form in FORMS:
        path = tmp_path / f"b.{form}"
        path.write_bytes(b"not an archive at all\n" * 100)
        with pytest.raises(ArchiveError, match="pack it again"):
            open_bot(path)


def test_a_size_below_zero(tmp_path: Path) -> None:
    member = tarfile.TarInfo("x")
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 11 + b"\x00"  # -256, in the binary form
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = tmp_path / "b.tar"
    path.write_bytes(bytes(header) + bytes(1024))
    assert "below zero" in refusal(path, tmp_path)


def test_a_tar_of_headers_upon_headers(tmp_path: Path) -> None:
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 2
    header = member.tobuf(tarfile.GNU_FORMAT) + b"a\0".ljust(512, b"\0")
    path = tmp_path / "a.tar"
    path.write_bytes(header * 2000 + tarfile.TarInfo("bot.toml").tobuf() + bytes(1024))
    assert "is broken, or not a tar archive" in refusal(path, tmp_path)


def test_gzip_around_gzip_is_no_tar(tmp_path: Path) -> None:
    path = tmp_path / "b.tar.gz"
    path.write_bytes(gzip.compress(gzip.compress(bytes(10))))
    assert "pack it again" in refusal(path, tmp_path)
