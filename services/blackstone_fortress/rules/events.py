"""The event phase: whether the combat ends, the event roll, each event, and how the turn passes to the next.

Follows "Event Phase" and the event table. Each event gives the battlefield after it and what the leader picked, if
anything: the id of a marker, hostile, portal, explorer, encounter card or twist.
"""

from collections.abc import Callable

from msgspec.structs import replace

from arbiter.dice import D20
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield, Unit
from services.blackstone_fortress.book import EncounterCard, banded
from services.blackstone_fortress.rules import encounters, portals, returns, routes, wounds
from services.blackstone_fortress.rules.explorer_actions import draw_discovery, without_marker
from services.blackstone_fortress.rules.inspiration import gain_point
from services.blackstone_fortress.rules.portals import CHAMBER
from services.blackstone_fortress.rules.turn import leader_name
from services.blackstone_fortress.scene import Explorer

EventResult = tuple[Battlefield, str | None]


@rule("events.roll", cites="event-phase/roll", neutral=0)
def roll(table: Table, leader: str) -> int:
    """Make the leader's event roll on the d20; `leader` is what to call the leader."""
    face: int = table.roll(D20, "leader: event")
    table.record("leader: event", total=face)
    table.find("{leader} rolls {face} on the event table", leader=leader, face=face)
    return face


def looked_up(table: Table, leader: str) -> str | None:
    """Give the event that the leader rolls, by its id."""
    face = roll(table, leader)
    return str(banded("events", face)["id"]) if face else None


@rule("events.hostile_air", cites="twists/event-phase-wounds", neutral=unchanged)
def hostile_air(table: Table, field: Battlefield) -> Battlefield:
    """Decide what a twist does in the event phase: each miniature rolls a d20 and suffers a wound on a 1."""
    standing: tuple[Unit, ...] = (*field.explorers, *field.hostiles)
    for unit in standing:
        if field.units[unit.id].hex is None or not table.call(chokes, unit.id):
            continue
        table.find("{name} rolls a 1 and suffers a wound", name=field.name(unit))
        suffer = wounds.wound_explorer if isinstance(unit, Explorer) else wounds.wound_hostile
        field = suffer(table, field, unit.id, 1, 0)
    return field


def chokes(table: Table, unit_id: str) -> bool:
    """Roll a d20 for one miniature, and say whether it is a 1."""
    face: int = table.roll(D20, f"{unit_id}: hostile air")
    table.record(f"{unit_id}: hostile air", total=face, needed=1, most=True, outcome="a wound" if face == 1 else "")
    return face == 1


def all_is_dust(table: Table, field: Battlefield, deck: tuple[EncounterCard, ...]) -> EventResult:
    """Resolve the event of a 1."""
    return dust_on_marker(table, field) if field.scene.discoveries else (dust_on_points(table, field), None)


@rule("events.dust_on_marker", cites="event/all-is-dust-marker", neutral=lambda field: (field, None))
def dust_on_marker(table: Table, field: Battlefield) -> EventResult:
    """Decide what All Is Dust does while discovery markers are left: the leader discards one of them."""
    ids = tuple(marker.id for marker in field.scene.discoveries)
    text = "the discovery marker {marker} is discarded"
    return without_marker(table, field, "leader", "leader: discovery marker", ids, text)


@rule("events.dust_on_points", cites="event/all-is-dust-points", neutral=unchanged)
def dust_on_points(table: Table, field: Battlefield) -> Battlefield:
    """Decide what All Is Dust does without markers: each explorer loses an inspiration point, never below 0.

    Whether those who are out of action do is the reading `dust-out-of-action`.
    """
    losing = tuple(explorer for explorer in field.scene.explorers if explorer.inspiration)
    out = any(explorer.out_of_action for explorer in losing)
    if out and table.read("dust-out-of-action") == "in-action":
        losing = tuple(explorer for explorer in losing if not explorer.out_of_action)
    for explorer in losing:
        table.find(
            "{name} loses an inspiration point and has {left}", name=field.name(explorer), left=explorer.inspiration - 1
        )
        table.event("inspiration-spent", unit=explorer.id, points=explorer.inspiration - 1)
    if not losing:
        table.find("nobody has an inspiration point to lose")
    return field.put(*(replace(explorer, inspiration=explorer.inspiration - 1) for explorer in losing))


@rule("events.unfulfilled_destiny", cites="event/unfulfilled-destiny", neutral=lambda field, deck: (field, None))
def unfulfilled_destiny(table: Table, field: Battlefield, deck: tuple[EncounterCard, ...]) -> EventResult:
    """Decide what Unfulfilled Destiny does: the next turn has no destiny roll."""
    table.find("the next turn has no destiny roll")
    return field.with_turn(no_destiny_roll=True), None


@rule(
    "events.changing_conditions",
    cites=("event/changing-conditions", "event/changing-conditions-none"),
    neutral=lambda field, deck: (field, None),
)
def changing_conditions(table: Table, field: Battlefield, deck: tuple[EncounterCard, ...]) -> EventResult:
    """Decide what Changing Conditions does: the twist of an encounter card that is drawn holds, if it has one."""
    if not deck:
        table.find("there is no encounter card to draw", cites="event/changing-conditions-none")
        return field, None
    card = encounters.draw(table, deck, (), "leader", "event/changing-conditions")
    twists = tuple(entry for entry in card.entries if encounters.is_twist(table, entry))
    if not twists:
        text, name = "{name} has no twist, so nothing happens", encounters.name_of(card)
        table.find(text, cites="event/changing-conditions-none", name=name, card=card.id)
    for entry in twists:
        field, _ = encounters.twisted(table, field, "leader", entry)
    return field, card.id


def escape_chamber(table: Table, field: Battlefield, deck: tuple[EncounterCard, ...]) -> EventResult:
    """Resolve the event of an 11 to 14."""
    if not chamber_is_to_come(table, field):
        return field, None
    if field.scene.is_partial:
        return chamber_by_hand(table, field), None
    field = portals.happening(field, CHAMBER)
    return chamber_arrives(table, field, furthest_portals(table, field))


@rule("events.chamber_is_to_come", cites="event/escape-chamber-once", neutral=True)
def chamber_is_to_come(table: Table, field: Battlefield) -> bool:
    """Decide whether Escape Chamber has any effect: not if it was rolled before, nor after a Summon."""
    happened = field.scene.turn.happened
    if not portals.has_chamber(field) and CHAMBER not in happened and "summon" not in happened:
        return True
    table.find("the escape chamber has already arrived: the event has no effect")
    return False


@rule("events.chamber_by_hand", cites=("event/escape-chamber", "event/escape-chamber-tie"), neutral=unchanged)
def chamber_by_hand(table: Table, field: Battlefield) -> Battlefield:
    """Decide what Escape Chamber does where no board shows the portals: the players put it at the furthest one."""
    table.find("the escape chamber comes to the portal that is furthest from any explorers")
    return portals.arrived(table, field, CHAMBER)


@rule("events.furthest_portals", cites="event/escape-chamber", neutral=())
def furthest_portals(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Decide which portals are the furthest from any explorers; all of them where nobody stands on the battlefield.

    Whether the nearest explorer counts or all together is the reading `escape-chamber-furthest`, and by what distance
    the reading `deployment-metric`.
    """
    nearest: dict[str, int] = {}
    together: dict[str, int] = {}
    for portal in field.scene.board.portals:
        far = [
            min(
                routes.lengths(
                    table, field, [(explorer.hex, hex_) for hex_ in portal.beside], None, "deployment-metric"
                )
            )
            for explorer in field.explorers
            if explorer.hex is not None
        ]
        nearest[portal.id], together[portal.id] = min(far, default=0), sum(far)
    best = _furthest(nearest)
    if best != _furthest(together) and table.read("escape-chamber-furthest") == "all-explorers":
        best = _furthest(together)
    table.find(
        "the portal furthest from any explorers: {portals}",
        portals=" or ".join(map(portals.portal_name, best)) or "there is none",
    )
    return best


def _furthest(far: dict[str, int]) -> tuple[str, ...]:
    return tuple(portal for portal, hexes in far.items() if hexes == max(far.values()))


@rule(
    "events.chamber_arrives",
    cites=("event/escape-chamber", "event/escape-chamber-tie"),
    neutral=lambda field, ids: (field, None),
)
def chamber_arrives(table: Table, field: Battlefield, ids: tuple[str, ...]) -> EventResult:
    """Decide which portal becomes the escape chamber: the furthest, and the leader picks among equally far ones."""
    if not ids:
        return field, None
    id_: str = table.choose("leader", "leader: portal", ids, about=field, means=portals.portal_option)
    name = portals.portal_name(id_)
    if len(ids) > 1:
        cites, leader = "event/escape-chamber-tie", leader_name(field)
        table.find("{leader} picks {name}", cites=cites, leader=leader, name=name, portal=id_)
    table.find("the escape chamber comes to {name}", cites="event/escape-chamber", name=name, portal=id_)
    return portals.replaced(table, field, id_), id_


@rule("events.inspiration", cites="event/inspiration", neutral=lambda field, deck: (field, None))
def inspiration(table: Table, field: Battlefield, deck: tuple[EncounterCard, ...]) -> EventResult:
    """Decide what Inspiration does: an explorer of the leader's choice gets one inspiration point."""
    id_ = _pick_explorer(table, field)
    if id_ is None:
        return field, None
    table.find("{leader} picks {name} for an inspiration point", leader=leader_name(field), name=field.name(id_))
    return gain_point(table, field, id_), id_


@rule("events.lucky_find", cites="event/lucky-find", neutral=lambda field, deck: (field, None))
def lucky_find(table: Table, field: Battlefield, deck: tuple[EncounterCard, ...]) -> EventResult:
    """Decide what Lucky Find does: an explorer of the leader's choice draws a discovery card."""
    id_ = _pick_explorer(table, field)
    if id_ is None:
        return field, None
    return draw_discovery(table, field, id_, 1, "event/lucky-find"), id_


def _pick_explorer(table: Table, field: Battlefield) -> str | None:
    """Let the leader pick an explorer; whether one out of action may be is the reading `event-pick-out-of-action`."""
    explorers = field.scene.explorers
    fit = tuple(explorer for explorer in explorers if not explorer.out_of_action)
    if len(fit) < len(explorers) and table.read("event-pick-out-of-action") == "in-action":
        explorers = fit
    if not explorers:
        return None
    ids = tuple(explorer.id for explorer in explorers)
    return str(table.choose("leader", "leader: explorer", ids, about=field, means=field.option))


EVENTS: dict[str, Callable[[Table, Battlefield, tuple[EncounterCard, ...]], EventResult]] = {
    "all-is-dust": all_is_dust,
    "unfulfilled-destiny": unfulfilled_destiny,
    "not-dead-yet": lambda table, field, deck: returns.not_dead_yet(table, field),
    "changing-conditions": changing_conditions,
    CHAMBER: escape_chamber,
    "inspiration": inspiration,
    "heroic-effort": lambda table, field, deck: returns.heroic_effort(table, field),
    "lucky-find": lucky_find,
}
"""Each event of the table by its id."""
