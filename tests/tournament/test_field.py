"""The field of a run: kept while bots are submitted, changed when the run is told to."""

import errno
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.bots.package import open_bot
from arena.errors import ArenaError, BuildError, ConfigChangedError, ConfigError, UserError
from arena.model.record import GameRecord
from arena.tournament.config import TournamentConfig, _between, differences
from arena.tournament.config_file import Begun, load_config
from arena.tournament.field import Wanted, resumed
from arena.tournament.formats import FORMATS
from arena.tournament.played_store import PlayedStore
from arena.tournament.ready import begun_in, load_to_play, ready, with_field_of
from arena.tournament.run import run
from arena.tournament.run_view import RunView
from tests.command import arena
from tests.submitting import accept
from tests.tournament.conftest import BUILTINS
from tests.tournament.helpers import answering

Load = Callable[..., TournamentConfig]
Record = Callable[..., GameRecord]
TEXT = '[tournament]\nrounds = 2\n[game]\nrules = "dots"\nrows = 2\ncols = 2\n'
FROM = f'{TEXT}[[player]]\nfrom = "submissions"\n'


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))


class CourseRun:
    """A class whose bots are submitted, and whose tournament is played again and again."""

    def __init__(self, folder: Path, load: Load, played: Record) -> None:
        self.folder, self.load, self.played = folder, load, played
        self.store = folder / "t.sqlite"

    def submit(self, *bots: str) -> None:
        """`ant` submits a first version, `ant 2` another one."""
        for bot in bots:
            script = self.folder / "work" / f"{bot.split()[0]}.py"
            script.parent.mkdir(exist_ok=True)
            script.write_text(f"print('{bot}')\n")
            accept(open_bot(script), (), self.folder / "submissions")

    def remove(self, bot: str) -> None:
        (self.folder / "submissions" / bot / "active").unlink()

    def config(
        self, text: str = FROM, *, take_new: bool = False, without: tuple[str, ...] = ()
    ) -> TournamentConfig:
        wanted = Wanted(take_new, without)
        begun = begun_in(self.store, wanted)
        read = self.load(text, players=0, begun=begun)
        return with_field_of(self.store, read, wanted)

    def play(
        self, text: str = FROM, *, take_new: bool = False, without: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        """What `arena run` plays and says: the games of this call."""
        config = self.config(text, take_new=take_new, without=without)
        with PlayedStore.open_run(self.store, config) as store:
            before = store.finished()
            run(config, store, open_executor=answering(self.played).open)
            return tuple(sorted(store.finished() - before))

    def rated(self) -> dict[str, int]:
        """The players of the table, with their games."""
        with RunView(self.store) as view:
            assert view.standings.planned == view.standings.games
            return {row.name: row.games for row in view.standings.players}


@pytest.fixture
def course(tmp_path: Path, load: Load, played: Record) -> CourseRun:
    return CourseRun(tmp_path, load, played)


def test_late_bots_leave_a_run_alone_until_it_takes_them(course: CourseRun) -> None:
    course.submit("ant", "cat", "fox")
    begun = course.config()
    assert len(course.play()) == 12
    course.submit("bee", "ant 2", "gnu")
    course.remove("fox")
    assert course.play() == ()
    config = course.config()
    assert config.players == begun.players
    assert config.left_out == (
        "The players changed since this run began: added bee, gnu; ant has a new version; fox is "
        "gone. It continues with those it began with. --take-new takes the change into it.",
    )
    new = course.play(take_new=True)
    assert course.config(take_new=True).left_out == ()
    assert course.rated() == {"ant": 4, "cat": 16, "bee": 12, "gnu": 12, "ant@2": 12}
    assert len(new) == 24, "cat, bee, gnu and ant@2, two rounds"
    with RunView(course.store) as view:
        assert {game.game for game in view.games} == {*new, *(f"g{n:04d}" for n in range(1, 13))}


@pytest.mark.parametrize("lost", ["receipt.json", "tree", "tree/ant.py"])
def test_a_version_that_was_lost_or_changed_says_what_helps(course: CourseRun, lost: str) -> None:
    course.submit("ant", "cat", "fox")
    course.play()
    version = (course.folder / "submissions/ant/active").resolve()
    shutil.copytree(version, course.folder / "kept")
    subprocess.run(["chmod", "-R", "u+w", version], check=True)
    subprocess.run(["rm", "-r", version / lost], check=True)
    told = (
        rf"submissions/ant: its version {version.name}, .* put its files back \(to .*--without ant"
    )
    file = course.folder / "t.toml"
    with pytest.raises(ArenaError, match=told):
        ready(course.config(), file)
    assert [each.name for each in course.config(without=("ant",)).players if each.plays] == [
        "cat",
        "fox",
    ]
    shutil.copytree(course.folder / "kept", version, dirs_exist_ok=True)
    assert len(ready(course.config(), file).players) == 3


def test_a_version_that_this_machine_cannot_build_says_why(
    course: CourseRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are all there: nothing is to be put back."""
    course.submit("ant", "cat")
    failed = BuildError(Path("ant"), ["its build command, make, ended with exit code 2"])
    monkeypatch.setattr("arena.tournament.ready.prepare", Mock(side_effect=failed))
    with pytest.raises(ConfigError, match="submissions/ant: its build command, make") as raised:
        ready(course.config(), course.folder / "t.toml")
    assert "put its files back" not in str(raised.value)


def test_a_folder_that_moved_has_its_earlier_versions_with_it(
    course: CourseRun, tmp_path: Path
) -> None:
    def load(text: str, *, players: int, begun: Begun) -> TournamentConfig:
        (moved / "t.toml").write_text(text.replace("submissions", "bots@2026"))
        return load_config(moved / "t.toml", BUILTINS, begun=begun)

    course.submit("ant", "cat", "fox")
    course.play()
    moved = tmp_path / "moved"
    moved.mkdir()
    for each in ("submissions", "t.sqlite"):
        (tmp_path / each).rename(moved / each)
    (moved / "bots@2026").symlink_to("submissions")
    there = CourseRun(moved, load, course.played)
    there.submit("ant 2")
    there.remove("fox")
    assert there.play() == (), "it goes on with its own"
    of_ant, _, of_fox = (Path(str(each.home.package)) for each in there.config().players)
    assert of_ant.parts[-4:-2] == ("bots@2026", "ant") and of_ant.is_relative_to(moved)
    assert of_fox.is_relative_to(moved)


def test_two_more_bots_of_twelve_play_84_games(course: CourseRun) -> None:
    course.submit(*(f"b{n:02d}" for n in range(10)))
    assert len(course.play()) == 180
    course.submit("late", "later")
    assert course.play() == ()
    new = course.play(take_new=True)
    assert len(new) == 84
    assert set(course.rated().values()) == {44}
    assert course.play(take_new=True) == ()
    more = course.play(FROM.replace("rounds = 2", "rounds = 3"))
    assert len(more) == 132, "a round of twelve"


def test_a_player_left_out_keeps_its_games_in_the_record(course: CourseRun) -> None:
    course.submit("ant", "cat", "fox")
    course.play()
    assert course.play(without=("fox",)) == ()
    assert course.rated() == {"ant": 4, "cat": 4}
    assert len(course.play(FROM.replace("rounds = 2", "rounds = 3"))) == 2
    course.submit("fox 2")
    again = course.config(FROM.replace("rounds = 2", "rounds = 3"), take_new=True)
    assert [each.name for each in again.players] == ["ant", "cat", "fox"], "it stays out"
    with RunView(course.store) as view:
        assert len([game for game in view.games if "fox" in game.players]) == 8


@pytest.mark.parametrize("name", ["", 'name = "my fox"\n'])
def test_a_player_left_out_needs_no_files(course: CourseRun, name: str) -> None:
    script, others = course.folder / "fox.py", '[[player]]\nbot = "monkey"\n'
    script.write_text("print('fox')\n")
    others += '[[player]]\nbot = "thinker"\n'
    fox = f'[[player]]\nbot = "fox.py"\n{name}'
    out = ("my fox" if name else "fox",)
    course.play(f"{TEXT}{others}{fox}")
    script.unlink()
    way = f"--without {shlex.join(out)}"
    with pytest.raises(ConfigError, match=f"no such file: .*without this player: {way}\\)"):
        course.play(f"{TEXT}{others}{fox}")
    for text in (f"{TEXT}{others}{fox}", TEXT + others):
        config = course.config(text, without=out)
        assert [each.status for each in config.players] == ["playing", "playing", "out"]
        assert config.left_out == ()
    assert course.play(f"{TEXT}{others}{fox}", without=out) == ()
    more = '[[player]]\nbot = "monkey"\nname = "late"\n'
    assert len(course.play(f"{TEXT}{others}{fox}{more}", take_new=True)) == 8, "it stays out"
    assert course.rated() == {"monkey": 8, "thinker": 8, "late": 8}


def test_a_player_left_out_stays_and_is_not_made_ready(load: Load, tmp_path: Path) -> None:
    script = tmp_path / "fox.py"
    script.write_text("print('fox')\n")
    read = load(f'{TEXT}[[player]]\nbot = "fox.py"\n', players=1)
    script.unlink()
    fox, *others = sorted(read.players, key=lambda each: each.name)
    out = (fox.model_copy(update={"status": "out"}), *others)
    found = ready(read.model_copy(update={"players": out}), tmp_path / "t.toml")
    assert found.players[0] == out[0]


def test_a_run_of_another_name_goes_on_with_its_field(
    course: CourseRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.ready.ready", lambda config, _: config)
    course.submit("ant", "cat", "fox")
    course.play()
    course.play(without=("fox",))
    file = course.folder / "t.toml"
    file.write_text(FROM)
    found = load_to_play(file, BUILTINS, course.store, Wanted())
    assert [each.status for each in found.players] == ["playing", "playing", "out"]


def test_a_player_left_out_may_be_in_a_closed_folder(
    course: CourseRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    (course.folder / "fox.py").write_text("print('fox')\n")
    others = '[[player]]\nbot = "monkey"\n[[player]]\nbot = "thinker"\n'
    text = f'{TEXT}{others}[[player]]\nbot = "fox.py"\n'
    course.play(text)
    closed = PermissionError(errno.EACCES, "Permission denied", "fox.py")
    monkeypatch.setattr("arena.tournament.contenders.submitted", Mock(side_effect=closed))
    with pytest.raises(ConfigError, match=r"fox\.py: Permission denied; .*: --without fox\)"):
        course.config(text)
    assert course.config(text, without=("fox",)).left_out == ()


def test_a_version_that_comes_back_goes_on_where_it_was(course: CourseRun) -> None:
    course.submit("ant", "cat")
    course.play()
    course.submit("ant 2")
    assert len(course.play(take_new=True)) == 4
    course.submit("ant")  # the first one again
    assert "began: ant went back to version 1. It continues" in course.config().left_out[0]
    assert course.play(take_new=True) == ()
    players = {player.name: player.status for player in course.config().players}
    assert players == {"ant": "playing", "cat": "playing", "ant@2": "replaced"}
    assert course.rated() == {"ant": 4, "cat": 8, "ant@2": 4}
    with RunView(course.store) as view:
        assert view.standings.replaced == ("ant@2",)
    course.remove("ant")
    course.submit("bee")
    assert len(course.play(take_new=True)) == 4
    assert course.rated() == {"cat": 4, "bee": 4}, "a bot that is gone leaves with all versions"
    course.submit("ant")
    assert len(course.play(take_new=True)) == 4, "against bee"
    assert course.rated() == {"ant": 8, "cat": 12, "ant@2": 4, "bee": 8}


def test_rounds_of_a_swiss_that_a_bot_missed_give_it_no_points(course: CourseRun) -> None:
    def play(rounds: int) -> tuple[str, ...]:
        text = f"{FROM.replace('rounds = 2', f'rounds = {rounds}')}[swiss]\n"
        return course.play(text, take_new=True)

    def points() -> dict[str, float]:
        with RunView(course.store) as view:
            assert view.standings.ranking is not None
            return {row.player: row.figures[0] for row in view.standings.ranking.players}

    course.submit("ant", "bee", "cat", "dog", "eel")
    play(2)
    before = points()["cat"]
    course.remove("cat")
    course.submit("ant 2")
    play(4)
    course.submit("ant", "cat")  # a rollback, and one that was withdrawn
    assert play(4) == (), "what was played stays closed"
    assert points()["cat"] == before
    assert {game.rpartition(":")[2].split(".")[0] for game in play(5)} == {"5"}
    assert play(5) == ()
    before = points()["cat"]
    course.remove("cat")
    play(6)
    course.submit("cat")
    assert play(6) == () and points()["cat"] == before


def test_who_left_in_an_earlier_version_misses_the_rounds_after_that_alone(
    course: CourseRun,
) -> None:
    def play(rounds: int) -> None:
        course.play(f"{FROM.replace('rounds = 2', f'rounds = {rounds}')}[swiss]\n", take_new=True)

    course.submit("ant", "bee", "cat")
    play(1)
    course.remove("cat")
    play(2)
    with closing(sqlite3.connect(course.store)) as store, store:
        ((config,),) = store.execute("SELECT config FROM run")
        store.execute("UPDATE run SET config = ?", (config.replace('"away":[2]', '"away":[]'),))
    course.submit("cat")
    play(3)
    course.remove("cat")
    play(4)
    course.submit("cat")
    play(5)
    with PlayedStore.open(course.store) as opened:
        away = {each.name: each.away for each in opened.config.players}
    assert away == {"ant": (), "bee": (), "cat": (4, 5)}


@pytest.mark.parametrize(
    ("without", "left"),
    [("ant", {"cat", "fox"}), ("ant@1", {"ant@2", "cat", "fox"}), ("ant@2", {"ant", "cat", "fox"})],
)
def test_a_report_leaves_a_bot_out_with_all_its_versions(
    course: CourseRun, without: str, left: set[str]
) -> None:
    course.submit("ant", "cat", "fox")
    course.play()
    course.submit("ant 2")
    course.play(take_new=True)
    said = arena("report", course.store, "--csv", "players", "--without", without).stdout
    assert {line.split(",")[1] for line in said.splitlines()[1:]} == left


def test_a_player_left_out_stays_out_though_another_version_was_replaced(course: CourseRun) -> None:
    course.submit("ant", "bee", "cat")
    course.play()
    for version in ("ant 2", "ant"):
        course.submit(version)
        course.play(take_new=True)
    course.play(without=("ant",))
    assert course.play(take_new=True) == ()
    assert set(course.rated()) == {"bee", "cat", "ant@2"}


@pytest.mark.parametrize("named", ["ant", "ant@2"])
def test_a_name_alone_is_that_of_the_version_that_plays(course: CourseRun, named: str) -> None:
    course.submit("ant", "bee", "cat")
    course.play()
    course.submit("ant 2")
    course.play(take_new=True, without=(named,))
    assert course.rated() == {"ant": 8, "bee": 8, "cat": 8}
    digest = next(player.digest for player in course.config().players if player.name == "ant")
    assert digest is not None
    course.play(without=(f"ant@{digest[:8]}",))
    assert course.rated() == {"bee": 4, "cat": 4}


def test_a_name_that_nobody_has_is_refused_with_the_nearest(course: CourseRun) -> None:
    course.submit("ant", "fox")
    with pytest.raises(UserError, match='without: no player is named "foxx"; did you mean "fox"'):
        course.config(without=("foxx",))
    with pytest.raises(UserError, match="without: no player is named"):
        course.config(without=("fox@3",))
    with pytest.raises(UserError, match="a game needs 2 players, and 1 would be left"):
        course.config(without=("fox",))


def test_an_edited_file_is_refused_and_a_new_table_can_be_taken(course: CourseRun) -> None:
    course.submit("ant", "cat")
    table = '[[player]]\nbot = "monkey"\n'
    course.play(f"{FROM}{table}")
    for text, said in (
        (f"{FROM}{table}[clock]\nmove_ms = 7\n", "clock.move_ms: 5000 → 7"),
        (f"{FROM}options = {{a = 1}}\n{table}", "player ant.options.a: (not set) → 1"),
        (FROM, "gone: monkey"),
        (f'{FROM}{table}name = "me"\n', "added me"),
    ):
        with pytest.raises(ConfigChangedError) as caught:
            course.play(text)
        assert said in str(caught.value)
    more = f'{FROM}{table}[[player]]\nbot = "thinker"\n'
    assert len(course.play(more, take_new=True)) == 12
    assert course.play(more) == ()
    turned = f'{TEXT}{table}[[player]]\nbot = "thinker"\n[[player]]\nfrom = "submissions"\n'
    assert course.play(turned) == (), "the order of the tables is not that of the players"


def test_a_player_comes_back_with_the_options_it_had(course: CourseRun) -> None:
    two = f'{TEXT}[[player]]\nbot = "monkey"\n[[player]]\nbot = "thinker"\n'
    table = '[[player]]\nbot = "thinker"\nname = "late"\noptions = { iterations = 1 }\n'
    course.play(two + table)
    course.play(two, take_new=True)
    with pytest.raises(ConfigChangedError, match=r"late\.options\.iterations: 1 → 2"):
        course.play(two + table.replace("1", "2"), take_new=True)
    assert course.play(two + table, take_new=True) == ()
    assert course.rated() == {"monkey": 8, "thinker": 8, "late": 8}


def test_a_script_changed_in_its_place_waits_for_take_new(course: CourseRun) -> None:
    script = course.folder / "mine.py"
    script.write_text("print('1')\n")
    text = f'{TEXT}[[player]]\nbot = "mine.py"\n[[player]]\nbot = "monkey"\n'
    course.play(text)
    script.write_text("print('2')\n")
    with pytest.raises(ConfigChangedError, match=r"mine: its program changed since, mine\.py"):
        course.play(text)
    assert len(course.play(text, take_new=True)) == 4
    old, _, new = course.config(text).players
    assert (old.status, new.version_of) == ("replaced", "mine")
    assert new.digest is not None and new.name == f"mine@{new.digest[:8]}"


def test_nobody_joins_a_sequential_test(course: CourseRun) -> None:
    course.submit("ant", "cat")
    text = f"{FROM}[sprt]\n".replace("rounds = 2", "rounds = 1")
    course.play(text)
    course.submit("ant 2", "bee")
    assert course.play(text) == ()
    assert course.config(text).left_out[0].endswith("It continues with those it began with.")
    course.remove("bee")
    with pytest.raises(UserError, match='nobody joins or leaves a tournament of the format "sprt"'):
        course.play(text, take_new=True)


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.walkovers])
def test_a_player_is_left_out_of_a_closed_tournament_before_it_begins(
    course: CourseRun, name: str
) -> None:
    course.submit("ant", "bee", "cat", "dog", "elk")
    text = f"{FROM}[{name}]\n"
    assert course.play(text, without=("bee",))
    assert set(course.rated()) == {"ant", "cat", "dog", "elk"}
    assert course.play(text) == course.play(text, without=("bee",)) == ()
    course.remove("cat")
    said = (
        "It continues with those it began with. --without cat counts its games for its opponents."
    )
    assert course.config(text).left_out[-1].endswith(said)
    with pytest.raises(UserError, match="by --without NAME while it is played"):
        course.config(text, without=("ant",))


def test_those_left_are_enough_for_the_format(course: CourseRun) -> None:
    course.submit("ant", "bee", "cat", "dog")
    with pytest.raises(
        UserError, match=r"without dog: groups\.groups: 2 groups of 2 at least need"
    ):
        course.config(f"{FROM}[groups]\n", without=("dog",))


def test_a_new_version_takes_the_place_in_a_gauntlet(course: CourseRun) -> None:
    course.submit("ant", "bee", "cat")
    text = f'{FROM}[gauntlet]\nplayers = ["ant"]\n'
    assert len(course.play(text)) == 8
    course.submit("ant 2", "dog")
    assert course.play(text) == ()
    assert len(course.play(text, take_new=True)) == 12, "against bee, cat and dog"
    assert course.rated() == {"ant": 8, "bee": 8, "cat": 8, "ant@2": 12, "dog": 4}


def test_versions_are_players_by_their_names(course: CourseRun) -> None:
    course.submit("fox", "fox 2", "ant")
    text = f'{TEXT}[[player]]\nbot = "submissions/fox@1"\n[[player]]\nbot = "submissions/fox"\n'
    config = course.config(text)
    assert [(each.name, each.number) for each in config.players] == [("fox@1", 1), ("fox", 2)]
    course.play(text)
    course.submit("fox 3")
    assert len(course.play(text, take_new=True)) == 4
    assert sorted(course.rated()) == ["fox", "fox@1", "fox@3"]


def test_the_round_in_which_a_player_left_stays(load: Load) -> None:
    read = load('[game]\nrules = "dots"\n[knockout]\n', players=4)
    first, *others = read.players
    out = first.model_copy(update={"status": "out", "left": 1})
    kept = read.model_copy(update={"players": (out, *others)})
    now = resumed(kept, read, Wanted(without=(first.name, others[0].name)), 2)
    assert [(each.status, each.left) for each in now.players[:2]] == [("out", 1), ("out", 2)]


def test_a_configuration_in_another_order_is_another_run(load: Load) -> None:
    config = load(TEXT)
    turned = config.model_copy(update={"players": config.players[::-1]})
    assert differences(config, turned) == ("the players are in another order: m0, m1 → m1, m0",)


def test_a_player_may_leave_and_come_back_more_than_once() -> None:
    assert _between((1, 3, 5, 7)) == {1, 2, 5, 6}
    assert _between((1, 3, 5)) == {1, 2}, "it has not come back yet"
