"""What others wrote is shown by every command, and commands no terminal."""

import io
import json
import os
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from arena.files.plain_text import printable, printable_json
from arena.model import Frozen
from arena.model.record import GameRecord
from tests import command
from tests.reports.conftest import play_record
from tests.reports.runs import begun, void

SEEN = "seen"
HIDDEN = (
    "\x1b[2J\x1b]0;t\x07\b\x7f\x85\x9b2J\u061c\u200b\u200d\u200e\u202e\u2028\u2029\u2060\u2066\u3164"
    "\ufe0f\ufeff\U000e0041"
)
FOREIGN = f"{SEEN}{HIDDEN}{SEEN}"
TOML = "".join(c if c.isalnum() else f"\\U{ord(c):08x}" for c in FOREIGN)
"""The same in a string of a TOML file."""
ALLOWED = f"{SEEN}\\u200b\\u200d\\u2028\\ufeff\\u3164"
"""In a string of a TOML file, what is taken there."""
MANIFEST = 'name = "b"\nrules = ["dots"]\ncommand = ["python3", "b.py"]\n'
QUICK = '[tournament]\nconcurrency = 1\nsandbox = "none"\n'
CUP = """[game]
rules = "dots"
rows = 1
cols = 1
[[player]]
bot = "monkey"
[[player]]
bot = "greedy"
"""


def arena(*arguments: str, typed: str = "") -> str:
    """All that a command prints, which is text that shows; `typed` is its stdin."""
    result = command.arena(*arguments, color=True, typed=typed)
    said = re.sub("\x1b\\[[0-9;]*m", "", result.stdout + result.stderr)
    odd = {c for c in said if c != "\n" and printable(c) != c}
    assert not odd, (arguments, said)
    return said


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_such_character_is_escaped_and_no_other() -> None:
    assert printable(HIDDEN).isascii()
    assert printable(f"é → ½ 漢字 X\\{HIDDEN[0]}") == "é → ½ 漢字 X\\\\x1b"
    assert printable("a\nb\t", keep="\n") == "a\nb\\t"
    document = json.dumps({FOREIGN: [FOREIGN, "é"]}, ensure_ascii=False, indent=1)
    assert json.loads(printable_json(document)) == json.loads(document)
    assert "é" in printable_json(document)
    assert printable(printable_json(document), keep="\n") == printable_json(document)
    plain = '{"a": ["b\x7f"]}\n'
    assert printable_json(plain) == '{"a": ["b\\u007f"]}\n'
    assert printable_json(plain.replace("\x7f", "")) == plain.replace("\x7f", "")


@pytest.mark.parametrize("command", ["check", "submit"])
@pytest.mark.parametrize(
    "manifest",
    [
        f'{MANIFEST}"{TOML}" = 1\n',
        f'{MANIFEST}["{TOML}"]\n"{TOML}" = "{TOML}"\n',
        f"{MANIFEST}{SEEN}\u202e = 1\n",
        f'{MANIFEST}x = "\x1b[2J"\n',
        f'{MANIFEST}"{TOML}" = 1\n"{TOML}" = 1\n',
        MANIFEST.replace('"b"', f'"{TOML}"'),
        MANIFEST.replace('"dots"', f'"{TOML}"'),
        MANIFEST.replace('["dots"]', f'{{"{TOML}" = "{TOML}"}}'),
        MANIFEST.replace('"python3"', f'"{TOML}"'),
        MANIFEST.replace('"python3"', f'"./{ALLOWED}"'),
        f'{MANIFEST}authors = ["{TOML}"]\n',
        f'{MANIFEST}build = ["{ALLOWED}"]\n',
    ],
)
def test_a_bot_toml(command: str, manifest: str, folder: Path) -> None:
    (folder / "b").mkdir()
    (folder / "b" / "bot.toml").write_text(manifest)
    (folder / "b" / "b.py").touch()
    more = {"check": (), "submit": ("--to", "subs")}[command]
    arena(command, "b", "--sandbox", "none", *more)


@pytest.mark.parametrize("form", ["folder", "zip", "tar", "script", "missing"])
def test_names_of_files_handed_in(form: str, folder: Path) -> None:
    name = FOREIGN.replace("/", "")
    bot = f"{name}.py"
    if form == "folder":
        bot = f"{name}.d"
        (folder / bot).mkdir()
        (folder / bot / "bot.toml").write_text(MANIFEST)
        (folder / bot / name).touch()
        os.mkfifo(folder / bot / f"{name}.pipe")
    elif form == "zip":
        bot = f"{name}.zip"
        with zipfile.ZipFile(bot, "w") as archive:
            archive.writestr(name, "")
            archive.writestr("bot.toml", MANIFEST)
    elif form == "tar":
        bot = f"{name}.tar"
        with tarfile.open(bot, "w") as packed:
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, name
            packed.addfile(link)
    elif form == "script":
        (folder / bot).write_text("print()")
    for words in (("check",), ("submit", "--to", "subs"), ("play", "dots", "--against")):
        assert SEEN in arena(*words, bot)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["both", "dies", "replies"])
def test_what_a_bot_writes(name: str, folder: Path) -> None:
    both = f"import sys; print({FOREIGN!r}); print({FOREIGN!r}, file=sys.stderr, flush=True)"
    dies = f"{both}; raise ValueError({FOREIGN!r})"
    replies = (
        "import json\ninput()\n"  # once it is asked: what comes before is told otherwise
        f"f = {FOREIGN!r}\n"
        "print(json.dumps({'type': 'ready', 'name': f, 'version': f, f: f}), flush=True)\n"
    )
    (folder / f"{name}.py").write_text({"both": both, "dies": dies, "replies": replies}[name])
    assert SEEN in arena("check", f"{name}.py", "--sandbox", "none", "--rules", "dots", "--json")
    (folder / "cup.toml").write_text(QUICK + CUP.replace("greedy", f"{name}.py"))
    assert SEEN in arena("run", "cup.toml")
    assert SEEN in arena("replay", "runs/cup.sqlite", "1", "--all")
    assert SEEN in arena("play", "dots", "--against", f"{name}.py")


def test_what_a_build_writes(folder: Path) -> None:
    (folder / "b").mkdir()
    (folder / "b" / "build.py").write_text(f"raise ValueError({FOREIGN!r})")
    (folder / "b" / "bot.toml").write_text(f'{MANIFEST}build = ["python3", "build.py"]')
    assert SEEN in arena("check", "b", "--sandbox", "none")


@pytest.mark.parametrize("command", ["run", "train", "tune"])
@pytest.mark.parametrize(
    "text",
    [
        f'["{TOML}"]\n"{TOML}" = "{TOML}"',
        f'[tournament]\nname = "{TOML}"\nformat = "{TOML}"\nrounds = "{TOML}"\nsandbox = "{TOML}"\n'
        f'require = ["{TOML}"]\n"{TOML}" = {{"{TOML}" = "{TOML}"}}\n{CUP}',
        f'{CUP}name = "{TOML}"\n[clock]\n"{TOML}" = 1\n[openings]\nfile = "{TOML}"\n'
        f'[rating]\nanchor = "{TOML}"\n[sprt]\nmodel = "{TOML}"',
        f'{CUP}[openings]\nfile = "openings"\n',
        f'[game]\nrules = "{TOML}"\n"{TOML}" = "{TOML}"',
        f'[game]\nrules = "othello"\npreset = "{TOML}"\n"{TOML}" = "{TOML}"',
        f'{CUP}options = {{"{TOML}" = "{TOML}"}}',
        *(f"{CUP}[[player]]\n{way} = {value}" for value in (f'"{TOML}"', f'["{TOML}"]')
          for way in ("bot", "command", "from", "name", "options")),
        f'{CUP}[[player]]\nbot = "uct"\noptions = {{evaluation = "{TOML}", think_ms = "{TOML}"}}',
        f'{CUP}[[player]]\nbot = "gtp"\noptions = {{command = "{ALLOWED}"}}',
        f'[training]\n"{TOML}" = "{TOML}"\n[game]\nrules = "2048"\n[network]\ntuples = ["{TOML}"]',
        f'[tuning]\nmethod = "{TOML}"\n[player]\nbot = "{TOML}"\noptions = {{"{TOML}" = 1}}\n'
        '[game]\nrules = "dots"',
        f"{SEEN}\u202e = 1",
    ],
)  # fmt: skip
def test_a_file_of_a_command(command: str, text: str, folder: Path) -> None:
    (folder / "openings").write_text(f"{FOREIGN}\na1b1 {FOREIGN}\n")
    (folder / "x.toml").write_text(text)
    more = ("--dry-run",) if command == "run" else ()
    arena(command, "x.toml", *more)


def test_names_that_a_tournament_takes(folder: Path) -> None:
    text = f'{QUICK}{CUP}name = "{ALLOWED}"\noptions = {{}}\n'
    (folder / "x.toml").write_text(text)
    assert f"{SEEN}\\u200b" in arena("run", "x.toml", "--dry-run")
    assert f"{SEEN}\\u200b" in arena("run", "x.toml")
    assert f"{SEEN}\\u200b" in arena("report", "runs/x.sqlite", "--csv", "results")


def foreign(value: Any, name: str = "") -> Any:
    """The value with every text in it foreign, but for those that make it a game."""
    if isinstance(value, Frozen):
        if name == "terms":
            return value
        given = {key: foreign(getattr(value, key), key) for key in type(value).model_fields}
        return value.model_copy(update=given)
    if isinstance(value, tuple | list):
        return type(value)(foreign(each, name) for each in value)
    if isinstance(value, dict):
        kept = name in ("final_state", "by")
        return value if kept else {key: foreign(each, key) for key, each in value.items()}
    if name == "player":
        return f"{value}{FOREIGN}"
    return FOREIGN if type(value) is str and name not in ("mode", "move") else value


@pytest.fixture
def run(folder: Path) -> Path:
    """A run whose file was made by somebody else."""
    path = folder / "x.sqlite"
    records: list[GameRecord] = [
        foreign(play_record("dots", "a", "b", rows=2, cols=2, seed=3, stderr="x", fault_at=2)),
        foreign(play_record("dots", "b", "a", rows=2, cols=2, seed=4, forfeit=1)),
        void(foreign(play_record("dots", "a", "b", rows=2, cols=2)), FOREIGN),
    ]
    games = [each.model_copy(update={"game": f"g{n}"}) for n, each in enumerate(records)]
    with begun(path, games, name=FOREIGN, left_out=(FOREIGN,)) as store:
        for record in games:
            store.add(record)
    return path


@pytest.mark.parametrize(
    "command",
    [
        "report", "report --json", "report --csv players", "report --csv crosstable",
        "report --csv results", "report --csv games", "games", "games --csv", "games --json",
        "replay g0 --all", "replay g1 --all", "replay g2 --all",
        "replay g0 --as transcript", "replay g0 --as record", "replay nowhere",
        pytest.param("analyse --json", marks=pytest.mark.slow),
        pytest.param("analyse", marks=pytest.mark.slow),
        pytest.param("analyse --game g0 --seconds 0.01", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_a_store(command: str, run: Path) -> None:
    name, *more = command.split()
    said = arena(name, str(run), *more)
    assert SEEN in said or "transcript" in command or "--seconds" in command or "nowhere" in command
    if "--json" in command or "record" in command:
        json.JSONDecoder().raw_decode(said)


@pytest.mark.parametrize(
    "text",
    [
        f"{FOREIGN},b,1\n", f"a,{FOREIGN},1\nb,a,0", f"a,b,{FOREIGN}", f"a,b,1,{FOREIGN}\n",
        f"first,second,{FOREIGN}\na,b,1", f'a,b,1\n"{FOREIGN}', f"{FOREIGN};a\n",
        f"{FOREIGN},{FOREIGN},1", "a\u200bb,c,1\n", "a\u2028b,c,1\n",
    ],
)  # fmt: skip
def test_results_to_be_rated(text: str, folder: Path) -> None:
    (folder / f"{FOREIGN.replace('/', '')}.csv").write_text(text)
    (file,) = folder.glob("*.csv")
    arena("rate", str(file))
    arena("rate", str(file), "--json")
    arena("rate", str(file), "--anchor", FOREIGN)


@pytest.mark.parametrize("rules", ["othello", "dots", "2048"])
@pytest.mark.parametrize(
    "position", [FOREIGN, f"a1b1 {FOREIGN}", json.dumps({"board": [FOREIGN], FOREIGN: FOREIGN}), ""]
)
def test_a_position(rules: str, position: str, folder: Path) -> None:
    (folder / "p").write_text(position or FOREIGN)
    arena("analyse", rules, position or f"@{FOREIGN}", "--seconds", "0.01")
    arena("analyse", rules, "@p", "--seconds", "0.01")


@pytest.mark.parametrize(
    "words",
    [
        [FOREIGN], [f"--{FOREIGN}"], ["report", FOREIGN], ["report", "x", FOREIGN],
        ["report", "x", f"--{FOREIGN}"], ["replay", "x", FOREIGN], ["run", FOREIGN],
        ["report", "x", "--csv", FOREIGN], ["players", FOREIGN], ["docs", FOREIGN],
        ["new", FOREIGN, "--lang", "python"], ["new", "x", "--lang", FOREIGN],
        ["play", FOREIGN], ["play", "dots", "--set", FOREIGN], ["play", "dots", "--seat", FOREIGN],
        ["play", "dots", "--set", f"{FOREIGN}={FOREIGN}"], ["play", "dots", "--against", FOREIGN],
        ["play", "dots", "--option", f"{FOREIGN}={FOREIGN}"], ["warm", FOREIGN],
        ["play", "dots", "--against", f"'{FOREIGN}"], ["sprt", FOREIGN, FOREIGN],
        ["sprt", f"{FOREIGN}.toml:x", "b"], ["check", FOREIGN, "--sandbox", FOREIGN],
    ],
)  # fmt: skip
def test_what_is_typed(words: list[str]) -> None:
    arena(*words)


def test_what_is_typed_in_a_game() -> None:
    settings = ("--set", "rows=1", "--set", "cols=1")
    arena("play", "dots", *settings, "--against", "monkey", typed=f"{FOREIGN}\nresign\n")


def test_nothing_is_printed_another_way() -> None:
    """By other consoles and echoes than those that escape."""
    room = Path(__file__).parents[2] / "arena"
    ways = re.compile(r"(?<![\w.])(Console|print)\(|typer\.s?echo\(|click\.s?echo\(")
    found = {
        f"{path.relative_to(room)}: {line.strip()}"
        for path in room.rglob("*.py")
        if "starters" not in path.parts
        and path.name not in ("console.py", "overload.py")
        and path not in (room / "cli/group.py", room / "cli/output.py")
        for line in io.StringIO(path.read_text())
        if ways.search(line) and "class " not in line
    }
    assert not {each for each in found if "languages.py" not in each}
