"""Reloads: what filling a magazine costs, how many rounds it takes, and whether it is allowed."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked_case
from services.warleague.questions.attack import Hands, hand_faults
from services.warleague.rules import ammo, points, turn
from services.warleague.rules.ammo import Reload
from services.warleague.rules.inventory import Place
from services.warleague.scene import MOST_ITEMS, Item, Scene


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


@dataclass(frozen=True)
class ReloadState:
    """The battlefield and the reload."""

    field: Battlefield
    reload: Reload


def prepare_reload(case: ReloadCase) -> ReloadState:
    """Find the unit, its weapons and the item; raises `Faults`."""
    field = checked_case(case.scene, ("unit", "unit", case.unit), playing=True)
    unit = field.unit(case.unit)
    items = unit.slots if case.place == "slots" else unit.inventory
    faults = hand_faults(field, case.unit, case.hands)
    if case.item >= len(items):
        faults.append(
            Fault(
                pointer("case", "item"),
                "no-item",
                f"{case.unit} has {len(items)} items there",
                case.item,
                f"below {len(items)}" if items else "an item in the other place",
            )
        )
    if faults:
        raise Faults(faults)
    return ReloadState(field, Reload(case.unit, case.hands, case.place, case.item))


def decide_reload(table: Table, state: ReloadState) -> Decided[ReloadAnswer]:
    """Answer the question `reload`: whether it is allowed, and what it fills."""
    reload = state.reload
    if reasons := (
        *turn.act_violations(table, state.field, reload.actor),
        *ammo.reload_violations(table, state.field, reload),
    ):
        raise Forbidden(*reasons)
    before = turn.ensure_begun(table, state.field, reload.actor)
    price = ammo.reload_price(table, before, reload)
    had = ammo.item_rounds(before, reload)
    field = ammo.fill_magazines(table, points.paid(table, before, reload.actor, price, "the reload"), reload)
    weapons = tuple(_filled(before, field, reload.actor, hand) for hand in reload.hands)
    still_there = len(_items(field, reload)) == len(_items(before, reload))
    left = had - sum(each.after - each.before for each in weapons) if still_there else 0
    answer = ReloadAnswer(price, points.left(field, reload.actor), weapons, left)
    return Decided(answer, field.scene)


def _items(field: Battlefield, reload: Reload) -> tuple[Item, ...]:
    unit = field.unit(reload.actor)
    return unit.slots if reload.place == "slots" else unit.inventory


def _filled(before: Battlefield, after: Battlefield, actor: str, hand: int) -> WeaponReload:
    rounds = [ammo.left(field, actor, hand) or 0 for field in (before, after)]
    return WeaponReload(hand, before.hands(actor)[hand].weapon, rounds[0], rounds[1])


QUESTIONS = (
    Question(
        name="reload",
        gist="May this unit reload so, what does it cost, and how many rounds are filled in?",
        case=ReloadCase,
        answer=ReloadAnswer,
        prepare=prepare_reload,
        rule=decide_reload,
        dice=False,
    ),
)
