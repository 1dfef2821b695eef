"""The Python of a script and the modules it needs: read, asked, told, and named in three places."""

import ast
import sys
import tracemalloc
import venv
from itertools import islice
from pathlib import Path

import pytest

from arena.bots import course
from arena.bots.package import open_bot
from arena.bots.prepare import as_package, prepare
from arena.checks.modules import ask_python, imports
from arena.checks.result import CheckResult
from arena.errors import ConfigError, SandboxError
from arena.model.containment import Held, SandboxChoice
from arena.model.contender import Contender, Home, Prepared
from arena.sandbox.probe import resolve
from arena.tournament.conditions import load_conditions
from arena.tournament.config_file import load_config
from tests.right_bot import RIGHT
from tests.submitting import accept

from .conftest import Check

NEEDS = "import brainy\n" + RIGHT
CUP = """
[tournament]
sandbox = "none"
{}
[game]
rules = "dots"
[[player]]
bot = "mine"
{}
[[player]]
bot = "mine"
name = "other"
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another Python, which has the module brainy."""
    home = tmp_path_factory.mktemp("python") / "venv"
    venv.create(home, symlinks=True)
    (site,) = home.glob("lib/python3*/site-packages")
    (site / "brainy.py").touch()
    return home / "bin" / "python"


def mine(folder: Path, script: str = NEEDS, more: str = "") -> Path:
    """A package with this script."""
    home = folder / "mine"
    home.mkdir(exist_ok=True)
    (home / "bot.py").write_text(script)
    manifest = 'name = "mine"\nrules = ["dots"]\ncommand = ["python3", "bot.py"]\n'
    (home / "bot.toml").write_text(manifest + more)
    return home


def started(results: object) -> CheckResult:
    """The item about the start."""
    *_, result = islice(results, 3)  # type: ignore[call-overload]
    return result


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("import a.b, c as d\nfrom e.f import g\n", ["a", "c", "e"]),
        ("def later():\n    import a\n", ["a"]),
        ("try:\n    import a\nexcept ImportError:\n    a = None\n", []),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n", ["typing"]),
        ("import own\nfrom pack import part\nfrom . import this\n", ["b", "c"]),
        ("import sys\nsys.path.append('vendor')\nimport a\n", []),
        ("import pack\nimport pack.data\n", []),
        ("from .helper import this\n", []),
        ("from kit.part import this\n", ["e", "f"]),
        ("import a\nthis is no Python\n", []),
        (f"import a\nx = {'-' * 300_000}1\n", []),
        (f"import a\nx = {'.'.join('x' * 3000)}\n", []),
        (f"import a\n#{' ' * 2**20}\n", []),
        ('import a\nx = "\\d"\n', ["a"]),  # Python warns of it
    ],
)
def test_imports_are_read(text: str, named: list[str], tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("import b\nimport own\n")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "part.py").write_text("import c\n")
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "__init__.py").write_text("import e\n")
    (tmp_path / "kit" / "part.py").write_text("import f\n")
    (tmp_path / "unused.py").write_text("import pytest_of_mine\n")
    (tmp_path / "bot.py").write_text(text)
    assert sorted(found.module for found in imports(tmp_path / "bot.py", tmp_path)) == named


def test_each_module_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"m{number}" for number in range(12)]
    for name in names:
        (tmp_path / f"{name}.py").write_text("".join(f"import {other}\n" for other in names))
    parsed, parse = list[str](), ast.parse
    monkeypatch.setattr(ast, "parse", lambda text: parsed.append(text) or parse(text))
    assert not list(imports(tmp_path / "m0.py", tmp_path)) and len(parsed) == len(names)


def test_a_module_that_is_not_there_fails_before_the_start(check: Check, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    result = started(check(f"open({str(mark)!r}, 'w')\nimport numpy, brainy\n" + RIGHT))
    assert result.passed is False
    assert result.detail.splitlines()[0].endswith(f"({sys.executable}) has no brainy")
    assert "student.py, line 2, imports brainy" in result.detail
    assert 'python = "…" in bot.toml' in (result.fix or "")
    assert not mark.exists()


def test_the_python_and_its_modules_are_reported(check: Check) -> None:
    result = started(check("import json, numpy\n" + RIGHT))
    version = ".".join(map(str, sys.version_info[:3]))
    assert result.detail.endswith(f"\nruns on Python {version} ({sys.executable}), with numpy")


@pytest.mark.parametrize("mode", ["bwrap", "limits", "none"])
def test_another_python_runs_in_every_sandbox(
    mode: SandboxChoice, python: Path, tmp_path: Path
) -> None:
    try:
        held = resolve(mode, Prepared(name="bot", command=(sys.executable,)))
    except SandboxError as error:
        pytest.skip(str(error))
    home = mine(tmp_path)
    tmp_path.chmod(0o755)
    contender = Contender(name="mine", program=as_package(open_bot(home), str(python)))
    spec = prepare(contender, "dots", Home(package=str(home), held=held))
    assert spec.command == (str(python), "bot.py")
    found = ask_python(spec)
    assert found is not None
    assert (found.has, found.lacks) == (("brainy",), ())


def test_an_old_python_without_the_names_of_its_modules_is_asked_too(tmp_path: Path) -> None:
    home, old = mine(tmp_path, "import json, numpy\n" + NEEDS), tmp_path / "python-old"
    old.write_text(
        f"#!/bin/sh\nshift\ncode=$1\nshift\nexec {sys.executable} "
        '-c "import sys; del sys.stdlib_module_names\n$code" "$@"\n'
    )
    old.chmod(0o755)
    spec = Prepared(name="mine", command=(str(old), "bot.py"), cwd=str(home), held=Held())
    found = ask_python(spec)
    assert found is not None and found.has == ("numpy",)
    assert [each.module for each in found.lacks] == ["brainy"]


def test_a_start_that_fails_names_the_python(check: Check) -> None:
    result = started(check("match = case\n"))
    assert result.passed is False and "NameError" in result.detail
    assert f"({sys.executable})" in result.detail.splitlines()[-1]


def test_a_python_that_says_too_much_is_cut_off(tmp_path: Path) -> None:
    home, noisy = mine(tmp_path), tmp_path / "python-noisy"
    noisy.write_text("#!/bin/sh\nexec cat /dev/zero\n")
    noisy.chmod(0o755)
    spec = Prepared(name="mine", command=(str(noisy), "bot.py"), cwd=str(home), held=Held())
    tracemalloc.start()
    assert ask_python(spec) is None
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20


@pytest.mark.parametrize("says", ['["3", []]', "[3, {}]", "[" * 5000], ids=["list", "3", "deep"])
def test_a_python_that_says_something_else_is_not_believed(tmp_path: Path, says: str) -> None:
    home, other = mine(tmp_path), tmp_path / "python-other"
    other.write_text(f"#!/bin/sh\necho '{says}'\n")
    other.chmod(0o755)
    assert ask_python(Prepared(name="mine", command=(str(other), "bot.py"), cwd=str(home))) is None


def test_a_file_of_the_bot_does_not_answer_in_place_of_its_python(tmp_path: Path) -> None:
    home = mine(tmp_path)
    (home / "json.py").write_text("import os\nwhile True: os.write(1, b'x' * 65536)\n")
    contender = Contender(name="mine", program=as_package(open_bot(home)), sandbox="none")
    found = ask_python(prepare(contender, "dots", Home(package=str(home))))
    assert found is not None and [each.module for each in found.lacks] == ["brainy"]


def test_the_table_goes_before_bot_toml_and_that_before_the_tournament(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("python-a", "python-b", "python-c"):
        (tmp_path / name).symlink_to(python)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    cup = tmp_path / "cup.toml"

    def programs(tournament: str, manifest: str, table: str) -> list[str]:
        mine(tmp_path, RIGHT, manifest)
        cup.write_text(CUP.format(tournament, table))
        players = load_config(cup, {}).players
        prepared = [prepare(each.contender, "dots", each.home) for each in players]
        checked = load_conditions(cup, tmp_path / "mine", seed=1)
        assert checked.python_for(open_bot(tmp_path / "mine")) == prepared[0].command[0]
        return [Path(one.command[0]).name for one in prepared]

    a, b, c = (f'python = "python-{name}"' for name in "abc")
    own = Path(sys.executable).name
    assert programs("", "", "") == [own, own]
    assert programs(a, "", "") == ["python-a", "python-a"]
    assert programs(a, b, "") == ["python-b", "python-b"]
    assert programs(a, b, c) == ["python-c", "python-b"]
    assert programs('python = "./python-a"', "", "") == ["python-a", "python-a"]


def test_a_course_names_one_for_all_its_bots(python: Path, tmp_path: Path) -> None:
    folder = tmp_path / "class"
    accept(open_bot(mine(tmp_path)), [], folder)
    course.init(folder)
    rules = folder / "course.toml"
    rules.write_text(f'python = "{python}"\n' + rules.read_text())
    cup = tmp_path / "cup.toml"
    for line, runs in (("", str(python)), (f"python = {sys.executable!r}", sys.executable)):
        tables = CUP.format(line, "").partition("[[player]]")[0]
        other = '[[player]]\nbot = "mine"\nname = "other"\n'
        for table in ('from = "class"', 'bot = "class/mine"', 'bot = "class/mine@1"'):
            cup.write_text(f"{tables}[[player]]\n{table}\n{other}")
            (player, _) = load_config(cup, {}).players
            assert prepare(player.contender, "dots", player.home).command[0] == runs
    rules.write_text('python = "python9"\n')
    with pytest.raises(ConfigError, match=r"course.toml: python: Python \"python9\" is not on"):
        course.python_of(folder)


def test_a_build_has_the_same_python(
    check: Check, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    build = 'build = ["python3", "-c", "import brainy; open(\'made\', \'w\')"]\n'
    home = mine(tmp_path, more=build)
    assert next(islice(check(home, rules=None), 1, None)).passed is False
    results = list(islice(check(home, rules=None, python=str(python)), 3))
    assert [result.passed for result in results] == [True] * 3, results
    assert results[2].detail.endswith(f"({python}), with brainy")


@pytest.mark.parametrize(
    ("tournament", "table", "expected"),
    [
        ('python = "python9"', "", 'tournament.python: Python "python9" is not on the PATH'),
        ("", 'python = "./python9"', "player[1].python: no such file: "),
        ("", 'python = "/etc/passwd"', "is not an executable file"),
    ],
)
def test_a_python_that_is_not_there_is_reported(
    tournament: str, table: str, expected: str, tmp_path: Path
) -> None:
    mine(tmp_path, RIGHT)
    cup = tmp_path / "cup.toml"
    cup.write_text(CUP.format(tournament, table))
    with pytest.raises(ConfigError) as error:
        load_config(cup, {})
    assert expected in str(error.value)


def test_a_built_in_player_takes_no_other(tmp_path: Path) -> None:
    cup = tmp_path / "cup.toml"
    cup.write_text('[game]\nrules = "dots"\n[[player]]\ncommand = ["sh"]\npython = "python3"\n')
    with pytest.raises(ConfigError, match="is for scripts and bots with"):
        load_config(cup, {})


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("python9", 'Python "python9" is not on the PATH'),
        ("../python", "bot.toml:4: python: must be a name without slashes"),
        ("/home/staff/venv/bin/python", "python: must be a name"),
    ],
)
def test_bot_toml_names_programs_of_the_path_alone(
    named: str, expected: str, check: Check, tmp_path: Path
) -> None:
    home = mine(tmp_path, RIGHT, f'python = "{named}"\n')
    failed = next(result for result in check(home, rules=None) if result.passed is False)
    assert failed.number <= 2
    assert expected in failed.detail
    assert failed.fix


@pytest.mark.parametrize("words", [("-m", "bot"), ("-u", "-m", "bot", "deep"), ("-u", "bot.py")])
@pytest.mark.parametrize("file", ["bot.py", "bot/__main__.py"])
def test_what_a_python_starts_is_found(words: tuple[str, ...], file: str, tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("import brainy\n")
    command = (sys.executable, *words)
    found = ask_python(Prepared(name="bot", command=command, cwd=str(tmp_path), held=Held()))
    assert found is not None
    there = "-m" in words or file == "bot.py"
    assert [each.module for each in found.lacks] == ["brainy"] * there


def test_a_module_that_a_python_starts_in_a_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "bot.py").write_text("import brainy\n")
    command = (sys.executable, "-m", "deep.bot")
    found = ask_python(Prepared(name="bot", command=command, cwd=str(tmp_path), held=Held()))
    assert found is not None and [each.module for each in found.lacks] == ["brainy"]


@pytest.mark.parametrize("command", [("/bin/sh",), (sys.executable, "-m")])
def test_nothing_is_reported_where_no_python_runs_it(command: tuple[str, ...]) -> None:
    assert ask_python(Prepared(name="bot", command=command, held=Held())) is None
