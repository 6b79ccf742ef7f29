"""The order of the sides: who rolls for it in a round, who goes first, and what if they roll the same."""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.dice import D6
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.warleague.battlefield import Battlefield
from services.warleague.rules import turn, update

Faces = tuple[tuple[str, int], ...]
"""The sides that roll for the order, each with its face."""


@violations_rule("sequence.order_violations", cites="round/order-roll")
def order_violations(table: Table, field: Battlefield) -> Iterator[Reason]:
    """Decide whether the sides roll for the order now: in the order phase."""
    if field.scene.phase != "order":
        text = "Sides roll for the order in the order phase, and {phase}"
        yield table.reason(text, phase=update.NOW[field.scene.phase])


def settle(table: Table, field: Battlefield) -> Battlefield:
    """Give the battlefield with the order of this round, in the phase of turns."""
    faces = rolled(table, field, rolling(table, field))
    sides = descending(table, field, faces)
    table.event("order", sides=sides)
    with_dice = tuple(replace(side, die=dict(faces).get(side.id)) for side in field.scene.sides)
    field = field.with_(sides=with_dice, order=sides, phase="turns", active=None, turn=sides[0])
    following = turn.next_side(table, field)
    field = field.with_(turn=following)
    return turn.round_over(table, field) if following is None else field


def rolling(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Give the sides that roll for the order: players; whether NPCs do is `npc-order`."""
    sides = tuple(side.id for side in field.scene.sides)
    npcs = [side for side in sides if turn.npcs(field, side)]
    if npcs and len(sides) > 1 and table.read("npc-order") == "last":
        return tuple(side for side in sides if side not in npcs)
    return sides


@rule("sequence.rolled", cites="round/order-roll", neutral=())
def rolled(table: Table, field: Battlefield, sides: tuple[str, ...]) -> Faces:
    """Decide what the sides roll for the order: a die each, unless the scene has it already."""
    faces = []
    for side in map(field.side, sides):
        faces.append((side.id, table.roll(D6, f"{side.id}: order") if side.die is None else side.die))
    for id_, face in faces:
        if field.side(id_).die is None:
            table.record(f"{id_}: order", total=face)
        table.find("{side} rolls {face} for the order", side=id_, face=face)
    return tuple(faces)


@rule(
    "sequence.descending",
    cites=("round/highest-first", "round/descending"),
    neutral=lambda field, faces: tuple(side.id for side in field.scene.sides),
)
def descending(table: Table, field: Battlefield, faces: Faces) -> tuple[str, ...]:
    """Decide the order of the sides: the highest roll first, the others from high to low, sides without a roll last."""
    sides: list[str] = []
    for highest in sorted({face for _, face in faces}, reverse=True):
        sides += equal(table, tuple(id_ for id_, face in faces if face == highest))
    sides += [side.id for side in field.scene.sides if side.id not in sides]
    table.find("{side} goes first", side=sides[0], cites="round/highest-first")
    if len(sides) > 1:
        table.find("The order is {sides}", sides=Listing(sides), cites="round/descending")
    return tuple(sides)


@rule("sequence.equal", cites=("round/order-roll", "round/highest-first"), neutral=lambda sides: sides)
def equal(table: Table, sides: tuple[str, ...]) -> tuple[str, ...]:
    """Decide the order of sides that have rolled the same: `order-tie`; a second tie leaves them as they are listed."""
    if len(sides) < 2:
        return sides
    names = Listing(sides)
    if table.read("order-tie") == "listed":
        table.find("{sides} tie and act in the order in which they are listed", sides=names)
        return sides
    again = {id_: table.roll(D6, f"{id_}: order, again") for id_ in sides}
    table.find("{sides} tie and roll again: {faces}", sides=names, faces=Listing(again.values()))
    for id_, face in again.items():
        table.record(f"{id_}: order, again", total=face)
    return tuple(sorted(sides, key=lambda id_: -again[id_]))
