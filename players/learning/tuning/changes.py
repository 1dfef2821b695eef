"""What a tuning file says otherwise than the run that it goes on with, by the keys of the file."""

from collections.abc import Mapping
from typing import Any

from arena.files.toml_tables import shown


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """A line `key: old → new` for each key of the file with another value; `before` and `after`
    are what `TuneConfig.identity` tells, as JSON has it.
    """
    old, new = _tables(before), _tables(after)
    if before["method"] != after["method"]:
        del old[before["method"]], new[after["method"]]  # each has keys of its own
    return _differences(old, new)


def _tables(identity: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of the file."""
    rest = dict(identity)
    ranges, weights = rest.pop("ranges"), rest.pop("weights")
    starts = {each["name"]: each["start"] for each in ranges}
    tables = {
        "game": {"rules": rest.pop("rules"), **rest.pop("variant")},
        "openings": {"plies": rest.pop("plies")},
        "player": {"bot": rest.pop("bot"), "options": {**rest.pop("options"), **starts}},
        "parameters": {
            each["name"]: {key: each[key] for key in ("low", "high", "step")} for each in ranges
        },
        rest["method"]: rest.pop("method_settings"),
    }
    if weights is not None:
        own = {key: weights[key] for key in ("start", "step", "colours", "symmetry")}
        tables["weights"] = {**own, "range": [weights["low"], weights["high"]]}
    return {"tuning": rest, **tables}


def _differences(before: Any, after: Any, path: str = "") -> list[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        keys = [*before, *(key for key in after if key not in before)]
        return [
            line
            for key in keys
            for line in _differences(
                before.get(key), after.get(key), f"{path}.{key}" if path else key
            )
        ]
    return [] if before == after else [f"{path}: {_told(before)} → {_told(after)}"]


def _told(value: Any) -> str:
    return "not given" if value is None else shown(value)
