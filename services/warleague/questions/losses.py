"""What units and sides have lost: the measure by which answers are worth something to a side."""

from typing import Annotated, Protocol

from msgspec import Meta

from arbiter.skirmish.fields import Id
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.rules import layers
from services.warleague.scene import Tile

BESIDE = "what an upgrade or a unit still had when it was destroyed is counted in `lost` alone"
"""What tells damage that layers take in from points that are lost."""


class SideLoss(Value, frozen=True):
    """How much a side has lost of shields, upgrades, armor and health; of the fallen, all that they had left."""

    side: Id
    team: Id | None
    points: int


class Harm(Value, frozen=True):
    """What has become of a unit: the points it has lost, less those it got back, what it has left, and where it is."""

    unit: Id
    lost: Annotated[int, Meta(description="Of the fallen, all that they had left; less than 0 where it got more back.")]
    left: int
    at: Tile | None
    fallen: Annotated[bool, Meta(description="Whether it is dead, or a downed hero.")]


def lost(before: Battlefield, after: Battlefield) -> dict[str, int]:
    """Give how many points each side has lost, in the order of the scene."""
    sides = {side.id: 0 for side in before.scene.sides}
    for unit in before.units:
        sides[unit.side] += left(before, unit.id) - left(after, unit.id)
    return sides


def by_side(before: Battlefield, after: Battlefield) -> tuple[SideLoss, ...]:
    """Give what each side has lost, in the form of answers."""
    points = lost(before, after)
    return tuple(SideLoss(side.id, side.team, points[side.id]) for side in before.scene.sides)


def harmed(before: Battlefield, after: Battlefield) -> tuple[Harm, ...]:
    """Give the units that have lost or got back something, were moved, or fell, in the order of the scene."""
    rows = []
    for unit in before.units:
        now, had, has = after.unit(unit.id), left(before, unit.id), left(after, unit.id)
        out = now.dead or now.downed
        if had != has or after.place(unit.id) != before.place(unit.id) or out != unit.downed:
            rows.append(Harm(unit.id, had - has, has, now.at, out))
    return tuple(rows)


def fallen(before: Battlefield, after: Battlefield) -> tuple[str, ...]:
    """Give who has died or been downed in between, in the order of the scene."""
    now = ((unit, after.unit(unit.id)) for unit in before.units)
    return tuple(unit.id for unit, then in now if then.dead or then.downed > unit.downed)


class Counted(Protocol):
    """An answer that says what each side has lost."""

    @property
    def lost(self) -> tuple[SideLoss, ...]: ...


def worth(answer: Counted, who: str) -> int:
    """Give what an answer is worth to a side: what its enemies have lost, less what it and its team have."""
    rows = answer.lost
    own = next((row.team for row in rows if row.side == who), None)
    return sum(-row.points if row.side == who or (own is not None and row.team == own) else row.points for row in rows)


def left(field: Battlefield, unit_id: str) -> int:
    """Give what a unit has left in all, whatever protects it now; nothing where it has fallen."""
    unit = field.unit(unit_id)
    if unit.dead or unit.downed:
        return 0
    cards = ((field.book.items[item.item], item) for item in (*unit.slots, *unit.inventory))
    equipment = sum(layers.level(card, item) for card, item in cards if card.kind in ("energy-shield", "armor-upgrade"))
    return equipment + layers.remaining(field, unit_id, "armor") + layers.remaining(field, unit_id, "health")
