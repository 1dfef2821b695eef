"""Reading the numbers of an evaluation from a JSON file: mistakes raise ValueError."""

from collections.abc import Sequence
from typing import Any

MOST = 50_000
"""No number of an evaluation is beyond this; they are hundredths of a disc or box."""


def members(content: Any, names: Sequence[str], place: str) -> dict[str, Any]:
    """The members `names`, in this order, of a JSON object that has these and no others."""
    if not isinstance(content, dict):
        raise ValueError(f"{place} must be an object of {', '.join(names)}")
    for name in names:
        if name not in content:
            raise ValueError(f"{place}: {name!r} is missing; expected {', '.join(names)}")
    for name in content:
        if name not in names:
            raise ValueError(f"{place}: {name!r} is unknown; expected {', '.join(names)}")
    return {name: content[name] for name in names}


def rows_of(content: Any, length: int, place: str) -> list[Any]:
    if not isinstance(content, list) or len(content) != length:
        found = f"{len(content)} entries" if isinstance(content, list) else repr(content)
        raise ValueError(f"{place} must be a list of {length}: {found}")
    return content


def whole(value: Any, place: str) -> int:
    if type(value) is not int or abs(value) > MOST:
        raise ValueError(f"{place}: a number must be whole and at most {MOST} from 0: {value!r}")
    return value
