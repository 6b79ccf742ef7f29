"""Request bodies decoded into our frozen structs, with all faults reported together, and values written as JSON.

msgspec decodes every valid body; one that it refuses is parsed again and loaded by the marshmallow schema that is
derived from the same struct (`derive.py`), which reports every fault with its place, the value found, the accepted
values and a hint. Both are strict: 5.0 and true are not whole numbers, unknown fields, NaN and infinities are refused,
strings are not converted. A Hypothesis test checks that both, and the contract, accept the same bodies.
(docs/adr/010-msgspec-and-marshmallow.md)

If an object has a field twice, the last one counts, as in most JSON readers; the repetition is a fault only in a body
that is refused for another reason.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
from marshmallow import ValidationError

from api.schemas.derive import field_of
from api.schemas.field_errors import (
    SEARCH,
    SEARCH_LIMIT,
    SHORT,
    FieldError,
    Path,
    describe_kind_of,
    faults_of,
    flatten,
    kind_of,
)
from api.schemas.type_info import nests_without_end, open_names
from arbiter.fault import Faults
from arbiter.json import encode as encode
from arbiter.json import read_custom
from arbiter.json import to_builtins as to_builtins

Errors = list[tuple[Path, FieldError]]

DEEPEST = 64
"""How deep objects and arrays may be nested by default."""

_MOST_DIGITS = 4300
_HUGE = 10**_MOST_DIGITS
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class _Reader(NamedTuple):
    decoder: msgspec.json.Decoder[Any]
    endless: bool


@cache
def _reader(type_: Any) -> _Reader:
    field_of(type_)  # refuses a type whose faults could not be reported, before any body is read
    return _Reader(
        msgspec.json.Decoder(type_, dec_hook=read_custom), nests_without_end(msgspec.inspect.type_info(type_))
    )


def decode(type_: Any, body: bytes, *, deepest: int = DEEPEST) -> Any:
    """Read a body as a value of the type; raises `Faults` with every fault.

    The type is a struct, or anything made of structs and JSON's own types; `TypeError` if JSON cannot carry it.
    """
    reader = _reader(type_)
    try:
        value = reader.decoder.decode(body)
        deep = reader.endless and deeper(value, deepest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as refusal:
        raise _faults_of_body(type_, body, deepest, refusal) from None
    # The deep value may be a default that was not sent, so the body itself decides.
    if deep and (errors := _json_errors(json.loads(body), deepest)):
        raise faults_of(errors)
    return value


def decode_object(type_: Any, value: Any, *, deepest: int = DEEPEST) -> Any:
    """Read a value parsed from JSON or YAML as one of the type; tuples count as arrays.

    Raises `Faults` with every fault, including values that JSON does not have.
    """
    field_of(type_)
    try:
        if not _json_errors(value, deepest):
            return msgspec.convert(value, type_, dec_hook=read_custom)
    except (msgspec.ValidationError, RecursionError) as refusal:
        raise _faults(type_, value, deepest, refusal) from None
    raise _faults(type_, value, deepest)


def deeper(value: Any, levels: int) -> bool:
    """Decide whether a decoded value has more levels than these, looking only where its types allow nesting."""
    # Level by level, because a body may be nested deeper than the stack allows.
    containers = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(levels):
        containers = [item for each in containers for item in _content(each) if isinstance(item, _CONTAINERS)]
        if not containers:
            return False
    return bool(containers)


_CONTAINERS = (msgspec.Struct, list, tuple, dict)


def _content(container: Any) -> Iterable[Any]:
    if isinstance(container, msgspec.Struct):
        return (getattr(container, name) for name in open_names(type(container)))
    return container.values() if isinstance(container, dict) else container


class _Object(dict[str, Any]):
    """A JSON object; `repeated` names the fields that it has more than once; the last one counts."""

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        super().__init__(members)
        self.repeated: list[str] = []
        if len(self) < len(members):
            self.repeated = [name for name, times in Counter(name for name, _ in members).items() if times > 1]


def _integer(digits: str) -> float:
    """Read a whole number; one that is too long for Python counts as infinite."""
    return int(digits) if len(digits) <= _MOST_DIGITS else math.inf


def _faults_of_body(type_: Any, body: bytes, deepest: int, refusal: Exception) -> Faults:
    try:
        value = json.loads(body.decode(), object_pairs_hook=_Object, parse_int=_integer)
    except UnicodeDecodeError as error:
        return _not_json(body, error.start, f"it is not UTF-8 at byte {error.start}")
    except json.JSONDecodeError as error:
        where = f"{error.msg} at line {error.lineno}, column {error.colno}"
        return _not_json(body, len(error.doc[: error.pos].encode()), where)
    except RecursionError:
        return faults_of([((), _too_deep(None, deepest))])
    return _faults(type_, value, deepest, refusal)


def _not_json(body: bytes, at: int, why: str) -> Faults:
    excerpt = body[max(0, at - SHORT // 2) : at + SHORT // 2].decode(errors="replace")
    message = f"the body is not JSON: {why}" if body.strip() else "the body is empty"
    return Faults.one("", "not-json", message, seen=excerpt, expected="one JSON value in UTF-8")


def _faults(type_: Any, value: Any, deepest: int, refusal: Exception | None = None) -> Faults:
    """Gather the faults of a parsed value: those of its JSON, then those of its type."""
    token = SEARCH.set([])
    try:
        errors = _json_errors(value, deepest)
        if not any(error.code == "too-deep" for _, error in errors):
            reported = {path for path, error in errors if error.code in {"not-finite", "wrong-type"}}
            try:
                field_of(type_).deserialize(value)
            except ValidationError as wrong:
                errors += [(path, error) for path, error in flatten(wrong.messages) if path not in reported]
    except RecursionError:
        errors = [((), _too_deep(value, deepest))]
    finally:
        SEARCH.reset(token)
    return faults_of(errors or [((), FieldError("refused", str(refusal), value))])


def _json_errors(value: Any, deepest: int) -> Errors:
    """List the faults of a value of any type: values that JSON does not have, and nesting that is too deep."""
    errors: Errors = []

    def look(value: Any, path: Path) -> None:
        if isinstance(value, (list, tuple, dict)):
            if len(path) == deepest:
                errors.append((path, _too_deep(value, deepest)))
                return
            if isinstance(value, dict):
                errors.extend(_name_errors(value, path))
            # Only one call for each level leaves enough stack for the deepest allowed bodies.
            for step, item in value.items() if isinstance(value, dict) else enumerate(value):
                if len(errors) >= SEARCH_LIMIT:
                    return
                look(item, (*path, step))
        elif error := _scalar_error(value):
            errors.append((path, error))

    look(value, ())
    return errors


def _scalar_error(value: Any) -> FieldError | None:
    if value is None:
        return None
    if isinstance(value, str):
        if value.isascii() or not _HALF_CHARACTER.search(value):
            return None
        return FieldError("not-text", "has half a surrogate pair", value, expected="whole characters")
    if isinstance(value, float):
        if math.isfinite(value):
            return None
        message = "is not a number that can be held: NaN, infinite, or far too large"
        return FieldError("not-finite", message, value, expected="a finite number")
    if isinstance(value, int):
        if -_HUGE < value < _HUGE:
            return None
        return FieldError("not-finite", "has too many digits", value, expected="a number of fewer digits")
    return FieldError("wrong-type", f"must be a JSON value, not {kind_of(value)}", value, expected="a JSON value")


def _name_errors(value: dict[Any, Any], path: Path) -> Iterator[tuple[Path, FieldError]]:
    for name in value:
        if not isinstance(name, str):
            message = f"has a name that must be a string, not {describe_kind_of(name)}"
            yield (*path, name), FieldError("wrong-type", message, name, expected="a string", hint="put it in quotes")
        elif not name.isascii() and _HALF_CHARACTER.search(name):
            yield (*path, name), FieldError("not-text", "has half a surrogate pair in its name", name)
    for name in value.repeated if isinstance(value, _Object) else ():
        error = FieldError("duplicate-field", "occurs more than once", value[name], expected="each field once")
        yield (*path, name), error


def _too_deep(value: Any, deepest: int) -> FieldError:
    expected = f"at most {deepest} objects and arrays within one another"
    return FieldError("too-deep", "is nested too deep", value, expected=expected)
