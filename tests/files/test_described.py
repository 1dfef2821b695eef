"""Models described by the docstrings below their fields."""

from pydantic import Field

from arena.files.described import Described


class Plain(Described):
    """A model."""

    one: int = 1
    """The first,
    in two lines.
    """
    two: int = Field(2, description="said otherwise")
    """Not said."""
    bare: int = 3
    from_: int = Field(4, alias="from")
    """Under its key."""


class More(Plain):
    """The same, and more."""

    one: int = 5
    part: Plain = Plain()
    """What it has."""


def test_a_schema_says_what_is_written_below_a_field() -> None:
    schema = More.model_json_schema()
    said = {key: shown.get("description") for key, shown in schema["properties"].items()}
    first = "The first,\nin two lines."
    assert said == {
        "one": first,
        "two": "said otherwise",
        "bare": None,
        "from": "Under its key.",
        "part": "What it has.",
    }
    assert schema["$defs"]["Plain"]["properties"]["one"]["description"] == first


def test_a_class_without_a_source_has_a_schema() -> None:
    made: dict[str, type[Described]] = {}
    exec("class Made(Described):\n    one: int = 1\n", {"Described": Described}, made)
    assert made["Made"].model_json_schema()["properties"] == {
        "one": {"default": 1, "title": "One", "type": "integer"}
    }
