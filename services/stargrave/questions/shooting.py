"""Shooting: how a shot, the flames of a flame thrower, and a grenade go."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta
from msgspec.structs import astuple, replace

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.nowhere import NOWHERE
from arbiter.question import Decided, Question
from arbiter.rule import Reason
from arbiter.skirmish.cases import case_fault, forbid
from arbiter.skirmish.faults import case_pointer, unknown_id
from arbiter.skirmish.fields import Id
from arbiter.skirmish.plane import point
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import off_table
from services.stargrave.profiles import Inches
from services.stargrave.questions.cases import OTHER_WEAPONS, State, prepared, weapon_faults
from services.stargrave.rules import flames, grenades, jams, power_places, shooting, shot_modifiers, wards
from services.stargrave.rules.grenades import Kind
from services.stargrave.rules.shooting import AttackOutcome
from services.stargrave.rules.shot_modifiers import Modifier, Moved
from services.stargrave.rules.shot_rolls import NOTHING, ShotExtra
from services.stargrave.scene import Place, Scene


class ShootCase(FactCase, frozen=True):
    """A shot of a `shooter` with a gun (`weapon`) at one of the `targets`, or with rapid fire at two.

    `moved` and `cleared_jam` say what the shooter has done before in this activation; a jam of this weapon that was
    cleared is taken off it.
    """

    scene: Scene
    shooter: Id
    weapon: Id
    targets: Annotated[tuple[Id, ...], Meta(max_length=10)] = ()
    wall: Annotated[Id | None, Meta(description="A Wall of Force that is shot at instead of figures.")] = None
    moved: Moved = "no"
    cleared_jam: bool = False
    extra: Annotated[ShotExtra, Meta(description="Modifiers of powers and scenarios.")] = NOTHING


class ShotAnswer(Value, frozen=True):
    """What the attacks came to, all together and one by one.

    `hits` (one for a Wall of Force that ends), `stunned` and `out` are how many attacks hit, how many figures were
    stunned and how many went out of the game; `damage` is the Health that they lost, `remaining` the Health that the
    first target has left. The dice are in the throws and the findings.
    """

    hits: int
    damage: int
    stunned: int
    out: int
    jammed: bool
    remaining: Annotated[int | None, Meta(description="Null where nobody is attacked.")]
    attacks: tuple[AttackOutcome, ...]


def _shot_faults(field: Battlefield, case: ShootCase) -> Iterator[Fault]:
    yield from _itself("targets", case.shooter, case.targets)
    if (case.wall is None) == (not case.targets):
        text = "a shot has targets or a wall, and not both"
        yield case_fault("targets", "targets-or-wall", text, list(case.targets), "`targets` or `wall`")
    walls = [piece.id for piece in field.scene.board.pieces if piece.power == wards.FORCE_WALL]
    if case.wall is not None:
        yield from unknown_id("wall", case.wall, case_pointer("wall"), walls)
    yield from weapon_faults(field, case.shooter, case.weapon, "missile")


def _itself(member: str, id_: str, targets: tuple[str, ...]) -> Iterator[Fault]:
    for index, target in enumerate(targets):
        if target == id_:
            text = "a figure cannot attack itself"
            yield case_fault(f"{member}/{index}", "itself", text, target, "another figure in play")


def shoot(table: Table, state: State[ShootCase]) -> Decided[ShotAnswer]:
    """How a shot goes: whether it is allowed, its modifiers, rolls and damage, and what becomes of the target."""
    field, case = state.field, state.case
    reasons: list[Reason] = []
    if case.wall is not None:
        return _at_wall(table, state, case.wall)
    for target in dict.fromkeys(case.targets):
        reasons += shooting.violations(table, field, case.shooter, case.weapon, target, case.cleared_jam)
    reasons += shooting.rapid_fire(table, field, case.weapon, case.targets)
    reasons += jams.time_violations(table, field, case.shooter, case.moved, case.cleared_jam)
    forbid(reasons)
    hasty = shot_modifiers.hasty(table, field, case.shooter, case.moved)
    after, outcomes = shooting.resolve_shots(
        table, field, case.shooter, case.weapon, case.targets, hasty, case.cleared_jam, case.extra
    )
    return Decided(_answer(after, outcomes), after.scene)


def _at_wall(table: Table, state: State[ShootCase], wall: str) -> Decided[ShotAnswer]:
    field, case = state.field, state.case
    reach = field.book.weapons[case.weapon].range_in or 0.0
    forbid(
        shooting.weapon_violations(table, field, case.shooter, case.weapon, case.cleared_jam),
        power_places.shot_violations(table, field, case.shooter, reach, wall),
        jams.time_violations(table, field, case.shooter, case.moved, case.cleared_jam),
    )
    if case.cleared_jam:
        field = jams.clear_jam(table, field, case.shooter, case.weapon)
    after, is_broken, is_jammed = power_places.shot_at(table, field, case.shooter, case.weapon, wall)
    return Decided(ShotAnswer(int(is_broken), 0, 0, 0, is_jammed, None, ()), after.scene)


def _answer(after: Battlefield, outcomes: tuple[AttackOutcome, ...]) -> ShotAnswer:
    """Sum the outcomes of attacks."""
    return ShotAnswer(
        sum(outcome.hit for outcome in outcomes),
        sum(outcome.damage for outcome in outcomes),
        sum(outcome.stunned for outcome in outcomes),
        sum(outcome.out for outcome in outcomes),
        any(outcome.jammed for outcome in outcomes),
        after.health(after.figure(outcomes[0].target)) if outcomes else None,
        outcomes,
    )


# Flames


class FlameCase(FactCase, frozen=True):
    """An attack of a `shooter` with a flame thrower, towards a place of the table.

    The size of the template is a sample: with `touched` the case says itself whom it touches, and `towards` is not
    needed.
    """

    scene: Scene
    shooter: Id
    towards: Place | None = None
    touched: Annotated[tuple[Id, ...], Meta(max_length=20)] | None = None
    weapon: Id = flames.FLAME_THROWER
    moved: Moved = "no"
    cleared_jam: bool = False
    extra: Annotated[ShotExtra, Meta(description="Modifiers of powers and scenarios.")] = NOTHING


def _flame_faults(field: Battlefield, case: FlameCase) -> Iterator[Fault]:
    named = case.touched or ()
    yield from _itself("touched", case.shooter, named)
    if len(set(named)) < len(named):
        text = "a figure is listed more than once"
        yield case_fault("touched", "repeated-id", text, list(named), "each figure once")
    if (case.towards is None) == (case.touched is None):
        text, expected = "the flames need either a direction or a list of targets", "either `towards` or `touched`"
        yield case_fault("towards", "direction", text, case.towards, expected)
    elif case.towards is not None:
        yield from off_table(field, case.towards, "towards")
        if point(case.towards) == field.solid(field.figure(case.shooter)).at:
            text = "the flames need a direction, not the place itself"
            expected = "a place other than that of the shooter"
            yield case_fault("towards", "direction", text, list(case.towards), expected)
    yield from weapon_faults(field, case.shooter, case.weapon, "flame")


def flame(table: Table, state: State[FlameCase]) -> Decided[ShotAnswer]:
    """How an attack with a flame thrower goes: whom its template touches, and one attack on each of them."""
    field, case = state.field, state.case
    forbid(
        shooting.weapon_violations(table, field, case.shooter, case.weapon, case.cleared_jam),
        jams.time_violations(table, field, case.shooter, case.moved, case.cleared_jam),
    )
    touched = case.touched or ()
    if case.towards is not None:
        touched = flames.touched(table, field, case.shooter, case.weapon, case.towards)
    hasty = shot_modifiers.hasty(table, field, case.shooter, case.moved)
    after, outcomes = flames.burn(table, field, case.shooter, case.weapon, touched, hasty, case.cleared_jam, case.extra)
    return Decided(_answer(after, outcomes), after.scene)


# Grenades


class GrenadeCase(FactCase, frozen=True):
    """A grenade of some `kind`; the `thrower` throws it, or fires it from a launcher.

    It goes to a point so many inches above the table.

    Without a board the players see where the point is, and `at` is left out.
    """

    scene: Scene
    thrower: Id
    kind: Kind
    at: Place | None = None
    elevation_in: Inches = 0.0
    launcher: bool = False
    moved: Moved = "no"
    cleared_jam: Annotated[bool, Meta(description="Whether its launcher was jammed and has been cleared.")] = False
    extra: Annotated[ShotExtra, Meta(description="Modifiers of powers and scenarios.")] = NOTHING


class GrenadeAnswer(Value, frozen=True):
    """How a grenade went: where it landed, what was added to its roll, and its attacks.

    `landed`: `on the point`, `scattered` or `lost`; the place itself is in the event `grenade`. The other members are
    those of any attack, with `remaining` for the first figure in the blast.
    """

    landed: str
    bonus: int
    modifiers: tuple[Modifier, ...]
    hits: int
    damage: int
    stunned: int
    out: int
    jammed: bool
    remaining: int | None
    attacks: tuple[AttackOutcome, ...]


def _grenade_faults(field: Battlefield, case: GrenadeCase) -> Iterator[Fault]:
    if case.at is not None:
        yield from off_table(field, case.at, "at")
    elif field.measures():
        text = "the grenade needs a point at which it is aimed"
        yield case_fault("at", "no-place", text, None, "a place of the table")
    if grenades.weapon_of(field, case.thrower, case.kind, case.launcher) is None:
        carried = ", ".join(shooting.armed(field, field.figure(case.thrower)))
        member, required = ("launcher", "grenade launcher") if case.launcher else ("kind", f"{case.kind} grenade")
        text, expected = f"{case.thrower} has no {required}", f"a figure with a {required}"
        yield case_fault(member, "unknown-weapon", text, carried, expected, OTHER_WEAPONS)


def grenade(table: Table, state: State[GrenadeCase]) -> Decided[GrenadeAnswer]:
    """How a grenade goes: whether it lands on its point, where it scatters to, its smoke, or its blast."""
    field, case = state.field, state.case
    at = NOWHERE if case.at is None else case.at
    weapon = grenades.weapon_of(field, case.thrower, case.kind, case.launcher) or ""
    forbid(
        grenades.violations(table, field, case.thrower, weapon, at, case.elevation_in, case.cleared_jam),
        jams.time_violations(table, field, case.thrower, case.moved, case.cleared_jam),
    )
    if case.cleared_jam:
        field = jams.clear_jam(table, field, case.thrower, weapon)
    after, landing, modifiers, bonus, outcomes = grenades.resolve_throw(
        table, field, case.thrower, weapon, case.kind, at, case.elevation_in, case.moved, case.extra
    )
    shot = replace(_answer(after, outcomes), jammed=landing.launcher_jams)
    return Decided(GrenadeAnswer(landing.how, bonus, modifiers, *astuple(shot)), after.scene)


QUESTIONS = (
    Question("shoot", ShootCase, prepared("shooter", "targets", "weapon", faults=_shot_faults), shoot, dice=True),
    Question("flame", FlameCase, prepared("shooter", "touched", "weapon", faults=_flame_faults), flame, dice=True),
    Question("grenade", GrenadeCase, prepared("thrower", faults=_grenade_faults), grenade, dice=True),
)
