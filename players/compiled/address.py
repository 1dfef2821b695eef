"""Handing a tuple down a recursion by its address: a copy for each call would cost more than short
calls do.
"""

from typing import Any

from numba import types

from players.compiled.cache import intrinsic

_pointer_to: Any = types.CPointer
"""numba ships no types."""


@intrinsic
def address_of(_typing: Any, value: Any) -> Any:
    """The address of a copy of `value`, for as long as the caller runs."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        model = context.data_model_manager[signature.args[0]]
        place = builder.alloca(model.get_data_type())
        builder.store(model.as_data(builder, arguments[0]), place)
        return place

    return _pointer_to(value)(value), generate


@intrinsic
def value_at(_typing: Any, address: Any) -> Any:
    """The value at an address; only what is used of it is read."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        model = context.data_model_manager[signature.return_type]
        return model.load_from_data_pointer(builder, arguments[0])

    return address.dtype(address), generate
