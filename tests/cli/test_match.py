"""`arena match`: games now, between players named as anywhere or as in a tournament."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots.package import open_bot
from arena.errors import UserError
from arena.matches.match import like, of_games, with_store
from arena.model.protocol import Clock
from arena.tournament.config import TournamentConfig
from arena.tournament.played_store import PlayedStore
from arena.tournament.run_view import RunView
from tests.command import arena
from tests.submitting import accept

CUP = """
[tournament]
sandbox = "none"
[game]
rules = "dots"
rows = 1
cols = 2
[clock]
move_ms = 1234
[[player]]
bot = "monkey"
name = "gnu"
options = {}
[[player]]
bot = "greedy"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup.toml").write_text(CUP)
    return tmp_path


def test_a_match_has_the_terms_of_a_tournament_and_is_kept(folder: Path) -> None:
    played = arena("match", "gnu", "monkey", "--like", "cup.toml", "--watch")
    assert played.exit_code == 0, played.output
    path = Path("runs/match-cup-gnu-monkey.sqlite")
    with RunView(path) as view:
        assert view.config.terms.clock.move_ms == 1234 and view.config.concurrency == 1
        assert [game.players for game in view.games] == [("gnu", "monkey"), ("monkey", "gnu")]
        assert {player.contender.sandbox for player in view.config.players} == {"none"}
        assert view.config.seed == 1
    assert "g0001 gnu " in played.output and "Kept in" in played.output


def test_a_bot_has_the_limits_it_has_in_the_tournament(folder: Path) -> None:
    tables = (
        'bot = "ant.py"\nname = "first"\noptions = { deep = 2 }\nresources = { memory_mb = 200 }',
        'from = "submissions"\nclock = { bank_ms = 700 }\nresources = { memory_mb = 300 }',
    )
    Path("cup.toml").write_text(CUP + "".join(f"[[player]]\n{table}\n" for table in tables))
    Path("submissions").mkdir()
    for name in ("ant.py", "bee.py"):
        Path(name).touch()
    match = like(Path("cup.toml"), (("./ant.py", None), ("./bee.py", None)))
    ant, bee = (player.contender for player in match.players)
    assert (ant.memory_mb, ant.clock, ant.options) == (200, None, {"deep": 2})
    assert (bee.memory_mb, bee.clock and bee.clock.bank_ms, bee.options) == (300, 700, {})
    monkey = like(Path("cup.toml"), (("./ant.py", None), ("monkey", None))).players[1]
    assert (monkey.contender.memory_mb, monkey.contender.clock) == (2048, None)


def test_submissions_are_named_as_they_play_with_options_and_versions(folder: Path) -> None:
    """One that a table names has the limits of that table in each version."""
    tables = (
        'from = "all"\nresources = { memory_mb = 300 }\noptions = { deep = 1, wide = 1 }',
        'bot = "some/cat"\nname = "tom"\nresources = { memory_mb = 200 }',
    )
    Path("cup.toml").write_text(CUP + "".join(f"[[player]]\n{table}\n" for table in tables))
    for path in (Path("fox.py"), Path("cat.py")):
        for number in (1, 2):
            path.write_text(f"# {number}")
            accept(open_bot(path), (), Path("all" if path.stem == "fox" else "some"))

    def contender(words: str, *options: str) -> tuple[str, int, dict[str, Any]]:
        found = like(Path("cup.toml"), ((words, options or None), ("greedy", None))).players[0]
        return found.name, found.contender.memory_mb, found.contender.options

    assert contender("fox", "deep=2") == ("fox", 300, {"deep": 2, "wide": 1})
    assert contender("fox@1") == ("fox@1", 300, {"deep": 1, "wide": 1})
    assert contender("tom", "deep=2") == ("tom", 200, {"deep": 2})
    assert contender("tom@1") == ("cat@1", 200, {})
    assert contender("some/cat@2") == ("cat@2", 200, {})
    with pytest.raises(UserError, match=r"^A: .*/all has no single version fox@3; choose: fox@1 "):
        contender("fox@3")


def test_a_submission_of_several_tables_has_what_the_one_that_names_it_gives(folder: Path) -> None:
    """Its folder is in one whose name has a space, and its file may be called as it likes."""
    Path("my cups").mkdir()
    tables = (
        'bot = "all/ant"\nname = "deep"\noptions = { depth = 9 }',
        'bot = "all/ant"\nname = "flat"\noptions = { depth = 1 }',
        'from = "none/"\noptions = { depth = 2 }',
        'from = "all/"\noptions = { depth = 3 }',
    )
    given = CUP + "".join(f"[[player]]\n{table}\n" for table in tables)
    Path("my cups/cup.txt").write_text(given)
    for name, place in (("ant", "all"), ("bee", "none")):
        Path(f"{name}.py").touch()
        accept(open_bot(Path(f"{name}.py")), (), Path("my cups", place))
    for name, depth in (("deep", 9), ("flat", 1), ("ant", 3)):
        typed = ((name, ["wide=1"]), (f"{name}@1", None))
        player, version = like(Path("my cups/cup.txt"), typed).players
        assert (player.name, version.name, version.number) == (name, "ant@1", 1)
        assert player.contender.options == version.contender.options | {"wide": 1}
        assert version.contender.options == {"depth": depth}


def test_a_bot_has_the_python_it_has_in_the_tournament(folder: Path) -> None:
    """Its path is relative to the tournament's file, which may be in another folder."""
    for name in ("cups/of_all", "cups/own"):
        python = Path(name)
        python.parent.mkdir(exist_ok=True)
        python.symlink_to(sys.executable)
    for name in ("bee.py", "cups/ant.py"):
        Path(name).touch()
    cup, ant = CUP.replace("[game]", 'python = "./of_all"\n[game]'), '[[player]]\nbot = "ant.py"\n'
    Path("cups/cup.toml").write_text(f'{cup}{ant}python = "./own"\n')
    Path("file.toml").write_text('bot = "bee.py"\n')
    pythons = [
        getattr(player.contender.program, "python", None)
        for words in ("./bee.py", "file.toml")
        for player in like(Path("cups/cup.toml"), (("cups/ant.py", None), (words, None))).players
    ]
    own, of_all = (str(folder.resolve() / "cups" / name) for name in ("own", "of_all"))
    assert pythons == [own, of_all] * 2


def test_a_match_plays_as_many_games_at_a_time_as_its_players_have_cores_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those who play it alone: no submission is in this folder."""
    monkeypatch.setattr("arena.tournament.executors.local.usable_cores", lambda: range(4))
    Path("bee.py").touch()

    def match_of(threads: int, cup: str = CUP) -> TournamentConfig:
        taken = f'[[player]]\nfrom = "submissions"\nresources = {{ threads = {threads} }}\n'
        Path("cup.toml").write_text(cup + taken)
        return like(Path("cup.toml"), (("./bee.py", None), ("greedy", None)))

    assert [match_of(threads).concurrency for threads in (1, 2, 3)] == [4, 2, 1]
    server = CUP.replace("[tournament]", "[tournament]\nconcurrency = 16")
    calm = CUP.replace("[tournament]", "[tournament]\nconcurrency = 1")
    assert [match_of(1, cup).concurrency for cup in (server, calm)] == [4, 1]
    with pytest.raises(UserError, match=r"^bee asks for 5 cores, this machine has 4$"):
        match_of(5)


def test_typed_options_go_before_those_of_the_tournament(folder: Path) -> None:
    deep = 'bot = "alphabeta"\nname = "deep"\noptions = { depth = 4, endgame = 6 }\n'
    Path("cup.toml").write_text(f"{CUP}[[player]]\n{deep}")
    for words in ("deep", "cup.toml:deep"):
        config = like(Path("cup.toml"), (("deep", None), (words, ["depth=2"])))
        assert {player.name: dict(player.contender.options) for player in config.players} == {
            "deep-a": {"depth": 4, "endgame": 6},
            "deep-b": {"depth": 2, "endgame": 6},
        }


def test_a_player_brings_the_clock_of_its_own(folder: Path) -> None:
    Path("cup.toml").write_text(f"{CUP}clock = {{ move_ms = 70 }}\n")
    Path("fast.toml").write_text('bot = "monkey"\nclock = { move_ms = 30 }\n')
    config = like(Path("cup.toml"), (("greedy", None), ("fast.toml", None)))
    clocks = {each.name: each.contender.clock for each in config.players}
    assert clocks == {"greedy": Clock(move_ms=70), "fast": Clock(move_ms=30)}
    fast = ("--rules", "dots", "--move-ms", 9)
    shown = arena("sprt", "cup.toml:greedy", "fast.toml", *fast, "--dry-run")
    assert "With a clock of its own: greedy (0.07 s a move); fast (0.03 s a move)." in shown.output


def test_a_match_has_the_games_it_asks_for_whatever_ends_the_tournament(folder: Path) -> None:
    Path("cup.toml").write_text(f"{CUP}[stop]\ngames = 2\nseparated = 1\n")
    players = (("gnu", None), ("greedy", None))
    config = of_games(like(Path("cup.toml"), players), 6, watch=False)
    assert config.schedule().total == 6


def test_a_match_has_the_clock_and_openings_that_are_typed(folder: Path) -> None:
    Path("first.txt").write_text("a1b1\n")
    terms = ("--rules", "dots", "--set", "rows=1", "--set", "cols=2", "--openings", "first.txt")
    clock = ("--bank-ms", "5000", "--increment-ms", "20", "--concurrency", "1")
    played = arena("match", "monkey", "greedy", *terms, *clock, "--store", "m.sqlite")
    assert played.exit_code == 0, played.output
    with RunView(Path("m.sqlite")) as view:
        assert view.config.concurrency == 1
        assert view.config.terms.clock == Clock(move_ms=None, bank_ms=5000, increment_ms=20)
        assert {view.record(game.game).opening for game in view.games} == {("a1b1",)}


@pytest.mark.slow
def test_a_match_that_goes_on_says_so(folder: Path) -> None:
    match = ("match", "monkey", "greedy", "--like", "cup.toml", "--store", "to keep.sqlite")
    begun, more, again = (arena(*match, "--games", games) for games in ("2", "4", "4"))
    assert "Continues" not in begun.output + again.output
    assert more.output.startswith("Continues after 2 games, kept in to keep.sqlite.\n2 of 4 games")
    assert "move by move: arena replay 'to keep.sqlite' g000" in again.output


def test_only_a_match_that_nobody_plays_continues(folder: Path) -> None:
    Path("cup.toml").write_text(CUP)
    config = of_games(like(Path("cup.toml"), (("gnu", None), ("greedy", None))), 2, watch=False)
    first, path = with_store(config, None, None)
    with PlayedStore.open_run(path, first):
        assert with_store(config, None, None)[1].stem == f"{path.stem}-2"
    assert with_store(config, None, None) == (first, path)


@pytest.mark.slow
def test_the_same_match_again_is_a_new_run(folder: Path) -> None:
    settings = ("--rules", "dots", "--set", "rows=1", "--set", "cols=1", "--games", "2")
    assert arena("match", "monkey", "greedy", *settings).exit_code == 0
    (first,) = Path("runs").glob("*.sqlite")
    assert first.stem == "match-dots-monkey-greedy"
    with RunView(first) as view:
        again, second = with_store(view.config, None, None)
    assert (again.seed, second.stem) == (2, f"{first.stem}-2")
    rows = json.loads(arena("games", str(first), "--json").output)
    assert {row["player"] for row in rows} == {"monkey", "greedy"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("gnuu", "greedy", "--like", "cup.toml"), "players of cup.toml: gnu, greedy"),
        (("gnu", "greedy", "--like", "cupp.toml"), 'did you mean "cup.toml"?'),
        (("gnu", "gnu", "--like", "cup.toml", "--games", "3"), "must be a multiple of 2"),
        (
            ("gnu", "gnu", "--like", "cup.toml", "--move-ms", "9"),
            "leave out --rules, --set, --move",
        ),
        (
            ("gnu", "gnu", "--like", "cup.toml", "--move-ms", "0"),
            "--move-ms",
        ),
        (
            ("gnu", "gnu", "--like", "cup.toml", "--concurrency", "2"),
            "--openings and --concurrency",
        ),
        (("monkey", "greedy", "--watch", "--concurrency", "2"), "exclude each other"),
        (("monkey", "greedy", "--openings", "no.txt"), "no.txt"),
        (("monkey", "greedy", "--increment-ms", "5"), "--increment-ms: needs bank_ms"),
        (("monkey", "greedy", "--move-ms", "0"), "--move-ms"),
        (("monkey", "uct", "--b-option", "iteration=9"), "--b-option iteration: unknown"),
        (
            ("gnu", "uct", "--like", "cup.toml", "--b-option", "iteration=9"),
            "--b-option iteration: unknown",
        ),
        (("monky", "greedy"), "A: no built-in player or file"),
    ],
)
def test_mistakes_are_reported(folder: Path, arguments: tuple[str, ...], expected: str) -> None:
    refused = arena("match", *arguments)
    assert refused.exit_code == 2 and expected in refused.stderr
    assert not Path("runs").exists()


@pytest.mark.slow
def test_a_match_of_others_needs_no_player_of_the_tournament(folder: Path) -> None:
    terms = CUP.partition("[[player]]")[0]
    Path("cup.toml").write_text(f'{terms}[rating]\nanchor = "ant"\n[[player]]\nfrom = "subs"\n')
    played = arena("match", "monkey", "greedy", "--like", "cup.toml")
    assert played.exit_code == 0, played.output
    refused = arena("match", "ant", "greedy", "--like", "cup.toml")
    assert refused.exit_code == 2 and "players of cup.toml: none\nplayer[1].from:" in refused.stderr
    Path("cup.toml").write_text(f"{terms}[raiting]\n")
    assert "unknown key" in arena("match", "monkey", "greedy", "--like", "cup.toml").stderr
