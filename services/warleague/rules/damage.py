"""Damage on units: who on a tile takes it first, how it goes on from one to the next, and who dies of it."""

from collections.abc import Sequence

from msgspec.structs import replace

from arbiter.readings import Options, settled
from arbiter.rule import rule
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import Layer
from services.warleague.rules import kills, layers, observed
from services.warleague.rules.happenings import Blow, DamageOutcome, Loss

WEAKEST: Options = ("weakest", ("all-layers", "met", "body", "card"))


def on_unit(table: Table, field: Battlefield, unit_id: str, blow: Blow) -> DamageOutcome:
    """Give what a blow does to one unit: its layers take it in, and it may die of it."""
    if spared(table, field, unit_id):
        return DamageOutcome(field, (), blow.amount)
    dealt = layers.absorb(table, field, unit_id, blow)
    # A worn upgrade may break without a loss, and take with it what it gave.
    return dealt if dealt.field is field else died(table, dealt, unit_id, blow.attacker)


@rule("damage.spared", cites="kill/heroes", neutral=False)
def spared(table: Table, field: Battlefield, unit_id: str) -> bool:
    """Decide whether damage passes a unit by: a downed hero has nothing left to lose, whatever it wears."""
    if not field.unit(unit_id).downed:
        return False
    table.find("{unit} is downed and takes no damage", unit=field.name(unit_id))
    return True


def on_units(
    table: Table, field: Battlefield, units: Sequence[str], blow: Blow, first: str | None = None
) -> DamageOutcome:
    """Give what a blow does to units on one tile: the weakest takes it first, and the rest goes on to the next.

    `first` is the one whom it falls on first where that is settled already.
    """
    waiting = [unit_id for unit_id in units if not spared(table, field, unit_id)]
    losses: tuple[Loss, ...] = ()
    while waiting and blow.amount > 0:
        if first is None or first not in waiting:
            first = weakest(table, field, tuple(waiting), blow)
        unit_id, first = first, None
        waiting.remove(unit_id)
        dealt = on_unit(table, field, unit_id, blow)
        field, losses = dealt.field, losses + dealt.losses
        blow = replace(blow, amount=dealt.left)
        if waiting and dealt.left > 0:
            blow = distributed(table, field, blow, unit_id, tuple(waiting), dealt.losses)
    return DamageOutcome(field, losses, blow.amount)


def first_hit(table: Table, field: Battlefield, units: tuple[str, ...], blow: Blow) -> str | None:
    """Give the unit that takes the damage first if the facing of the units differs; else None.

    An attack on a tile comes from behind if it does to that one.
    """
    facings = {field.unit(unit_id).facing for unit_id in units}
    turned = len(facings) > 1 or (len(units) > 1 and facings == {None} and not faces_nowhere(field, units[0]))
    return weakest(table, field, units, blow) if turned else None


def faces_nowhere(field: Battlefield, unit_id: str) -> bool:
    """Say whether a unit faces no direction; where only the players see the table it may face any."""
    return field.unit(unit_id).facing is None and not observed.is_somewhere(field.at(unit_id))


@rule("damage.weakest", cites="damage/several", neutral=lambda field, units, blow: units[0])
def weakest(table: Table, field: Battlefield, units: tuple[str, ...], blow: Blow) -> str:
    """Decide on whom of several units on a tile damage falls first: on the weakest.

    Who that is, is `weakest`, and who of equally weak ones `weakest-tie`. Where the attacker has named one of them as
    its target, `named-target` says what that changes.
    """
    if len(units) == 1:
        return units[0]
    attacker, named = blow.attacker, blow.named
    equal = equally_weak(table, field, units, blow.passed)
    if named is not None and aimed_at(table, equal, units, named):
        table.find("{unit} is the target and takes the damage first", unit=field.name(named))
        return named
    chosen = equal[0]
    if len(equal) > 1 and attacker is not None and table.read("weakest-tie") == "attacker":
        label = f"{attacker}: who takes the damage first"
        chosen = table.choose(field.player(attacker), label, equal, about=field, means=field.option)
    table.find("{unit} is the weakest on the tile and takes the damage first", unit=field.name(chosen))
    return chosen


def aimed_at(table: Table, equal: tuple[str, ...], units: tuple[str, ...], named: str) -> bool:
    """Say whether the named one of some units takes damage first: as one of the weakest, or by `named-target`."""
    if named in equal:
        return len(equal) > 1 and table.read("weakest-tie") == "attacker"
    return named in units and table.read("named-target") == "named"


def equally_weak(
    table: Table, field: Battlefield, units: tuple[str, ...], passed: tuple[Layer, ...]
) -> tuple[str, ...]:
    """Give the weakest of some units, of which there may be several."""
    by_unit = {unit_id: strengths(table, field, unit_id, passed) for unit_id in units}

    def least(how: str) -> tuple[str, ...]:
        values = {unit_id: by_unit[unit_id][how] for unit_id in units}
        return tuple(unit_id for unit_id in units if values[unit_id] == min(values.values()))

    return settled(table, least, WEAKEST)


def strengths(table: Table, field: Battlefield, unit_id: str, passed: tuple[Layer, ...] = ()) -> dict[str, int]:
    """Give how strong a unit is against what passes some layers, by each option of the reading `weakest`."""
    left, card = layers.left(table, field, unit_id), field.profile(field.unit(unit_id))
    reached = sum(many for layer, many in left.by_layer if layer not in passed)
    return {"all-layers": left.total, "met": reached, "body": left.body, "card": (card.health or 0) + (card.armor or 0)}


@rule(
    "damage.distributed",
    cites="damage/distributed",
    neutral=lambda field, blow, unit_id, waiting, losses: replace(blow, amount=0),
)
def distributed(
    table: Table, field: Battlefield, blow: Blow, unit_id: str, waiting: tuple[str, ...], losses: tuple[Loss, ...]
) -> Blow:
    """Decide what becomes of damage that a unit has not taken in: it falls on the next on the tile.

    Whether a bonus or penalty against a layer counts there, too, is `modifier-units`.
    """
    table.find(
        "{rest} damage goes on from {unit} to the next unit on the tile", rest=blow.amount, unit=field.name(unit_id)
    )
    spent = {loss.layer for loss in losses} & {each.layer for each in blow.against}
    there = {layer for each in waiting for layer, many in layers.left(table, field, each).by_layer if many}
    if not spent & there or table.read("modifier-units") == "each":
        return blow
    return replace(blow, against=tuple(each for each in blow.against if each.layer not in spent))


@rule("damage.died", cites="damage/death", neutral=lambda dealt, unit_id, attacker: dealt)
def died(table: Table, dealt: DamageOutcome, unit_id: str, attacker: str | None) -> DamageOutcome:
    """Decide whether a unit dies: it does when neither health nor armor is left (`death-when`)."""
    if dealt.field.unit(unit_id).downed or not layers.gone(table, dealt.field, unit_id):
        return dealt
    table.find("{unit} takes fatal damage", unit=dealt.field.name(unit_id))
    last = tuple(replace(loss, died=True) for loss in dealt.losses[-1:])
    return DamageOutcome(kills.killed(table, dealt.field, unit_id, attacker), (*dealt.losses[:-1], *last), dealt.left)


def lessened(table: Table, before: Battlefield, field: Battlefield, unit_id: str) -> Battlefield:
    """Give the battlefield after the values of a unit have changed: it may have nothing left, and dies of that."""
    changed = any(field.full(unit_id, layer) != before.full(unit_id, layer) for layer in layers.BODY)
    return died(table, DamageOutcome(field, (), 0), unit_id, None).field if changed else field
