"""Tournament files: what they resolve to, and what is said about wrong ones."""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.prepare import prepare
from arena.errors import ConfigError, UserError
from arena.model.protocol import Clock
from arena.tournament.config import differences
from arena.tournament.config_file import TournamentConfig, load_config
from players.catalogue import BUILTINS
from tests.tournament.helpers import refusal

Load = Callable[..., TournamentConfig]
OTHELLO = '[game]\nrules = "othello"\n'
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n'
ODD = '[[player]]\nbot = "monkey"\n'


def test_a_minimal_file_has_every_default(load: Load, tmp_path: Path) -> None:
    config = load(OTHELLO + 'preset = "cornerless"\n')
    assert config.name == "t"
    terms = config.terms
    assert terms.rules == "othello"
    assert terms.variant == {
        "size": 8,
        "start": "empty",
        "corners": False,
        "free_centre": True,
    }
    assert terms.clock == Clock(move_ms=5000, bank_ms=None, increment_ms=0)
    assert (terms.grace_ms, terms.startup_ms) == (100, 30_000)
    assert (config.rounds, config.seed, config.concurrency, config.threads) == (1, 1, 2, 1)
    assert config.openings.plies == 8
    player = config.players[0]
    spec = prepare(player.contender, "dots", player.home)
    assert spec.command[-2:] == ("-m", "players.monkey")
    assert spec.cwd == str(tmp_path)
    assert (spec.threads, spec.memory_mb) == (1, 2048)


def test_the_tables_of_a_file_are_made_once(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(DOTS)
    monkeypatch.delattr("arena.tournament.config_tables.create_model")
    assert load(DOTS) == first


def test_a_configuration_survives_json(load: Load) -> None:
    config = load(DOTS + "[clock]\nbank_ms = 9000\n")
    assert TournamentConfig.model_validate_json(config.model_dump_json()) == config


def test_the_kernels_that_players_named_for_a_day_are_left_out(load: Load) -> None:
    config = load('[game]\nrules = "dots"\n')
    kept = config.model_dump(mode="json")
    for player in kept["players"]:
        player["kernels"] = "uct"
    assert TournamentConfig.model_validate(kept) == config


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("move_ms = 100", Clock(move_ms=100)),
        ("bank_ms = 900_000", Clock(move_ms=None, bank_ms=900_000)),
        ("bank_ms = 9\nincrement_ms = 5", Clock(move_ms=None, bank_ms=9, increment_ms=5)),
        ("bank_ms = 900\nmove_ms = 30", Clock(move_ms=30, bank_ms=900)),
        (
            "bank_ms = 5\nmove_ms = 9\nincrement_ms = 5",
            Clock(move_ms=9, bank_ms=5, increment_ms=5),
        ),
    ],
)
def test_clocks(load: Load, clock: str, expected: Clock) -> None:
    assert load(f"{DOTS}[clock]\n{clock}\n").terms.clock == expected


def test_the_clock_of_a_player_is_whole(load: Load) -> None:
    odd = '[[player]]\nbot = "monkey"\nclock = { bank_ms = 9000 }\n'
    config = load(f"[clock]\nmove_ms = 100\nincrement_ms = 0\n{DOTS}{odd}", players=1)
    odd_one, other = (player.contender for player in config.players)
    assert (odd_one.clock, other.clock) == (Clock(move_ms=None, bank_ms=9000), None)
    assert config.terms.clock == Clock(move_ms=100)
    assert TournamentConfig.model_validate_json(config.model_dump_json()) == config
    assert prepare(odd_one, "dots", config.players[0].home).clock == odd_one.clock


WRONG = [
    # text, line, what must be said
    (
        OTHELLO + "[tournament]\nrouns = 3\n",
        4,
        'tournament.rouns: unknown key; did you mean "rounds"?',
    ),
    (
        OTHELLO + "[turnament]\nrounds = 3\n",
        3,
        'turnament: unknown key; did you mean "tournament"?',
    ),
    (
        OTHELLO + '[tournament]\nformat = "knockuot"\n[knockout]\nextra = 0\n',
        4,
        "'ladder', 'sprt', got \"knockuot\"; did you mean \"knockout\"?",
    ),
    (OTHELLO + "[round-robin]\nrounds = 3\n", 4, "round-robin.rounds: unknown key; known: none"),
    (OTHELLO + '[tournament]\nrounds = "3"\n', 4, 'rounds: must be a valid integer, got "3"'),
    (OTHELLO + "[tournament]\nrounds = 1_000_000_000\n", 4, "less than or equal to 1000000"),
    (OTHELLO + "[tournament]\nseed = 100_000_000_000_000_000_000\n", 4, "seed: must be less than"),
    (OTHELLO + "[clock]\nmove_ms = 10_000_000_000\n", 4, "move_ms: must be less than or equal"),
    (OTHELLO + "[rating]\nanchor_elo = nan\n", 4, "anchor_elo: must be"),
    (
        OTHELLO + "[rating]\nanchor_elo = inf\n",
        4,
        "anchor_elo: must be a finite number",
    ),
    ("tournament = 3\n" + OTHELLO, 1, "tournament: must be a table: write [tournament], got 3"),
    (OTHELLO + "[tournament]\nrounds = 0\n", 4, "must be greater than or equal to 1, got 0"),
    (OTHELLO + "[tournament]\nseed = true\n", 4, "seed: must be a valid integer, got true"),
    (OTHELLO + '[tournament]\nname = "a/b"\n', 4, 'not empty, at most 200 bytes; got "a/b"'),
    (OTHELLO + '[tournament]\nname = "a\\u0007"\n', 4, "control character U+0007"),
    (
        OTHELLO + '[tournament]\nformat = "swis"\n',
        4,
        ', got "swis"; did you mean "swiss"?',
    ),
    (
        OTHELLO + '[tournament]\non_fault = "forfiet"\n',
        4,
        "must be one of 'forfeit', 'random_move', got \"forfiet\"; did you mean \"forfeit\"?",
    ),
    (
        OTHELLO + "[tournament]\nconcurrency = 3\n",
        4,
        "concurrency: 3 games of 1 core each need 3 cores, this machine has 2; at most 2",
    ),
    (OTHELLO + "[tournament]\nmax_plies = 8\n", 4, "leave no move after an opening of 8"),
    ("[game]\n", 1, "game.rules: is missing"),
    ('[game]\nrule = "othello"\n', 2, 'game.rule: unknown key; did you mean "rules"?'),
    (
        '[game]\nrules = "otello"\n',
        2,
        "game.rules: the game must be one of othello, dots, 2048, 2584",
    ),
    ('[game]\nrules = "otello"\n', 2, "did you mean 'othello'?"),
    (OTHELLO + 'presett = "cornerless"\n', 3, "game.presett: othello has no option 'presett'"),
    (OTHELLO + 'preset = "cornerles"\n', 3, "did you mean 'cornerless'?"),
    (OTHELLO + "size = 7\n", 3, "game.size: size must be even, from 4 to 16, not 7"),
    (DOTS + "[clock]\nmove_ms = 0\n", 6, "clock.move_ms: must be greater than 0, got 0"),
    (DOTS + "[clock]\nmove_ms = 1.5\n", 6, "clock.move_ms: must be a valid integer, got 1.5"),
    (DOTS + "[clock]\nincrement_ms = 5\n", 6, "clock.increment_ms: needs bank_ms"),
    (DOTS + "[clock]\nmove_ms = 9\nbank_ms = 5\n", 7, "5 ms, is less than one move may take"),
    (DOTS + "[clock]\ngrace_ms = -1\n", 6, "clock.grace_ms: must be greater than or equal to 0"),
    (DOTS + ODD + "clock = 500\n", 7, "player[1].clock: must be a table: write [player.clock]"),
    (DOTS + ODD + "clock = { move_ms = 0 }\n", 7, "player[1].clock.move_ms: must be greater than"),
    (DOTS + ODD + "clock = { increment_ms = 5 }\n", 7, "player[1].clock.increment_ms: needs bank"),
    (DOTS + ODD + "clock = { move_ms = 9, bank_ms = 5 }\n", 7, "player[1].clock.bank_ms: the bank"),
    (DOTS + ODD + "clock = { grace_ms = 5 }\n", 7, "known: move_ms, bank_ms, increment_ms"),
    (DOTS + "[openings]\nplies = 11\n", 6, "no opening of 11 plies leaves a game undecided"),
    (DOTS + '[openings]\nfile = "none.txt"\n', 6, "openings.file: no such file: "),
    (DOTS + f'[openings]\nfile = "{"x" * 300}"\n', 6, "x: File name too long; check it"),
    (
        DOTS + '[openings]\nfile = "t.toml"\nplies = 2\n',
        7,
        "openings.plies: cannot be given together with",
    ),
    ('[game]\nrules = "2048"\n[openings]\nplies = 2\n', 4, "2048 has none: each seed"),
    (DOTS + '[rating]\nanchor = "m2"\n', 6, 'no player is named "m2"; players: m0, m1'),
    (DOTS + '[[player]]\nbot = "thinkr"\n', 6, 'did you mean "thinker"? (built-in players: monkey'),
    (DOTS + '[[player]]\nbot = "bots/x.py"\n', 6, "player[1].bot: no such file: /"),
    (DOTS + '[[player]]\nbot = "t.tom/"\n', 6, 'did you mean "t.toml"?'),
    (DOTS + '[[player]]\nbot = "./t.toml"\n', 6, "is not executable and has no known interpreter"),
    (DOTS + '[[player]]\nbot = "./"\n', 6, "has no bot.toml, which says how it is started"),
    (DOTS + '[[player]]\nname = "x"\n', 5, "player[1].bot: is missing; a built-in player (monkey"),
    (DOTS + '[[player]]\nbot = ""\n', 6, "player[1].bot: is empty; a built-in player (monkey"),
    (
        DOTS + '[[player]]\nbot = "monkey"\ncommand = ["a"]\n',
        7,
        "command: cannot be given together with bot",
    ),
    (
        DOTS + '[[player]]\ncommand = ["no-such-prg"]\n',
        6,
        'program "no-such-prg" is not on the PATH',
    ),
    (DOTS + '[[player]]\ncommand = ["./t.toml"]\n', 6, "t.toml is not an executable file"),
    (DOTS + "[[player]]\ncommand = []\n", 6, "player[1].command: "),
    (
        DOTS + '[[player]]\ncommand = "java"\n',
        6,
        'must be a list: write ["java"], got "java"',
    ),
    (
        DOTS + '[[player]]\nbot = "thinker"\noptions = {cc = 1}\n',
        7,
        'options.cc: unknown key; did you mean "c"? (known: c, memory_mb, endgame_mb, ',
    ),
    (
        DOTS + '[[player]]\nbot = "thinker"\n[player.options]\nx = 0\nc = -1.0\n',
        9,
        "player[1].options.c: must be greater than or equal to 0, got -1.0",
    ),
    (
        DOTS + '[[player]]\nbot = "thinker"\noptions = {memory_mb = "x"}\n',
        7,
        'options.memory_mb: must be a valid integer, got "x"',
    ),
    (
        DOTS + '[[player]]\ncommand = ["sh"]\noptions = {at = 2020-01-01}\n',
        7,
        "player[1].options.at: dates, nan and inf cannot be sent",
    ),
    (
        '[game]\nrules = "2048"\n[[player]]\nbot = "thinker"\n',
        4,
        "player[1].bot: thinker does not know 2048",
    ),
    (
        DOTS + '[[player]]\nbot = "monkey"\nresources = {threads = 3}\n',
        7,
        "player[1].resources.threads: asks for 3 cores, this machine has 2",
    ),
    (
        DOTS + '[[player]]\nbot = "thinker"\noptions = {threads = 2}\n',
        5,
        "player[1].resources.threads: 1 are too few for options.threads = 2; give at least 2",
    ),
    (
        DOTS + '[[player]]\nbot = "thinker"\noptions = {memory_mb = 2000}\n',
        5,
        "player[1].resources.memory_mb: 2048 MB are too few for options.memory_mb = 2000 and "
        "options.endgame_mb = 64 and 400 MB for the program itself; give at least 2464",
    ),
    (
        DOTS + '[[player]]\nbot = "monkey"\nresources = {memory = 3}\n',
        7,
        'resources.memory: unknown key; did you mean "memory_mb"?',
    ),
    (
        DOTS + '[[player]]\nbot = "monkey"\n[[player]]\nbot = "monkey"\n',
        7,
        'player[2].name: player[1] is named "monkey" already; give each of them a name of its own',
    ),
    (
        DOTS + '[[player]]\nbot = "monkey"\nname = "m0"\n',
        10,
        'player[2].name: player[1] is named "m0" already; names must differ',
    ),
    (DOTS + '[[player]]\nbot = "monkey"\nname = " "\n', 7, "player[1].name: must not be empty"),
    ("x = [\n", 2, "not valid TOML: "),
]


@pytest.mark.parametrize(
    ("text", "line", "expected"), WRONG, ids=[expected[:40] for _, _, expected in WRONG]
)
def test_each_mistake_is_named(
    load: Load, text: str, line: int, expected: str, tmp_path: Path
) -> None:
    refused = refusal(load, text)
    (found,) = (part for part in refused.splitlines() if expected in part)
    assert found.startswith(f"{tmp_path}/t.toml:{line}: ")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('path = "bot.py"', "bot"),
        ('file = "bot.py"', "bot"),
        ('cmd = ["./bot"]', "command"),
        ('exec = ["./bot"]', "command"),
        ('submissions = "class"', "from"),
    ],
)
def test_a_player_by_another_key_is_shown_its_key_alone(
    load: Load, written: str, meant: str
) -> None:
    (said,) = refusal(load, f"{DOTS}[[player]]\n{written}\n").splitlines()
    assert f': unknown key; did you mean "{meant}"? (known: bot,' in said


def test_a_key_like_none_is_reported_with_those_that_are_known(load: Load) -> None:
    said = refusal(load, f'{DOTS}[[player]]\nbot = "monkey"\nthin = "x"\n')
    assert "player[1].thin: unknown key; known: bot, command, from," in said


def test_a_value_in_place_of_tables_is_reported_with_how_they_are_written(load: Load) -> None:
    said = 't.toml:1: player: must be a list of tables: write [[player]], got "x"'
    assert said in refusal(load, 'player = "x"\n' + DOTS, players=0)


def test_all_mistakes_come_at_once_in_the_order_of_the_file(load: Load) -> None:
    refused = refusal(
        load,
        '[tournament]\nrouns = 1\n[game]\nrules = "dots"\nrows = 0\ncols = 16\n'
        '[clock]\nmove_ms = "x"\n[[player]]\nbot = "monkee"\n',
    )
    keys = [line.split(": ")[1] for line in refused.splitlines()]
    assert keys == ["tournament.rouns", "game.rows", "game.cols", "clock.move_ms", "player[1].bot"]


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        ('rule = "othello"\npreset = "cornerles"', ["game.rule", "game.preset"]),
        (
            'rule = "dots"\nrows = 0\n[openings]\nplies = -1',
            ["game.rule", "game.rows", "openings.plies"],
        ),
        ('rule = "otello"', ["game.rule", "game.rule"]),
        ('rule = "othello"\nruls = "othello"\npreset = "cornerles"', ["game.rule", "game.ruls"]),
        ('rule = "dots"\nrows = 2', ["game.rule"]),
    ],
)
def test_a_misspelt_rules_hides_no_mistake_next_to_it(
    load: Load, game: str, expected: list[str]
) -> None:
    refused = refusal(load, f"[game]\n{game}\n")
    assert [line.split(": ")[1] for line in refused.splitlines()] == expected


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ("bot = 3", "player[1].bot: must be a valid string, got 3"),
        ('command = "java -jar x"', 'must be a list: write ["java", "-jar", "x"], got "java'),
    ],
)
def test_a_wrong_value_is_not_judged_twice(load: Load, player: str, expected: str) -> None:
    refused = refusal(load, f"{DOTS}[[player]]\n{player}\n")
    assert refused.count("\n") == 0
    assert expected in refused


def test_too_few_players(load: Load) -> None:
    assert "at least 2 players are needed" in refusal(load, DOTS, players=1)
    assert "at least 1 player is needed" in refusal(load, '[game]\nrules = "2048"\n', players=0)
    assert len(load('[game]\nrules = "2048"\n', players=1).players) == 1
    duel = '[game]\nrules = "2048"\nplacer = "player"\n'
    assert "at least 2 players are needed" in refusal(load, duel, players=1)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("tournament.seed", "[tournament]\nseed = 2\n"),
        ("tournament.keep_alive", "[tournament]\nkeep_alive = true\n"),
        ("tournament.on_fault", '[tournament]\non_fault = "random_move"\n'),
        ("tournament.max_plies", "[tournament]\nmax_plies = 9\n"),
        ("tournament.ponder", "[tournament]\nponder = true\n"),
        ("game.corners", f"{OTHELLO}corners = false\n"),
        ("clock.move_ms", "[clock]\nmove_ms = 9\n"),
        ("clock.grace_ms", "[clock]\ngrace_ms = 9\n"),
        ("clock.startup_ms", "[clock]\nstartup_ms = 9\n"),
        ("openings.plies", "[openings]\nplies = 2\n"),
        ("player m9.options.c", "options = {c = 2.0}\n"),
        ("player m9.clock.move_ms", "clock = {move_ms = 9}\n"),
        ("player m9.resources.threads", "resources = {threads = 2}\n"),
        ("player m9.resources.memory_mb", "resources = {memory_mb = 3000}\n"),
        ("player m9.sandbox", 'sandbox = "none"\n'),
    ],
)
def test_what_games_depend_on_is_a_difference(load: Load, key: str, text: str) -> None:
    player, own = '[[player]]\nbot = "thinker"\nname = "m9"\n', key.startswith("player")
    game = "" if key.startswith("game") else OTHELLO
    other = OTHELLO + player + text if own else game + text + player
    (line,) = differences(load(OTHELLO + player), load(other))
    assert line.startswith(f"{key}: ")


def test_another_python_is_a_difference(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    text = f'{OTHELLO}[[player]]\nbot = "a.py"\n'
    named = f'{text}python = "{sys.executable}"\n'
    assert differences(load(text), load(named)) == (f"player a.python: None → {sys.executable!r}",)


def test_threads_lower_the_number_of_games(load: Load) -> None:
    wide = DOTS + '[[player]]\nbot = "monkey"\nresources = {threads = 3}\n'
    assert load(wide, cores=8).concurrency == 2
    assert load(wide, cores=8).threads == 3
    asked = "[tournament]\nconcurrency = 3\n" + wide
    assert "3 games of 3 cores each need 9 cores, this machine has 8; at most 2" in refusal(
        load, asked, cores=8
    )
    assert load(asked, cores=9).concurrency == 3
    assert load(f"[tournament]\nponder = true\n{wide}", cores=8).threads == 3 + 1, "of two seats"


def test_a_script_of_a_shell_names_its_interpreter(load: Load, tmp_path: Path) -> None:
    script, text = tmp_path / "a.sh", DOTS + '[[player]]\nbot = "a.sh"\n'
    script.write_text("#!/usr/bin/env bash\nread line\n")
    (player,) = load(text, players=1).players[:1]
    prepared = prepare(player.contender, "dots", player.home)
    assert prepared.command == ("/usr/bin/env", "bash", str(script))
    script.write_text("#!/no/such/sh\n")
    assert "a.sh: line 1: the interpreter /no/such/sh does not exist" in refusal(
        load, text, players=1
    )


def test_a_closed_folder_is_reported_at_its_key(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", f"{path}/bot.toml")

    monkeypatch.setattr("arena.tournament.contenders.submitted", closed)
    told = refusal(load, DOTS + '[[player]]\nbot = "closed/bot.py"\n', players=1)
    assert "t.toml:6: player[1].bot: " in told
    assert "closed/bot.py/bot.toml: Permission denied; check it and the permissions" in told


def test_scripts_and_commands_find_their_interpreter_and_folder(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "bots"
    folder.mkdir()
    for name in ("a.py", "b.js", "c.sh", "d"):
        (folder / name).write_text("")
    (folder / "d").chmod(0o755)
    text = "".join(f'[[player]]\nbot = "bots/{name}"\n' for name in ("a.py", "b.js", "c.sh", "d"))
    text += (
        '[[player]]\ncommand = ["bots/d", "-x"]\nname = "e"\n[[player]]\ncommand = ["sh", "y"]\n'
    )
    players = load(DOTS + text, players=0).players
    specs = [prepare(player.contender, "dots", player.home) for player in players]
    assert [spec.command for spec in specs] == [
        (sys.executable, str(folder / "a.py")),
        ("node", str(folder / "b.js")),
        ("sh", str(folder / "c.sh")),
        (str(folder / "d"),),
        (str(folder / "d"), "-x"),
        ("sh", "y"),
    ]
    assert [spec.cwd for spec in specs] == [str(folder)] * 4 + [str(tmp_path)] * 2
    assert [spec.name for spec in specs] == ["a", "b", "c", "d", "e", "sh"]


def test_a_missing_interpreter_is_named(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "b.js").write_text("")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "needs node, which is not on the PATH" in refusal(
        load, DOTS + '[[player]]\nbot="b.js"\n'
    )


def test_openings_from_a_file(load: Load, tmp_path: Path) -> None:
    (tmp_path / "o.txt").write_text("# two\nf5d6c3\n\nf5, f6  # the parallel\n")
    config = load(OTHELLO + '[openings]\nfile = "o.txt"\n')
    assert config.openings.lines == (("f5", "d6", "c3"), ("f5", "f6"))
    (tmp_path / "o.txt").write_text("f5d6\nf5a1\nf5 zz\n")
    refused = refusal(load, OTHELLO + '[openings]\nfile = "o.txt"\n').splitlines()
    assert len(refused) == 2
    assert "o.txt: line 2: move 2 of the transcript: 'a1' is illegal" in refused[0]
    assert "o.txt: line 3: character 4 of the transcript: " in refused[1]
    (tmp_path / "o.txt").write_text("# nothing\n")
    assert "has no opening" in refusal(load, OTHELLO + '[openings]\nfile = "o.txt"\n')
    (tmp_path / "o.txt").write_text("a1b1a2b2 a1a2\n")
    assert load(DOTS + '[openings]\nfile = "o.txt"\n').openings.lines == (("a1b1", "a2b2", "a1a2"),)


def test_a_folder_whose_path_is_no_text(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"b\xff")
    folder.mkdir()
    (folder / "t.toml").write_text(OTHELLO + ODD + ODD)
    with pytest.raises(UserError, match="this path is not UTF-8"):
        load_config(folder / "t.toml", BUILTINS)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    def refused(path: Path) -> str:
        with pytest.raises(ConfigError) as caught:
            load_config(path, BUILTINS)
        return str(caught.value)

    (tmp_path / "pyproject.toml").touch()
    assert "no such file, and nothing like it in" in refused(tmp_path / "first.toml")
    (tmp_path / "second.toml").write_bytes(b"a = '\xff'")
    assert "no such file; there are: second.toml" in refused(tmp_path / "xyz")
    assert f'did you mean "{tmp_path}/second.toml"?' in refused(tmp_path / "secnd.toml")
    assert "not UTF-8 text: byte 0xff at 5" in refused(tmp_path / "second.toml")
    (tmp_path / "cup.sqlite").write_bytes(b"SQLite format 3\0\x10\0\xff")
    assert "is a file of SQLite, not text" in refused(tmp_path / "cup.sqlite")
    assert "is a folder" in refused(tmp_path)
