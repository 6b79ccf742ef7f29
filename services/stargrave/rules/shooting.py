"""Shooting: valid targets, whom a shot meets, and the shot from its rolls to its effect on the target.

Follows "Shooting" in the text's order. Modifiers are in `shot_modifiers`, rolls and damage in `shot_rolls`.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from arbiter.dice import numbered
from arbiter.geometry.plane import shapes
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Ids, Reasons
from services.stargrave.profiles import Weapon
from services.stargrave.rules import combat, harm, jams, lengths, shot_modifiers, shot_rolls, sight, wards
from services.stargrave.rules.shot_rolls import NOTHING, Modifiers, Shot, ShotExtra
from services.stargrave.scene import Figure


class AttackOutcome(Value, frozen=True):
    """The outcome of one attack.

    `declared` is the declared target, `target` the actual one, to whom the rest applies: modifiers of the table, what
    was added to both dice (the modifiers included), what is added to the damage, and the Armour that counts. `damage`
    is the Health that the target lost.
    """

    declared: str
    target: str
    modifiers: Modifiers
    shoot: int
    defence: int
    damage_modifier: int
    armour: int
    hit: bool
    critical: bool
    jammed: bool
    damage: int
    stunned: bool
    out: bool


class Firing(Value, frozen=True):
    """How a figure fires a weapon: whether its shot is hasty and it has cleared a jam first, and what players add."""

    shooter: str
    weapon: str
    hasty: bool = False
    cleared_jam: bool = False
    extra: ShotExtra = NOTHING


Attacked = tuple[Battlefield, tuple[AttackOutcome, ...]]
"""The battlefield after some attacks, and their outcomes."""


def armed(field: Battlefield, figure: Figure) -> dict[str, Weapon]:
    """Give the weapons of a figure by their ids, in the order of its profile."""
    return {weapon.id: weapon for weapon in field.weapons(figure)}


# What may be shot at


@rule("shooting.violations", cites="shooting/declare", neutral=())
def violations(
    table: Table, field: Battlefield, shooter: str, weapon_id: str, target: str, cleared_jam: bool = False
) -> Reasons:
    """Decide whether a target may be declared, before anything is rolled or spent; lists the violations."""

    def every() -> Iterator[Reason]:
        yield from weapon_violations(table, field, shooter, weapon_id, cleared_jam)
        yield from own_side(table, field, shooter, target)
        yield from in_range(table, field, shooter, weapon_id, target)
        yield from in_sight(table, field, shooter, target)
        yield from into_combat(table, field, shooter, target)

    reasons = table.reasons(every())
    if not reasons:
        table.find("{target} is a valid target", target=field.name(target))
    return reasons


@violations_rule("shooting.own_side", cites=("creatures/no-infighting", "shooting/declare"))
def own_side(table: Table, field: Battlefield, shooter: str, target: str) -> Iterator[Reason]:
    """Decide whether the side of a target keeps it from being declared: a creature never attacks a creature.

    Whether a figure may be declared by its own crew is the reading `own-crew-target`.
    """
    figure, other = field.figure(shooter), field.figure(target)
    if figure.crew != other.crew:
        return
    names = {"name": field.name(figure), "target": field.name(other)}
    if figure.crew is None:
        text = "{name} and {target} are creatures, which never attack each other"
        yield table.reason(text, cites="creatures/no-infighting", **names)
    elif table.read("own-crew-target") != "yes":
        yield table.reason("{target} is of the same crew as {name}", cites="shooting/declare", **names)


def candidates(table: Table, field: Battlefield, shooter: str) -> tuple[Figure, ...]:
    """Give the figures that a shooter may look at as targets: enemies, and its own crew where it may be a target."""
    figure = field.figure(shooter)
    friends = field.friends(figure)
    if not friends or figure.crew is None or table.read("own-crew-target") == "no":
        return field.enemies(figure)
    return tuple(other for other in field.figures if other.id != shooter)


@every_reason
def weapon_violations(
    table: Table, field: Battlefield, shooter: str, weapon_id: str, cleared_jam: bool = False
) -> Iterator[Reason]:
    """List the violations of using a weapon at all."""
    yield from while_in_combat(table, field, shooter)
    yield from jams.unusable(table, field, shooter, weapon_id, cleared_jam)


@violations_rule("shooting.while_in_combat", cites="shooting/while-in-combat")
def while_in_combat(table: Table, field: Battlefield, shooter: str) -> Iterator[Reason]:
    """Decide whether combat keeps a figure from shooting; whether it does is the reading `shoot-while-in-combat`."""
    if combat.in_combat(table, field, shooter) and table.read("shoot-while-in-combat") != "yes":
        yield table.reason("{name} is in combat and may not shoot", name=field.name(shooter))


@violations_rule("shooting.in_range", cites="shooting/range")
def in_range(table: Table, field: Battlefield, shooter: str, weapon_id: str, target: str) -> Iterator[Reason]:
    """Decide whether a target is within the maximum range of a weapon."""
    weapon = field.book.weapons[weapon_id]
    names = {"target": field.name(target), "weapon": weapon.name}
    if weapon.range_in is None:
        yield table.reason("The {weapon} has no range", weapon=weapon.name)
    elif sight.within(table, field, shooter, target, weapon.range_in):
        text = "{target} is in range: the {weapon} reaches {inches}"
        table.find(text, inches=lengths.in_inches(weapon.range_in), **names)
    else:
        text = "{target} is out of range: the {weapon} reaches {inches}"
        yield table.reason(text, inches=lengths.in_inches(weapon.range_in), **names)


@rule("shooting.in_sight", cites="shooting/line-of-sight", neutral=())
def in_sight(table: Table, field: Battlefield, shooter: str, target: str) -> Reasons:
    """Decide whether a shooter has line of sight to a target."""
    if wards.sees(table, field, shooter, target):
        return wards.walled_off(table, field, shooter, target)
    return (table.reason("{name} does not see {target}", name=field.name(shooter), target=field.name(target)),)


@violations_rule("shooting.into_combat", cites="shooting/into-combat")
def into_combat(table: Table, field: Battlefield, shooter: str, target: str) -> Iterator[Reason]:
    """Decide whether a target may be shot at although it is in combat, by the reading `shoot-into-combat`."""
    if not field.measures(shooter, target) and table.read("shoot-into-combat") != "forbidden":
        return
    if len(melee(table, field, shooter, target)) > 1 and table.read("shoot-into-combat") == "forbidden":
        yield table.reason("{target} is in combat and may not be shot at", target=field.name(target))


def melee(table: Table, field: Battlefield, shooter: str, target: str) -> Ids:
    """Give everybody of the combat that a target is in, itself first and the shooter left out; else itself alone."""
    figures = [target]
    for id_ in figures:
        figures += [other for other in combat.engaged_with(table, field, id_) if other not in figures]
    return tuple(id_ for id_ in figures if id_ != shooter)


@violations_rule("shooting.rapid_fire", cites="weapons/rapid-fire-targets")
def rapid_fire(table: Table, field: Battlefield, weapon_id: str, targets: Ids) -> Iterator[Reason]:
    """Decide whether a weapon may have so many targets: one, or two for rapid fire.

    Whether both shots may go to one target is the reading `rapid-fire`.
    """
    weapon = field.book.weapons[weapon_id]
    most = weapon.targets or 1
    if len(targets) > most:
        text = "Targets declared: {count}; the {weapon} may have {most}"
        yield table.reason(text, count=len(targets), weapon=weapon.name, most=most)
    if len(set(targets)) < len(targets) and table.read("rapid-fire") == "different":
        yield table.reason("The shots of the {weapon} must go to different targets", weapon=weapon.name)
    elif 1 < len(targets) <= most:
        table.find("The {weapon} makes {count}", weapon=weapon.name, count=Quantity(len(targets), "shot"))


# The shot


def shoot(table: Table, field: Battlefield, firing: Firing, targets: Ids) -> Battlefield:
    """Give the battlefield after shots at allowed targets."""
    return resolve_shots(table, field, firing, targets)[0]


def resolve_shots(table: Table, field: Battlefield, firing: Firing, targets: Ids) -> Attacked:
    """Give the battlefield after the shots at each target in turn, and their outcomes.

    Nobody shoots at a figure that is out of the game by then. Whether a weapon that jams fires on is the reading
    `jam-spares`.
    """
    shooter = firing.shooter
    if firing.cleared_jam:
        field = jams.clear_jam(table, field, shooter, firing.weapon)
    outcomes: list[AttackOutcome] = []
    for declared in targets:
        if field.figure(declared).at is None:
            continue
        if any(outcome.jammed for outcome in outcomes) and table.read("jam-spares") != "nobody":
            break
        target = struck(table, field, shooter, declared)
        shot = aimed(table, field, firing, target)
        field, outcome = attack(table, field, shooter, target, shot, shooter)
        if outcome.jammed:
            field = jams.jam(table, field, shooter, firing.weapon)
        field = wards.spent(table, field, shooter, field.book.weapons[firing.weapon])
        outcomes.append(replace(outcome, declared=declared))
    return field, tuple(outcomes)


@rule("shooting.struck", cites="shooting/into-combat", neutral=lambda field, shooter, declared: declared)
def struck(table: Table, field: Battlefield, shooter: str, declared: str) -> str:
    """Decide whom a shot meets: the target, or a random figure of its combat, each equally likely.

    Whether the target is random is the reading `shoot-into-combat`.
    """
    together = at_risk(table, field, shooter, melee(table, field, shooter, declared))
    if len(together) < 2 or table.read("shoot-into-combat") != "random":
        return declared
    rolled: int = table.roll(numbered(len(together)), f"{shooter}: target")
    target = together[rolled - 1]
    text = "{target} is in combat: the random target is {met}"
    table.find(text, target=field.name(declared), met=field.name(target), among=together)
    return target


@rule("shooting.at_risk", cites="creatures/no-infighting", neutral=lambda field, shooter, together: together)
def at_risk(table: Table, field: Battlefield, shooter: str, together: Ids) -> Ids:
    """Decide whom of a combat a shot into it can meet: everybody, but a creature's shot never another creature."""
    if field.figure(shooter).crew is not None:
        return together
    crews = tuple(id_ for id_ in together if field.figure(id_).crew is not None)
    if crews != together:
        table.find("The shot of {creature} cannot hit a creature of that combat", creature=field.name(shooter))
    return crews


def aimed(
    table: Table,
    field: Battlefield,
    firing: Firing,
    target: str,
    cover_less: int = 0,
    *,
    armour: Callable[[Table, Battlefield, str], int] | None = None,
    natural: bool = True,
) -> Shot:
    """Give the numbers of a shot with a weapon that a figure fires.

    `cover_less` is by how many steps cover counts for less, `armour` gives the Armour that counts if not all of it
    does, and `natural` says that natural rolls are criticals and jams.
    """
    shooter, weapon, figure = firing.shooter, field.book.weapons[firing.weapon], field.figure(target)
    looker, hasty, jam, gun = sight.solid(field, shooter), firing.hasty, firing.cleared_jam, weapon.kind in wards.GUNS
    modifiers = shot_modifiers.for_target(
        table, field, target, looker, is_hasty=hasty, cleared_jam=jam, cover_less=cover_less, gun=gun
    )
    shot = Shot(
        shot_modifiers.shoot_bonus(table, field, shooter, weapon, target),
        shot_modifiers.defence(table, field, target, modifiers),
        shot_modifiers.damage_bonus(table, field, shooter, weapon),
        harm.armour(field, figure) if armour is None else armour(table, field, target),
        field.has(figure, harm.IMMUNE),
        criticals=natural,
        jams=natural,
        modifiers=modifiers,
    )
    return shot_rolls.with_extra(table, wards.sharpened(table, field, shooter, shot), firing.extra)


def statless(
    table: Table, field: Battlefield, bonus: int, target: str, looker: shapes.Figure | None, is_hasty: bool = False
) -> Shot:
    """Give the numbers of a shooting attack that uses no stat, as of a grenade or a power; no weapon can jam.

    `looker` is from where terrain and cover are judged (a figure's `sight.solid`, or `sight.spot`); without it there
    are none.
    """
    figure, modifiers = field.figure(target), shot_modifiers.for_target(table, field, target, looker, is_hasty=is_hasty)
    defence = shot_modifiers.defence(table, field, target, modifiers)
    immune = field.has(figure, harm.IMMUNE)
    return Shot(bonus, defence, 0, harm.armour(field, figure), immune, jams=False, modifiers=modifiers)


def modifiers_of(shot: Shot) -> Modifiers:
    """Give the modifiers of the target's roll in a shot, without what the players add."""
    return tuple(each for each in shot.modifiers if each.id != shot_rolls.EXTRA)


def attack(
    table: Table, field: Battlefield, label: str, target: str, shot: Shot, attacker: str, face: int | None = None
) -> tuple[Battlefield, AttackOutcome]:
    """Give the battlefield after one attack with these numbers, and its outcome.

    `label` says whose shooting roll it is, `face` what it shows if it is rolled already; `attacker` is the figure that
    does the damage.
    """
    if face is None:
        rolled = table.call(shot_rolls.exchange, label, target, shot)
    else:
        rolled = table.call(shot_rolls.against, target, shot, face)
    field, damage = wards.reduced_by_shields(table, field, target, rolled.damage)
    lost = harm.lost(field, target, damage)
    field = harm.harm(table, field, target, damage, attacker)
    out = field.figure(target).at is None
    is_stunned = not out and harm.stunned(table, field, target, damage)
    if is_stunned:
        before, field = field, harm.stun(table, field, target)
        is_stunned = field is not before
    numbers, how = (shot.shoot, shot.defence, shot.damage, shot.armour), (rolled.hit, rolled.critical, rolled.jammed)
    return field, AttackOutcome(target, target, modifiers_of(shot), *numbers, *how, lost, is_stunned, out)
