"""The state of a whole game: who is still in it, whether it is over, and who has won.

The text says when a player has lost, and leaves it to the mode what ends a game. Here it is over when no two enemies
are left among the players, or, where all players are on one side, when they or all of their enemies are gone.
"""

from arbiter.table import Table
from services.warleague.battlefield import Battlefield, foes, in_play
from services.warleague.rules import turn, victory
from services.warleague.scene import Side


def playing(table: Table, field: Battlefield, side: str) -> bool:
    """Say whether a side is still in the game: it has not lost, and some unit of it is not down for good."""
    if victory.has_lost(table, field, side):
        return False
    return any(
        unit.side == side and in_play(unit) and not victory.for_good(table, field, unit) for unit in field.scene.units
    )


def standing(field: Battlefield) -> tuple[str, ...]:
    """Give the units that are in play and not downed: as long as they are the same, the game goes on."""
    return tuple([unit.id for unit in field.units if not unit.downed])


def over(table: Table, field: Battlefield) -> bool:
    """Say whether the game is over."""
    rivals = contenders(field)
    every = rivals if _opposed(rivals) else taking_part(field)
    left = tuple(side for side in every if playing(table, field, side.id))
    return not _opposed(left) or not any(side in left for side in rivals)


def winners(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Give the winners of a game that is over: the players that are still in it."""
    return tuple(side.id for side in contenders(field) if playing(table, field, side.id))


def contenders(field: Battlefield) -> tuple[Side, ...]:
    """Give the players, or in a game without any the sides of the NPCs."""
    sides = taking_part(field)
    return tuple(side for side in sides if not turn.npcs(field, side.id)) or sides


def taking_part(field: Battlefield) -> tuple[Side, ...]:
    """Give the sides that have units, fallen ones included."""
    having = {unit.side for unit in field.scene.units}
    return tuple(side for side in field.scene.sides if side.id in having)


def _opposed(sides: tuple[Side, ...]) -> bool:
    return any(foes(one, other) for one in sides for other in sides)
