"""Damage: how an amount of it falls on the layers of a unit, or of all units on a tile."""

from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Faults, pointer
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.text import Belonging
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked_case
from services.warleague.profiles import Number
from services.warleague.questions import losses
from services.warleague.questions.losses import BESIDE, SideLoss
from services.warleague.rules import damage, layers, observed, turn
from services.warleague.rules.happenings import Blow, Loss
from services.warleague.rules.layers import LayersLeft
from services.warleague.scene import Scene, Tile


class DamageCase(FactCase, frozen=True):
    """An `amount` of damage, and on whom it falls: on one unit, or on all units of a tile together.

    Send `unit` or `tile`; with `shared`, the damage falls on all on the tile of the unit. By a `weapon` it passes what
    that passes and has its bonuses against layers; `by` is the unit that does it, and that chooses between equally weak
    ones.
    """

    scene: Scene
    amount: Number
    unit: Id | None = None
    tile: Tile | None = None
    weapon: Id | None = None
    by: Id | None = None
    shared: bool = False


class UnitLayers(Value, frozen=True):
    """What a unit has left of each layer; nothing of the dead is counted."""

    unit: Id
    left: LayersLeft
    fallen: Annotated[bool, Meta(description="Whether it is dead, or a downed hero.")]


class DamageAnswer(Value, frozen=True):
    """What the layers have taken in, layer by layer, and what of the damage nobody was there to take."""

    taken: Annotated[int, Meta(description=f"What layers have taken in; {BESIDE}.")]
    left_over: int
    losses: tuple[Loss, ...]
    units: tuple[UnitLayers, ...]
    fallen: tuple[Id, ...]
    lost: tuple[SideLoss, ...]


def prepare_damage(case: DamageCase) -> tuple[Battlefield, tuple[str, ...], Blow, bool]:
    """Find the units that may take the damage, and the blow; whether it is shared. Raises `Faults`."""
    named = ("unit", "unit", case.unit), ("weapon", "weapon", case.weapon), ("by", "unit", case.by)
    field = checked_case(case.scene, *named, tiles=[("tile", case.tile)])
    units = _units(case, field)
    if case.weapon is None:
        return field, units, Blow(case.amount, _of(field, "damage", case.by), case.by), case.shared
    card = field.book.weapons[case.weapon]
    why = _of(field, card.title, case.by)
    blow = Blow(case.amount, why, case.by, card.is_melee, card.bypasses, card.against)
    return field, units, blow, case.shared


def _of(field: Battlefield, thing: str, by: str | None) -> str:
    """Name what does the damage, with whose it is."""
    return f"the {thing}" if by is None else Belonging(thing, field.name(by))


def _units(case: DamageCase, field: Battlefield) -> tuple[str, ...]:
    """Give who may take the damage; raises `Faults` where nobody may."""
    if (case.unit is None) == (case.tile is None):
        text = "damage needs either a unit or a tile"
        raise Faults.one(pointer("case", "unit"), "aim", text, case.unit, "one of them")
    there = tuple(unit for unit in field.units if case.unit in (None, unit.id) and case.tile in (None, unit.at))
    standing = tuple(unit.id for unit in there if not unit.downed)
    if not standing:
        member, seen = ("unit", case.unit) if case.tile is None else ("tile", list(case.tile))
        message = "there is no unit there to take the damage"
        raise Faults.one(pointer("case", member), "nobody", message, seen, "a unit in play that is not downed")
    return standing


def decide_damage(table: Table, state: tuple[Battlefield, tuple[str, ...], Blow, bool]) -> Decided[DamageAnswer]:
    """How does this damage fall on shields, upgrades, armor and health, and who dies of it?"""
    before, units, blow, shared = state
    if shared:
        field = observed.together(table, before, units[0])
        units = tuple(unit.id for unit in field.on(field.at(units[0])) if not unit.downed)
    outcome = damage.on_units(table, before, units, blow)
    after = outcome.field
    hurt = tuple(_hurt(table, after, unit_id) for unit_id in units)
    answer = DamageAnswer(
        sum(loss.points for loss in outcome.losses),
        outcome.left,
        outcome.losses,
        hurt,
        losses.fallen(before, after),
        losses.by_side(before, after),
    )
    return Decided(answer, turn.after_action(table, before, after).scene)


def _hurt(table: Table, after: Battlefield, unit_id: str) -> UnitLayers:
    unit = after.unit(unit_id)
    return UnitLayers(unit_id, layers.left(table, after, unit_id), unit.dead or unit.downed)


QUESTIONS = (Question("damage", DamageCase, prepare_damage, decide_damage),)
