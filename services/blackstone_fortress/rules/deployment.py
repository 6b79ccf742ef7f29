"""Deployment: setting hostile groups up at their discovery markers, and bringing a miniature in during a combat."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.nowhere import NOWHERE
from arbiter.rule import Reason, rule
from arbiter.skirmish.fields import Id
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield, Unit, hex_option, place
from services.blackstone_fortress.rules import hex_limits, routes, shelter, sight, turn, unique_actions, wounds
from services.blackstone_fortress.scene import Discovery, Explorer, Hex, Hostile


@rule("deployment.violations", cites=("deployment/not-with-enemy", "deployment/hex-limit"), neutral=())
def violations(table: Table, field: Battlefield, unit_id: str, hex_: Hex) -> tuple[Reason, ...]:
    """Decide whether a miniature may be deployed in a hex: every reason against it, none when it may."""
    unit = field.units[unit_id]
    name = field.name(unit)
    reasons = []
    if hex_ not in field.ground.open:
        reasons.append(
            table.reason("{hex} is obstructed", cites="move/not-through-obstructions", hex=hex_)
            if hex_ in field.ground.hexes
            else table.reason("{hex} is not on the battlefield", cites="deployment/where", hex=hex_)
        )
    if any(enemy.hex == hex_ for enemy in field.enemies(unit)):
        reasons.append(
            table.reason("an enemy of {unit} stands in {hex}", cites="deployment/not-with-enemy", unit=name, hex=hex_)
        )
    if not hex_limits.room(table, field, hex_, unit):
        reasons.append(table.reason("{hex} has no room for {unit}", cites="deployment/hex-limit", unit=name, hex=hex_))
    return tuple(reasons)


def open_hexes(table: Table, field: Battlefield, unit_id: str, hexes: Sequence[Hex]) -> list[Hex]:
    """Give those hexes that may take a miniature, and say of the others why they may not."""
    fitting = []
    for hex_ in hexes:
        reasons = violations(table, field, unit_id, hex_)
        if not reasons:
            fitting.append(hex_)
        for reason in reasons:
            table.find("{why}", cites=reason.cites, why=reason, hex=hex_)
    return fitting


@rule("deployment.deploy", cites="deployment/where", neutral=unchanged)
def deploy(table: Table, field: Battlefield, unit_id: str, hexes: Sequence[Hex]) -> Battlefield:
    """Deploy a miniature in the first of these hexes that may take it; if none may, it is slain.

    The hexes stand in the order of preference of the rule that deploys it; without a board the players find one. A
    slain hostile comes back without wounds.
    """
    by_hand = field.scene.is_partial
    hex_ = NOWHERE if by_hand else next(iter(open_hexes(table, field, unit_id, hexes)), None)
    if hex_ is None:
        return undeployed(table, field, unit_id)
    unit = healed(table, field, unit_id)
    text = "the players deploy {unit} by this rule" if by_hand else "{unit} is deployed in {hex}"
    table.find(text, unit=field.name(unit), hex=hex_)
    table.event("deployed", unit=unit_id, hex=hex_)
    if isinstance(unit, Explorer):
        return field.change(unit, hex=hex_, out_of_action=False)
    return unique_actions.uncloaked(table, field.change(unit, hex=hex_, slain=False))


@rule("deployment.undeployed", cites="deployment/impossible", neutral=unchanged)
def undeployed(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what becomes of a miniature that cannot be deployed: a hostile is slain, an explorer is out of action."""
    unit = field.units[unit_id]
    if isinstance(unit, Explorer):
        table.find("there is no hex for {unit}: it is out of action", unit=field.name(unit))
        return field if unit.out_of_action else wounds.leaves(table, field, unit_id)
    table.find("there is no hex for {unit}: it is slain", unit=field.name(unit))
    if unit.slain:
        return field
    table.event("slain", unit=unit_id, by=None)
    return field.change(unit, hex=None, slain=True)


@rule("deployment.healed", cites="deployment/healed", neutral=lambda field, unit_id: field.units[unit_id])
def healed(table: Table, field: Battlefield, unit_id: str) -> Unit:
    """Decide in what state a miniature comes in: a hostile that was slain has no wounds, and nothing else upon it."""
    unit = field.units[unit_id]
    if isinstance(unit, Explorer) or not unit.slain:
        return unit
    table.find("{unit} was slain and returns without wounds", unit=field.name(unit))
    return replace(unit, wounds=0, grievous=0, stunned=False, empowered=False)


def closest_hexes(
    table: Table, field: Battlefield, unit_id: str, hexes: Sequence[Hex], targets: Sequence[Unit]
) -> tuple[Hex, ...]:
    """Give those hexes that may take a miniature and are as close as possible to one of the targets, in their order.

    By what distance is the reading `deployment-metric`.
    """
    unit = field.units[unit_id]
    legal = [hex_ for hex_ in hexes if not violations(table, field, unit_id, hex_)]
    pairs = [(hex_, hex_, target.hex) for hex_ in legal for target in targets if target.hex is not None]
    return routes.nearest(table, field, pairs, unit, "deployment-metric")


@rule("deployment.deployed_by", cites="deploy/who", neutral="nobody")
def deployed_by(table: Table, field: Battlefield) -> str:
    """Decide who sets hostiles up: the hostile player, or the leader if there is none."""
    deployer = turn.hostile_player_name(field)
    table.find("the hostiles are deployed by {who}", who=deployer)
    return deployer


@rule("deployment.first_hexes", cites="deploy/first-on-marker", neutral=())
def first_hexes(table: Table, field: Battlefield, marker: Discovery) -> tuple[Hex, ...]:
    """Decide where the first hostile of a group is set up: in the hex of its discovery marker."""
    table.find("the first hostile goes on discovery {number} in {hex}", number=marker.number, hex=marker.hex)
    return (place(marker),)


@rule("deployment.other_hexes", cites="deploy/others-near-marker", neutral=lambda field, marker: (place(marker),))
def other_hexes(table: Table, field: Battlefield, marker: Discovery) -> tuple[Hex, ...]:
    """Decide where the others of a group are set up: in the marker's hex, or in one adjacent to it."""
    here = place(marker)
    hexes = (here, *(hex_ for hex_ in field.ground.neighbours(here) if sight.adjacent(table, field, here, hex_)))
    table.find("the others go on discovery {number} or next to it: {hexes}", number=marker.number, hexes=Listing(hexes))
    return hexes


class Supply(Value, frozen=True):
    """The `count` of miniatures of one kind of `hostile`, those on the battlefield included."""

    hostile: Id
    count: Annotated[int, Meta(ge=0, le=80)]


@rule("deployment.supplied", cites="deploy/miniature-limit", neutral=lambda field, hostiles, supply: hostiles)
def supplied(
    table: Table, field: Battlefield, hostiles: tuple[Hostile, ...], supply: tuple[Supply, ...]
) -> tuple[Hostile, ...]:
    """Decide how many of a group are set up when miniatures of their kind run short; the remainder is ignored."""
    used = Counter(hostile.profile for hostile in field.hostiles)
    left = {kind.hostile: kind.count - used[kind.hostile] for kind in supply}
    set_up: tuple[Hostile, ...] = ()
    for hostile in hostiles:
        if left.get(hostile.profile, 1) > 0:
            set_up = (*set_up, hostile)
        else:
            table.find("there is no miniature left for {hostile}", hostile=field.name(hostile))
        if hostile.profile in left:
            left[hostile.profile] -= 1
    return set_up


@rule("deployment.deploy_group", cites=("deploy/first-on-marker", "deploy/others-near-marker"), neutral=unchanged)
def deploy_group(
    table: Table, field: Battlefield, group: str, marker: Discovery, supply: tuple[Supply, ...] = ()
) -> Battlefield:
    """Set a hostile group up at its discovery marker, one hostile after another.

    Those of the group that are neither on the battlefield nor slain are set up, in the scene's order; `supply` says how
    many miniatures there are, and of a kind it does not name there are enough. A hostile for whom there is no room is
    left out, or set up further out: the reading `deploy-overflow`. Where several hexes are open, those in cover are
    preferred, and the player picks.
    """
    waiting = tuple(
        hostile for hostile in field.scene.hostiles if hostile.group == group and not hostile.slain and not hostile.hex
    )
    waiting = supplied(table, field, waiting, supply)
    for hostile in waiting:
        begun = any(other.group == group for other in field.hostiles)
        near = other_hexes(table, field, marker) if begun else first_hexes(table, field, marker)
        field = _set_up(table, field, hostile, marker, near)
    return field


def _set_up(
    table: Table, field: Battlefield, hostile: Hostile, marker: Discovery, near: tuple[Hex, ...]
) -> Battlefield:
    hexes = [hex_ for hex_ in near if not violations(table, field, hostile.id, hex_)]
    if not hexes and (outer := _further_out(table, field, hostile, marker)):
        hexes = list(outer) if table.read("deploy-overflow") == "further-out" else []
    if not hexes:
        table.find(
            "there is no room for {hostile}: it is left out", cites="hex-limits/hostiles", hostile=field.name(hostile)
        )
        return field
    best = shelter.preferred(table, field, hexes, "deploy/prefer-cover")
    hex_ = table.choose("hostiles", f"{hostile.id}: deploy", best, about=field, means=hex_option)
    table.find("{hostile} is set up in {hex}", hostile=field.name(hostile), hex=hex_)
    table.event("deployed", unit=hostile.id, hex=hex_)
    return field.change(hostile, hex=hex_)


def _further_out(table: Table, field: Battlefield, hostile: Hostile, marker: Discovery) -> tuple[Hex, ...]:
    """Give the nearest hexes to a marker that have room for a hostile."""
    legal = [hex_ for hex_ in sorted(field.ground.open) if not violations(table, field, hostile.id, hex_)]
    return routes.nearest(table, field, [(hex_, place(marker), hex_) for hex_ in legal], hostile, "deployment-metric")
