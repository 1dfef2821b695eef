"""Bots in a tournament: scripts, packages and folders of submissions, known by their content."""

import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import arena
from arena.bots.build import build
from arena.bots.package import open_bot
from arena.errors import ConfigChangedError, ConfigError
from arena.tournament.config import differences
from arena.tournament.config_file import TournamentConfig, load_config
from arena.tournament.field import Wanted, resumed
from arena.tournament.played_store import PlayedStore
from arena.tournament.ready import load_to_play, ready
from arena.tournament.run import run
from players import catalogue
from players.weights.evaluations import FOLDER as WEIGHTS
from tests.submitting import accept
from tests.tournament.conftest import BUILTINS
from tests.tournament.helpers import refusal

Load = Callable[..., TournamentConfig]
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n'
FREE = '[tournament]\nsandbox = "none"\nconcurrency = 1\n'
BOT = "from players import sdk\nsdk.play(lambda turn: turn.legal[0])\n"
LAST = BOT.replace("[0]", "[-1]")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))


def package(folder: Path, *rules: str, text: str = BOT, more: str = "") -> Path:
    """A folder with a bot of the folder's name."""
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(text)
    claims = ", ".join(f'"{each}"' for each in rules)
    (folder / "bot.toml").write_text(
        f'name = "{folder.name}"\nrules = [{claims}]\ncommand = ["python3", "bot.py"]\n{more}'
    )
    return folder


def submit(source: Path, folder: Path) -> None:
    accept(build(open_bot(source), "none"), (), folder)


@pytest.fixture
def submitted(tmp_path: Path) -> Path:
    """Three submissions: two for dots, one for Othello."""
    folder = tmp_path / "submissions"
    for name, rules in (("ada", ("dots", "2048")), ("bob", ("dots",)), ("eve", ("othello",))):
        submit(package(tmp_path / "work" / name, *rules), folder)
    return folder


def test_each_submission_that_plays_the_game_is_a_player(load: Load, submitted: Path) -> None:
    table = '[[player]]\nfrom = "submissions/"\noptions = {a = 1}\nsandbox = "limits"\n'
    config = load(f"{DOTS}{table}", players=1)
    assert [player.name for player in config.players] == ["ada", "bob", "m0"]
    assert config.left_out == ("eve does not take part: it plays othello",)
    for player in config.players[:2]:
        assert player.bot == f"submissions/{player.name}"
        assert player.contender.sandbox == "limits"
        assert player.contender.options == {"a": 1}
        assert player.home.package is not None
        assert Path(player.home.package).is_relative_to(submitted / player.name)
        assert player.digest is not None


def test_what_is_no_submission_says_how_there_are_some(load: Load, submitted: Path) -> None:
    said = refusal(load, f'{DOTS}[[player]]\nfrom = "classes"\n')
    assert "player[1].from: no such file: " in said and "`arena submit` makes it" in said
    said = refusal(load, f'{DOTS}[[player]]\nbot = "submissions"\n')
    assert 'is a folder of submissions; from = "submissions" takes every bot there' in said


def test_submissions_play_and_a_new_version_is_another_run(
    load: Load, submitted: Path, tmp_path: Path
) -> None:
    text = f'{FREE}{DOTS}[[player]]\nfrom = "submissions/"\n'
    config = ready(load(text, players=0, cores=1), tmp_path / "t.toml")
    with PlayedStore.open_run(tmp_path / "t.sqlite", config) as store:
        assert run(config, store).done == 2
    again = ready(load(text, players=0, cores=1), tmp_path / "t.toml")
    assert differences(config, again) == ()
    submit(package(tmp_path / "new" / "bob", "dots", text=LAST), submitted)
    changed = load(text, players=0, cores=1)
    (line,) = differences(config, changed)
    old, new = config.players[1].digest, changed.players[1].digest
    assert old is not None and new is not None
    assert line == (
        f"bob: its program changed since, submissions/bob (digest {old[:12]} → {new[:12]})"
    )
    with pytest.raises(ConfigChangedError, match="its program changed since, submissions/bob"):
        PlayedStore.open_run(tmp_path / "t.sqlite", changed)


def test_a_changed_script_is_another_run(load: Load, tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(BOT)
    text = f'{DOTS}[[player]]\nbot = "mine.py"\n[[player]]\ncommand = ["sh", "mine.sh"]\n'
    config = load(text, players=1)
    assert [player.digest is None for player in config.players] == [False, True, True]
    assert differences(config, load(text, players=1)) == ()
    script.write_text(LAST)
    (line,) = differences(config, load(text, players=1))
    assert line.startswith("mine: its program changed since, mine.py (digest ")
    undigested = config.players[0].model_copy(update={"digest": None})
    early = config.model_copy(update={"players": (undigested, *config.players[1:])})
    (line,) = differences(early, config)
    assert line.startswith("mine: its program may have changed since, mine.py (digest unknown → ")


def test_a_built_in_with_another_evaluation_is_another_run(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(default := (WEIGHTS / "evaluation-dots.json").read_text())
    table = '[[player]]\nbot = "alphabeta"\noptions = { evaluation = "mine.json" }\n'
    (tmp_path / "t.toml").write_text(f'{DOTS}{table}[[player]]\nbot = "monkey"\n')
    config = load_config(tmp_path / "t.toml", catalogue.BUILTINS)
    assert differences(config, load_config(tmp_path / "t.toml", catalogue.BUILTINS)) == ()
    file.write_text(default.rstrip() + " \n")
    changed = load_config(tmp_path / "t.toml", catalogue.BUILTINS)
    (line,) = differences(config, changed)
    assert line.startswith("alphabeta: mine.json of its options changed since (digest ")
    unknown = config.players[0].model_copy(update={"digest": None})  # of an earlier version
    early = config.model_copy(update={"players": (unknown, *config.players[1:])})
    assert differences(early, changed) == ()
    assert resumed(early, changed, Wanted(), None) == changed


def test_a_built_in_with_a_first_file_is_a_new_version(tmp_path: Path) -> None:
    """As one with another file in place of a file is."""
    (tmp_path / "mine.json").write_text((WEIGHTS / "evaluation-dots.json").read_text())

    def config(options: str) -> TournamentConfig:
        table = f'[[player]]\nbot = "alphabeta"\n{options}\n'
        (tmp_path / "t.toml").write_text(f'{DOTS}{table}[[player]]\nbot = "monkey"\n')
        return load_config(tmp_path / "t.toml", catalogue.BUILTINS)

    kept, read = config(""), config('options = { evaluation = "mine.json" }')
    (line,) = differences(kept, resumed(kept, read, Wanted(), None))
    assert line.startswith("player alphabeta.options.evaluation: ")
    taken = resumed(kept, read, Wanted(take_new=True), None)
    assert differences(kept, taken) == ()
    before, _, after = taken.players
    assert (before.status, after.version_of) == ("replaced", "alphabeta")
    assert after.contender.options == {"evaluation": "mine.json"}
    again = resumed(taken, read, Wanted(take_new=True), None)
    assert (again.players, again.left_out) == (taken.players, ())


def test_a_script_at_another_place_is_the_same(load: Load, tmp_path: Path) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(BOT)
    here, there = (
        load(f'{DOTS}[[player]]\nbot = "{folder}/mine.py"\n', players=1)
        for folder in ("here", "there")
    )
    assert differences(here, there) == ()
    (tmp_path / "there" / "mine.py").write_text(LAST)
    changed = load(f'{DOTS}[[player]]\nbot = "there/mine.py"\n', players=1)
    assert differences(here, changed) == ("player mine.bot: 'here/mine.py' → 'there/mine.py'",)


@pytest.mark.parametrize("form", ["folder", "zip"])
def test_a_package_is_built_before_it_plays(load: Load, tmp_path: Path, form: str) -> None:
    folder = package(
        tmp_path / "carl", "dots", text="", more='build = ["cp", "template", "bot.py"]\n'
    )
    (folder / "template").write_text(BOT)
    bot = "carl"
    if form == "zip":
        bot = "carl.zip"
        with zipfile.ZipFile(tmp_path / bot, "w") as archive:
            for file in folder.iterdir():
                archive.write(file, file.name)
    text = f'{FREE}{DOTS}[[player]]\nbot = "./{bot}"\n'
    loaded = load(text, players=1, cores=1)
    built = tmp_path / "cache" / "bots" / f"{loaded.players[0].digest}-built"
    assert not built.exists()
    config = ready(loaded, tmp_path / "t.toml")
    assert built.exists()
    assert config.players[0].digest == loaded.players[0].digest
    with PlayedStore.open_run(tmp_path / "t.sqlite", config) as store:
        run(config, store)
        assert {record.termination for record in store.records()} == {"natural"}
    assert (folder / "bot.py").read_text() == "", "it is built in a copy"


def test_a_package_next_to_the_file_needs_no_slash(load: Load, tmp_path: Path) -> None:
    package(tmp_path / "carl", "dots")
    config = load(f'{DOTS}[[player]]\nbot = "carl"\n', players=1)
    assert config.players[0].name == "carl"


def test_a_folder_that_cannot_be_used_is_reported_once(load: Load, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (told,) = refusal(load, f'{DOTS}[[player]]\nfrom = "empty"\n', players=0).splitlines()
    assert "player[1].from: " in told
    assert "has no submission" in told


def test_what_is_wrong_with_later_submissions_stops_no_run(
    load: Load, submitted: Path, tmp_path: Path
) -> None:
    text = f'{FREE}{DOTS}[[player]]\nfrom = "submissions"\n[[player]]\nbot = "monkey"\n'
    file, store = tmp_path / "t.toml", tmp_path / "t.sqlite"
    begun = ready(load(f'{text}[rating]\nanchor = "ada"\n', players=0, cores=1), file)
    PlayedStore.open_run(store, begun).close()
    submit(package(tmp_path / "late" / "monkey", "dots"), submitted)
    again = partial(load_to_play, file, BUILTINS, store)
    later = again(Wanted())
    assert later.players == begun.players
    assert "monkey does not take part: another player has its name" in later.left_out[-1]
    taken = again(Wanted(take_new=True))
    assert taken.players == begun.players, "nor does who chose that name stop the others"
    assert "monkey does not take part" in taken.left_out[-1]
    for home in submitted.iterdir():
        (home / "active").unlink()
    assert "has a version that plays" in again(Wanted()).left_out[0]
    assert arena.run(file, store=store).config.players == begun.players


def test_a_submission_with_the_name_of_another_player_stops_no_tournament(
    load: Load, submitted: Path
) -> None:
    text = f'{DOTS}[[player]]\nfrom = "submissions"\n[[player]]\nbot = "monkey"\nname = "bob"\n'
    config = load(text, players=0)
    assert [(player.name, player.builtin) for player in config.players] == [
        ("ada", None),
        ("bob", "monkey"),
    ]
    clash = "bob does not take part: another player has its name; give that one a name of its own"
    assert clash in config.left_out
    (submitted / "ada" / "active").unlink()
    assert f"as [[player]] tables, got 1; {clash}" in refusal(load, text, players=0)


def test_of_two_submissions_with_one_name_the_second_is_named_with_its_folder(
    load: Load, submitted: Path, tmp_path: Path
) -> None:
    """`from` takes no name, so the advice is a table of the bot's own."""
    submit(package(tmp_path / "new" / "bob", "dots", text=LAST), submitted.with_name("old"))
    text = f'{DOTS}[[player]]\nfrom = "submissions"\n[[player]]\nfrom = "old"\n'
    assert load(text, players=0).left_out[-1] == (
        "old/bob does not take part: a bot of another folder has its name; "
        'write a [[player]] with bot = "old/bob" and a name of its own'
    )
    mine = '[[player]]\nbot = "old/bob"\nname = "bob-old"\n'
    config = load(text + mine, players=0)
    assert [player.name for player in config.players] == ["ada", "bob", "bob-old"]


def test_a_failed_build_is_reported_with_the_player(load: Load, tmp_path: Path) -> None:
    package(tmp_path / "carl", "dots", more='build = ["sh", "-c", "echo no such type >&2; exit 3"]')
    config = load(f'{FREE}{DOTS}[[player]]\nbot = "./carl"\n', players=1)
    with pytest.raises(ConfigError) as caught:
        ready(config, tmp_path / "t.toml")
    assert "t.toml: player carl: " in str(caught.value)
    assert "ended with exit code 3" in str(caught.value)
    assert "no such type" in str(caught.value)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ('from = "none"', "player[1].from: no such file: /"),
        ('from = "work"', "has no submission"),
        (
            'from = "submissions"\nbot = "monkey"',
            "player[1].from: cannot be given together with bot",
        ),
        ('from = "submissions"\nname = "x"', "player[1].name: cannot be given together with from"),
        ('from = "submissions"\noptions = {at = 2020-01-01}', "options.at: dates, nan and inf"),
        ('bot = "work/eve"', "player[1].bot: eve plays othello, not dots"),
        ('form = "submissions"', 'player[1].form: unknown key; did you mean "from"?'),
    ],
)
def test_each_mistake_is_named(load: Load, submitted: Path, table: str, expected: str) -> None:
    refused = refusal(load, f"{DOTS}[[player]]\n{table}\n", players=1)
    assert expected in refused
    assert refused.count(expected) == 1


def test_a_folder_without_players_of_the_game_says_who_is_there(
    load: Load, submitted: Path
) -> None:
    refused = refusal(load, '[game]\nrules = "2584"\n[[player]]\nfrom = "submissions"\n', players=1)
    assert f"no submission in {submitted} plays 2584; there are: ada " in refused
