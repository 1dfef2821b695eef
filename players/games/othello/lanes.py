"""The lines of eight Othello boards at once, one board in each lane (`lanes`).

All eight boards take the same step of a line by one instruction, and the runs of discs found on the
way to the legal squares serve once more to turn them.
"""

from __future__ import annotations

from typing import Any

from numba import types

from players.compiled.cache import intrinsic
from players.compiled.lanes import LANES, constant
from players.games.othello.lines import INNER_COLUMNS, STEPS

RUNS = types.UniTuple(LANES, 2 * len(STEPS))  # type: ignore[no-untyped-call]  # numba's
"""For each direction the discs of `other` that lie, one after the other, behind one of `own`."""


def _fill(builder: Any, shift: Any, step: int, seeds: Any, through: Any) -> Any:
    """The squares of `through` that follow on `seeds` without a gap, at most six in a row, by
    doubling strides (Kogge-Stone).
    """
    b = builder
    run = b.and_(shift(seeds, constant(step)), through)
    run = b.or_(run, b.and_(shift(run, constant(step)), through))
    pairs = b.and_(through, shift(through, constant(step)))
    run = b.or_(run, b.and_(shift(run, constant(2 * step)), pairs))
    return b.or_(run, b.and_(shift(run, constant(2 * step)), pairs))


@intrinsic
def runs(_typing: Any, own: Any, other: Any) -> Any:
    """The RUNS of eight boards."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        own, other = arguments
        inner = builder.and_(other, constant(INNER_COLUMNS))
        runs = [
            _fill(builder, shift, step, own, other if step == 8 else inner)
            for shift in (builder.shl, builder.lshr)
            for step in STEPS
        ]
        return context.make_tuple(builder, signature.return_type, runs)

    return RUNS(LANES, LANES), generate


@intrinsic
def ends(_typing: Any, runs: Any) -> Any:
    """The squares, empty or not, at the end of a run: a disc there brackets it."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        found = constant(0)
        shifts = [(shift, step) for shift in (builder.shl, builder.lshr) for step in STEPS]
        for index, (shift, step) in enumerate(shifts):
            run = builder.extract_value(arguments[0], index)
            found = builder.or_(found, shift(run, constant(step)))
        return found

    return LANES(RUNS), generate


@intrinsic
def turned_by(_typing: Any, disc: Any, runs: Any) -> Any:
    """The discs that a new `disc` turns: in each direction the run that leads back from it."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        turned = constant(0)
        backwards = [(shift, step) for shift in (builder.lshr, builder.shl) for step in STEPS]
        for index, (shift, step) in enumerate(backwards):
            run = builder.extract_value(arguments[1], index)
            turned = builder.or_(turned, _fill(builder, shift, step, arguments[0], run))
        return turned

    return LANES(LANES, RUNS), generate
