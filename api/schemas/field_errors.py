"""What a fault of a posted value looks like while it is searched for: messages that nest as marshmallow nests them."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

CODES = {
    "not-json": "The body is not one JSON value in UTF-8.",
    "too-deep": "Objects and arrays are nested deeper than is allowed.",
    "duplicate-field": "An object names a field twice.",
    "not-finite": "A number is NaN, infinite, or beyond what can be held.",
    "not-text": "A string has half a surrogate pair, which is no character.",
    "missing": "A required field is missing.",
    "unknown-field": "An object has a field that is not asked for.",
    "wrong-type": "The value is of another kind than asked.",
    "too-small": "The number is below its bound.",
    "too-large": "The number is above its bound.",
    "not-a-multiple": "The number is not a multiple of what it has to be one of.",
    "too-short": "A string, array or object has too few characters, items or fields.",
    "too-long": "A string, array or object has too many characters, items or fields.",
    "not-one-of": "The value is not one of those listed.",
    "pattern": "The string does not match its pattern.",
    "impossible": "Each field is sound, but together they are impossible.",
    "refused": "The decoder refused the body for a reason that has no code of its own.",
    "more-faults": "There are more faults than are listed.",
}
"""Every code of a malformed body, with what it means; codes are stable."""

MOST_LOOKED_FOR = 500
"""Faults after which a search ends, so that a body of nothing but faults costs no more than this many."""

_SAID = {
    "null": "null",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "a string",
    "array": "an array",
    "object": "an object",
}


class FieldError(str):
    """One message, which also knows its code, the value seen, what is asked instead, and a way out.

    `known` are the names of which `meant` may be a misspelling; comparing them waits until the flaw is reported.
    """

    __slots__ = ("asked", "code", "hint", "known", "meant", "seen")

    code: str
    seen: Any
    asked: str
    hint: str
    meant: str
    known: Sequence[str]

    def __new__(
        cls,
        code: str,
        message: str,
        seen: Any = None,
        *,
        asked: str = "",
        hint: str = "",
        meant: str = "",
        known: Sequence[str] = (),
    ) -> "FieldError":
        """Make the message, and count it where a hunt is on."""
        flaw = super().__new__(cls, message)
        flaw.code, flaw.seen, flaw.asked, flaw.hint, flaw.meant, flaw.known = code, seen, asked, hint, meant, known
        if hunt := HUNT.get():
            hunt.found += 1
        return flaw

    def about_the_name(self) -> "FieldError":
        """Say the same of the name of a field, where its own place is the field's."""
        return FieldError(
            self.code,
            f"has a name that {self}",
            self.seen,
            asked=f"a name that is {self.asked}",
            meant=self.meant,
            known=self.known,
        )

    def way_out(self) -> str:
        """Say what to send instead, as far as that can be guessed."""
        if self.hint or not self.meant or len(self.meant) > 64:
            return self.hint
        likely = difflib.get_close_matches(self.meant, self.known, 1)
        return f"did you mean {likely[0]}?" if likely else ""


class Hunt:
    """A search for faults in what is already known to be refused: sound parts are skipped, and it ends when enough."""

    def __init__(self) -> None:
        self.found = 0

    @property
    def over(self) -> bool:
        """Say whether enough faults are found."""
        return self.found >= MOST_LOOKED_FOR


HUNT: ContextVar[Hunt | None] = ContextVar("HUNT", default=None)
"""The hunt that is on; with none, a schema looks at everything."""


def over() -> bool:
    """Say whether a hunt is on that has found enough."""
    hunt = HUNT.get()
    return hunt is not None and hunt.over


Path = tuple[str | int, ...]

Messages = dict[str | int | None, Any]
"""Flaws by name and index. Those about the value itself stand under None, since every string can be a field's name."""


def flatten(messages: Any, path: Path = ()) -> Iterator[tuple[Path, FieldError]]:
    """List the flaws of nested messages, each with the path to its place."""
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            yield from flatten(inner, path if key is None else (*path, key))
    else:
        for flaw in messages:
            yield path, flaw


def kind_of(value: Any) -> str:
    """Name what JSON calls the value; whatever JSON lacks goes by its own name. Tuples count as arrays."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (list, tuple)):
        return "array"
    if isinstance(value, dict):
        return "object"
    return type(value).__name__


def said(kind: str) -> str:
    """Say in a sentence which kind of value is asked for."""
    return _SAID.get(kind, kind)


def said_of(value: Any) -> str:
    """Say in a sentence what kind of value was seen."""
    kind = kind_of(value)
    return "a number with a fraction or exponent" if kind == "number" else said(kind)
