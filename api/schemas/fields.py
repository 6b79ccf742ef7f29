"""Which JSON values a type takes: marshmallow fields that accept exactly what msgspec's strict decoder accepts.

Each reports every error of its value at once, nested as marshmallow nests messages, and loads what msgspec would.
The derived schemas are made of these fields, and so are the schemas of queries.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import ge, gt, le, lt
from typing import Any, ClassVar

import msgspec
from marshmallow import ValidationError, fields

from api.schemas.field_errors import FieldError, describe_kind, describe_kind_of, kind_of, suggest
from arbiter.json import FRACTION_LENGTH, read_fraction


class JsonField(fields.Field[Any], ABC):
    """The base of all fields: it takes values of some kinds, and describes in `expected` what it asks for."""

    kinds: frozenset[str]
    expected: str

    def __init__(self, *, description: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.description = description

    @abstractmethod
    def _load(self, value: Any) -> Any:
        """Load a value of the right kind, or raise `ValidationError` with every error."""

    def from_text(self, text: str) -> Any:
        """Read the value that a text stands for, where values come as text; what stands for none stays a text."""
        return text

    def error(self, code: str, message: str, value: Any, hint: str | Callable[[], str] = "") -> FieldError:
        """Give an error of a value."""
        return FieldError(code, message, value, expected=self.expected, hint=hint)

    def make_error(self, key: str, **_: Any) -> ValidationError:
        if key == "required":
            return ValidationError([FieldError("missing", "is missing", expected=self.expected)])
        return self._wrong_type(None)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        if kind_of(value) not in self.kinds:
            raise self._wrong_type(value)
        return self._load(value)

    def _wrong_type(self, value: Any) -> ValidationError:
        kinds = self.kinds - {"integer"} if "number" in self.kinds else self.kinds
        expected = " or ".join(describe_kind(kind) for kind in sorted(kinds))
        message = f"must be {expected}, not {describe_kind_of(value)}"
        return ValidationError([self.error("wrong-type", message, value, self._rewrite(value))])

    def _rewrite(self, value: Any) -> str:
        """Give the hint that writes the value in the right kind, where only the writing is wrong."""
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


class AnyValue(JsonField):
    """Any JSON value, as it is."""

    kinds = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
    expected = "any JSON value"

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "allow_none": True})

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> Any:
        return value

    def _load(self, value: Any) -> Any:
        return value


class Boolean(JsonField):
    """True or false, and nothing that could be taken for either."""

    kinds = frozenset({"boolean"})
    expected = "true or false"

    def _load(self, value: bool) -> bool:
        return value


class _Numeric(JsonField):
    """A number within bounds."""

    noun: ClassVar[str]

    _CHECKS: ClassVar[dict[str, tuple[str, str, str, Callable[[Any, Any], bool]]]] = {
        "ge": ("at least", "too-small", "is too small", ge),
        "gt": ("above", "too-small", "is too small", gt),
        "le": ("at most", "too-large", "is too large", le),
        "lt": ("below", "too-large", "is too large", lt),
        "multiple_of": (
            "a multiple of",
            "not-a-multiple",
            "is not a multiple of",
            lambda value, step: not value % step,
        ),
    }

    def __init__(
        self, *, ge: Any = None, gt: Any = None, le: Any = None, lt: Any = None, multiple_of: Any = None, **options: Any
    ) -> None:
        super().__init__(**options)
        bounds = {"ge": ge, "gt": gt, "le": le, "lt": lt, "multiple_of": multiple_of}
        self.bounds = {name: bound for name, bound in bounds.items() if bound is not None}
        self.expected = ", ".join(
            [self.noun, *(f"{self._CHECKS[name][0]} {self.bounds[name]:,}" for name in self.bounds)]
        )

    def _check(self, value: Any, original: Any) -> Any:
        errors = []
        for name, bound in self.bounds.items():
            _, code, message, holds = self._CHECKS[name]
            if not holds(value, bound):
                errors.append(self.error(code, f"{message} {bound}" if name == "multiple_of" else message, original))
        if errors:
            raise ValidationError(errors)
        return value


class Integer(_Numeric):
    """A whole number: 5, but neither 5.0 nor true."""

    kinds = frozenset({"integer"})
    noun = "a whole number"

    def from_text(self, text: str) -> Any:
        return int(text) if re.fullmatch("-?(0|[1-9][0-9]{0,17})", text) else text

    def _load(self, value: int) -> Any:
        return self._check(value, value)


class Number(_Numeric):
    """A finite number, loaded as a float."""

    kinds = frozenset({"integer", "number"})
    noun = "a number"

    def from_text(self, text: str) -> Any:
        written = r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?"
        return float(text) if re.fullmatch(written, text) else text

    def _load(self, value: float) -> Any:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ValidationError([self.error("not-finite", "is not a finite number", value)])
        return self._check(number, value)


class Sized(JsonField):
    """A value that has a length, which may be bounded; bounds are inclusive."""

    unit: ClassVar[str]

    def __init__(self, min_length: int | None = None, max_length: int | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.min_length, self.max_length = min_length, max_length

    @property
    def size(self) -> str:
        """The required length in words; empty if any length is valid."""
        low, high = self.min_length, self.max_length
        if low is not None and high is not None:
            return f"exactly {low:,} {self.unit}" if low == high else f"{low:,} to {high:,} {self.unit}"
        if low is not None:
            return f"at least {low:,} {self.unit}"
        return f"at most {high:,} {self.unit}" if high is not None else ""

    def length_errors(self, value: Any) -> list[FieldError]:
        """Give the error of a value that is too short or too long."""
        size = len(value)
        if self.min_length is not None and size < self.min_length:
            return [self.error("too-short", f"has too few {self.unit}: {size:,}", value)]
        if self.max_length is not None and size > self.max_length:
            return [self.error("too-long", f"has too many {self.unit}: {size:,}", value)]
        return []


class String(Sized):
    """A string, counted in code points; a pattern is searched for, as msgspec and JSON Schema do."""

    kinds = frozenset({"string"})
    unit = "characters"

    def __init__(self, *, pattern: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.pattern = pattern
        matching = f"matching {pattern}" if pattern else ""
        self.expected = ", ".join(part for part in ("a string", self.size, matching) if part)

    def _load(self, value: str) -> str:
        errors = self.length_errors(value)
        if self.pattern is not None and not re.search(self.pattern, value):
            errors.append(self.error("pattern", f"does not match {self.pattern}", value))
        if errors:
            raise ValidationError(errors)
        return value


class OneOf(JsonField):
    """One of the listed values, each loaded as the table says: an enumeration's member by its value."""

    def __init__(self, table: Mapping[Any, Any] | Iterable[Any], **options: Any) -> None:
        table = table if isinstance(table, Mapping) else {value: value for value in table}
        super().__init__(**({**options, "allow_none": True} if None in table else options))
        self.table = {(kind_of(value), value): loaded for value, loaded in table.items()}
        self.kinds = frozenset(kind for kind, _ in self.table)
        self.expected = "one of " + ", ".join(msgspec.json.encode(value).decode() for value in table)

    def _load(self, value: Any) -> Any:
        kind = kind_of(value)
        if (kind, value) not in self.table:
            names = [str(other) for other_kind, other in self.table if other_kind == "string"]
            hint = partial(suggest, value, names) if kind == "string" else ""
            raise ValidationError([self.error("not-one-of", "is not one of the allowed values", value, hint)])
        return self.table[kind, value]


class FractionField(Sized):
    """An exact fraction in a string."""

    kinds = frozenset({"string"})
    unit = "characters"
    expected = 'a fraction in a string, like "7/12" or "3"'

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=FRACTION_LENGTH, **options)

    def _load(self, value: str) -> Any:
        if errors := self.length_errors(value):
            raise ValidationError(errors)
        fraction = read_fraction(value)
        if fraction is None:
            raise ValidationError([self.error("pattern", "is not a fraction", value)])
        return fraction
