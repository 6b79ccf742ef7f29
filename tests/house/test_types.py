"""What msgspec cannot be trusted with stands in no type that is posted."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import pytest

from api.bodies import ask_type, odds_type
from arbiter.registry import games

TYPES = [
    pytest.param(make(question), id=f"{game.name}/{question.name}")
    for game in games().values()
    for question in game.questions.values()
    for make in (ask_type, odds_type)
]


def inside(kind: Any, seen: set[int]) -> Iterator[msgspec.inspect.Type]:
    """Give a type and every type inside it, each once."""
    if id(kind) in seen:
        return
    seen.add(id(kind))
    if isinstance(kind, msgspec.inspect.Type):
        yield kind
        for name in getattr(kind, "__struct_fields__", ()):
            yield from inside(getattr(kind, name), seen)
    elif isinstance(kind, msgspec.inspect.Field):
        yield from inside(kind.type, seen)
    elif isinstance(kind, tuple):
        for part in kind:
            yield from inside(part, seen)


def is_unsafe(kind: Any) -> bool:
    """Say whether a type is a union of a bounded string and a fixed tuple, with which msgspec 0.22 reads past memory."""
    if not isinstance(kind, msgspec.inspect.UnionType):
        return False
    bounded = any(
        isinstance(part, msgspec.inspect.StrType)
        and (part.min_length, part.max_length, part.pattern) != (None, None, None)
        for part in kind.types
    )
    return bounded and any(isinstance(part, msgspec.inspect.TupleType) for part in kind.types)


@pytest.mark.parametrize("posted", TYPES)
def test_no_union_joins_a_bounded_string_and_a_fixed_tuple(posted: Any) -> None:
    assert not [kind for kind in inside(msgspec.inspect.type_info(posted), set()) if is_unsafe(kind)]


def test_the_union_would_be_found() -> None:
    name = Annotated[str, msgspec.Meta(max_length=3)]
    nested = msgspec.inspect.type_info(dict[str, tuple[name | tuple[int, int], ...]])
    assert [kind for kind in inside(nested, set()) if is_unsafe(kind)]
