"""What travels: bodies read into our frozen structs, with every fault at once, and values written as JSON.

A good body is decoded by msgspec, straight from its bytes and in some tens of microseconds. What msgspec refuses is
parsed again and loaded by the marshmallow schema derived from the same struct, which tells every fault. Both are
strict: 5.0 and true are no whole numbers, unknown fields, NaN and infinities are refused, strings are not converted.

Of a field that stands twice in an object the last one counts, as in most JSON readers; only in a body that is refused
for any reason is the repetition told as a fault.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeVar, overload

import msgspec
from marshmallow import ValidationError

from api.schemas.derive import field_of, nests_without_end, open_names, schema_of
from api.schemas.field_errors import CODES, HUNT, MOST_LOOKED_FOR, FieldError, Hunt, Path, flatten, kind_of, said_of
from api.schemas.json_schema import component_name, json_schema
from arbiter.fault import Fault, Faults, pointer
from arbiter.json import encode, read_custom, to_builtins

__all__ = [
    "CODES",
    "DEEPEST",
    "MOST_FAULTS",
    "component_name",
    "decode",
    "decode_object",
    "deeper",
    "encode",
    "json_schema",
    "schema_of",
    "to_builtins",
]

T = TypeVar("T")

DEEPEST = 64
"""How deep objects and arrays may be nested where the caller says nothing else."""

MOST_FAULTS = 100
"""How many faults are told of one body; one more says how many are left."""

_SHORT = 80
_LONGEST_WHOLE = 4300
_HUGE = 10**_LONGEST_WHOLE
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class _Reader(NamedTuple):
    decoder: msgspec.json.Decoder[Any]
    endless: bool


@cache
def _reader(wanted: Any) -> _Reader:
    field_of(wanted)  # refuses, before any body is read, a type whose faults could not be told
    return _Reader(
        msgspec.json.Decoder(wanted, dec_hook=read_custom), nests_without_end(msgspec.inspect.type_info(wanted))
    )


@overload
def decode(wanted: type[T], body: bytes, *, deepest: int = ...) -> T: ...
@overload
def decode(wanted: Any, body: bytes, *, deepest: int = ...) -> Any: ...
def decode(wanted: Any, body: bytes, *, deepest: int = DEEPEST) -> Any:
    """Read a body as a value of the type. `Faults` tells everything that is wrong with it.

    The type is a struct, or anything made of structs and JSON's own types; `TypeError` if JSON cannot carry it.
    """
    reader = _reader(wanted)
    try:
        value = reader.decoder.decode(body)
        deep = reader.endless and deeper(value, deepest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as refusal:
        raise _refusal_of_body(wanted, body, deepest, refusal) from None
    # What is too deep may be a default that was not sent, so the body itself has the last word.
    if deep and (found := _told_by_json(json.loads(body), deepest)):
        raise _told(found)
    return value


@overload
def decode_object(wanted: type[T], value: Any, *, deepest: int = ...) -> T: ...
@overload
def decode_object(wanted: Any, value: Any, *, deepest: int = ...) -> Any: ...
def decode_object(wanted: Any, value: Any, *, deepest: int = DEEPEST) -> Any:
    """Read a value that is parsed already, by JSON or YAML, as one of the type; tuples pass for arrays.

    `Faults` tells everything that is wrong with it, values that JSON does not have included.
    """
    field_of(wanted)
    try:
        if not _told_by_json(value, deepest):
            return msgspec.convert(value, wanted, dec_hook=read_custom)
    except (msgspec.ValidationError, RecursionError) as refusal:
        raise _refusal(wanted, value, deepest, refusal) from None
    raise _refusal(wanted, value, deepest)


def deeper(value: Any, left: int) -> bool:
    """Decide whether a decoded value is nested deeper than is left, looking only where its types let it nest."""
    # Level by level, for a body may be nested deeper than functions can be.
    holders = [value] if isinstance(value, _HOLDERS) else []
    for _ in range(left):
        holders = [item for holder in holders for item in _held(holder) if isinstance(item, _HOLDERS)]
        if not holders:
            return False
    return bool(holders)


_HOLDERS = (msgspec.Struct, list, tuple, dict)


def _held(holder: Any) -> Iterable[Any]:
    if isinstance(holder, msgspec.Struct):
        return (getattr(holder, name) for name in open_names(type(holder)))
    return holder.values() if isinstance(holder, dict) else holder


class _Repeating(dict[str, Any]):
    """An object whose text names a field more than once; the last one counts."""

    repeated: tuple[str, ...]


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(members)
    if len(made) == len(members):
        return made
    repeating = _Repeating(made)
    repeating.repeated = tuple(name for name, times in Counter(name for name, _ in members).items() if times > 1)
    return repeating


def _whole(digits: str) -> float:
    """Read a whole number; beyond the length that the decoder reads it counts as infinite."""
    return int(digits) if len(digits) <= _LONGEST_WHOLE else math.inf


def _refusal_of_body(wanted: Any, body: bytes, deepest: int, refusal: Exception) -> Faults:
    try:
        value = json.loads(body.decode(), object_pairs_hook=_object, parse_int=_whole)
    except UnicodeDecodeError as wrong:
        return _not_json(body, wrong.start, f"it is not UTF-8 at byte {wrong.start}")
    except json.JSONDecodeError as wrong:
        where = f"{wrong.msg} at line {wrong.lineno}, column {wrong.colno}"
        return _not_json(body, len(wrong.doc[: wrong.pos].encode()), where)
    except RecursionError:
        return _told([((), _too_deep(None, deepest))])
    return _refusal(wanted, value, deepest, refusal)


def _not_json(body: bytes, at: int, why: str) -> Faults:
    seen = body[max(0, at - _SHORT // 2) : at + _SHORT // 2].decode(errors="replace")
    message = f"the body is not JSON: {why}" if body.strip() else "the body is empty"
    return Faults([Fault("", "not-json", message, seen=seen, asked="one JSON value in UTF-8")])


def _refusal(wanted: Any, value: Any, deepest: int, refusal: Exception | None = None) -> Faults:
    """Gather the faults of a parsed value: those of its JSON, then those that its type tells."""
    token = HUNT.set(Hunt())
    try:
        found = _told_by_json(value, deepest)
        if not any(flaw.code == "too-deep" for _, flaw in found):
            told = {path for path, flaw in found if flaw.code in {"not-finite", "wrong-type"}}
            found += [(path, flaw) for path, flaw in _told_by_type(wanted, value) if path not in told]
    except RecursionError:
        found = [((), _too_deep(value, deepest))]
    finally:
        HUNT.reset(token)
    if not found:
        found = [((), FieldError("refused", str(refusal), value))]
    return _told(found)


def _told(found: list[tuple[Path, FieldError]]) -> Faults:
    faults = [_fault(path, flaw) for path, flaw in found[:MOST_FAULTS]]
    if len(found) > MOST_FAULTS:
        least = "at least " if len(found) >= MOST_LOOKED_FOR else ""
        message = f"there are {least}{len(found) - MOST_FAULTS} more faults"
        faults.append(Fault("", "more-faults", message, hint="mend these, and post again to see the rest"))
    return Faults(faults)


def _told_by_type(wanted: Any, value: Any) -> list[tuple[Path, FieldError]]:
    try:
        field_of(wanted).deserialize(value)
    except ValidationError as refusal:
        return list(flatten(refusal.messages))
    return []


def _told_by_json(value: Any, deepest: int) -> list[tuple[Path, FieldError]]:
    """List what is wrong with a value whatever its type: what JSON does not have, and nesting that is too deep."""
    found: list[tuple[Path, FieldError]] = []

    def look(value: Any, path: Path) -> None:
        if isinstance(value, (list, tuple, dict)):
            if len(path) == deepest:
                found.append((path, _too_deep(value, deepest)))
                return
            if isinstance(value, dict):
                found.extend(_told_by_names(value, path))
            # One call for each level, and no more, leaves the stack room for bodies as deep as anyone allows.
            for step, item in value.items() if isinstance(value, dict) else enumerate(value):
                if len(found) >= MOST_LOOKED_FOR:
                    return
                look(item, (*path, step))
        elif isinstance(value, str):
            if not value.isascii() and _HALF_CHARACTER.search(value):
                found.append(
                    (path, FieldError("not-text", "has half a surrogate pair", value, asked="whole characters"))
                )
        elif isinstance(value, float):
            if not math.isfinite(value):
                message = "is not a number that can be held: NaN, infinite, or far too large"
                found.append((path, FieldError("not-finite", message, value, asked="a finite number")))
        elif isinstance(value, int):
            if not -_HUGE < value < _HUGE:
                found.append(
                    (path, FieldError("not-finite", "has too many digits", value, asked="a number of fewer digits"))
                )
        elif value is not None:
            message = f"has to be a value that JSON has, not {kind_of(value)}"
            found.append((path, FieldError("wrong-type", message, value, asked="a JSON value")))

    look(value, ())
    return found


def _told_by_names(value: dict[Any, Any], path: Path) -> Iterator[tuple[Path, FieldError]]:
    for name in value:
        if not isinstance(name, str):
            message = f"has a name that has to be a string, not {said_of(name)}"
            yield (*path, name), FieldError("wrong-type", message, name, asked="a string", hint="put it in quotes")
        elif not name.isascii() and _HALF_CHARACTER.search(name):
            yield (*path, name), FieldError("not-text", "has half a surrogate pair in its name", name)
    if isinstance(value, _Repeating):
        for name in value.repeated:
            yield (
                (*path, name),
                FieldError("duplicate-field", "stands more than once", value[name], asked="each field once"),
            )


def _too_deep(value: Any, deepest: int) -> FieldError:
    return FieldError(
        "too-deep", "is nested too deep", value, asked=f"at most {deepest} objects and arrays within one another"
    )


def _fault(path: Path, flaw: FieldError) -> Fault:
    place = pointer(*(_cut(str(token)) for token in path))
    return Fault(place, flaw.code, _cut(flaw, 400), _excerpt(flaw.seen), _cut(flaw.asked, 400), flaw.way_out())


def _excerpt(value: Any) -> Any:
    """Give a value as it is if it is short and simple; otherwise its JSON, or as much as its beginning."""
    if isinstance(value, str):
        return _cut(value)
    if value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < 10**_SHORT):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    text = ""
    for piece in _written(value):
        text += piece
        if len(text) > _SHORT:
            break
    return _cut(text)


def _written(value: Any) -> Iterator[str]:
    """Write a value as JSON piece by piece, so that a long one need not be written to its end."""
    if isinstance(value, dict):
        for index, (name, item) in enumerate(value.items()):
            yield f"{', ' if index else '{'}{json.dumps(_cut(str(name)), ensure_ascii=False)}: "
            yield from _written(item)
        yield "}" if value else "{}"
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield ", " if index else "["
            yield from _written(item)
        yield "]" if value else "[]"
    elif isinstance(value, str):
        yield json.dumps(_cut(value), ensure_ascii=False)
    elif isinstance(value, int) and not -_HUGE < value < _HUGE:
        yield "a number of too many digits"
    else:
        yield json.dumps(value, default=str)


def _cut(text: str, longest: int = _SHORT) -> str:
    """Shorten a text, and replace what cannot be written as UTF-8."""
    short = text if len(text) <= longest else text[: longest - 1] + "…"
    return short.encode(errors="replace").decode()
