"""Vitality rolls: what an explorer heals.

Follows what is known of page 14 of the Rules booklet, which the text points to.
"""

from functools import partial

from arbiter.option import Option
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.profiles import DieName
from services.blackstone_fortress.rules import action_rolls, inspiration
from services.blackstone_fortress.rules.action_rolls import Result

CRITICAL_HEALS = 2


def vitality_roll(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Give the battlefield after an explorer's vitality roll, made again if an inspiration point is paid for it."""
    dice = field.side(field.explorer(explorer_id)).vitality
    rolling = (f"{explorer_id}: vitality", dice)
    results = table.call(rolled, *rolling)
    if not results:
        paid = inspiration.buy_reroll(table, field, explorer_id, "vitality")
        if paid is not field:
            field = paid
            results = table.call(rolled, *rolling)
    for result in results:
        field = healed(table, field, explorer_id, result)
    return field


@rule("vitality.rolled", cites="vitality/failure", neutral=())
def rolled(table: Table, label: str, dice: tuple[DieName, ...]) -> tuple[Result, ...]:
    """Decide the results of a vitality roll; a failure heals nothing."""
    results = action_rolls.counting(table, action_rolls.roll(table, label, dice))
    action_rolls.record(table, label, results)
    if not results:
        table.find("the vitality roll is a failure and heals nothing")
    return results


@rule("vitality.healed", cites=("vitality/success", "vitality/critical", "vitality/never-grievous"), neutral=unchanged)
def healed(table: Table, field: Battlefield, explorer_id: str, result: Result) -> Battlefield:
    """Decide what a result heals: a success one wound, a critical success up to two, and never a grievous wound.

    Whether a critical success heals a single wound is the reading `critical-vitality`.
    """
    explorer = field.explorer(explorer_id)
    critical = result == "critical"
    if critical and repairs(table, field, explorer_id):
        table.event("repaired", unit=explorer_id)
        return field.change(explorer, wounds=explorer.wounds + 1, grievous=explorer.grievous - 1)
    wounds = min(explorer.wounds, CRITICAL_HEALS if critical else 1)
    if critical and wounds == 1 and table.read("critical-vitality") == "exactly-two":
        wounds = 0
    table.find(
        "a {result} heals wounds of {name}: {wounds}",
        cites="vitality/critical" if critical else "vitality/success",
        result=result,
        wounds=wounds,
        name=field.name(explorer),
    )
    if explorer.grievous:
        table.find("grievous wounds of {name} stay", cites="vitality/never-grievous", name=field.name(explorer))
    if not wounds:
        return field
    table.event("healed", unit=explorer_id, wounds=wounds)
    return field.change(explorer, wounds=explorer.wounds - wounds)


def _repair(field: Battlefield, explorer_id: str, option: str) -> Option:
    label = "heal as many wounds as rolled" if option == "heal-wounds" else "make a wound of a grievous wound"
    return Option(option, label, {"unit": field.name(explorer_id), "repair": option})


@rule("vitality.repairs", cites="explorer/ur-025-repair", neutral=False)
def repairs(table: Table, field: Battlefield, explorer_id: str) -> bool:
    """Decide whether a self-repairing explorer's critical vitality roll makes a wound of a grievous wound instead."""
    explorer = field.explorer(explorer_id)
    if "vitality-critical-eases-grievous" not in field.side(explorer).rules or not explorer.grievous:
        return False
    options = ("heal-wounds", "ease-grievous") if explorer.wounds else ("ease-grievous",)
    label, means = f"{explorer_id}: self-repair", partial(_repair, field, explorer_id)
    if table.choose("explorers", label, options, about=field, means=means) == "heal-wounds":
        return False
    table.find("a grievous wound of {name} becomes a wound", name=field.name(explorer))
    return True
