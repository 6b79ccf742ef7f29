"""What is added to the rolls of a shot: the table of shooting modifiers, worked out from the board, and the stats.

A modifier of the table is added to the combat roll of the target, so that a plus helps it. Each is found by itself.
"""

from typing import Literal

from arbiter.geometry.plane import shapes
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Signed
from services.stargrave.battlefield import Battlefield
from services.stargrave.book import modifier, row
from services.stargrave.profiles import Weapon
from services.stargrave.rules import combat, harm, loads, sight, wards
from services.stargrave.rules.shot_rolls import Modifier, Modifiers
from services.stargrave.scene import Figure

Moved = Literal["no", "yes", "standing", "power-move"]
"""Whether a figure has moved in this activation: not, by a Move, by a Move of no inches, or by a Power Move alone."""

LARGE = "large"
BEAST_FIGHTER, TWO_GUNS = "beast-fighter", "two-guns"
PISTOL = "pistol"


@rule("shot_modifiers.hasty", cites="shooting-modifiers/hasty-shot", neutral=False)
def hasty(table: Table, field: Battlefield, shooter: str, moved: Moved) -> bool:
    """Decide whether a shot is hasty: the shooter has moved in this activation.

    Of a Move of no inches this is the reading `standing-move`, of a Power Move the reading `power-move-hasty`.
    """
    if moved == "no":
        return False
    if moved == "standing" and table.read("standing-move") == "no":
        return False
    if moved == "power-move" and table.read("power-move-hasty") == "no":
        return False
    table.find("{name} has moved: the shot is hasty", name=field.name(shooter))
    return True


@rule("shot_modifiers.for_target", cites="shooting/defence-modifiers", neutral=())
def for_target(
    table: Table,
    field: Battlefield,
    target: str,
    looker: shapes.Figure | None,
    *,
    is_hasty: bool,
    cleared_jam: bool = False,
    cover_less: int = 0,
    gun: bool = False,
) -> Modifiers:
    """Decide which modifiers are added to the target's roll: those of the table in its order, then those of powers.

    `looker` is from where terrain in between and cover are judged; without it there are none. `cover_less` is by how
    many steps cover counts for less; `gun` says that a gun is fired.
    """
    between: Modifiers = ()
    cover: Modifiers = ()
    if looker is not None:
        body = sight.solid(field, target)
        if count := added_up(table, sight.count_between(table, field, looker, body)):
            between = of_table("intervening-terrain", count)
        steps = ("none", "light", "heavy")
        level = steps[max(0, steps.index(sight.shelter(table, field, looker, body)) - cover_less)]
        cover = () if level == "none" else of_table(f"{level}-cover")
    blade = wards.instead_of_cover(table, field, target, sum(each.value for each in cover)) if gun else ()
    modifiers = (
        *between,
        *(() if blade else cover),
        *(of_table("hasty-shot") if is_hasty else ()),
        *large(table, field, target),
        *was_stunned(table, field, target),
        *(after_a_jam(table, field, looker) if cleared_jam else ()),
        *blade,
        *wards.against_shots(table, field, target, gun),
    )
    for each in modifiers:
        text = "{name}: {value} to the combat roll of {target}"
        table.find(text, name=named(field, each.id), value=Signed(each.value), target=field.name(target))
    return modifiers


def of_table(id_: str, times: int = 1) -> Modifiers:
    """Give a modifier of the table, so many times over."""
    return (Modifier(id_, times * modifier(id_)),)


def named(field: Battlefield, id_: str) -> str:
    """Give the name of a modifier for players: that of its row, or of the power that brings it."""
    return field.book.powers[id_].name if id_ in field.book.powers else str(row("modifiers", id_)["name"])


@rule("shot_modifiers.added_up", cites="shooting-modifiers/intervening-adds-up", neutral=lambda pieces: min(pieces, 1))
def added_up(table: Table, pieces: int) -> int:
    """Decide how often the modifier for terrain in between counts: once for each piece."""
    if pieces > 1:
        table.find("Each of the {pieces} pieces in between counts", pieces=pieces)
    return pieces


@rule("shot_modifiers.large", cites=("shooting-modifiers/large-target", "shooting-modifiers/large-trait"), neutral=())
def large(table: Table, field: Battlefield, target: str) -> Modifiers:
    """Decide whether a target is easier to hit for its size: it has the trait for it."""
    figure = field.figure(target)
    if not field.has(figure, LARGE):
        return ()
    table.find("{name} is a large target", name=field.name(figure))
    return of_table("large-target")


@rule("shot_modifiers.was_stunned", cites="shooting-modifiers/stunned", neutral=())
def was_stunned(table: Table, field: Battlefield, target: str) -> Modifiers:
    """Decide whether a target is helped by having been stunned when it activated this turn.

    Who was stunned so and is not activated yet was so in an earlier turn: whether that still counts is the reading
    `stunned-defence`.
    """
    figure = field.figure(target)
    if not figure.was_stunned or not (figure.activated or table.read("stunned-defence") == "next-activation"):
        return ()
    table.find("{name} was stunned when it activated", name=field.name(figure))
    return of_table("stunned")


@rule("shot_modifiers.after_a_jam", cites="shooting-modifiers/cleared-jam", neutral=())
def after_a_jam(table: Table, field: Battlefield, looker: shapes.Figure | None) -> Modifiers:
    """Decide what a jam cleared in this activation adds to the target's roll."""
    shooter = "The shooter" if looker is None else sight.name_of(field, looker)
    table.find("{shooter} has cleared a jam in this activation", shooter=shooter)
    return of_table("cleared-jam")


# Stats


@rule("shot_modifiers.shoot_bonus", cites=("shooting/shooting-roll", "traits/beast-fighter"), neutral=0)
def shoot_bonus(table: Table, field: Battlefield, shooter: str, weapon: Weapon, target: str | None) -> int:
    """Decide what a figure adds to its shooting roll: Shoot, powers on it, its weapon, its load and its wounds.

    A beast fighter has more with a gun against creatures that nobody controls.
    """
    figure = field.figure(shooter)
    stat = field.profile(figure).shoot
    table.find("{name} has Shoot {shoot}", cites="shooting/shooting-roll", name=field.name(figure), shoot=Signed(stat))
    powers = sum(spell.shoot for spell in figure.spells)
    if powers:
        text = "Powers add {more} to the Shoot of {name}"
        table.find(text, cites="shooting/shooting-roll", name=field.name(figure), more=Signed(powers))
    hunts = target is not None and field.figure(target).crew is None and weapon.kind == "missile"
    more = field.book.traits[BEAST_FIGHTER].shoot if hunts and field.has(figure, BEAST_FIGHTER) else 0
    if more:
        text = "{name} hunts creatures: {more}"
        table.find(text, cites="traits/beast-fighter", name=field.name(figure), more=Signed(more))
    load, wounds = loads.penalty(table, field, shooter, "shoot"), harm.roll_penalty(table, field, shooter)
    return stat + powers + weapon.shoot + more + load + wounds


def defence(table: Table, field: Battlefield, target: str, modifiers: Modifiers) -> int:
    """Give what a target adds to its combat roll: what it adds to any, nothing for its weapon, and these modifiers."""
    stat = combat.stat(table, field, target, shot_at=True) + unarmed(table, field, field.figure(target))
    return stat + sum(each.value for each in modifiers)


@rule(
    "shot_modifiers.unarmed",
    cites="weapons/unarmed-only-in-fights",
    neutral=lambda field, figure: field.book.weapons[combat.UNARMED].fight if _is_unarmed(field, figure) else 0,
)
def unarmed(table: Table, field: Battlefield, figure: Figure) -> int:
    """Decide what being unarmed adds to the combat roll against a shot: nothing."""
    if _is_unarmed(field, figure):
        table.find("{name} is unarmed, which does not count against shots", name=field.name(figure))
    return 0


def _is_unarmed(field: Battlefield, figure: Figure) -> bool:
    return set(combat.melee(field, figure)) == {combat.UNARMED}


@rule("shot_modifiers.damage_bonus", cites="traits/two-guns", neutral=lambda field, shooter, weapon: weapon.damage or 0)
def damage_bonus(table: Table, field: Battlefield, shooter: str, weapon: Weapon) -> int:
    """Decide what is added to the damage of a shot: what its weapon and powers add, and more for two pistols."""
    figure = field.figure(shooter)
    own = (weapon.damage or 0) + wards.gun_damage(table, field, shooter, weapon)
    pistols = [held for held in field.weapons(figure) if held.id == PISTOL]
    if weapon.id != PISTOL or len(pistols) < 2 or PISTOL in figure.jammed or not field.has(figure, TWO_GUNS):
        return own
    more = field.book.traits[TWO_GUNS].damage
    table.find("{name} fires two pistols: {more} damage", name=field.name(figure), more=Signed(more))
    return own + more
