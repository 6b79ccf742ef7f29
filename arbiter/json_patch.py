"""Changes between two scenes, as a JSON Patch (RFC 6902) for the document as it was posted."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import msgspec

from arbiter.fault import pointer
from arbiter.json import to_builtins
from arbiter.ruling import PatchStep


def of_scenes(
    before: msgspec.Struct, after: msgspec.Struct, posted: Callable[[], Any] | None = None
) -> tuple[PatchStep, ...]:
    """Give the steps from a scene to the one after a ruling; `posted` gives the document as the client wrote it.

    Objects that are identical in both are neither compared nor encoded: a board does not change, and may be large.
    """
    fields = [
        (encoded, one, other)
        for name, encoded in _fields(type(before))
        if (one := getattr(before, name)) is not (other := getattr(after, name))
    ]
    old = {name: to_builtins(one) for name, one, _ in fields}
    new = {name: to_builtins(other) for name, _, other in fields}
    return patch(old, new, posted() if posted else old)


@cache
def _fields(scene: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """Give the fields of a type of scene, each with its name in JSON; this reads every annotation."""
    return tuple((field.name, field.encode_name) for field in msgspec.structs.fields(scene))


def patch(before: Any, after: Any, posted: Any) -> tuple[PatchStep, ...]:
    """Give the steps that turn the posted scene into the scene after the ruling.

    `before` and `after` are whole JSON values with every default spelled out, `posted` is the document as the client
    wrote it, in which defaults may be missing. Members are set by `add`, which replaces a member that is there. If the
    rows of a list have an `id`, a `test` of that id precedes any change to a row, so that the patch fails on a table
    that has changed since.
    """
    return tuple(_steps(before, after, posted, ()))


def _steps(before: Any, after: Any, posted: Any, path: tuple[str | int, ...]) -> Iterator[PatchStep]:
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict) and isinstance(posted, dict):
        yield from _members(before, after, posted, path)
    elif _rows(before) and _rows(after) and _rows(posted) and len(posted) == len(before):
        yield from _list(before, after, posted, path)
    else:
        yield PatchStep("add", pointer(*path), after)


def _members(
    before: dict[str, Any], after: dict[str, Any], posted: dict[str, Any], path: tuple[str | int, ...]
) -> Iterator[PatchStep]:
    for name, value in after.items():
        if name in before and name in posted:
            yield from _steps(before[name], value, posted[name], (*path, name))
        elif name not in before or before[name] != value:
            yield PatchStep("add", pointer(*path, name), value)
    for name in before:
        if name not in after and name in posted:
            yield PatchStep("remove", pointer(*path, name))


def _list(before: list[Any], after: list[Any], posted: list[Any], path: tuple[str | int, ...]) -> Iterator[PatchStep]:
    ids = [row["id"] for row in before]
    known, later = set(ids), {row["id"]: row for row in after}
    if [id_ for id_ in later if id_ in known] != [id_ for id_ in ids if id_ in later]:
        yield PatchStep("add", pointer(*path), after)
        return
    for index, row in enumerate(before):
        if row["id"] in later and later[row["id"]] != row:
            yield PatchStep("test", pointer(*path, index, "id"), row["id"])
            yield from _steps(row, later[row["id"]], posted[index], (*path, index))
    for index in range(len(before) - 1, -1, -1):
        if ids[index] not in later:
            yield PatchStep("test", pointer(*path, index, "id"), ids[index])
            yield PatchStep("remove", pointer(*path, index))
    for index, row in enumerate(after):
        if row["id"] not in known:
            yield PatchStep("add", pointer(*path, index), row)


def _rows(value: Any) -> bool:
    """Decide whether a value is a list of rows with distinct ids."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return False
    ids = [row.get("id") for row in value]
    return all(isinstance(id_, str | int) for id_ in ids) and len(set(ids)) == len(ids)
