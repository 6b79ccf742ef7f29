"""Types from `msgspec.inspect`, read as JSON: null, lengths, unions, and unlimited nesting."""

from collections.abc import Iterator
from functools import cache
from typing import Any, cast

from msgspec import inspect

from arbiter.json import FRACTION_LENGTH


def without_null(info: inspect.Type) -> tuple[inspect.Type, bool]:
    """Give a type without null and without its metadata; decide whether it takes null."""
    info = bare(info)
    if not isinstance(info, inspect.UnionType):
        anything = isinstance(info, inspect.AnyType | inspect.RawType)
        return info, anything or (isinstance(info, inspect.LiteralType) and None in info.values)
    members = [bare(member) for member in info.types]
    if any(isinstance(member, inspect.AnyType) for member in members):
        return inspect.AnyType(), True
    rest = [member for member in members if not isinstance(member, inspect.NoneType)]
    nullable = len(rest) < len(members) or any(without_null(member)[1] for member in rest)
    return (without_null(rest[0])[0] if len(rest) == 1 else inspect.UnionType(tuple(rest))), nullable


def length(info: inspect.Type) -> tuple[int | None, int | None, str]:
    """Give the least and the greatest length of values of a type, and the unit."""
    match info:
        case inspect.StrType():
            return info.min_length, info.max_length, "characters"
        case inspect.CustomType():
            return None, FRACTION_LENGTH, "characters"
        case inspect.VarTupleType():
            return info.min_length, info.max_length, "items"
        case inspect.TupleType():
            return len(info.item_types), len(info.item_types), "items"
        case inspect.DictType():
            return info.min_length, info.max_length, "fields"
    return None, None, ""


def size(low: int | None, high: int | None, unit: str) -> str:
    """Give the required length in words; empty if any length is valid."""
    if low is not None and high is not None:
        return f"exactly {low:,} {unit}" if low == high else f"{low:,} to {high:,} {unit}"
    if low is not None:
        return f"at least {low:,} {unit}"
    return f"at most {high:,} {unit}" if high is not None else ""


@cache
def open_names(struct: Any) -> tuple[str, ...]:
    """Name the attributes of a struct whose type lets a value nest without limit."""
    info = cast(inspect.StructType, inspect.type_info(struct))
    return tuple(field.name for field in info.fields if nests_without_end(field.type))


def nests_without_end(info: inspect.Type) -> bool:
    """Decide whether values of a type may nest without limit: whether it reaches `Any`, or a recursive struct."""
    return any(
        isinstance(part, inspect.AnyType | inspect.RawType)
        or (isinstance(part, inspect.StructType) and part.cls in {inner.cls for inner in _structs_below(part)})
        for part in reachable(info)
    )


def reachable(info: inspect.Type) -> Iterator[inspect.Type]:
    """List the type and every type below it, structs once."""
    structs: set[Any] = set()
    waiting = [info]
    while waiting:
        part = waiting.pop()
        match part:
            case inspect.StructType():
                if part.cls in structs:
                    continue
                structs.add(part.cls)
                waiting.extend(field.type for field in part.fields)
            case inspect.Metadata():
                waiting.append(part.type)
            case inspect.VarTupleType():
                waiting.append(part.item_type)
            case inspect.TupleType():
                waiting.extend(part.item_types)
            case inspect.DictType():
                waiting.extend((part.key_type, part.value_type))
            case inspect.UnionType():
                waiting.extend(part.types)
        yield part


def _structs_below(info: inspect.StructType) -> Iterator[inspect.StructType]:
    for field in info.fields:
        yield from (part for part in reachable(field.type) if isinstance(part, inspect.StructType))


def bare(info: inspect.Type) -> inspect.Type:
    """Give a type without its metadata."""
    return bare(info.type) if isinstance(info, inspect.Metadata) else info
