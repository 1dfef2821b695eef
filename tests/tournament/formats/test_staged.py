"""Rounds that a generator makes."""

import rules
from arena.tournament.estimate import imagine
from arena.tournament.formats.base import Plan
from arena.tournament.formats.staged import Rounds, StagedSchedule
from tests.tournament.helpers import stronger_first


class _Resting(StagedSchedule):
    def rounds(self) -> Rounds:
        for pairs in ([], [("m0", "m1")], [], [], [("m1", "m2")], []):
            taken = yield pairs
            assert [*taken] == pairs


def test_a_round_without_meetings_is_not_the_last() -> None:
    schedule = _Resting(Plan(("m0", "m1", "m2"), 1, rules.default("dots"), {}), 4)
    games = [game.game for game in imagine(schedule, "dots", stronger_first)]
    assert games == ["m0:m1:2.1", "m0:m1:2.2", "m1:m2:5.1", "m1:m2:5.2"] and schedule.over
