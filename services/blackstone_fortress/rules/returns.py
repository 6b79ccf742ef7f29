"""Events that bring somebody back: Not Dead Yet a slain hostile, Heroic Effort an explorer who is out of action."""

from collections.abc import Collection

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield, hex_option
from services.blackstone_fortress.rules import deployment
from services.blackstone_fortress.rules.turn import hostile_player_name, leader_name
from services.blackstone_fortress.rules.vitality import vitality_roll
from services.blackstone_fortress.scene import Hex, Hostile

EventResult = tuple[Battlefield, str | None]


@rule("returns.not_dead_yet", cites="event/not-dead-yet", neutral=lambda field: (field, None))
def not_dead_yet(table: Table, field: Battlefield) -> EventResult:
    """Decide what Not Dead Yet does: a slain hostile the leader picks is deployed as near to an explorer as can be.

    Who picks among equally near hexes is the reading `not-dead-yet-hex`.
    """
    slain = not_returned(table, field)
    if not slain:
        table.find("no slain hostile can come back")
        return field, None
    ids = tuple(hostile.id for hostile in slain)
    id_: str = table.choose("leader", "leader: slain hostile", ids, about=field, means=field.option)
    table.find("{leader} picks {name}, who is not dead yet", leader=leader_name(field), name=field.name(id_))
    field = joins(table, field, id_)
    hexes = () if field.scene.is_partial else _closest(table, field, id_)
    chooser = "leader"
    if len(hexes) > 1 and field.scene.hostile_player and table.read("not-dead-yet-hex") == "hostile-player":
        chooser = "hostiles"
        table.find("{who} picks the hex", who=hostile_player_name(field))
    chosen_hexes = (table.choose(chooser, f"{id_}: deploy", hexes, about=field, means=hex_option),) if hexes else ()
    field = deployment.deploy(table, field, id_, chosen_hexes)
    happened = field.scene.turn.happened
    if not field.hostile(id_).slain and f"returned:{id_}" not in happened:
        field = field.with_turn(happened=(*happened, f"returned:{id_}"))
    return field, id_


def not_returned(table: Table, field: Battlefield) -> tuple[Hostile, ...]:
    """Give the slain hostiles that may come back.

    Whether one may that has come back before and was slain again is the reading `not-dead-yet-twice`.
    """
    slain = tuple(hostile for hostile in field.scene.hostiles if hostile.slain)
    happened = field.scene.turn.happened
    first = tuple(one for one in slain if not one.reinforcement and f"returned:{one.id}" not in happened)
    if len(first) < len(slain) and table.read("not-dead-yet-twice") == "once":
        return first
    return slain


def joins(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Give the battlefield with the hostile in the group it will belong to: the reading `not-dead-yet-group`."""
    hostile = field.hostile(hostile_id)
    alone = not any(other.group == hostile.group for other in field.scene.hostiles if other.id != hostile_id)
    if alone or table.read("not-dead-yet-group") == "old-group":
        return field
    hostiles = field.scene.hostiles
    return field.with_(hostiles=tuple(replace(one, group=hostile_id) if one is hostile else one for one in hostiles))


def heroic_effort(table: Table, field: Battlefield) -> EventResult:
    """Resolve Heroic Effort: an explorer comes back and makes a vitality roll, or any explorer makes one."""
    out = tuple(explorer.id for explorer in field.scene.explorers if explorer.out_of_action)
    if not out:
        return effort_of_anybody(table, field)
    before = field
    field, id_ = comes_back(table, field, out)
    if id_ is None:
        return field, None
    field = effort_of_returned(table, field, id_)
    return stays_out(table, before, field, id_), id_


@rule("returns.effort_of_anybody", cites="event/heroic-effort-nobody-out", neutral=lambda field: (field, None))
def effort_of_anybody(table: Table, field: Battlefield) -> EventResult:
    """Decide what Heroic Effort does when nobody is out of action: one the leader picks makes a vitality roll."""
    ids = tuple(explorer.id for explorer in field.scene.explorers)
    if not ids:
        return field, None
    id_: str = table.choose("leader", "leader: explorer", ids, about=field, means=field.option)
    table.find("nobody is out of action, so {name} makes a vitality roll", name=field.name(id_))
    return vitality_roll(table, field, id_), id_


@rule("returns.comes_back", cites="event/heroic-effort-return", neutral=lambda field, out: (field, None))
def comes_back(table: Table, field: Battlefield, out: tuple[str, ...]) -> EventResult:
    """Decide who comes back by Heroic Effort, and where: as the leader picks, in another explorer's hex or near one.

    With no explorer left on the battlefield, the reading `heroic-effort-nobody-left` decides.
    """
    id_: str = table.choose("leader", "leader: explorer", out, about=field, means=field.option)
    table.find("{leader} picks {name} to come back", leader=leader_name(field), name=field.name(id_))
    hexes: tuple[Hex, ...] = ()
    if field.explorers:
        hexes = () if field.scene.is_partial else _beside_explorers(table, field, id_)
    elif table.read("heroic-effort-nobody-left") == "portal":
        beside = dict.fromkeys(hex_ for portal in field.scene.board.portals for hex_ in portal.beside)
        hexes = tuple(hex_ for hex_ in beside if not deployment.violations(table, field, id_, hex_))
    else:
        table.find("no explorer is left on the battlefield, so the combat would have ended before")
        return field, None
    chosen_hexes = (table.choose("leader", f"{id_}: deploy", hexes, about=field, means=hex_option),) if hexes else ()
    field = deployment.deploy(table, field, id_, chosen_hexes)
    return field, None if field.explorer(id_).out_of_action else id_


def _beside_explorers(table: Table, field: Battlefield, explorer_id: str) -> tuple[Hex, ...]:
    """Give the hexes in which an explorer may come back.

    Whether the leader may pick one near another explorer while the same hex has room is the reading
    `heroic-effort-hex`.
    """
    shared = {explorer.hex for explorer in field.explorers}
    hexes = _closest(table, field, explorer_id)
    if not shared & set(hexes) or table.read("heroic-effort-hex") == "same-hex-first":
        return hexes
    return (*hexes, *_closest(table, field, explorer_id, shared))


@rule("returns.effort_of_returned", cites="event/heroic-effort-roll", neutral=unchanged)
def effort_of_returned(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what an explorer does who has come back by Heroic Effort: it makes a vitality roll."""
    table.find("{name} makes a vitality roll", name=field.name(explorer_id))
    return vitality_roll(table, field, explorer_id)


@rule("returns.stays_out", cites="event/heroic-effort-return", neutral=lambda before, field, explorer_id: field)
def stays_out(table: Table, before: Battlefield, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide whether an explorer whose vitality roll healed nothing is out of action again: `heroic-effort-failed`."""
    then, now = before.explorer(explorer_id), field.explorer(explorer_id)
    if (then.wounds, then.grievous) != (now.wounds, now.grievous) or table.read("heroic-effort-failed") == "returns":
        return field
    table.find("the roll heals nothing, so {name} stays out of action", name=field.name(now))
    table.event("out-of-action", unit=explorer_id)
    return field.change(now, hex=None, out_of_action=True)


def _closest(table: Table, field: Battlefield, unit_id: str, shut: Collection[Hex | None] = ()) -> tuple[Hex, ...]:
    """Give the hexes, but for those shut, that are as close to an explorer as possible and may take a unit."""
    places = [explorer.hex for explorer in field.explorers if explorer.hex is not None]
    held = field.explorers_in | field.hostiles_in
    # Open hexes where nobody stands are all alike: what holds for one of them holds for all.
    empty = next((hex_ for hex_ in field.ground.in_order if hex_ not in held), None)
    may_stand = empty is not None and not deployment.violations(table, field, unit_id, empty)
    ranges = field.ground.ranges(places)
    legal = {
        hex_: ranges[hex_]
        for hex_ in field.ground.in_order
        if places
        and hex_ not in shut
        and (not deployment.violations(table, field, unit_id, hex_) if hex_ in held else may_stand)
    }
    # Only the nearest hexes by range and by route can be the closest, and few are left to be measured.
    routes = {hex_: length for hex_, length in field.ground.routes(places).items() if hex_ in legal}
    by_range, by_route = min(legal.values(), default=0), min(routes.values(), default=0)
    near = tuple(hex_ for hex_, far in legal.items() if far == by_range or routes.get(hex_) == by_route)
    return deployment.closest_hexes(table, field, unit_id, near, field.explorers)
