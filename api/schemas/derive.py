"""Marshmallow schemas derived from our frozen structs, which report every error of a body at once.

They accept exactly what msgspec's strict decoder accepts, and load the same object; a property test holds the two
together. Bounds, defaults and names are read from the declaration by `msgspec.inspect`, and from nowhere else.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any, ClassVar, cast

import marshmallow
import msgspec
from marshmallow import ValidationError, post_load
from msgspec import inspect

from api.schemas.compound_fields import Array, Dictionary, Object, TaggedUnion, Tuple, Union
from api.schemas.field_errors import FieldError, search_is_over
from api.schemas.fields import AnyValue, Boolean, FractionField, Integer, JsonField, Number, OneOf, String
from arbiter.json import read_custom


class StructSchema(marshmallow.Schema):
    """The base of derived schemas: unknown fields are refused, and the struct itself is loaded."""

    struct: ClassVar[Any]

    class Meta:
        """Options of marshmallow."""

        unknown = marshmallow.RAISE
        register = False

    @post_load
    def _make(self, data: dict[str, Any], **_: Any) -> Any:
        if search_is_over():
            return data  # some parts were not looked at any more, so the struct's own checks could not trust them
        try:
            return self.struct(**data)
        except (TypeError, ValueError) as refusal:
            raise ValidationError([FieldError("impossible", str(refusal))]) from None


@cache
def schema_of(struct: Any) -> type[marshmallow.Schema]:
    """Derive the marshmallow schema that loads the struct from JSON values. `TypeError` for what JSON cannot carry."""
    info = inspect.type_info(struct)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{struct} is not a struct, and only a struct has a schema")
    _refuse_underivable(info)
    attributes: dict[str, Any] = {
        field.name: _field(field.type, data_key=field.encode_name, required=field.required) for field in info.fields
    }
    name = f"{getattr(struct, '__origin__', struct).__name__}Schema"
    return cast(type[StructSchema], type(name, (StructSchema,), {**attributes, "struct": struct}))


@cache
def field_of(type_: Any) -> JsonField:
    """Derive the marshmallow field that loads a value of the type, which need not be a struct."""
    info = inspect.type_info(type_)
    _refuse_underivable(info)
    return _field(info)


@cache
def open_names(struct: Any) -> tuple[str, ...]:
    """Name the attributes of a struct whose type lets a value nest without end."""
    info = cast(inspect.StructType, inspect.type_info(struct))
    return tuple(field.name for field in info.fields if nests_without_end(field.type))


def nests_without_end(info: inspect.Type) -> bool:
    """Decide whether values of a type may nest without end: whether it reaches `Any`, or a struct that recurs."""
    return any(
        isinstance(part, inspect.AnyType | inspect.RawType)
        or (isinstance(part, inspect.StructType) and part.cls in {inner.cls for inner in _structs_below(part)})
        for part in reachable(info)
    )


def reachable(info: inspect.Type) -> Iterator[inspect.Type]:
    """List the type and every type below it, structs once."""
    structs: set[Any] = set()
    waiting = [info]
    while waiting:
        part = waiting.pop()
        match part:
            case inspect.StructType():
                if part.cls in structs:
                    continue
                structs.add(part.cls)
                waiting.extend(field.type for field in part.fields)
            case inspect.Metadata():
                waiting.append(part.type)
            case inspect.VarTupleType():
                waiting.append(part.item_type)
            case inspect.TupleType():
                waiting.extend(part.item_types)
            case inspect.DictType():
                waiting.extend((part.key_type, part.value_type))
            case inspect.UnionType():
                waiting.extend(part.types)
        yield part


def _structs_below(info: inspect.StructType) -> Iterator[inspect.StructType]:
    for field in info.fields:
        yield from (part for part in reachable(field.type) if isinstance(part, inspect.StructType))


def _refuse_underivable(info: inspect.Type) -> None:
    for struct in reachable(info):
        if isinstance(struct, inspect.StructType):
            if struct.array_like or not struct.forbid_unknown_fields:
                raise TypeError(f"{struct.cls} has to travel as an object and to forbid unknown fields")
            for field in struct.fields:
                _field(field.type)


def _field(info: inspect.Type, **options: Any) -> JsonField:
    match info:
        case inspect.Metadata():
            return _field(info.type, **options)
        case inspect.UnionType():
            return _union([bare(member) for member in info.types], **options)
        case inspect.StructType() if info.tag is None:
            return _object(info, **options)
        case inspect.StructType():
            raise TypeError(f"{info.cls} has a tag, but stands outside a union of several tagged structs")
        case inspect.VarTupleType():
            return Array(_field(info.item_type), info.min_length, info.max_length, **options)
        case inspect.TupleType():
            return Tuple([_field(item) for item in info.item_types], **options)
        case inspect.DictType():
            names = _field(info.key_type)
            if not isinstance(names, AnyValue) and names.kinds != {"string"}:
                raise TypeError(f"the names of an object are strings, not {names.expected}")
            return Dictionary(names, _field(info.value_type), info.min_length, info.max_length, **options)
        case inspect.BoolType():
            return Boolean(**options)
        case inspect.IntType() | inspect.FloatType():
            number = Integer if isinstance(info, inspect.IntType) else Number
            return number(ge=info.ge, gt=info.gt, le=info.le, lt=info.lt, multiple_of=info.multiple_of, **options)
        case inspect.StrType():
            return String(min_length=info.min_length, max_length=info.max_length, pattern=info.pattern, **options)
        case inspect.LiteralType():
            return OneOf(info.values, **options)
        case inspect.EnumType():
            return OneOf({member.value: member for member in info.cls}, **options)
        case inspect.CustomType() if info.cls is Fraction:
            return FractionField(**options)
        case inspect.AnyType() | inspect.RawType():
            return AnyValue(**options)
    raise TypeError(f"{info} is of a kind that is not carried as JSON here")


def _object(info: inspect.StructType, **options: Any) -> Object:
    names = tuple(field.encode_name for field in info.fields)
    return Object(names, partial(_schema, info.cls), partial(_decode, info.cls), info.tag_field, **options)


@cache
def _schema(struct: Any) -> marshmallow.Schema:
    return schema_of(struct)()


def _decode(struct: Any, value: Any) -> Any:
    # In a body that is known to be refused most parts are sound, and msgspec passes those quickest. Besides what it
    # refuses it stumbles over half a surrogate pair, which the text of a body can hold.
    try:
        return msgspec.convert(value, struct, dec_hook=read_custom)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return None


def _union(members: list[inspect.Type], **options: Any) -> JsonField:
    if any(isinstance(member, inspect.AnyType) for member in members):
        return AnyValue(**options)
    rest = [member for member in members if not isinstance(member, inspect.NoneType)]
    if len(rest) < len(members):
        options["allow_none"] = True
    if len(rest) == 1:
        return _field(rest[0], **options)
    tagged = [member for member in rest if isinstance(member, inspect.StructType) and member.tag is not None]
    if len(tagged) < 2:
        return Union([_field(member) for member in rest], **options)
    others = [_field(member) for member in rest if member not in tagged]
    objects = {member.tag: _object(member) for member in tagged if member.tag is not None}
    tag_field = str(tagged[0].tag_field)
    return (
        Union([*others, TaggedUnion(tag_field, objects)], **options)
        if others
        else TaggedUnion(tag_field, objects, **options)
    )


def bare(info: inspect.Type) -> inspect.Type:
    """Give a type without what is only said about it."""
    return bare(info.type) if isinstance(info, inspect.Metadata) else info
