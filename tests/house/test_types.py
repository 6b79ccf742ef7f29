"""What msgspec cannot be trusted with stands in no type that is posted."""

import types
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
import pytest

from arbiter.question import Ask, AskOdds
from arbiter.registry import games

CASES = [
    pytest.param(question.case, id=f"{game.name}/{question.name}")
    for game in games().values()
    for question in game.questions.values()
]


def inside(kind: Any, seen: set[Any]) -> Iterator[Any]:
    """Give a type as it is written and every type inside it, the fields of structs included."""
    yield kind
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in seen:
        seen.add(kind)
        for field in msgspec.structs.fields(kind):
            yield from inside(field.type, seen)
    for part in get_args(kind):
        if not isinstance(part, msgspec.Meta | TypeVar):
            yield from inside(part, seen)


def is_unsafe(kind: Any) -> bool:
    """Say whether a type joins a bounded string and a fixed tuple: msgspec 0.22 reads past its memory there."""
    if get_origin(kind) not in (Union, types.UnionType):
        return False
    parts = get_args(kind)
    bounded = any(get_origin(part) is Annotated and get_args(part)[0] is str for part in parts)
    plain = [get_args(part)[0] if get_origin(part) is Annotated else part for part in parts]
    return bounded and any(get_origin(part) is tuple and Ellipsis not in get_args(part) for part in plain)


@pytest.mark.parametrize("posted", [*CASES, Ask, AskOdds])
def test_no_union_joins_a_bounded_string_and_a_fixed_tuple(posted: Any) -> None:
    assert not [kind for kind in inside(posted, set()) if is_unsafe(kind)]


def test_such_a_union_would_be_found() -> None:
    name = Annotated[str, msgspec.Meta(max_length=3)]
    place = tuple[int, int]
    assert [kind for kind in inside(dict[str, tuple[name | place, ...]], set()) if is_unsafe(kind)]
    assert [kind for kind in inside(Annotated[name | Annotated[place, 1] | None, 2], set()) if is_unsafe(kind)]
    assert not [kind for kind in inside(name | tuple[int, ...], set()) if is_unsafe(kind)]
    assert not [kind for kind in inside(str | place, set()) if is_unsafe(kind)]
