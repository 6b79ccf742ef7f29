"""Victory points: eliminated units, the bonus for all of them, missions, and the winner."""

from arbiter.rule import rule
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.book import number
from services.rapture.rules import missions
from services.rapture.rules.missions import disabled, eliminated_units


class Standing(Value, frozen=True):
    """The victory points of a side: for eliminated units, the bonus, from missions, and their sum."""

    side: Id
    eliminated: int
    bonus: int
    missions: int
    total: int


@rule("victory.eliminated", cites="victory/eliminated", neutral=0)
def eliminated(table: Table, field: Battlefield, side: str) -> int:
    """Decide the victory points of a side for eliminated units: their points; for bands that is `band-scoring`."""
    units = eliminated_units(table, field, side)
    points, ids = sum(field.profile(unit).points for unit in units), {unit.id for unit in units}
    # A whole band counts with its leader, and apprentices alone count nothing.
    whole = sum(field.profile(unit).points for unit in field.scene.units if (unit.leader or unit.id) in ids)
    if whole != points and table.read("band-scoring") == "whole-band":
        points = whole
    if units:
        scored, names = Quantity(points, "victory point"), field.names(unit.id for unit in units)
        table.find("{side} scores {points} for {units}", side=side, points=scored, units=names)
    return points


@rule("victory.bonus", cites="victory/bonus", neutral=0)
def bonus(table: Table, field: Battlefield, side: str) -> int:
    """Decide the bonus of a side: every unit of the other sides is disabled."""
    others = [unit for unit in field.scene.units if unit.side != side]
    if not others or not all(disabled(table, unit) for unit in others):
        return 0
    points = number("all-disabled")
    table.find("Every opponent of {side} is disabled: {points}", side=side, points=Quantity(points, "victory point"))
    return points


@rule(
    "victory.total",
    cites=("victory/eliminated", "victory/bonus", "victory/missions"),
    neutral=lambda field, side: Standing(side, 0, 0, 0, 0),
)
def total(table: Table, field: Battlefield, side: str) -> Standing:
    """Decide the victory points of a side if the game ends now.

    They are those for eliminated units, the bonus, and those of its mission so far and at the end.
    """
    so_far = next(each.victory_points for each in field.scene.all_sides if each.id == side)
    from_missions = so_far + missions.points(table, field, side, "end")
    parts = eliminated(table, field, side), bonus(table, field, side), from_missions
    table.find("{side} has {total}", side=side, total=Quantity(sum(parts), "victory point"))
    return Standing(side, *parts, sum(parts))


@rule("victory.best", cites=("victory/winner", "victory/wiped-out"), neutral=None)
def best(table: Table, totals: tuple[Standing, ...]) -> str | None:
    """Decide the winner: the highest total, even without units left; a tie is `victory-tie`."""
    most = max(each.total for each in totals)
    first = [each for each in totals if each.total == most]
    won = Quantity(most, "victory point")
    if len(first) > 1:
        from_missions = max(each.missions for each in first)
        leading = [each for each in first if each.missions == from_missions]
        drawn = len(leading) > 1 or table.read("victory-tie") == "draw"
        sides = Listing(each.side for each in first)
        table.find("{sides} tie with {most}", cites="victory/winner", most=won, sides=sides)
        if drawn:
            return None
        first = leading
        more = Quantity(from_missions, "victory point")
        table.find("{side} has the most from missions: {more}", cites="victory/missions", side=first[0].side, more=more)
    table.find("{side} wins with {most}", side=first[0].side, most=won)
    return first[0].side
