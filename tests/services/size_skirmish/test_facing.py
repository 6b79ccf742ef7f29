"""Facing as it is posted: vectors with fractions, and degrees, say the same as whole vectors."""

from typing import Any

import msgspec
import pytest

from services.size_skirmish.scene import Direction, Model, whole


@pytest.mark.parametrize(
    ("posted", "direction"),
    [
        ([3, -4], (3, -4)),
        ([3.0, -4.0], (3, -4)),
        ([0.5, 0.5], (1_000_000, 1_000_000)),
        ([0.6, 0.8], (750_000, 1_000_000)),
        (0, (0, 1_000_000)),
        (90, (1_000_000, 0)),
        (180, (0, -1_000_000)),
        (-90, (-1_000_000, 0)),
        (30.0, (500_000, 866_025)),
    ],
)
def test_a_posted_direction_is_a_whole_vector(posted: Any, direction: Direction) -> None:
    model = msgspec.convert({"id": "ada", "side": "red", "profile": "guard", "facing": posted}, Model)
    assert model.facing == direction
    assert all(type(part) is int for part in model.facing)


def test_a_direction_of_nothing_stays_nothing() -> None:
    assert whole((0.0, 0.0)) == (0, 0)


@pytest.mark.parametrize("posted", [400, [1, 2, 3], "north", [1e9, 0]])
def test_what_is_no_direction_is_not_read(posted: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"id": "ada", "side": "red", "profile": "guard", "facing": posted}, Model)
