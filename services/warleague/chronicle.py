"""The transcript of a battle: what units do, and what changes for them and on the board."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from services.warleague.battlefield import Battlefield
from services.warleague.profiles import Layer
from services.warleague.rules import items, layers
from services.warleague.rules.abilities import Cast
from services.warleague.rules.actions import Action, Walk
from services.warleague.rules.ammo import Reload
from services.warleague.rules.happenings import Strike
from services.warleague.rules.items import PickUp, Use
from services.warleague.rules.movement import Turn
from services.warleague.rules.npc import NpcTurn
from services.warleague.rules.parry import Reserve
from services.warleague.rules.weapons import Swap
from services.warleague.scene import Tile, Unit

T = TypeVar("T")

EQUIPMENT: tuple[Layer, ...] = ("energy-shield", "armor-upgrade")
LAYERS: tuple[Layer, ...] = (*EQUIPMENT, *layers.BODY)


def action_story(before: Battlefield, action: Action, after: Battlefield) -> Iterator[str]:
    """Describe an action and what it changes; the end of a turn is not mentioned."""
    at = action.way[-1] if isinstance(action, Walk) else None
    phrase, became = _action_phrase(before, action), "; ".join(changes(before, after, (action.actor, at)))
    if phrase or became:
        yield f"{phrase} [{became}]" if became else phrase


def npc_story(before: Battlefield, acting: NpcTurn) -> Iterator[str]:
    """Describe the turn of an NPC."""
    walk = f"goes to {_at(acting.way[-1])}" if acting.way else ""
    attacks = ", ".join(
        f"attacks {made.target} with {_weapons(before, acting.unit, made.hands)}" for made in acting.attacks
    )
    changes_text = "; ".join(changes(before, acting.field, (acting.unit, acting.way[-1] if acting.way else None)))
    if phrase := "; ".join(filter(None, (walk, attacks))):
        yield f"{phrase} [{changes_text}]" if changes_text else phrase


def _action_phrase(field: Battlefield, action: Action) -> str:
    match action:
        case Strike():
            return f"attacks {_there(field, action.to)} with {_weapons(field, action.actor, action.hands)}"
        case Reload():
            return f"reloads {_weapons(field, action.actor, action.hands)}"
        case Reserve():
            return f"reserves a parry with {_weapons(field, action.actor, (action.hand,))}"
        case Cast():
            return f"uses {action.ability} on {_there(field, action.to)}"
        case Use():
            on = "" if action.to is None else f" on {_there(field, action.to)}"
            return f"uses {items.card(field, action).id}{on}"
        case Swap():
            spare = "nothing" if action.spare is None else field.unit(action.actor).spare[action.spare].weapon
            return f"takes {spare} in hand"
        case PickUp():
            return f"picks up {field.scene.items[action.lying].item}"
        case Walk():
            return f"goes to {_at(action.way[-1])}"
        case Turn():
            return f"faces {field.ground.directions[action.facing]}"
        case _:
            return ""


# What became


def changes(before: Battlefield, after: Battlefield, gone: tuple[str, Tile | None] = ("", None)) -> Iterator[str]:
    """Describe what changes for each unit, on the board, and in the Rad of each side, but for the walk of `gone`."""
    for old, unit in zip(before.scene.units, after.scene.units, strict=True):
        if unit is not old and (
            phrase := ", ".join(_unit_changes(before, old, after, unit, (unit.id, unit.at) != gone))
        ):
            yield f"{unit.id} {phrase}"
    yield from _board_changes(before, after)
    for side, then in zip(before.scene.sides, after.scene.sides, strict=True):
        if then.rad > side.rad:
            yield f"{then.id} collects {then.rad - side.rad} Rad"


def _unit_changes(before: Battlefield, old: Unit, after: Battlefield, new: Unit, moved: bool) -> Iterator[str]:
    if new.dead:
        if not old.dead:
            yield "dies"
        return
    if moved and old.at != new.at and new.at is not None:
        yield f"comes to {_at(new.at)}"
    if _vitals(old) != _vitals(new):
        has, had = _left(after, new), _left(before, old)
        lost = {layer: had[layer] - has[layer] for layer in LAYERS}
        for what, sign in (("loses", 1), ("regains", -1)):
            points = [f"{many * sign} {layer.replace('-', ' ')}" for layer, many in lost.items() if many * sign > 0]
            if points:
                yield f"{what} {' and '.join(points)}"
    if new.downed != old.downed:
        yield "is downed" if new.downed else "gets up"
    for each in new.effects:
        if each.card not in {one.card for one in old.effects}:
            yield f"is under {each.card}"
    if len(new.inventory) > len(old.inventory):
        yield f"has got {new.inventory[-1].item}"


def _vitals(unit: Unit) -> tuple[object, ...]:
    """Give all that the layers of a unit depend on, beside its card."""
    return unit.health_lost, unit.armor_lost, unit.hands, unit.slots, unit.effects


def _left(field: Battlefield, unit: Unit) -> dict[str, int]:
    """Give what a unit has left of each layer, of equipment what is in its slots."""
    left: dict[str, int] = {layer: layers.remaining(field, unit.id, layer) for layer in layers.BODY}
    left |= dict.fromkeys(EQUIPMENT, 0)
    for item in unit.slots:
        card = field.book.items[item.item]
        if card.kind in EQUIPMENT:
            left[card.kind] += layers.level(card, item)
    return left


def _board_changes(before: Battlefield, after: Battlefield) -> Iterator[str]:
    """Describe what is revealed, what is destroyed, and which traps go off."""
    old, new = before.scene, after.scene
    for crate in _gone(old.crates, new.crates):
        yield f"the crate on {_at(crate.at)} is open"
    for hidden in _gone(old.concealed, new.concealed):
        yield f"{_at(hidden.at)} is revealed"
    for obstacle in _gone(old.obstacles, new.obstacles):
        yield f"the {obstacle.kind} {obstacle.id} is destroyed"
    for trap in new.trap_deck.discard[len(old.trap_deck.discard) :]:
        yield f"{trap} goes off"


def _gone(old: tuple[T, ...], new: tuple[T, ...]) -> Iterable[T]:
    """Give what was there before and is not any more; where nothing changes, both are the very same."""
    return () if old is new else [each for each in old if each not in new]


def _weapons(field: Battlefield, unit: str, hands: tuple[int, ...]) -> str:
    return " and ".join(field.hands(unit)[hand].weapon for hand in hands)


def _there(field: Battlefield, at: Tile) -> str:
    return ", ".join(unit.id for unit in field.on(at)) or _at(at)


def _at(at: Tile) -> str:
    return f"{at[0]},{at[1]}"
