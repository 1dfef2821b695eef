"""One source file as a bot: compiled as a package is, wherever a script is taken."""

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.bots import course
from arena.bots.build import build
from arena.bots.package import open_bot
from arena.bots.prepare import as_package, prepare
from arena.bots.programs import SUFFIXES, build_of
from arena.bots.submissions import submissions
from arena.errors import BuildError, PackageError
from arena.model.containment import Mode
from arena.model.contender import Contender, Home
from arena.model.protocol import Clock, Termination
from arena.referee import SessionPool, play_game
from tests.conftest import match
from tests.pages import blocks_of, text_of
from tests.submitting import accept

PAGE = "arena/bots/README.md"
(CPP,) = (block.text for block in blocks_of(PAGE) if block.name == "solo.cpp")
JAVA = r"""
import java.util.Scanner;
import java.util.regex.Pattern;

public class Solo {
    static String first(String pattern, String line) {
        return Pattern.compile(pattern).matcher(line).results().findFirst().get().group(1);
    }

    public static void main(String[] arguments) {
        for (Scanner in = new Scanner(System.in); in.hasNextLine();) {
            String line = in.nextLine(), type = first("\"type\": *\"(\\w+)", line);
            if (type.equals("quit")) return;
            if (type.equals("start")) System.out.println("{\"type\":\"ready\"}");
            if (type.equals("turn")) {
                String ply = first("\"ply\": *(\\d+)", line);
                String move = first("\"legal\": *\\[\"(\\w+)", line);
                String reply = "{\"type\":\"move\",\"ply\":%s,\"move\":\"%s\"}%n";
                System.out.printf(reply, ply, move);
            }
        }
    }
}
"""
TRIVIAL = {
    "a.c": "int main(void) { return 0; }\n",
    "a.cc": "int main() {}\n",
    "a.cxx": "int main() {}\n",
    "a.go": "package main\n\nfunc main() {}\n",
    "A.java": "class A { public static void main(String[] arguments) {} }\n",
    "a-b.v2.rs": "fn main() {}\n",
}


def written(folder: Path, name: str, text: str) -> Path:
    """A file, where its compiler is installed."""
    made = build_of(name)
    assert made is not None
    if shutil.which(made.build[0]) is None:
        pytest.skip(f"{made.build[0]} is not installed")
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def contender(path: Path, mode: Mode) -> tuple[Contender, Home]:
    bot = open_bot(path)
    return Contender(name="a", program=as_package(bot), sandbox=mode), Home(package=bot.cwd)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "mode"),
    [("solo.cpp", CPP, "bwrap"), ("Solo.java", JAVA, "limits")],
    indirect=["mode"],
)
def test_it_plays_a_game(name: str, text: str, mode: Mode, tmp_path: Path) -> None:
    a, home = contender(written(tmp_path / "mine", name, text), mode)
    players = [prepare(a.model_copy(update={"name": name}), "dots", home) for name in ("a", "b")]
    spec = match(
        *players, rules="dots", variant={"rows": 2, "cols": 2}, clock=Clock(move_ms=10_000)
    )
    with SessionPool() as pool:
        record = play_game(*spec, pool)
    assert record.termination is Termination.NATURAL, record.detail


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), TRIVIAL.items())
def test_every_suffix_is_built_and_once(name: str, text: str, tmp_path: Path, cache: Path) -> None:
    bot = open_bot(written(tmp_path / "mine", name, text))
    made = build(bot, "none")
    assert (made.build, made.opens, made.digest) == (None, name, bot.digest)
    before = Path(made.cwd).stat().st_mtime_ns
    again = build(open_bot(Path(bot.source)), "none")
    assert (again.cwd, Path(again.cwd).stat().st_mtime_ns) == (made.cwd, before)
    assert [file.name for file in (tmp_path / "mine").iterdir()] == [name]
    assert [folder.name for folder in (cache / "bots").iterdir()] == [f"{bot.digest}-built"]


def test_the_page_says_how_each_is_built() -> None:
    rows = re.findall(r"^\| ((?:`[Bb]ot\.\w+`,? ?)+) \| `(.*)` \| `(.*)` \|$", text_of(PAGE), re.M)
    told = dict[str, tuple[str, str]]()
    for files, *commands in rows:
        first, *others = re.findall(r"`(.*?)`", files)
        for file in (first, *others):
            made = build_of(file)
            assert made is not None
            assert [" ".join(words) for words in made] == [
                command.replace(first, file) for command in commands
            ]
            told[Path(file).suffix] = (commands[0], commands[1])
    assert set(told) == {suffix for suffix in SUFFIXES if build_of(f"bot{suffix}")}


def test_it_is_that_file_alone(tmp_path: Path) -> None:
    path = written(tmp_path / "mine", "solo.c", '#include "more.h"\nint main(void) { return 0; }\n')
    before = open_bot(path).digest
    (tmp_path / "mine" / "more.h").touch()
    assert open_bot(path).digest == before
    with pytest.raises(BuildError, match=r"solo\.c:1:10: fatal error: more\.h: No such file"):
        build(open_bot(path), "none")


def test_it_may_be_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link.c"
    link.symlink_to(written(tmp_path / "mine", "a.c", TRIVIAL["a.c"]))
    assert build(open_bot(link), "none").command


def test_the_compilers_first_errors_are_reported(tmp_path: Path, mode: Mode) -> None:
    path = written(tmp_path / "mine", "solo.cpp", "int main() {\n  return x;\n}\n")
    with pytest.raises(BuildError) as caught:
        build(open_bot(path), mode)
    first, second, *_ = str(caught.value).splitlines()
    command = "g++ -std=c++17 -O2 -Wall -Wextra -o bot solo.cpp"
    assert first == f"{path}: its build command, {command}, ended with exit code 1:"
    assert second.startswith("    solo.cpp:2:10: error: ")


@pytest.mark.slow
def test_a_java_class_of_another_name_is_reported(tmp_path: Path) -> None:
    path = written(tmp_path / "mine", "Other.java", JAVA)
    with pytest.raises(BuildError, match=r"should be declared in a file named Solo\.java"):
        build(open_bot(path), "none")


@pytest.mark.slow
def test_a_java_source_is_utf_8_in_any_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java before 18 reads it by the locale, which containers have none of."""
    monkeypatch.setenv("LC_ALL", "C")
    path = written(tmp_path / "mine", "A.java", f"// 149 ± 3\n{TRIVIAL['A.java']}")
    assert build(open_bot(path), "none").command


@pytest.mark.parametrize(("name", "compiler"), [("a.cpp", "g++"), ("A.java", "javac")])
def test_a_compiler_that_is_not_there_is_named(
    name: str, compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).touch()
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(PackageError) as caught:
        open_bot(tmp_path / name)
    told = f"needs {compiler}, which is not on the PATH; install it, or submit a folder"
    assert told in str(caught.value)


def test_a_submission_is_the_file_and_is_built_where_it_plays(tmp_path: Path, cache: Path) -> None:
    bot = open_bot(written(tmp_path / "mine", "solo.c", TRIVIAL["a.c"]))
    accept(build(bot, "none"), (), tmp_path / "subs")
    shutil.rmtree(cache)
    (found,) = submissions(tmp_path / "subs")
    assert (found.name, found.digest, found.contents) == ("solo", bot.digest, bot.digest)
    assert [file.name for file in Path(found.cwd).iterdir()] == ["solo.c"]
    sent = Contender(name="solo", program=as_package(found), sandbox="none")
    prepared = prepare(sent, "dots", Home(package=found.cwd))
    assert prepared.command == (str(cache / "bots" / f"{bot.digest}-built" / "bot"),)


def test_in_a_course_it_has_the_name_of_its_owner(tmp_path: Path) -> None:
    course.init(tmp_path / "class")
    now = datetime.now(UTC)
    course.add_owners(tmp_path / "class", ["ada"], now)
    bot = build(open_bot(written(tmp_path / "mine", "bot.c", TRIVIAL["a.c"])), "none")
    course.submit(tmp_path / "class", bot, (), "ada", now)
    (found,) = submissions(tmp_path / "class")
    assert (found.name, found.opens) == ("ada", "bot.c")
    assert build(found, "none").command
