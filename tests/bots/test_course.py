"""A course: owners, their bots and versions, the deadline and the quota, whatever is killed."""

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from arena.bots import course, course_file, roster
from arena.bots import submissions as submissions_module
from arena.bots.build import build
from arena.bots.copies import shared_files
from arena.bots.package import open_bot, take
from arena.bots.starter import starter_files, write_starter
from arena.bots.submissions import submissions
from arena.bots.versions import CheckedItem, Receipt, chosen, place_of, submitted, verified
from arena.errors import ArenaError, ConfigError, PackageError, SubmissionError
from arena.reports.submissions import bot_lines
from tests.bots.conftest import MANIFEST, Package
from tests.files.users import as_nobody
from tests.submitting import accept
from tests.time_zone import local_time

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
CHECKED = (CheckedItem(title="build", passed=True, detail="nothing to build"),)


@pytest.fixture
def to(tmp_path: Path) -> Path:
    """A course of three owners."""
    folder = tmp_path / "course"
    course.init(folder)
    course.add_owners(folder, ["ada", "bob", "eve"], NOW)
    return folder


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "bot.py"
    file.write_text("print('bot')\n")
    return file


def submit(to: Path, path: Path, owner: str | None, now: datetime = NOW) -> Receipt:
    bot = course.admitted(to, open_bot(path), owner, now)
    return course.submit(to, bot, CHECKED, owner, now).version


def named(package: Package, name: str, text: str = "print('hello')\n") -> Path:
    return package(name, MANIFEST.replace('"corner"', f'"{name}"'), bot_py=text)


def playing(to: Path) -> dict[str, int | None]:
    try:
        return {bot.name: bot.number for bot in submissions(to)}
    except SubmissionError:
        return {}


def test_two_students_scripts_do_not_collide(to: Path, script: Path) -> None:
    first = submit(to, script, "ada")
    submit(to, script, "bob")
    script.write_text("print('better')\n")
    second = submit(to, script, "ada", NOW + timedelta(days=1))
    (to / "ada" / "notes").mkdir()  # not ours
    assert playing(to) == {"ada": 2, "bob": 1} and course.listing(to).damaged == ()
    assert [(each.number, each.owner, each.source) for each in (first, second)] == [
        (1, "ada", "bot.py"),
        (2, "ada", "bot.py"),
    ]
    assert second.accepted_at == NOW + timedelta(days=1) and second.checked == CHECKED
    bot = next(bot for bot in submissions(to) if bot.name == "ada")
    assert Path(bot.command[-1]).read_text() == "print('better')\n"


def test_a_name_belongs_to_the_owner_who_first_used_it(to: Path, package: Package) -> None:
    submit(to, named(package, "fox"), "ada")
    with pytest.raises(SubmissionError, match='the name "fox" belongs to ada; choose another'):
        submit(to, named(package, "fox", "print('mine')\n"), "bob")
    with pytest.raises(SubmissionError, match='the name "eve" belongs to eve'):
        submit(to, named(package, "eve"), "bob")
    with pytest.raises(SubmissionError, match='the name "Runs" belongs to the course'):
        submit(to, named(package, "Runs"), "ada")
    with pytest.raises(SubmissionError, match='the name "EVE" belongs to eve'):
        submit(to, named(package, "EVE"), "bob")
    assert playing(to) == {"fox": 1}
    with pytest.raises(SubmissionError, match="is a course: say whose bot it is"):
        submit(to, named(package, "gnu"), None)
    with pytest.raises(SubmissionError, match="is not a course"):
        submit(to / "other", named(package, "gnu"), "ada")
    course.add_owners(to, ["fox"], NOW)
    submit(to, named(package, "fox", "print('better')\n"), "ada")
    assert playing(to) == {"fox": 2}, "an owner of that name came later"


def test_a_script_of_a_course_may_have_any_name(to: Path, tmp_path: Path) -> None:
    downloaded = tmp_path / "crä (1).py"
    downloaded.write_text("print('hello')\n")
    bot = course.admitted(to, take(downloaded), "ada", NOW)
    assert course.submit(to, bot, CHECKED, "ada", NOW).version.source == "crä (1).py"
    assert playing(to) == {"ada": 1}
    with pytest.raises(PackageError, match="the file's name is the bot's"):
        course.admitted(tmp_path / "plain", take(downloaded), None, NOW)


def test_after_the_deadline_nothing_is_accepted(to: Path, script: Path) -> None:
    (to / "course.toml").write_text("deadline = 2026-11-02T12:00:00Z\n")
    submit(to, script, "ada", NOW)
    script.write_text("print('late')\n")
    with pytest.raises(SubmissionError, match="the deadline was 2026-11-02 12:00"):
        submit(to, script, "ada", NOW + timedelta(days=2))
    (to / "course.toml").write_text("deadline = 2001-01-01T00:00:00\n")  # no zone: local time
    with pytest.raises(SubmissionError, match="the deadline was"):
        submit(to, script, "ada")
    (to / "course.toml").write_text(
        "deadline = 2026-11-02T12:00:00Z\n[extensions]\nada = 2026-11-05T12:00:00\n"
    )
    submit(to, script, "ada", NOW + timedelta(days=2))
    with pytest.raises(SubmissionError, match="the deadline was 2026-11-02 12:00 UTC"):
        submit(to, script, "bob", NOW + timedelta(days=2))
    with pytest.raises(SubmissionError, match="the deadline was 2026-11-05 12:00"):
        submit(to, script, "ada", NOW + timedelta(days=5))
    (to / "course.toml").write_text("deadline = 2026-12-24\n")
    with pytest.raises(
        ConfigError, match="deadline: must be a date with a time, such as 2026-12-24T23"
    ):
        submit(to, script, "ada", NOW)
    (to / "course.toml").write_text("deadline = 2026-11-02T12:00:00\n[quota]\nsubmisions = 3\n")
    with pytest.raises(ConfigError, match=r"course\.toml:3: .*did you mean \"submissions\""):
        submit(to, script, "ada", NOW)


@pytest.fixture
def berlin() -> Iterator[None]:
    with local_time("CET-1CEST,M3.5.0,M10.5.0/3"):
        yield


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("2026-03-29T02:30:00", "2026-03-29 03:30 CEST"),  # clocks go from 02:00 to 03:00
        ("2026-10-25T02:30:00", "2026-10-25 02:30 CEST"),
        ("2026-12-24T23:59:00+05:30", "2026-12-24 19:29 CET"),
    ],
)
def test_a_deadline_is_in_local_time(to: Path, script: Path, written: str, shown: str) -> None:
    (to / "course.toml").write_text(f"deadline = {written}\n")
    deadline = course_file.rules_of(to).deadline
    assert deadline is not None
    submit(to, script, "ada", deadline)
    with pytest.raises(SubmissionError) as told:
        submit(to, script, "ada", deadline + timedelta.resolution)
    assert f"the deadline was {shown};" in str(told.value)


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize("far", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z"])
def test_a_deadline_that_has_no_local_time_is_refused(to: Path, far: str) -> None:
    (to / "course.toml").write_text(f"deadline = {far}\n")
    with pytest.raises(ConfigError, match="deadline: is out of range; take a year from 1970"):
        course_file.rules_of(to)


@pytest.mark.parametrize(
    ("deadline", "extension", "expected"),
    [
        ("2026-11-02T12:00:00", "aad = 2026-11-05T12:00:00", r"no owner .*; did you mean \"ada\""),
        ("2026-11-02T12:00:00", "ada = 2026-11-01T12:00:00", "is before the deadline"),
        ("2026-11-02T12:00:00", "ada = 3", "must be a date with a time"),
        (None, "ada = 2026-11-05T12:00:00", "there is no deadline to extend"),
    ],
)  # fmt: skip
def test_a_wrong_extension_is_refused(
    to: Path, script: Path, deadline: str | None, extension: str, expected: str
) -> None:
    above = f"deadline = {deadline}" if deadline else "# no deadline"
    (to / "course.toml").write_text(f"{above}\n[extensions]\n{extension}\n")
    with pytest.raises(ConfigError, match=rf"course\.toml:3: extensions\.a.*: {expected}"):
        submit(to, script, "ada", NOW)


def test_an_owner_submits_no_more_than_the_quota(to: Path, package: Package) -> None:
    (to / "course.toml").write_text("[quota]\nsubmissions = 2\nsize_mb = 0.001\n")
    submit(to, named(package, "fox"), "ada")
    submit(to, named(package, "gnu"), "ada")
    with pytest.raises(SubmissionError, match="ada has submitted 2 versions, and the course takes"):
        submit(to, named(package, "ant"), "ada")
    submit(to, named(package, "fox"), "ada")  # this version is there
    with pytest.raises(SubmissionError, match=r"has 0\.2 MB; the course takes 1\.00 kB at most"):
        submit(to, named(package, "ant", "#" * 200_000), "bob")


def test_versions_that_cannot_be_read_count(to: Path, package: Package, script: Path) -> None:
    """Of a bot that is known to be the owner's: by its other versions, or by its name."""
    (to / "course.toml").write_text("[quota]\nsubmissions = 4\n")
    first = submit(to, named(package, "fox"), "ada")
    submit(to, named(package, "fox", "print('better')\n"), "ada")
    own = submit(to, script, "ada")
    submit(to, named(package, "gnu"), "bob")
    (to / "fox" / first.version / "receipt.json").write_text("{")
    (to / "ada" / own.version / "receipt.json").write_text("{")
    submit(to, named(package, "ant"), "ada")
    with pytest.raises(SubmissionError, match="ada has submitted 4 versions, and the course takes"):
        submit(to, named(package, "bee"), "ada")
    submit(to, named(package, "bee"), "bob")


def test_an_owner_has_no_more_bots_that_play_than_the_quota(to: Path, package: Package) -> None:
    for name in ("fox", "gnu"):
        submit(to, named(package, name), "ada")
    (to / "course.toml").write_text("[quota]\nbots = 2\n")
    said = "^ada has fox, gnu, and the course lets 2 of each owner play; withdraw one first$"
    with pytest.raises(SubmissionError, match=said):
        submit(to, named(package, "ant"), "ada")
    submit(to, named(package, "bee"), "bob")
    submit(to, named(package, "fox", "print('better')\n"), "ada")
    course.withdraw(to, "fox", "ada")
    submit(to, named(package, "ant"), "ada")
    for comes_back in (
        lambda: submit(to, named(package, "fox"), "ada"),
        lambda: course.rollback(to, "fox", "1", "ada"),
    ):
        with pytest.raises(SubmissionError, match="ada has ant, gnu, and the course lets 2"):
            comes_back()
    assert set(playing(to)) == {"ant", "bee", "gnu"}
    course.rollback(to, "fox", "1", None)
    assert set(playing(to)) == {"ant", "bee", "fox", "gnu"}, "the staff may"


def test_an_owner_withdraws_and_comes_back(to: Path, script: Path) -> None:
    submit(to, script, "ada")
    submit(to, script, "bob")
    with pytest.raises(SubmissionError, match=r'the name "ada" belongs to ada$'):
        course.withdraw(to, "ada", "bob")
    with pytest.raises(SubmissionError, match="a bot is withdrawn by its owner"):
        course.withdraw(to, "ada", None)
    with pytest.raises(SubmissionError, match="ada@1 is one version; name only the bot: ada"):
        course.withdraw(to, "ada@1", "ada")
    assert course.withdraw(to, "ada", "ada").state == "withdrawn"
    assert playing(to) == {"bob": 1}
    assert course.withdraw(to, "ada", "ada").state == "withdrawn", "as it was"
    submit(to, script, "ada")
    assert playing(to) == {"ada": 1, "bob": 1}
    course.withdraw(to, "ada", "ada")
    course.rollback(to, "ada", "1", "ada")
    assert playing(to) == {"ada": 1, "bob": 1}


def test_a_bot_that_somebody_else_owns_is_named(
    to: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(to, script, "ada")
    denied = PermissionError(errno.EACCES, "Permission denied")
    monkeypatch.setattr(Path, "rename", Mock(side_effect=denied))
    with pytest.raises(SubmissionError, match="course/ada cannot be changed: Permission denied"):
        course.exclude(to, "ada")


def test_an_excluded_bot_stays_out_of_a_plain_folder_too(tmp_path: Path, script: Path) -> None:
    submit(tmp_path / "to", script, None)
    course.exclude(tmp_path / "to", script.stem)
    with pytest.raises(SubmissionError, match=f"{script.stem} was excluded"):
        submit(tmp_path / "to", script, None)


def test_what_the_staff_excluded_stays_out(to: Path, script: Path) -> None:
    submit(to, script, "ada")
    course.withdraw(to, "ada", "ada")
    assert course.exclude(to, "ada").state == "excluded"
    script.write_text("print('again')\n")
    for request in (
        lambda: submit(to, script, "ada"),
        lambda: course.rollback(to, "ada", "1", "ada"),
    ):
        with pytest.raises(SubmissionError, match="ada was excluded by the staff"):
            request()
    with pytest.raises(SubmissionError, match="ada is excluded already"):
        course.withdraw(to, "ada", "ada")
    assert playing(to) == {}
    course.rollback(to, "ada", "1", None)
    assert playing(to) == {"ada": 1}
    submit(to, script, "ada")
    assert playing(to) == {"ada": 2}


def test_what_came_between_a_check_and_its_end_counts(to: Path, script: Path) -> None:
    bot = course.admitted(to, open_bot(script), "ada", NOW)
    submit(to, script, "ada")
    course.exclude(to, "ada")
    with pytest.raises(SubmissionError, match="ada was excluded by the staff"):
        course.submit(to, bot, CHECKED, "ada", NOW)
    assert playing(to) == {}


def test_a_version_is_named_by_number_or_digest(
    to: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = submit(to, script, "ada")
    script.write_text("print('2')\n")
    second = submit(to, script, "ada")
    for name, receipt in (
        ("ada", second),
        ("ada@1", first),
        ("ada@2", second),
        (f"ada@{first.digest[:4]}", first),
        (f"ada@{first.digest}", first),
    ):
        assert submitted(to / name) == (to / "ada", receipt)
        assert place_of(to / name) == to / "ada" / receipt.version / "tree" / "bot.py"
    for wrong in ("ada@3", "ada@", f"ada@{first.digest[:3]}", f"ada@{first.digest[1:9]}"):
        with pytest.raises(SubmissionError, match=r"choose: ada@1 \(\w{8}\), ada@2 \(\w{8}\)"):
            submitted(to / wrong)
    monkeypatch.chdir(to / "ada")
    for none in (to / "nobody", to / "@2", Path(), Path(second.version, "..")):
        assert submitted(none) is None
    assert place_of(script) == script
    course.withdraw(to, "ada", "ada")
    with pytest.raises(SubmissionError, match="no version of ada plays now; name one: ada@1"):
        submitted(to / "ada")
    assert submitted(to / "ada@2") == (to / "ada", second)
    with pytest.raises(SubmissionError, match="name a version of ada: ada@1"):
        course.rollback(to, "ada", "", None)


def test_a_copy_without_links_is_told_from_an_empty_folder(to: Path, script: Path) -> None:
    with pytest.raises(SubmissionError, match="has no submission; arena submit"):
        submissions(to)
    submit(to, script, "ada")
    (to / "ada" / "active").unlink()
    with pytest.raises(SubmissionError, match=r"no bot in .* plays; .* with its links, by `cp -a`"):
        submissions(to)


def test_a_folder_that_another_keeps_closed_next_to_no_submission_is_named(
    to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = to / "closed"
    closed.mkdir(parents=True)
    denied = PermissionError(errno.EACCES, "Permission denied", str(closed))
    monkeypatch.setattr("arena.bots.submissions.history", Mock(side_effect=denied))
    with pytest.raises(SubmissionError, match=r"closed cannot be read: Permission denied"):
        submissions(to)


def test_a_bot_whose_folder_is_closed_is_named_and_not_left_out(
    to: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two assistants submitted bots, one of them with the umask 077."""
    for owner in ("ada", "bob"):
        submit(to, script, owner)
    readlink = Path.readlink

    def closed(path: Path) -> Path:
        if path.parent in (to / "bob", to / "runs"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return readlink(path)

    monkeypatch.setattr(Path, "readlink", closed)
    with pytest.raises(SubmissionError, match="bob/active cannot be read: Permission denied"):
        submissions(to)
    assert [*course.field(to)] == ["ada"], "pages of a course and its other tournaments go on"
    (to / "bob").rename(to / ".bob")
    (to / "runs").mkdir(exist_ok=True)
    assert [bot.name for bot in submissions(to)] == ["ada"]  # the runs are none of its bots
    assert [entry.name for entry in course.bots(to)] == list(course.field(to)) == ["ada"]


def test_what_of_a_bot_is_closed_is_named_and_stops_no_list(for_all: Path, script: Path) -> None:
    to = for_all / "course"
    course.init(to)
    course.add_owners(to, ["ada", "bob", "eve"], NOW)
    for owner in ("ada", "bob", "eve"):
        submit(to, script, owner)
    for path in (to, *to.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755)
    (to / "bob").chmod(0o700)
    version = (to / "eve/active").resolve()
    version.chmod(0o700)
    with as_nobody():
        assert [bot.name for bot in course.bots(to)] == ["ada"]
        assert [*course.field(to)] == ["ada", "eve"]
        of_bob, of_eve = course.listing(to).damaged
    assert of_bob.startswith(f"nobody may not enter {to}/bob of the user root")
    assert of_eve.startswith(f"nobody may not enter {version} of the user root")
    tree = (to / "ada/active").resolve() / "tree"
    tree.chmod(0o700)
    told = rf"^nobody may not .* {tree} .*ask root$"
    with as_nobody(), pytest.raises(SubmissionError, match=told):
        verified(tree.parent)


def test_a_closed_folder_of_a_bot_refuses_its_next_version_by_a_sentence(
    for_all: Path, script: Path
) -> None:
    to = for_all / "course"
    course.init(to)
    course.add_owners(to, ["ada"], NOW)
    submit(to, script, "ada")
    for path in (to, *to.glob("*.*")):
        path.chmod(0o755)
    (to / "ada").chmod(0o700)
    told = rf"^{to} cannot take the bot now: nobody may not enter {to}/ada of .*ask root$"
    bot = open_bot(script)
    with as_nobody(), pytest.raises(SubmissionError, match=told):
        course.admitted(to, bot, "ada", NOW)
    with as_nobody():
        assert (course.refusal(to),) == course.listing(to).damaged


def test_a_name_is_not_free_while_its_versions_cannot_be_read(
    to: Path, package: Package, script: Path
) -> None:
    fox = open_bot(package())
    receipt = course.submit(to, fox, CHECKED, "ada", NOW).version
    submit(to, script, "ada")
    for name in (fox.name, "ada"):
        for file in (to / name).glob("*/receipt.json"):
            file.write_text("{")
    with pytest.raises(SubmissionError) as refused:
        course.admitted(to, fox, "bob", NOW)
    assert str(refused.value).startswith(
        f'the owner of "{fox.name}" cannot be read: {to}/{fox.name}/{receipt.version}'
    )
    script.write_text("print('another')\n")
    assert course.admitted(to, open_bot(script), "ada", NOW).name == "ada", "her own name"


def test_a_bot_has_the_name_of_a_folder_of_courses_elsewhere(tmp_path: Path, script: Path) -> None:
    runs = script.rename(script.with_name("runs.py"))
    accept(open_bot(runs), CHECKED, tmp_path / "to")
    assert [bot.name for bot in submissions(tmp_path / "to")] == ["runs"]


def test_two_versions_of_one_number_are_named_by_their_digests(to: Path, script: Path) -> None:
    """Two copies of a course went on, and were put together again."""
    other = to.with_name("other")
    submit(to, script, "ada")
    shutil.copytree(to, other, symlinks=True)
    second = []
    for folder in (to, other):
        script.write_text(f"print('{folder.name}')\n")
        second.append(submit(folder, script, "ada"))
    shutil.copytree(other / "ada" / second[1].version, to / "ada" / second[1].version)
    for refused in (lambda: submitted(to / "ada@2"), lambda: course.rollback(to, "ada", "2", None)):
        with pytest.raises(SubmissionError, match=r"ada@1 \(\w{8}\), ada@2 \(\w{8}\), ada@2 \(\w"):
            refused()
    assert course.rollback(to, "ada", second[1].digest[:8], None) == second[1]


def test_a_folder_of_submissions_of_before_becomes_a_course(
    tmp_path: Path, script: Path, package: Package
) -> None:
    folder = tmp_path / "old"
    accepted = []
    for number in range(4):
        script.write_text(f"print({number})\n")
        accepted.append(accept(open_bot(script), CHECKED, folder).version)
    for receipt in folder.glob("bot/*/receipt.json"):
        text = receipt.read_text()
        receipt.chmod(0o644)
        lines = [line for line in text.splitlines() if '"number"' not in line]
        receipt.write_text("\n".join(lines))
    (entry,) = course.bots(folder)
    assert [each.number for each in entry.versions] == [1, 2, 3, 4]
    assert [each.version for each in entry.versions] == accepted != sorted(accepted)
    assert course.withdraw(folder, "bot", None).owner is None, "nobody owns it there"
    course.init(folder)
    with pytest.raises(SubmissionError, match="is a course already"):
        course.init(folder)
    course.add_owners(folder, ["ada"], NOW)
    submit(folder, named(package, "bot", "print('5')\n"), "ada")
    entry = course.bot(folder, "bot")
    assert ([each.number for each in entry.versions], entry.owner) == ([1, 2, 3, 4, 5], "ada")


def test_a_new_course_has_rules_and_a_ladder_and_tournaments_that_are_there_stay(
    tmp_path: Path,
) -> None:
    course.init(tmp_path / "new")
    assert (tmp_path / "new" / course_file.FILE).read_text() == course_file.NEW
    assert (tmp_path / "new/tournaments/ladder.toml").read_text() == course_file.LADDER
    (tmp_path / "old/tournaments").mkdir(parents=True)
    (tmp_path / "old/tournaments/ladder.toml").write_text("ours")
    course.init(tmp_path / "old")
    assert (tmp_path / "old/tournaments/ladder.toml").read_text() == "ours"


def test_a_python_that_is_not_there_is_a_mistake_in_the_rules(to: Path) -> None:
    (to / course_file.FILE).write_text('python = "no-such-python"\n')
    with pytest.raises(ConfigError, match=r"course\.toml: python: .*no-such-python"):
        course.python_of(to)
    assert course.python_of(to.parent) is None, "it is no course"


def test_a_token_names_its_owner_until_it_is_revoked(to: Path) -> None:
    tokens = course.add_owners(to, ["ada", "zoe", "tom"], NOW)
    assert list(tokens) == ["zoe", "tom"]
    assert {len(bytes.fromhex(token)) for token in tokens.values()} == {16}
    assert not any(token in (to / "roster.json").read_text() for token in tokens.values())
    assert course.known(to, token=f"{tokens['zoe']}\n") == "zoe"
    assert course.known(to, owner="ada") == "ada" and course.known(to) is None
    course.revoke(to, "zoe", NOW)
    with pytest.raises(SubmissionError, match="this token of zoe was revoked"):
        course.known(to, token=tokens["zoe"])
    token = course.renew(to, "zoe")
    assert course.known(to, token=token) == "zoe"
    for wrong in (tokens["zoe"], "", "ada", "\udcff"):  # the last: a byte that is not UTF-8
        with pytest.raises(SubmissionError, match="no owner has this token"):
            course.known(to, token=wrong)
    with pytest.raises(SubmissionError, match='no owner is named "zoé"; did you mean "zoe"'):
        course.known(to, owner="zoé")


def test_a_mistake_in_the_rules_keeps_no_owner_out(to: Path) -> None:
    rules = "deadline = 2026-11-02T12:00:00\n[extensions]\nzoe = 2026-11-05T12:00:00\n"
    (to / "course.toml").write_text(rules)
    course.revoke(to, "ada", NOW)
    assert course.known(to, token=course.renew(to, "ada")) == "ada"
    with pytest.raises(ConfigError, match="no owner has this name"):
        course_file.rules_of(to)
    course.add_owners(to, ["zoe"], NOW)
    assert course_file.rules_of(to).deadline_of("zoe"), "it was there before zoe"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ada\nbob\n\nada\n", ["ada", "bob"]),
        ("mail,owner\na@x, ada \nb@x,bob\n", ["ada", "bob"]),
        ("\ufeffname,mail\nada,a@x\n", ["ada"]),
        ("ada,\n", ["ada"]),
        ("Login\nada\nbob\n", ["ada", "bob"]),
        ("logins\nada\n", ["logins", "ada"]),
        ("Ada Lovelace\nbob\n../x\n", None),
    ],
)
def test_owners_come_from_a_table(tmp_path: Path, text: str, names: list[str] | None) -> None:
    file = tmp_path / "names.csv"
    file.write_text(text)
    if names is not None:
        assert roster.names_in(file) == names
        return
    with pytest.raises(SubmissionError, match=r"names\.csv:1: .*(?s:.*)Use login names"):
        roster.names_in(file)
    file.write_text("owner\n")
    with pytest.raises(SubmissionError, match="names no owner"):
        roster.names_in(file)
    file.write_text("?\n" * 300)
    with pytest.raises(SubmissionError, match=r"\.csv:10: .*\n… and 290 more like these\n"):
        roster.names_in(file)


@pytest.mark.parametrize("text", ["\ufeffowner;mail\nada;a@x\n", "ada\ta@x\n"])
def test_a_table_is_separated_by_commas(tmp_path: Path, text: str) -> None:
    file = tmp_path / "names.csv"
    file.write_text(text)
    with pytest.raises(SubmissionError, match=r"names\.csv:1: separate the columns with commas: "):
        roster.names_in(file)


def test_a_table_says_which_column_has_the_owners(tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text("login,mail\nada,a@x\n")
    with pytest.raises(SubmissionError, match='names none of them owner: "login, mail"; name'):
        roster.names_in(file)
    file.write_text("mail,owner\na@x,ada\nb@x\n")
    with pytest.raises(SubmissionError, match=r'names\.csv:3: ""\n'):
        roster.names_in(file)


@pytest.mark.parametrize("text", ["Jörg\n".encode("latin-1"), b"a" * 200_000])
def test_what_is_no_table_is_refused(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "names.csv"
    file.write_bytes(text)
    with pytest.raises(SubmissionError, match=r"names\.csv cannot be read: not a CSV file in UTF"):
        roster.names_in(file)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ada", '"ada" and "Ada" differ only in case'),
        ("Zoe", '"zoe" and "Zoe" differ only in case'),
        ("Runs", '"Runs" belongs to the course'),
        ("tournaments", '"tournaments" belongs to the course'),
    ],
)
def test_an_owner_that_could_never_submit_is_refused(to: Path, name: str, expected: str) -> None:
    with pytest.raises(SubmissionError, match=expected):
        course.add_owners(to, ["zoe", name], NOW)
    assert [owner.name for owner in course.owners(to)] == ["ada", "bob", "eve"]


def test_the_quota_is_of_the_files_handed_in(to: Path, package: Package) -> None:
    (to / "course.toml").write_text("[quota]\nsize_mb = 0.001\n")
    makes = "build = [\"python3\", \"-c\", \"open('big', 'w').write('x' * 9999)\"]\n"
    fox = package("fox", MANIFEST.replace('"corner"', '"fox"') + makes)
    bot = build(course.admitted(to, open_bot(fox), "ada", NOW), "none")
    assert course.submit(to, bot, CHECKED, "ada", NOW).version.name == "fox"


def test_the_roster_is_for_those_who_may_write_the_folder(to: Path) -> None:
    def mode() -> int:
        return stat.S_IMODE((to / roster.FILE).stat().st_mode)

    assert mode() == 0o600
    to.chmod(0o770)
    course.renew(to, "ada")
    assert mode() == 0o660


def test_a_new_course_is_closed_where_players_have_no_users_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old").mkdir(mode=0o755)
    course.init(tmp_path / "roots")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    course.init(tmp_path / "new")
    course.init(tmp_path / "old")
    modes = [(tmp_path / name).stat().st_mode & 0o077 for name in ("roots", "new", "old")]
    assert modes == [0o055, 0, 0o055]
    runs = [(tmp_path / name / "runs").stat().st_mode & 0o077 for name in ("roots", "old")]
    assert runs == [0, 0], "what `arena run` puts there has the stderr of all"


def test_the_first_version_is_not_taken_for_the_tenth() -> None:
    versions: Any = [SimpleNamespace(number=n, digest=f"{n:x}" * 12) for n in range(1, 13)]
    assert chosen("1", versions).number == 1
    assert chosen("aaaa", versions).number == 10
    assert chosen("aaa", versions) is None, "too short to be meant"


def test_a_broken_roster_is_reported(to: Path) -> None:
    (to / "roster.json").write_text("{")
    with pytest.raises(ConfigError, match=r"roster\.json: not a roster of the arena"):
        course.owners(to)
    (to / "roster.json").unlink()
    (to / "roster.json").mkdir()
    with pytest.raises(ConfigError, match=r"roster\.json: cannot be read: Is a directory"):
        course.owners(to)


DIES = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from arena.bots import course, submissions
from arena.bots.package import open_bot
to, script, moment = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
room, name = moment.split(".")
def die(*given):
    os.kill(os.getpid(), signal.SIGKILL)
setattr({"course": course, "submissions": submissions, "path": Path}[room], name, die)
now = datetime.now(UTC)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("moment", "action", "left"),
    [
        ("submissions.settle", "course.submit(to, bot, (), 'ada', now)", {"ada": 1}),
        ("submissions.activate", "course.submit(to, bot, (), 'ada', now)", {"ada": 1}),
        ("course._clear", "course.submit(to, bot, (), 'ada', now)", {"ada": 2}),
        ("path.rename", "course.withdraw(to, 'ada', 'ada')", {"ada": 1}),
        ("path.rename", "course.exclude(to, 'ada')", {"ada": 1}),
    ],
)
def test_killed_in_the_middle(
    to: Path, script: Path, moment: str, action: str, left: dict[str, int]
) -> None:
    submit(to, script, "ada")
    script.write_text("print('2')\n")
    code = f"{DIES}\nbot = course.admitted(to, open_bot(script), 'ada', now)\n{action}\n"
    words = (sys.executable, "-c", code, str(to), str(script), moment)
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    if moment == "submissions.activate":
        assert [each.number for each in course.bot(to, "ada").versions] == [1, 2]
    assert playing(to) == left
    submit(to, script, "ada")
    assert playing(to) == {"ada": 2}


def test_the_links_of_an_earlier_state_say_nothing(to: Path, script: Path) -> None:
    """A kill leaves them next to a version that plays."""
    submit(to, script, "ada")
    (to / "ada" / "excluded").symlink_to((to / "ada" / "active").readlink())
    assert course.bot(to, "ada").state == "plays"
    assert course.withdraw(to, "ada", "ada").state == "withdrawn"


def test_a_bot_plays_for_those_who_look_while_that_changes(
    to: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They found no bot, and a tournament that began at that moment was refused."""

    def meanwhile(module: ModuleType, name: str, change: Callable[[], object], link: str) -> None:
        """Have a change made as soon as the bot was looked at so."""
        look = getattr(module, name)

        def looked(home: Path, *links: str) -> object:
            found = look(home, *links)
            if link in ("", *links):
                monkeypatch.undo()
                change()
            return found

        monkeypatch.setattr(module, name, looked)

    submit(to, script, "ada")
    script.write_text("print('2')\n")
    meanwhile(course, "history", lambda: submit(to, script, "ada"), "")
    assert course.bot(to, "ada").state == "plays"
    meanwhile(submissions_module, "active", lambda: course.withdraw(to, "ada", "ada"), "")
    assert playing(to) == {"ada": 2}
    meanwhile(course, "active", lambda: course.rollback(to, "ada", "1", "ada"), "excluded")
    assert course.bot(to, "ada").state == "plays"


def test_what_is_wrong_is_an_error_of_the_arena(to: Path, script: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for request in (
        lambda: course_file.rules_of(tmp_path / "none"),
        lambda: course.owners(tmp_path),
        lambda: course.bots(file),
        lambda: course.bot(to, "nobody"),
        lambda: course.bot(to, ""),
        lambda: course.rollback(to, "nobody", "1", "ada"),
        lambda: course.revoke(to, "nobody", NOW),
        lambda: roster.names_in(file.with_name("none.csv")),
        lambda: course.init(file),
        lambda: course.rollback(tmp_path / "none", "fox", "1", None),
    ):
        with pytest.raises(ArenaError):
            request()


def test_files_that_two_owners_have_in_common_are_named(to: Path, script: Path) -> None:
    text = "import sys\nfor line in sys.stdin:\n    print(line, len(line))\n" * 3
    script.write_text(text)
    submit(to, script, "ada")
    script.write_text("print('another version of it')\n")
    submit(to, script, "ada", NOW + timedelta(days=1))
    script.write_text(text.replace("\n    ", "\n\t") + "\n\n")
    submit(to, script, "bob", NOW + timedelta(days=2))
    (shared,) = shared_files(to, course.bot(to, "bob"))
    assert (shared.file, shared.other) == ("bot.py", "bot.py")
    assert (shared.version.owner, shared.version.number) == ("ada", 1)
    said = "\n".join(bot_lines(course.bot(to, "bob"), [shared]))
    assert "Its bot.py is the same, except for blanks, as bot.py of ada@1" in said
    assert not shared_files(to, course.bot(to, "ada")), "the version that plays is another"
    for owner in ("ada", "eve"):
        script.write_text(starter_files("eve", "python")["bot.py"])
        submit(to, script, owner, NOW + timedelta(days=3))
    assert not shared_files(to, course.bot(to, "eve")), "a starter is everybody's"
    for owner in ("ada", "eve"):
        write_starter(f"{owner}2", "python", folder := to.parent / f"{owner}2")
        (folder / "sdk.py").write_text((folder / "sdk.py").read_text() + "# as it was\n")
        submit(to, folder, owner, NOW + timedelta(days=4))
    assert not shared_files(to, course.bot(to, "eve2")), "so is that of an earlier version"
