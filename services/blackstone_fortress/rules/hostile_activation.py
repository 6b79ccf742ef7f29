"""The activation of a hostile group: reinforcements first, then every hostile, the closest to an explorer first."""

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield, prepare
from services.blackstone_fortress.model import Hostile, Scene
from services.blackstone_fortress.rules import behaviour, reinforcements, routes, turn, wounds
from services.blackstone_fortress.rules.movement import place
from services.blackstone_fortress.rules.unique_hostile_actions import ACTIONS


@rule("hostile_activation.controlled_by", cites="hostile-activation/hostile-player", without=lambda field: "nobody")
def controlled_by(table: Table, field: Battlefield) -> str:
    """Decide who controls the hostiles: the hostile player, or the leader if there is none."""
    who = turn.hostile_player_name(field)
    table.find("the hostiles are controlled by {who}", who=who)
    return who


@rule("hostile_activation.waiting", cites="reinforcement/not-activated", without=lambda field, group: _standing(field, group))
def waiting(table: Table, field: Battlefield, group: str) -> tuple[str, ...]:
    """Decide which hostiles of a group are still to be activated: all but this turn's reinforcements and those that were."""
    standing = tuple(field.hostile(id_) for id_ in _standing(field, group))
    fresh = tuple(hostile for hostile in standing if hostile.reinforcement)
    if fresh:
        names = ", ".join(field.name(hostile) for hostile in fresh)
        table.find("not activated this turn, having just come back: {names}", names=names)
    return tuple(hostile.id for hostile in standing if not hostile.reinforcement)


def _standing(field: Battlefield, group: str) -> tuple[str, ...]:
    return tuple(hostile.id for hostile in field.hostiles if hostile.group == group and not hostile.activated)


@rule(
    "hostile_activation.closest_first",
    cites=("hostile-activation/closest-first", "hostile-activation/next-closest", "hostile-activation/by-route"),
    without=lambda field, ids: ids,
)
def closest_first(table: Table, field: Battlefield, ids: tuple[str, ...]) -> tuple[str, ...]:
    """Decide which of the hostiles still to be activated may be next: those closest to an explorer by route."""
    pairs = [
        (id_, place(field.hostile(id_)), place(explorer)) for id_ in ids for explorer in field.explorers
    ]
    if len(ids) < 2 or not pairs:
        return ids
    # Routes are measured hostile by hostile: only its own enemies can stand in a hostile's way, and they are the same.
    closest = routes.nearest(table, field, pairs, field.hostile(ids[0]))
    table.find("closest to an explorer: {names}", names=", ".join(field.name(field.units[id_]) for id_ in closest))
    return closest


@rule("hostile_activation.next_hostile", cites="hostile-activation/ties", without=lambda field, group, closest: closest[0])
def next_hostile(table: Table, field: Battlefield, group: str, closest: tuple[str, ...]) -> str:
    """Decide which of several equally close hostiles is activated next: the hostile player picks."""
    chosen: str = table.choose("hostiles", f"{group}: next", closest, about=field)
    if len(closest) > 1:
        table.find("{hostile} is picked to be next", hostile=field.name(field.units[chosen]))
    return chosen


@rule(
    "hostile_activation.activate",
    cites=("hostile-activation/next-closest", "stunned/hostile-next"),
    without=lambda field, hostile_id: field,
)
def activate(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Activate one hostile: it stands up if it is stunned, and else takes the action that its behaviour roll gives it."""
    hostile = field.hostile(hostile_id)
    table.event("activated", unit=hostile_id)
    if hostile.stunned:
        field = wounds.stand_up(table, field, hostile_id)
    else:
        # Several rolls give the same action: asked for as a rule of its own, they are one path where all are walked.
        action = table.call(action_of, field.scene, hostile_id)
        table.event("action", unit=hostile_id, action=action)
        field = ACTIONS[action](table, field, hostile_id)
    return field.put(replace(field.hostile(hostile_id), activated=True))


def action_of(table: Table, scene: Scene, hostile_id: str) -> str:
    """Give the action that a hostile's behaviour roll gives it."""
    return behaviour.action(table, prepare(scene), hostile_id)


State = tuple[Scene, str]
"""The scene as it stands while a group is activated, and the id of the group."""


def activate_next(table: Table, state: State) -> State:
    """Activate one more hostile of a group."""
    scene, group = state
    field = prepare(scene)
    ids = waiting(table, field, group)
    chosen = next_hostile(table, field, group, closest_first(table, field, ids))
    return activate(table, field, chosen).scene, group


def is_done(state: State) -> bool:
    """Say whether every hostile of a group has been activated that is to be."""
    scene, group = state
    return not any(_is_waiting(hostile, group) for hostile in scene.hostiles)


def _is_waiting(hostile: Hostile, group: str) -> bool:
    on_the_battlefield = hostile.hex is not None and not hostile.slain
    return hostile.group == group and on_the_battlefield and not hostile.activated and not hostile.reinforcement


@rule(
    "hostile_activation.activate_group",
    cites="hostile-activation/order-of-work",
    without=lambda field, group: field,
)
def activate_group(table: Table, field: Battlefield, group: str) -> Battlefield:
    """Activate a hostile group: its reinforcement roll, and then each of its hostiles, the closest first."""
    table.find("the group {group} makes its reinforcement roll and then acts", group=group)
    controlled_by(table, field)
    field = reinforcements.arrive(table, field, group)
    scene, _ = table.iterate(activate_next, (field.scene, group), is_done, len(field.scene.hostiles))
    return prepare(scene)
