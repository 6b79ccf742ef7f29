"""Swimming: the Will roll of a figure in deep water, and what it costs to fail it.

Follows "Swimming" under "Movement". The page with the modifiers is missing, so that the players bring their sum.
"""

from arbiter.dice import D20
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Added, Quantity, Signed
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.book import target_number
from services.stargrave.rules import harm


def swim(table: Table, field: Battlefield, swimmer: str, modifiers: int) -> tuple[Battlefield, int]:
    """Give the battlefield after a figure's swimming roll, and by how much it fell short; 0 for a success."""
    short: int = table.call(short_by, field, swimmer, modifiers)
    return harm.harm(table, field, swimmer, damage(table, short), None), short


@rule("swimming.short_by", cites=("movement/swim-roll", "movement/swim-modifiers"), neutral=0)
def short_by(table: Table, field: Battlefield, swimmer: str, modifiers: int) -> int:
    """Decide by how much a figure falls short of a Will roll against 5, with the modifiers that the players know of."""
    name = field.name(swimmer)
    bonus = harm.will(table, field, swimmer)
    face: int = table.roll(D20, f"{swimmer}: swimming")
    required = target_number("swimming")
    if modifiers:
        table.find("Modifiers give {name} {more}", cites="movement/swim-modifiers", name=name, more=Signed(modifiers))
    total = face + bonus + modifiers
    text, added = "{name} rolls {face} {bonus} = {total} against {wanted}", Added(bonus + modifiers)
    table.find(text, cites="movement/swim-roll", name=name, face=face, bonus=added, total=total, wanted=required)
    parts, outcome = {"will": bonus, "modifiers": modifiers}, "success" if total >= required else "failure"
    table.record(f"{swimmer}: swimming", modifiers=parts, total=total, needed=required, outcome=outcome)
    return max(0, required - total)


@rule("swimming.damage", cites="movement/swim-damage", neutral=0)
def damage(table: Table, short: int) -> int:
    """Decide what falling short of a swimming roll costs: a point of Health for each that was missing."""
    if short:
        text = "The roll is {short} short and does {damage}"
        table.find(text, short=short, damage=Quantity(short, "point of damage", "points of damage"))
    return short


@rule("swimming.may_act", cites=("movement/swim-success", "movement/swim-no-actions"), neutral=True)
def may_act(table: Table, short: int) -> bool:
    """Decide whether a swimmer activates as always: it has no actions in this turn if its roll has failed."""
    if short:
        table.find("A failed swimming roll leaves no actions this turn", cites="movement/swim-no-actions")
    else:
        table.find("After a successful swimming roll the figure activates as normal", cites="movement/swim-success")
    return not short


@rule("swimming.no_actions", cites="movement/swim-no-actions", neutral=())
def no_actions(table: Table, field: Battlefield, swimmer: str) -> Reasons:
    """Decide why a figure whose swimming roll has failed may do nothing: it has no actions this turn."""
    text = "{name} has failed its swimming roll and has no actions this turn"
    table.find(text, name=field.name(swimmer))
    return (table.reason(text, name=field.name(swimmer)),)
