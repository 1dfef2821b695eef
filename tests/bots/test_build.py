"""Building: in a copy, within limits, once for each content; and what is said when it fails."""

import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from arena.bots import build as room
from arena.bots.build import build, first_errors
from arena.bots.package import forget, open_bot, package_store, take
from arena.bots.trees import remove
from arena.errors import BuildError
from arena.model.containment import Mode
from tests.bots.conftest import Package

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
needs_haskell = pytest.mark.skipif(shutil.which("ghc") is None, reason="ghc is not installed")


def manifest(*words: str, command: str = "./bot") -> str:
    written = ", ".join(f"'''{word}'''" for word in words)
    return f'name = "b"\nrules = ["dots"]\nbuild = [{written}]\ncommand = ["{command}"]\n'


MAKE = "printf '#!/bin/sh\\necho hi\\n' > bot; chmod +x bot"


def test_a_build_happens_in_a_copy_and_once(package: Package, mode: Mode) -> None:
    folder = package(manifest=manifest("sh", "-c", f"{MAKE}; date +%N > when"))
    before = sorted(folder.iterdir())
    bot = build(open_bot(folder), mode)
    assert bot.build is None
    assert bot.command == (f"{bot.cwd}/bot",)
    assert sorted(folder.iterdir()) == before
    when = (Path(bot.cwd) / "when").read_text()
    again = build(open_bot(folder), mode)
    assert (again.cwd, (Path(again.cwd) / "when").read_text()) == (bot.cwd, when)
    assert not any(path.stat().st_mode & 0o222 for path in Path(bot.cwd).rglob("*"))
    assert [path.name for path in Path(bot.cwd).parent.iterdir()] == [Path(bot.cwd).name]


def test_a_build_by_python_is_by_the_one_that_runs_scripts(package: Package, mode: Mode) -> None:
    made = "import sys; from pathlib import Path; Path('bot').write_text(sys.executable)"
    folder = package(manifest=manifest("python3", "-c", made, command="python3"))
    bot = build(open_bot(folder), mode)
    assert (Path(bot.cwd) / "bot").read_text() == bot.command[0] == sys.executable


USES = """
import sys
from pathlib import Path
from arena.bots.build import build
from arena.bots.package import open_bot, take
build(open_bot(Path(sys.argv[1])), "none")
take(Path(sys.argv[1]))
print(flush=True)
sys.stdin.read()
"""


def test_what_another_process_uses_is_not_forgotten(package: Package) -> None:
    folder = package(manifest=manifest("sh", "-c", MAKE))
    bot = take(folder)
    built = build(bot, "none")
    places = {bot.digest, Path(built.cwd).name}
    with subprocess.Popen(
        (sys.executable, "-c", USES, str(folder)), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline()
        forget(bot)
        assert {path.name for path in package_store().iterdir()} == places, "a run plays them"
        other.communicate()
    forget(take(folder))
    assert list(package_store().iterdir()) == []
    forget(open_bot(folder))
    assert folder.exists(), "it is no copy"


@needs_compiler
def test_the_compilers_first_error_is_shown(package: Package, mode: Mode) -> None:
    folder = package(
        manifest=manifest("sh", "-c", 'g++ -o bot "$PWD/bot.cpp"'),
        bot_cpp="int main() {\n  return x;\n}\n",
    )
    with pytest.raises(BuildError) as caught:
        build(open_bot(folder), mode)
    first, second, *_ = str(caught.value).splitlines()
    assert first.endswith("ended with exit code 1:") and "its build command, sh -c" in first
    assert second.startswith("    bot.cpp:2:10: error: "), "without the folder it is built in"


def test_the_folder_it_is_built_in_is_not_named(package: Package, mode: Mode) -> None:
    folder = package(manifest=manifest("sh", "-c", 'echo "error in $PWD: $PWD/bot.c"; exit 1'))
    with pytest.raises(BuildError) as caught:
        build(open_bot(folder), mode)
    assert str(caught.value).splitlines()[1] == "    error in .: bot.c"


@needs_haskell
def test_haskell_is_built_with_the_packages_of_the_system(package: Package, mode: Mode) -> None:
    """Debian keeps the list of them in /var/lib, to which /usr/lib has a link."""
    folder = package(
        manifest=manifest("ghc", "-o", "bot", "Bot.hs"),
        Bot_hs='main :: IO ()\nmain = putStrLn "hi"\n',
    )
    assert (Path(build(open_bot(folder), mode).cwd) / "bot").exists()


def test_nothing_of_a_failed_build_is_kept(package: Package, cache: Path) -> None:
    folder = package(manifest=manifest("sh", "-c", f"{MAKE}; exit 3"))
    with pytest.raises(BuildError, match="exit code 3"):
        build(open_bot(folder), "none")
    assert list((cache / "bots").iterdir()) == []


def test_a_cache_that_cannot_be_written_is_named(package: Package, cache: Path) -> None:
    cache.touch()
    with pytest.raises(NotADirectoryError, match=f"ARENA_CACHE_DIR names another: '{cache}/bots"):
        build(open_bot(package(manifest=manifest("sh", "-c", MAKE))), "none")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 0", "ended well, but then: command: no such file"),
        ("ln -s /etc/passwd bot", '"bot" is a symbolic link'),
        ("mkfifo pipe", '"pipe" is a named pipe'),
        ("for n in $(seq 2100); do : > f$n; done", "more than 2000 entries"),
        ("kill -SEGV $$", "signal 11|exit code 139"),
        ("mkdir -p $(printf 'd/%.0s' $(seq 1200))", "more than 16 folders deep"),
    ],
)
def test_what_it_makes_is_judged(package: Package, script: str, words: str) -> None:
    with pytest.raises(BuildError, match=words):
        build(open_bot(package(manifest=manifest("sh", "-c", script))), "none")


def test_a_build_command_that_is_missing(package: Package) -> None:
    with pytest.raises(BuildError, match="could not be started: There is no program nowhere"):
        build(open_bot(package(manifest=manifest("nowhere"))), "none")


def test_a_build_that_hangs(package: Package, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_SECONDS", 1)
    folder = package(manifest=manifest("sh", "-c", "echo begun; sleep 1000"))
    with pytest.raises(BuildError, match="took more than 1 s:\n    begun"):
        build(open_bot(folder), mode)


@pytest.mark.parametrize(
    ("limit", "most", "made", "words"),
    [
        ("MAX_DISK_MB", 8, "head -c 1000000 /dev/zero", "wrote more than 8 MB"),
        ("MAX_FILES", 500, ":", "made more than 500 files"),
    ],
)
def test_a_build_that_writes_without_end(
    limit: str, most: int, made: str, words: str,
    package: Package, mode: Mode, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(room, limit, most)
    script = f"n=0; while :; do n=$((n+1)); {made} > f$n; done"
    with pytest.raises(BuildError, match=words):
        build(open_bot(package(manifest=manifest("sh", "-c", script))), mode)


def test_nothing_that_a_build_started_outlives_it(package: Package, mode: Mode) -> None:
    words = f"sleep 1{uuid.uuid4().int % 10**9}"
    script = f"{MAKE}; (setsid {words} > /dev/null 2>&1 &) ; sleep 0.2"
    build(open_bot(package(manifest=manifest("sh", "-c", script))), mode)
    lines = subprocess.run(("ps", "-eo", "args"), capture_output=True, text=True).stdout
    assert words not in lines


def test_a_build_that_nests_folders_without_end(package: Package, cache: Path, mode: Mode) -> None:
    """Beyond what a path or a recursion can reach: it is told, and goes like everything else."""
    name = "d" * 200
    script = f"for n in $(seq 1200); do mkdir {name}; cd -P {name}; done 2>/dev/null; sleep 1000"
    with pytest.raises(BuildError, match="deeper than the system allows"):
        build(open_bot(package(manifest=manifest("sh", "-c", script))), mode)
    assert list((cache / "bots").iterdir()) == []


def test_a_build_that_talks_without_end(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_SECONDS", 1)
    with pytest.raises(BuildError) as caught:
        build(open_bot(package(manifest=manifest("sh", "-c", "yes error"))), "none")
    assert str(caught.value).count("error") == 11  # ten lines, and the command


def test_a_build_has_no_network_and_reads_no_secrets(package: Package, mode: Mode) -> None:
    if mode == "none":
        pytest.skip("nothing is contained in this mode")
    script = f"{MAKE}; touch {Path.home()}/arena-was-here 2>&1; cat /etc/shadow; true"
    bot = build(open_bot(package(manifest=manifest("sh", "-c", script))), mode)
    assert bot.build is None
    assert not (Path.home() / "arena-was-here").exists()


def test_first_errors_begin_where_the_first_is() -> None:
    output = "warning: a\nIn function f:\nx.c:1: error: b\n\tcaret\n" + "note\n" * 20
    lines = first_errors(output)
    assert lines[0] == "x.c:1: error: b"
    assert len(lines) == 10
    assert first_errors("ld: a.o: undefined reference to 'f'\ncollect2: error: ld\n")[0][:2] == "ld"
    template = "/usr/include/c++/sort.h:4:   required from here\n"
    here = "bot.cpp:5:40:   required from here"
    there = "/usr/include/c++/ops.h:45: error: no match"
    assert first_errors(f"{template}{here}\n{there}\nnote\n") == [here, there, "note"]
    ocaml = ['File "bot.ml", line 7, characters 3-9:', "7 | a b", "Error: Unbound value a"]
    fortran = ["bot.f90:17:8:", "   17 |     a = 6", "Error: Symbol 'a' at (1) has no type"]
    assert first_errors("\n".join(["gcc bot.c", *ocaml])) == ocaml
    assert first_errors("\n\n".join(["x.f90:9:1:", *fortran])) == fortran
    pascal = [
        "Fatal: Can't find unit system used by bot",
        "Error: ppcx64 returned an error exitcode",
    ]
    assert first_errors("\n".join(["Compiling bot.pas", *pascal])) == pascal
    far = ["bot.c:4:2: warning: unused", *"abcdefghij", "Error: cannot be linked"]
    assert first_errors("\n".join(["fatal: not a git repository", *far])) == far[-1:]
    assert first_errors("a\n\nb\x1b[31m\n") == ["a", "b\\x1b[31m"]


def test_folders_closed_to_their_owner_are_removed(tmp_path: Path) -> None:
    made, outside = tmp_path / "made", tmp_path / "outside"
    (made / "a" / "b").mkdir(parents=True)
    outside.mkdir(mode=0o751)
    (made / "link").symlink_to(outside)
    (made / "a" / "b").chmod(0)
    (made / "a").chmod(0)
    remove(made)
    assert not made.exists()
    assert outside.stat().st_mode & 0o777 == 0o751
