"""The pages: every example in them is run, in the order of its page, in a folder of its own.

Fenced blocks, by what follows the language:

    toml NAME.toml    a file, written to the folder and read by the command it is for
    toml GAME         tables of players, read as those of a tournament of that game
    python NAME.py    a bot, written to the folder, which then plays a game
    cpp NAME.cpp      the same
    python            run, all of a page's in one namespace
    sh                commands: `arena …` and `export …` in this process, others by a shell
    text NAME         a file, written to the folder
    text              output, an example

Commands that take minutes are parsed, not run: see COSTLY.
"""

import contextlib
import io
import linecache
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import rules
from arena.bots import course
from arena.bots.manifest import read_manifest
from arena.checks.conditions import Conditions
from arena.entering import enter
from arena.entering.enter import conditions_of
from arena.errors import UserError
from arena.files.console import PlainConsole
from arena.model.protocol import Termination
from arena.reports import handbook
from arena.sandbox.hierarchies import REFEREES
from arena.tournament.config_file import load_config
from arena.tournament.executors.local import fit
from arena.tournament.store import Store
from arena.training.kinds import learns_by_td, load_training
from arena.web.safe import HEADERS
from players.catalogue import BUILTINS
from players.learning.tuning import config as tuning
from tests.command import arena
from tests.conftest import SMALL_TOURNAMENT
from tests.pages import COMMANDS, ROOT, Block, blocks_of, text_of

PAGES = tuple(page.file for page in handbook.PAGES.values())
COSTLY = {
    "play",
    "check",
    "analyse",
    "train",
    "tune",
    "sprt",
    "warm",
    "bench",
    "doctor",
    "engine",
    "serve",
    "worker",
    "openings",
}
"""Commands that take minutes, compile kernels or ask for keys: parsed only (`submit` does all that
`check` does). So are those on a cluster, which tests/tournament/test_cluster_faults.py gives."""
CASTS = {
    "othello": 'rules = "othello"',
    "cornerless": 'rules = "othello"\npreset = "cornerless"',
    "dots": 'rules = "dots"',
    "2048": 'rules = "2048"',
}
"""The game that tables of players are read with."""
MADE = {
    "train-quick.train/network.ntuple": "network-2048.ntuple",
    "td-cornerless.train/network.ntuple": "network-othello-cornerless.ntuple",
    "quick.tune/weights.json": "othello-tuned.json",
}
"""What the costly commands leave in `runs`, and weights of ours like it."""
FIRST = SMALL_TOURNAMENT
"""Stands for tournaments/first.toml, which takes minutes: the README's install command plays it."""
TOKEN = "7a1e2583614ea601e71102b74d49cedd"
"""The token of the students' page, for a course that it does not make."""
CHECKS = count()
"""Numbers the checks of pages that name no tournament."""


def commands_of(page: str) -> Iterator[list[str]]:
    for block in blocks_of(page):
        if block.language == "sh":
            for line in block.text.splitlines():
                yield shlex.split(line, comments=True)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of FIRST."""
    made = tmp_path_factory.mktemp("first")
    (made / "first.toml").write_text(FIRST)
    run_arena(["run", f"{made}/first.toml", "--store", f"{made}/first.sqlite"])
    return made / "first.sqlite"


@pytest.fixture
def folder(first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout as the pages expect it, with what their long commands leave."""
    monkeypatch.chdir(tmp_path)
    engines = tmp_path / "engines"
    engines.mkdir()
    for engine in ("gtp-rhino", "ntest"):  # not every machine has them
        (engines / engine).touch(0o755)
    monkeypatch.setenv("PATH", str(engines), prepend=os.pathsep)
    work = tmp_path / "checkout"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "tournaments").symlink_to(ROOT / "tournaments")
    (work / "sdk.py").write_text(text_of("players/sdk.py"))
    (work / "yours").mkdir()
    (work / "yours" / "engine").touch(0o755)
    for made, weights in MADE.items():
        (work / "runs" / made).parent.mkdir(parents=True)
        shutil.copy(ROOT / "players" / "weights" / weights, work / "runs" / made)
    shutil.copy(first, work / "runs")
    with monkeypatch.context() as patched:
        patched.setattr(secrets, "token_hex", lambda _: TOKEN)
        course.init(work / "class")
        course.add_owners(work / "class", ["ada"], datetime.now(UTC))
    monkeypatch.setenv("ARENA_TOKEN", "")
    monkeypatch.setattr(enter, "conditions_of", in_one_game)
    return work


def in_one_game(*asked: Any) -> Conditions:
    """The conditions of a check. The first without a tournament is in all that a starter claims;
    the others, of the same starter, are in dots alone.
    """
    conditions = conditions_of(*asked)
    whole = conditions.terms is not None or next(CHECKS) == 0
    return conditions if whole else replace(conditions, rules=("dots",))


def run_arena(arguments: list[str]) -> None:
    """One command line; what its `>` says it writes."""
    target = None
    if ">" in arguments:
        arguments, target = arguments[:-2], arguments[-1]
    result = arena(*arguments)
    assert result.exit_code == 0, f"arena {shlex.join(arguments)}: {result.output}"
    if target is not None:
        Path(target).write_text(result.stdout)


def parse_arena(arguments: list[str]) -> None:
    """Refuse what the command line would refuse, and file names that do not exist."""
    context = COMMANDS.make_context("arena", list(arguments))
    command = COMMANDS.get_command(context, arguments[0])
    assert command is not None, arguments[0]
    command.make_context(arguments[0], arguments[1:], parent=context)
    for word in arguments:
        assert not word.endswith(".toml") or Path(word).exists(), f"{word} does not exist"


def follow(command: list[str]) -> None:
    match command:
        case [] | [".", ".venv/bin/activate"] | ["pip", "install", *_]:
            pass
        case ["export", assignment]:
            name, _, value = assignment.partition("=")
            os.environ[name] = value
        case ["arena", first, *words] if first in COSTLY or "--on" in words:
            parse_arena(command[1:])
        case ["arena", *arguments]:
            run_arena(arguments)
        case [*program, ">", target]:
            Path(target).write_bytes(subprocess.check_output(program))
        case _:
            subprocess.run(command, check=True, capture_output=True)


def read_toml(block: Block) -> None:
    """Read the block as the command that takes it does."""
    if block.name in CASTS:
        path = Path("yours") / "cast.toml"
        path.write_text(f"[game]\n{CASTS[block.name]}\n{block.text}")
        assert load_config(path, BUILTINS, fit=partial(fit, cores=4)).players
        return
    assert block.name.endswith(".toml"), f"a toml block is named {block.name!r}"
    path = Path(block.name)
    tables = tomllib.loads(block.text)
    if block.name == "bot.toml":
        assert read_manifest(path).name
    elif block.name == "pyproject.toml":
        whole = tomllib.loads(text_of("tournaments/connect4/pyproject.toml"))
        assert tables["project"]["entry-points"] == whole["project"]["entry-points"]
    elif "network" in tables or learns_by_td(path):
        parse_arena(["train", block.name])
        assert load_training(path).config.games
    elif "tuning" in tables:
        assert tuning.load_config(path).games


def run_cell(text: str, namespace: dict[str, Any]) -> None:
    """As a notebook runs a cell: the source of its functions can be had."""
    name = f"<cell {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), namespace)


def play_bot(path: Path) -> None:
    """The bot plays games on a small board against itself, without a fault."""
    toml = Path(f"game-of-{path.stem}.toml")
    toml.write_text(
        '[tournament]\nconcurrency = 1\n[game]\nrules = "othello"\nsize = 4\n'
        f'[[player]]\nbot = "{path}"\nname = "a"\n[[player]]\nbot = "{path}"\nname = "b"\n'
    )
    run_arena(["run", str(toml)])
    with Store.open(Path("runs", f"{toml.stem}.sqlite")) as store:
        assert {record.termination for record in store.records()} == {Termination.NATURAL}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_example_works(page: str, folder: Path) -> None:
    blocks = blocks_of(page)
    for block in blocks:  # a file may be shown after the command that takes it
        if "." in block.name:
            Path(block.name).write_text(block.text)
    namespace: dict[str, Any] = {}
    for block in blocks:
        match block.language, block.name:
            case "toml", _:
                read_toml(block)
            case "python", "":
                run_cell(block.text, namespace)
            case "python" | "cpp", name:
                play_bot(Path(name))
            case "sh", "":
                for line in block.text.splitlines():
                    follow(shlex.split(line, comments=True))
            case "text", _:
                pass
            case other:
                pytest.fail(f"{page}: no such block: {other}")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", text_of(page)):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        path = (ROOT / page).parent / file if file else ROOT / page
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path.read_text("utf-8")), target


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_files_in_the_text_exist(page: str) -> None:
    rooms = r"`((?:arena|players|rules|tests|tournaments)/[\w./-]*)`"
    for path in re.findall(rooms, text_of(page)):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_the_text_exist(page: str) -> None:
    context = COMMANDS.make_context("arena", ["--help"], resilient_parsing=True)
    for word in re.findall(r"`arena ([a-z]+)", text_of(page)):
        assert COMMANDS.get_command(context, word) is not None, word


def test_the_games_of_a_person_alone_are_found_in_an_export(first: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    run_arena(["export", str(first), "--as", "jsonl", "--out", str(file)])
    (command,) = (each for each in commands_of("tournaments/README.md") if each[0] == "grep")
    search = [*(each.replace("ant", "monkey") for each in command[:3]), str(file)]
    games = file.read_text()
    for name, is_found in (("monkey", True), ("monkey@2", True), ("monkeys", False)):
        file.write_text(games.replace('"monkey"', f'"{name}"'))
        left = subprocess.run(search, capture_output=True, text=True, check=False).stdout
        assert left == ("" if is_found else file.read_text()), name


def test_the_unit_starts_the_server_again_while_a_tournament_plays() -> None:
    """In v2 no process can enter a group that was divided: systemd uses the child for processes."""
    (unit,) = (each for each in blocks_of("tournaments/README.md") if "[Service]" in each.text)
    assert f"\nDelegateSubgroup={REFEREES}\n" in unit.text


def test_nginx_leaves_addresses_as_they_are() -> None:
    """To `location /in/` with a `proxy_pass` it adds a redirection of /in, back from which the
    application leads.
    """
    (block,) = (each for each in blocks_of("tournaments/README.md") if "proxy_pass" in each.text)
    prefixes = re.findall(r"^location (\S+) {", block.text, re.MULTILINE)
    assert prefixes == ["/in", "/"]


def test_nginx_keeps_the_links_of_people_out_of_its_log() -> None:
    (block,) = (each for each in blocks_of("tournaments/README.md") if "proxy_pass" in each.text)
    links = block.text.partition("}")[0]
    assert "access_log off;" in links and "error_log /dev/null;" in links
    policy = HEADERS["Referrer-Policy"]
    assert f"add_header Referrer-Policy {policy} always;" in links, "a 502 asks for /favicon.ico"


def test_caddy_keeps_the_links_of_people_out_of_its_log() -> None:
    """It logs each request that fails, as all do while the server is started again."""
    (block,) = (each for each in blocks_of("tournaments/README.md") if "reverse_proxy" in each.text)
    assert "exclude http.log.error" in block.text
    policy = HEADERS["Referrer-Policy"]
    assert f"header /in/* Referrer-Policy {policy}" in block.text, "a 502 asks for /favicon.ico"


def test_the_readme_is_short() -> None:
    assert len(text_of("README.md").splitlines()) <= 150


def test_the_first_tournament_is_eight_lines() -> None:
    (block,) = (each for each in blocks_of("tournaments/README.md") if each.name == "cup.toml")
    assert len(block.text.strip().splitlines()) <= 8


def test_the_bot_is_at_most_ten_lines() -> None:
    (block,) = (each for each in blocks_of("arena/bots/README.md") if each.name == "bot.py")
    assert len(block.text.strip().splitlines()) <= 10


def test_the_readmes_boards_are_drawn_by_the_program() -> None:
    cornerless = "b5e6f3d2b4e3e2b6e4e5c5c3a7b2c6g5c4f2g1c7e7g2"
    othello = rules.load("othello", preset="cornerless").start()
    for move in re.findall("..", cornerless):
        othello = othello.play(move)
    dots = rules.load("dots", rows=3, cols=4).start()
    edges = "e3e4 b3b4 a3b3 d2e2 c2d2 d4e4 b2c2 b3c3 b1b2 e1e2 a1a2 c1d1 e2e3 a2a3 c4d4 c3d3 a4b4"
    for move in edges.split():
        dots = dots.play(move)
    board = [[4, 2, 0, 0], [2, 8, 4, 0], [16, 32, 8, 2], [128, 64, 16, 4]]
    tiles = rules.load("2048").position({"board": board, "score": 1060, "to_move": 0})
    for position in (othello, dots, tiles):
        *drawing, _ = str(position).splitlines()  # the last line tells who is to move
        for line in drawing:
            assert line.strip() in text_of("README.md")


def test_the_readmes_table_is_the_reports(first: Path) -> None:
    shown = arena("report", str(first)).stdout.splitlines()
    headers = [line.split() for line in text_of("README.md").splitlines() if line[:2] == "# "]
    (sample,) = (words for words in headers if "LOS" in words)
    assert sample in [line.split() for line in shown]


def test_arena_docs_lists_the_pages() -> None:
    shown = arena("docs")
    assert shown.exit_code == 0
    assert [line.split()[2] for line in shown.stdout.splitlines()] == list(handbook.PAGES)


@pytest.mark.parametrize("name", handbook.PAGES)
def test_arena_docs_writes_a_page_to_a_pipe(name: str) -> None:
    shown = arena("docs", name)
    assert (shown.exit_code, shown.stdout) == (0, text_of(handbook.PAGES[name].file))


@pytest.mark.parametrize(
    ("manpager", "pager", "missing"),
    [
        ("", "nosuch -R", "PAGER: there is no program nosuch;"),
        ("/bin/nosuch", "cat", "MANPAGER: there is no program /bin/nosuch;"),
        ("", "-x", "PAGER: there is no program -x;"),
        ("cat", "nosuch", ""),
        ("", "A=1 nosuch", ""),  # for the shell
        ("", "exec cat", ""),
        ("", "if true; then cat; fi", ""),
        ("", "", ""),
    ],
)
def test_a_pager_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    manpager: str,
    pager: str,
    missing: str,
) -> None:
    monkeypatch.setenv("MANPAGER", manpager)
    monkeypatch.setenv("PAGER", pager)
    monkeypatch.setattr("pydoc.pager", Mock())
    console = PlainConsole(force_terminal=True, file=io.StringIO())
    monkeypatch.setattr("sys.stdin", Mock())
    monkeypatch.setattr("sys.stdout", Mock())
    with pytest.raises(UserError, match=missing) if missing else contextlib.nullcontext():
        handbook.show("bots", console)
    assert capfd.readouterr().err == "", "nothing of the shell"
    monkeypatch.setattr("sys.stdin", io.StringIO())
    handbook.show("bots", console)  # Python takes no pager


def test_arena_docs_formats_a_page_on_a_terminal() -> None:
    read, written = os.openpty()
    environment = {**os.environ, "PAGER": "cat", "TERM": "xterm", "COLUMNS": "80"}
    shown = b""
    with subprocess.Popen(
        [sys.executable, "-m", "arena", "docs", "bots"],
        stdin=written, stdout=written, env=environment,
    ):  # fmt: skip
        os.close(written)
        with contextlib.suppress(OSError):  # the end of what a terminal shows
            while chunk := os.read(read, 4096):
                shown += chunk
    os.close(read)
    assert b"Write a bot" in shown
    assert b"# Write a bot" not in shown


def test_an_unknown_page_names_the_nearest() -> None:
    shown = arena("docs", "tournament")
    assert shown.exit_code == 2
    assert 'did you mean "tournaments"?' in shown.stderr


def test_the_wheel_has_every_page_and_the_tournaments() -> None:
    wheel = tomllib.loads(text_of("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    forced = wheel["force-include"]
    kept = {**forced, **wheel["sources"]}
    assert kept == {each: f"arena/pages/{each}" for each in kept}
    for page in (*PAGES, "tournaments/first.toml"):
        assert {page, page.split("/")[0]} & {*forced, *wheel["only-include"]}, page
    # A folder would go in with the runs and builds in it, which .gitignore leaves out elsewhere.
    assert all((ROOT / each).is_file() for each in forced)
