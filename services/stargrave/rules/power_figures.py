"""What powers do to figures besides moving and hurting them: who joins, rises or wakes, and what they lose.

Powers stand in the research notes.
"""

from msgspec.structs import replace

from arbiter.option import Option
from arbiter.rule import rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.book import Power
from services.stargrave.rules import jams, power_aims, power_moves, wards
from services.stargrave.scene import Figure, Place, Spell

CONTROLS = ("control-animal", "control-robot")


def with_spells(figure: Figure, *spells: Spell) -> Figure:
    """Give a figure with spells of a power in place of its earlier ones."""
    ids = {spell.power for spell in spells}
    return replace(figure, spells=(*(spell for spell in figure.spells if spell.power not in ids), *spells))


@rule("power_figures.joins", cites=("power/control-animal", "power/control-robot"), neutral=lambda field, *_: field)
def joins(table: Table, field: Battlefield, user: str, power: Power, target: str) -> Battlefield:
    """Decide what becomes of a figure under control: it is a soldier of the user's crew."""
    figure, crew = field.figure(target), field.figure(user).crew
    table.find("{name} joins crew {crew}", cites=f"power/{power.id}", name=field.name(figure), crew=crew)
    table.event("joined", figure=target, crew=crew)
    owned = with_spells(figure, Spell(power.id, figure.crew))
    field = field.put(replace(owned, crew=crew, role="soldier" if crew is not None else "creature"))
    # A crew of which nobody is left has no place in the order of the players any more.
    crews = {each.crew for each in field.scene.figures}
    order = tuple(each for each in field.scene.turn.order if each in crews)
    return field if order == field.scene.turn.order else field.with_turn(order=order)


@rule("power_figures.freed", cites="power/control-robot", neutral=lambda field, *_: field)
def freed(table: Table, field: Battlefield, power: Power, target: str) -> Battlefield:
    """Decide what becomes of a robot that breaks free: it is of the crew again from which it came, or of none."""
    figure = field.figure(target)
    owner = next((spell.owner for spell in figure.spells if spell.power == power.id), None)
    table.find("{name} breaks free", name=field.name(figure))
    table.event("freed", figure=target, crew=owner)
    field = wards.ended(table, field, target, power.id)
    field = field.put(replace(field.figure(target), crew=owner, role="creature" if owner is None else "soldier"))
    order = field.scene.turn.order
    return field.with_turn(order=(*order, owner)) if owner is not None and order and owner not in order else field


@rule("power_figures.rises", cites="power/puppet-master", neutral=lambda field, *_: field)
def rises(table: Table, field: Battlefield, power: Power, target: str, to: Place) -> Battlefield:
    """Decide how a fallen soldier stands up again: beside the activator, with little Health, and wounded."""
    figure = field.figure(target)
    health = power.health or 0
    table.find("{name} stands up again with {health} Health, wounded", name=field.name(figure), health=health)
    table.event("risen", figure=target, to=to, health=health)
    there = power_moves.put(field, figure, to)
    return field.put(with_spells(replace(there, health=health, wounded=True, stunned=False), Spell(power.id)))


@rule("power_figures.called", cites="power/command", neutral=None)
def called(table: Table, field: Battlefield, target: str) -> None:
    """Decide what Command does: a figure that has not activated yet may do so now, whatever the phase."""
    table.find("{name} may activate now", name=field.name(target))
    table.event("called", figure=target)


@rule("power_figures.cancelled", cites="power/cancel-power", neutral=lambda field, *_: field)
def cancelled(table: Table, field: Battlefield, user: str, target: str) -> Battlefield:
    """Decide which power on a figure is over: one by line of sight, which the player picks among several."""
    figure, name = field.figure(target), field.name(target)

    def means(power: str) -> Option:
        return Option(power, f"{field.book.powers[power].name} on {name}", {"power": power, "figure": name})

    options, label = power_aims.endable(field, figure), f"{user}: cancelled power"
    choice: str = table.choose(field.player(user), label, options, about=field, means=means)
    table.find("{power} on {name} is over", power=field.book.powers[choice].name, name=name)
    return wards.ended(table, field, target, choice, len(figure.spells))


@rule("power_figures.disarmed", cites="power/destroy-weapon", neutral=lambda field, *_: field)
def disarmed(table: Table, field: Battlefield, user: str, target: str) -> Battlefield:
    """Decide which weapon of a figure is destroyed: the one that the player picks among several."""
    figure, name, weapons = field.figure(target), field.name(target), field.book.weapons

    def means(weapon: str) -> Option:
        return Option(weapon, f"the {weapons[weapon].name} of {name}", {"weapon": weapon, "figure": name})

    options = tuple(dict.fromkeys(weapon.id for weapon in power_aims.destructible(field, figure)))
    choice: str = table.choose(field.player(user), f"{user}: weapon", options, about=field, means=means)
    carried = list(figure.weapons if figure.weapons is not None else field.profile(figure).weapons)
    carried.remove(choice)
    table.find("The {weapon} of {name} is destroyed for this game", weapon=weapons[choice].name, name=name)
    table.event("weapon-destroyed", figure=target, weapon=choice)
    jammed = tuple(id_ for id_ in figure.jammed if id_ in carried)
    return field.put(replace(figure, weapons=tuple(carried), jammed=jammed))


# Electromagnetic Pulse


@rule("power_figures.pulsed", cites="power/electromagnetic-pulse", neutral=lambda field, *_: field)
def pulsed(table: Table, field: Battlefield, target: str) -> Battlefield:
    """Decide what an Electromagnetic Pulse does at once: it jams whatever its target shoots with, but for robots."""
    figure = field.figure(target)
    if field.has(figure, "robot"):
        table.find("{name} loses its next actions", name=field.name(figure))
        return field
    for gun in field.weapons(figure):
        if gun.kind in wards.JAMMING and gun.id not in field.figure(target).jammed:
            table.find("The {weapon} of {name} jams", weapon=gun.name, name=field.name(figure))
            field = jams.jam(table, field, target, gun.id)
    return field


@rule("power_figures.powered_down", cites="power/electromagnetic-pulse", neutral=())
def powered_down(table: Table, field: Battlefield, actor: str) -> Reasons:
    """Decide why a figure has no actions because of a pulse: it is a robot, and the power is noted on it."""
    if not _pulse_counts(field, field.figure(actor)):
        return ()
    text = "A pulse leaves {name} without actions in this activation"
    table.find(text, name=field.name(actor))
    return (table.reason(text, name=field.name(actor)),)


@rule("power_figures.pulse_over", cites="power/electromagnetic-pulse", neutral=lambda field: field)
def pulse_over(table: Table, field: Battlefield) -> Battlefield:
    """Decide at the end of a turn for which robots a pulse is over: those that have lost their actions to it.

    A robot that had activated before the pulse loses the actions of the next turn.
    """
    for figure in field.figures:
        if figure.activated and _pulse_counts(field, figure):
            table.find("The pulse on {name} is over", name=field.name(figure))
            field = wards.ended(table, field, figure.id, wards.PULSE)
    return field


def pulsed_since(field: Battlefield, figure: Figure, power_id: str) -> int | None:
    """Give the turn from which a pulse counts for a robot that has activated in this one; None if it counts at once."""
    late = power_id == wards.PULSE and figure.activated and field.has(figure, "robot")
    return field.scene.turn.number + 1 if late else None


def _pulse_counts(field: Battlefield, figure: Figure) -> bool:
    pulses = (spell for spell in figure.spells if spell.power == wards.PULSE)
    return field.has(figure, "robot") and any((spell.since or 0) <= field.scene.turn.number for spell in pulses)
