"""The schema of a type in the contract: JSON Schema 2020-12, as in OpenAPI 3.1, derived from our frozen structs.

It uses only features that client generators support: enumerations have names, a tuple ends by `maxItems`, and defaults
are in words, because generators send a `default` that the user did not write.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from inspect import cleandoc
from typing import Annotated, Any, Literal, get_origin

from msgspec import NODEFAULT, inspect

from api.schemas.type_info import bare
from arbiter.json import FRACTION_LENGTH, FRACTION_PATTERN, encode, to_builtins

Schema = dict[str, Any]


def component_name(kind: Any) -> str:
    """Give the name of a type in the contract: its own, with the game's prefix if it belongs to a game."""
    origin = getattr(kind, "__origin__", kind)
    of = "".join(f"_{component_name(part)}" for part in getattr(kind, "__args__", ()) if part is not Any)
    return f"{_game_prefix(origin)}{origin.__name__.lstrip('_')}{of}"


def _game_prefix(kind: Any) -> str:
    package, _, rest = kind.__module__.partition(".")
    return rest.partition(".")[0].title().replace("_", "") if package == "services" else ""


def with_references(node: Any, target: Callable[[str], Any]) -> Any:
    """Copy a part of a document, with each reference, even in a mapping of tags, replaced by its `target`."""
    match node:
        case {"$ref": str(reference), **rest}:
            return {"$ref": target(reference), **rest}
        case {"propertyName": name, "mapping": dict(mapping)}:
            return {"propertyName": name, "mapping": {tag: target(reference) for tag, reference in mapping.items()}}
        case dict():
            return {name: with_references(part, target) for name, part in node.items()}
        case list() | tuple():
            return [with_references(part, target) for part in node]
    return node


def json_schema(types: Iterable[Any]) -> tuple[dict[str, Schema], tuple[Schema, ...]]:
    """Derive the component of every struct that the types reach, and the schema of each type.

    Components are sorted by name, schemas are in the order of the types. `TypeError` for types that JSON cannot carry,
    `ValueError` if two types would have the same name.
    """
    writing = _Writing()
    schemas = [writing.schema(info) for info in inspect.multi_type_info(types)]
    names = writing.part_names()

    def name_of_reference(reference: str) -> str:
        return names.get(reference, reference)

    components = with_references(dict(sorted(writing.components.items())), name_of_reference)
    return components, tuple(with_references(schemas, name_of_reference))


def schema_of_part(info: inspect.Type) -> Schema:
    """Write the schema of a type that reaches no struct."""
    return _Writing().schema(info)


class _Writing:
    """The components written so far, by name."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}
        self.named: dict[str, Any] = {}
        self.field: tuple[Any, str] | None = None
        self.parts: list[tuple[str, str, Schema]] = []

    def schema(self, info: inspect.Type) -> Schema:
        """Write the schema of a type; structs by reference."""
        match info:
            case inspect.Metadata():
                return {**self.schema(info.type), **to_builtins(info.extra_json_schema or {})}
            case inspect.AnyType() | inspect.RawType():
                return {}
            case inspect.NoneType():
                return {"type": "null"}
            case inspect.BoolType():
                return {"type": "boolean"}
            case inspect.IntType() | inspect.FloatType():
                return _number(info)
            case inspect.StrType():
                return self._part(
                    info,
                    _with_bounds(
                        {"type": "string"}, minLength=info.min_length, maxLength=info.max_length, pattern=info.pattern
                    ),
                )
            case inspect.LiteralType() if None in info.values:
                values = tuple(value for value in info.values if value is not None)
                return {"anyOf": [self.schema(inspect.LiteralType(values)), {"type": "null"}]}
            case inspect.LiteralType():
                schema = _enum(info.values)
                return self._part(info, schema) if "enum" in schema else schema
            case inspect.CustomType() if info.cls is Fraction:
                return {"type": "string", "pattern": FRACTION_PATTERN, "maxLength": FRACTION_LENGTH}
            case inspect.VarTupleType():
                items = self.schema(info.item_type)
                return _with_bounds(
                    {"type": "array", "items": items}, minItems=info.min_length, maxItems=info.max_length
                )
            case inspect.TupleType():
                places = [self.schema(item) for item in info.item_types]
                size = len(places)
                row = {"type": "array", "prefixItems": places, "minItems": size, "maxItems": size}
                return self._part(info, row)
            case inspect.DictType():
                return self._named_object(info)
            case inspect.UnionType():
                return self._union(info)
            case inspect.StructType():
                return self._reference(info)
        raise TypeError(f"{info} is of a kind that is not supported in JSON here")

    def _reference(self, info: inspect.StructType) -> Schema:
        name = component_name(info.cls)
        if self.named.setdefault(name, info.cls) != info.cls:
            raise ValueError(f"{info.cls} and {self.named[name]} would both be called {name} in the contract")
        if name not in self.components:
            self.components[name] = {}  # a placeholder while its parts are written, which may refer to it
            body, doc = self._struct(info), cleandoc(getattr(info.cls, "__origin__", info.cls).__doc__ or "")
            self.components[name] = {"description": doc, **body} if doc else body
        return {"$ref": f"#/components/schemas/{name}"}

    def _part(self, info: inspect.Type, schema: Schema) -> Schema:
        """Write a choice of values, or another type that a module names, by reference; other types inline.

        The name is chosen when those of all structs are known.
        """
        if self.field is None:
            return schema
        owner, field = self.field
        alias = _aliases(owner.__module__).get(repr(info))
        if alias is None and "enum" not in schema:
            return schema
        own = component_name(owner) + field.title().replace("_", "")
        self.parts.append((own if alias is None else _game_prefix(owner) + alias, own, schema))
        return {"$ref": str(len(self.parts) - 1)}

    def part_names(self) -> dict[str, str]:
        """Name each part by its alias, or by struct and field if it has none or the name is taken."""
        mapping: dict[str, str] = {}
        for number, (name, own, part) in enumerate(self.parts):
            # The references of a part are named by now, so that equal parts compare as equal.
            schema = with_references(part, lambda reference: mapping.get(reference, reference))
            chosen = name if self.components.get(name, schema) == schema else own
            self.components[chosen] = schema
            mapping[str(number)] = f"#/components/schemas/{chosen}"
        return mapping

    def _struct(self, info: inspect.StructType) -> Schema:
        properties = {field.encode_name: self._property(info.cls, field) for field in info.fields}
        required = [field.encode_name for field in info.fields if field.required]
        schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return {**schema, "required": required} if required else schema

    def _property(self, owner: Any, field: inspect.Field) -> Schema:
        outer, self.field = self.field, (getattr(owner, "__origin__", owner), field.encode_name)
        schema = self.schema(field.type)
        self.field = outer
        if field.default in (NODEFAULT, None) or not isinstance(field.default, str | int | float):
            return schema
        words = f"{schema.get('description', '')} Default: `{encode(field.default).decode()}`."
        return {**schema, "description": words.strip()}

    def _named_object(self, info: inspect.DictType) -> Schema:
        names = self.schema(info.key_type)
        names.pop("type", None)
        return _with_bounds(
            {"type": "object", "additionalProperties": self.schema(info.value_type)},
            propertyNames=names or None,
            minProperties=info.min_length,
            maxProperties=info.max_length,
        )

    def _union(self, info: inspect.UnionType) -> Schema:
        if any(isinstance(bare(member), inspect.AnyType) for member in info.types):
            return {}
        return {"anyOf": [self.schema(member) for member in info.types]}


@cache
def _aliases(module: str) -> dict[str, str]:
    """Name the choices of values, tuples and patterns that a module names, by their descriptions in msgspec."""
    aliases: dict[str, str] = {}
    for name, value in vars(sys.modules[module]).items():
        if get_origin(value) in (Literal, tuple, Annotated):
            info = inspect.type_info(value)
            if not isinstance(info, inspect.StrType) or info.pattern is not None:
                aliases.setdefault(repr(info), name.lstrip("_"))
    return aliases


def _with_bounds(schema: Schema, **bounds: Any) -> Schema:
    return {**schema, **{word: bound for word, bound in bounds.items() if bound is not None}}


def _number(info: inspect.IntType | inspect.FloatType) -> Schema:
    return _with_bounds(
        {"type": "integer" if isinstance(info, inspect.IntType) else "number"},
        minimum=info.ge,
        exclusiveMinimum=info.gt,
        maximum=info.le,
        exclusiveMaximum=info.lt,
        multipleOf=info.multiple_of,
    )


def _enum(values: Sequence[Any]) -> Schema:
    kinds = {str: "string", int: "integer"}
    kind = {kinds.get(type(value)) for value in values}
    form: Schema = {} if None in kind or len(kind) > 1 else {"type": kind.pop()}
    return {**form, "const": values[0]} if len(values) == 1 else {**form, "enum": list(values)}
