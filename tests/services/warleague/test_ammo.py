"""Reloads: rounds are neither made nor lost, and what is allowed is listed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.warleague.rules import ammo
from services.warleague.rules.ammo import Reload
from tests.services.warleague.field import ask, field_of, scene, table, with_unit


def rounds(field: Any) -> int:
    """Count all slugs that ann has, in her weapons and in store."""
    unit = field.unit("ann")
    stored = sum(6 if item.left is None else item.left for item in (*unit.slots, *unit.inventory))
    return stored + sum(ammo.left(field, "ann", hand) or 0 for hand in (0, 1))


@given(
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from([(0,), (1,), (0, 1)]),
)
@settings(deadline=None)
def test_a_reload_moves_rounds_and_makes_none(
    has: tuple[int, int], box: int, slot: bool, hands: tuple[int, ...]
) -> None:
    stored = {"slots" if slot else "inventory": [{"item": "slug-box", "left": box}]}
    held = [{"weapon": "slug-pistol", "ammo": left} for left in has]
    field = field_of(with_unit("ann", hands=held, **stored))
    reload = Reload("ann", hands, "slots" if slot else "inventory", 0)
    missing = sum(4 - has[hand] for hand in hands)
    full = any(has[hand] == 4 for hand in hands)
    short = len(hands) == 2 and missing > box
    assert bool(ammo.reload_violations(table(), field, reload)) == (full or short)
    if full or short:
        return
    after = ammo.fill_magazines(table(), field, reload)
    assert rounds(after) == rounds(field)
    assert sum((ammo.left(after, "ann", hand) or 0) - has[hand] for hand in hands) == min(missing, box)
    assert ammo.reload_price(table(), field, reload) == (1 if slot else 2)
    spent = ammo.fill_magazines(table(reload_leftover="spent"), field, reload)
    assert not spent.unit("ann").slots
    assert not spent.unit("ann").inventory


def test_all_reloads_are_those_that_nothing_is_against() -> None:
    held = [{"weapon": "slug-pistol", "ammo": 0}, {"weapon": "slug-pistol"}]
    field = field_of(
        with_unit(
            "ann", hands=held, slots=[{"item": "slug-box"}, {"item": "rifle-pack"}], inventory=[{"item": "slug-crate"}]
        )
    )
    reloads = (Reload("ann", (0,), "slots", 0), Reload("ann", (0,), "inventory", 0))
    assert tuple(ammo.reloads(table(), field, "ann")) == reloads
    assert not tuple(ammo.reloads(table(), field, "dot"))


def test_a_self_powered_weapon_always_fires_and_spends_nothing() -> None:
    field = field_of()
    assert ammo.left(field, "dot", 0) is None
    assert ammo.violations(table(), field, "dot", 0) == ()
    assert ammo.fire(table(), field, "dot", (0,)) == field


@pytest.mark.parametrize(
    ("case", "where"),
    [
        ({"item": 1}, "/case/item"),
        ({"item": 0, "place": "inventory"}, "/case/item"),
        ({"item": 0, "hands": [0, 0]}, "/case/hands"),
        ({"item": 0, "unit": "nobody"}, "/case/unit"),
    ],
)
def test_what_cannot_be_a_reload_is_refused_at_its_place(case: dict[str, Any], where: str) -> None:
    posted = with_unit("ann", slots=[{"item": "slug-box"}])
    with pytest.raises(Faults) as caught:
        ask("reload", {"scene": posted, "unit": "ann", "place": "slots", **case})
    assert [fault.pointer for fault in caught.value.faults] == [where]


def test_a_unit_without_weapons_does_not_reload() -> None:
    posted = with_unit("ann", hands=[], slots=[{"item": "slug-box"}])
    with pytest.raises(Faults) as caught:
        ask("reload", {"scene": posted, "unit": "ann", "place": "slots", "item": 0})
    assert [fault.code for fault in caught.value.faults] == ["no-weapon"]
    assert scene() != posted
