"""Tournament formats by name: one file a format."""

from arena.files.named import by_name
from arena.tournament.formats.base import Format
from arena.tournament.formats.gauntlet import GAUNTLET
from arena.tournament.formats.groups import GROUPS
from arena.tournament.formats.knockout import KNOCKOUT
from arena.tournament.formats.ladder import LADDER
from arena.tournament.formats.round_robin import ROUND_ROBIN
from arena.tournament.formats.sprt import SEQUENTIAL_TEST
from arena.tournament.formats.swiss import SWISS

FORMATS: dict[str, Format] = by_name(
    (ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT, GROUPS, LADDER, SEQUENTIAL_TEST)
)
