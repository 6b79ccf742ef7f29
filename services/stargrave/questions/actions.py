"""Special actions: activating a power, unlocking and picking up loot, using a medic kit, and swimming."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import asdict

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.geometry.plane.faults import overlap
from arbiter.nowhere import ELSEWHERE
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import case_fault, forbid
from arbiter.skirmish.fields import Id
from arbiter.skirmish.plane import point
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, in_play
from services.stargrave.book import Power
from services.stargrave.checks import absent, off_table
from services.stargrave.geometry import footing
from services.stargrave.questions.cases import State, prepared
from services.stargrave.rules import (
    activation,
    loot,
    medicine,
    power_aims,
    power_moves,
    power_places,
    power_tokens,
    powers,
    swimming,
)
from services.stargrave.rules.effects import Effect
from services.stargrave.rules.grenades import Kind
from services.stargrave.rules.power_aims import PowerAim
from services.stargrave.rules.powers import When
from services.stargrave.scene import Place, Scene

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


def _power_faults(field: Battlefield, case: PowerCase) -> Iterator[Fault]:
    if case.when == "game":
        yield from absent(field, "user", case.user)
    user = field.figure(case.user)
    powers = [power.id for power in field.profile(user).powers]
    if case.power not in powers:
        expected = "one of " + ", ".join(powers) if powers else "a figure whose profile has powers"
        yield case_fault("power", "unknown-power", f"{user.id} does not know {case.power!r}", case.power, expected)
        return
    power = field.book.powers[case.power]
    if case.when == "game" or power.lasts == "permanent":
        yield from _missing(field, case, power)
    for index, id_ in enumerate(case.touched):
        where = f"touched/{index}"
        yield from absent(field, where, id_)
        if id_ == user.id or id_ in case.touched[:index]:
            text, expected = f"{id_} is listed twice, or is the user", "each figure once, but for the user"
            yield case_fault(where, "repeated-figure", text, id_, expected)
    if case.to is not None:
        yield from _place_faults(field, case, power, case.to)
    for index, end in enumerate(case.wall or ()):
        yield from off_table(field, end, "wall", index)
    if case.wall is not None and point(case.wall[0]) == point(case.wall[1]):
        yield case_fault("wall", "no-length", "a wall has two ends", list(case.wall[0]), "two places")
    for index, place in enumerate(case.towards):
        yield from off_table(field, place, "towards", index)
        if user.at is not None and point(place) == point(user.at):
            where, text = f"towards/{index}", "a template needs a direction"
            yield case_fault(where, "direction", text, list(place), "another place")
    if case.when == "break-free" and case.target is None:
        yield case_fault("target", "no-target", "a robot breaks free", None, "the robot under control")


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
            yield case_fault(member, code, f"{power.name} {does}", None, expected)


def _place_faults(field: Battlefield, case: PowerCase, power: Power, to: Place) -> Iterator[Fault]:
    if power_tokens.moves(power):
        token = power_tokens.token_of(field, PowerAim(case.target, case.token))
        if token is not None and power_tokens.out_of_reach(field, token, to, power.move_in or 0.0):
            yield _too_far(power, token, to)
        yield from off_table(field, to, "to")
        return
    who = case.target or case.user
    if power.id in (power_places.DRONE, power_places.TARGET_LOCK):
        yield from off_table(field, to, "to")
        return
    if not power_moves.moves(power):
        yield case_fault("to", "moves-nobody", f"{power.name} moves nobody", list(to), "nothing")
        return
    figure = field.figure(who)
    if in_play(figure) == (power.id == power_aims.PUPPET_MASTER):
        return
    if power.move_in is not None and power_moves.out_of_reach(field, power, who, to, power.move_in):
        yield _too_far(power, who, to)
    there = field.solid(power_moves.put(field, figure, to))
    if not footing.on_table(field, there, there.at):
        text = f"{who} does not stand on the table there"
        yield case_fault("to", "off-the-table", text, list(to), "a place on the table")
    for other in field.figures:
        if other.id != who and overlap(there, field.solid(other)):
            yield case_fault("to", "figures-overlap", f"{other.id} stands there", list(to), "a free place")


def _too_far(power: Power, moved: str, to: Place) -> Fault:
    inches = power.move_in or 0.0
    text, expected = f"{power.name} moves no further than {inches} inches", f"a place within {inches} inches of {moved}"
    return case_fault("to", "too-far", text, list(to), expected)


def _aim(field: Battlefield, case: PowerCase) -> PowerAim:
    """Give what a power is aimed at; the players see to the places that it needs where there is no board."""
    to, wall, needed = case.to, case.wall, field.book.powers[case.power].needs
    if not field.measures():
        to = ELSEWHERE if to is None and "to" in needed else to
        wall = (ELSEWHERE, ELSEWHERE) if wall is None and "wall" in needed else wall
    return PowerAim(case.target, case.token, to, case.other, case.touched, wall, case.towards, case.grenade)


def decide_power(table: Table, state: State[PowerCase]) -> Decided[PowerAnswer]:
    """How an attempt to activate a power goes: the roll, exertion, strain, and what the power does."""
    field, case = state.field, state.case
    power = powers.card(table, field, case.power)
    if case.when == "break-free":
        return _break_free(table, state, power, case.target or "")
    aim = _aim(field, case)
    forbid(powers.violations(table, field, case.user, power, aim, case.when))
    after, use = powers.use(table, field, case.user, power, aim, case.of_background, case.exertion)
    left = after.health(after.figure(case.user))
    answer = PowerAnswer(use.number, use.success, use.exertion, use.strain, left, gist=power.gist, **asdict(use.effect))
    return Decided(answer, after.scene)


def _break_free(table: Table, state: State[PowerCase], power: Power, target: str) -> Decided[PowerAnswer]:
    field, user = state.field, state.case.user
    forbid(powers.controlled(table, field, user, power, target))
    after, is_free = powers.break_free(table, field, power, target)
    health, wanted = field.health(field.figure(user)), power.resist.target if power.resist else 0
    effect = Effect(resisted=is_free, lasts_on=None if is_free else target)
    return Decided(PowerAnswer(wanted, not is_free, 0, 0, health, gist=power.gist, **asdict(effect)), after.scene)


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


def decide_loot(table: Table, state: State[LootCase]) -> Decided[LootAnswer]:
    """Whether a figure unlocks a loot token, or picks it up, and what that costs."""
    field, (figure, token) = state.field, (state.case.figure, state.case.token)
    success = costs = True
    if state.case.deed == "unlock":
        forbid(loot.unlock_violations(table, field, figure, token))
        after, success = loot.unlock(table, field, figure, token)
    else:
        forbid(loot.pick_up_violations(table, field, figure, token))
        after, costs = loot.pick_up(table, field, figure, token, state.case.same_activation)
    answer = LootAnswer(success, costs, after.token(token).unlocked, after.figure(figure).carries)
    return Decided(answer, after.scene)


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


def decide_heal(table: Table, state: State[HealCase]) -> Decided[HealAnswer]:
    """Whether a medic kit may be used on a figure, and what it removes."""
    field, (medic, patient) = state.field, (state.case.medic, state.case.patient)
    forbid(medicine.violations(table, field, medic, patient))
    removed = medicine.removes(field, patient)
    after = medicine.tended(table, field, patient)
    return Decided(HealAnswer(removed, medicine.instead_of_move(table)), after.scene)


# Swimming


class SwimCase(Value, frozen=True):
    """A `figure` in deep water makes its swimming roll, with the sum of the modifiers that the players know of."""

    scene: Scene
    figure: Id
    modifiers: Annotated[int, Meta(ge=-20, le=20)] = 0


class SwimAnswer(Value, frozen=True):
    """Whether it swims, what it loses, and how many actions it has."""

    success: bool
    damage: int
    health: int
    actions: int


def decide_swim(table: Table, state: State[SwimCase]) -> Decided[SwimAnswer]:
    """Whether a figure in deep water swims: its Will roll, the damage, and the actions it has."""
    field, id_ = state.field, state.case.figure
    after, short = swimming.swim(table, field, id_, state.case.modifiers)
    left = after.health(after.figure(id_))
    acts = swimming.may_act(table, short)
    actions = activation.actions(table, after, id_) if acts and left else 0
    if left and not acts:
        # The activation has begun, and there is nothing in it.
        after = activation.begin(table, after, id_)
    return Decided(SwimAnswer(not short, field.health(field.figure(id_)) - left, left, actions), after.scene)


QUESTIONS = (
    Question(
        "power",
        PowerCase,
        prepared("user", "target", "token", "other", "touched", "power", in_play=False, faults=_power_faults),
        decide_power,
        dice=True,
    ),
    Question("loot", LootCase, prepared("figure", "token"), decide_loot, dice=True),
    Question("heal", HealCase, prepared("medic", "patient"), decide_heal),
    Question("swim", SwimCase, prepared("figure"), decide_swim, dice=True),
)
