"""Tournament formats by name: one file a format."""

from arena.tournament.formats.base import Format
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.formats.sprt import SequentialTest

FORMATS: dict[str, Format] = {
    format_.name: format_
    for format_ in (
        RoundRobin(),
        SequentialTest(),
    )
}
