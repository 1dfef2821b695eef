"""The result types of operations, remembered by the types of their operands.

numba tries all that is known of an operation for each place in the code where it stands, and three
times or more, as it goes over a function until no type changes. What is known of an operation is
part of its type: where more is registered, numba makes another type, of which nothing is remembered
yet.
"""
# mypy: disable-error-code=no-untyped-call
# numba ships no types.

from typing import Any

from numba.core.targetconfig import ConfigStack
from numba.core.types import NumberClass
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext

_contexts: Any = BaseContext
_resolve = _contexts.resolve_function_type


def _remember(context: Any, called: Any, arguments: Any, named: Any) -> Any:
    """The signature of a call; numba's errors. Other functions than operations, built-in functions
    and the constructors of numbers are asked for again.
    """
    if not isinstance(called, BaseFunction | NumberClass):
        return _resolve(context, called, arguments, named)
    known = called.__dict__.setdefault("_known", {})
    key = tuple(arguments), tuple(dict(named).items()), ConfigStack.top_or_none()
    if key in known:
        signature, code = known[key]
        getattr(called, "_impl_keys", {})[signature.args] = code
    elif signature := _resolve(context, called, arguments, named):
        known[key] = signature, called.get_impl_key(signature)
    return signature


_contexts.resolve_function_type = _remember
