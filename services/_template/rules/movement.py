"""Movement: where a fighter may go."""

from arbiter.geometry.hex.coordinates import distance, neighbours
from arbiter.question import Decided
from arbiter.rule import rule
from arbiter.table import Table
from services._template.questions import MovesAnswer
from services._template.scene import Hex, Move, Scene


@rule("movement.closed", cites="movement/closed", neutral=frozenset())
def closed(table: Table, scene: Scene) -> frozenset[Hex]:
    """Decide which hexes nobody may enter or cross: those with a rock or a fighter in them."""
    shut = {*scene.rocks, *(fighter.hex for fighter in scene.fighters)}
    table.find("hexes closed by rocks and fighters: {count}", count=len(shut))
    return frozenset(shut)


@rule("movement.reach", cites=("movement/steps", "board/edge"), neutral=())
def reach(table: Table, move: Move) -> tuple[Hex, ...]:
    """Decide where a fighter can get to: hex by hex, as many as its speed, never off the board.

    The hexes come nearest first as the crow flies, then in the order of their coordinates; its own is not among them.
    """
    fighter, shut = move.fighter, table.call(closed, move.scene)
    found = {fighter.hex}
    edge = found
    for _ in range(fighter.numbers.speed_hexes):
        steps = {step for hex_ in edge for step in neighbours(hex_) if move.scene.holds(step)}
        edge = steps - shut - found
        found = found | edge
    hexes = sorted(found - {fighter.hex}, key=lambda hex_: (distance(fighter.hex, hex_), hex_))
    table.find(
        "hexes that {fighter} can get to with a speed of {speed}: {count}",
        fighter=fighter.id,
        count=len(hexes),
        speed=fighter.numbers.speed_hexes,
    )
    return tuple(hexes)


def moves(table: Table, move: Move) -> Decided[MovesAnswer]:
    """Answer the question `moves`."""
    return Decided(MovesAnswer(table.call(reach, move)))
