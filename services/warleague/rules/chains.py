"""Chains: what sets off what, one thing after another, until nothing is left that could go off.

Whatever goes off is used up by it: a crate or a concealed tile, an open trap, an explosive that lies about. So every
chain ends, and nothing goes off twice.
"""

from arbiter.fault import Faults, pointer
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.rules import explosions, throwing, traps
from services.warleague.rules.happenings import Arrival, Blast, ChainOutcome, Happening, Loss, Springing, Throwing
from services.warleague.scene import Tile

MOST_HAPPENINGS = 500
"""A chain on a board ends: each crate, trap and unit is spent. Facts may lead in a circle, as from crate to crate."""


def resolve(table: Table, field: Battlefield, *first: Happening) -> ChainOutcome:
    """Resolve happenings and all that they set off; explosions wait until everything else has come to rest.

    Raises `Faults` where the facts that players give never let it come to rest.
    """
    waiting = list(first)
    losses: list[Loss] = []
    blasts: list[Blast] = []
    sprung: list[Springing] = []
    tiles: dict[Tile, None] = {}
    reached: dict[str, int] = {}
    left = MOST_HAPPENINGS
    while waiting:
        left -= 1
        if not left:
            raise Faults.one(
                pointer("case", "given"),
                "endless-chain",
                "by these facts the chain never comes to rest",
                expected="facts by which everybody comes to rest, as a flight that ends on a free tile",
            )
        happening = _next(table, field, waiting, blasts)
        match happening:
            case Blast():
                blasts.append(happening)
                sprung += [Springing(happening.trap, happening.epicentre)] if happening.trap else []
                went = table.call(explosions.explode, field, happening, tuple(sorted(reached.items())))
            case Springing():
                sprung.append(happening)
                went = table.call(traps.sprang, field, happening)
            case Throwing():
                went = table.call(throwing.flew, field, happening)
            case Arrival():
                went = table.call(throwing.arrive, field, happening)
        field, waiting = went.field, [*went.more, *waiting]
        losses += went.losses
        tiles.update(dict.fromkeys(went.tiles))
        for unit, amount in went.reached:
            reached[unit] = max(amount, reached.get(unit, 0))
    return ChainOutcome(field, tuple(losses), tuple(blasts), tuple(tiles), tuple(sprung))


def _next(table: Table, field: Battlefield, waiting: list[Happening], done: list[Blast]) -> Happening:
    """Take what happens next: what is no explosion in its order, and then the explosions in theirs."""
    for index, happening in enumerate(waiting):
        if not isinstance(happening, Blast):
            return waiting.pop(index)
    pending = [happening for happening in waiting if isinstance(happening, Blast)]
    blast = pending[0]
    if len(pending) > 1 and done:
        if table.read("chain-order") == "nearest":
            pending = [explosions.with_distance(table, field, each, done[0].epicentre) for each in pending]
        blast = explosions.next_one(table, field, tuple(pending))
    pending.remove(blast)
    waiting[:] = pending
    return blast
