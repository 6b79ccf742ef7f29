"""The activation of a hostile group: reinforcements first, then every hostile, the closest to an explorer first."""

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from services.blackstone_fortress.battlefield import Battlefield, place
from services.blackstone_fortress.rules import behaviour, reinforcements, routes, turn, wounds
from services.blackstone_fortress.rules.unique_hostile_actions import perform


@rule("hostile_activation.controlled_by", cites="hostile-activation/hostile-player", neutral="nobody")
def controlled_by(table: Table, field: Battlefield) -> str:
    """Decide who controls the hostiles: the hostile player, or the leader if there is none."""
    controller = turn.hostile_player_name(field)
    table.find("the hostiles are controlled by {who}", who=controller)
    return controller


def waiting(field: Battlefield, group: str) -> tuple[str, ...]:
    """Give the hostiles of a group that are still to be activated, in the scene's order."""
    return tuple(
        hostile.id
        for hostile in field.hostiles
        if hostile.group == group and not hostile.activated and not hostile.reinforcement
    )


@rule(
    "hostile_activation.closest_first",
    cites=("hostile-activation/closest-first", "hostile-activation/next-closest", "hostile-activation/by-route"),
    neutral=lambda field, ids: ids,
)
def closest_first(table: Table, field: Battlefield, ids: tuple[str, ...]) -> tuple[str, ...]:
    """Decide which of the hostiles still to be activated may be next: those closest to an explorer by route."""
    if len(ids) < 2 or not field.explorers:
        return ids
    goals = field.explorers_in
    # Only its own enemies can stand in a hostile's way, and they are those to whom it is measured.
    far = [table.once(routes.to_nearest, field.ground, place(field.hostile(id_)), goals, goals) for id_ in ids]
    least = min(far)
    closest = tuple([id_ for id_, hexes in zip(ids, far, strict=True) if hexes == least])
    table.find("closest to an explorer: {names}", names=Listing(map(field.name, closest)))
    return closest


@rule(
    "hostile_activation.next_hostile", cites="hostile-activation/ties", neutral=lambda field, group, closest: closest[0]
)
def next_hostile(table: Table, field: Battlefield, group: str, closest: tuple[str, ...]) -> str:
    """Decide which of several equally close hostiles is activated next: the hostile player picks."""
    chosen: str = table.choose("hostiles", f"{group}: next", closest, about=field, means=field.option)
    if len(closest) > 1:
        table.find("{hostile} is activated next", hostile=field.name(chosen))
    return chosen


@rule(
    "hostile_activation.violations",
    cites=("reinforcement/not-activated", "hostile-activation/next-closest"),
    neutral=(),
)
def violations(table: Table, field: Battlefield, hostile_id: str) -> tuple[Reason, ...]:
    """Decide whether a hostile may be activated: not if it came back this turn, nor if it has been activated."""
    hostile = field.hostile(hostile_id)
    name = field.name(hostile)
    reasons = []
    if hostile.reinforcement:
        text, cites = "{hostile} came back this turn and is not activated", "reinforcement/not-activated"
        reasons.append(table.reason(text, cites=cites, hostile=name))
    if hostile.activated:
        text, cites = "{hostile} has been activated this turn", "hostile-activation/next-closest"
        reasons.append(table.reason(text, cites=cites, hostile=name))
    return tuple(reasons)


@rule("hostile_activation.done", cites="hostile-activation/next-closest", neutral=unchanged)
def done(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Decide that a hostile which has acted is activated, and that the next of its group follows."""
    hostile = field.hostile(hostile_id)
    table.find("{hostile} has been activated", hostile=field.name(hostile))
    return field.change(hostile, activated=True)


def activate(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Give the battlefield after one hostile's activation: it stands up if stunned, or does what its roll says."""
    table.event("activated", unit=hostile_id)
    if field.hostile(hostile_id).stunned:
        return done(table, wounds.stand_up(table, field, hostile_id), hostile_id)
    # Several rolls give the same action: asked for as a rule of its own, they are one path where all are walked.
    action = table.call(behaviour.action, field, hostile_id)
    return done(table, perform(table, field, hostile_id, action)[0], hostile_id)


State = tuple[Battlefield, str]
"""The battlefield as it stands while a group is activated, and the id of the group."""


def activate_next(table: Table, state: State) -> State:
    """Activate one more hostile of a group."""
    field, group = state
    chosen = next_hostile(table, field, group, closest_first(table, field, waiting(field, group)))
    return activate(table, field, chosen), group


def is_done(state: State) -> bool:
    """Say whether every hostile of a group has been activated that is to be."""
    return not waiting(*state)


@rule(
    "hostile_activation.activate_group",
    cites="hostile-activation/order-of-work",
    neutral=lambda field, group: (field, ()),
)
def activate_group(table: Table, field: Battlefield, group: str) -> tuple[Battlefield, tuple[str, ...]]:
    """Activate a hostile group: its reinforcement roll, and then each of its hostiles, the closest first.

    Give the battlefield after it, and which hostiles have returned.
    """
    table.find("{name} makes its reinforcement roll and then acts", name=turn.group_name(group), group=group)
    controlled_by(table, field)
    field, returned = reinforcements.arrive(table, field, group, reinforcements.rolled(table, field, group))
    state: State = table.iterate(activate_next, (field, group), is_done, len(field.scene.hostiles))
    return state[0], returned
