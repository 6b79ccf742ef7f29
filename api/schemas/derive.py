"""Marshmallow schemas derived from our types, which report all errors of a body together.

They accept exactly what msgspec's strict decoder accepts, and load the same objects; a property test compares the two.
Bounds, defaults and names come only from the declaration, by `msgspec.inspect`. Queries use the same fields.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache, cached_property, partial
from operator import ge, gt, le, lt
from typing import Any, ClassVar, cast

import marshmallow
import msgspec
from marshmallow import ValidationError, fields, post_load
from marshmallow.exceptions import SCHEMA
from msgspec import inspect

from api.schemas.field_errors import (
    KINDS,
    SEARCH,
    FieldError,
    Messages,
    describe_kind_of,
    flatten,
    kind_of,
    search_is_over,
    suggest,
)
from api.schemas.type_info import length, reachable, size, without_null
from arbiter.json import read_custom, read_fraction

_CHECKS: dict[str, tuple[str, str, str, Callable[[Any, Any], bool]]] = {
    "ge": ("at least", "too-small", "is too small", ge),
    "gt": ("above", "too-small", "is too small", gt),
    "le": ("at most", "too-large", "is too large", le),
    "lt": ("below", "too-large", "is too large", lt),
    "multiple_of": ("a multiple of", "not-a-multiple", "is not a multiple of {}", lambda value, step: not value % step),
}
"""Bounds of numbers: the words, the code and message of a fault, and the check of a value."""

_WHOLE = re.compile("-?(0|[1-9][0-9]{0,17})")
_BOARD_DIGEST = re.compile("(?:sha256:)?([0-9a-fA-F]{64})|sha256:.*", re.DOTALL)
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?")


class Typed(fields.Field[Any]):
    """A field of a type: `kinds` are the kinds of JSON values that it accepts, `expected` describes them."""

    def __init__(self, type_: inspect.Type, *, description: str = "", **options: Any) -> None:
        """Derive the field; `TypeError` for types that JSON cannot carry."""
        self.info, nullable = without_null(type_)
        super().__init__(**({**options, "allow_none": True} if nullable else options))
        self.description = description
        self.parts = tuple(map(Typed, _parts(self.info)))
        self.low, self.high, self.unit = length(self.info)
        self.kinds, self.expected = self._describe()

    def from_text(self, text: str) -> Any:
        """Read the value that a text represents, where values come as text; any other text stays a text."""
        match self.info:
            case inspect.IntType() if _WHOLE.fullmatch(text):
                return int(text)
            case inspect.FloatType() if _DECIMAL.fullmatch(text):
                return float(text)
        return text

    def make_error(self, key: str, **_: Any) -> ValidationError:
        if key == "required":
            return ValidationError([FieldError("missing", "is missing", expected=self.expected)])
        return self._wrong_type(None)

    def _describe(self) -> tuple[frozenset[str], str]:
        long = size(self.low, self.high, self.unit)
        each = [part.expected for part in self.parts]
        match self.info:
            case inspect.AnyType() | inspect.RawType():
                return frozenset(KINDS), "any JSON value"
            case inspect.BoolType():
                return frozenset({"boolean"}), "true or false"
            case inspect.IntType():
                return frozenset({"integer"}), ", ".join(["a whole number", *_in_words(self.bounds)])
            case inspect.FloatType():
                return frozenset({"integer", "number"}), ", ".join(["a number", *_in_words(self.bounds)])
            case inspect.StrType(pattern=pattern):
                return frozenset({"string"}), ", ".join(
                    part for part in ("a string", long, f"matching {pattern}" if pattern else "") if part
                )
            case inspect.CustomType(cls=cls) if cls is Fraction:
                return frozenset({"string"}), 'a fraction in a string, like "7/12" or "3"'
            case inspect.LiteralType(values=values):
                listed = ", ".join(msgspec.json.encode(value).decode() for value in values)
                return frozenset(map(kind_of, values)), f"one of {listed}"
            case inspect.VarTupleType():
                return frozenset({"array"}), f"an array of {long or 'items'}, each {each[0]}"
            case inspect.TupleType():
                return frozenset({"array"}), f"[{', '.join(each)}]"
            case inspect.DictType():
                of = f" of {long}" if long else ""
                return frozenset({"object"}), f"an object{of}, named by {each[0]}, each {each[1]}"
            case inspect.StructType():
                names = ", ".join(field.encode_name for field in self.info.fields)
                return frozenset({"object"}), f"an object with the fields {names}" if names else "an empty object"
            case inspect.UnionType():
                return frozenset(self.by_kind), " or ".join(each)
        raise TypeError(f"{self.info} is of a kind that is not carried as JSON here")

    @cached_property
    def bounds(self) -> dict[str, Any]:
        """The bounds of a number."""
        return {name: bound for name in _CHECKS if (bound := getattr(self.info, name)) is not None}

    @cached_property
    def by_kind(self) -> dict[str, "Typed"]:
        """The members of a union: each kind of JSON value belongs to one of them, which reports its errors."""
        by_kind: dict[str, Typed] = {}
        for member in self.parts:
            for kind in member.kinds:
                other = by_kind.setdefault(kind, member)
                if {type(member.info), type(other.info)} == {inspect.IntType, inspect.FloatType}:
                    by_kind[kind] = member if isinstance(member.info, inspect.IntType) else other
                elif other is not member:
                    raise TypeError(f"one value could be {member.expected} as well as {other.expected}")
        return by_kind

    def _error(self, code: str, message: str, value: Any, hint: str | Callable[[], str] = "") -> FieldError:
        return FieldError(code, message, value, expected=self.expected, hint=hint)

    def _wrong_type(self, value: Any) -> ValidationError:
        kinds = self.kinds - {"integer"} if "number" in self.kinds else self.kinds
        expected = " or ".join(KINDS[kind] for kind in sorted(kinds))
        message = f"must be {expected}, not {describe_kind_of(value)}"
        return ValidationError([self._error("wrong-type", message, value, self._rewrite(value))])

    def _rewrite(self, value: Any) -> str:
        """Give the hint with the value in the right kind, if only its spelling is wrong."""
        kind = kind_of(value)
        if self.data_key == "board" and kind == "string" and (digest := _BOARD_DIGEST.fullmatch(value)):
            return f'write {{"ref": "sha256:{(digest[1] or "…").lower()}"}}'
        if kind == "null" and self.data_key is not None and not self.required:
            return "leave the field out to get its default"
        if kind == "string" and self.kinds & {"integer", "number"} and re.fullmatch("-?[0-9]{1,15}", value):
            return f"write {value} without quotes"
        if kind == "number" and "integer" in self.kinds and value.is_integer() and abs(value) < 2**53:
            return f"write {int(value)}"
        if kind in {"integer", "number"} and "string" in self.kinds:
            return "put it in quotes"
        if kind == "string" and "boolean" in self.kinds and value.lower() in {"true", "false"}:
            return f"write {value.lower()} without quotes"
        return ""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        if kind_of(value) not in self.kinds:
            if isinstance(self.info, inspect.AnyType | inspect.RawType):
                return value  # values that JSON does not have are reported elsewhere
            raise self._wrong_type(value)
        match self.info:
            case inspect.IntType() | inspect.FloatType():
                return self._number(value)
            case inspect.StrType() | inspect.CustomType():
                return self._string(value)
            case inspect.LiteralType():
                return self._one_of(value, self.info.values)
            case inspect.VarTupleType() | inspect.TupleType():
                return self._items(value)
            case inspect.DictType():
                return self._entries(value)
            case inspect.StructType():
                return self._struct(value)
            case inspect.UnionType():
                return self.by_kind[kind_of(value)].deserialize(value)
        return value

    def _number(self, value: float) -> float:
        number = value
        if isinstance(self.info, inspect.FloatType):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if not math.isfinite(number):
                raise ValidationError([self._error("not-finite", "is not a finite number", value)])
        checks = ((bound, *_CHECKS[name][1:]) for name, bound in self.bounds.items())
        _refuse(
            [self._error(code, why.format(bound), value) for bound, code, why, ok in checks if not ok(number, bound)]
        )
        return number

    def _length_errors(self, value: Any) -> list[FieldError]:
        size = len(value)
        if self.low is not None and size < self.low:
            return [self._error("too-short", f"has too few {self.unit}: {size:,}", value)]
        if self.high is not None and size > self.high:
            return [self._error("too-long", f"has too many {self.unit}: {size:,}", value)]
        return []

    def _string(self, value: str) -> Any:
        """Load a string, counted in code points, or a fraction; a pattern is searched for, as JSON Schema does."""
        errors = self._length_errors(value)
        if isinstance(self.info, inspect.StrType):
            if self.info.pattern is not None and not re.search(self.info.pattern, value):
                errors.append(self._error("pattern", f"does not match {self.info.pattern}", value))
            _refuse(errors)
            return value
        _refuse(errors)
        if (fraction := read_fraction(value)) is None:
            raise ValidationError([self._error("pattern", "is not a fraction", value)])
        return fraction

    def _one_of(self, value: Any, values: Iterable[Any]) -> Any:
        # Types are compared too, because 1 equals true in Python.
        if any(type(value) is type(each) and value == each for each in values):
            return value
        names = [each for each in values if isinstance(each, str)]
        hint = partial(suggest, value, names) if isinstance(value, str) else ""
        raise ValidationError([self._error("not-one-of", "is not one of the allowed values", value, hint)])

    def _items(self, value: Any) -> tuple[Any, ...]:
        errors: Messages = {None: wrong} if (wrong := self._length_errors(value)) else {}
        loaded = []
        each = itertools.repeat(self.parts[0]) if isinstance(self.info, inspect.VarTupleType) else self.parts
        # Items beyond the greatest length are not checked.
        for index, (item, field) in enumerate(zip(value[: self.high], each, strict=False)):
            try:
                loaded.append(field.deserialize(item))
            except ValidationError as refusal:
                errors[index] = refusal.messages
                if search_is_over():
                    break
        _refuse(errors)
        return tuple(loaded)

    def _entries(self, value: dict[Any, Any]) -> dict[Any, Any]:
        """Load an object whose field names the sender chooses."""
        errors: Messages = {None: wrong} if (wrong := self._length_errors(value)) else {}
        loaded = {}
        names, inner = self.parts
        for name, item in itertools.islice(value.items(), self.high):
            messages: Messages = {}
            try:
                key = names.deserialize(name)
            except ValidationError as refusal:
                messages[None] = [error.of_name() for _, error in flatten(refusal.messages)]
            try:
                content = inner.deserialize(item)
            except ValidationError as refusal:
                below = refusal.messages if isinstance(refusal.messages, dict) else {None: refusal.messages}
                messages = {**below, None: messages.get(None, []) + below.get(None, [])}
            if messages:
                errors[name] = messages
                if search_is_over():
                    break
            else:
                loaded[key] = content
        _refuse(errors)
        return loaded

    def _struct(self, value: dict[str, Any]) -> Any:
        info = cast(inspect.StructType, self.info)
        if search_is_over():
            return value
        # In a body that is known to be refused most parts are valid, and msgspec accepts those fastest. It also fails
        # on half a surrogate pair, which the text of a body can contain.
        if SEARCH.get() is not None:
            try:
                return msgspec.convert(value, info.cls, dec_hook=read_custom)
            except (msgspec.ValidationError, UnicodeEncodeError):
                pass
        return load_object(_schema(info.cls), value)


def load_object(schema: marshmallow.Schema, value: Mapping[str, Any]) -> Any:
    """Load an object; unknown fields are refused with the nearest name."""
    names = [field.data_key or name for name, field in schema.fields.items()]
    errors: Messages = {}
    for name, item in value.items():
        if name not in names and not search_is_over():
            expected = f"one of the fields {', '.join(names)}" if names else "no fields"
            hint = partial(suggest, name, [other for other in names if other not in value])
            errors[name] = [FieldError("unknown-field", "is not a field here", item, expected=expected, hint=hint)]
    loaded = None
    try:
        loaded = schema.load({name: value[name] for name in names if name in value})
    except ValidationError as refusal:
        for name, messages in refusal.messages_dict.items():
            errors[None if name == SCHEMA else name] = messages
    _refuse(errors)
    return loaded


def _refuse(errors: Any) -> None:
    if errors:
        raise ValidationError(errors)


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
            return data  # some parts were not checked, so the struct's own checks could not trust them
        try:
            return self.struct(**data)
        except (TypeError, ValueError) as refusal:
            raise ValidationError([FieldError("impossible", str(refusal))]) from None


@cache
def schema_of(struct: Any) -> type[marshmallow.Schema]:
    """Derive the marshmallow schema that loads the struct from JSON values. `TypeError` if JSON cannot carry it."""
    info = inspect.type_info(struct)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{struct} is not a struct, and only a struct has a schema")
    _refuse_underivable(info)
    attributes: dict[str, Any] = {
        field.name: Typed(field.type, data_key=field.encode_name, required=field.required) for field in info.fields
    }
    name = f"{getattr(struct, '__origin__', struct).__name__}Schema"
    return cast(type[StructSchema], type(name, (StructSchema,), {**attributes, "struct": struct}))


@cache
def _schema(struct: Any) -> marshmallow.Schema:
    return schema_of(struct)()


@cache
def field_of(type_: Any) -> Typed:
    """Derive the marshmallow field that loads a value of the type, which need not be a struct."""
    info = inspect.type_info(type_)
    _refuse_underivable(info)
    return Typed(info)


def _refuse_underivable(info: inspect.Type) -> None:
    for struct in reachable(info):
        if isinstance(struct, inspect.StructType):
            if struct.array_like or struct.tag is not None or not struct.forbid_unknown_fields:
                raise TypeError(f"{struct.cls} must be an object in JSON, without a tag, and forbid unknown fields")
            for field in struct.fields:
                Typed(field.type)


def _parts(info: inspect.Type) -> Iterable[inspect.Type]:
    """Give the types that a type consists of; those of structs are in their schemas."""
    match info:
        case inspect.VarTupleType():
            return (info.item_type,)
        case inspect.TupleType():
            return info.item_types
        case inspect.DictType():
            names = Typed(info.key_type)
            if not isinstance(names.info, inspect.AnyType) and names.kinds != {"string"}:
                raise TypeError(f"the names of an object are strings, not {names.expected}")
            return (info.key_type, info.value_type)
        case inspect.UnionType():
            return info.types
    return ()


def _in_words(bounds: Mapping[str, Any]) -> Iterator[str]:
    return (f"{_CHECKS[name][0]} {bound:,}" for name, bound in bounds.items())
