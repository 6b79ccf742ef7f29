"""Aims: the requirements on a power's target and tokens, and on its user.

All of it is checked before any roll. What a target has to be stands in the row of a power, word by word, after
the research notes; where it may be moved is in `power_moves`.
"""

from collections.abc import Callable, Iterator
from typing import Literal

from arbiter.rule import Reason
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Ids, in_play
from services.stargrave.book import Power
from services.stargrave.profiles import Weapon
from services.stargrave.rules import combat, loot, sight, wards
from services.stargrave.rules.lengths import in_inches
from services.stargrave.scene import OFFICERS, Figure, Place, Token

COMBAT_ARMOUR = "combat-armour"

ARMOUR_PLATES, VOID_BLADE = "armour-plates", "void-blade"
PUPPET_MASTER = "puppet-master"
DATA_JUMP, DATA_SKIP = "data-jump", "data-skip"

OPENERS = {"break-lock": "physical", "data-knock": "data"}
"""Powers that unlock a token of a kind."""

INDESTRUCTIBLE = (combat.NATURAL, combat.UNARMED)

Test = Callable[[Table, Battlefield, Figure, Figure], bool]


class PowerAim(Value, frozen=True):
    """What a power is aimed at: a figure, another one that it takes besides, a token, a place, those in templates.

    `wall` are the ends of a wall, `towards` where flame templates point, `grenade` is a kind of grenade.
    """

    target: str | None = None
    token: str | None = None
    to: Place | None = None
    other: str | None = None
    touched: Ids = ()
    wall: tuple[Place, Place] | None = None
    towards: tuple[Place, ...] = ()
    grenade: Literal["fragmentation", "smoke"] | None = None


@every_reason
def violations(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim) -> Iterator[Reason]:
    """List the violations of the aim of a power, whatever the distance."""
    target = aim.target or (user if "self" in power.classes else None)
    if target is not None:
        yield from of_kind(table, field, user, power, target)
    if aim.token is not None:
        yield from fits_token(table, field, user, power, aim.token, target)
    yield from one_at_a_time(table, field, user, power, target)
    yield from fits_kit(table, field, user, power)


# Figures


def _opposes(table: Table, field: Battlefield, user: Figure, target: Figure) -> bool:
    with table.without_findings():
        return target.id in combat.engaged_with(table, field, user.id)


_KINDS: dict[str, tuple[Test, str]] = {
    "another": (lambda t, f, user, on: on.id != user.id, "{power} cannot target {name}"),
    "crew": (lambda t, f, user, on: on.crew == user.crew, "{target} is not in the crew of {name}"),
    "not-crew": (lambda t, f, user, on: on.crew != user.crew, "{target} is already in the crew of {name}"),
    "crew-or-opponent": (
        lambda t, f, user, on: on.crew == user.crew or _opposes(t, f, user, on),
        "{target} is neither in the crew of {name} nor in the same combat",
    ),
    "uncontrolled": (lambda t, f, user, on: on.crew is None, "{target} is controlled by a player"),
    "soldier": (lambda t, f, user, on: on.role == "soldier", "{target} is not a soldier"),
    "follower": (lambda t, f, user, on: on.role not in OFFICERS, "{target} is a captain or first mate"),
    "robot": (lambda t, f, user, on: f.has(on, "robot"), "{target} is not a robot"),
    "living": (lambda t, f, user, on: not f.has(on, "robot"), "{target} is a robot"),
    "animal": (lambda t, f, user, on: f.has(on, "animal"), "{target} is not an animal"),
    "not-large": (lambda t, f, user, on: not f.has(on, "large"), "{target} is too large"),
    "carrier": (lambda t, f, user, on: on.carries is not None, "{target} carries no loot"),
    "free-handed": (lambda t, f, user, on: on.carries is None, "{target} already carries a token"),
    "waiting": (lambda t, f, user, on: not on.activated, "{target} has already activated"),
    "armed": (lambda t, f, user, on: bool(destructible(f, on)), "{target} has no weapon that can be destroyed"),
    "powered": (lambda t, f, user, on: bool(endable(f, on)), "No power by line of sight lasts on {target}"),
    "fallen": (lambda t, f, user, on: on.health == 0, "{target} is not out of the game"),
}


@violations_rule(
    "power_aims.of_kind",
    cites=(
        "power/heal",
        "power/repair-robot",
        "power/life-leach",
        "power/transport",
        "power/fling",
        "power/control-robot",
        "power/control-animal",
        "power/puppet-master",
        "power/command",
    ),
)
def of_kind(table: Table, field: Battlefield, user: str, power: Power, target: str) -> Iterator[Reason]:
    """Decide whether a figure is what the target of a power has to be; lists the violations."""
    user_figure, target_figure = field.figure(user), field.figure(target)
    names = {"power": power.name, "name": field.name(user_figure), "target": field.name(target_figure)}
    for fits, text in map(_KINDS.__getitem__, power.aim):
        if not fits(table, field, user_figure, target_figure):
            yield table.reason(text, cites=f"power/{power.id}", **names)


def destructible(field: Battlefield, figure: Figure) -> tuple[Weapon, ...]:
    """Give the weapons of a figure that can be destroyed: those it carries, not its own body, nor what armour holds."""
    built_in = {item for worn in field.profile(figure).worn for item in field.book.armour[worn].includes}
    carried = figure.weapons if figure.weapons is not None else field.profile(figure).weapons
    exempt = {*built_in, *INDESTRUCTIBLE}
    return tuple(each for each in field.weapons(figure) if each.id in carried and each.id not in exempt)


def endable(field: Battlefield, figure: Figure) -> Ids:
    """Give the powers on a figure that can be cancelled: each by line of sight, once."""
    powers = (spell.power for spell in figure.spells)
    return tuple(dict.fromkeys(id_ for id_ in powers if "line-of-sight" in field.book.powers[id_].classes))


# Tokens


@violations_rule(
    "power_aims.fits_token", cites=("power/break-lock", "power/data-knock", "power/data-skip", "power/data-jump")
)
def fits_token(
    table: Table, field: Battlefield, user: str, power: Power, token_id: str, target: str | None
) -> Iterator[Reason]:
    """Decide whether a power works on a token; lists the violations. A token that is handed over has to be carried."""
    token, cites = field.token(token_id), f"power/{power.id}"
    names = {"power": power.name, "token": token_id}
    kind = OPENERS.get(power.id, "data")
    if token.kind != kind:
        text = "{power} works on {kind} loot, but {token} is {other} loot"
        yield table.reason(text, cites=cites, kind=kind, other=token.kind, **names)
    if power.id in OPENERS and token.unlocked:
        yield table.reason("{token} is already unlocked", cites=cites, **names)
    if power.id == DATA_SKIP and not token.unlocked:
        yield table.reason("{token} is not unlocked", cites=cites, **names)
    if power.id == DATA_JUMP and target is not None:
        yield from _handing_over(table, field, user, power, token, target)


def carrier(field: Battlefield, token_id: str | None) -> Figure | None:
    """Give the figure in play that carries a token, if one does."""
    return next((figure for figure in field.figures if token_id is not None and figure.carries == token_id), None)


def _handing_over(
    table: Table, field: Battlefield, user: str, power: Power, token: Token, target: str
) -> Iterator[Reason]:
    giver, receiver, cites = carrier(field, token.id), field.figure(target), f"power/{power.id}"
    if giver is None or giver.crew != field.figure(user).crew:
        text = "Nobody in the crew of {name} carries {token}"
        yield table.reason(text, cites=cites, name=field.name(user), token=token.id)
        return
    if giver.id == target or not in_play(receiver):
        return
    yield from loot.animals(table, field, target)
    inches = float(power.numbers["apart_in"])
    if not sight.within(table, field, giver.id, target, inches):
        text = "{target} is not within {inches} of {carrier}"
        names = {"target": field.name(receiver), "inches": in_inches(inches), "carrier": field.name(giver)}
        yield table.reason(text, cites=cites, **names)


# What else


@violations_rule(
    "power_aims.one_at_a_time",
    cites=("power/control-animal", "power/control-robot", "power/remote-guidance", "power/puppet-master"),
)
def one_at_a_time(table: Table, field: Battlefield, user: str, power: Power, target: str | None) -> Iterator[Reason]:
    """Decide whether a power is used up that works on one member of a crew at a time, or once in a game."""
    crew = field.figure(user).crew
    if "self" in power.classes or not (power.id == PUPPET_MASTER or power.numbers.get("at_a_time")):
        return
    held = [each for each in field.scene.figures if each.crew == crew and wards.under(each, power.id)]
    text = "{power} has already been used in this game, on {other}"
    if power.id != PUPPET_MASTER:
        held = [each for each in held if each.id != target and in_play(each)]
        text = "{power} works on one figure at a time and is already on {other}"
    for each in held:
        yield table.reason(text, cites=f"power/{power.id}", power=power.name, other=field.name(each))


@violations_rule("power_aims.fits_kit", cites=("power/armour-plates", "power/void-blade"))
def fits_kit(table: Table, field: Battlefield, user: str, power: Power) -> Iterator[Reason]:
    """Decide whether what its user carries and wears lets a power work; lists the violations.

    Armour Plates do not go with combat armour; a Void Blade is a hand weapon, and has no large weapon beside it.
    """
    figure, cites = field.figure(user), f"power/{power.id}"
    names = {"power": power.name, "name": field.name(figure)}
    if power.id == ARMOUR_PLATES and COMBAT_ARMOUR in field.profile(figure).worn:
        text = "{name} wears combat armour, which cannot be combined with {power}"
        yield table.reason(text, cites=cites, **names)
    if power.id == VOID_BLADE:
        carried, most = field.weapons(figure), int(power.numbers["most_slots"])
        if combat.HAND_WEAPON not in (weapon.id for weapon in carried):
            yield table.reason("{name} has no hand weapon", cites=cites, **names)
        text, slots = "{name} carries a weapon of more than {most}: {weapon}", Quantity(most, "slot")
        for weapon in carried:
            if weapon.slots > most:
                yield table.reason(text, cites=cites, most=slots, weapon=weapon.name, **names)
