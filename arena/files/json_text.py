"""JSON that may have been written by anything."""

import json
from typing import Any


def parse(text: str | bytes) -> Any:
    """The value. Raises ValueError, `json.JSONDecodeError` where the text stops being JSON."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError("it has an integer of thousands of digits") from None
