"""The starters: each is written, tested by its own test, built, and plays all it claims."""

import json
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

import rules
from arena.bots.build import build
from arena.bots.package import Bot, open_bot
from arena.bots.programs import build_of
from arena.bots.starter import LANGUAGES, starter_files, write_starter
from arena.checks.positions import boards_of, practice_positions
from arena.cli.bot_commands import Language
from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.referee import SessionPool, play_game
from arena.referee.requests import Requests
from arena.sandbox.probe import resolve
from rules.position import Position
from tests.conftest import match
from tests.pages import text_of

from .starter_policy import starter_move

NAME = "my-first.bot"
ROOT = Path(__file__).parents[2]
STARTERS = ROOT / "arena" / "bots" / "starters"
MANIFESTS = {each: tomllib.loads(starter_files(NAME, each)["bot.toml"]) for each in LANGUAGES}
GAMES = {
    "othello": ({}, {"preset": "cornerless"}),
    "dots": ({"rows": 3, "cols": 4}, {"rows": 1, "cols": 11}),
    "2048": ({}, {"placer": "player", "placer_chooses": "cell"}),
    "2584": ({"placer": "player"},),
}


def strongest() -> Mode:
    """The sandbox that a tournament gives to who asks for none."""
    return resolve("auto", Prepared(name="bot", command=("/bin/sh",))).mode


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(language, marks=pytest.mark.slow if "build" in manifest else [])
        for language, manifest in MANIFESTS.items()
    ],
)
def starter(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot as `arena new` writes it."""
    language = request.param
    (tool, *_) = MANIFESTS[language].get("build") or MANIFESTS[language]["command"]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    folder = tmp_path_factory.mktemp(language) / NAME
    write_starter(NAME, language, folder)
    return folder


@pytest.fixture(scope="module")
def bot(starter: Path, tmp_path_factory: pytest.TempPathFactory) -> Bot:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        return build(open_bot(starter), strongest())


@pytest.mark.slow
def test_its_files_are_filled_in(starter: Path) -> None:
    texts = [path.read_text() for path in starter.iterdir()]
    assert not any(re.search(r"@[A-Z]+@", text) for text in texts)
    assert sum(NAME in text for text in texts) == 2, "bot.toml and the program"


@pytest.mark.parametrize(("language", "file"), [("cpp", "bot.cpp"), ("java", "Bot.java")])
def test_it_is_built_as_its_file_is_by_itself(language: str, file: str) -> None:
    manifest = tomllib.loads(starter_files(NAME, language)["bot.toml"])
    assert build_of(file) == (tuple(manifest["build"]), tuple(manifest["command"]))


@pytest.mark.slow
def test_its_own_test_passes(starter: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(starter, tmp_path / "copy")
    run = subprocess.run(("sh", str(copy / "test.sh")), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("ok ") == 14


@pytest.mark.slow
def test_it_plays_whole_games_of_all_it_claims(bot: Bot) -> None:
    assert set(bot.rules or ()) == set(GAMES)
    player = Prepared(
        name=bot.name, command=bot.command, cwd=bot.cwd, policy=Policy(mode=strongest())
    )
    with SessionPool(keep_alive=True) as pool:
        for name, variants in GAMES.items():
            for number, variant in enumerate(variants):
                seats = rules.load(name, **variant).seats
                spec = match(
                    *(player,) * seats, game=f"{name}-{number}", rules=name, variant=variant,
                    seed=7, clock=Clock(move_ms=10_000),
                )  # fmt: skip
                record = play_game(*spec, pool)
                assert record.termination is Termination.NATURAL, record.detail
                assert {seat.reported_name for seat in record.seats} == {NAME}


@pytest.mark.slow
def test_it_decides_as_the_python_starter_does(bot: Bot) -> None:
    games = [game for rule_set in bot.rules or () for game in boards_of(rule_set).values()]
    positions = [at for game in games for at in practice_positions(game, seed=5)]
    lines = []
    for seat, position in ((at.seat, at.position) for at in positions):
        requests = Requests("g0001", seat, Clock(move_ms=1000), 1000, 1, {})
        start, turn = requests.start(position, []), requests.turn(position, [])
        lines += [start.line.decode().rstrip(), turn.line.decode().rstrip()]
    run = subprocess.run(
        bot.command, cwd=bot.cwd, input="\n".join([*lines, ""]), stdout=subprocess.PIPE,
        text=True, check=True,
    )  # fmt: skip
    replies = map(json.loads, run.stdout.splitlines())
    moves = [reply["move"] for reply in replies if reply["type"] == "move"]
    assert moves == [starter_move(at.position) for at in positions]


@pytest.mark.slow
def test_the_test_fails_for_a_bot_that_plays_wrong(tmp_path: Path) -> None:
    write_starter("a", "python", tmp_path / "a")
    dialogue = tmp_path / "a" / "dialogue.txt"
    dialogue.write_text(dialogue.read_text().replace('"(d3|c4|f5|e6)"', '"(a1)"'))
    test = ("sh", str(tmp_path / "a" / "test.sh"))
    run = subprocess.run(test, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "FAILED  reply 2 is" in run.stdout
    assert 'it lacks "move": *"(a1)"' in run.stdout


def test_the_test_takes_a_dialogue_with_the_line_ends_of_windows(tmp_path: Path) -> None:
    write_starter("a", "python", tmp_path / "a")
    dialogue = tmp_path / "a" / "dialogue.txt"
    dialogue.write_bytes(dialogue.read_bytes().replace(b"\n", b"\r\n"))
    test = ("sh", str(tmp_path / "a" / "test.sh"))
    run = subprocess.run(test, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def has_all(patterns: str, answer: object) -> bool:
    """Whether `test.sh` takes the answer."""
    return all(re.search(each, json.dumps(answer)) for each in patterns.split(" & "))


def test_the_order_of_a_reply_does_not_matter(tmp_path: Path) -> None:
    write_starter("a", "python", tmp_path / "a")
    bot = tmp_path / "a" / "bot.py"
    bot.write_text(
        "import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
        "    if asked['type'] == 'start': print(json.dumps({'type': 'ready'}))\n"
        "    if asked['type'] == 'turn':\n"
        "        print(json.dumps(dict(move=asked['legal'][0], type='move', ply=asked['ply'])))\n"
    )
    test = ("sh", str(tmp_path / "a" / "test.sh"))
    run = subprocess.run(test, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_in_a_folder_of_a_group_it_is_of_the_group(tmp_path: Path) -> None:
    """With the umask 007 the others of the group could not even look into it."""
    tmp_path.chmod(0o2775)
    write_starter("a", "python", tmp_path / "a")
    assert (tmp_path / "a").stat().st_mode & stat.S_ISGID


def test_python_needs_no_arena(tmp_path: Path) -> None:
    write_starter("a", "python", tmp_path / "a")
    alone = (sys.executable, "-S", "bot.py")  # without any installed package
    run = subprocess.run(alone, cwd=tmp_path / "a", input=b'{"type":"quit"}\n', check=False)
    assert run.returncode == 0


def test_the_languages_are_those_there_are() -> None:
    assert set(LANGUAGES) == set(get_args(Language))
    assert {*LANGUAGES, "every"} == {path.name for path in STARTERS.iterdir()}
    (named,) = re.findall(r"arena new \S+ --lang (.*# or .*)", text_of("arena/bots/README.md"))
    assert set(re.findall(r"\w+", named)) - {"or"} == set(LANGUAGES), "the line of --lang"


def test_it_has_the_page_of_the_protocol(starter: Path) -> None:
    page = ROOT / "arena" / "bots" / "PROTOCOL.md"
    assert (starter / "PROTOCOL.md").read_text() == page.read_text()


def test_the_dialogue_is_one_the_referee_could_have() -> None:
    asked = (STARTERS / "every" / "dialogue.txt").read_text().splitlines()
    requests = [json.loads(line[2:]) for line in asked if line.startswith("> ")]
    replies = [line[2:] for line in asked if line.startswith("< ")]
    position: Position | None = None
    wanted = iter(replies)
    for request in requests:
        if request["type"] == "start":
            game = rules.load(request["rules"], **request["variant"])
            next(wanted)
        elif request["type"] == "turn":
            position = game.position(request["state"])
            assert request["legal"] == list(position.legal_moves())
            pattern = next(wanted)
            for move in request["legal"]:
                answer = {"type": "move", "ply": request["ply"], "move": move}
                assert has_all(pattern, answer)
            assert not has_all(pattern, {**answer, "move": "z9"})
            assert not has_all(pattern, {**answer, "ply": 10 * request["ply"] + 1})
    assert position is not None
