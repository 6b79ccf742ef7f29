"""Special actions: activating a power, unlocking and picking up loot and using a medic kit."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault, Faults, pointer
from arbiter.geometry.plane.faults import overlap
from arbiter.nowhere import ELSEWHERE
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.skirmish.plane import point
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, in_play
from services.stargrave.book import Power
from services.stargrave.checks import absent, checked_case, off_table, on_table
from services.stargrave.questions.state import State
from services.stargrave.rules import loot, medicine, power_aims, power_moves, power_places, power_tokens, powers
from services.stargrave.rules.grenades import Kind
from services.stargrave.rules.power_aims import PowerAim
from services.stargrave.rules.powers import When
from services.stargrave.scene import Place, Scene


def _fault(member: str, code: str, message: str, seen: object, expected: str) -> Fault:
    return Fault(pointer("case", member), code, message, seen, expected)


# Powers


class PowerCase(FactCase, frozen=True):
    """An attempt of a `user` to activate a `power`, by its id: on whom or what, and what may be spent.

    `of_background` says whether the power is of the user's background. `exertion` is the Health that may be spent; left
    out, the ruling needs the choice. With `when: break-free` a robot under Control Robot has activated and tries to
    break free: `success` says whether it stays under control. How high a figure or token comes to be at `to` is what
    stands under that place.
    """

    scene: Scene
    user: Id
    power: Id
    target: Annotated[Id | None, Meta(description="The figure it is aimed at.")] = None
    token: Annotated[Id | None, Meta(description="The loot token it is aimed at.")] = None
    to: Annotated[Place | None, Meta(description="Where it moves its target, its token, or its user.")] = None
    other: Annotated[
        Id | None, Meta(description="Whom a robot shoots at by Remote Firing, or who throws by Target Lock.")
    ] = None
    touched: Annotated[
        tuple[Id, ...], Meta(max_length=20, description="Whom the templates of Psionic Fire touch.")
    ] = ()
    wall: Annotated[tuple[Place, Place] | None, Meta(description="The two ends of a wall that it puts up.")] = None
    towards: Annotated[
        tuple[Place, ...], Meta(max_length=4, description="Where templates of Psionic Fire point, if not `touched`.")
    ] = ()
    grenade: Annotated[Kind | None, Meta(description="The kind of grenade for Target Lock, which lands at `to`.")] = (
        None
    )
    when: When = "game"
    of_background: bool = True
    exertion: Annotated[int, Meta(ge=0, le=40)] | None = None


class PowerAnswer(Value, frozen=True):
    """How the attempt went: the number that was to be reached, what it cost, and what the power did."""

    number: int
    success: bool
    exertion: Annotated[int, Meta(description="The Health spent on the roll.")]
    strain: Annotated[int, Meta(description="The Health that the power cost.")]
    health: Annotated[int, Meta(description="The Health that the user has left.")]
    resisted: Annotated[bool, Meta(description="Whether the target resisted.")]
    damage: Annotated[int, Meta(description="The Health that the target lost.")]
    restored: Annotated[int, Meta(description="The Health that was restored.")]
    lasts_on: Annotated[Id | None, Meta(description="The figure on which the power is now.")]
    unlocked: Annotated[Id | None, Meta(description="The token that was unlocked.")]
    moved: Annotated[Id | None, Meta(description="The figure that was moved, or stands up again.")]
    token_moved: Annotated[Id | None, Meta(description="The token that was moved or handed over.")]
    placed: Annotated[Id | None, Meta(description="The drone or wall that was put on the table.")]
    gist: Annotated[str, Meta(description="What the power does; what has no number here is the players' to carry out.")]


@dataclass(frozen=True)
class PowerState:
    """The battlefield, the case and what the power is aimed at."""

    field: Battlefield
    case: PowerCase
    aim: PowerAim


def prepare_power(case: PowerCase) -> PowerState:
    """Find the user, its power and what that is aimed at; raises `Faults`."""
    named = [("user", "figure", case.user)]
    named += [("target", "figure", case.target)] if case.target is not None else []
    named += [("token", "token", case.token)] if case.token is not None else []
    named += [("other", "figure", case.other)] if case.other is not None else []
    named += [(f"touched/{index}", "figure", id_) for index, id_ in enumerate(case.touched)]
    named.append(("power", "power", case.power))
    field = checked_case(case.scene, *named)
    if faults := tuple(_power_faults(field, case)):
        raise Faults(faults)
    to, wall, needed = case.to, case.wall, field.book.powers[case.power].needs
    if not field.measures():
        to = ELSEWHERE if to is None and "to" in needed else to
        wall = (ELSEWHERE, ELSEWHERE) if wall is None and "wall" in needed else wall
    aim = PowerAim(case.target, case.token, to, case.other, case.touched, wall, case.towards, case.grenade)
    return PowerState(field, case, aim)


def _power_faults(field: Battlefield, case: PowerCase) -> Iterator[Fault]:
    if case.when == "game":
        yield from absent(field, "user", case.user)
    powers = [power.id for power in field.profile(field.figure(case.user)).powers]
    if case.power not in powers:
        yield _fault(
            "power",
            "unknown-power",
            f"{case.user} does not know {case.power!r}",
            case.power,
            "one of " + ", ".join(powers) if powers else "a figure whose profile has powers",
        )
        return
    power = field.book.powers[case.power]
    if case.when == "game" or power.lasts == "permanent":
        yield from _missing(field, case, power)
    for index, id_ in enumerate(case.touched):
        yield from absent(field, f"touched/{index}", id_)
        if id_ == case.user or id_ in case.touched[:index]:
            yield _fault(
                f"touched/{index}",
                "repeated-figure",
                f"{id_} is listed twice, or is the user",
                id_,
                "each figure once, but for the user",
            )
    if case.to is not None:
        yield from _place_faults(field, case, power, case.to)
    for index, end in enumerate(case.wall or ()):
        yield from off_table(field, end, "wall", index)
    if case.wall is not None and point(case.wall[0]) == point(case.wall[1]):
        yield _fault("wall", "no-length", "a wall has two ends", list(case.wall[0]), "two places")
    for index, place in enumerate(case.towards):
        yield from off_table(field, place, "towards", index)
        at = field.figure(case.user).at
        if at is not None and point(place) == point(at):
            yield _fault(f"towards/{index}", "direction", "a template needs a direction", list(place), "another place")
    if case.when == "break-free" and case.target is None:
        yield _fault("target", "no-target", "a robot breaks free", None, "the robot under control")


NEEDED = {
    "target": ("no-target", "works on a figure", "the figure it is aimed at"),
    "other": ("no-target", "has a robot shoot at somebody", "the figure that is shot at"),
    "token": ("no-token", "works on a loot token", "the token it is aimed at"),
    "to": ("no-place", "moves somebody or something, or puts it down", "the place where that ends"),
    "wall": ("no-place", "puts up a wall", "the two ends of the wall"),
    "grenade": ("no-grenade", "has a grenade thrown", "the kind of grenade"),
}


PLACES = ("to", "wall")
"""What the players see to themselves without a board."""


def _missing(field: Battlefield, case: PowerCase, power: Power) -> Iterator[Fault]:
    for member in power.needs:
        if getattr(case, member) is None and (member not in PLACES or field.measures()):
            code, does, expected = NEEDED[member]
            yield _fault(member, code, f"{power.name} {does}", None, expected)


def _place_faults(field: Battlefield, case: PowerCase, power: Power, to: Place) -> Iterator[Fault]:
    if power_tokens.moves(power):
        yield from _token_place_faults(field, case, power, to)
        return
    who = case.target or case.user
    if power.id in (power_places.DRONE, power_places.TARGET_LOCK):
        yield from off_table(field, to, "to")
        return
    if not power_moves.moves(power):
        yield _fault("to", "moves-nobody", f"{power.name} moves nobody", list(to), "nothing")
        return
    figure = field.figure(who)
    raised = power.id == power_aims.PUPPET_MASTER
    if in_play(figure) == raised:
        return
    inches = power.move_in
    if inches is not None and power_moves.out_of_reach(field, power, who, to, inches):
        yield _fault(
            "to",
            "too-far",
            f"{power.name} moves no further than {inches} inches",
            list(to),
            f"a place within {inches} inches of {who}",
        )
    there = field.solid(power_moves.put(field, figure, to))
    (x, y), r = there.at, there.radius
    if not (r <= x <= field.ground.width - r and r <= y <= field.ground.depth - r):
        yield _fault(
            "to", "off-the-table", f"{who} does not stand on the table there", list(to), "a place on the table"
        )
    for other in field.figures:
        if other.id != who and overlap(there, field.solid(other)):
            yield _fault("to", "figures-overlap", f"{other.id} stands there", list(to), "a free place")


def _token_place_faults(field: Battlefield, case: PowerCase, power: Power, to: Place) -> Iterator[Fault]:
    token = power_tokens.token_of(field, PowerAim(case.target, case.token))
    inches = power.move_in or 0.0
    if token is not None and power_tokens.out_of_reach(field, token, to, inches):
        yield _fault(
            "to",
            "too-far",
            f"{power.name} moves no further than {inches} inches",
            list(to),
            f"a place within {inches} inches of {token}",
        )
    yield from off_table(field, to, "to")


def decide_power(table: Table, state: PowerState) -> Decided[PowerAnswer]:
    """Decide whether a power may be used, whether it is activated, what that costs and what it does."""
    field, case = state.field, state.case
    power = powers.card(table, field, case.power)
    if case.when == "break-free":
        return _break_free(table, state, power, case.target or "")
    if reasons := powers.violations(table, field, case.user, power, state.aim, case.when):
        raise Forbidden(*reasons)
    after, use = powers.use(table, field, case.user, power, state.aim, case.of_background, case.exertion)
    done = use.effect
    answer = PowerAnswer(
        use.number,
        use.success,
        use.exertion,
        use.strain,
        after.health(after.figure(case.user)),
        done.resisted,
        done.damage,
        done.restored,
        done.lasts_on,
        done.unlocked,
        done.moved,
        done.token_moved,
        done.placed,
        power.gist,
    )
    return Decided(answer, after.scene)


def _break_free(table: Table, state: PowerState, power: Power, target: str) -> Decided[PowerAnswer]:
    field, user = state.field, state.case.user
    if reasons := powers.controlled(table, field, user, power, target):
        raise Forbidden(*reasons)
    after, is_free = powers.break_free(table, field, power, target)
    health, wanted = field.health(field.figure(user)), power.resist.target if power.resist else 0
    on = None if is_free else target
    answer = PowerAnswer(wanted, not is_free, 0, 0, health, is_free, 0, 0, on, None, None, None, None, power.gist)
    return Decided(answer, after.scene)


POWER = Question(
    name="power",
    gist="How an attempt to activate a power goes: the roll, exertion, strain, and what the power does.",
    case=PowerCase,
    answer=PowerAnswer,
    prepare=prepare_power,
    rule=decide_power,
    dice=True,
)


# Loot


class LootCase(FactCase, frozen=True):
    """A `figure` unlocks a loot `token` or picks it up.

    `same_activation`: what it unlocked itself it did so just now.
    """

    scene: Scene
    figure: Id
    token: Id
    deed: Literal["unlock", "pick-up"] = "unlock"
    same_activation: bool = True


class LootAnswer(Value, frozen=True):
    """Whether it worked, whether it costs an action, and what the figure carries then."""

    success: bool
    costs_action: bool
    unlocked: bool
    carries: Id | None


def prepare_loot(case: LootCase) -> State[LootCase]:
    """Find the figure and the token; raises `Faults`."""
    field = checked_case(case.scene, ("figure", "figure", case.figure), ("token", "token", case.token))
    if faults := tuple(absent(field, "figure", case.figure)):
        raise Faults(faults)
    return State(field, case)


def decide_loot(table: Table, state: State[LootCase]) -> Decided[LootAnswer]:
    """Decide whether a figure may unlock a token or pick it up, and how that goes."""
    field, (figure, token) = state.field, (state.case.figure, state.case.token)
    unlocking = state.case.deed == "unlock"
    violations = loot.unlock_violations if unlocking else loot.pick_up_violations
    if reasons := violations(table, field, figure, token):
        raise Forbidden(*reasons)
    if unlocking:
        after, success = loot.unlock(table, field, figure, token)
        costs = True
    else:
        after, costs = loot.pick_up(table, field, figure, token, state.case.same_activation)
        success = True
    answer = LootAnswer(success, costs, after.token(token).unlocked, after.figure(figure).carries)
    return Decided(answer, after.scene)


LOOT = Question(
    name="loot",
    gist="Whether a figure unlocks a loot token, or picks it up, and what that costs.",
    case=LootCase,
    answer=LootAnswer,
    prepare=prepare_loot,
    rule=decide_loot,
    dice=True,
)


# Medicine


class HealCase(FactCase, frozen=True):
    """A `medic` uses its medic kit on a `patient`, who may be itself."""

    scene: Scene
    medic: Id
    patient: Id


class HealAnswer(Value, frozen=True):
    """The conditions that are removed, and whether the action may replace the medic's Move."""

    removed: tuple[medicine.State, ...]
    instead_of_move: bool


def prepare_heal(case: HealCase) -> State[HealCase]:
    """Find both figures; raises `Faults`."""
    return State(on_table(case.scene, ("medic", case.medic), ("patient", case.patient)), case)


def decide_heal(table: Table, state: State[HealCase]) -> Decided[HealAnswer]:
    """Decide whether a medic kit may be used on a figure, and what it does for it."""
    field, (medic, patient) = state.field, (state.case.medic, state.case.patient)
    if reasons := medicine.violations(table, field, medic, patient):
        raise Forbidden(*reasons)
    removed = medicine.removes(field, patient)
    after = medicine.tended(table, field, patient)
    return Decided(HealAnswer(removed, medicine.instead_of_move(table)), after.scene)


HEAL = Question(
    name="heal",
    gist="Whether a medic kit may be used on a figure, and what it removes.",
    case=HealCase,
    answer=HealAnswer,
    prepare=prepare_heal,
    rule=decide_heal,
    dice=False,
)

QUESTIONS = (POWER, LOOT, HEAL)
