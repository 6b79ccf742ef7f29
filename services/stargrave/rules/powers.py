"""Powers: how hard one is to activate, the roll and exertion, strain, and whom it may be used on.

Follows "Activating a Power"; classes and ranges stand in the research notes. What a target has to be is in
`power_aims`, what a power does in `effects`.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import asdict, replace

from arbiter.dice import D20
from arbiter.option import Option
from arbiter.rule import Reason, rule
from arbiter.skirmish.fields import Id
from arbiter.skirmish.reasons import beside, violations_rule
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.book import Power, row
from services.stargrave.rules import effects, harm, power_aims, power_figures, power_moves, power_places, power_reach
from services.stargrave.rules.power_aims import PowerAim
from services.stargrave.scene import OFFICERS

When = Literal["game", "before", "after", "break-free"]


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


def card(table: Table, field: Battlefield, power_id: str) -> Power:
    """Give a power's numbers, by the reading that is named where the sources part."""
    power = field.book.powers[power_id]
    for other in row("powers", power_id)["disputed"]:
        if table.read(other["reading"]) == other["option"]:
            changed = {key: value for key, value in other.items() if key not in ("reading", "option")}
            return replace(power, **{**changed, "classes": tuple(changed.get("classes", power.classes))})
    return power


@rule(
    "powers.activation_number",
    cites=("powers/activation-number", "crew/activation-penalty"),
    neutral=lambda field, user, power, of_background: power.activation,
)
def activation_number(table: Table, field: Battlefield, user: str, power: Power, of_background: bool) -> int:
    """Decide what a roll has to reach: the power's number, or the user's own for it.

    To the power's number captains and first mates add what their office does, less for a power of their background.
    """
    figure = field.figure(user)
    own = next((own_power.activation for own_power in field.profile(figure).powers if own_power.id == power.id), None)
    if own is not None:
        text = "{power} of {name} has the Activation Number {number}"
        table.find(text, cites="powers/activation-number", power=power.name, name=field.name(figure), number=own)
        return own
    office = row("officers", figure.role) if figure.role in OFFICERS else None
    more = int(office["activation_core" if of_background else "activation_other"]) if office else 0
    number = power.activation + more
    text = "{power} has the Activation Number {number}"
    table.find(text, cites="powers/activation-number", power=power.name, number=power.activation)
    if more:
        table.find("For {name} it is {number}", cites="crew/activation-penalty", name=field.name(figure), number=number)
    return number


# On whom


def violations(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim, when: When) -> Reasons:
    """List the violations of using a power now, on its aim."""
    untimely = in_time(table, power, when)
    if untimely:
        return untimely
    fitting = power_aims.violations(table, field, user, power, aim)
    if when != "game":
        return fitting
    return (
        *beside(fitting, lambda: tuple(power_reach.violations(table, field, user, power, aim)), ()),
        *fitting,
        *beside(fitting, lambda: tuple(_placed_or_moved(table, field, user, power, aim)), ()),
    )


def _placed_or_moved(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim) -> Iterator[Reason]:
    """List the violations of whom a power moves, of what it puts on the table, and of whom a robot is to shoot at."""
    yield from power_moves.violations(table, field, user, power, aim)
    yield from place_violations(table, field, user, power, aim)
    if power.id == effects.REMOTE:
        yield from power_reach.remote(table, field, power, aim.target, aim.other)


def place_violations(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim) -> Reasons:
    """List the violations of what a power puts on the table."""
    if aim.wall is not None and power.id in power_places.WALLS:
        return power_places.wall_violations(table, field, user, power, aim.wall)
    if aim.to is not None and power.id == power_places.DRONE:
        return power_places.drone_violations(table, field, user, aim.to)
    if aim.to is not None and aim.grenade is not None and power.id == power_places.TARGET_LOCK:
        thrower = aim.other or user
        return power_places.lock_violations(table, field, user, power, thrower, aim.grenade, aim.to)
    if power.id == power_places.FIRE:
        return power_places.fire_violations(table, field, user, power, aim.towards)
    return ()


@violations_rule("powers.in_time", cites="powers/out-of-game")
def in_time(table: Table, power: Power, when: When) -> Iterator[Reason]:
    """Decide whether a power may be used during the game, or before or after it."""
    played = not set(power.classes).isdisjoint(("self", "touch", "line-of-sight"))
    if not (played if when == "game" else when in power.classes):
        period = {"game": "during", "before": "before", "after": "after"}[when]
        yield table.reason("{power} cannot be used {when} a game", power=power.name, when=period)
    elif when != "game":
        table.find("{power} is used {when} a game", power=power.name, when=when)


# The attempt


@rule("powers.activate", cites=("powers/roll", "powers/activation-number"), neutral=(True, 0))
def activate(table: Table, field: Battlefield, user: str, number: int, most: int | None) -> tuple[bool, int]:
    """Decide whether an attempt to activate a power succeeds, and the Health spent on it.

    It takes a roll that reaches the number, with exertion.

    `most` is the Health that may be spent, None where the player is asked. When it is spent is the reading
    `exertion-when`: after the roll as much as is missing, or before it.
    """
    name = field.name(user)
    before = most != 0 and table.read("exertion-when") == "before"
    spent = _spent_before(table, field, user, number, most) if before else 0
    face = table.roll(D20, f"{user}: power")
    table.find("{name} rolls {face}", cites="powers/roll", name=name, face=face)
    missing = number - face - spent
    if missing > 0 and not before:
        spent = _spent_after(table, field, user, missing, most)
    total = face + exertion(table, name, spent)
    success = total >= number
    parts, outcome = {"exertion": spent}, "success" if success else "failure"
    table.record(f"{user}: power", modifiers=parts, total=total, needed=number, outcome=outcome)
    went = "reaches {number}: the power is activated" if success else "falls short of {number}: the attempt fails"
    table.find("{total} " + went, cites="powers/activation-number", total=total, number=number)
    return success, spent


@rule("powers.exertion", cites="powers/exertion", neutral=0)
def exertion(table: Table, name: str, spent: int) -> int:
    """Decide what Health that is spent adds to the roll: a point for a point."""
    if spent:
        table.find("{name} spends {spent} Health and adds it to the roll", name=name, spent=spent)
    return spent


def _affordable(table: Table, field: Battlefield, user: str, required: int) -> int:
    """Give how much of what is wanted may be spent; whether the last Health may is the reading `exertion-limit`."""
    health = field.health(field.figure(user))
    if required < health:
        return required
    return health - 1 if table.read("exertion-limit") == "keeps-one" else health


def _chosen(table: Table, field: Battlefield, user: str, options: tuple[int, ...]) -> int:
    """Let the player of a figure choose how much Health it spends."""

    def means(health: int) -> Option:
        return Option(health, f"spend {health or 'no'} Health", {"health": health})

    spent: int = table.choose(field.player(user), f"{user}: exertion", options, about=field, means=means)
    return spent


def _spent_before(table: Table, field: Battlefield, user: str, number: int, most: int | None) -> int:
    affordable = _affordable(table, field, user, number - 1 if most is None else most)
    return affordable if most is not None else _chosen(table, field, user, tuple(range(affordable + 1)))


def _spent_after(table: Table, field: Battlefield, user: str, missing: int, most: int | None) -> int:
    if (most is not None and missing > most) or _affordable(table, field, user, missing) < missing:
        return 0
    return missing if most is not None else _chosen(table, field, user, (0, missing))


@rule("powers.strain", cites=("powers/strain", "powers/strain-only-on-success"), neutral=0)
def strain(table: Table, field: Battlefield, user: str, power: Power, success: bool) -> int:
    """Decide what a power costs the figure that has tried it: its strain if it succeeded, else nothing.

    Whether it may take the last Health is the reading `strain-limit`.
    """
    figure = field.figure(user)
    if not success:
        text = "A failed attempt causes no strain for {name}"
        table.find(text, cites="powers/strain-only-on-success", name=field.name(figure))
        return 0
    cost, health = power.strain, field.health(figure)
    if cost >= health and table.read("strain-limit") == "keeps-one":
        cost = health - 1
    text = "The strain of {power} costs {name} {cost} Health" if cost else "{power} causes {name} no strain"
    table.find(text, cites="powers/strain", power=power.name, name=field.name(figure), cost=cost)
    return cost


def use(
    table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim, of_background: bool, most: int | None
) -> tuple[Battlefield, PowerAnswer]:
    """Give the battlefield after an attempt to activate an allowed power, and the outcome.

    Whether strain that fells its user comes before the effect is the reading `strain-order`.
    """
    number = activation_number(table, field, user, power, of_background)
    success, spent = table.call(activate, field, user, number, most)
    field = harm.harm(table, field, user, spent, user)
    alive = outlives(table, field, user, power)
    cost = strain(table, field, user, power, success) if alive else 0
    effect = effects.Effect()
    if success and alive:
        fells = cost and cost >= field.health(field.figure(user))
        if not (fells and table.read("strain-order") == "before"):
            field, effect = effects.effect(table, field, user, power, aim)
        if field.health(field.figure(user)):
            field = harm.harm(table, field, user, cost, user)
    left = field.health(field.figure(user))
    return field, PowerAnswer(number, success, spent, cost, left, gist=power.gist, **asdict(effect))


@rule("powers.outlives", cites="powers/exertion", neutral=True)
def outlives(table: Table, field: Battlefield, user: str, power: Power) -> bool:
    """Decide whether a power can still have an effect: not if exertion has taken its user out of the game.

    Health is spent on the roll, before the power is there; strain comes with it.
    """
    if field.health(field.figure(user)):
        return True
    table.find("Exertion takes {name} out of the game: {power} has no effect", name=field.name(user), power=power.name)
    return False


@rule("powers.break_free", cites="power/control-robot", neutral=lambda field, *_: (field, False))
def break_free(table: Table, field: Battlefield, power: Power, target: str) -> tuple[Battlefield, bool]:
    """Decide whether a robot under control that has activated breaks free: it does if it resists the power again."""
    if not effects.resists(table, field, target, power):
        table.find("{name} stays under {power}", name=field.name(target), power=power.name)
        return field, False
    return power_figures.freed(table, field, power, target), True


@violations_rule("powers.controlled", cites="power/control-robot")
def controlled(table: Table, field: Battlefield, user: str, power: Power, target: str) -> Iterator[Reason]:
    """Decide whether a figure may try to break free: it is under Control Robot, in the crew of the activator."""
    figure = field.figure(target)
    under = power.id == "control-robot" and harm.under(figure, power.id)
    if not under or figure.crew != field.figure(user).crew:
        yield table.reason("{target} is not under control", target=field.name(figure))
