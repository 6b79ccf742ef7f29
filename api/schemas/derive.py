"""One declaration per type: marshmallow schemas derived from our frozen structs, for telling every fault at once.

They accept exactly what msgspec's strict decoder accepts, and load the same object; a property test holds the two
together. Bounds, defaults and names are read from the declaration by `msgspec.inspect`, and from nowhere else.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any, ClassVar, cast

import marshmallow
from marshmallow import ValidationError, post_load
from msgspec import inspect

from api.schemas.compound_fields import Choice, Items, Named, Part, Row, Tagged
from api.schemas.field_errors import FieldError, over
from api.schemas.fields import Anything, Asking, OneOf, Ratio, Real, Text, Truth, Whole


class Form(marshmallow.Schema):
    """The base of derived schemas: unknown fields are refused, and what is loaded is the struct itself."""

    made: ClassVar[Any]

    class Meta:
        """Options of marshmallow."""

        unknown = marshmallow.RAISE
        register = False

    @post_load
    def _make(self, data: dict[str, Any], **_: Any) -> Any:
        if over():
            return data  # some parts were not looked at any more, so the struct's own checks could not trust them
        try:
            return self.made(**data)
        except (TypeError, ValueError) as refusal:
            raise ValidationError([FieldError("impossible", str(refusal))]) from None


@cache
def schema_of(struct: Any) -> type[marshmallow.Schema]:
    """Derive the marshmallow schema that loads the struct from JSON values. `TypeError` for what JSON cannot carry."""
    info = inspect.type_info(struct)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{struct} is not a struct, and only a struct has a schema")
    for inner in {part.cls: part for part in reachable(info) if isinstance(part, inspect.StructType)}.values():
        if inner.array_like or not inner.forbid_unknown_fields:
            raise TypeError(f"{inner.cls} has to travel as an object and to forbid unknown fields")
        for field in inner.fields:
            _field(field.type)
    derived: dict[str, Any] = {
        field.name: _field(field.type, data_key=field.encode_name, required=field.required) for field in info.fields
    }
    form = cast(type[Form], type(f"{getattr(struct, '__origin__', struct).__name__}Form", (Form,), derived))
    form.made = struct
    return form


@cache
def field_of(wanted: Any) -> Asking:
    """Derive the marshmallow field that loads a value of the type, which need not be a struct."""
    info = inspect.type_info(wanted)
    for inner in reachable(info):
        if isinstance(inner, inspect.StructType):
            schema_of(inner.cls)
    return _field(info)


@cache
def open_names(struct: Any) -> tuple[str, ...]:
    """Name the attributes of a struct whose type lets a value nest without end."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return tuple(field.name for field in info.fields if nests_without_end(field.type))


def nests_without_end(info: inspect.Type) -> bool:
    """Decide whether values of a type may nest without end: whether it reaches `Any`, or a struct that recurs."""
    return any(
        isinstance(part, inspect.AnyType)
        or (isinstance(part, inspect.StructType) and any(part.cls == inner.cls for inner in _structs_below(part)))
        for part in reachable(info)
    )


def _structs_below(info: inspect.StructType) -> Iterator[inspect.StructType]:
    for field in info.fields:
        yield from (part for part in reachable(field.type) if isinstance(part, inspect.StructType))


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


def _field(info: inspect.Type, **place: Any) -> Asking:
    match info:
        case inspect.Metadata():
            return _field(info.type, **place)
        case inspect.UnionType():
            return _union([_bare(member) for member in info.types], **place)
        case inspect.StructType() if info.tag is None:
            return _part(info, **place)
        case inspect.StructType():
            raise TypeError(f"{info.cls} has a tag, but stands outside a union of several tagged structs")
        case inspect.VarTupleType():
            return Items(_field(info.item_type), info.min_length, info.max_length, **place)
        case inspect.TupleType():
            return Row([_field(item) for item in info.item_types], **place)
        case inspect.DictType():
            names = _field(info.key_type)
            if not isinstance(names, Anything) and names.kinds != {"string"}:
                raise TypeError(f"the names of an object are strings, not {names.asked}")
            return Named(names, _field(info.value_type), info.min_length, info.max_length, **place)
        case inspect.BoolType():
            return Truth(**place)
        case inspect.IntType():
            return Whole(info, **place)
        case inspect.FloatType():
            return Real(info, **place)
        case inspect.StrType():
            return Text(info, **place)
        case inspect.LiteralType():
            return OneOf({value: value for value in info.values}, **place)
        case inspect.EnumType():
            return OneOf({member.value: member for member in info.cls}, **place)
        case inspect.CustomType() if info.cls is Fraction:
            return Ratio(**place)
        case inspect.AnyType():
            return Anything(**place)
    raise TypeError(f"{info} is of a kind that is not carried as JSON here")


def _part(info: inspect.StructType, **place: Any) -> Part:
    return Part(info, partial(_schema, info.cls), **place)


@cache
def _schema(struct: Any) -> marshmallow.Schema:
    return schema_of(struct)()


def _union(members: list[inspect.Type], **place: Any) -> Asking:
    if any(isinstance(member, inspect.AnyType) for member in members):
        return Anything(**place)
    rest = [member for member in members if not isinstance(member, inspect.NoneType)]
    if len(rest) < len(members):
        place["allow_none"] = True
    if len(rest) == 1:
        return _field(rest[0], **place)
    tagged = [member for member in rest if isinstance(member, inspect.StructType) and member.tag is not None]
    if len(tagged) < 2:
        return Choice([_field(member) for member in rest], **place)
    others = [_field(member) for member in rest if member not in tagged]
    parts = {member.tag: _part(member) for member in tagged if member.tag is not None}
    tag_field = str(tagged[0].tag_field)
    return Choice([*others, Tagged(tag_field, parts)], **place) if others else Tagged(tag_field, parts, **place)


def _bare(info: inspect.Type) -> inspect.Type:
    return _bare(info.type) if isinstance(info, inspect.Metadata) else info
