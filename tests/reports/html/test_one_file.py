"""The one-file report: what is in it for whom, and that it needs no network."""

import base64
import html
import json
import re
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.bots.versions import RECEIPT, Receipt
from arena.model.contender import Home
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.reports.html.model import GameData, RunData
from arena.tournament.config import Player
from arena.tournament.played_store import PlayedStore
from arena.tournament.store import Store
from tests.command import arena
from tests.reports.runs import keep_games

Play = Callable[..., GameRecord]
WROTE, SAID = "stderr-secret", "said-secret"
LAST_WORDS = f"The player exited with code 1 before `quit` was sent. The end of stderr: {WROTE}"
HOSTILE = "<script>\u202eevil</script>"


def told(record: GameRecord, seat: int) -> GameRecord:
    """The game with a secret in what that seat wrote, in what it said, and in why it lost."""
    seats, moves = list(record.seats), list(record.moves)
    seats[seat] = seats[seat].model_copy(update={"stderr_head": f"{WROTE}\n", "stderr_bytes": 14})
    at = next(ply for ply, move in enumerate(moves) if move.seat == seat and move.info)
    moves[at] = moves[at].model_copy(update={"info": {"text": SAID, "score": 1.0}})
    return record.model_copy(
        update={
            "seats": tuple(seats),
            "moves": tuple(moves),
            "termination": Termination.EXITED,
            "detail": LAST_WORDS,
            "offender": seat,
        }
    )


def kept(folder: Path, records: list[GameRecord]) -> Path:
    """A run of these games, whose first the player that moved first lost by a crash."""
    records[0] = told(records[0], 0)
    path = folder / "cup.sqlite"
    keep_games(path, records)
    return path


@pytest.fixture
def run(play: Play, tmp_path: Path) -> Path:
    """Three players; ant, of Anna, lost by a crash, and the players' names are hostile."""
    names = ("ant", "bee", HOSTILE)
    meetings = [(a, b) for a in names for b in names if a != b]
    records = [
        play("dots", *both, seed=n, game=f"g{n:04d}", rows=2, cols=2)
        for n, both in enumerate(meetings, 1)
    ]
    return kept(tmp_path, records)


def of_anna(run: Path, tmp_path: Path, name: str) -> None:
    """Have the run's configuration know that a player was submitted by Anna."""
    package = tmp_path / "course" / name / "0123456789ab" / "tree"
    package.mkdir(parents=True)
    receipt = Receipt.model_validate(
        {
            "name": name, "digest": "0123456789abcdef", "contents": "", "opens": ".",
            "source": "x", "accepted_at": "2026-01-01T00:00:00Z", "arena": "0", "checked": (),
            "number": 1, "owner": "anna",
        }
    )  # fmt: skip
    (package.parent / RECEIPT).write_text(receipt.model_dump_json())
    with Store.open(run) as store:
        config = store.config

    def submitted(player: Player) -> Player:
        home = Home(package=str(package)) if player.name == name else player.home
        return player.model_copy(update={"home": home})

    players = tuple(map(submitted, config.players))
    with PlayedStore.open_run(run, config.model_copy(update={"players": players})):
        pass


def report(run: Path, *options: str) -> str:
    """The file that the command writes."""
    out = run.with_name("out.html")
    done = arena("report", str(run), "--html", str(out), *options)
    assert done.exit_code == 0, done.output
    assert not out.with_suffix(".html.part").exists()
    return out.read_text(encoding="utf-8")


def blocks(document: str) -> dict[str, Any]:
    """The data of the page by the ids of its blocks."""
    found = re.findall(r'<script type="application/octet-stream" id="([^"]+)">([^<]*)<', document)
    return {name: json.loads(zlib.decompress(base64.b64decode(text), -15)) for name, text in found}


def rows(block: dict[str, list[Any]]) -> list[GameData]:
    """The games of a block."""
    values = zip(*block.values(), strict=True)
    return [GameData.model_validate(dict(zip(block, each, strict=True))) for each in values]


def everything(document: str) -> str:
    """All that a reader of the file can find, unpacked too."""
    return document + json.dumps(blocks(document), ensure_ascii=False)


def test_the_data_of_every_game_are_in_the_file(run: Path) -> None:
    found = blocks(report(run))
    data = RunData.model_validate(found["run-data"])
    games = rows(found["games-0"])
    assert [game.id for game in games] == data.games.id == [f"g{n:04d}" for n in range(1, 7)]
    assert [tuple(game.players) for game in games] == data.games.players
    assert games[0].ending is Termination.EXITED and games[0].offender == 0
    fault = data.figures[0].faults[0]
    assert (fault.detail, fault.stderr) == (LAST_WORDS, ""), "the sentence has the line"


def test_the_overview_is_complete_without_a_script(run: Path) -> None:
    page = re.sub(r"<script.*?</script>", "", report(run), flags=re.S)
    for section in ("standings", "crosstable", "openings", "faults", "machine", "method"):
        assert f'<section id="{section}">' in page
    assert 'href="#games?player=ant&amp;against=bee"' in page
    assert "too few games" in page and "1 exited" in page


def test_the_file_asks_for_nothing_and_runs_nothing_else(run: Path) -> None:
    page = report(run)
    policy = html.unescape(re.search(r'Policy" content="([^"]*)"', page)[1])  # type: ignore[index] # it is there
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert not re.search(r'(?:src|href)="(?!#|data:,)', page)
    assert "<script>\u202e" not in page and "\u202e" not in everything(page)
    assert "&lt;script&gt;\\u202eevil" in page


def test_only_their_owner_reads_what_bots_wrote(run: Path, tmp_path: Path) -> None:
    of_anna(run, tmp_path, "ant")
    staff, anna, public = report(run), report(run, "--for", "anna"), report(run, "--public")
    assert WROTE in everything(staff) and WROTE in everything(anna)
    assert SAID in everything(anna)
    assert WROTE not in everything(public) and SAID not in everything(public)
    with Store.open(run) as store:
        assert store.config.players[0].name == "ant"


def test_what_the_host_does_not_hold_is_for_the_staff(run: Path, tmp_path: Path) -> None:
    of_anna(run, tmp_path, "ant")
    pages = [report(run, *given) for given in ((), ("--for", "anna"), ("--public",))]
    assert ["cpu is not held" in page for page in pages] == [True, False, False]


def test_an_owner_does_not_read_what_others_wrote(run: Path, tmp_path: Path) -> None:
    of_anna(run, tmp_path, "bee")
    found = everything(report(run, "--for", "anna"))
    assert WROTE not in found and SAID not in found


def test_no_name_is_in_an_anonymous_file(run: Path) -> None:
    found = everything(report(run, "--anonymous"))
    assert not re.search(r"\b(?:ant|bee|evil)\b", found)
    assert WROTE not in found and SAID not in found and "player 3" in found


def test_no_name_is_in_the_ids_of_an_anonymous_file(play: Play, tmp_path: Path) -> None:
    """Where the format puts the players' names in them."""
    both = [("ant", "bee"), ("bee", "ant")]
    records = [
        play("dots", *players, seed=5, game=f"ant:bee:1.{n}", rows=2, cols=2)
        for n, players in enumerate(both, 1)
    ]
    page = report(kept(tmp_path, records), "--anonymous")
    assert not re.search(r"\b(?:ant|bee)\b", everything(page))
    ids = blocks(page)["run-data"]["games"]["id"]
    assert ids == blocks(page)["games-0"]["id"] and len(set(ids)) == 2
    assert f'href="#game/{ids[0]}"' in page, "the fault's game"


def test_neutral_names_stay(run: Path) -> None:
    one, other = (blocks(report(run, "--anonymous"))["run-data"]["games"] for _ in range(2))
    assert one == other


def test_a_damaged_game_has_no_page(run: Path) -> None:
    database = sqlite3.connect(run)
    with database:
        database.execute("UPDATE records SET record = '{}' WHERE id = 2")
    database.close()
    found = blocks(report(run))
    assert found["run-data"]["games"]["id"][1] == "g0002"
    assert [each is None for each in found["games-0"]["id"]] == [False, True, *[False] * 4]


def test_a_player_left_out_is_nowhere(run: Path) -> None:
    page = report(run, "--without", "bee")
    assert "bee" not in everything(page)
    assert blocks(page)["run-data"]["games"]["id"] == ["g0002", "g0005"]


def test_a_link_stays_and_the_file_that_it_leads_to_is_written(run: Path, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "cup.html").symlink_to("site/index.html")
    done = arena("report", run, "--html", tmp_path / "cup.html")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "cup.html").is_symlink()
    assert "run-data" in (tmp_path / "site" / "index.html").read_text()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--html", "out.html", "--json"], "--json and --html exclude each other"),
        (["--html", "out.html", "--for", "anna", "--public"], "--for and --public exclude"),
        (["--html", "out.html", "--for", "anna", "--anonymous"], "--for and --anonymous exclude"),
        (["--public"], "give --html FILE too"),
        (["--html", "out.html", "--for", "anna"], "none was submitted to a course"),
        (["--html", "out.html", "--without", "ante"], 'did you mean "ant"?'),
        (["--html", "cup.sqlite"], "does not end in .html"),
        (["--html", "nowhere/out.html"], "there is no folder"),
    ],
)
def test_a_wrong_option_gets_a_sentence(
    run: Path, options: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.parent)
    done = arena("report", str(run), *options)
    assert done.exit_code == 2 and expected in done.output
    assert not Path("out.html").exists()
