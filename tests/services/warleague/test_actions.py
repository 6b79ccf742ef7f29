"""Actions: what is open can be done and leaves a sound table; swaps; and what cannot be is a fault."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked
from services.warleague.rules import actions, points, weapons
from services.warleague.rules.actions import ActionKind
from services.warleague.rules.weapons import Swap
from tests.services.warleague.field import ask, field_of, scene, table, with_unit

LADEN = {
    "hands": [{"weapon": "slug-pistol", "ammo": 1}, {"weapon": "cleaver"}],
    "spare": [{"weapon": "beam-rifle"}, {"weapon": "guard-blade"}],
    "slots": [{"item": "slug-box"}, {"item": "frag-grenade"}, {"item": "small-shield"}],
    "inventory": [{"item": "healing-stimulant"}],
    "health_lost": 4,
}


def laden(**changes: Any) -> dict[str, Any]:
    posted = with_unit("ann", **{**LADEN, **changes})
    return {**posted, "items": [{"at": [2, 2], "item": "rifle-pack"}]}


def _open(field: Battlefield) -> tuple[ActionKind, ...]:
    """Give the actions that are open to ann, in the book's order."""
    closed = (bool(actions.time_violations(table(), field, "ann", kind)) for kind in actions.ACTION_KINDS)
    ways = (actions.available(table(), field, "ann", kind) for kind in actions.ACTION_KINDS)
    every = zip(actions.ACTION_KINDS, closed, ways, strict=True)
    return tuple(kind for kind, shut, open_ in every if open_ and not shut)


def _taken(field: Battlefield, kind: ActionKind) -> Battlefield:
    """Let ann take the first open action of a kind."""
    return actions.carry_out(table(), field, actions.available(table(), field, "ann", kind)[0])


def test_every_action_is_open_to_who_has_all_it_takes() -> None:
    assert _open(field_of(laden())) == actions.ACTION_KINDS


@pytest.mark.parametrize("kind", actions.ACTION_KINDS)
def test_every_action_that_is_open_can_be_carried_out_for_its_price(kind: actions.ActionKind) -> None:
    field = field_of(laden())
    found = actions.available(table(), field, "ann", kind)
    words = [actions.describe(field, action) for action in found]
    assert found
    assert len(set(words)) == len(words), "each has words of its own"
    for action in found:
        after = actions.carry_out(table(), field, action)
        assert checked(after.scene) == after
        if after.unit("ann").at is not None and not after.unit("ann").effects:
            spent = points.left(field, "ann") - points.left(after, "ann")
            assert spent == actions.price(table(), field, action)


def test_a_player_chooses_between_the_ways_of_an_action() -> None:
    field = field_of(laden())
    after = _taken(field, "end")
    assert after.unit("ann").acted
    swapped = _taken(field, "swap")
    assert swapped.hands("ann")[0].weapon == "beam-rifle", "the first of the swaps"


@given(data=st.data())
def test_what_is_not_open_says_why_and_what_is_open_does_not(data: st.DataObject) -> None:
    empty: dict[str, Any] = {"hands": [], "spare": [], "slots": [], "inventory": []}
    changes = {name: value for name, value in empty.items() if data.draw(st.booleans())}
    posted = laden(ap=data.draw(st.integers(0, 6)), acted=data.draw(st.booleans()), **changes)
    ruling = ask("actions", {"scene": posted, "unit": "ann"})
    assert ruling.answer is not None
    for row in ruling.answer.rows:
        assert row.open == (not row.reasons) == (row.ways > 0) == (row.ap is not None)
        assert row.ap is None or row.ap <= ruling.answer.ap
    assert ruling.answer.open == _open(field_of(posted))


@given(data=st.data())
def test_a_swap_loses_and_wins_no_weapon(data: st.DataObject) -> None:
    field = field_of(laden())
    swap = data.draw(st.sampled_from(weapons.swaps(table(), field, "ann")))
    if actions.violations(table(), field, swap):
        return
    after = weapons.swapped(table(), field, swap)
    before = sorted(hand.weapon for hand in (*field.hands("ann"), *field.unit("ann").spare))
    assert sorted(hand.weapon for hand in (*after.hands("ann"), *after.unit("ann").spare)) == before
    assert checked(after.scene) == after
    back = {hand.weapon: hand.ammo for hand in (*after.hands("ann"), *after.unit("ann").spare)}
    assert back["slug-pistol"] == 1, "what was loaded stays so"


def test_prices_of_swaps_by_both_readings() -> None:
    def price(posted: dict[str, Any], hand: int, spare: int | None, **readings: str) -> int:
        return weapons.price(table(**readings), field_of(posted), Swap("ann", hand, spare))

    both = {"hands": [{"weapon": "beam-rifle"}], "spare": [{"weapon": "cleaver"}]}
    for hand, spare, by_hands, by_weapons in ((0, 0, 2, 1), (0, 1, 1, 1), (1, None, 1, 0)):
        assert price(laden(), hand, spare) == by_hands
        assert price(laden(), hand, spare, swap_price="weapons") == by_weapons
    assert price(laden(**both), 0, 0) == 2, "both hands change"
    assert price(laden(**both), 0, 0, swap_price="weapons") == 1


@pytest.mark.parametrize(
    ("case", "pointer"),
    [
        ({"action": "parry", "hand": 2}, "/case/hand"),
        ({"action": "swap", "hand": 2, "spare": 0}, "/case/spare"),
        ({"action": "pick-up"}, "/case/lying"),
        ({"action": "pick-up", "lying": 0}, "/case/lying"),
        ({"action": "turn"}, "/case/facing"),
        ({"action": "turn", "facing": 7}, "/case/facing"),
    ],
)
def test_actions_that_cannot_be_are_faults(case: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("action", {"scene": scene(), "unit": "ann", **case})
    assert [fault.pointer for fault in caught.value.faults] == [pointer]
