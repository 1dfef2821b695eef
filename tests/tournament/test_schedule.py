"""The schedule: who meets whom, on what, and that only the file decides."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations, groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.config_file import TournamentConfig
from arena.tournament.estimate import estimate
from arena.tournament.formats.round_robin import berger
from arena.tournament.run import GameSpecs
from tests.tournament.helpers import pairings, schedule

Load = Callable[..., TournamentConfig]
GOLDEN = Path(__file__).with_name("schedule.golden")
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n'


def lines(config: TournamentConfig) -> list[str]:
    return [
        f"{spec.game} {spec.round} {spec.pair} {'-'.join(p.name for p in spec.players)} "
        f"{' '.join(spec.opening) or '.'} {spec.seed}"
        for spec in schedule(config)
    ]


def golden_text(load: Load) -> str:
    parts = {
        "othello": '[tournament]\nrounds = 2\nseed = 7\n[game]\nrules = "othello"\nsize = 4\n',
        "dots": f"[openings]\nplies = 3\n{DOTS}",
        "2048": '[tournament]\nrounds = 2\n[game]\nrules = "2048"\n',
        "2584 with a placer": '[game]\nrules = "2584"\nplacer = "player"\n',
    }
    return "".join(
        f"{name}\n" + "".join(f"  {line}\n" for line in lines(load(text, players=3)))
        for name, text in parts.items()
    )


def test_the_schedule_is_the_one_in_the_golden_file(load: Load) -> None:
    """Read the difference; if it is meant, write the new text into the file: but runs that were
    begun with the old schedule cannot go on then.
    """
    assert golden_text(load) == GOLDEN.read_text()


@given(st.integers(2, 15))
def test_berger_lets_all_players_meet_once_and_none_play_twice_a_day(players: int) -> None:
    days = berger(players)
    for day in days:
        assert len({player for pair in day for player in pair}) == 2 * len(day)
    met = Counter(frozenset(pair) for day in days for pair in day)
    assert met == Counter(map(frozenset, combinations(range(players), 2)))
    first = Counter(pair[0] for day in days for pair in day)
    assert max(first.values()) - min(first.get(p, 0) for p in range(players)) <= 1


def test_berger_as_in_the_published_tables() -> None:
    # FIDE Handbook C.05, annex 1, 5-6 players; theirs counts from 1
    table = [[(p + 1, q + 1) for p, q in day] for day in berger(6)]
    assert table == [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]


def test_pairs_are_swapped_on_one_opening_and_everyone_meets_equally_often(load: Load) -> None:
    config = load(f"[tournament]\nrounds = 3\n{DOTS}", players=5)
    games = schedule(config)
    assert tuple(map(GameSpecs(config).of, pairings(config)[::-1])) == games[::-1]
    assert len(games) == 3 * 10 * 2
    assert len({game.game for game in games}) == len(games)
    assert len({game.seed for game in games}) == len(games)
    for _, (first, second) in groupby(games, key=lambda game: game.pair):
        assert first.players == second.players[::-1]
        assert first.opening == second.opening
    meetings = Counter(tuple(player.name for player in game.players) for game in games)
    assert set(meetings.values()) == {3}
    assert len(meetings) == 5 * 4
    openings = {game.round: game.opening for game in games}
    assert all(game.opening == openings[game.round] for game in games)
    assert len(set(openings.values())) == 3


def test_more_rounds_leave_the_earlier_games_alone(load: Load) -> None:
    short, long = (lines(load(f"[tournament]\nrounds = {n}\n{DOTS}", players=3)) for n in (2, 5))
    assert long[: len(short)] == short


def field(
    config: TournamentConfig, *groups: int, out: tuple[str, ...] = (), rounds: int = 1
) -> TournamentConfig:
    """The tournament with players joined in groups of these sizes, and some of them out."""
    joined = [number for number, size in enumerate(groups) for _ in range(size)]
    players = tuple(
        player.model_copy(
            update={"joined": group, "status": "out" if player.name in out else "playing"}
        )
        for player, group in zip(config.players, joined, strict=True)
    )
    return config.model_copy(update={"players": players, "rounds": rounds})


@pytest.mark.parametrize("rule_set", ["dots", "2048", '2584"\nplacer = "player'])
def test_players_that_join_move_no_game(load: Load, rule_set: str) -> None:
    text = f'[game]\nrules = "{rule_set}"\n'
    first = load(text, players=3)
    six = load(text, players=6)
    for rounds in (1, 2, 4):
        early = lines(first.model_copy(update={"rounds": rounds}))
        middle = lines(field(load(text, players=5), 3, 2, rounds=rounds))
        late = lines(field(six, 3, 2, 1, rounds=rounds))
        more = lines(field(six, 3, 2, 1, rounds=rounds + 1))
        assert set(early) < set(middle) < set(late) < set(more)
        games = schedule(field(six, 3, 2, 1, rounds=rounds))
        assert len({game.game for game in games}) == len(games) == len(late)
    whole = Counter(tuple(p.name for p in game.players) for game in schedule(six))
    parts = Counter(tuple(p.name for p in game.players) for game in schedule(field(six, 3, 2, 1)))
    assert parts == whole, "the same meetings as if all had been there"


def test_two_more_bots_of_twelve_play_84_games(load: Load) -> None:
    ten, twelve = load(DOTS, players=10), load(DOTS, players=12)
    before = {pairing.game for pairing in pairings(field(ten, 10, rounds=2))}
    after = pairings(field(twelve, 10, 2, rounds=2))
    new = [pairing for pairing in after if pairing.game not in before]
    assert (len(before), len(after), len(new)) == (180, 264, 84)
    assert all({"m10", "m11"} & set(pairing.players) for pairing in new)
    assert (new[0].game, new[0].pair) == ("g2-0001", "p2-0001")


@pytest.mark.parametrize("rule_set", ["dots", "2048"])
def test_a_player_that_is_out_moves_no_game(load: Load, rule_set: str) -> None:
    config = load(f'[game]\nrules = "{rule_set}"\n', players=4)
    without = field(config, 3, 1, out=("m1",), rounds=2)
    left = [line for line in lines(field(config, 3, 1, rounds=2)) if "m1" not in line]
    assert lines(without) == left
    assert without.schedule().total == len(left)


def test_one_seat_plays_common_seeds(load: Load) -> None:
    games = schedule(load('[tournament]\nrounds = 4\n[game]\nrules = "2048"\n', players=3))
    assert len(games) == 12
    for _, together in groupby(games, key=lambda game: game.pair):
        same = list(together)
        assert len({game.seed for game in same}) == 1
        assert [game.players[0].name for game in same] == ["m0", "m1", "m2"]
    assert len({game.seed for game in games}) == 4


def test_a_placing_player_swaps_roles_on_one_seed(load: Load) -> None:
    games = schedule(load('[game]\nrules = "2048"\nplacer = "player"\n', players=3))
    for _, (first, second) in groupby(games, key=lambda game: game.pair):
        assert first.players == second.players[::-1]
        assert first.seed == second.seed
    assert len({game.seed for game in games}) == 3


def test_openings_of_a_file_are_taken_in_turn(load: Load, tmp_path: Path) -> None:
    (tmp_path / "o.txt").write_text("a1b1\na1a2\n")
    config = load(f'[tournament]\nrounds = 3\n[openings]\nfile = "o.txt"\n{DOTS}')
    assert [game.opening[0] for game in schedule(config)[::2]] == ["a1b1", "a1a2", "a1b1"]


def test_the_schedule_is_the_same_in_every_process(load: Load) -> None:
    config = load(f"[tournament]\nrounds = 4\n{DOTS}", players=3)
    code = (
        "import sys; from tests.tournament.helpers import schedule;"
        "from arena.tournament.config import TournamentConfig;"
        "print([spec.model_dump_json() for spec in"
        " schedule(TournamentConfig.model_validate_json(sys.stdin.read()))])"
    )
    there = subprocess.run(
        [sys.executable, "-c", code],
        input=config.model_dump_json(),
        env={**os.environ, "PYTHONHASHSEED": "4242"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert there == str([spec.model_dump_json() for spec in schedule(config)])


@pytest.mark.parametrize("rule_set", ["dots", "2048"])
@pytest.mark.parametrize("players", [2, 5])
def test_games_are_counted_without_drawing_them(load: Load, rule_set: str, players: int) -> None:
    text = f'[tournament]\nrounds = 3\n[game]\nrules = "{rule_set}"\n'
    config = load(text, players=players)
    assert config.schedule().total == len(schedule(config))


def test_the_estimate_follows_clock_and_concurrency(load: Load) -> None:
    def seconds(text: str, cores: int = 1) -> tuple[float, float | None]:
        config = load(text, players=0, cores=cores)
        found = estimate(config, pairings(config))
        return found.expected_s, found.worst_s

    thinkers = '[[player]]\nbot = "thinker"\n[[player]]\nbot = "thinker"\nname = "t2"\n'
    othello = '[game]\nrules = "othello"\n'
    expected, worst = seconds(f"{othello}[clock]\nmove_ms = 1000\n{thinkers}")
    assert expected == pytest.approx(2 * 52, rel=0.05)  # two games of 60 plies, 8 from the opening
    assert worst is not None and worst > expected
    assert seconds(f"{othello}[clock]\nmove_ms = 1000\n{thinkers}", 2)[0] == pytest.approx(
        expected / 2
    )
    banked = f"{othello}[clock]\nmove_ms = 1000\nbank_ms = 5000\n{thinkers}"
    assert seconds(banked)[0] == pytest.approx(2 * 10, rel=0.06)
    quick = thinkers.replace('bot = "thinker"', 'bot = "thinker"\noptions = {think_ms = 100}')
    own_limit = seconds(f"{othello}[clock]\nmove_ms = 1000\n{quick}")[0]
    assert own_limit == pytest.approx(expected / 10, rel=0.1)
    odds = thinkers + "clock = { move_ms = 3000 }\n"
    assert seconds(f"{othello}[clock]\nmove_ms = 1000\n{odds}")[0] == pytest.approx(2 * expected)
    monkeys = '[[player]]\nbot = "monkey"\n[[player]]\nbot = "monkey"\nname = "m2"\n'
    afresh = seconds(f"[tournament]\nkeep_alive = false\n{othello}{monkeys}")
    assert afresh[0] < 3
    assert afresh[1] is not None and afresh[1] < 5
    assert seconds(othello + monkeys)[0] < afresh[0] / 2
    instant = load(f"{othello}{monkeys}", players=0)
    assert str(estimate(instant, pairings(instant))) == "A few seconds"
    tiles = load('[game]\nrules = "2048"\n')
    assert estimate(tiles, pairings(tiles)).worst_s is None
    assert "no upper limit" in str(estimate(tiles, pairings(tiles)))
    budgets = thinkers.replace('bot = "thinker"', 'bot = "thinker"\noptions = {iterations = 9}')
    config = load(f"{othello}[clock]\nmove_ms = 1000\n{budgets}", players=0)
    said = str(estimate(config, pairings(config)))
    assert re.fullmatch(r"At most \d+ min", said)
    limited = load('[tournament]\nmax_plies = 100\n[game]\nrules = "2048"\n')
    assert estimate(limited, pairings(limited)).worst_s == pytest.approx(0.2)
