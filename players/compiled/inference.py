"""What an operation gives, remembered by the types of what it is done to.

numba tries all that is known of an operation for each place in the code where it stands, and three
times or more, as it goes over a function until no type changes.
"""
# mypy: disable-error-code=no-untyped-call
# numba ships no types.

from typing import Any

from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction

_operations: Any = BaseFunction
_find = _operations.get_call_type


def _remember(operation: Any, context: Any, arguments: Any, named: Any) -> Any:
    """The signature of a call of an operation or built-in function; numba's errors."""
    known = operation.__dict__.setdefault("_known", {})
    key = tuple(arguments), tuple(dict(named).items()), ConfigStack.top_or_none()
    if key not in known:
        signature = _find(operation, context, arguments, named)
        known[key] = signature, operation.get_impl_key(signature)
    signature, code = known[key]
    operation._impl_keys[signature.args] = code
    return signature


_operations.get_call_type = _remember
