"""Shooting: how a shot, the flames of a flame thrower, and a grenade go."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault, Faults, pointer
from arbiter.nowhere import NOWHERE
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.faults import unknown_id
from arbiter.skirmish.fields import Id
from arbiter.skirmish.plane import point
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import off_table, on_table
from services.stargrave.profiles import Inches
from services.stargrave.questions.sight import enumerated, weapon_of
from services.stargrave.questions.state import State
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


def prepare_shoot(case: ShootCase) -> State[ShootCase]:
    """Find shooter, weapon and targets; raises `Faults`."""
    weapon = ("weapon", "weapon", case.weapon)
    field = on_table(case.scene, ("shooter", case.shooter), *enumerated("targets", case.targets), also=(weapon,))
    faults = list(_itself(case.shooter, case.targets, "targets"))
    if (case.wall is None) == (not case.targets):
        text = "a shot has targets or a wall, and not both"
        faults.append(
            Fault(pointer("case", "targets"), "targets-or-wall", text, list(case.targets), "`targets` or `wall`")
        )
    walls = [piece.id for piece in field.scene.board.pieces if piece.power == wards.FORCE_WALL]
    if case.wall is not None:
        faults += unknown_id("wall", case.wall, pointer("case", "wall"), walls)
    if faults:
        raise Faults(faults)
    weapon_of(field, case.shooter, case.weapon, "missile")
    return State(field, case)


def _itself(id_: str, targets: tuple[str, ...], member: str) -> Iterator[Fault]:
    for index, target in enumerate(targets):
        if target == id_:
            yield Fault(
                pointer("case", member, index),
                "itself",
                "a figure cannot attack itself",
                target,
                "another figure in play",
            )


def shoot(table: Table, state: State[ShootCase]) -> Decided[ShotAnswer]:
    """Decide a shot: whether it may be declared, its modifiers, rolls and damage, and what becomes of the target."""
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
    return Decided(shot_answer(after, outcomes), after.scene)


def _at_wall(table: Table, state: State[ShootCase], wall: str) -> Decided[ShotAnswer]:
    field, case = state.field, state.case
    reach = field.book.weapons[case.weapon].range_in or 0.0
    forbid(
        [
            *shooting.weapon_violations(table, field, case.shooter, case.weapon, case.cleared_jam),
            *power_places.shot_violations(table, field, case.shooter, reach, wall),
            *jams.time_violations(table, field, case.shooter, case.moved, case.cleared_jam),
        ]
    )
    if case.cleared_jam:
        field = jams.clear_jam(table, field, case.shooter, case.weapon)
    after, is_broken, is_jammed = power_places.shot_at(table, field, case.shooter, case.weapon, wall)
    return Decided(ShotAnswer(int(is_broken), 0, 0, 0, is_jammed, None, ()), after.scene)


def forbid(reasons: list[Reason]) -> None:
    """Raise `Forbidden` with every distinct reason, if there are any."""
    if reasons:
        raise Forbidden(*{reason.text: reason for reason in reasons}.values())


def shot_answer(after: Battlefield, outcomes: tuple[AttackOutcome, ...]) -> ShotAnswer:
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


def prepare_flame(case: FlameCase) -> State[FlameCase]:
    """Find the shooter, its flame thrower and those whom it touches; raises `Faults`."""
    named = case.touched or ()
    weapon = ("weapon", "weapon", case.weapon)
    field = on_table(case.scene, ("shooter", case.shooter), *enumerated("touched", named), also=(weapon,))
    faults = list(_itself(case.shooter, named, "touched"))
    if len(set(named)) < len(named):
        faults.append(
            Fault(
                pointer("case", "touched"),
                "repeated-id",
                "a figure is listed more than once",
                list(named),
                "each figure once",
            )
        )
    if (case.towards is None) == (case.touched is None):
        faults.append(
            Fault(
                pointer("case", "towards"),
                "direction",
                "the flames need either a direction or a list of targets",
                case.towards,
                "either `towards` or `touched`",
            )
        )
    elif case.towards is not None:
        faults += off_table(field, case.towards, "towards")
        if point(case.towards) == field.solid(field.figure(case.shooter)).at:
            faults.append(
                Fault(
                    pointer("case", "towards"),
                    "direction",
                    "the flames need a direction, not the place itself",
                    list(case.towards),
                    "a place other than that of the shooter",
                )
            )
    if faults:
        raise Faults(faults)
    weapon_of(field, case.shooter, case.weapon, "flame")
    return State(field, case)


def flame(table: Table, state: State[FlameCase]) -> Decided[ShotAnswer]:
    """Decide an attack with a flame thrower: whom it touches, and one attack on each of them."""
    field, case = state.field, state.case
    forbid(
        [
            *shooting.weapon_violations(table, field, case.shooter, case.weapon, case.cleared_jam),
            *jams.time_violations(table, field, case.shooter, case.moved, case.cleared_jam),
        ]
    )
    touched = case.touched or ()
    if case.towards is not None:
        touched = flames.touched(table, field, case.shooter, case.weapon, case.towards)
    hasty = shot_modifiers.hasty(table, field, case.shooter, case.moved)
    after, outcomes = flames.burn(table, field, case.shooter, case.weapon, touched, hasty, case.cleared_jam, case.extra)
    return Decided(shot_answer(after, outcomes), after.scene)


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


@dataclass(frozen=True)
class GrenadeState:
    """The battlefield, the case, and the weapon that throws or fires."""

    field: Battlefield
    case: GrenadeCase
    weapon: str
    at: Place


def prepare_grenade(case: GrenadeCase) -> GrenadeState:
    """Find the thrower and its grenade; raises `Faults`."""
    field = on_table(case.scene, ("thrower", case.thrower))
    faults = [] if case.at is None else list(off_table(field, case.at, "at"))
    if case.at is None and field.measures():
        text = "the grenade needs a point at which it is aimed"
        faults.append(Fault(pointer("case", "at"), "no-place", text, None, "a place of the table"))
    weapon = grenades.weapon_of(field, case.thrower, case.kind, case.launcher)
    if weapon is None:
        carried = ", ".join(shooting.armed(field, field.figure(case.thrower)))
        required = "grenade launcher" if case.launcher else f"{case.kind} grenade"
        faults.append(
            Fault(
                pointer("case", "launcher" if case.launcher else "kind"),
                "unknown-weapon",
                f"{case.thrower} has no {required}",
                carried,
                f"a figure with a {required}",
                "give the figure `weapons` in the scene if it has others than its profile",
            )
        )
    if faults or weapon is None:
        raise Faults(faults)
    return GrenadeState(field, case, weapon, NOWHERE if case.at is None else case.at)


def grenade(table: Table, state: GrenadeState) -> Decided[GrenadeAnswer]:
    """Decide a grenade: whether it may be thrown there, where it lands, and what it does there."""
    field, case = state.field, state.case
    forbid(
        [
            *grenades.violations(
                table, field, case.thrower, state.weapon, state.at, case.elevation_in, case.cleared_jam
            ),
            *jams.time_violations(table, field, case.thrower, case.moved, case.cleared_jam),
        ]
    )
    if case.cleared_jam:
        field = jams.clear_jam(table, field, case.thrower, state.weapon)
    after, landing, modifiers, bonus, outcomes = grenades.resolve_throw(
        table, field, case.thrower, state.weapon, case.kind, state.at, case.elevation_in, case.moved, case.extra
    )
    answer = shot_answer(after, outcomes)
    return Decided(
        GrenadeAnswer(
            landing.how,
            bonus,
            modifiers,
            answer.hits,
            answer.damage,
            answer.stunned,
            answer.out,
            landing.launcher_jams,
            answer.remaining,
            outcomes,
        ),
        after.scene,
    )


SHOOT = Question(
    name="shoot",
    gist="How a shot goes: whether it is allowed, its modifiers, rolls and damage, and what becomes of the target.",
    case=ShootCase,
    answer=ShotAnswer,
    prepare=prepare_shoot,
    rule=shoot,
    dice=True,
)

FLAME = Question(
    name="flame",
    gist="How an attack with a flame thrower goes: whom its template touches, and one attack on each of them.",
    case=FlameCase,
    answer=ShotAnswer,
    prepare=prepare_flame,
    rule=flame,
    dice=True,
)

GRENADE = Question(
    name="grenade",
    gist="How a grenade goes: whether it lands on its point, where it scatters to, its smoke, or its blast.",
    case=GrenadeCase,
    answer=GrenadeAnswer,
    prepare=prepare_grenade,
    rule=grenade,
    dice=True,
)

QUESTIONS = (SHOOT, FLAME, GRENADE)
