"""The end of the combat: everyone aboard the escape chamber, everyone out of action, or neither."""

from typing import Literal

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import portals, turn

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
    fit = tuple(explorer for explorer in field.scene.explorers if not explorer.out_of_action)
    if not portals.has_chamber(field) or not fit or not all(portals.aboard(table, field, one) for one in fit):
        return False
    if len(fit) < len(field.scene.explorers) and table.read("end-aboard") == "everyone":
        table.find("an explorer who is out of action is not in the escape chamber, so the others cannot leave")
        return False
    names = Listing(map(field.name, fit))
    table.find("every explorer who is not out of action is in the escape chamber: {names}", names=names)
    return True


@rule("ending.all_slain", cites="end-of-combat/otherwise-on", neutral=False)
def all_slain(table: Table, field: Battlefield) -> bool:
    """Decide whether the combat ends because every hostile is slain: the reading `end-by-victory`."""
    hostiles = field.scene.hostiles
    if not hostiles or not all(hostile.slain for hostile in hostiles):
        return False
    over = table.read("end-by-victory") == "ends"
    table.find("every hostile is slain; the combat " + ("is over" if over else "goes on"), over=over)
    return over


ENDINGS: dict[Outcome, str] = {
    "on": "end-of-combat/otherwise-on",
    "escaped": "end-of-combat/all-aboard",
    "defeat": "end-of-combat/all-out",
    "victory": "end-of-combat/otherwise-on",
}
"""The unit of the source that decides for each outcome; that slain hostiles end a combat is a reading of the last."""


@rule(
    "ending.checked",
    cites=("event-phase/end-check", "end-of-combat/all-aboard", "end-of-combat/all-out", "end-of-combat/otherwise-on"),
    neutral="on",
)
def checked(table: Table, field: Battlefield) -> Outcome:
    """Decide in the event phase, before anything else, whether the combat ends; in all other cases it goes on."""
    result = outcome(table, field)
    cites = ("event-phase/end-check", ENDINGS[result])
    table.find("the combat goes on" if result == "on" else "the combat ends", cites=cites, outcome=result)
    return result


@rule(
    "ending.at_once",
    cites=("combat/over-when", "event-phase/end-check", "end-of-combat/all-aboard", "end-of-combat/all-out"),
    neutral="on",
)
def at_once(table: Table, field: Battlefield) -> Outcome:
    """Decide whether the combat ends outside the event phase: the reading `end-timing`, where its conditions hold."""
    if field.scene.is_partial and table.readings["end-timing"] == "event-phase":
        return "on"
    result = outcome(table, field)
    if result == "on":
        return "on"
    if table.read("end-timing") == "event-phase":
        text = "the end of the combat is decided in the event phase; until then the combat goes on"
        table.find(text, cites="event-phase/end-check")
        return "on"
    table.find("the combat ends at once", cites=("combat/over-when", ENDINGS[result]), outcome=result)
    return result


@rule("ending.cleared", cites="end-of-combat/clear-table", neutral=unchanged)
def cleared(table: Table, field: Battlefield, result: Outcome, drawn: tuple[str, ...] = ()) -> Battlefield:
    """Decide what leaves the battlefield when the combat has ended so; `drawn` are encounter cards out of the deck.

    Hostiles, discovery markers, portals, twists and initiative cards leave; explorers keep their wounds, and the escape
    chamber stays. The hexes stay as well.
    """
    scene = field.scene
    gates = tuple(portal.id for portal in scene.board.portals)
    table.event("combat-over", outcome=result)
    text = "the hostiles, markers, counters and portals are removed from the battlefield"
    table.find(text, hostiles=tuple(hostile.id for hostile in field.hostiles), portals=gates)
    table.event(
        "battlefield-cleared",
        hostiles=tuple(hostile.id for hostile in field.hostiles),
        discoveries=tuple(marker.id for marker in scene.discoveries),
        portals=gates,
        twists=scene.twists,
    )
    table.find("the encounter cards are shuffled back into the encounter deck", cards=drawn)
    table.event("encounter-deck-shuffled", cards=drawn)
    explorers = tuple(replace(explorer, marks=()) for explorer in scene.explorers)
    field = field.with_(explorers=explorers, hostiles=(), discoveries=(), twists=(), threat=0)
    field = field.with_turn(track=(), covered=(), happened=())
    if gates:
        field = field.with_board(portals=())
    return marker_passes(table, field)


def after(table: Table, field: Battlefield, result: Outcome) -> Battlefield:
    """Give the battlefield after a check for the end of the combat: cleared, if the combat has ended."""
    return field if result == "on" else cleared(table, field, result)


@rule("ending.marker_passes", cites="event-phase/leader-passes", neutral=unchanged)
def marker_passes(table: Table, field: Battlefield) -> Battlefield:
    """Decide whether the leader marker passes on although the combat has ended: the reading `leader-after-combat`."""
    if turn.next_leader(field) == field.scene.leader:
        return field
    if table.read("leader-after-combat") == "passes":
        return turn.pass_leader(table, field)
    table.find("{leader} stays the leader, because no event has been resolved", leader=field.scene.leader)
    return field


@rule("ending.over", cites="combat/over-when", neutral=())
def over(table: Table, field: Battlefield) -> tuple[Reason, ...]:
    """Decide whether nothing more can be done, because the combat has ended."""
    result = at_once(table, field)
    return () if result == "on" else (table.reason("the combat is over", outcome=result),)
