"""What an operation gives, remembered by the types of what it is done to.

numba tries all that is known of an operation for each place in the code where it stands, and three
times or more, as it goes over a function until no type changes.
"""
# mypy: disable-error-code=no-untyped-call
# numba ships no types.

from typing import Any

from numba.core.targetconfig import ConfigStack
from numba.core.types import NumberClass
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext

_operations: Any = BaseFunction
_contexts: Any = BaseContext
_find, _resolve = _operations.get_call_type, _contexts.resolve_function_type


def _known(called: Any, arguments: Any, named: Any) -> tuple[dict[Any, Any], Any]:
    """What is remembered of an operation or type, and the key of this call of it."""
    key = tuple(arguments), tuple(dict(named).items()), ConfigStack.top_or_none()
    return called.__dict__.setdefault("_known", {}), key


def _remember(operation: Any, context: Any, arguments: Any, named: Any) -> Any:
    """The signature of a call of an operation or built-in function; numba's errors."""
    known, key = _known(operation, arguments, named)
    if key not in known:
        signature = _find(operation, context, arguments, named)
        known[key] = signature, operation.get_impl_key(signature)
    signature, code = known[key]
    operation._impl_keys[signature.args] = code
    return signature


def _remember_types(context: Any, called: Any, arguments: Any, named: Any) -> Any:
    """The same of whatever is called, with the constructors of numbers, `np.int64(…)`."""
    if not isinstance(called, BaseFunction | NumberClass):
        return _resolve(context, called, arguments, named)
    known, key = _known(called, arguments, named)
    if isinstance(called, NumberClass):
        if key not in known:
            known[key] = _resolve(context, called, arguments, named)
        return known[key]
    resolve = _remember if key in known else _resolve_operation
    return resolve(called, context, arguments, named)


def _resolve_operation(operation: Any, context: Any, arguments: Any, named: Any) -> Any:
    return _resolve(context, operation, arguments, named)


_operations.get_call_type = _remember
_contexts.resolve_function_type = _remember_types
