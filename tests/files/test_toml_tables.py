"""What is said about values that a model refuses."""

import pytest
from pydantic import BaseModel, Field, ValidationError

from arena.files.toml_tables import explain, written


class Steps(BaseModel):
    steps: list[tuple[float, float]] = Field(min_length=1)
    range: list[float] = Field(default=[0, 1], min_length=2, max_length=2)
    name: str = Field(default="", max_length=3)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"steps": [[0.0, 1.4], [0.3]]}, "steps[2][2]: is missing"),
        ({"steps": [[]]}, "steps[1][1]: is missing"),
        ({"steps": [[1, 2, 3]]}, "steps[1]: must have at most 2 items, got [1, 2, 3]"),
        ({"steps": []}, "steps: must not be empty, got []"),
        ({"steps": [[0, 1]], "range": [1]}, "range: must have at least 2 items, got [1]"),
        ({"steps": [[0, 1]], "name": "four"}, 'name: must have at most 3 characters, got "four"'),
    ],
)
def test_items_and_characters_are_counted(data: dict[str, object], expected: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        Steps.model_validate(data)
    found = [f"{written(path)}: {message}" for path, message in explain(refusal.value, Steps, data)]
    assert expected in found
