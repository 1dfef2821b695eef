"""A folder of submissions: versions that never change, whatever is submitted or killed."""

import errno
import os
import re
import signal
import stat
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.bots import entries, trees
from arena.bots import package as packages
from arena.bots import submissions as room
from arena.bots.course import submit, withdraw
from arena.bots.package import open_bot, package_store, take
from arena.bots.submissions import home_for, receipt_of, submissions
from arena.bots.trees import locked
from arena.bots.versions import CheckedItem, History, active, authors_of, history
from arena.errors import PackageError, SubmissionError
from tests.bots.conftest import MANIFEST, Package
from tests.submitting import accept

CHECKED = (CheckedItem(title="build", passed=True, detail="nothing to build"),)


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "submissions"


def test_a_submission_is_what_was_handed_in(package: Package, to: Path) -> None:
    bot = open_bot(package())
    receipt = accept(bot, CHECKED, to)
    (found,) = submissions(to)
    assert (found.name, found.rules, found.digest) == (bot.name, bot.rules, bot.digest)
    assert found.cwd == str(to / "corner" / receipt.version / "tree")
    assert (Path(found.cwd) / "bot.py").read_bytes() == Path(bot.cwd, "bot.py").read_bytes()
    assert receipt_of(bot, to) == receipt
    assert receipt.checked == CHECKED


def test_a_script_is_submitted_alone(tmp_path: Path, to: Path) -> None:
    script = tmp_path / "solo.py"
    script.write_text("print()\n")
    accept(open_bot(script), CHECKED, to)
    (found,) = submissions(to)
    assert (found.name, found.rules) == ("solo", None)
    assert [path.name for path in Path(found.cwd).iterdir()] == ["solo.py"]
    assert found.command == (sys.executable, str(Path(found.cwd) / "solo.py"))


@pytest.mark.parametrize("form", ["package", "script"])
def test_the_folder_of_a_submitted_bot_names_the_way_to_it(
    form: str, package: Package, tmp_path: Path, to: Path
) -> None:
    script = tmp_path / "corner.py"
    script.write_text("print()\n")
    accept(open_bot(package() if form == "package" else script), CHECKED, to)
    with pytest.raises(PackageError) as caught:
        open_bot(to / "corner")
    match = re.search('its active version is ([^,]+), and from = "submissions"', str(caught.value))
    assert match is not None
    assert open_bot(to / match[1]).name == "corner"


def test_a_new_version_takes_over_and_the_old_one_stays(package: Package, to: Path) -> None:
    first = accept(open_bot(package()), CHECKED, to)
    second = accept(open_bot(package(bot_py="print('better')\n")), CHECKED, to)
    assert first.version != second.version
    (found,) = submissions(to)
    assert found.digest == second.digest
    assert (to / "corner" / first.version / "tree" / "bot.py").read_text() == "print('hello')\n"
    again = accept(open_bot(package()), (), to)
    assert again == first, "a version that is there keeps its receipt"
    assert submissions(to)[0].digest == first.digest


def test_a_version_is_read_only(package: Package, to: Path) -> None:
    receipt = accept(open_bot(package()), CHECKED, to)
    place = to / "corner" / receipt.version
    assert not any(path.stat().st_mode & 0o222 for path in (place, *place.rglob("*")))


def test_what_was_changed_after_it_was_accepted_is_refused(package: Package, to: Path) -> None:
    receipt = accept(open_bot(package()), CHECKED, to)
    file = to / "corner" / receipt.version / "tree" / "bot.py"
    file.chmod(0o644)
    file.write_text("print('cheat')\n")
    for request in (lambda: submissions(to), lambda: accept(open_bot(package()), CHECKED, to)):
        with pytest.raises(SubmissionError, match="was changed after it was accepted"):
            request()


def test_a_number_is_given_once(package: Package, to: Path) -> None:
    first = accept(open_bot(package()), CHECKED, to)
    accept(open_bot(package(bot_py="print('2')\n")), CHECKED, to)
    damaged = to / "corner" / first.version
    damaged.chmod(0o755)
    damaged.rename(to.parent / "away")
    assert accept(open_bot(package(bot_py="print('3')\n")), CHECKED, to).number == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_reported(package: Package, to: Path) -> None:
    to.mkdir(mode=0o555)
    with pytest.raises(SubmissionError, match="submissions cannot be written by you"):
        home_for(open_bot(package()), to / "deeper")


def test_a_cache_that_is_none_is_reported(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = package()
    (tmp_path / "file").touch()
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(PackageError) as caught:
        take(bot)
    assert f"the cache {tmp_path}/file/bots cannot be used: Not a directory" in str(caught.value)


def test_a_full_cache_is_no_fault_of_the_bot(
    package: Package, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")  # a write names no file

    bot = package()
    monkeypatch.setattr(packages, "copy", full)
    with pytest.raises(PackageError, match=f"the cache {cache}/bots cannot be used: No space"):
        take(bot)


def test_a_full_disk_is_reported_and_changes_nothing(
    package: Package, to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = accept(open_bot(package()), CHECKED, to)

    def full(made: Path, final: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(room, "settle", full)
    with pytest.raises(SubmissionError, match="corner cannot be written: No space left on device"):
        accept(open_bot(package(bot_py="print('better')\n")), CHECKED, to)
    assert submissions(to)[0].digest == first.digest
    assert sorted(path.name for path in (to / "corner").iterdir()) == sorted(
        (first.version, "active")
    )
    monkeypatch.setattr(room, "settle", trees.settle)
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(SubmissionError, match="the version that was active stays active"):
        accept(open_bot(package(bot_py="print('better')\n")), CHECKED, to)
    assert submissions(to)[0].digest == first.digest


def test_the_folder_of_one_bot_is_not_that_of_all(package: Package, to: Path) -> None:
    accept(open_bot(package()), CHECKED, to)
    with pytest.raises(SubmissionError, match=f"versions of one bot; name {to}$"):
        submissions(to / "corner")


def test_the_folder_of_a_bot_takes_no_submission(package: Package, tmp_path: Path) -> None:
    (tmp_path / "solo.py").write_text("print()\n")
    with pytest.raises(SubmissionError, match=r"corner is a bot: it has a bot\.toml"):
        home_for(open_bot(tmp_path / "solo.py"), package())


def test_what_is_no_plain_file_is_never_waited_for(package: Package, tmp_path: Path) -> None:
    for name in ("pipe.py", "pipe.zip"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(PackageError, match="is not a plain file"):
            open_bot(tmp_path / name)
    manifest = package() / "bot.toml"
    os.truncate(manifest, 2**33)  # with holes: it is refused unread
    with pytest.raises(PackageError, match="has more than 64 MiB"):
        open_bot(manifest.parent)


@pytest.mark.parametrize("step", ["listed", "read", "copied"])
@pytest.mark.parametrize("what", ["file", "folder", "root"])
def test_no_link_is_followed_whenever_it_comes(
    step: str, what: str, package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file, a folder or the bot itself is swapped for a link just before some call."""
    folder, secret = package(), tmp_path / "secret"
    for at in (folder, secret):
        (at / "inner").mkdir(parents=True)
        (at / "inner" / "data").write_text(f"{at.name}\n")
    (secret / "bot.py").write_text("secret\n")
    (secret / "bot.toml").write_text(MANIFEST)
    swapped = {"file": folder / "bot.py", "folder": folder / "inner", "root": folder}[what]

    def swap() -> None:
        if not swapped.is_symlink():
            swapped.rename(tmp_path / "away")
            swapped.symlink_to(secret if what == "root" else secret / swapped.name)

    calls = {"listed": (os, "listdir"), "read": (entries, "_below"), "copied": (trees, "write")}
    call = getattr(*calls[step])
    monkeypatch.setattr(*calls[step], lambda *given, **more: (swap(), call(*given, **more))[1])
    try:
        bot = take(folder)
    except PackageError as error:
        assert "bot.py" in str(error) or "inner" in str(error)
    else:
        assert (Path(bot.cwd) / "bot.py").read_text() == "print('hello')\n"
        assert (Path(bot.cwd) / "inner" / "data").read_text() == "corner\n"
    kept = [path.read_text() for path in package_store().rglob("*") if path.is_file()]
    assert "secret\n" not in kept


@pytest.mark.parametrize("form", ["corner", "solo.py", "corner.zip"])
def test_a_link_is_not_submitted(form: str, package: Package, tmp_path: Path) -> None:
    (tmp_path / "solo.py").write_text("print()\n")
    package()
    with zipfile.ZipFile(tmp_path / "corner.zip", "w") as archive:
        archive.writestr("bot.toml", MANIFEST)
        archive.writestr("bot.py", "print()\n")
    link = tmp_path / "links" / form
    link.parent.mkdir()
    link.symlink_to(tmp_path / form)
    assert take(tmp_path / form).name == link.stem
    with pytest.raises(PackageError, match="is a symbolic link; name the file or folder itself"):
        take(link)


def test_a_file_that_grows_while_it_is_read_is_not_read_for_ever(
    package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, call = package(), entries.files_in

    def grow(at: Path) -> tuple[str, ...]:
        found = call(at)
        os.truncate(folder / "bot.py", 2**33)  # with holes
        return found

    monkeypatch.setattr("arena.bots.package.files_in", grow)
    with pytest.raises(PackageError, match="has more than 64 MiB"):
        take(folder)


def test_what_is_submitted_is_what_was_there_at_first(package: Package, to: Path) -> None:
    folder = package()
    bot = take(folder)
    (folder / "bot.py").write_text("print('changed meanwhile')\n")
    accept(bot, CHECKED, to)
    (found,) = submissions(to)
    assert (Path(found.cwd) / "bot.py").read_text() == "print('hello')\n"


def test_a_mistake_in_what_is_taken_has_the_place_its_author_knows(package: Package) -> None:
    folder = package(manifest=MANIFEST.replace("command", "comand"))
    with pytest.raises(PackageError, match=rf"(?m)^{folder}/bot.toml:3: comand: unknown key"):
        take(folder)
    script = folder / "solo.unknown"
    script.touch()
    with pytest.raises(PackageError, match=rf"^{script}: is not executable"):
        take(script)


def test_a_broken_receipt_is_reported(package: Package, to: Path) -> None:
    receipt = accept(open_bot(package()), CHECKED, to)
    submissions(to)  # which remembers it
    file = to / "corner" / receipt.version / "receipt.json"
    file.chmod(0o644)
    text = file.read_text()
    file.write_text("{}")
    with pytest.raises(SubmissionError, match="is not a receipt of the arena"):
        submissions(to)
    file.write_text(text)
    moved = file.parent.rename(to / "corner" / f"{receipt.version[:-1]}_")
    (to / "corner" / "active").unlink()
    (to / "corner" / "active").symlink_to(moved.name)
    with pytest.raises(SubmissionError, match="_: the receipt is of other files; remove"):
        submissions(to)
    moved.chmod(0o755)
    (moved / "receipt.json").unlink()
    (moved / "receipt.json").mkdir()
    with pytest.raises(SubmissionError, match=r"_ is not as it was accepted: .*; remove"):
        submissions(to)


def test_a_link_that_came_after_it_was_accepted_is_refused(package: Package, to: Path) -> None:
    receipt = accept(open_bot(package()), CHECKED, to)
    tree = to / "corner" / receipt.version / "tree"
    tree.chmod(0o755)
    (tree / "rules").symlink_to("/etc/passwd")
    with pytest.raises(SubmissionError, match=r"is not as it was accepted: .*link"):
        submissions(to)


def test_the_authors_of_a_version_are_those_of_its_manifest(
    package: Package, tmp_path: Path, to: Path
) -> None:
    accept(open_bot(package(manifest=f'{MANIFEST}authors = ["Ada", "Bob"]\n')), CHECKED, to)
    script = tmp_path / "plain.py"
    script.write_text("print()\n")
    accept(open_bot(script), CHECKED, to)
    assert authors_of(to / "corner") == ("Ada", "Bob")
    assert authors_of(to / "plain") == ()


def test_the_folders_of_a_package_are_no_versions_of_it(package: Package) -> None:
    home = package()
    (home / "search" / "tree").mkdir(parents=True)
    assert history(home) == History()
    (home / "bot.toml").unlink()  # as a version that lost its receipt
    assert len(history(home).damaged) == 1
    (home / "search").rename(home / ".search")
    (home / "link").symlink_to(".search")
    assert history(home) == History()


def test_receipts_are_read_once(
    package: Package, to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(open_bot(package()), CHECKED, to)
    first = submissions(to)
    read = list[Path]()
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path) or real(path))
    assert submissions(to) == first
    assert not [path for path in read if path.name == "receipt.json"]


def test_a_failed_upload_leaves_the_active_version(package: Package, to: Path) -> None:
    first = accept(open_bot(package()), CHECKED, to)
    bot = open_bot(package(bot_py="print('better')\n"))
    (Path(bot.cwd) / "bot.py").write_text("print('changed meanwhile')\n")
    with pytest.raises(SubmissionError, match="was changed while it was submitted"):
        accept(bot, CHECKED, to)
    (Path(bot.cwd) / "link").symlink_to("/etc/passwd")
    with pytest.raises(PackageError, match='"link" is a symbolic link'):
        open_bot(Path(bot.cwd))
    assert [found.digest for found in submissions(to)] == [first.digest]
    assert {path.name for path in (to / "corner").iterdir()} == {first.version, "active"}
    script = to.parent / "solo.py"
    script.write_text("print()\n")
    bot = open_bot(script)
    script.write_text("print('changed meanwhile')\n")
    with pytest.raises(SubmissionError, match="was changed while it was submitted"):
        accept(bot, CHECKED, to)


def test_names_that_differ_in_case_alone(package: Package, to: Path) -> None:
    accept(open_bot(package()), CHECKED, to)
    other = package(manifest=MANIFEST.replace('"corner"', '"Corner"'))
    with pytest.raises(SubmissionError, match='"Corner" differs only in case'):
        accept(open_bot(other), CHECKED, to)


def test_a_folder_that_is_none(tmp_path: Path, package: Package, to: Path) -> None:
    with pytest.raises(SubmissionError, match="is not a folder of submissions"):
        submissions(to)
    to.mkdir()
    with pytest.raises(SubmissionError, match="has no submission"):
        submissions(to)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(SubmissionError, match="is a file; name a folder"):
        home_for(open_bot(package()), file)


ACCEPT = """
import sys
from pathlib import Path
from arena.bots.package import open_bot
from tests.submitting import accept
for folder in sys.argv[2:]:
    accept(open_bot(Path(folder)), (), Path(sys.argv[1]))
"""


def submitting(to: Path, *folders: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen((sys.executable, "-c", ACCEPT, str(to), *map(str, folders)))


@pytest.mark.slow
def test_many_submit_at_once(package: Package, to: Path) -> None:
    folders = [package(f"v{n}", bot_py=f"print({n})\n") for n in range(3)]
    orders = (folders, folders[::-1], folders[1:] + folders[:1])
    running = [submitting(to, *order * 2) for order in orders]
    assert [process.wait() for process in running] == [0, 0, 0]
    versions = {open_bot(folder).digest[:12] for folder in folders}
    assert {path.name for path in (to / "corner").iterdir()} == {*versions, "active"}
    for folder in folders:
        assert receipt_of(open_bot(folder), to) is not None
    assert submissions(to)[0].digest[:12] in versions


@pytest.mark.parametrize("moment", ["settle", "copy", "made_aside"])
def test_killed_in_the_middle(package: Package, to: Path, moment: str) -> None:
    """A process that dies as it reaches this step of accepting a second version."""
    first = accept(open_bot(package()), CHECKED, to)
    better = package("better", bot_py="print('better')\n")
    dies = (
        "import os, signal; from arena.bots import submissions as room;"
        f"step = room.{moment}; setattr(room, {moment!r},"
        " lambda *given: (list(given), os.kill(os.getpid(), signal.SIGKILL)));"
    )
    code = dies + ACCEPT
    ended = subprocess.run((sys.executable, "-c", code, str(to), str(better)), check=False)
    assert ended.returncode == -signal.SIGKILL
    assert [found.digest for found in submissions(to)] == [first.digest]
    assert active(to / "corner") == first.version
    second = accept(open_bot(better), CHECKED, to)
    assert [found.digest for found in submissions(to)] == [second.digest]
    left = {path.name for path in (to / "corner").iterdir()}
    assert left == {first.version, second.version, room.ACTIVE}, "what the dead one left is swept"


def test_a_folder_that_another_has_locked_is_waited_for_so_long(
    package: Package, to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each user who may read it can keep it locked for ever."""
    to.mkdir()
    bot = take(package())
    monkeypatch.setattr("arena.bots.trees._PATIENCE_S", 0.1)
    submit(to, bot, CHECKED, None, datetime.now(UTC))
    for change in (
        lambda: submit(to, bot, CHECKED, None, datetime.now(UTC)),
        lambda: withdraw(to, bot.name, None),
    ):
        with locked(to), pytest.raises(SubmissionError) as raised:
            change()
        assert str(raised.value).startswith(f"{to} cannot be changed: another process has locked")


def test_others_do_not_read_the_bots_in_the_cache(
    package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may enter the home of a server's user, as `useradd` makes it."""
    package_store().mkdir(parents=True)
    package_store().chmod(0o755)  # as earlier versions made it
    monkeypatch.setattr("os.geteuid", lambda: 1000)  # players of root are users of their own
    take(package())
    assert stat.S_IMODE(package_store().stat().st_mode) == 0o700
    package_store().chmod(0o2775)
    take(package())
    assert stat.S_IMODE(package_store().stat().st_mode) == 0o2770
