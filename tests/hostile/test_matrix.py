"""Faults in every mode: the verdict, the sentence, the opponent's point, and nothing left.

What bytes mean is judged by the same code in every mode: those faults are tried in one.
"""

import json

import pytest
from _pytest.mark.structures import ParameterSet

from arena.model.protocol import Termination
from tests.hostile.cases import (
    ATTACKS,
    BUDGET,
    BUDGET_UNHELD,
    FAULTS,
    MEMORY,
    PROCESS,
    SYSTEM,
    TEXT,
    Act,
    Attack,
    Case,
)
from tests.hostile.conftest import Table, went_well

T = Termination
MODES = ("none", "limits", "bwrap")
TABLES = (*MODES, *(f"{mode} as nobody" for mode in MODES))
"""As the user who runs the tests, and where that is root as an ordinary user too: one table each.
"""

OF_EACH_END = {case.ends: case for case in reversed(SYSTEM)}.values()
"""The first case of each: these alone are tried as an ordinary user, as what a fault means does not
depend on the user.
"""
OF_EACH_TEXT = {case.ends: case for case in reversed(TEXT)}.values()
"""The first case of each: the others are quick without a process, in referee/test_judge.py."""


def param(mode: str, case: Case | Attack, *marks: pytest.MarkDecorator) -> ParameterSet:
    return pytest.param(mode, case, id=f"{mode.replace(' ', '-')}-{case.fault}", marks=marks)


def fault(mode: str, case: Case) -> ParameterSet:
    """Slow in a sandbox and as an ordinary user; so is a text that is not the first of its end."""
    quick = mode == "none" and case in (*SYSTEM, *OF_EACH_TEXT)
    return param(mode, case, *([] if quick else [pytest.mark.slow]))


OF_PROCESSES = [case for case in SYSTEM if case in (*OF_EACH_END, *PROCESS, *MEMORY)]
"""Those that differ where processes are ended by other means; pipes and clocks are the same."""

CASES = [
    *(fault("none", case) for case in FAULTS),
    *(fault("limits", case) for case in OF_PROCESSES),
    *(fault("bwrap", case) for case in SYSTEM),
    *(fault(mode, case) for mode in TABLES[len(MODES) :] for case in OF_EACH_END),
]
ACTS = [
    param(mode, attack)
    for mode in TABLES
    for attack in ATTACKS
    if attack.in_none or not mode.startswith("none")
]


@pytest.mark.parametrize(("mode", "case"), CASES)
def test_a_fault(table: Table, case: Case, mark: str) -> None:
    offender = FAULTS.index(case) % 2
    options = {"options": {"folder": table.attacked()["folder"]}}
    bad = table.player(case.fault, mark, **{**options, **case.player})
    players = [table.player("none", mark)] * 2
    players[offender] = bad
    played = table.play(players[0], players[1], move_ms=case.move_ms)
    record = played.record
    if case.ends is T.NATURAL:
        went_well(played)
    else:
        assert record.termination is case.ends, record.detail
        assert case.says in record.detail
        assert record.detail.isprintable()
        assert record.offender == offender
        assert record.points == ((0.0, 1.0) if offender == 0 else (1.0, 0.0))
    assert record.seats[offender].sandbox == table.held
    table.after_case(mark, played)


def allowed(table: Table, act: Act) -> bool:
    """Whether nothing that is held forbids it."""
    return act.by is not None and not any(table.held.by.get(guarantee) for guarantee in act.by)


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "attack"), ACTS)
def test_an_attack(table: Table, attack: Attack, mark: str) -> None:
    budget = BUDGET_UNHELD if table.mode == "none" else BUDGET
    options = {**table.attacked(), "budget": budget, "most_mb": 64}
    bad = table.player(attack.fault, mark, options=options, **attack.player)
    table.prepare()
    played = table.play(bad, table.player(attack.opponent, mark), move_ms=attack.move_ms)
    went_well(played)
    told = [move.info for move in played.record.moves if move.info]
    acts = json.loads(told[0]["text"]) if told else {}
    assert acts.keys() >= attack.acts.keys()
    for name, act in attack.acts.items():
        got = acts[name]
        if act.most is not None and not allowed(table, act):
            assert got.startswith("!") or int(got) <= act.most, (name, got)
        elif not allowed(table, act):
            assert got.startswith("!"), (name, got)
        elif table.mode == "none" and act.uncontained:
            assert not got.startswith("!"), (name, got)
    if "writes_others_files" in attack.fault and table.mode != "none":
        assert table.untouched()
    table.prepare()
    table.after_case(mark, played)


def test_every_end_of_a_player_is_among_the_cases() -> None:
    covered = {case.ends for case in FAULTS} | {T.START_FAILED, T.NATURAL}
    assert covered == {word for word in T if word.is_forfeit} | {T.NATURAL}
