"""Wounds: what they do to hostiles and to explorers, and being stunned.

Follows "Inflict Wounds" and "Stunned", and what is known of the explorers' tracks. A wound is 1 damage to a hostile, a
grievous wound 3.
"""

from msgspec.structs import replace

from arbiter.option import Option
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import defence, inspiration, sight
from services.blackstone_fortress.rules.defence import SAID, Suffered, one_by_one
from services.blackstone_fortress.rules.payments import choose_die, purse, without_one
from services.blackstone_fortress.scene import Explorer

GRIEVOUS_DAMAGE = 3


@rule("wounds.wound_hostile", cites="wounds/counters", neutral=unchanged)
def wound_hostile(
    table: Table,
    field: Battlefield,
    hostile_id: str,
    wounds: int,
    grievous: int,
    credited_id: str | None = None,
    own_activation: bool = True,
) -> Battlefield:
    """Decide what wounds do to a hostile: it gets the counters, and may be slain.

    `credited_id` is the explorer who gets the credit, `own_activation` whether it is in the middle of its own
    activation.
    """
    hostile = field.hostile(hostile_id)
    counted = replace(hostile, wounds=hostile.wounds + wounds, grievous=hostile.grievous + grievous)
    text = "{name} suffers {counters}"
    table.find(text, name=field.name(hostile), counters=_counters(wounds, grievous), wounds=wounds, grievous=grievous)
    table.event("wounded", unit=hostile_id, wounds=wounds, grievous=grievous)
    return slain(table, disempowered(table, field.put(counted), hostile_id), hostile_id, credited_id, own_activation)


@rule("wounds.disempowered", cites="hostile-action/empowered-lost", neutral=unchanged)
def disempowered(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Decide that a hostile who suffers any wound is empowered no longer."""
    hostile = field.hostile(hostile_id)
    if not hostile.empowered:
        return field
    table.find("{name} is wounded and no longer empowered", name=field.name(hostile))
    return field.change(hostile, empowered=False)


@rule("wounds.damage", cites=("wounds/wound-is-1", "wounds/grievous-is-3"), neutral=0)
def damage(table: Table, name: str, wounds: int, grievous: int) -> int:
    """Count the damage of a hostile's counters: 1 for each wound, 3 for each grievous wound."""
    points = wounds + GRIEVOUS_DAMAGE * grievous
    text = "damage on {name}: {points}, from {counters}"
    table.find(text, counters=_counters(wounds, grievous), name=name, points=points, wounds=wounds, grievous=grievous)
    return points


def _counters(wounds: int, grievous: int) -> Listing | str:
    """Name counters as a player does: "2 wounds and 1 grievous wound"."""
    counts = ((wounds, "wound"), (grievous, "grievous wound"))
    return Listing([Quantity(count, kind) for count, kind in counts if count]) or "no wounds"


@rule("wounds.slain", cites="wounds/slain", neutral=unchanged)
def slain(
    table: Table, field: Battlefield, hostile_id: str, credited_id: str | None = None, own_activation: bool = True
) -> Battlefield:
    """Decide whether a hostile is slain and leaves the battlefield: its damage equals or exceeds its Wounds value."""
    hostile = field.hostile(hostile_id)
    name, value = field.name(hostile), field.card(hostile).wounds
    points = damage(table, name, hostile.wounds, hostile.grievous)
    if points < value:
        table.find("{name} has {value} Wounds and still stands", name=name, value=value, slain=False)
        return field
    table.find("{name} has {value} Wounds and is slain", name=name, value=value, slain=True)
    table.event("slain", unit=hostile_id, by=credited_id)
    standing = field
    field = field.change(hostile, slain=True, hex=None, stunned=False)
    if credited_id is not None:
        field = inspiration.credited(table, field, credited_id, hostile_id, own_activation)
    if points == value or (table.facts is not None and table.readings["excess-damage"] == "lost"):
        return field
    others = sight.together(table, standing, hostile)
    if others and table.read("excess-damage") == "carried":
        other = table.choose("explorers", "excess damage", others, about=field, means=field.option)
        more = points - value
        table.find("{points} damage carries over to {name}", points=more, name=field.name(other))
        return wound_hostile(table, field, other, more, 0, credited_id, own_activation)
    return field


def remaining(field: Battlefield, unit_id: str) -> int:
    """Count what a unit has left: the damage that would slay a hostile, or an explorer's spaces without counters."""
    unit = field.units[unit_id]
    if isinstance(unit, Explorer):
        return max(0, field.book.explorers[unit.profile].spaces - unit.wounds - unit.grievous)
    return max(0, field.card(unit).wounds - unit.wounds - GRIEVOUS_DAMAGE * unit.grievous)


def heal_hostile(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Take one wound counter off a hostile, if it has one; grievous wounds stay."""
    hostile = field.hostile(hostile_id)
    if not hostile.wounds:
        return field
    table.event("healed", unit=hostile_id, wounds=1)
    return field.change(hostile, wounds=hostile.wounds - 1)


def wound_explorer(
    table: Table, field: Battlefield, explorer_id: str, wounds: int, grievous: int, attacker_id: str | None = None
) -> Battlefield:
    """Give the battlefield after an explorer has suffered these wounds, one by one, each with its defence roll."""
    for kind in one_by_one(wounds, grievous):
        if not field.explorer(explorer_id).out_of_action:
            field, _, _ = suffer(table, field, explorer_id, kind, attacker_id)
    return field


def suffer(
    table: Table,
    field: Battlefield,
    explorer_id: str,
    kind: Suffered,
    attacker_id: str | None = None,
    cover_ignored: bool = False,
) -> tuple[Battlefield, Suffered, bool]:
    """Give the battlefield after one wound, what of it was suffered, and whether the defence roll was critical.

    `cover_ignored` says whether the attack ignored cover. Whether a wound that no attack caused is defended against is
    the reading `defence-without-attack`.
    """
    left, critical = kind, False
    if attacker_id is not None or table.read("defence-without-attack") == "roll":
        dice = defence.dice_of(table, field, explorer_id, attacker_id, cover_ignored)
        rolling = (f"{explorer_id}: defence", dice, kind, defence.rolls_again(table, field, explorer_id))
        left, critical = table.call(defence.defended, *rolling)
        if left == kind and (paid := inspiration.buy_reroll(table, field, explorer_id, "defence")) is not field:
            field = paid
            left, critical = table.call(defence.defended, *rolling)
    return (field if left == "none" else fill_space(table, field, explorer_id, left)), left, critical


def _room(explorer: Explorer, spaces: int, dice: int, kind: Suffered, each: int) -> tuple[bool, bool, int]:
    """Say how a wound fits on a track where a grievous wound fills `each` spaces.

    That is whether the track was full, whether it is now, and how many dice have to go.
    """
    filled = explorer.wounds + each * explorer.grievous
    more = each if kind == "grievous" else 1
    return filled >= spaces, filled + more >= spaces, max(0, dice - max(0, spaces - filled - more))


@rule("wounds.fill_space", cites="wounds/explorer-track", neutral=unchanged)
def fill_space(table: Table, field: Battlefield, explorer_id: str, kind: Suffered) -> Battlefield:
    """Decide what a wound does to an explorer: its counter fills a space of the activation track.

    How many spaces a grievous wound fills is the reading `grievous-spaces`.
    """
    explorer = field.explorer(explorer_id)
    name, spaces = field.name(explorer), field.book.explorers[explorer.profile].spaces
    dice = len(purse(field, explorer_id).activation) + len(explorer.overwatch)
    room, other = _room(explorer, spaces, dice, kind, 1), _room(explorer, spaces, dice, kind, 2)
    if room != other and table.read("grievous-spaces") == "two":
        room = other
    was_full, is_full, dice_lost = room
    if was_full:
        return beyond_full(table, field, explorer_id, kind)
    grievous = kind == "grievous"
    counted = replace(explorer, wounds=explorer.wounds + (not grievous), grievous=explorer.grievous + grievous)
    table.find("a {kind} goes on the activation track of {name}", kind=SAID[kind], name=name, spaces=spaces)
    table.event("wounded", unit=explorer_id, wounds=int(not grievous), grievous=int(grievous))
    field = field.put(counted)
    if is_full and table.read("out-of-action-trigger") == "when-full":
        return out_of_action(table, field, explorer_id)
    return displaced(table, field, explorer_id, dice_lost) if dice_lost else field


def beyond_full(table: Table, field: Battlefield, explorer_id: str, kind: Suffered) -> Battlefield:
    """Give the battlefield after a wound to an explorer whose track is full: the reading `grievous-on-full-track`."""
    explorer = field.explorer(explorer_id)
    if kind == "grievous" and explorer.wounds and table.read("grievous-on-full-track") == "replaces-wound":
        table.find("a grievous wound takes the place of a wound of {name}", name=field.name(explorer))
        table.event("wounded", unit=explorer_id, wounds=-1, grievous=1)
        return field.change(explorer, wounds=explorer.wounds - 1, grievous=explorer.grievous + 1)
    return out_of_action(table, field, explorer_id)


def _die(option: tuple[str, int]) -> Option:
    kind, die = option
    return Option(option, f"the {kind} die of {die}", {"kind": kind, "die": die})


@rule("wounds.displaced", cites="wounds/explorer-track", neutral=unchanged)
def displaced(table: Table, field: Battlefield, explorer_id: str, count: int) -> Battlefield:
    """Decide what becomes of dice that lie in spaces which wounds now fill: the reading `wound-displaces-die`."""
    if table.read("wound-displaces-die") == "die-kept":
        return field
    for _ in range(count):
        explorer, holder = field.explorer(explorer_id), purse(field, explorer_id)
        options = (
            *(("activation", die) for die in sorted(set(holder.activation))),
            *(("overwatch", die) for die in sorted(set(explorer.overwatch))),
        )
        kind, die = table.choose("explorers", f"{explorer_id}: die lost", options, about=field, means=_die)
        text = "the wound displaces the {kind} die of {name} that shows {die}"
        table.find(text, name=field.name(explorer), kind=kind, die=die)
        table.event("die-lost", unit=explorer_id, kind=kind, die=die)
        whose = explorer if kind == "overwatch" else holder
        field = field.change(whose, **{kind: without_one(getattr(whose, kind), die)})
    return field


@rule("wounds.out_of_action", cites="out-of-action/trigger", neutral=unchanged)
def out_of_action(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what becomes of an explorer who has no space left for a wound: it leaves the battlefield, its dice too."""
    explorer = field.explorer(explorer_id)
    table.find("{name} has no space left and is out of action", name=field.name(explorer))
    return leaves(table, field, explorer_id)


def leaves(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Give the battlefield after an explorer goes out of action: it is not there, nor are the dice on its card."""
    explorer = field.explorer(explorer_id)
    table.event("out-of-action", unit=explorer_id)
    return field.change(explorer, out_of_action=True, hex=None, stunned=False, activation=(), overwatch=(), marks=())


@rule("wounds.stun", cites=("stunned/on-its-side", "stunned/again"), neutral=unchanged)
def stun(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what being stunned does: the miniature lies down, or suffers a wound if it already lies."""
    unit = field.units[unit_id]
    if not unit.stunned:
        table.find("{name} is stunned", cites="stunned/on-its-side", name=field.name(unit))
        table.event("stunned", unit=unit_id)
        return field.change(unit, stunned=True)
    table.find("{name} is already stunned and suffers a wound", cites="stunned/again", name=field.name(unit))
    if isinstance(unit, Explorer):
        return wound_explorer(table, field, unit_id, 1, 0)
    return wound_hostile(table, field, unit_id, 1, 0)


def stand_up(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Give the battlefield after a unit's activation has come up: who was stunned stands up, each side at its price."""
    unit = field.units[unit_id]
    if not unit.stunned:
        return field
    return (explorer_stands if isinstance(unit, Explorer) else hostile_stands)(table, field, unit_id)


@rule("wounds.explorer_stands", cites="stunned/explorer-next", neutral=unchanged)
def explorer_stands(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide how a stunned explorer stands up: it discards an activation die.

    What holds for an explorer without dice is the reading `stunned-no-dice`.
    """
    explorer, holder = field.explorer(explorer_id), purse(field, explorer_id)
    if holder.activation:
        label = f"{explorer_id}: discarded die"
        die = choose_die(table, field, label, holder.activation, "the activation die of {}")
        table.event("die-lost", unit=holder.id, kind="activation", die=die)
        field = field.change(holder, activation=without_one(holder.activation, die))
        table.find("{name} discards an activation die of {die} and stands up", name=field.name(explorer), die=die)
    elif table.read("stunned-no-dice") == "stands-up":
        table.find("{name} has no activation die to discard and stands up", name=field.name(explorer))
    else:
        table.find("{name} has no activation die to discard and stays stunned", name=field.name(explorer))
        return field
    table.event("stood-up", unit=explorer_id)
    return field.change(field.explorer(explorer_id), stunned=False)


@rule("wounds.hostile_stands", cites="stunned/hostile-next", neutral=unchanged)
def hostile_stands(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Decide how a stunned hostile stands up: at its next activation, instead of a behaviour roll."""
    hostile = field.hostile(hostile_id)
    table.find("{name} stands up instead of making a behaviour roll", name=field.name(hostile))
    table.event("stood-up", unit=hostile_id)
    return field.change(hostile, stunned=False)
