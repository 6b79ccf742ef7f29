"""Movement: where a fighter may go."""

from arbiter.question import Decided
from arbiter.rule import rule
from arbiter.table import Table
from services._template.ground import Closed, Hex
from services._template.questions import MovesAnswer
from services._template.scene import Move, Scene


@rule("movement.closed", cites="movement/closed", neutral=frozenset())
def closed(table: Table, scene: Scene) -> Closed:
    """Decide which hexes nobody may enter or cross: those with a rock or a fighter in them."""
    shut = frozenset(scene.rocks) | {fighter.hex for fighter in scene.fighters}
    table.find("hexes closed by rocks and fighters: {count}", count=len(shut))
    return shut


@rule("movement.reach", cites=("movement/steps", "board/edge"), neutral=())
def reach(table: Table, move: Move) -> tuple[Hex, ...]:
    """Decide where a fighter can get to: as many hexes as its speed, round what is closed, never off the board."""
    fighter, shut = move.fighter, closed(table, move.scene)
    hexes = move.scene.reach(fighter.hex, fighter.numbers.speed_hexes, shut)
    table.find(
        "hexes that {fighter} can get to with a speed of {speed}: {count}",
        fighter=fighter.name,
        count=len(hexes),
        speed=fighter.numbers.speed_hexes,
    )
    return hexes


def moves(table: Table, move: Move) -> Decided[MovesAnswer]:
    """Answer the question `moves`."""
    return Decided(MovesAnswer(reach(table, move)))
