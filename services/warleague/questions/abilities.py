"""Abilities and items: whether a unit may use one so, what it pays, and what comes of it."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Faults, pointer
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked_case
from services.warleague.questions import losses
from services.warleague.questions.explosions import chain_cost
from services.warleague.questions.losses import Harm, SideLoss
from services.warleague.rules import actions, observed, points, turn
from services.warleague.rules.abilities import Cast
from services.warleague.rules.items import Use
from services.warleague.scene import MOST_ITEMS, Scene, Tile


class AbilityCase(FactCase, frozen=True):
    """A `unit` uses an `ability` of its card or of a weapon in its hands.

    It is used on a tile (`to`), on a unit (`target`), without them on itself.
    """

    scene: Scene
    unit: Id
    ability: Id
    to: Tile | None = None
    target: Id | None = None


class UseItemCase(FactCase, frozen=True):
    """A `unit` uses an item out of a slot or out of its inventory: `item` is its index there, from 0.

    A grenade goes to a tile (`to`) or at a unit (`target`); recovery items work on the unit itself, or on the target.
    """

    scene: Scene
    unit: Id
    item: Annotated[int, Meta(ge=0, lt=MOST_ITEMS)]
    place: Literal["slots", "inventory"] = "slots"
    to: Tile | None = None
    target: Id | None = None


class UsedAnswer(Value, frozen=True):
    """What the user has paid and has left, and what has happened to units.

    `harmed` are the units that have lost or got back something, were moved, or fell.
    """

    side: Id
    paid: int
    left: Annotated[int, Meta(description="Action points.")]
    damage: Annotated[
        int,
        Meta(description="The points of other sides in `lost`, what was destroyed with an upgrade or a unit included."),
    ]
    harmed: tuple[Harm, ...]
    fallen: tuple[Id, ...]
    lost: tuple[SideLoss, ...]


def prepare_ability(case: AbilityCase) -> tuple[Battlefield, Cast]:
    """Find the user, the ability and the tile; raises `Faults`."""
    field = _checked(case, ("ability", "ability", case.ability))
    return field, Cast(case.unit, case.ability, _aim(field, case), case.target)


def prepare_use(case: UseItemCase) -> tuple[Battlefield, Use]:
    """Find the user, the item and the tile; raises `Faults`."""
    field = _checked(case)
    stored = field.stored(case.unit, case.place)
    if case.item >= len(stored):
        text = f"{case.unit} has {Quantity(len(stored), 'item')} in its {case.place}"
        asked = f"less than {len(stored)}" if stored else "a unit that has an item there"
        raise Faults.one(pointer("case", "item"), "no-item", text, case.item, asked)
    is_grenade = field.book.items[stored[case.item].item].kind == "grenade"
    if is_grenade and case.to is None and case.target is None:
        text = "a grenade needs a target or a tile"
        raise Faults.one(pointer("case", "to"), "no-tile", text, None, "a tile, or a target")
    if not is_grenade and case.to is not None:
        text = "only a grenade is aimed at a tile"
        raise Faults.one(pointer("case", "to"), "no-aim", text, list(case.to), "a target, or neither")
    to = _aim(field, case) if is_grenade else None
    return field, Use(case.unit, case.place, case.item, to, case.target)


def _checked(case: AbilityCase | UseItemCase, *named: tuple[str, str, str]) -> Battlefield:
    units = ("unit", "unit", case.unit), ("target", "unit", case.target)
    field = checked_case(case.scene, units[0], *named, units[1], tiles=[("to", case.to)], playing=True)
    if case.to is not None and case.target is not None and field.at(case.target) != case.to:
        text, asked = f"{case.target} is not on that tile", "the tile of the target, or only one of them"
        raise Faults.one(pointer("case", "to"), "two-places", text, list(case.to), asked)
    return field


def _aim(field: Battlefield, case: AbilityCase | UseItemCase) -> Tile:
    return case.to or field.at(case.target or case.unit)


def decide_ability(table: Table, state: tuple[Battlefield, Cast]) -> Decided[UsedAnswer]:
    """May this unit use this ability so, and what comes of it?"""
    return _used(table, *state)


def decide_use(table: Table, state: tuple[Battlefield, Use]) -> Decided[UsedAnswer]:
    """May this unit use this item so, and what comes of it?"""
    return _used(table, *state)


def _used(table: Table, field: Battlefield, use: Cast | Use) -> Decided[UsedAnswer]:
    kind = actions.KINDS[actions.kind_of(use)]
    field = observed.together(table, field, None if use.to is None else use.on)
    before = actions.begun(table, field, use)
    price = kind.price(table, before, use)
    after = turn.after_action(table, before, table.call(kind.carry_out, before, use))
    side, lost = before.player(use.actor), losses.by_side(before, after)
    answer = UsedAnswer(
        side,
        price,
        points.left(after, use.actor),
        sum(row.points for row in lost if row.side != side),
        losses.harmed(before, after),
        losses.fallen(before, after),
        lost,
    )
    return Decided(answer, after.scene)


QUESTIONS = (
    Question("ability", AbilityCase, prepare_ability, decide_ability, dice=True, cost=chain_cost, worth=losses.worth),
    Question("use-item", UseItemCase, prepare_use, decide_use, dice=True, cost=chain_cost, worth=losses.worth),
)
