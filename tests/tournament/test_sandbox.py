"""Players contained as a tournament file asks: what it may ask, what they get, what is refused."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from arena.bots.prepare import prepare
from arena.errors import ConfigError, SandboxError
from arena.model.containment import Guarantee, Held, SandboxChoice
from arena.model.contender import Prepared
from arena.sandbox.mounts import mounts_possible
from arena.sandbox.overload import delay_warning
from arena.tournament.config import cores_a_game, differences
from arena.tournament.config_file import TournamentConfig, load_config
from arena.tournament.executors.local import fit
from arena.tournament.played_store import PlayedStore
from arena.tournament.ready import ready
from arena.tournament.run import run
from players.catalogue import BUILTINS
from tests.tournament.helpers import refusal, schedule

Load = Callable[..., TournamentConfig]
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n'
HEAD = "[tournament]\n"
OTHER = '[[player]]\nbot = "monkey"\nname = "other"\n'


def test_the_tournaments_sandbox_is_that_of_players_who_ask_for_none(load: Load) -> None:
    config = load(f'{HEAD}sandbox = "limits"\n{DOTS}{OTHER}sandbox = "bwrap"\n')
    assert [player.contender.sandbox for player in config.players] == ["bwrap", "limits", "limits"]
    assert {player.contender.sandbox for player in load(DOTS).players} == {"auto"}
    assert load(DOTS).require == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f'{HEAD}sandbox = "bwarp"\n{DOTS}',
            "t.toml:2: tournament.sandbox: must be one of 'auto', 'bwrap', 'limits', 'none', got "
            '"bwarp"; did you mean "bwrap"?',
        ),
        (f"{HEAD}sandbox = true\n{DOTS}", "tournament.sandbox: must be one of 'auto', "),
        (
            f'{HEAD}require = ["netwrk"]\n{DOTS}',
            "t.toml:2: tournament.require[1]: must be one of 'memory', 'processes', 'cpu', ",
        ),
        (f'{HEAD}require = ["netwrk"]\n{DOTS}', 'got "netwrk"; did you mean "network"?'),
        (f'{HEAD}require = "network"\n{DOTS}', "tournament.require: must be a list: "),
        (f'{HEAD}ponder = "yes"\n{DOTS}', "tournament.ponder: must be a valid boolean"),
        (f'{DOTS}{OTHER}sandbox = "docker"\n', "t.toml:8: player[1].sandbox: must be one of "),
        (
            f'{HEAD}require = ["uid"]\n{DOTS}{OTHER}sandbox = "none"\n',
            't.toml:2: tournament.require: nothing is held where sandbox = "none", as it is for '
            "other; leave one of the two out",
        ),
    ],
)
def test_each_mistake_is_named(load: Load, text: str, expected: str) -> None:
    assert expected in refusal(load, text)


def test_players_that_ponder_need_cores_of_their_own(load: Load) -> None:
    assert cores_a_game([1, 3, 2], 2, ponder=False) == 3
    assert cores_a_game([1, 3, 2], 2, ponder=True) == 5
    assert cores_a_game([2, 1], 1, ponder=True) == 2
    wide = f"{OTHER}resources = {{threads = 2}}\n"
    config = load(f"{HEAD}ponder = true\n{DOTS}{wide}", cores=7)
    assert (config.threads, config.concurrency) == (3, 2)
    assert all(spec.terms.ponder for spec in schedule(config))
    frozen = load(DOTS + wide, cores=7)
    assert (frozen.threads, frozen.concurrency) == (2, 3)
    assert not any(spec.terms.ponder for spec in schedule(frozen))
    assert (
        "t.toml:2: tournament.ponder: with ponder = true every player needs its own cores: "
        "3 a game, this machine has 2; leave ponder out"
    ) in refusal(load, f"{HEAD}ponder = true\n{DOTS}{wide}", cores=2)


def test_sandbox_and_ponder_belong_to_a_run_and_require_does_not(load: Load) -> None:
    config = load(DOTS)
    assert differences(config, load(f'{HEAD}require = ["network"]\n{DOTS}')) == ()
    assert differences(config, load(f"{HEAD}ponder = true\n{DOTS}")) == (
        "tournament.ponder: False → True",
    )
    assert differences(config, load(f'{HEAD}sandbox = "none"\n{DOTS}')) == (
        "player m0.sandbox: 'auto' → 'none'",
        "player m1.sandbox: 'auto' → 'none'",
    )


def held_but(*missing: Guarantee, note: str = "") -> Held:
    by = {each: None if each in missing else "bwrap" for each in Guarantee}
    return Held(mode="bwrap", by=by, notes=(note,) if note else ())


def resolving(answer: Held | SandboxError) -> Callable[[SandboxChoice, Prepared], Held]:
    def resolve(asked: SandboxChoice, spec: Prepared) -> Held:
        if isinstance(answer, SandboxError):
            raise answer
        return answer

    return resolve


def test_what_is_found_to_hold_goes_with_each_player(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = held_but(Guarantee.CPU, note="cpu is not held.")
    monkeypatch.setattr("arena.bots.prepare.resolve", resolving(held))
    config = ready(load(f'{HEAD}require = ["network", "uid"]\n{DOTS}'), tmp_path / "t.toml")
    for player in config.players:
        assert player.home.held == held
        assert prepare(player.contender, "dots", player.home).policy.mode == "bwrap"


def test_what_is_required_and_not_held_is_refused(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = held_but(Guarantee.CPU, Guarantee.NETWORK, note="cpu is not held: buy a cpuset.")
    monkeypatch.setattr("arena.bots.prepare.resolve", resolving(held))
    config = load(f'{HEAD}require = ["cpu", "network", "cpu"]\n{DOTS}')
    with pytest.raises(ConfigError) as caught:
        ready(config, tmp_path / "t.toml")
    assert str(caught.value).splitlines() == [
        f"{tmp_path}/t.toml: tournament.require: cpu is not held for m0, m1: cpu is not held: buy "
        "a cpuset.",
        f"{tmp_path}/t.toml: tournament.require: network is not held for m0, m1: leave it out of "
        "require, or use a machine that holds it",
    ]


def test_a_sandbox_that_cannot_be_had_is_refused(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = SandboxError("bubblewrap is not installed. Install it.")
    monkeypatch.setattr("arena.bots.prepare.resolve", resolving(error))
    with pytest.raises(ConfigError) as caught:
        ready(load(f'{HEAD}sandbox = "bwrap"\n{DOTS}', players=2), tmp_path / "t.toml")
    assert str(caught.value) == (  # said once of all
        f"{tmp_path}/t.toml: player m0, player m1: "
        'sandbox = "bwrap": bubblewrap is not installed. Install it.'
    )


def test_players_that_are_to_be_contained_never_play_free(load: Load, tmp_path: Path) -> None:
    """Also where their sandbox was never tried before."""
    config = load(f"{HEAD}concurrency = 1\n{DOTS}")
    assert all(player.home.held is None for player in config.players)
    with PlayedStore.open_run(tmp_path / "t.sqlite", config) as store:
        run(config, store)
        seats = [seat for record in store.records() for seat in record.seats]
    assert len(seats) == 4
    assert all(seat.sandbox.mode != "none" for seat in seats)


SPY = """
import os, socket, sys
from players import sdk
def can(act):
    try:
        act()
        return "yes"
    except (OSError, ValueError):
        return "no"
print("secret", can(lambda: open({secret!r}).read()), file=sys.stderr)
print("store", can(lambda: open({store!r}, "rb").read().index(b"SQLite")), file=sys.stderr)
print("network", can(lambda: socket.create_connection(("127.0.0.1", {port}), 1)), file=sys.stderr)
print("cores", len(os.sched_getaffinity(0)), file=sys.stderr)
sdk.play(lambda turn: turn.legal[0])
"""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "limits"])
def test_a_game_in_the_sandbox_from_file_to_store(
    load: Load, tmp_path: Path, mode: str, listener: int
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("")
    folder = tmp_path / "bots"
    folder.mkdir()
    (folder / "spy.py").write_text(
        SPY.format(secret=str(secret), store=str(folder / "t.sqlite"), port=listener)
    )
    text = f'{HEAD}sandbox = "{mode}"\nconcurrency = 1\n{DOTS}[[player]]\nbot = "bots/spy.py"\n'
    try:
        config = ready(load(text, players=1, cores=1), tmp_path / "t.toml")
    except ConfigError as error:
        pytest.skip(str(error))
    with PlayedStore.open_run(folder / "t.sqlite", config) as store:
        outcome = run(config, store)
        records = list(store.records())
    assert (outcome.done, outcome.exit_code) == (2, 0)
    for record in records:
        seat = next(seat for seat in record.seats if seat.player == "spy")
        assert seat.sandbox == config.players[0].home.held
        said = dict(line.split(maxsplit=1) for line in seat.stderr_head.splitlines())
        expected = [("secret", Guarantee.FILES), ("network", Guarantee.NETWORK)]
        if seat.sandbox.mode == "bwrap" or mounts_possible():
            expected.append(("store", Guarantee.FILES))  # in the folder that it may read
        for act, guarantee in expected:
            assert said[act] == ("no" if seat.sandbox.by[guarantee] else "yes")
        assert said["cores"] == "1"


@pytest.fixture
def listener() -> Iterator[int]:
    """The port of a server on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_busy_machine_is_reported_with_the_figure() -> None:
    assert delay_warning({0: 1.5, 1: 9.9}) is None
    warned = delay_warning({0: 1.5, 1: 61.2})
    assert warned is not None
    assert warned.startswith("This machine is busy: other programs use 31% of core 1.")
    warned = delay_warning({0: 100.0}, quota=0.5)
    assert warned is not None
    assert "may use 0.5 CPUs" in warned and "other programs" not in warned


@pytest.mark.slow
def test_built_in_players_start_inside_with_their_kernels(tmp_path: Path) -> None:
    """They read the kernel cache where it is, and have nothing to compile or to say."""
    warm = (sys.executable, "-P", "-m", "players.warm", "--rules", "dots")
    warmed = subprocess.run((*warm, "--searches", "uct", "alphabeta"), check=False)
    assert warmed.returncode == 0
    path = tmp_path / "t.toml"
    path.write_text(
        f"{HEAD}concurrency = 1\nmax_plies = 6\n{DOTS}"
        "[clock]\nmove_ms = 50\n[openings]\nplies = 2\n"
        '[[player]]\nbot = "uct"\n[[player]]\nbot = "alphabeta"\n'
    )
    config = ready(load_config(path, BUILTINS, fit=partial(fit, cores=1)), path)
    held = [player.home.held for player in config.players]
    assert all(each is not None and each.mode != "none" for each in held)
    with PlayedStore.open_run(tmp_path / "t.sqlite", config) as store:
        assert run(config, store).done == 2
        for record in store.records():
            assert record.termination == "adjudicated", record.detail
            assert [seat.stderr_head for seat in record.seats] == ["", ""]
