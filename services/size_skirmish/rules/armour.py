"""Armour: with how many dice a model defends itself, and with how many it attacks."""

from typing import Final, get_args

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.size_skirmish.attacks import DicePool
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import number
from services.size_skirmish.scene import BLOCKING, Roll, Weapon

ROLLS: Final[tuple[Roll, ...]] = get_args(Roll)


def defending(table: Table, field: Battlefield, model_id: str) -> DicePool:
    """Return the defence dice of a model: its armour, and what a block adds."""
    model = field.unit(model_id)
    dice, plus = field.profile(model).armour, 0
    if BLOCKING in model.statuses:
        dice, plus = blocking(table, field, model_id, dice)
    return pool(field, model_id, dice, plus)


def attacking(field: Battlefield, model_id: str, weapon: Weapon, more: int = 0, plus: int = 0) -> DicePool:
    """Return the attack dice of a model: those of its weapon and a modifier, at least 0."""
    return pool(field, model_id, max(0, weapon.attack_dice + more), plus)


@rule("armour.blocking", cites="actions/block", neutral=lambda field, model_id, dice: (dice, 0))
def blocking(table: Table, field: Battlefield, model_id: str, dice: int) -> tuple[int, int]:
    """Decide what a block adds to armour, in dice and to each of them: by the reading `block-adds` one or the other."""
    more, name = number("block-armour"), field.name(model_id)
    if table.read("block-adds") == "each-die":
        table.find("{name} blocks: +{more} on each defence die", name=name, more=more)
        return dice, more
    table.find("{name} blocks: {dice}d6 for defence instead of {of}d6", name=name, dice=dice + more, of=dice)
    return dice + more, 0


@rule("armour.block_over", cites=("actions/block", "round/tokens-removed"), neutral=unchanged)
def block_over(table: Table, field: Battlefield, model_id: str) -> Battlefield:
    """Decide whether a model stops blocking after an attack on it: how long a block lasts is `block-lasts`."""
    statuses = field.unit(model_id).statuses
    if BLOCKING not in statuses or table.read("block-lasts") == "round":
        return field
    table.find("{name} no longer blocks", name=field.name(model_id))
    table.event("statuses_removed", model=model_id, statuses=[BLOCKING])
    return field.changed(model_id, statuses=tuple(status for status in statuses if status != BLOCKING))


def pool(field: Battlefield, model_id: str, dice: int, plus: int = 0) -> DicePool:
    """Return dice of a model, with what its abilities let it roll again."""
    model = field.unit(model_id)
    rerolls = tuple(roll for roll in ROLLS if field.rerolls(model, roll))
    return DicePool(model_id, field.name(model), field.profile(model).size, dice, rerolls, plus)
