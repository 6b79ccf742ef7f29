"""The parameters of a look-up: read as strictly as a body, and refused in the same words."""

import re
from typing import Any, TypeVar

from msgspec import inspect
from werkzeug.datastructures import MultiDict

from api.schemas import codec
from arbiter.fault import Fault, Faults, pointer
from arbiter.value import Value

V = TypeVar("V", bound=Value)

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")


def read(kind: type[V], parameters: MultiDict[str, str]) -> V:
    """Read query parameters as a value of that type; `Faults` with pointers such as `/limit` for what is wrong."""
    twice = [name for name, values in parameters.lists() if len(values) > 1]
    if twice:
        raise Faults(
            Fault(pointer(name), "duplicate-field", "is said more than once", asked="each parameter once")
            for name in twice
        )
    # A parameter is text; where a whole number is asked for, digits are one.
    whole = whole_names(kind)
    said: dict[str, Any] = {
        name: int(text) if name in whole and _WHOLE.fullmatch(text) else text for name, text in parameters.items()
    }
    return codec.decode_object(kind, said)


def whole_names(kind: type[Value]) -> frozenset[str]:
    """Name the parameters that are whole numbers."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return frozenset(field.encode_name for field in info.fields if isinstance(_bare(field.type), inspect.IntType))


def described(kind: Any) -> list[dict[str, Any]]:
    """Describe query parameters for the contract, one for each field of their type."""
    components, _ = codec.json_schema([kind])

    def given(schema: dict[str, Any]) -> dict[str, Any]:
        """Give the schema of a parameter that is there: one that is left out is not null."""
        options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
        chosen = options[0] if options else schema
        return components[chosen["$ref"].rpartition("/")[2]] if "$ref" in chosen else chosen

    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": schema.get("description", ""),
            "schema": {key: value for key, value in given(schema).items() if key != "description"},
        }
        for name, schema in components[codec.component_name(kind)]["properties"].items()
    ]


def _bare(info: inspect.Type) -> inspect.Type:
    return _bare(info.type) if isinstance(info, inspect.Metadata) else info
