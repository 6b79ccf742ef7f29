"""The errors of a posted value: messages that nest as marshmallow nests them, and the faults that clients get."""

import difflib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from arbiter.fault import Fault, Faults, pointer

MOST_FAULTS = 100
"""The number of faults of one body that are listed; one more counts the rest."""

SEARCH_LIMIT = 500
"""Errors after which a search ends, so that a body full of errors costs no more than this many."""

SHORT = 80
"""Characters of an excerpt: of a value, or of a name in a pointer."""

Path = tuple[str | int, ...]

Messages = dict[str | int | None, Any]
"""Errors by name and index. Those about the value itself are under None, since every string can be a field's name."""

_JSON_TYPES: tuple[tuple[Any, str], ...] = (
    (str, "string"),
    (bool, "boolean"),  # before the whole numbers, because true is an int in Python
    (int, "integer"),
    (float, "number"),
    (dict, "object"),
    ((list, tuple), "array"),
    (type(None), "null"),
)

KINDS = {
    "null": "null",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "a string",
    "array": "an array",
    "object": "an object",
}
"""The kinds of JSON values, as a sentence names them."""

_WRITER = json.JSONEncoder(ensure_ascii=False, check_circular=False, skipkeys=True, default=str)


class FieldError(str):
    """One message, with its code, the value found, the accepted values, and a hint.

    A hint that is slow to find may be a function, which is called when the error is reported.
    """

    __slots__ = ("code", "expected", "hint", "seen")

    code: str
    seen: Any
    expected: str
    hint: str | Callable[[], str]

    def __new__(
        cls, code: str, message: str, seen: Any = None, *, expected: str = "", hint: str | Callable[[], str] = ""
    ) -> "FieldError":
        """Make the message, and add it to the current search."""
        error = super().__new__(cls, message)
        error.code, error.seen, error.expected, error.hint = code, seen, expected, hint
        if (found := SEARCH.get()) is not None:
            found.append(error)
        return error

    def of_name(self) -> "FieldError":
        """Give the same error about the name of a field, reported at the place of the field."""
        return FieldError(
            self.code, f"has a name that {self}", self.seen, expected=f"a name that is {self.expected}", hint=self.hint
        )

    def fault(self, path: Path) -> Fault:
        """Give the fault that the client gets, with short excerpts of what it sent."""
        place = pointer(*(shorten(str(token)) for token in path))
        hint = self.hint if isinstance(self.hint, str) else self.hint()
        return Fault(place, self.code, shorten(self, 400), excerpt(self.seen), shorten(self.expected, 400), hint)


SEARCH: ContextVar[list[FieldError] | None] = ContextVar("SEARCH", default=None)
"""The errors that the current search has found: in a body that is known to be refused it skips valid parts, and ends
at a limit. Without a search, a schema checks everything."""


def search_is_over() -> bool:
    """Decide whether a current search has reached its limit."""
    return len(SEARCH.get() or ()) >= SEARCH_LIMIT


def flatten(messages: Any, path: Path = ()) -> Iterator[tuple[Path, FieldError]]:
    """List the errors of nested messages, each with the path to its place."""
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            yield from flatten(inner, path if key is None else (*path, key))
    else:
        for error in messages:
            yield path, error


def faults_of(errors: Sequence[tuple[Path, FieldError]]) -> Faults:
    """Give the faults that report these errors, at most `MOST_FAULTS` and one that counts the rest."""
    faults = [error.fault(path) for path, error in errors[:MOST_FAULTS]]
    if len(errors) > MOST_FAULTS:
        least = "at least " if len(errors) >= SEARCH_LIMIT else ""
        message = f"there are {least}{len(errors) - MOST_FAULTS} more faults"
        faults.append(Fault("", "more-faults", message, hint="correct these, and post again to see the rest"))
    return Faults(faults)


def suggest(name: str, names: Iterable[str]) -> str:
    """Give a hint with the known name nearest to a misspelt one, or no hint."""
    near = difflib.get_close_matches(name, names, 1) if len(name) <= 64 else []
    return f"did you mean {near[0]}?" if near else ""


def kind_of(value: Any) -> str:
    """Name the JSON kind of the value; other values have the name of their type. Tuples count as arrays."""
    return next((kind for types, kind in _JSON_TYPES if isinstance(value, types)), type(value).__name__)


def describe_kind_of(value: Any) -> str:
    """Name the kind of a value in a sentence."""
    kind = kind_of(value)
    return "a number with a fraction or exponent" if kind == "number" else KINDS.get(kind, kind)


def excerpt(value: Any, longest: int = SHORT) -> Any:
    """Give a short and simple value as it is; otherwise its JSON, or the beginning of that."""
    if isinstance(value, str):
        return shorten(value, longest)
    if value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < 10**longest):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    text = ""
    try:
        for part in _WRITER.iterencode(value):
            text += part
            if len(text) > longest:
                break
    except ValueError:  # Python writes no number beyond 4,300 digits
        text += "a number of too many digits"
    return shorten(text, longest)


def shorten(text: str, longest: int = SHORT) -> str:
    """Shorten a text, and replace characters that cannot be written as UTF-8."""
    short = text if len(text) <= longest else text[: longest - 1] + "…"
    return short.encode(errors="replace").decode()
