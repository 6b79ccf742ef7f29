"""Which JSON arrays, objects and unions a type takes: marshmallow fields that hold other fields.

Each tells the faults of every place, nested as marshmallow nests messages, and loads what msgspec would.
"""

import contextlib
import itertools
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import marshmallow
import msgspec
from marshmallow import ValidationError
from marshmallow.exceptions import SCHEMA
from msgspec import inspect

from api.schemas.field_errors import HUNT, FieldError, Messages, flatten, kind_of, over
from api.schemas.fields import Asking, OneOf, Real, Whole, length, length_flaws
from arbiter.json import read_custom


class _Array(Asking):
    """An array, whose places each have their field."""

    kinds = frozenset({"array"})
    low: int | None
    high: int | None

    @abstractmethod
    def _places(self, size: int) -> Iterable[Asking]:
        """Give the fields of the places that are looked at, in an array of so many items."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise self.wrong_type(value)
        errors: Messages = {}
        if flaws := length_flaws(self, value, self.low, self.high, "items"):
            errors[None] = flaws
        loaded = []
        for index, (item, field) in enumerate(zip(value, self._places(len(value)), strict=False)):
            try:
                loaded.append(field.deserialize(item))
            except ValidationError as refusal:
                errors[index] = refusal.messages
                if over():
                    break
        if errors:
            raise ValidationError(errors)
        return tuple(loaded)


class Items(_Array):
    """An array of items of one type; beyond the longest length that is allowed none is looked at."""

    def __init__(self, inner: Asking, low: int | None, high: int | None, **place: Any) -> None:
        super().__init__(**place)
        self.inner, self.low, self.high = inner, low, high

    @property
    def asked(self) -> str:
        size = length(self.low, self.high, "items") or "items"
        return f"an array of {size}, each {self.inner.asked}"

    def _places(self, size: int) -> Iterable[Asking]:
        return itertools.repeat(self.inner, size if self.high is None else min(size, self.high))


class Row(_Array):
    """An array of fixed length whose places have types of their own."""

    def __init__(self, places: Sequence[Asking], **place: Any) -> None:
        super().__init__(**place)
        self.places = places
        self.low = self.high = len(places)

    @property
    def asked(self) -> str:
        return f"[{', '.join(place.asked for place in self.places)}]"

    def _places(self, size: int) -> Iterable[Asking]:
        return self.places


class Named(Asking):
    """An object whose fields have names that the sender chooses, and values of one type."""

    kinds = frozenset({"object"})

    def __init__(self, names: Asking, inner: Asking, low: int | None, high: int | None, **place: Any) -> None:
        super().__init__(**place)
        self.names, self.inner, self.low, self.high = names, inner, low, high

    @property
    def asked(self) -> str:
        size = length(self.low, self.high, "fields")
        return f"an object{' of ' if size else ''}{size}, named by {self.names.asked}, each {self.inner.asked}"

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> dict[Any, Any]:
        if not isinstance(value, dict):
            raise self.wrong_type(value)
        errors: Messages = {}
        if flaws := length_flaws(self, value, self.low, self.high, "fields"):
            errors[None] = flaws
        loaded = {}
        for name, item in itertools.islice(value.items(), self.high):
            found: Messages = {}
            try:
                key = self.names.deserialize(name)
            except ValidationError as refusal:
                found[None] = [flaw.about_the_name() for _, flaw in flatten(refusal.messages)]
            try:
                content = self.inner.deserialize(item)
            except ValidationError as refusal:
                inner = refusal.messages if isinstance(refusal.messages, dict) else {None: refusal.messages}
                found = {**inner, None: found.get(None, []) + inner.get(None, [])}
            if found:
                errors[name] = found
                if over():
                    break
            else:
                loaded[key] = content
        if errors:
            raise ValidationError(errors)
        return loaded


class Part(Asking):
    """An object that is one of our structs. `form` gives its schema when it is first needed, so structs may recur."""

    kinds = frozenset({"object"})

    def __init__(self, info: inspect.StructType, form: Callable[[], marshmallow.Schema], **place: Any) -> None:
        super().__init__(**place)
        self.struct, self.form = info.cls, form
        self.names = tuple(field.encode_name for field in info.fields)
        self.tag_field = info.tag_field

    @property
    def asked(self) -> str:
        return f"an object with the fields {', '.join(self.names)}" if self.names else "an empty object"

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        if not isinstance(value, dict):
            raise self.wrong_type(value)
        if hunt := HUNT.get():
            if hunt.over:
                return value
            # In a body that is known to be refused most parts are sound, and msgspec passes those quickest. Besides
            # what it refuses it stumbles over half a surrogate pair, which the text of a body can hold.
            with contextlib.suppress(msgspec.ValidationError, UnicodeEncodeError):
                return msgspec.convert(value, self.struct, dec_hook=read_custom)
        errors: Messages = {}
        sent = {}
        for name, item in value.items():
            if name in self.names:
                sent[name] = item
            elif name != self.tag_field and not over():
                free = [known for known in self.names if known not in value]
                asked = f"one of the fields {', '.join(self.names)}" if self.names else "no fields"
                errors[name] = [
                    FieldError("unknown-field", "is no field here", item, asked=asked, meant=name, known=free)
                ]
        try:
            made = self.form().load(sent)
        except ValidationError as refusal:
            for name, messages in refusal.messages_dict.items():
                errors[None if name == SCHEMA else name] = messages
        if errors:
            raise ValidationError(errors)
        return made


class Tagged(Asking):
    """An object that is one of several structs, told apart by a tag."""

    kinds = frozenset({"object"})

    def __init__(self, tag_field: str, parts: Mapping[str | int, Part], **place: Any) -> None:
        super().__init__(**place)
        self.tag_field, self.parts = tag_field, parts
        self.tag = OneOf({tag: tag for tag in parts}, data_key=tag_field, required=True)

    @property
    def asked(self) -> str:
        return f"an object whose {self.tag_field} is {self.tag.asked}"

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        if not isinstance(value, dict):
            raise self.wrong_type(value)
        try:
            tag: Any = self.tag.deserialize(value.get(self.tag_field, marshmallow.missing))
        except ValidationError as refusal:
            raise ValidationError({self.tag_field: refusal.messages}) from None
        return self.parts[tag].deserialize(value)


class Choice(Asking):
    """A value of one of several types, of which each kind of JSON value belongs to one: its faults are that one's."""

    def __init__(self, options: Sequence[Asking], **place: Any) -> None:
        nullable = any(option.allow_none for option in options)
        super().__init__(**({**place, "allow_none": True} if nullable else place))
        self.options = options
        self.by_kind: dict[str, Asking] = {}
        for option in options:
            for kind in option.kinds:
                other = self.by_kind.setdefault(kind, option)
                if {type(option), type(other)} == {Whole, Real}:
                    self.by_kind[kind] = option if isinstance(option, Whole) else other
                elif other is not option:
                    raise TypeError(f"one value could be {option.asked} as well as {other.asked}")
        self.kinds = frozenset(self.by_kind)

    @property
    def asked(self) -> str:
        return " or ".join(option.asked for option in self.options)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        option = self.by_kind.get(kind_of(value))
        if option is None:
            raise self.wrong_type(value)
        return option.deserialize(value)
