"""Harm: what damage, a stun and wounds do to a figure, whatever they come from.

How much damage is done is decided where it is done. Damage is in points of Health.
"""

from msgspec.structs import replace

from arbiter.option import with_labels
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Signed
from services.stargrave.battlefield import Battlefield
from services.stargrave.scene import Figure

LOW_HEALTH = 4
"""The Health at which a figure is wounded in the sister game."""

WOUNDED_ROLLS = -2

STUNS = 4
"""The points of damage by one shooting attack that stun a figure, unless it has a number of its own."""

NEVER_STUNNED = "never-stunned"
NEVER_WOUNDED = ("never-wounded", "high-pain-threshold")
INDIFFERENCE = "indifference"

IMMUNE = "immune-to-criticals"
"""The trait of those who take no extra damage from criticals."""


def under(figure: Figure, power_id: str) -> bool:
    """Give whether a power lasts on a figure."""
    return any(spell.power == power_id for spell in figure.spells)


def harm(table: Table, field: Battlefield, target: str, damage: int, attacker: str | None) -> Battlefield:
    """Give the battlefield after a figure has lost Health; at 0 it is out of the game and drops what it carried.

    `attacker` is the figure that did it, if any. Damage of 0 or less changes nothing.
    """
    if damage <= 0:
        return field
    figure = field.figure(target)
    taken = lost(field, target, damage)
    left = field.health(figure) - taken
    table.event("damaged", figure=target, damage=taken, left=left, by=attacker)
    field = field.put(replace(figure, health=left))
    return field if left else out(table, field, target, attacker)


def lost(field: Battlefield, target: str, damage: int) -> int:
    """Give how much Health damage takes from a figure: no more than it has left."""
    return max(0, min(damage, field.health(field.figure(target))))


def heal(table: Table, field: Battlefield, figure_id: str, points: int) -> tuple[Battlefield, int]:
    """Give the battlefield after a figure regains lost Health, and how much: never more than it lost."""
    figure = field.figure(figure_id)
    now, whole = field.health(figure), field.profile(figure).health
    gained = max(0, min(points, whole - now))
    if not gained:
        return field, 0
    table.event("healed", figure=figure_id, health=gained, left=now + gained)
    return field.put(replace(figure, health=now + gained)), gained


def out(table: Table, field: Battlefield, target: str, attacker: str | None) -> Battlefield:
    """Give the battlefield after a figure has gone out of the game, from wherever it stood."""
    field = drop(table, field, target)
    table.event("out", figure=target, by=attacker)
    return field.put(replace(field.figure(target), at=None, elevation_in=0.0, health=0))


def drop(table: Table, field: Battlefield, figure_id: str) -> Battlefield:
    """Give the battlefield after a figure has dropped the token it carries, if it carries one, where it stands."""
    figure = field.figure(figure_id)
    if figure.carries is None or figure.at is None:
        return field
    token = field.token(figure.carries)
    table.event("dropped", figure=figure_id, token=token.id, at=figure.at)
    field = field.put_token(replace(token, at=figure.at, elevation_in=figure.elevation_in, unlocked_by=None))
    return field.put(replace(figure, carries=None))


def stun(table: Table, field: Battlefield, figure_id: str) -> Battlefield:
    """Give the battlefield after a figure has been stunned; powers that last until then are over.

    Whether something stuns it is decided before.
    """
    if not takes_stun(table, field, figure_id):
        return field
    figure = field.figure(figure_id)
    lasting = tuple(spell for spell in figure.spells if field.book.powers[spell.power].lasts != "until-stunned")
    table.event("stunned", figure=figure_id)
    for spell in figure.spells:
        if spell not in lasting:
            table.event("power-ended", figure=figure_id, power=spell.power)
    return field.put(replace(figure, stunned=True, spells=lasting))


@rule(
    "harm.stunned",
    cites=("shooting/stunned", "stunned/one-attack", "stunned/never", "stunned/high-pain-threshold"),
    neutral=False,
)
def stunned(table: Table, field: Battlefield, target: str, damage: int) -> bool:
    """Decide whether the damage of one shooting attack stuns a figure: 4 points or more, or as its traits and gear say.

    What other attacks have done before does not count.
    """
    figure = field.figure(target)
    name = field.name(figure)
    needed = stuns_at(field, figure)
    if damage < min(STUNS, needed or STUNS):
        if damage:
            text = "{damage} damage from one attack does not stun {name}"
            table.find(text, cites="stunned/one-attack", damage=damage, name=name)
        return False
    if needed is None:
        table.find("{name} cannot be stunned", cites="stunned/never", name=name)
        return False
    if damage < needed:
        by_trait = any(field.book.traits[id_].stuns_at for id_ in field.profile(figure).traits)
        cites = "stunned/high-pain-threshold" if by_trait else "stunned/hardsuit"
        table.find("It takes {needed} damage to stun {name}", cites=cites, needed=needed, name=name)
        return False
    table.find("{damage} damage stuns {name}", cites="shooting/stunned", damage=damage, name=name)
    return True


def stuns_at(field: Battlefield, figure: Figure) -> int | None:
    """Give the damage from which a figure is stunned: 4, unless a trait or its gear says more; None if none does."""
    if field.has(figure, NEVER_STUNNED):
        return None
    profile = field.profile(figure)
    of_traits = (field.book.traits[id_].stuns_at for id_ in profile.traits)
    of_gear = (field.book.gear[id_].stuns_at for id_ in profile.gear)
    return max((number for number in (*of_traits, *of_gear) if number is not None), default=STUNS)


@rule("harm.takes_stun", cites="power/indifference", neutral=True)
def takes_stun(table: Table, field: Battlefield, figure_id: str) -> bool:
    """Decide whether a figure that would be stunned is: under Indifference as its player likes."""
    figure = field.figure(figure_id)
    if not under(figure, INDIFFERENCE):
        return True
    name = field.name(figure)
    means = with_labels({"refuse": f"{name} is not stunned", "take": f"{name} is stunned"}, "refuse", figure=name)
    choice = table.choose(field.player(figure_id), f"{figure_id}: stun", ("refuse", "take"), about=field, means=means)
    takes = bool(choice == "take")
    table.find("{name} takes the stun" if takes else "{name} is indifferent and not stunned", name=name)
    return takes


@rule("harm.is_wounded", cites=("wounded/state", "wounded/numbers"), neutral=False)
def is_wounded(table: Table, field: Battlefield, figure_id: str) -> bool:
    """Decide whether a figure is wounded: marked so, or low on Health, by the reading `wounded-when`."""
    figure = field.figure(figure_id)
    low = field.health(figure) <= LOW_HEALTH
    if not (figure.wounded or low) or hardened(table, field, figure_id):
        return False
    wounded = low
    if low != figure.wounded and table.read("wounded-when") == "marked":
        wounded = figure.wounded
    if wounded:
        table.find("{name} is wounded", cites="wounded/state", name=field.name(figure))
    return wounded


@rule("harm.hardened", cites=("stunned/high-pain-threshold", "wounded/state"), neutral=False)
def hardened(table: Table, field: Battlefield, figure_id: str) -> bool:
    """Decide whether a figure is never wounded, by one of its traits or by a power."""
    figure = field.figure(figure_id)
    never = any(field.has(figure, trait) for trait in NEVER_WOUNDED)
    if not never and not under(figure, INDIFFERENCE):
        return False
    cites = ("stunned/high-pain-threshold", "wounded/state") if never else f"power/{INDIFFERENCE}"
    table.find("{name} is never wounded", cites=cites, name=field.name(figure))
    return True


@rule("harm.roll_penalty", cites=("wounded/state", "wounded/numbers"), neutral=0)
def roll_penalty(table: Table, field: Battlefield, figure_id: str) -> int:
    """Decide what being wounded adds to a figure's rolls with Fight, Shoot or Will: 0, or less than 0.

    What being wounded costs is the reading `wounded-effect`.
    """
    if not is_wounded(table, field, figure_id) or table.read("wounded-effect") != "action-and-rolls":
        return 0
    text = "{name} is wounded: {penalty} on its rolls"
    table.find(text, cites="wounded/numbers", name=field.name(figure_id), penalty=Signed(WOUNDED_ROLLS))
    return WOUNDED_ROLLS


def armour(field: Battlefield, figure: Figure) -> int:
    """Give a figure's Armour, with what powers add to it."""
    return field.profile(figure).armour + sum(spell.armour for spell in figure.spells)


def will(table: Table, field: Battlefield, figure_id: str) -> int:
    """Give what a figure adds to its Will rolls: its Will, what powers add, and what being wounded costs."""
    figure = field.figure(figure_id)
    with_powers = field.profile(figure).will + sum(spell.will for spell in figure.spells)
    return with_powers + roll_penalty(table, field, figure_id)
