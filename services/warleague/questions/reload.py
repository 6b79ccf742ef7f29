"""Reloads: what filling a magazine costs, how many rounds it takes, and whether it is allowed."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import CaseState, case_fault
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import naming
from services.warleague.questions.attack import Hands, hand_faults
from services.warleague.rules import actions, ammo, points
from services.warleague.rules.ammo import Reload
from services.warleague.scene import MOST_ITEMS, Place, Scene


class ReloadCase(Value, frozen=True):
    """A `unit` reloads the weapon in one of its `hands`, or both at once.

    `place` says where the item is by which it does so: in its slots or its inventory.
    """

    scene: Scene
    unit: Id
    place: Place
    item: Annotated[int, Meta(ge=0, lt=MOST_ITEMS, description="Its index in the slots or the inventory.")]
    hands: Hands = (0,)


class WeaponReload(Value, frozen=True):
    """How many rounds a weapon had and has."""

    hand: int
    weapon: Id
    before: int
    after: int


class ReloadAnswer(Value, frozen=True):
    """What was paid, how the weapons were filled, and what is left of the item; 0 where it is used up."""

    ap: int
    ap_left: int
    weapons: tuple[WeaponReload, ...]
    item_left: int


def _faults(field: Battlefield, case: ReloadCase) -> Iterator[Fault]:
    """Find hands that hold no weapon, and an item that is not there."""
    yield from hand_faults(field, case.unit, case.hands)
    many = len(field.stored(case.unit, case.place))
    if case.item >= many:
        text = f"{case.unit} has {Quantity(many, 'item')} there"
        asked = f"below {many}" if many else "an item in the other place"
        yield case_fault("item", "no-item", text, case.item, asked)


def decide_reload(table: Table, state: CaseState[Battlefield, ReloadCase]) -> Decided[ReloadAnswer]:
    """May this unit reload so, what does it cost, and how many rounds are filled in?"""
    field, case = state.field, state.case
    reload = Reload(case.unit, case.hands, case.place, case.item)
    before = actions.begun(table, field, reload)
    price = ammo.reload_price(table, before, reload)
    had = ammo.item_rounds(before, reload)
    field = ammo.fill_magazines(table, points.paid(table, before, reload.actor, price, "the reload"), reload)
    weapons = tuple(_filled(before, field, reload.actor, hand) for hand in reload.hands)
    then, now = (len(each.stored(reload.actor, reload.place)) for each in (before, field))
    left = had - sum(each.after - each.before for each in weapons) if now == then else 0
    answer = ReloadAnswer(price, points.left(field, reload.actor), weapons, left)
    return Decided(answer, field.scene)


def _filled(before: Battlefield, after: Battlefield, actor: str, hand: int) -> WeaponReload:
    rounds = [ammo.left(field, actor, hand) or 0 for field in (before, after)]
    return WeaponReload(hand, before.hands(actor)[hand].weapon, rounds[0], rounds[1])


QUESTIONS = (Question("reload", ReloadCase, naming("unit", faults=_faults), decide_reload),)
