"""Values that travel: the protocol, game specs, records, what contains a player."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value that is fixed once made and knows all its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
