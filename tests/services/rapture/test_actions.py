"""Actions, prices and activations: points are never spent that are not there, and every unit is activated once."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.rapture.battlefield import Battlefield
from services.rapture.rules import actions, activation, boxes, prices
from services.rapture.rules.prices import Price
from tests.services.rapture.field import ask, field_of, scene, table, unit, walked, with_unit

ORDERED = {"order": ["red", "blue"], "turn": "red"}


def opened(field: Battlefield, id_: str, **options: str) -> tuple[str, ...]:
    at_hand = table(**options)
    return tuple(action for action in field.book.actions if not actions.violations(at_hand, field, id_, action))


def activated(field: Battlefield) -> list[str]:
    """Activate one unit after the other, as the turns go; give them in order."""
    result = []
    while (side := activation.next_side(table(), field)) is not None:
        first = activation.ready_units(table(), field, side)[0]
        assert activation.violations(table(), field, first.id) == ()
        field = activation.end(table(), activation.begin(table(), field, first.id), first.id)
        result.append(first.id)
    return result


@given(ap=st.integers(0, 3), rp=st.integers(0, 3), price=st.tuples(st.integers(0, 5), st.integers(0, 5)))
def test_points_never_fall_below_nothing_and_what_cannot_be_paid_is_told(
    ap: int, rp: int, price: tuple[int, int]
) -> None:
    field, cost = field_of(with_unit("ada", ap=ap, rp=rp)), Price(ap=price[0], rp=price[1])
    left = boxes.points(table(), prices.spend(table(), field, "ada", cost), "ada")
    assert left == (max(0, ap - price[0]), max(0, rp - price[1]))
    assert len(prices.violations(table(), field, "ada", cost)) == (price[0] > ap) + (price[1] > rp)


@given(st.lists(st.sampled_from(("movement", "ranged", "close-combat", "get-up")), max_size=12), st.booleans())
def test_whoever_pays_only_for_what_is_open_never_spends_points_it_has_not(wanted: list[str], sheltered: bool) -> None:
    field = field_of(with_unit("ada", shelter_markers=int(sheltered)))
    spent = 0
    for action in wanted:
        before = boxes.points(table(), field, "ada")
        if action not in opened(field, "ada"):
            continue
        field = (
            actions.get_up(table(), field, "ada") if action == "get-up" else actions.pay(table(), field, "ada", action)
        )
        spent += 1
        assert boxes.points(table(), field, "ada") == (before[0] - 1, before[1])
    assert spent <= 3
    assert all(row.times <= 2 for row in field.unit("ada").used if row.id != "get-up")


def test_two_attacks_of_each_kind_in_a_round() -> None:
    """Ada touches bob, so she may strike and shoot; with nine AP the limits alone hold her."""
    card = {
        "id": "tireless",
        "kind": "hero",
        "ccs": 4,
        "att": 1,
        "mms": 4,
        "rof": 1,
        "range_cm": 20,
        "mov_cm": 5,
        "ap": 9,
        "hp": [{}],
    }
    scene = with_unit("ada", profile="tireless")
    field = field_of({**scene, "profiles": {"units": [card]}})
    for action in ("close-combat", "close-combat", "ranged", "ranged"):
        assert action in opened(field, "ada")
        field = actions.pay(table(), field, "ada", action)
    assert opened(field, "ada") == ()
    assert boxes.points(table(), field, "ada") == (5, 0)


def test_reactions_stand_in_the_list_and_are_never_open_as_actions() -> None:
    field = field_of()
    rows = {action: actions.row(table(), field, "ada", action) for action in field.book.actions}
    assert len(rows) == 12
    reactions = {id_: row.price.rp for id_, row in rows.items() if row.type == "reaction"}
    assert reactions == {"countershot": 2, "dodge": 1, "counterblow": 2, "seek-shelter": 1}
    assert all(rows[id_].reasons for id_ in reactions)


def test_sides_alternate_and_the_one_with_more_units_goes_on() -> None:
    """Red has two units, blue three: bob, the band of fay, and gus."""
    assert activated(field_of(scene(**ORDERED))) == ["ada", "bob", "rob", "fay", "gus"]


def test_every_unit_is_activated_once_apart_from_those_that_escape() -> None:
    scene_json = scene(**ORDERED)
    scene_json["units"][5] |= {"escaping": True, "mp_crossed": 4}
    assert activated(field_of(scene_json)) == ["ada", "bob", "rob", "fay"]


def test_who_is_activated_without_a_word_on_the_turn_is_of_the_side_whose_turn_it_is() -> None:
    asked = {id_: ask("activation", {"scene": scene(order=["red", "blue"]), "unit": id_}) for id_ in ("ada", "bob")}
    for id_, side in (("ada", "red"), ("bob", "blue")):
        ruling = asked[id_]
        assert ruling.answer is not None
        assert (ruling.allowed, ruling.answer.side, ruling.answer.active) == (True, side, id_)
        assert id_ in ruling.answer.units


def test_three_sides_take_turns_in_their_order() -> None:
    units = [
        unit(f"{side}-{n}", [[10 + 10 * n, 10 + 20 * row]], side=side)
        for row, side in enumerate(("red", "green", "blue"))
        for n in range(row + 1)
    ]
    scene: dict[str, Any] = {
        "sides": [{"id": side, "edge": "west"} for side in ("red", "green", "blue")],
        "units": units,
        "order": ["blue", "red", "green"],
    }
    assert activated(field_of(scene)) == ["blue-0", "red-0", "green-0", "blue-1", "green-1", "blue-2"]


def test_a_unit_that_falls_in_its_own_activation_leaves_the_turn_to_the_others() -> None:
    field = activation.begin(table(), field_of(scene(**ORDERED)), "ada")
    field = boxes.cross_health(table(), field, "ada", 5, "blue")
    assert field.scene.active is None
    assert activation.end(table(), field, "ada").scene.turn == "blue"


def test_paying_asks_nobody_and_rolls_nothing() -> None:
    assert set(walked(lambda t, f: actions.pay(t, f, "ada", "ranged").unit("ada").ap, field_of())) == {2}
