"""Small types to post, and what is told of a body that is refused."""

from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta

from api.schemas import codec
from arbiter.fault import Fault, Faults
from arbiter.value import Value

Size = Annotated[int, Meta(ge=1, le=10)]


class Piece(Value, frozen=True):
    """A piece of terrain."""

    x: Annotated[int, Meta(ge=0, le=10)]
    kind: Literal["wall", "rock"] = "wall"


class Board(Value, frozen=True):
    name: Annotated[str, Meta(min_length=1, max_length=5)]
    pieces: Annotated[tuple[Piece, ...], Meta(max_length=100_000)] = ()
    extra: Any = None


def faults(wanted: Any, body: bytes | str, **settings: int) -> tuple[Fault, ...]:
    with pytest.raises(Faults) as caught:
        codec.decode(wanted, body.encode() if isinstance(body, str) else body, **settings)
    return caught.value.faults


def told(wanted: Any, body: bytes | str, **settings: int) -> set[tuple[str, str]]:
    return {(fault.pointer, fault.code) for fault in faults(wanted, body, **settings)}
