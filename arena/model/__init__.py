"""Values that travel: the protocol, game specs, records, sandboxes of players."""

from pydantic import ConfigDict

from arena.files.described import Described


class Frozen(Described):
    """A value that is fixed once made and knows all its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
