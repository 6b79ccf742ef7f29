"""Line of sight: whom a figure sees, how much of each, what is in the way, and whom it can shoot with which chances."""

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.measure import Distance
from arbiter.geometry.plane.roots import NOTHING as NO_SHARE
from arbiter.question import Decided, Question
from arbiter.readings import settled
from arbiter.rule import Why
from arbiter.skirmish.faults import case_pointer, own_targets
from arbiter.skirmish.fields import Id
from arbiter.skirmish.lines import contact_of, contacts_of, in_units
from arbiter.skirmish.plane import place, rounded, rounded_place
from arbiter.skirmish.sight import Contact, Spot
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave import costs
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import off_table
from services.stargrave.geometry import sheltering, vantage
from services.stargrave.geometry.look import Look, Sighting
from services.stargrave.profiles import Inches, Weapon
from services.stargrave.questions.cases import State, armed_with, prepared, weapon_faults
from services.stargrave.rules import harm, shooting, shot_law, shot_modifiers, sight, wards
from services.stargrave.rules.shot_modifiers import Modifier, Moved
from services.stargrave.rules.shot_rolls import NOTHING, Shot, ShotExtra
from services.stargrave.rules.sight import Cover
from services.stargrave.scene import Place, Scene

Chance = Annotated[str, Meta(description='An exact fraction, as in "7/12".')]

LAW_READINGS = (
    ("critical-both", ("totals", "critical")),
    ("critical-by-target", ("no", "yes")),
    ("critical-damage", ("double", "five", "none")),
    ("jam", ("misses", "counts")),
)


class Point(Value, frozen=True):
    """A point `at` a place of the table, so many inches above it."""

    at: Place
    elevation_in: Inches = 0.0


class LineOfSightCase(Value, frozen=True):
    """What an `observer` sees of others, and of points. Without `targets` and points it is all its enemies in play."""

    scene: Scene
    observer: Id
    targets: Annotated[tuple[Id, ...], Meta(max_length=60)] = ()
    points: Annotated[tuple[Point, ...], Meta(max_length=60)] = ()


class Line(Value, frozen=True):
    """What the observer sees of one target from its best place, with what stands in between.

    It looks from the middle of its base and from sixteen places on its rim, or by a reading from the middle alone.
    `visible` is the share of the target that nothing blocks, `clear` the share that nothing hides at all. `blocking`
    are the pieces that block a part of it, `obscuring` the pieces and figures that hide a part without blocking,
    `intervening` those that count as intervening terrain. The line is drawn from `eye` (inches along, across and above
    the table) to `end`, a place of the target that nothing blocks, or else its middle; the target's silhouette lies
    between `left` and `right`. `contacts` are all those pieces and figures, each where the line to what it hides, or
    else to the middle of the target, meets it; it counts where it is why the target is not seen, intervenes, or is
    cover.
    """

    target: Annotated[Id | None, Meta(description="The target's id; null for a point.")]
    at: Place
    seen: bool
    visible: float
    clear: float
    blocking: tuple[str, ...]
    obscuring: tuple[str, ...]
    intervening: tuple[str, ...]
    cover: Cover
    distance_in: Annotated[float, Meta(description="Rounded to thousandths.")]
    eye: Spot
    left: tuple[float, float]
    right: tuple[float, float]
    end: Spot
    contacts: tuple[Contact, ...]


class LineOfSightAnswer(Value, frozen=True):
    """How many targets are seen, and the line to each."""

    seen: int
    lines: tuple[Line, ...]


def _line_faults(field: Battlefield, case: LineOfSightCase) -> Iterator[Fault]:
    message = "a figure cannot be its own target"
    yield from own_targets(case.observer, case.targets, message, case_pointer("targets"))
    for index, each in enumerate(case.points):
        yield from off_table(field, each.at, "points", index, "at")


def _targets(state: State[LineOfSightCase]) -> tuple[str, ...]:
    """Give whom the observer looks at: all its enemies, where the case names no target and no point."""
    field, case = state.field, state.case
    if case.targets or case.points:
        return case.targets
    return tuple(enemy.id for enemy in field.enemies(field.figure(case.observer)))


def line_of_sight(table: Table, state: State[LineOfSightCase]) -> Decided[LineOfSightAnswer]:
    """Whom a figure sees, how much of each, what is in the way, what cover that is, and how far it is."""
    field, observer = state.field, state.case.observer
    lines = [
        _line(table, field, observer, sight.solid(field, target), sight.distance(table, field, observer, target))
        for target in _targets(state)
    ]
    for each in state.case.points:
        apart = sight.distance_to(table, field, observer, each.at, each.elevation_in)
        lines.append(_line(table, field, observer, sight.spot(each.at, each.elevation_in), apart))
    return Decided(LineOfSightAnswer(sum(line.seen for line in lines), tuple(lines)))


def _line(table: Table, field: Battlefield, observer: str, body: shapes.Figure, apart: Distance) -> Line:
    """Give the line to a figure, or to a point, which has no id."""
    looker = sight.solid(field, observer)
    seen = sight.visible(table, field, looker, body)
    look, sighting = sight.line(table, field, looker, body)
    # A point has no parts: it is seen or not, and hidden or not.
    visible, clear = look.shares(sighting, 3) if body.id else (float(seen), float(seen and sighting.clear > NO_SHARE))
    intervening = sight.intervening(table, field, looker, body) if body.id else ()
    cover = sight.shelter(table, field, looker, body) if body.id else "none"
    left, right = sighting.ends
    end, contacts = _drawn(table, field, look, sighting, seen, intervening)
    return Line(
        body.id or None,
        place(body.at),
        seen,
        visible,
        clear,
        tuple(id_.removeprefix(sight.SMOKE_ABOVE) for id_ in sighting.hiding),
        sighting.obscuring,
        intervening,
        cover,
        rounded(float(apart)),
        in_units(sighting.eye),
        rounded_place(left),
        rounded_place(right),
        end,
        contacts,
    )


def _drawn(
    table: Table, field: Battlefield, look: Look, sighting: Sighting, seen: bool, intervening: tuple[str, ...]
) -> tuple[Spot, tuple[Contact, ...]]:
    """Give where the line from the eye of a sighting ends, and what stands in it, each with whether it counts.

    What blocks counts where the target is not seen, and else what intervenes and what is cover.
    """
    cover: tuple[str, ...] = ()
    if seen:
        with table.without_findings():
            cover = _sheltering(table, field, look)
    target = look.target
    pieces = {piece.id: piece for piece in (*look.clouds, *look.terrain, *vantage.as_pieces(look.bodies))}
    counting: Collection[str] = (*intervening, *cover) if seen else sighting.hiding
    middle = (*target.at, target.elevation + target.height // 2)
    glance = look.glance(sighting.looker)
    met: list[Contact] = []
    for id_ in dict.fromkeys((*sighting.hiding, *sighting.obscuring, *intervening)):
        contact = contact_of(glance, pieces[id_])
        if contact is None and id_ not in sighting.hiding:
            # By some readings a piece intervenes that hides nothing: it stands in the line between the middles.
            contact = next(iter(contacts_of(look.looker.eye, middle, (pieces[id_],), "touch")), None)
        if contact is not None:
            met.append(replace(contact, id=id_.removeprefix(sight.SMOKE_ABOVE), counts=id_ in counting))
    return in_units(glance.seen_spot(sighting.blocked_by) or middle), tuple(met)


def _sheltering(table: Table, field: Battlefield, look: Look) -> tuple[str, ...]:
    """Name what is cover for the target, by the readings of this table."""
    if not look.target.id:
        return ()
    around = sight.figures_around(table, field, look.looker, look.target)
    options = [table.readings[name] for name, _ in (*sight.COVER, sight.SIGHT_FROM, sight.FIGURES_BLOCK)]
    touched = sheltering.touched(look, around)
    return tuple(piece.id for piece in touched if sheltering.helps(look, around, piece.id, *options))


# Targets


class TargetsCase(FactCase, frozen=True):
    """Whom a `shooter` can shoot now, with each of its guns, and with which chances.

    `moved` and `cleared_jam` say what it has done before in this activation; without `weapon` all its guns are tried.
    """

    scene: Scene
    shooter: Id
    weapon: Id | None = None
    moved: Moved = "no"
    cleared_jam: bool = False
    extra: Annotated[ShotExtra, Meta(description="Modifiers of powers and scenarios.")] = NOTHING


class EligibleTarget(Value, frozen=True):
    """An enemy that can be shot at, every modifier of the shot, and what it would come to if it meets this enemy.

    `shoot` and `defence` are added to the two dice, modifiers included. `hits`, `stuns` and `fells` are chances.
    `drawn_from` are those of whom one is hit at random, because the target is in combat.
    """

    target: Id
    distance_in: float
    visible: Annotated[float | None, Meta(description="The share that nothing blocks; null without a board.")]
    modifiers: tuple[Modifier, ...]
    shoot: int
    defence: int
    damage_modifier: int
    armour: int
    hits: Chance
    stuns: Chance
    fells: Chance
    expected_damage: Chance
    drawn_from: tuple[Id, ...] = ()


class IneligibleTarget(Value, frozen=True):
    """An enemy that cannot be shot at, and the violations."""

    target: Id
    reasons: tuple[Why, ...]


class Gun(Value, frozen=True):
    """A weapon, with the enemies that it can be shot at and those that it cannot."""

    weapon: Id
    name: str
    eligible: tuple[EligibleTarget, ...]
    ineligible: tuple[IneligibleTarget, ...]


class TargetsAnswer(Value, frozen=True):
    """Whom the figure can shoot at with anything, and the same for each of its guns."""

    targets: tuple[Id, ...]
    weapons: tuple[Gun, ...]


def _gun_faults(field: Battlefield, case: TargetsCase) -> Iterator[Fault]:
    yield from weapon_faults(field, case.shooter, case.weapon, "missile")


def targets(table: Table, state: State[TargetsCase]) -> Decided[TargetsAnswer]:
    """Whom a figure can shoot with which gun, every modifier of the shot, and its chances."""
    field, case = state.field, state.case
    shooter = case.shooter
    enemies = shooting.candidates(table, field, shooter)
    hasty = shot_modifiers.hasty(table, field, shooter, case.moved)
    guns = []
    for weapon in armed_with(field, shooter, "missile"):
        if case.weapon not in (None, weapon.id):
            continue
        eligible, ineligible = [], []
        for enemy in enemies:
            reasons = shooting.violations(table, field, shooter, weapon.id, enemy.id, case.cleared_jam)
            if reasons:
                ineligible.append(IneligibleTarget(enemy.id, tuple(reason.why for reason in reasons)))
            else:
                eligible.append(_eligible(table, field, shooter, weapon, enemy.id, hasty, case.cleared_jam, case.extra))
        guns.append(Gun(weapon.id, weapon.name, tuple(eligible), tuple(ineligible)))
    reached = {each.target for gun in guns for each in gun.eligible}
    return Decided(TargetsAnswer(tuple(enemy.id for enemy in enemies if enemy.id in reached), tuple(guns)))


def _eligible(
    table: Table,
    field: Battlefield,
    shooter: str,
    weapon: Weapon,
    target: str,
    hasty: bool,
    cleared_jam: bool,
    extra: ShotExtra,
) -> EligibleTarget:
    looker, figure = sight.solid(field, shooter), field.figure(target)
    shot = shooting.aimed(table, field, shooter, weapon, target, hasty, cleared_jam, extra)
    hits, whole = settled(table, _chances(shot), *LAW_READINGS)
    with table.without_findings():
        law = tuple((wards.through(table, field, target, damage)[0], cases) for damage, cases in whole)
    needed, health = harm.stuns_at(field, figure), field.health(figure)
    together = shooting.at_risk(table, field, shooter, shooting.melee(table, field, shooter, target))
    is_random = len(together) > 1 and table.read("shoot-into-combat") == "random"
    return EligibleTarget(
        target,
        rounded(1000 * sight.range_in(table, field, shooter, target)),
        _share(table, field, looker, target),
        shooting.modifiers_of(shot),
        shot.shoot,
        shot.defence,
        shot.damage,
        shot.armour,
        _of(hits),
        _of(sum(cases for damage, cases in law if needed is not None and needed <= damage < health)),
        _of(sum(cases for damage, cases in law if damage >= health)),
        _of(sum(min(damage, health) * cases for damage, cases in law)),
        together if is_random else (),
    )


def _share(table: Table, field: Battlefield, looker: shapes.Figure, target: str) -> float | None:
    if not field.measures(looker.id, target):
        return None
    look, sighting = sight.line(table, field, looker, sight.solid(field, target))
    return look.shares(sighting, 3)[0]


def _chances(shot: Shot) -> Callable[..., tuple[int, tuple[tuple[int, int], ...]]]:
    names = tuple(reading for reading, _ in LAW_READINGS)
    return lambda *options: shot_law.chances(shot, dict(zip(names, options, strict=True)))


def _of(cases: int) -> str:
    return str(Fraction(cases, shot_law.WHOLE))


QUESTIONS = (
    Question(
        "line-of-sight",
        LineOfSightCase,
        prepared("observer", "targets", faults=_line_faults),
        line_of_sight,
        cost=lambda state: costs.of_lines(state.field, state.case.observer, _targets(state), len(state.case.points)),
    ),
    Question("targets", TargetsCase, prepared("shooter", "weapon", faults=_gun_faults), targets),
)
