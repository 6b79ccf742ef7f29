"""Which JSON values a type takes: marshmallow fields that accept exactly what msgspec's strict decoder accepts.

Each tells every fault of its value at once, nested as marshmallow nests messages, and loads what msgspec would.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec
from marshmallow import ValidationError, fields
from msgspec import inspect

from api.schemas.field_errors import FieldError, kind_of, said, said_of
from arbiter.json import FRACTION_LENGTH, read_fraction


class Asking(fields.Field[Any], ABC):
    """The base of derived fields: knows which kinds of value it takes and says in words what it asks for."""

    kinds: frozenset[str]

    @property
    @abstractmethod
    def asked(self) -> str:
        """Say what is asked for."""

    def make_error(self, key: str, **kwargs: Any) -> ValidationError:
        if key == "required":
            return ValidationError([FieldError("missing", "is missing", asked=self.asked)])
        return self.wrong_type(None)

    def _validate(self, value: Any) -> None:
        """Do nothing: bounds belong to the loading here, and marshmallow's round over no validators costs as much."""

    def wrong_type(self, value: Any) -> ValidationError:
        """Say that the value is of another kind than asked."""
        kinds = self.kinds - {"integer"} if "number" in self.kinds else self.kinds
        wanted = " or ".join(said(kind) for kind in sorted(kinds))
        message = f"has to be {wanted}, not {said_of(value)}"
        return ValidationError(
            [FieldError("wrong-type", message, value, asked=self.asked, hint=self._rewritten(value))]
        )

    def _rewritten(self, value: Any) -> str:
        """Say how the value is written in the kind that is asked for, where the difference is one of writing."""
        kind = kind_of(value)
        if kind == "null" and self.data_key is not None and not self.required:
            return "leave the field out to have its default"
        if kind == "string" and self.kinds & {"integer", "number"} and re.fullmatch("-?[0-9]{1,15}", value):
            return f"write {value} without quotes"
        if kind == "number" and "integer" in self.kinds and value.is_integer() and abs(value) < 2**53:
            return f"write {int(value)}"
        if kind in {"integer", "number"} and "string" in self.kinds:
            return "put it in quotes"
        if kind == "string" and "boolean" in self.kinds and value.lower() in {"true", "false"}:
            return f"write {value.lower()} without quotes"
        return ""


class Anything(Asking):
    """Any JSON value, as it is."""

    def __init__(self, **place: Any) -> None:
        super().__init__(**{**place, "allow_none": True})
        self.kinds = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})

    @property
    def asked(self) -> str:
        return "any JSON value"

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        return value


class Truth(Asking):
    """True or false, and nothing that could be taken for either."""

    kinds = frozenset({"boolean"})

    @property
    def asked(self) -> str:
        return "true or false"

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> bool:
        if not isinstance(value, bool):
            raise self.wrong_type(value)
        return value


class _Bounded(Asking):
    """A number within bounds."""

    called: ClassVar[str]

    def __init__(self, info: inspect.IntType | inspect.FloatType, **place: Any) -> None:
        super().__init__(**place)
        self.info = info

    @property
    def asked(self) -> str:
        info = self.info
        words = [
            f"{word} {bound:,}"
            for word, bound in (
                ("at least", info.ge),
                ("above", info.gt),
                ("at most", info.le),
                ("below", info.lt),
                ("a multiple of", info.multiple_of),
            )
            if bound is not None
        ]
        return ", ".join([self.called, *words])

    def _bounded(self, value: float, seen: Any) -> Any:
        info = self.info
        flaws = []
        if (info.ge is not None and value < info.ge) or (info.gt is not None and value <= info.gt):
            flaws.append(FieldError("too-small", "is too small", seen, asked=self.asked))
        if (info.le is not None and value > info.le) or (info.lt is not None and value >= info.lt):
            flaws.append(FieldError("too-large", "is too large", seen, asked=self.asked))
        if info.multiple_of is not None and self._rest(value, info.multiple_of):
            flaws.append(
                FieldError("not-a-multiple", f"is not a multiple of {info.multiple_of}", seen, asked=self.asked)
            )
        if flaws:
            raise ValidationError(flaws)
        return value

    @abstractmethod
    def _rest(self, value: float, step: float) -> float:
        """Give what is left of a value beyond the last multiple of a step."""


class Whole(_Bounded):
    """A whole number: 5, but neither 5.0 nor true."""

    kinds = frozenset({"integer"})
    called = "a whole number"

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        if kind_of(value) != "integer":
            raise self.wrong_type(value)
        return self._bounded(value, value)

    def _rest(self, value: float, step: float) -> float:
        return value % step


class Real(_Bounded):
    """A finite number, loaded as a float."""

    kinds = frozenset({"integer", "number"})
    called = "a number"

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        if kind_of(value) not in self.kinds:
            raise self.wrong_type(value)
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ValidationError([FieldError("not-finite", "is not a finite number", value, asked=self.asked)])
        return self._bounded(number, value)

    def _rest(self, value: float, step: float) -> float:
        return math.fmod(value, step)


def length(low: int | None, high: int | None, of: str) -> str:
    """Say how many of something are asked for; nothing if any number will do."""
    if low is not None and high is not None:
        return f"exactly {low:,} {of}" if low == high else f"{low:,} to {high:,} {of}"
    if low is not None:
        return f"at least {low:,} {of}"
    return f"at most {high:,} {of}" if high is not None else ""


def length_flaws(field: Asking, value: Any, low: int | None, high: int | None, of: str) -> list[FieldError]:
    """Decide whether a value has too few or too many of something; bounds are inclusive."""
    size = len(value)
    if low is not None and size < low:
        return [FieldError("too-short", f"has too few {of}: {size:,}", value, asked=field.asked)]
    if high is not None and size > high:
        return [FieldError("too-long", f"has too many {of}: {size:,}", value, asked=field.asked)]
    return []


class Text(Asking):
    """A string, counted in code points; a pattern is searched for, as msgspec and JSON Schema do."""

    kinds = frozenset({"string"})

    def __init__(self, info: inspect.StrType, **place: Any) -> None:
        super().__init__(**place)
        self.low, self.high, self.pattern = info.min_length, info.max_length, info.pattern
        self._searched = re.compile(self.pattern) if self.pattern is not None else None

    @property
    def asked(self) -> str:
        size = length(self.low, self.high, "characters")
        pattern = f"matching {self.pattern}" if self.pattern else ""
        return ", ".join(part for part in ("a string", size, pattern) if part)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> str:
        if not isinstance(value, str):
            raise self.wrong_type(value)
        flaws = length_flaws(self, value, self.low, self.high, "characters")
        if self._searched and not self._searched.search(value):
            flaws.append(FieldError("pattern", f"does not match {self.pattern}", value, asked=self.asked))
        if flaws:
            raise ValidationError(flaws)
        return value


class OneOf(Asking):
    """One of the listed values: a literal as it is, an enumeration's member by its value."""

    def __init__(self, table: Mapping[Any, Any], **place: Any) -> None:
        super().__init__(**({**place, "allow_none": True} if None in table else place))
        self.table = {(kind_of(value), value): loaded for value, loaded in table.items()}
        self.kinds = frozenset(kind for kind, _ in self.table)

    @property
    def asked(self) -> str:
        return "one of " + ", ".join(msgspec.json.encode(value).decode() for _, value in self.table)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        kind = kind_of(value)
        if kind not in self.kinds:
            raise self.wrong_type(value)
        if (kind, value) not in self.table:
            meant = value if isinstance(value, str) else ""
            known = [str(value) for kind, value in self.table if kind == "string"]
            message = "is not one of the values listed"
            raise ValidationError(
                [FieldError("not-one-of", message, value, asked=self.asked, meant=meant, known=known)]
            )
        return self.table[kind, value]


class Ratio(Asking):
    """An exact fraction in a string."""

    kinds = frozenset({"string"})

    @property
    def asked(self) -> str:
        return 'a fraction in a string, like "7/12" or "3"'

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        if not isinstance(value, str):
            raise self.wrong_type(value)
        if flaws := length_flaws(self, value, None, FRACTION_LENGTH, "characters"):
            raise ValidationError(flaws)
        fraction = read_fraction(value)
        if fraction is None:
            raise ValidationError([FieldError("pattern", "is not a fraction", value, asked=self.asked)])
        return fraction
