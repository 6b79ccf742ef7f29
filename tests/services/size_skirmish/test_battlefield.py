"""What of a battlefield decides ways and sights, and what is handed on from one battlefield to the next."""

from typing import Any

import pytest

from services.size_skirmish.battlefield import Battlefield
from tests.services.size_skirmish.field import field_of, with_model


@pytest.mark.parametrize(
    "changes",
    [{"acted": True}, {"reacted": True}, {"hit_points_lost": 1}, {"losses_restored": 1}, {"statuses": ("blocking",)}],
)
def test_markers_and_losses_change_no_layout(changes: dict[str, Any]) -> None:
    field = field_of()
    assert field.changed("ada", **changes).layout is field.layout


@pytest.mark.parametrize(
    "changes", [{"at": (11.0, 11.0)}, {"facing": (0, -1)}, {"in_hand": "bow"}, {"unloaded": ("bow",)}, {"out": "fled"}]
)
def test_places_and_weapons_change_the_layout(changes: dict[str, Any]) -> None:
    field = field_of()
    layout = field.layout
    after = field.changed("ada", **changes).layout
    assert after != layout
    assert {name: getattr(after.unit("ada"), name) for name in changes} == changes


def test_who_is_in_melee_changes_the_layout() -> None:
    field = field_of()
    assert field.layout.opponents("ada") == ()
    assert field.joined("ada", "bob").layout.opponents("ada") == ("bob",)


def test_what_is_handed_on_is_what_would_be_worked_out_anew() -> None:
    field = field_of(with_model("bob", at=[14, 10]))
    _known(field)
    for after in (
        field.changed("ada", acted=True, hit_points_lost=1),
        field.changed("ada", at=(12.0, 12.0)),
        field.changed("ada", at=None, out="eliminated"),
        field.with_(turn="red", phase="end"),
        field.with_(items=()),
        field.joined("ada", "bob"),
        field.with_(models=field.scene.models[:2]),
    ):
        assert _known(after) == _known(Battlefield.of(after.ground, after.book, after.scene))
        field = after
        _known(field)


def _known(field: Battlefield) -> tuple[Any, ...]:
    return field.units, field.bodies, field.layout, field.by_id
