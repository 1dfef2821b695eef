"""Models whose JSON Schema describes each field by the docstring below it. They are read when a
schema is made: pydantic's `use_attribute_docstrings` reads those of all models at each start.
"""

import ast
import inspect
from contextlib import suppress
from itertools import pairwise
from textwrap import dedent

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class Described(BaseModel):
    """A model whose JSON schema has the docstrings of its fields."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        docstrings = _docstrings(cls)
        for key, shown in handler.resolve_ref_schema(schema).get("properties", {}).items():
            if key in docstrings:
                shown.setdefault("description", docstrings[key])
        return schema


def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The docstring of each field, by its key; a field may have another name as a key."""
    docstrings = dict[str, str]()
    for base in model.__mro__[::-1]:
        if issubclass(base, Described):
            docstrings |= _below(base)
    keys = {name: field.alias or name for name, field in model.model_fields.items()}
    return {keys[name]: text for name, text in docstrings.items() if name in keys}


def _below(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings in the source of a class, if that can be found."""
    with suppress(OSError, TypeError):
        source = dedent(inspect.getsource(model))
        (definition,) = ast.parse(source).body
        assert isinstance(definition, ast.ClassDef)
        return {
            field.target.id: inspect.cleandoc(text)
            for field, below in pairwise(definition.body)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            if isinstance(text := below.value.value, str)
        }
    return {}
