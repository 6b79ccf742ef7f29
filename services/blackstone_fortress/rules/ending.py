"""The end of the combat: everyone aboard the escape chamber, everyone out of action, or neither."""

from typing import Literal

from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.scene import Explorer

Outcome = Literal["on", "escaped", "defeat", "victory"]
"""The combat goes on, or is over: the explorers leave, all are out of action, or every hostile is slain."""


def outcome(table: Table, field: Battlefield) -> Outcome:
    """Decide whether the combat is over as things stand, and how."""
    if all_out(table, field):
        return "defeat"
    if all_aboard(table, field):
        return "escaped"
    return "victory" if all_slain(table, field) else "on"


@rule("ending.all_out", cites=("end-of-combat/all-out", "end-of-combat/defeat"), neutral=False)
def all_out(table: Table, field: Battlefield) -> bool:
    """Decide whether every explorer is out of action, which ends the combat and the expedition in failure."""
    explorers = field.scene.explorers
    over = bool(explorers) and all(explorer.out_of_action for explorer in explorers)
    if over:
        table.find("all explorers are out of action: the combat is over and the expedition has failed")
    return over


@rule("ending.all_aboard", cites=("end-of-combat/all-aboard", "combat/over-when"), neutral=False)
def all_aboard(table: Table, field: Battlefield) -> bool:
    """Decide whether everyone who is not out of action is in the escape chamber, which ends the combat.

    Whether those who are out of action keep the others from leaving is the reading `end-aboard`.
    """
    chamber = field.scene.board.escape_chamber
    fit = tuple(explorer for explorer in field.scene.explorers if not explorer.out_of_action)
    if chamber is None or not fit or not all(_aboard(explorer, chamber.hexes) for explorer in fit):
        return False
    if len(fit) < len(field.scene.explorers) and table.read("end-aboard") == "everyone":
        table.find("an explorer who is out of action is not in the escape chamber, so the others cannot leave")
        return False
    names = ", ".join(field.name(explorer) for explorer in fit)
    table.find("every explorer who is not out of action is in the escape chamber: {names}", names=names)
    return True


def _aboard(explorer: Explorer, hexes: tuple[tuple[int, int], ...]) -> bool:
    return explorer.hex is not None and explorer.hex in hexes


@rule("ending.all_slain", cites="end-of-combat/otherwise-on", neutral=False)
def all_slain(table: Table, field: Battlefield) -> bool:
    """Decide whether the combat ends because every hostile is slain: the reading `end-by-victory`."""
    hostiles = field.scene.hostiles
    if not hostiles or not all(hostile.slain for hostile in hostiles):
        return False
    over = table.read("end-by-victory") == "ends"
    table.find("every hostile is slain; the combat " + ("is over" if over else "goes on"), over=over)
    return over


@rule("ending.checked", cites=("event-phase/end-check", "end-of-combat/otherwise-on"), neutral="on")
def checked(table: Table, field: Battlefield) -> Outcome:
    """Decide in the event phase, before anything else, whether the combat ends; in all other cases it goes on."""
    result = outcome(table, field)
    if table.records_findings:
        table.find("the combat goes on" if result == "on" else "the combat ends", outcome=result)
    if result != "on":
        table.event("combat-over", outcome=result)
    return result


@rule("ending.at_once", cites=("combat/over-when", "event-phase/end-check"), neutral="on")
def at_once(table: Table, field: Battlefield) -> Outcome:
    """Decide whether the combat ends outside the event phase: the reading `end-timing`, where its conditions hold."""
    result = outcome(table, field)
    if result == "on":
        return "on"
    if table.read("end-timing") == "event-phase":
        table.find("the end of the combat is decided in the event phase; until then the combat goes on")
        return "on"
    table.find("the combat ends at once")
    table.event("combat-over", outcome=result)
    return result


@rule("ending.over", cites="combat/over-when", neutral=())
def over(table: Table, field: Battlefield) -> tuple[Reason, ...]:
    """Decide whether nothing more can be done, because the combat has ended."""
    result = at_once(table, field)
    return () if result == "on" else (table.reason("the combat is over", outcome=result),)
