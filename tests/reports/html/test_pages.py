"""The overview of a run: its sections for each kind of run."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.errors import UserError
from arena.model.contender import CommandLine, Contender
from arena.model.game_spec import Terms
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord
from arena.ratings.rankings import LEFT_OUT
from arena.ratings.results import digest
from arena.reports.html import pages
from arena.reports.html.audience import PUBLIC, STAFF, Audience, Seen, owned
from arena.reports.html.data import run_data
from arena.reports.html.one_file import write_report
from arena.reports.html.overview import Look
from arena.reports.html.pages import SECTIONS, run_page
from arena.reports.html.rounds import rounds
from arena.reports.html.wording import line_of, minus, signed
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.config_tables import RatingTable
from arena.tournament.formats import FORMATS
from arena.tournament.played_store import PlayedStore
from arena.tournament.run_view import RunView
from tests.reports.runs import begun, keep_games, void, with_clock

Play = Callable[..., GameRecord]
DOTS = {"rows": 2, "cols": 2}


def player(name: str) -> Player:
    contender = Contender(name=name, program=CommandLine(words=("x",)))
    return Player(bot=name, builtin=None, uses_clock=None, contender=contender)


def played(
    path: Path, play: Play, format_: str, names: str, keys: dict[str, Any], **settings: Any
) -> Path:
    """A run of a format, of games made up; the earlier in the alphabet wins."""
    config = TournamentConfig(
        name="cup",
        concurrency=1,
        format=format_,
        format_keys=FORMATS[format_].keys(**keys).model_dump(),
        terms=Terms(rules="dots", variant={**DOTS, "stop_at_majority": False}),
        players=tuple(map(player, names)),
        **settings,
    )
    schedule = config.schedule()
    with PlayedStore.open_run(path, config) as store:
        for pairing in iter(schedule.next, None):
            winner = int(pairing.players[0] > pairing.players[1])
            record = play("dots", *pairing.players, game=pairing.game, winner=winner, **DOTS)
            record = record.model_copy(update={"pair": pairing.pair, "round": pairing.round})
            store.add(record)
            schedule.add(digest(record))
    return path


@pytest.fixture
def league(play: Play, tmp_path: Path) -> Iterator[RunView]:
    """Forty games of a and b, two of c; the first game had a void attempt."""
    pairs = [*[("a", "b"), ("b", "a")] * 20, ("a", "c"), ("c", "a")]
    records = [
        play(
            "dots",
            *both,
            seed=n,
            game=f"g{n:04d}",
            pair=f"p{(n - 1) // 2}",
            winner=int((both[0] == "a") == (n % 3 == 0)),
            **DOTS,
        )
        for n, both in enumerate(pairs, 1)
    ]
    detail = "The host ended it. The end of stderr: secret"
    with begun(tmp_path / "cup.sqlite", records) as store:
        store.add(void(records[0], detail))
        for attempt, record in enumerate(records):
            store.add(record.model_copy(update={"attempt": 2 if attempt == 0 else 1}))
    with RunView(tmp_path / "cup.sqlite") as view:
        yield view


def sections(view: RunView, audience: Audience, only: Sequence[str] = tuple(SECTIONS)) -> Any:
    return pages.sections(Look.at(view, audience), only)


def text(html: str) -> str:
    """What stands there, without its elements."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_each_section_is_an_element_of_its_own(league: RunView) -> None:
    for name, html in sections(league, STAFF).items():
        assert re.match(rf'<(section|p) id="{name}"', html.strip())
        assert html.strip().endswith(("</section>", "</p>"))
    assert list(sections(league, STAFF, ["facts"])) == ["facts"]


def test_a_rating_has_its_interval_and_few_games_have_none(league: RunView) -> None:
    found = sections(league, STAFF)["standings"]
    rows = [text(row) for row in re.findall(r"<tr>.*?</tr>", found, re.S)[1:]]
    assert all(re.search(r"[+−]?\d+ ±\d+", row) for row in rows if "too few games" not in row)
    assert [row.split()[1] for row in rows if "too few games" in row] == ["c"]
    assert found.count('class="whisker"') == 2


def test_what_is_not_separated_is_joined_in_words_too(
    league: RunView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.reports.html.figures.FEW_GAMES", 1)
    found = sections(league, STAFF)["standings"]
    joined = [pair for pair in league.standings.neighbours if not pair.separated]
    assert found.count('class="join below"') + found.count("above below") == len(joined) > 0
    assert "not separated from the one below" in found


def test_pairs_with_few_games_are_not_compared(league: RunView) -> None:
    assert any("c" in (pair.upper, pair.lower) for pair in league.standings.neighbours)
    found = sections(league, STAFF)["standings"]
    assert "Players with fewer than 30 games have no rating yet." in found
    assert " c (" not in found and "c and " not in found
    assert found.count('<td class="n soft"></td>') >= 2, "no LOS"


def test_a_cell_of_the_crosstable_leads_to_its_games(league: RunView) -> None:
    found = sections(league, STAFF)["crosstable"]
    assert 'href="#games?player=a&amp;against=b" title="a against b: ' in found
    assert '<th scope="row"><a href="#player/a">a</a></th>' in found, "where its name is whole"
    shades = {int(step) for step in re.findall(r'class="(?:up|down) k(\d+)"', found)}
    assert shades and all(step % 5 == 0 and step <= 85 for step in shades)
    assert "style=" not in "".join(sections(league, STAFF).values())


def test_void_games_are_reported_without_what_a_bot_wrote(league: RunView) -> None:
    assert "The host ended it." in sections(league, PUBLIC)["faults"]
    assert "secret" not in "".join(sections(league, PUBLIC).values())
    assert "secret" in sections(league, STAFF)["faults"]
    assert text(sections(league, STAFF)["facts"]).endswith("1 void attempt")


def test_what_a_bot_wrote_is_for_its_owner_and_in_no_anonymous_page(league: RunView) -> None:
    def told(audience: Audience) -> str:
        said = "`I am Anna` is not legal. The end of stderr: secret"
        return Seen(league.config, audience).detail(said, Termination.ILLEGAL_MOVE, "ann")

    own, other = (Audience(reads=frozenset({name})) for name in ("ann", "bob"))
    assert ["secret" in told(each) for each in (own, other)] == [True, False]
    assert "Anna" in told(PUBLIC) and "Anna" not in told(Audience(pseudonyms="x"))


def test_what_is_the_hosts_is_for_the_staff_alone() -> None:
    others = (PUBLIC, Audience(reads=frozenset({"ann"})), Audience(pseudonyms="x"))
    assert STAFF.reads_all and not any(each.reads_all for each in others)


def test_an_owner_has_the_players_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    whose = {"fox": "ann", "owl": "bob", "elk": "bob", "bee": "cid"}
    monkeypatch.setattr("arena.reports.html.audience.owners", lambda config: whose)
    config: Any = SimpleNamespace(players=[SimpleNamespace(number=1)])
    assert owned(config, "bob") == {"owl", "elk"}
    with pytest.raises(UserError, match=r'belongs to "eve"; their owners are: ann, bob, cid$'):
        owned(config, "eve")


def test_a_sentence_hides_whole_names_alone(league: RunView) -> None:
    names = ("fox", "fox-2", "a+b", "x" * 72)
    config = league.config.model_copy(update={"players": tuple(map(player, names))})
    neutral = Seen(config, Audience(pseudonyms="x"))
    fox, fox_2, other, _ = (neutral.names[name] for name in names)
    said = "fox-2 met fox, a+b and the foxes of firefox"
    assert neutral.sentence(said) == f"{fox_2} met {fox}, {other} and the foxes of firefox"
    without = Seen(config, Audience(without=frozenset({"fox"})))
    assert without.sentence("fox-2 met fox") == f"fox-2 met {LEFT_OUT}"
    assert without.names == {name: name for name in names[1:]}


def test_who_joins_later_changes_no_neutral_name(league: RunView) -> None:
    first, *others = league.config.players
    late = first.model_copy(update={"joined": 1})
    config = league.config.model_copy(update={"players": (late, *others)})
    for secret in "uvwxyz":
        assert Seen(config, Audience(pseudonyms=secret)).players[-1] == first.name


def test_the_method_is_short(league: RunView) -> None:
    assert len(text(sections(league, STAFF)["method"]).split()) <= 120


@pytest.mark.parametrize(
    ("format_", "settings", "shown"),
    [
        ("swiss", {"rounds": 3}, ["Ranking", "Rating over time", "Round 3", "Buchholz"]),
        ("ladder", {"rounds": 4}, ["Rating over time", "<bdi>a</bdi> 2 – 0 ", "Earlier rounds"]),
        ("knockout", {}, ["Semi-finals", "Final", 'aria-label="won"']),
        ("groups", {}, ["Group A", "Group B"]),
    ],
)
def test_a_format_shows_its_own_order(
    play: Play,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    format_: str,
    settings: dict[str, Any],
    shown: list[str],
) -> None:
    path = played(tmp_path / "cup.sqlite", play, format_, "abcdefgh", {}, **settings)
    with RunView(path) as view:
        assert "Rating over time" not in sections(view, STAFF)["rounds"], "of so few games"
        monkeypatch.setattr("arena.reports.html.rounds.FEW_GAMES", 1)
        found = sections(view, STAFF)["rounds"]
        unknown = sections(view, Audience(pseudonyms="x"))["rounds"]
        orders = {Seen(view.config, Audience(pseudonyms=secret)).players for secret in "xyz"}
    assert len(orders) == 3, "numbers do not follow the order of the file"
    for words in shown:
        assert words in found
    assert not re.search(r"#player/[a-h]\b", unknown)


@pytest.mark.parametrize("anchor", ["c", None])
def test_ratings_over_time_end_at_those_of_the_table(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, anchor: str | None
) -> None:
    monkeypatch.setattr("arena.reports.html.rounds.FEW_GAMES", 1)
    tied = RatingTable(anchor=anchor, anchor_elo=1500)
    path = played(tmp_path / "cup.sqlite", play, "swiss", "abcdef", {}, rounds=4, rating=tied)
    with RunView(path) as view:
        found = rounds(Look.at(view, STAFF))
        rated = {row.name: signed(row.elo or 0) for row in view.standings.players}
    assert found is not None
    assert {name: figures[-1] for name, figures in found["over_time"]["rows"]} == rated


@pytest.mark.parametrize(
    ("format_", "first"),
    [("swiss", "rounds"), ("ladder", "standings"), ("round-robin", "standings")],
)
def test_what_a_format_ranks_by_comes_first(
    play: Play, tmp_path: Path, format_: str, first: str
) -> None:
    path = played(tmp_path / "cup.sqlite", play, format_, "abcd", {}, rounds=2)
    with RunView(path) as view:
        parts = [
            part.partition('id="')[2].partition('"')[0] for part in run_page(view, STAFF)["parts"]
        ]
    assert parts[0] == first
    assert sorted(parts) == sorted(SECTIONS.keys() - {"facts"})


def test_a_player_has_the_rank_that_its_format_gives_it(play: Play, tmp_path: Path) -> None:
    path = played(tmp_path / "cup.sqlite", play, "knockout", "abcdefgh", {}, rounds=2)
    with RunView(path) as view:
        ranking = view.standings.ranking
        assert ranking is not None
        found = {each.player: each.rank for each in ranking.players}
        by_elo = {row.name: row.rank for row in view.standings.players}
        data = run_data(view, STAFF)
    assert dict(zip(data.players, (each.rank for each in data.figures), strict=True)) == found
    assert found != by_elo, "the two tell players apart in another order"


def test_a_sequential_test_shows_its_gauge(play: Play, tmp_path: Path) -> None:
    keys = {"elo0": 0.0, "elo1": 50.0}
    path = played(tmp_path / "cup.sqlite", play, "sprt", "ab", keys, rounds=200)
    with RunView(path) as view:
        found = sections(view, STAFF)["rounds"]
    assert 'class="gauge"' in found and "H1 accepted" in found
    assert 'class="ranked"' in found, "it is printed"
    between = r'H0 at (−\d.\d\d)</span>.*between H0 at \1 and H1 at (\S+)">.*H1 at \2</span>'
    assert re.search(between, found)
    assert re.search(r"\(−\d.\d\d to \+", found), "sentences have the minus of the tables"
    assert not re.search(r"[ (]-\d", re.sub("<svg.*?</svg>", "", found))


def test_a_minus_stands_before_numbers_alone() -> None:
    said = "worth -46 ± 177 Elo (-2.94 to +2.94); greedy-2 – ant; 2026-11-29; anchor-1 (a-1)"
    changed = "worth −46 ± 177 Elo (−2.94 to +2.94); greedy-2 – ant; 2026-11-29; anchor-1 (a-1)"
    assert minus(said) == changed


def test_2048_has_scores_and_tiles_instead_of_a_crosstable(play: Play, tmp_path: Path) -> None:
    records = [
        play("2048", name, seed=seed, game=f"{name}{seed}", pair=str(seed))
        for seed in (1, 2)
        for name in ("a", "b")
    ]
    keep_games(tmp_path / "cup.sqlite", records)
    with RunView(tmp_path / "cup.sqlite") as view:
        found = sections(view, STAFF)
    assert "hidden" in found["crosstable"] and found["reach"].count('class="spread"') == 2
    assert "Games that reached a tile" in found["reach"]


def test_a_meeting_at_2048_is_counted_by_the_sliders_scores(play: Play, tmp_path: Path) -> None:
    """Both slide once, and the game of each has a score alone."""
    records = [
        play(
            "2048", *players, placer="player", seed=number, game=f"g{number}", pair="p"
        ).model_copy(update={"round": 1})
        for number, players in enumerate(("ab", "ba"), 1)
    ]
    with begun(tmp_path / "cup.sqlite", records, format="swiss") as store:
        for record in records:
            store.add(record)
    with RunView(tmp_path / "cup.sqlite") as view:
        assert re.search(r"a [01] – [01] b", text(sections(view, STAFF)["rounds"]))


def test_openings_that_are_not_known_yet_are_not_shown(league: RunView) -> None:
    """The first game to end may be of a later round than those whose openings were kept."""
    config = league.config
    drawn = config.model_copy(update={"openings": config.openings.model_copy(update={"plies": 8})})
    league.config = drawn
    found = text(sections(league, STAFF, ("openings",))["openings"])
    assert "start position of the rules" not in found


def test_results_decide_how_many_games_a_knockout_has(play: Play, tmp_path: Path) -> None:
    keys = FORMATS["knockout"].keys().model_dump()
    records = [play("dots", "a", "b", **DOTS)]
    with begun(tmp_path / "cup.sqlite", records, format="knockout", format_keys=keys):
        pass
    with RunView(tmp_path / "cup.sqlite") as view:
        assert "0 of at most 8 games" in text(sections(view, STAFF)["facts"])


def test_a_run_without_a_game_has_a_page(play: Play, tmp_path: Path) -> None:
    with begun(tmp_path / "cup.sqlite", [play("dots", "a", "b", **DOTS)]):
        pass
    with RunView(tmp_path / "cup.sqlite") as view:
        found = sections(view, STAFF)
        assert set(found) == set(SECTIONS)
        assert "hidden" in found["faults"], "it would have a heading alone"
        write_report(view, STAFF, tmp_path / "out.html")


def test_a_game_that_is_there_is_not_looked_for(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report of all games would look at each of them for each of them."""
    record = play("dots", "a", "b", **DOTS)
    keep_games(tmp_path / "cup.sqlite", [record])
    monkeypatch.delattr(RunView, "record")
    with RunView(tmp_path / "cup.sqlite") as view:
        write_report(view, STAFF, tmp_path / "out.html")


def test_a_clock_of_its_own_is_reported(play: Play, tmp_path: Path) -> None:
    clock = Clock(move_ms=None, bank_ms=9000)
    record = with_clock(play("dots", "ann", "bob", **DOTS), clock)
    keep_games(tmp_path / "cup.sqlite", [record])
    with RunView(tmp_path / "cup.sqlite") as view:
        shown = text(sections(view, STAFF)["standings"])
        hidden = text(sections(view, Audience(pseudonyms="secret"))["standings"])
        data = run_data(view, STAFF)
        rows = {row.name: row.clock for row in view.standings.players}
    assert "With a clock of its own: ann (9 s a game)." in shown
    assert re.search(r"its own: player \d \(9 s a game\)", hidden)
    assert data.limits_ms == [None, 5000]
    assert [each.clock for each in data.figures] == ["9 s a game", ""]
    assert rows == {"ann": clock, "bob": None}


def test_a_long_name_is_cut(play: Play, tmp_path: Path) -> None:
    names = ("x" * 10_000, "x" * 9_000)
    with begun(tmp_path / "cup.sqlite", [play("dots", *names, **DOTS)]) as store:
        store.add(play("dots", *names, **DOTS))
    with RunView(tmp_path / "cup.sqlite") as view:
        found = "".join(sections(view, STAFF).values())
    assert len(found) < 20_000 and "x… (1)" in found and "x… (2)" in found


def test_the_name_of_a_bot_is_whole(play: Play, tmp_path: Path) -> None:
    record = play("dots", f"{'x' * 64}@12", "ant", **DOTS)
    keep_games(tmp_path / "cup.sqlite", [record])
    with RunView(tmp_path / "cup.sqlite") as view:
        assert f">{'x' * 64}@12<" in sections(view, STAFF)["standings"]


def test_a_thousand_games_are_half_a_megabyte(play: Play, tmp_path: Path) -> None:
    records = [
        play("othello", *both, seed=n, game=f"g{n:04d}", pair=f"p{n // 2}", preset="cornerless")
        for n, both in enumerate(list(permutations("abcdefgh", 2))[:50], 1)
    ]
    keep_games(tmp_path / "cup.sqlite", records)
    out = tmp_path / "out.html"
    with RunView(tmp_path / "cup.sqlite") as view:
        write_report(view, PUBLIC, out)
    document = out.read_text()
    data = sum(map(len, re.findall(r'id="games-\d+">([^<]*)<', document)))
    assert len(document) - data + 1000 / len(records) * data < 500_000


def test_a_report_that_cannot_be_written_leaves_the_old_one(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.html"
    out.write_text("as it was")
    with begun(tmp_path / "cup.sqlite", [play("dots", "a", "b", **DOTS)]) as store:
        store.add(play("dots", "a", "b", **DOTS))

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(RunView, "intact_record", full)
    with RunView(tmp_path / "cup.sqlite") as view, pytest.raises(OSError, match="no space"):
        write_report(view, STAFF, out)
    assert out.read_text() == "as it was" and not list(tmp_path.glob("*.part"))


def test_forfeits_are_words(play: Play, tmp_path: Path) -> None:
    record = play("dots", "a", "b", forfeit=0, **DOTS)
    with begun(tmp_path / "cup.sqlite", [record]) as store:
        store.add(record.model_copy(update={"termination": Termination.ILLEGAL_MOVE}))
    with RunView(tmp_path / "cup.sqlite") as view:
        assert "1 illegal move" in text(sections(view, STAFF)["standings"])


FAILED = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    a[1]\n'


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        ("", ""),
        (" \n one \n two \n\n", "two"),
        (f"\n{FAILED}KeyError: 1\nmore", "KeyError: 1"),
        (f"loaded\n{FAILED}ValueError: odd\n", "ValueError: odd"),
        (
            f"{FAILED}KeyError: 1\n\nDuring handling …:\n\n{FAILED}ValueError: odd",
            "ValueError: odd",
        ),
        (
            '  File "a.py", line 3\n    x = =\n        ^\nSyntaxError: invalid\n',
            "SyntaxError: invalid",
        ),
        (FAILED, "a[1]"),
        (f'{FAILED}ValueError: odd\n  File "note"\n', "ValueError: odd"),
        ('Fatal Python error\n  File "a.py", line 3\nExtension', "Fatal Python error"),
        ('ready\n  File "a.py", line 3, in stack\nthinks', "thinks"),
        (f"{FAILED}OSError: {'no ' * 14}/srv/course/ada/bot.py", f"OSError: {'no ' * 14}"),
    ],
)
def test_the_line_of_stderr_that_says_most(stderr: str, line: str) -> None:
    assert line_of(stderr, 60) == line
