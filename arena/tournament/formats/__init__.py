"""Tournament formats by name: one file a format."""

from arena.tournament.formats.base import Format
from arena.tournament.formats.round_robin import ROUND_ROBIN
from arena.tournament.formats.sprt import SEQUENTIAL_TEST

FORMATS: dict[str, Format] = {each.name: each for each in (ROUND_ROBIN, SEQUENTIAL_TEST)}
