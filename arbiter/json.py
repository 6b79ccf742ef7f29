"""Values as JSON, and the one type that JSON lacks: a fraction, written as the string "7/12"."""

import re
from fractions import Fraction
from typing import Any, Literal

import msgspec

from arbiter.nowhere import Nowhere, Unplaced
from arbiter.text import Belonging, Quantity, Signed, UnitName

FRACTION_PATTERN = r"^-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?(?!\n)$"
"""The syntax of a fraction. Some engines let `$` match before a last line feed, which the pattern itself excludes."""

FRACTION_LENGTH = 4000
"""The longest fraction that is read; below the interpreter's limit of 4,300 digits for a number."""

_FRACTION = re.compile(FRACTION_PATTERN)


def read_fraction(text: str) -> Fraction | None:
    """Read a fraction in this syntax; None for any other text."""
    return Fraction(text) if len(text) <= FRACTION_LENGTH and _FRACTION.search(text) else None


def read_custom(kind: type, seen: Any) -> Any:
    """Read a value of a type that JSON lacks, as msgspec asks for it. `ValueError` if it cannot be read as one."""
    if kind is Fraction and isinstance(seen, str) and (fraction := read_fraction(seen)) is not None:
        return fraction
    raise ValueError(f"Expected a {kind.__name__}")


def write_custom(value: Any) -> Any:
    """Give a value of a type that JSON lacks as a JSON value."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, UnitName):
        return {"unit": value.unit}
    if isinstance(value, Belonging):
        return {"thing": value.thing, "unit": value.unit}
    if isinstance(value, Signed):
        return int(value)
    if isinstance(value, Quantity):
        return value.number
    if isinstance(value, Nowhere):
        return None
    if isinstance(value, Unplaced):
        return []
    raise TypeError(f"{type(value).__name__} has no form in JSON: {value!r:.80}")


def encoder(order: Literal["sorted"] | None = None) -> msgspec.json.Encoder:
    """Give the encoder of values as JSON, with members in the order of declaration or of their names."""
    return msgspec.json.Encoder(enc_hook=write_custom, order=order)


_ENCODER = encoder()


def encode(value: Any) -> bytes:
    """Write a value as JSON. `TypeError` for values without a JSON form; NaN and infinities become null."""
    return _ENCODER.encode(value)


def to_builtins(value: Any) -> Any:
    """Give a value in JSON's own types: dicts, lists, strings, numbers, booleans and null."""
    return msgspec.json.decode(encode(value))
