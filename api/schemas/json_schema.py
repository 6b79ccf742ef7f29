"""What the contract says of a type: JSON Schema 2020-12, as OpenAPI 3.1 takes it, derived from our frozen structs."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from inspect import cleandoc
from typing import Any

from msgspec import NODEFAULT, inspect

from arbiter.json import FRACTION_LENGTH, FRACTION_PATTERN, to_builtins

Schema = dict[str, Any]


def component_name(kind: Any) -> str:
    """Give the name of a type in the contract: its own, with the game's before it where it belongs to a game."""
    origin = getattr(kind, "__origin__", kind)
    of = "".join(f"_{component_name(part)}" for part in getattr(kind, "__args__", ()))
    package, _, rest = origin.__module__.partition(".")
    game = rest.partition(".")[0].title().replace("_", "") if package == "services" else ""
    return f"{game}{origin.__name__.lstrip('_')}{of}"


def json_schema(
    types: Iterable[Any], name_of: Callable[[Any], str] = component_name
) -> tuple[dict[str, Schema], tuple[Schema, ...]]:
    """Derive the component of every struct and enumeration that the types reach, and the schema of each type.

    Components come sorted by name, schemas in the order of the types. `TypeError` for what JSON cannot carry,
    `ValueError` if two types would have the same name.
    """
    writing = _Writing(name_of)
    schemas = tuple(writing.schema(info) for info in inspect.multi_type_info(types))
    return dict(sorted(writing.components.items())), schemas


class _Writing:
    """The components written so far, by name."""

    def __init__(self, name_of: Callable[[Any], str]) -> None:
        self.name_of = name_of
        self.components: dict[str, Schema] = {}
        self.named: dict[str, Any] = {}

    def schema(self, info: inspect.Type) -> Schema:
        """Write the schema of a type; structs and enumerations by reference."""
        match info:
            case inspect.Metadata():
                return {**self.schema(info.type), **to_builtins(info.extra_json_schema or {})}
            case inspect.AnyType():
                return {}
            case inspect.NoneType():
                return {"type": "null"}
            case inspect.BoolType():
                return {"type": "boolean"}
            case inspect.IntType() | inspect.FloatType():
                return _number(info)
            case inspect.StrType():
                return _said(
                    {"type": "string"}, minLength=info.min_length, maxLength=info.max_length, pattern=info.pattern
                )
            case inspect.LiteralType():
                return _enumerated(list(info.values))
            case inspect.CustomType() if info.cls is Fraction:
                return {"type": "string", "pattern": FRACTION_PATTERN, "maxLength": FRACTION_LENGTH}
            case inspect.VarTupleType():
                items = self.schema(info.item_type)
                return _said({"type": "array", "items": items}, minItems=info.min_length, maxItems=info.max_length)
            case inspect.TupleType():
                places = [self.schema(item) for item in info.item_types]
                size = len(places)
                return {"type": "array", "prefixItems": places, "items": False, "minItems": size, "maxItems": size}
            case inspect.DictType():
                return self._named_object(info)
            case inspect.UnionType():
                return self._union(info)
            case inspect.StructType() | inspect.EnumType():
                return self._reference(info)
        raise TypeError(f"{info} is of a kind that is not carried as JSON here")

    def _reference(self, info: inspect.StructType | inspect.EnumType) -> Schema:
        name = self.name_of(info.cls)
        if self.named.setdefault(name, info.cls) != info.cls:
            raise ValueError(f"{info.cls} and {self.named[name]} would both be called {name} in the contract")
        if name not in self.components:
            self.components[name] = {}  # holds the place while the parts are written, which may refer to it again
            body = self._struct(info) if isinstance(info, inspect.StructType) else _enumeration(info)
            doc = cleandoc(getattr(info.cls, "__origin__", info.cls).__doc__ or "")
            self.components[name] = {"description": doc, **body} if doc else body
        return {"$ref": f"#/components/schemas/{name}"}

    def _struct(self, info: inspect.StructType) -> Schema:
        tag: Schema = {} if info.tag_field is None else {info.tag_field: {"const": info.tag}}
        properties = {**tag, **{field.encode_name: self._property(field) for field in info.fields}}
        required = [*tag, *(field.encode_name for field in info.fields if field.required)]
        schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return {**schema, "required": required} if required else schema

    def _property(self, field: inspect.Field) -> Schema:
        schema = self.schema(field.type)
        if field.default is not NODEFAULT:
            return {**schema, "default": to_builtins(field.default)}
        if field.default_factory in (dict, list, tuple):
            return {**schema, "default": to_builtins(field.default_factory())}
        return schema

    def _named_object(self, info: inspect.DictType) -> Schema:
        names = self.schema(info.key_type)
        names.pop("type", None)
        return _said(
            {"type": "object", "additionalProperties": self.schema(info.value_type)},
            propertyNames=names or None,
            minProperties=info.min_length,
            maxProperties=info.max_length,
        )

    def _union(self, info: inspect.UnionType) -> Schema:
        members = [_bare(member) for member in info.types]
        if any(isinstance(member, inspect.AnyType) for member in members):
            return {}
        tagged = [member for member in members if isinstance(member, inspect.StructType) and member.tag is not None]
        options = [
            self.schema(given) for given, member in zip(info.types, members, strict=True) if member not in tagged
        ]
        if len(tagged) == 1:
            options.insert(0, self._reference(tagged[0]))
        elif tagged:
            options.insert(0, self._told_apart(tagged))
        return options[0] if len(options) == 1 else {"anyOf": options}

    def _told_apart(self, tagged: list[inspect.StructType]) -> Schema:
        references = {str(member.tag): self._reference(member) for member in tagged}
        mapping = {tag: reference["$ref"] for tag, reference in references.items()}
        discriminator = {"propertyName": tagged[0].tag_field, "mapping": mapping}
        return {"oneOf": list(references.values()), "discriminator": discriminator}


def _bare(info: inspect.Type) -> inspect.Type:
    return _bare(info.type) if isinstance(info, inspect.Metadata) else info


def _said(schema: Schema, **bounds: Any) -> Schema:
    return {**schema, **{word: bound for word, bound in bounds.items() if bound is not None}}


def _number(info: inspect.IntType | inspect.FloatType) -> Schema:
    return _said(
        {"type": "integer" if isinstance(info, inspect.IntType) else "number"},
        minimum=info.ge,
        exclusiveMinimum=info.gt,
        maximum=info.le,
        exclusiveMaximum=info.lt,
        multipleOf=info.multiple_of,
    )


def _enumerated(values: list[Any]) -> Schema:
    kinds = {str: "string", int: "integer"}
    kind = {kinds.get(type(value)) for value in values}
    return {"type": kind.pop(), "enum": values} if len(kind) == 1 and None not in kind else {"enum": values}


def _enumeration(info: inspect.EnumType) -> Schema:
    return _enumerated([member.value for member in info.cls])
