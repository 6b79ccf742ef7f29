"""Grenades: where they may be thrown or fired, whether they land there, smoke, and the blast.

Follows "Throwing and Firing Grenades" in the text's order; where a grenade goes that misses is in `scatter`.
"""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Literal

from msgspec.structs import replace

from arbiter.dice import D20
from arbiter.facts import Units, fact
from arbiter.geometry.plane import shapes
from arbiter.nowhere import NOWHERE, Nowhere
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.plane import place, point
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Added, Signed
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Ids
from services.stargrave.book import modifier, target_number
from services.stargrave.ground import Ground
from services.stargrave.rules import harm, jams, lengths, loads, scatter, shooting, shot_rolls, sight
from services.stargrave.rules.scatter import Landing
from services.stargrave.rules.shooting import Attacked, AttackOutcome
from services.stargrave.rules.shot_modifiers import Moved
from services.stargrave.rules.shot_rolls import NOTHING, Modifier, Modifiers, ShotExtra
from services.stargrave.scene import Figure, Piece, Place, Smoke

Kind = Literal["fragmentation", "smoke"]

BOTH_KINDS = "grenades"
NATURAL_BEST, NATURAL_WORST = 20, 1


class Grenade(Value, frozen=True):
    """A grenade: who throws or fires it, how that figure has moved before, and where it is aimed, or has come down.

    `extra` is what the players add to its attacks, and with `shoot` to the throw.
    """

    thrower: str
    kind: Kind
    at: Place
    elevation_in: float = 0.0
    moved: Moved = "no"
    extra: ShotExtra = NOTHING

    @property
    def is_hasty(self) -> bool:
        """Whether its thrower has made a Move action, be it one of no inches; a Power Move is none."""
        return self.moved in ("yes", "standing")


class Throw(Value, frozen=True):
    """A throw in numbers: where it is aimed, in thousandths, what is added to its roll, and whether it is fired."""

    at: shapes.Point
    elevation: int
    bonus: int
    launched: bool


def weapon_of(field: Battlefield, thrower: str, kind: Kind, launcher: bool) -> str | None:
    """Give the weapon by which a figure throws or fires a kind of grenade; None if it has none."""
    carried = shooting.armed(field, field.figure(thrower))
    if launcher:
        return next((weapon.id for weapon in carried.values() if weapon.kind == "launcher"), None)
    return next((id_ for id_ in (f"{kind}-grenade", BOTH_KINDS) if id_ in carried), None)


@violations_rule("grenades.violations", cites=("grenades/target-point", "shooting/range"))
def violations(
    table: Table, field: Battlefield, grenade: Grenade, weapon_id: str, cleared_jam: bool = False
) -> Iterator[Reason]:
    """Decide whether a grenade may be aimed at a point: within range of the thrower, seen or not; lists the violations.

    What keeps a figure from shooting keeps it from throwing.
    """
    thrower, weapon = grenade.thrower, field.book.weapons[weapon_id]
    yield from shooting.weapon_violations(table, field, thrower, weapon_id, cleared_jam)
    inches = weapon.range_in or 0.0
    names = {"name": field.name(thrower), "weapon": weapon.name, "inches": lengths.in_inches(inches)}
    if sight.within_point(table, field, thrower, grenade.at, inches, grenade.elevation_in):
        table.find("The point is in range: within {inches} of {name}", cites="grenades/target-point", **names)
    else:
        text = "The point is out of range: with the {weapon} {name} reaches {inches}"
        yield table.reason(text, cites="shooting/range", **names)


# The roll


@rule("grenades.modifiers", cites=("grenades/modifiers", "grenades/in-sight", "grenades/hasty"), neutral=())
def modifiers(table: Table, field: Battlefield, grenade: Grenade, launcher: bool) -> Modifiers:
    """Decide which modifiers of the table of grenades are added to the roll, in the order of the table."""
    applied: list[Modifier] = []
    if sight.sees_point(table, field, grenade.thrower, grenade.at, grenade.elevation_in):
        seen, cites = modifier("grenade-in-sight"), ("grenades/modifiers", "grenades/in-sight")
        applied.append(Modifier("grenade-in-sight", seen))
        table.find("The point is in line of sight: {value}", cites=cites, value=Signed(seen))
    if grenade.is_hasty:
        hasty, cites = modifier("grenade-hasty"), ("grenades/modifiers", "grenades/hasty")
        applied.append(Modifier("grenade-hasty", hasty))
        thrower = field.name(grenade.thrower)
        table.find("{thrower} has moved: {value}", cites=cites, thrower=thrower, value=Signed(hasty))
    return (*applied, *(launched(table, field) if launcher else ()))


@rule("grenades.launched", cites=("grenades/launcher", "weapons/grenade-launcher-shoot"), neutral=())
def launched(table: Table, field: Battlefield) -> Modifiers:
    """Decide what firing from a launcher costs; whether it is counted twice is the reading `launcher-penalty`."""
    value = modifier("grenade-launcher")
    if table.read("launcher-penalty") == "twice":
        value += field.book.weapons["grenade-launcher"].shoot
    table.find("The grenade is fired from a launcher: {value}", value=Signed(value))
    return (Modifier("grenade-launcher", value),)


@rule("grenades.shoot_bonus", cites="grenades/shoot-roll", neutral=0)
def shoot_bonus(table: Table, field: Battlefield, thrower: str, more: int = 0) -> int:
    """Decide what a thrower adds to the roll before the table: Shoot, powers on it, its load and its wounds.

    `more` is what the players add, for powers and scenarios.
    """
    figure = field.figure(thrower)
    stat = field.profile(figure).shoot + sum(spell.shoot for spell in figure.spells)
    table.find("{name} adds {shoot} for Shoot", name=field.name(figure), shoot=Signed(stat))
    if more:
        table.find("The players add {more} to the throw", more=Signed(more))
    return stat + more + loads.penalty(table, field, thrower, "shoot") + harm.roll_penalty(table, field, thrower)


@rule(
    "grenades.landing",
    cites="grenades/shoot-roll",
    neutral=lambda ground, thrower, throw: Landing(throw.at, "on the point"),
)
def landing(table: Table, ground: Ground, thrower: str, throw: Throw) -> Landing:
    """Decide where a grenade lands: on its point if the Shoot roll reaches 12, else off it, or nowhere.

    Whether a natural 20 and a natural 1 matter is the reading `grenade-natural`.
    """
    face: int = table.roll(D20, f"{thrower}: grenade")
    needed, total = target_number("grenade"), face + throw.bonus
    text = "Shoot roll: {face} {bonus} = {total} against {needed}"
    table.find(text, face=face, bonus=Added(throw.bonus), total=total, needed=needed)
    landed = "on the point" if total >= needed else "off the point"
    table.record(f"{thrower}: grenade", modifiers={"shoot": throw.bonus}, total=total, needed=needed, outcome=landed)
    if face == NATURAL_WORST and table.read("grenade-natural") == "yes":
        table.find("The grenade is lost on a natural {face}", cites="shooting/jam", face=face)
        return Landing(None, "lost", launcher_jams=throw.launched)
    if total >= needed:
        return Landing(throw.at, "on the point")
    if face == NATURAL_BEST and table.read("grenade-natural") == "yes":
        table.find("A natural {face}: the grenade lands on the point", cites="shooting/critical", face=face)
        return Landing(throw.at, "on the point")
    return scatter.drift(table, ground, throw.at, throw.elevation, needed - total)


def resolve_throw(
    table: Table, field: Battlefield, grenade: Grenade, weapon_id: str
) -> tuple[Battlefield, Landing, Modifiers, int, tuple[AttackOutcome, ...]]:
    """Give the battlefield after a grenade is thrown or fired that may be; where it landed, by what, and its attacks.

    The whole number is what was added to the roll in all.
    """
    thrower, launcher = grenade.thrower, field.book.weapons[weapon_id].kind == "launcher"
    roll_modifiers = modifiers(table, field, grenade, launcher)
    bonus = shoot_bonus(table, field, thrower, grenade.extra.shoot) + sum(each.value for each in roll_modifiers)
    unknown, elevation = isinstance(grenade.at, Nowhere), shapes.thousandths(grenade.elevation_in)
    throw = Throw(NOWHERE if unknown else point(grenade.at), elevation, bonus, launcher)
    landed: Landing = table.call(landing, field.ground, thrower, throw)
    if landed.launcher_jams:
        field = jams.jam(table, field, thrower, weapon_id)
    outcomes: tuple[AttackOutcome, ...] = ()
    if landed.at is not None:
        there = replace(grenade, at=landed.at if unknown else place(landed.at))
        field, outcomes = burst(table, field, there, scattered=landed.how == "scattered")
    return field, landed, roll_modifiers, bonus, outcomes


def burst(table: Table, field: Battlefield, grenade: Grenade, scattered: bool = False) -> Attacked:
    """Give the battlefield after a grenade has come down on a point, and how its attacks went."""
    radius_in = field.book.templates[grenade.kind].width_in / 2
    table.event("grenade", kind=grenade.kind, at=grenade.at, radius_in=radius_in)
    if grenade.kind == "smoke":
        return smoke(table, field, grenade.at), ()
    return blast(table, field, grenade, scattered)


# Smoke


@rule("grenades.smoke", cites=("grenades/smoke", "grenades/smoke-size"), neutral=lambda field, *_: field)
def smoke(table: Table, field: Battlefield, at: Place) -> Battlefield:
    """Decide what a smoke grenade leaves: a cloud 4 inches across, centred on the point."""
    across = lengths.in_inches(field.book.templates["smoke"].width_in)
    if not field.measures():
        table.find("A cloud of smoke, {inches} across, lies where the grenade landed", inches=across)
        table.event("smoke")
        return field
    clouds = field.scene.board.smoke
    id_ = new_id("smoke", clouds)
    table.find("A cloud of smoke, {inches} across, lies at {at}", inches=across, at=at)
    table.event("smoke", id=id_, at=at)
    return field.with_board(smoke=(*clouds, Smoke(id_, at)))


def new_id(kind: str, others: Iterable[Smoke | Piece | Figure]) -> str:
    """Give the id of a new thing on the table: its kind and the first number that none of the others has."""
    ids = {each.id for each in others}
    return next(id_ for number in count(1) if (id_ := f"{kind}-{number}") not in ids)


# The blast


@rule("grenades.blast", cites="grenades/fragmentation", neutral=lambda field, *_: (field, ()))
def blast(table: Table, field: Battlefield, grenade: Grenade, scattered: bool) -> Attacked:
    """Decide how a blast attacks: a shooting attack at +3 on each figure in it.

    From where cover is judged, whether a hasty throw helps them, whether one roll is made for all, and whether it can
    be critical, are the readings `blast-cover`, `blast-hasty`, `blast-rolls` and `blast-critical`.
    """
    weapon, at, elevation_in = field.book.weapons["fragmentation-grenade"], grenade.at, grenade.elevation_in
    bonus, damage = weapon.attack or 0, weapon.damage or 0
    inside = (caught_off_point if scattered else caught)(table, field, at, elevation_in)
    if not inside:
        return field, ()
    table.find("The blast attacks each figure with {bonus}", bonus=Signed(bonus))
    judged_from = table.read("blast-cover")
    # Cover is judged from the thrower's place before its own grenade takes it out of the game.
    looker = None
    if judged_from != "none":
        looker = sight.spot(at, elevation_in) if judged_from == "point" else sight.solid(field, grenade.thrower)
    hasty = grenade.is_hasty and table.read("blast-hasty") == "yes"
    criticals = table.read("blast-critical") == "yes"
    one = len(inside) > 1 and table.read("blast-rolls") == "one"
    face = table.call(shot_rolls.attack_roll, "grenade") if one else None
    if face is not None:
        table.record("grenade: shooting", modifiers={"shoot": bonus}, total=face + bonus)
    # What is added to the Shoot roll is for the throw, and not for the attacks of the blast.
    extra = replace(grenade.extra, shoot=0)
    outcomes: list[AttackOutcome] = []
    for target in inside:
        shot = shooting.statless(table, field, bonus, target, looker, hasty)
        shot = shot_rolls.with_extra(table, replace(shot, damage=damage, criticals=criticals), extra)
        field, outcome = shooting.attack(table, field, "grenade", target, shot, grenade.thrower, face=face)
        outcomes.append(outcome)
    return field, tuple(outcomes)


@fact(
    "in_blast",
    "Which figures are in the blast if the grenade lands on its point?",
    of=(),
    kind=Units(),
    says="In the blast: {value}",
    cites=("grenades/every-figure", "grenades/radius"),
)
@rule("grenades.caught", cites=("grenades/every-figure", "grenades/radius"), neutral=())
def caught(table: Table, field: Battlefield, at: Place, elevation_in: float) -> Ids:
    """Decide whom a blast reaches: every figure within 1.5 inches of the point, friends too, in the scene's order.

    Whether any part of the base is enough is the reading `blast-touch`, whether walls shield the reading
    `blast-through-walls`.
    """
    radius = shapes.thousandths(field.book.templates["fragmentation"].width_in) // 2
    centre, elevation = point(at), shapes.thousandths(elevation_in)

    def within(body: shapes.Figure) -> bool:
        def decided(touch: str, height: lengths.Height) -> bool:
            ends: lengths.From = "edges" if touch == "base" else "centres"
            return lengths.from_point(body, centre, elevation, ends, height) <= radius

        return settled(table, decided, ("blast-touch", ("base", "centre")), ("distance-in-height", ("space", "plan")))

    figures = []
    for figure in field.figures:
        body = field.solid(figure)
        if not within(body):
            continue
        with table.without_findings():
            open_ = sight.visible.function(table, field, sight.spot(at, elevation_in), body)
        if not open_ and table.read("blast-through-walls") == "no":
            continue
        table.find("{name} is within {inches} of the point", name=field.name(figure), inches=lengths.inches(radius))
        figures.append(figure.id)
    return tuple(figures)


@fact(
    "in_blast_scattered",
    "Which figures are in the blast where the grenade has scattered to?",
    of=(),
    kind=Units(),
    says="In the blast off the point: {value}",
    cites=("grenades/every-figure", "grenades/scatter"),
)
def caught_off_point(table: Table, field: Battlefield, at: Place, elevation_in: float) -> Ids:
    """List whom a blast reaches that goes off beside the point at which the grenade was aimed."""
    return caught.function(table, field, at, elevation_in)
