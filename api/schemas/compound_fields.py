"""Which JSON arrays, objects and unions a type takes: marshmallow fields that hold other fields."""

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import marshmallow
from marshmallow import ValidationError
from marshmallow.exceptions import SCHEMA

from api.schemas.field_errors import SEARCH, FieldError, Messages, flatten, kind_of, search_is_over, suggest
from api.schemas.fields import Integer, JsonField, Number, OneOf, Sized


class _Sequence(Sized):
    """An array, each of whose items has its field."""

    kinds = frozenset({"array"})
    unit = "items"
    items: Iterable[JsonField]

    def _load(self, value: Sequence[Any]) -> tuple[Any, ...]:
        errors: Messages = {None: too_few_or_many} if (too_few_or_many := self.length_errors(value)) else {}
        loaded = []
        # Beyond the greatest length no item is looked at.
        for index, (item, field) in enumerate(zip(value[: self.max_length], self.items, strict=False)):
            try:
                loaded.append(field.deserialize(item))
            except ValidationError as refusal:
                errors[index] = refusal.messages
                if search_is_over():
                    break
        if errors:
            raise ValidationError(errors)
        return tuple(loaded)


class Array(_Sequence):
    """An array of items of one type."""

    def __init__(self, inner: JsonField, min_length: int | None, max_length: int | None, **options: Any) -> None:
        super().__init__(min_length, max_length, **options)
        self.items = itertools.repeat(inner)
        self.expected = f"an array of {self.size or 'items'}, each {inner.expected}"


class Tuple(_Sequence):
    """An array of fixed length whose items have types of their own."""

    def __init__(self, items: Sequence[JsonField], **options: Any) -> None:
        super().__init__(len(items), len(items), **options)
        self.items = items
        self.expected = f"[{', '.join(item.expected for item in items)}]"


class Dictionary(Sized):
    """An object whose fields have names that the sender chooses, and values of one type."""

    kinds = frozenset({"object"})
    unit = "fields"

    def __init__(
        self, names: JsonField, inner: JsonField, min_length: int | None, max_length: int | None, **options: Any
    ) -> None:
        super().__init__(min_length, max_length, **options)
        self.names, self.inner = names, inner
        size = f" of {self.size}" if self.size else ""
        self.expected = f"an object{size}, named by {names.expected}, each {inner.expected}"

    def _load(self, value: dict[Any, Any]) -> dict[Any, Any]:
        errors: Messages = {None: too_few_or_many} if (too_few_or_many := self.length_errors(value)) else {}
        loaded = {}
        for name, item in itertools.islice(value.items(), self.max_length):
            messages: Messages = {}
            try:
                key = self.names.deserialize(name)
            except ValidationError as refusal:
                messages[None] = [error.of_name() for _, error in flatten(refusal.messages)]
            try:
                content = self.inner.deserialize(item)
            except ValidationError as refusal:
                inner = refusal.messages if isinstance(refusal.messages, dict) else {None: refusal.messages}
                messages = {**inner, None: messages.get(None, []) + inner.get(None, [])}
            if messages:
                errors[name] = messages
                if search_is_over():
                    break
            else:
                loaded[key] = content
        if errors:
            raise ValidationError(errors)
        return loaded


class Object(JsonField):
    """An object that a schema loads; fields that the schema does not have are refused with the name that is nearest.

    `schema` gives the schema when it is first needed, so that types may recur. In a search `decode` loads sound objects
    faster than the schema, and gives None for others.
    """

    kinds = frozenset({"object"})

    def __init__(
        self,
        names: Collection[str],
        schema: Callable[[], marshmallow.Schema],
        decode: Callable[[Any], Any] = lambda value: None,
        tag_field: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.names, self.schema, self.decode, self.tag_field = names, schema, decode, tag_field
        self.expected = f"an object with the fields {', '.join(names)}" if names else "an empty object"

    def _load(self, value: dict[str, Any]) -> Any:
        if search_is_over():
            return value
        if SEARCH.get() and (made := self.decode(value)) is not None:
            return made
        errors: Messages = {}
        for name, item in value.items():
            if name not in self.names and name != self.tag_field and not search_is_over():
                expected = f"one of the fields {', '.join(self.names)}" if self.names else "no fields"
                hint = partial(suggest, name, [other for other in self.names if other not in value])
                errors[name] = [FieldError("unknown-field", "is not a field here", item, expected=expected, hint=hint)]
        try:
            made = self.schema().load({name: value[name] for name in self.names if name in value})
        except ValidationError as refusal:
            for name, messages in refusal.messages_dict.items():
                errors[None if name == SCHEMA else name] = messages
        if errors:
            raise ValidationError(errors)
        return made


class TaggedUnion(JsonField):
    """An object of one of several types, which its tag names."""

    kinds = frozenset({"object"})

    def __init__(self, tag_field: str, objects: Mapping[str | int, Object], **options: Any) -> None:
        super().__init__(**options)
        self.tag_field, self.objects = tag_field, objects
        self.tag = OneOf(objects.keys(), data_key=tag_field, required=True)
        self.expected = f"an object whose {tag_field} is {self.tag.expected}"

    def _load(self, value: dict[str, Any]) -> Any:
        try:
            tag: Any = self.tag.deserialize(value.get(self.tag_field, marshmallow.missing))
        except ValidationError as refusal:
            raise ValidationError({self.tag_field: refusal.messages}) from None
        return self.objects[tag].deserialize(value)


class Union(JsonField):
    """A value of one of several types. Each kind of JSON value belongs to one of them, which reports its errors."""

    def __init__(self, members: Sequence[JsonField], **options: Any) -> None:
        nullable = any(member.allow_none for member in members)
        super().__init__(**({**options, "allow_none": True} if nullable else options))
        self.by_kind: dict[str, JsonField] = {}
        for member in members:
            for kind in member.kinds:
                other = self.by_kind.setdefault(kind, member)
                if {type(member), type(other)} == {Integer, Number}:
                    self.by_kind[kind] = member if isinstance(member, Integer) else other
                elif other is not member:
                    raise TypeError(f"one value could be {member.expected} as well as {other.expected}")
        self.kinds = frozenset(self.by_kind)
        self.expected = " or ".join(member.expected for member in members)

    def _load(self, value: Any) -> Any:
        return self.by_kind[kind_of(value)].deserialize(value)
