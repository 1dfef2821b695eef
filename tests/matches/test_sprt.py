"""`arena sprt` and a tournament's `[sprt]`, with games really played."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

from arena.errors import UserError
from arena.matches.sprt import read_side
from tests.command import arena
from tests.reports.conftest import play_record
from tests.reports.runs import begun

SMALL = ("--rules", "dots", "--set", "rows=3", "--set", "cols=3", "--sandbox", "none")
LOOK = (*SMALL, "--dry-run", "--max-games", "2")
"""What would be played; a hundred thousand games are counted one by one."""
RUN = "runs/sprt-dots-greedy-monkey.sqlite"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_clear_lead_is_soon_decided_and_the_report_knows_it() -> None:
    played = arena("sprt", "greedy", "monkey", *SMALL, "--elo1", "80")
    assert played.exit_code == 0, played.stderr
    assert "At most 100,000 games to play. About" in played.output
    takes = r"The test takes about 100 games \(\d+ s\) where the lead is 0 or 80,"
    assert re.search(takes, played.output)
    assert re.search(r"g0003 greedy \d–\d monkey · LLR \+\d\.\d\d", played.output)
    assert "H1 accepted: greedy is stronger." in played.output
    again = arena("sprt", "greedy", "monkey", *SMALL, "--elo1", "80")
    assert again.exit_code == 0 and "g0001 greedy" not in again.output
    assert "games done before; the test is decided, no more are played" in again.output
    assert "H1 accepted: greedy is stronger." in again.output

    data = json.loads(arena("report", RUN, "--json").output)["sprt"]
    assert (data["player"], data["decision"], data["unit"]) == ("greedy", "H1", "pair")
    assert data["llr"] >= data["upper"] and sum(data["counts"].values()) < 40
    shown = arena("report", RUN).output
    assert "SPRT: greedy against monkey" in shown
    assert "●┤ +2.94 H1" in shown and "is biased" in " ".join(shown.split())


@pytest.mark.slow
def test_not_decided_within_max_games_and_on_with_more() -> None:
    short = arena("sprt", "greedy", "monkey", *SMALL, "--max-games", "4")
    assert short.exit_code == 1, short.stderr
    assert "Not decided after 2 pairs." in short.output
    assert (
        "To play more, raise --max-games (or rounds in the file) and give the same" in short.output
    )
    more = arena("sprt", "greedy", "monkey", *SMALL, "--max-games", "8")
    assert more.exit_code == 1 and "4 of 8 games to play." in more.output
    other = arena("sprt", "greedy", "monkey", *SMALL, "--max-games", "8", "--elo1", "6")
    assert other.exit_code == 2 and "sprt.elo1: 5.0 → 6.0" in other.stderr


@pytest.mark.slow
def test_a_tournament_file_of_tiles_compares_seed_by_seed(folder: Path) -> None:
    players = '[[player]]\nbot = "greedy"\n[[player]]\nbot = "monkey"\n'
    table = (
        '[tournament]\nrounds = 3\nmax_plies = 60\nsandbox = "none"\n[sprt]\nmodel = "logistic"\n'
    )
    (folder / "t.toml").write_text(f'{table}[game]\nrules = "2048"\n{players}')
    assert arena("run", "t.toml").exit_code == 1
    data = json.loads(arena("report", "runs/t.sqlite", "--json").output)["sprt"]
    assert data["unit"] == "comparison" and sum(data["counts"].values()) == 3


def names_of(*arguments: str) -> str:
    """What the players of a run are called, and the run."""
    shown = arena("sprt", *arguments, *LOOK)
    assert shown.exit_code == 0, shown.stderr
    lines = shown.output.splitlines()
    return f"{lines[1].removeprefix('2 players: ')} in {lines[-1].rpartition(' ')[2]}"


def test_players_are_named_in_many_ways(folder: Path) -> None:
    (folder / "my cup.toml").write_text('[[player]]\nbot = "uct"\n')
    for name in ("old", "new", "its own"):
        (folder / name).mkdir()
        (folder / name / "bot.py").write_text("from players.monkey import main\nmain()\n")
    (folder / "quick.toml").write_text('bot = "uct"\n')
    (folder / "old" / "cup.toml").write_text(
        '[[player]]\nbot = "bot.py"\n[[player]]\nbot = "greedy"\nname = "hungry"\n'
    )
    (folder / "named.toml").write_text('name = "dash"\ncommand = ["python3", "old/bot.py"]\n')
    said = {
        ("uct", "old/bot.py"): "uct, bot in runs/sprt-dots-uct-bot.sqlite",
        ("monkey", "monkey"): "monkey-a, monkey-b in runs/sprt-dots-monkey-a-monkey-b.sqlite",
        ("old/bot.py", "./new/bot.py"): (
            "old/bot.py, new/bot.py in runs/sprt-dots-old-bot.py-new-bot.py.sqlite"
        ),
        ("python3 old/bot.py", "greedy"): "python3, greedy in runs/sprt-dots-python3-greedy.sqlite",
        ("its own/bot.py", "my cup.toml:uct"): "bot, uct in runs/sprt-dots-bot-uct.sqlite",
        ("quick.toml", "named.toml"): "quick, dash in runs/sprt-dots-quick-dash.sqlite",
        ("old/cup.toml:bot", "old/cup.toml:hungry"): (
            "bot, hungry in runs/sprt-dots-bot-hungry.sqlite"
        ),
        ("monkey", "greedy", "--name", "cup"): "monkey, greedy in runs/cup.sqlite",
        ("monkey", "greedy", "--store", "x.sqlite"): "monkey, greedy in x.sqlite",
    }
    for arguments, expected in said.items():
        assert names_of(*arguments) == expected
    assert not (folder / "runs").exists()


def test_a_players_file_and_options_that_go_before_it(folder: Path) -> None:
    (folder / "tuned").mkdir()
    (folder / "tuned" / "quick.toml").write_text(
        'bot = "alphabeta"\noptions = { depth = 3, evaluation = "mine.json" }\n'
    )
    (folder / "tuned" / "mine.json").write_text('{"features": {}}')
    shown = arena("sprt", "tuned/quick.toml", "uct", "--a-option", "depth=4", *LOOK)
    assert shown.exit_code == 0, shown.stderr
    assert "2 players: quick, uct" in shown.output
    assert not (folder / "runs").exists()
    (folder / "tuned" / "mine.json").unlink()
    shown = arena("sprt", "tuned/quick.toml", "uct", *LOOK)
    assert shown.exit_code == 2
    assert f"quick.toml:2: options.evaluation: no such file: {folder}/tuned" in shown.stderr


def test_a_command_may_end_in_the_name_of_a_file(folder: Path) -> None:
    words = "python3 bot.py settings.toml"
    assert read_side("A", words).table["command"] == words.split()
    (folder / words).write_text('bot = "uct"\n')
    assert read_side("A", words).table["bot"] == "uct"


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("player = 3\n", "none can be read"),
        ('[player]\nbot = "uct"\n', "none can be read"),
        ('[[player]]\nbot = 3\n[[player]]\nbot = "uct"\n', "cup.toml:uct"),
        ('[[player]]\nname = "ada"\nfrom = "."\n[[player]]\nbot = "uct"\n', "cup.toml:uct"),
    ],
)
def test_only_a_player_that_can_be_read_is_offered(folder: Path, text: str, there: str) -> None:
    (folder / "cup.toml").write_text(text)
    with pytest.raises(UserError) as caught:
        read_side("A", "cup.toml")
    assert str(caught.value) == f"A: cup.toml is a tournament; name one of its players: {there}"


def test_a_game_that_is_no_table_is_left_out(folder: Path) -> None:
    (folder / "cup.toml").write_text('game = 3\n[[player]]\nbot = "uct"\n')
    assert read_side("A", "cup.toml").game == {}


def test_the_only_player_of_a_file_need_not_be_named(folder: Path) -> None:
    (folder / "player.toml").write_text('[[player]]\nbot = "uct"\nname = "tuned"\n')
    shown = arena("sprt", "player.toml", "monkey", *LOOK)
    assert shown.exit_code == 0, shown.stderr
    assert "2 players: tuned, monkey" in shown.output
    assert "stop_at_majority false" in shown.output


@pytest.mark.parametrize("command", ["sprt", "match"])
def test_the_game_of_a_tournament_is_not_left_for_the_default(folder: Path, command: str) -> None:
    """A player of a file of dots would be measured at Othello."""
    (folder / "cup.toml").write_text('[game]\nrules = "dots"\n[[player]]\nbot = "uct"\n')
    refused = arena(command, "monkey", "cup.toml:uct")
    assert refused.exit_code == 2
    assert refused.stderr == (
        'B: cup.toml is a tournament of "dots", and the default is othello; add --rules, and --set '
        "where its board is another\n"
    )
    assert arena("sprt", "monkey", "cup.toml:uct", "--rules", "othello", "--dry-run").exit_code == 0


def test_the_board_of_a_tournament_is_not_left_for_the_default(folder: Path) -> None:
    cup = folder / "cup.toml"
    asked = ("sprt", "monkey", "cup.toml:uct", "--dry-run")
    for settings, options in (
        ('preset = "cornerless"\ncorners = false', "--set preset=cornerless --set corners=false"),
        ("size = 6", "--set size=6"),
    ):
        cup.write_text(f'[game]\nrules = "othello"\n{settings}\n[[player]]\nbot = "uct"\n')
        refused = arena(*asked)
        assert refused.exit_code == 2
        assert refused.stderr == (
            f"B: cup.toml is a tournament with settings of its own; add {options}, or --rules "
            "othello for the default\n"
        )
    for chosen in (("--set", "size=6"), ("--set", "size=4"), ("--rules", "othello")):
        assert arena(*asked, *chosen).exit_code == 0
    for wrong, why in (
        ("size = 7", "size must be even, from 4 to 16, not 7"),
        ('"\\u001b" = 1', r"othello has no option '\x1b'; known: preset, "),
    ):
        other = folder / "wrong.toml"
        other.write_text(cup.read_text().replace("size = 6", wrong))
        assert f"B: [game] of wrong.toml: {why}" in arena(asked[0], "uct", "wrong.toml:uct").stderr
    cup.write_text(cup.read_text().replace("6", "8"))
    assert arena(*asked).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("uct", "utc"), 'B: no built-in player or file "utc"'),
        (("uct", "uct", "--b-option", "c=-1"), "--b-option c: must be"),
        (("uct", "uct", "--a-option", "c"), "--a-option takes key=value"),
        (("bad.toml", "uct"), "bad.toml:2: options.c: must be"),
        (("bad.toml", "uct", "--a-option", "c=x"), "--a-option c: must be"),
        (("alphabeta", "uct", "--a-option", "depth=x"), 'depth: must be a valid integer, got "x"'),
        (("cup.toml", "uct"), "A: cup.toml is a tournament; name one of its players: cup.toml:uct"),
        (("uct", "cup.toml:utc"), "B: cup.toml is a tournament; it has no player named utc: cup"),
        (
            ("bad.toml:uct", "uct"),
            "A: bad.toml is not a tournament: it has no player named uct",
        ),
        (("uct", "cup.toml:odd one"), "cup.toml:6: player[2].options.c: must be"),
        (("uct", "uct", "--increment-ms", "5"), "--increment-ms: needs bank_ms"),
        (("uct", "uct", "--move-ms", "0"), "--move-ms: must be greater than 0, got 0"),
        (("uct", "uct", "--max-games", "3"), "--max-games: must be a multiple of 2, as games are"),
        (("many.toml", "uct"), "many.toml: from: names several players"),
        (("broken.toml", "uct"), "broken.toml:1: not valid TOML"),
        (("none.toml", "uct"), "A: none.toml: no such file"),
        (("uct", "a 'b"), "B: No closing quotation"),
        (("uct", ""), "B names no player"),
        (("uct", "uct", "--a-option", "threads=2"), "A, uct: resources.threads: 1 are too few"),
        (("uct", "monkey", "--elo0", "5"), "--elo1: must be above elo0 = 5 by 0.1 at least"),
        (("uct", "monkey", "--alpha", "0.7"), "--alpha: must be less than 0.5"),
        (("uct", "monkey", "--set", "rows=99"), "--set rows: rows"),
        (("uct", "monkey", "--plies", "100"), "--plies: no opening of 100 plies"),
        (("uct", "monkey", "--openings", "no.txt"), "--openings: no such file"),
        (("uct", "monkey", "--name", "a/b"), "--name: names the run's file"),
        (("uct", "monkey", "--concurrency", "500"), "--concurrency: 500 games"),
    ],
)
def test_mistakes_name_what_was_typed(
    folder: Path, arguments: tuple[str, ...], expected: str
) -> None:
    (folder / "bad.toml").write_text('bot = "uct"\noptions = { c = "x" }\n')
    (folder / "cup.toml").write_text(
        '[[player]]\nbot = "uct"\n[[player]]\nname = "odd one"\n'
        'bot = "uct"\noptions = { c = "x" }\n[[player]]\nfrom = "submissions"\n'
    )
    (folder / "many.toml").write_text('from = "submissions"\n')
    (folder / "broken.toml").write_text("bot = \n")
    result = arena("sprt", *arguments, *SMALL[:2], "--dry-run")
    assert result.exit_code == 2, result.output
    assert expected in result.stderr


def test_an_older_run_has_no_test(folder: Path) -> None:
    """Its configuration was kept before there were any."""
    path = folder / "old.sqlite"
    seated = (("greedy", "monkey"), ("monkey", "greedy"))
    games = [
        play_record("dots", *players, seed=n, game=f"g{n}", pair="p1", rows=2, cols=2)
        for n, players in enumerate(seated)
    ]
    with begun(path, games, format="sprt", format_keys={"elo0": 0.0, "elo1": 5.0}) as store:
        for game in games:
            store.add(game)
    assert json.loads(arena("report", str(path), "--json").output)["sprt"] is not None
    with sqlite3.connect(path) as database:
        (text,) = database.execute("SELECT config FROM run").fetchone()
        config = json.loads(text)
        config["format"] = "round-robin"
        del config["format_keys"]
        database.execute("UPDATE run SET config = ?", (json.dumps(config),))
    database.close()
    assert json.loads(arena("report", str(path), "--json").output)["sprt"] is None
