"""Moves by powers: where a power may put a figure, what is in its way there, and how it comes down.

Powers stand in the research notes. A figure stands on what is posted under the middle of its base: the top of a piece
that cannot be entered on the level, or the table. Lengths are thousandths of an inch.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.moves import straight
from arbiter.nowhere import Nowhere
from arbiter.rule import Reason, rule
from arbiter.skirmish import plane
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, in_play
from services.stargrave.book import Power
from services.stargrave.geometry import footing
from services.stargrave.geometry.overlaps import overlaps
from services.stargrave.geometry.ways import at_place
from services.stargrave.rules import combat, falling, harm, lengths, pushing, sight
from services.stargrave.rules.power_aims import PUPPET_MASTER, PowerAim
from services.stargrave.scene import Figure, Place

PULL, FLING, SUGGESTION = "pull", "fling", "suggestion"
LIFT, TRANSPORT, QUICK_STEP = "lift", "transport", "quick-step"

LEVEL = (PULL, FLING, SUGGESTION)
"""Powers that move a figure on the level, so that it may come to stand lower and no higher than a low step."""

DROPPING = (TRANSPORT, SUGGESTION)
"""Powers by which a figure drops its loot before it is moved."""

BESIDE = 1.0
"""Inches from its user within which a figure stands up again."""


def moves(power: Power) -> bool:
    """Check whether a power puts a figure somewhere."""
    return power.id in (*LEVEL, LIFT, TRANSPORT, QUICK_STEP, PUPPET_MASTER)


def put(field: Battlefield, figure: Figure, to: Place) -> Figure:
    """Give a figure as it stands at a place; one that stands on nothing that is posted keeps its height."""
    if isinstance(to, Nowhere):
        return replace(figure, at=to)
    pieces, at, height = field.ground.impassable, plane.point(to), shapes.thousandths(figure.elevation_in)
    supports = figure.at is None or footing.support(pieces, plane.point(figure.at)) == height
    return at_place(figure, at, footing.support(pieces, at) if supports else height)


@every_reason
def violations(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim) -> Iterator[Reason]:
    """List the violations of the place to which a power moves its target."""
    target = aim.target or user
    if aim.to is None or isinstance(aim.to, Nowhere) or not moves(power):
        return
    if in_play(field.figure(target)) != (power.id == PUPPET_MASTER):
        there = put(field, field.figure(target), aim.to)
        yield from has_room(table, field, there)
        yield from in_the_way(table, field, power, there)
        yield from ends_well(table, field, user, power, there)


@violations_rule("power_moves.has_room", cites=("power/lift", "power/transport"))
def has_room(table: Table, field: Battlefield, there: Figure) -> Iterator[Reason]:
    """Decide whether a figure has room where a power puts it: no piece that rises beside it reaches into its base."""
    for piece in footing.pressing(field, field.solid(there)):
        yield table.reason("{name} cannot stand there: {piece} is in the way", name=field.name(there), piece=piece.id)


@violations_rule("power_moves.in_the_way", cites=("power/pull", "power/fling", "power/suggestion", "power/quick-step"))
def in_the_way(table: Table, field: Battlefield, power: Power, there: Figure) -> Iterator[Reason]:
    """Decide which terrain stops a move by a power, which goes straight.

    On the level only low terrain is passed; over what somebody is flung is the reading `fling-over`. A Quick-Step is
    stopped by what cannot be climbed, Lift and Transport by nothing.
    """
    if power.id not in (*LEVEL, QUICK_STEP):
        return
    before = field.solid(field.figure(there.id))
    low = shapes.thousandths(float(power.numbers.get("highest_terrain_in", 0.0))) or footing.LOW
    way = straight(shapes.floats(before.at), shapes.floats(field.solid(there).at))
    tall = tuple(
        piece
        for piece in field.ground.impassable
        if piece.height - before.elevation > low
        and not (power.id == QUICK_STEP and piece.climbable)
        and any(overlaps(way, piece, before.radius))
    )
    if tall and power.id == FLING and table.read("fling-over") == "any":
        return
    text, names = "{power} cannot move {name} over {piece}", {"power": power.name, "name": field.name(there)}
    for piece in tall:
        yield table.reason(text, cites=f"power/{power.id}", **names, piece=piece.id)


@violations_rule("power_moves.ends_well", cites=("power/quick-step", "power/suggestion", "power/puppet-master"))
def ends_well(table: Table, field: Battlefield, user: str, power: Power, there: Figure) -> Iterator[Reason]:
    """Decide whether a figure may end where a power puts it.

    A Quick-Step does not end near an enemy, Suggestion leads neither into combat nor down a fall that hurts, and who
    stands up again does so beside the activator.
    """
    name, cites = field.name(there), f"power/{power.id}"
    after = field.put(replace(there, health=1) if power.id == PUPPET_MASTER else there)
    if power.id == QUICK_STEP:
        inches = float(power.numbers["nearest_enemy_in"])
        for enemy in after.enemies(there):
            if sight.within(table, after, there.id, enemy.id, inches):
                text, near = "{name} would end within {inches} of {enemy}", lengths.in_inches(inches)
                yield table.reason(text, cites=cites, name=name, inches=near, enemy=field.name(enemy))
    if power.id == SUGGESTION:
        with table.without_findings():
            fights, hurts = combat.in_combat(table, after, there.id), falling.damage(table, _drop(field, there)) > 0
        if fights:
            yield table.reason("{name} would end in combat", cites=cites, name=name)
        if hurts:
            yield table.reason("{name} would be hurt by the fall", cites=cites, name=name)
    if power.id == PUPPET_MASTER and not sight.within(table, after, user, there.id, BESIDE):
        text = "{name} would not stand next to {user}"
        yield table.reason(text, cites=cites, name=name, user=field.name(user))


def _drop(field: Battlefield, there: Figure) -> int:
    return shapes.thousandths(field.figure(there.id).elevation_in) - shapes.thousandths(there.elevation_in)


@rule(
    "power_moves.moved",
    cites=("power/transport", "power/pull", "power/suggestion", "power/lift", "power/fling", "power/quick-step"),
    neutral=lambda field, *_: field,
)
def moved(table: Table, field: Battlefield, power: Power, target: str, to: Place) -> Battlefield:
    """Decide where a figure is that a power has moved, and what that does to it.

    By some it drops its loot before; on the level it falls where the ground is lower; who is lifted has no more actions
    this turn, and who is flung is stunned.
    """
    if power.id in DROPPING:
        field = harm.drop(table, field, target)
    figure, cites = field.figure(target), f"power/{power.id}"
    there = put(field, figure, to)
    name = field.name(figure)
    table.find("{power} moves {name}", cites=cites, power=power.name, name=name, to=to)
    table.event("moved", figure=target, to=to)
    drop = _drop(field, there)
    if power.id == LIFT:
        table.find("{name} has no more actions this turn", cites=cites, name=name)
        there = replace(there, activated=True)
    field = field.put(there)
    if power.id in LEVEL:
        drop = shapes.thousandths(pushing.drop_in(table, field, float(shapes.units(max(0, drop)))))
    if power.id in LEVEL and drop > 0:
        table.find("{name} comes down {inches}", cites=cites, name=name, inches=lengths.inches(drop))
        field = falling.fall(table, field, target, drop)
    if power.id == FLING and in_play(field.figure(target)):
        table.find("{name} is stunned", cites=cites, name=name)
        field = harm.stun(table, field, target)
    return field


def out_of_reach(field: Battlefield, power: Power, target: str, to: Place, inches: float) -> bool:
    """Check whether a place is further than so many inches from where a figure stands; off the level height counts."""
    here, there = field.solid(field.figure(target)), field.solid(put(field, field.figure(target), to))
    up = 0 if power.id in LEVEL else there.elevation - here.elevation
    squared = (there.at[0] - here.at[0]) ** 2 + (there.at[1] - here.at[1]) ** 2 + up**2
    return squared > shapes.thousandths(inches) ** 2
