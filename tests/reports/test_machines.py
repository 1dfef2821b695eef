"""Results by machine, where a cluster played them."""

from pathlib import Path

import pytest
from rich.console import Console, Group

from arena.model.record import GameRecord
from arena.reports import machines
from arena.tournament.config import TournamentConfig
from arena.tournament.machines import PlayedAt, seats_at
from arena.tournament.played_store import PlayedStore
from arena.tournament.store import Store
from tests.tournament.conftest import BUILTINS, played
from tests.tournament.helpers import schedule


def at(machine: str, player: str, speed: float, nodes: int | None = None) -> PlayedAt:
    ms = None if nodes is None else 1000.0
    return PlayedAt(machine, f"cpu of {machine}", player, 4, 2.0, speed, nodes, ms)


def test_a_player_that_is_slower_on_a_machine_is_named_by_its_own_figures() -> None:
    said = machines.about(
        [at("a", "uct", 100, 5000), at("b", "uct", 70, 4000), at("a", "ox", 100), at("b", "ox", 70)]
    )
    assert said == [
        "Slower on b (cpu of b) than on a (cpu of a), by the speed that was measured: ox by 30%. "
        "same_kind = true uses only machines with the same processor.",
        "Slower on b (cpu of b) than on a (cpu of a), by the nodes/s they state: uct by 20%. "
        "same_kind = true uses only machines with the same processor.",
    ]


def test_ten_percent_is_no_difference_and_one_machine_no_table() -> None:
    assert machines.about([at("a", "uct", 100), at("b", "uct", 91)]) == []
    assert list(machines.sections([at("a", "uct", 100), at("a", "ox", 100)])) == []


def moved_to(
    record: GameRecord, machine: str, speed: float | None, nodes: int = 3, cpu: str = "a CPU"
) -> GameRecord:
    host = record.host.model_copy(update={"name": machine, "speed": speed, "cpu": cpu})
    moves = (record.moves[0].model_copy(update={"info": {"nodes": nodes, "text": "x"}}),)
    return record.model_copy(update={"host": host, "moves": moves})


@pytest.fixture
def config(tmp_path: Path) -> TournamentConfig:
    from arena.tournament.config_file import load_config

    file = tmp_path / "t.toml"
    players = "".join(f'[[player]]\nbot = "monkey"\nname = "m{n}"\n' for n in range(2))
    file.write_text(f"[tournament]\nrounds = 2\n[game]\nrules = 'dots'\n{players}")
    return load_config(file, BUILTINS)


def test_the_store_keeps_where_a_cluster_played(config: TournamentConfig, tmp_path: Path) -> None:
    machines_of = (("a", 100.0), ("a", 100.0), ("b", 50.0), ("here", None))
    with PlayedStore.open_run(tmp_path / "r.sqlite", config) as store:
        for spec, place in zip(schedule(config), machines_of, strict=True):
            store.add(moved_to(played(spec), *place))
    with Store.open(tmp_path / "r.sqlite") as store:
        found = store.played_at()
    assert [(one.machine, one.player, one.games, one.points) for one in found] == [
        ("a", "m0", 2, 1.0), ("a", "m1", 2, 1.0), ("b", "m0", 1, 1.0), ("b", "m1", 1, 0.0),
    ]  # fmt: skip
    assert found[0].nodes_per_s == pytest.approx(2000)
    console = Console(width=100)
    with console.capture() as shown:
        console.print(Group(*machines.sections(found)))
    assert "Slower on b" in shown.get() and "By machine" in shown.get()


def test_machines_of_one_name_are_told_apart_and_void_games_left_out(
    config: TournamentConfig, tmp_path: Path
) -> None:
    with PlayedStore.open_run(tmp_path / "r.sqlite", config) as store:
        for spec, cpu in zip(schedule(config), ("old", "new", "new", "new"), strict=True):
            store.add(moved_to(played(spec), "a", 100.0, cpu=cpu))
            store.add(moved_to(played(spec, attempt=2, void=True), "a", 100.0, cpu=cpu))
    with Store.open(tmp_path / "r.sqlite") as store:
        found = store.played_at()
    assert sorted((one.cpu, one.player, one.games) for one in found) == [
        ("new", "m0", 3),
        ("new", "m1", 3),
        ("old", "m0", 1),
        ("old", "m1", 1),
    ]


def test_moves_without_stated_nodes_count_for_no_speed(config: TournamentConfig) -> None:
    record = moved_to(played(schedule(config)[0]), "a", 100.0, 30)
    stated = record.moves[0]
    silent = stated.model_copy(update={"info": None, "used_ms": 50.0})
    passed = stated.model_copy(update={"used_ms": None})
    other = silent.model_copy(update={"seat": 1})
    record = record.model_copy(update={"moves": (stated, silent, passed, other, stated)})
    assert list(seats_at(record)) == [
        (0, "a", "a CPU", 100.0, 60.0, 3.0),
        (1, "a", "a CPU", 100.0, None, None),
    ]
    assert list(seats_at(moved_to(record, "here", None))) == []


def test_a_player_without_nodes_has_no_speed_of_its_own() -> None:
    assert at("a", "uct", 100, 0).nodes_per_s is at("a", "uct", 100).nodes_per_s is None
    assert at("a", "uct", 100, 500).nodes_per_s == 500


@pytest.mark.parametrize("nodes", [2**62, 2**64 - 1, 10**299], ids=["62 bits", "64 bits", "long"])
def test_a_bot_may_state_more_nodes_than_sqlite_has_integers_for(
    config: TournamentConfig, tmp_path: Path, nodes: int
) -> None:
    with PlayedStore.open_run(tmp_path / "r.sqlite", config) as store:
        for spec in schedule(config):
            store.add(moved_to(played(spec), "a", 100.0, nodes))
    with Store.open(tmp_path / "r.sqlite") as store:
        stated, *_ = store.played_at()
    assert stated.nodes == pytest.approx(2 * nodes), "two games in which it moved first"
