"""Effects: what a power does that has been activated, as far as its row has numbers.

Powers stand in the research notes. What a row has no number for (walls, rerolls) is the players' to carry out. What
powers do to tokens, to figures and by moving them is in `power_tokens`, `power_figures` and `power_moves`.
"""

from typing import Any

from msgspec.structs import replace

from arbiter.dice import D20
from arbiter.option import Option
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Added, Listing, Signed
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Ids, in_play
from services.stargrave.book import Power, row
from services.stargrave.rules import (
    combat,
    drones,
    harm,
    power_aims,
    power_figures,
    power_moves,
    power_places,
    power_tokens,
    shooting,
    sight,
    wards,
)
from services.stargrave.rules.power_aims import PowerAim
from services.stargrave.scene import Figure, Spell

LASTING = frozenset(
    {"game", "until-stunned", "until-used", "next-shot", "next-activation", "until-resisted", "permanent"}
)
"""How long powers last that are noted on a figure."""

LEACH = "life-leach"
DARK_ENERGY, CONCEALED = "dark-energy", "concealed-firearm"
REMOTE, FIRE, DESTROY, COMMAND, CANCEL = ("remote-firing", "psionic-fire", "destroy-weapon", "command", "cancel-power")
INSPIRING, UPGRADE = "inspiring", "temporary-upgrade"

ATTACKS = (DARK_ENERGY, CONCEALED)
"""Powers that attack the figure they are aimed at."""


class Effect(Value, frozen=True):
    """The effect of a power: whether it was resisted, Health lost and restored, lasting effects, and moves."""

    resisted: bool = False
    damage: int = 0
    restored: int = 0
    lasts_on: str | None = None
    unlocked: str | None = None
    moved: str | None = None
    token_moved: str | None = None
    placed: str | None = None


def effect(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim) -> tuple[Battlefield, Effect]:
    """Give the battlefield after the effect of a power, and that effect."""
    target = aim.target or (user if "self" in power.classes else None)
    resisting = resister(field, user, power, aim)
    if resisting is not None and resists(table, field, resisting, power):
        return field, Effect(resisted=True)
    outcome, token = Effect(), power_tokens.token_of(field, aim)
    if power.id == FIRE:
        touched = power_places.templates(table, field, user, aim.towards) if aim.towards else aim.touched
        return burnt(table, field, user, power, touched)
    if aim.wall is not None and power.id in power_places.WALLS:
        field, placed = power_places.raised(table, field, power, aim.wall)
        return field, Effect(placed=placed)
    if aim.to is not None and power.id == power_places.DRONE:
        field, placed = power_places.deployed(table, field, user, aim.to)
        return field, Effect(placed=placed)
    if aim.to is not None and aim.grenade is not None and power.id == power_places.TARGET_LOCK:
        field, outcomes = power_places.locked(table, field, aim.other or user, aim.grenade, aim.to)
        return field, Effect(damage=sum(outcome.damage for outcome in outcomes))
    if power.id == REMOTE and target is not None and aim.other is not None:
        return fired(table, field, power, target, aim.other)
    if target is not None:
        field, outcome = _on_figure(table, field, user, power, target)
    if token is not None and power.id in power_aims.OPENERS:
        field = power_tokens.opened(table, field, user, power, token)
        outcome = replace(outcome, unlocked=token if field.token(token).unlocked else None)
    if token is not None and target is not None and power.id == power_aims.DATA_JUMP:
        field = power_tokens.handed_over(table, field, token, target)
        outcome = replace(outcome, token_moved=token)
    if token is not None and aim.to is not None and power_tokens.moves(power):
        field = power_tokens.moved(table, field, power, token, aim.to)
        outcome = replace(outcome, token_moved=token)
    if target is not None and aim.to is not None and power_moves.moves(power) and power.move_in is not None:
        before = field.health(field.figure(target))
        field = power_moves.moved(table, field, power, target, aim.to)
        outcome = replace(outcome, moved=target, damage=outcome.damage + before - field.health(field.figure(target)))
    if target is not None and aim.to is not None and power.id == power_aims.PUPPET_MASTER:
        field = power_figures.rises(table, field, power, target, aim.to)
        outcome = replace(outcome, moved=target, restored=field.health(field.figure(target)))
    return field, outcome


def resister(field: Battlefield, user: str, power: Power, aim: PowerAim) -> str | None:
    """Give the figure that may resist a power, if any: a robot (pulse), an enemy (Fling), the carrier (Data Skip)."""
    if power.resist is None:
        return None
    if power.id == power_aims.DATA_SKIP:
        carrier = power_aims.carrier(field, aim.token)
        return None if carrier is None else carrier.id
    if aim.target is None:
        return None
    target = field.figure(aim.target)
    if power.id == wards.PULSE and not field.has(target, "robot"):
        return None
    if power.id == power_moves.FLING and target.crew == field.figure(user).crew:
        return None
    return aim.target


def _on_figure(table: Table, field: Battlefield, user: str, power: Power, target: str) -> tuple[Battlefield, Effect]:
    before = field.health(field.figure(target))
    if power.id in ATTACKS:
        field = attacked(table, field, user, power, target)
    restored = 0
    if power.id == LEACH:
        field, restored = leached(table, field, user, power, target)
    elif power.health is not None and power.id != power_aims.PUPPET_MASTER:
        field, restored = restored_to(table, field, power, target)
    field = _changed(table, field, user, power, target)
    lasts = power.lasts in LASTING and power.id != DESTROY and field.health(field.figure(target)) > 0
    if lasts:
        field = lasting(table, field, user, power, target)
        lasts = wards.under(field.figure(target), power.id)
    lost = max(0, before - field.health(field.figure(target)))
    return field, Effect(damage=lost, restored=restored, lasts_on=target if lasts else None)


def _changed(table: Table, field: Battlefield, user: str, power: Power, target: str) -> Battlefield:
    if power.id in power_figures.CONTROLS:
        return power_figures.joins(table, field, user, power, target)
    if power.id == wards.PULSE:
        return power_figures.pulsed(table, field, target)
    if power.id == DESTROY:
        return power_figures.disarmed(table, field, user, target)
    if power.id == CANCEL:
        return power_figures.cancelled(table, field, user, target)
    if power.id == COMMAND:
        power_figures.called(table, field, target)
    return field


@rule("effects.attacked", cites=("power/dark-energy", "power/concealed-firearm"), neutral=lambda field, *_: field)
def attacked(table: Table, field: Battlefield, user: str, power: Power, target: str) -> Battlefield:
    """Decide how the attack of a power goes: a shot that uses no stat.

    Dark Energy is better against robots, and worn armour does not count; Concealed Firearm knows no cover, and pushes
    and stuns who is hurt by it.
    """
    figure = field.figure(target)
    cites, bonus = f"power/{power.id}", power.attack or 0
    if field.has(figure, "robot"):
        bonus = int(power.numbers.get("attack_on_robots", bonus))
    text = "{power} attacks {name} with {bonus}"
    table.find(text, cites=cites, power=power.name, name=field.name(figure), bonus=Signed(bonus))
    afar = power.id == DARK_ENERGY
    worn = sum(field.book.armour[item].armour for item in field.profile(figure).worn) if afar else 0
    looker = sight.solid(field, drones.eye(table, field, user, target)) if afar else None
    shot = shooting.statless(table, field, bonus, target, looker)
    field, _ = shooting.attack(table, field, user, target, replace(shot, armour=shot.armour - worn), user)
    after = field.figure(target)
    if afar or not in_play(after) or field.health(after) == field.health(figure):
        return field
    table.find("{name} is pushed back and stunned", cites=cites, name=field.name(figure))
    return combat.pushed(table, harm.stun(table, field, target), target, user)


@rule(
    "effects.fired",
    cites=("power/remote-firing", "powers/remote-firing-robot"),
    neutral=lambda field, *_: (field, Effect()),
)
def fired(table: Table, field: Battlefield, power: Power, robot: str, target: str) -> tuple[Battlefield, Effect]:
    """Decide how the shot of Remote Firing goes: it begins at the robot, and knows neither its Shoot nor its gun."""
    names = {"robot": field.name(robot), "target": field.name(target)}
    table.find("A shot at {bonus} goes from {robot} to {target}", bonus=Signed(power.attack or 0), **names)
    shot = shooting.statless(table, field, power.attack or 0, target, sight.solid(field, robot))
    field, outcome = shooting.attack(table, field, robot, target, shot, robot)
    return field, Effect(damage=outcome.damage)


@rule("effects.burnt", cites="power/psionic-fire", neutral=lambda field, *_: (field, Effect()))
def burnt(table: Table, field: Battlefield, user: str, power: Power, touched: Ids) -> tuple[Battlefield, Effect]:
    """Decide what Psionic Fire does: one attack on each figure that its templates touch."""
    looker, lost = sight.solid(field, user), 0
    for target in touched:
        table.find("The fire attacks {name} with {bonus}", name=field.name(target), bonus=Signed(power.attack or 0))
        shot = shooting.statless(table, field, power.attack or 0, target, looker)
        field, outcome = shooting.attack(table, field, user, target, shot, user)
        lost += outcome.damage
    return field, Effect(damage=lost)


def resists(table: Table, field: Battlefield, target: str, power: Power) -> bool:
    """Check whether a figure resists a power, if that can be resisted."""
    if power.resist is None:
        return False
    stat, required = power.resist.stat, power.resist.target
    bonus = (harm.will if stat == "will" else combat.stat)(table, field, target)
    return bool(table.call(resisted, target, field.name(target), power.id, stat, bonus, required))


@rule("effects.resisted", cites=("power/pull", "power/suggestion", "power/fling"), neutral=False)
def resisted(table: Table, target: str, name: str, power_id: str, stat: str, bonus: int, required: int) -> bool:
    """Decide whether a figure resists a power: a roll with the stat that the power names, against its number."""
    face: int = table.roll(D20, f"{target}: {stat}")
    success = face + bonus >= required
    outcome = "resisted" if success else "not resisted"
    text = "{name} rolls {face} {bonus} = {total} against {wanted}: " + outcome
    table.record(f"{target}: {stat}", modifiers={stat: bonus}, total=face + bonus, needed=required, outcome=outcome)
    values = {"face": face, "bonus": Added(bonus), "total": face + bonus, "wanted": required}
    table.find(text, cites=f"power/{power_id}", name=name, **values)
    return success


@rule("effects.leached", cites="power/life-leach", neutral=lambda field, *_: (field, 0))
def leached(table: Table, field: Battlefield, user: str, power: Power, target: str) -> tuple[Battlefield, int]:
    """Decide what Life Leach does: the target loses Health, and the user regains some."""
    table.find("{name} loses {damage} Health", name=field.name(target), damage=power.damage)
    field = harm.harm(table, field, target, power.damage or 0, user)
    return harm.heal(table, field, user, power.health or 0)


@rule(
    "effects.restored_to",
    cites=("power/heal", "power/repair-robot", "power/regenerate"),
    neutral=lambda field, *_: (field, 0),
)
def restored_to(table: Table, field: Battlefield, power: Power, target: str) -> tuple[Battlefield, int]:
    """Decide how much lost Health a power restores; nobody has more than it had at first."""
    field, gained = harm.heal(table, field, target, power.health or 0)
    text = "{power} restores {gained} Health to {name}"
    table.find(text, cites=f"power/{power.id}", power=power.name, gained=gained, name=field.name(target))
    return field, gained


@rule(
    "effects.lasting",
    cites=("power/coordinated-fire", "power/temporary-upgrade", "power/inspiring", "power/energy-shield"),
    neutral=lambda field, *_: field,
)
def lasting(table: Table, field: Battlefield, user: str, power: Power, target: str) -> Battlefield:
    """Decide what a power that lasts adds to a figure's stats; used again, it does not add up.

    An Energy Shield is noted once for each point that it absorbs.
    """
    figure = field.figure(target)
    cites = f"power/{power.id}"
    if power.id == INSPIRING and _wakes(table, field, user, figure):
        table.find("{name} is no longer stunned", cites=cites, name=field.name(figure))
        return field.put(replace(figure, stunned=False))
    stats = {**power.stats, **_picked(table, field, user, power)}
    if highest := power.numbers.get("highest_shoot"):
        stats["shoot"] = max(0, min(stats.get("shoot", 0), int(highest) - _present(field, figure, power, "shoot")))
    changes = Listing(f"{stat.capitalize()} {Signed(more)}" for stat, more in stats.items())
    text = "{power} is on {name}: {changes}" if changes else "{power} is on {name}"
    table.find(text, cites=cites, power=power.name, name=field.name(figure), changes=changes)
    table.event("power-lasts", figure=target, power=power.id)
    times = int(power.numbers.get("absorbs", 1))
    owner = next((spell.owner for spell in figure.spells if spell.power == power.id), None)
    since = power_figures.pulsed_since(field, figure, power.id)
    return field.put(power_figures.with_spells(figure, *(Spell(power.id, owner, since, **stats) for _ in range(times))))


def _wakes(table: Table, field: Battlefield, user: str, figure: Figure) -> bool:
    """Decide by the player's choice whether Inspiring ends a stun instead of its other effect."""
    if not figure.stunned:
        return False
    name = field.name(figure)
    labels = {"stun": f"{name} is no longer stunned", "fight": f"{name} fights better"}

    def means(option: str) -> Option:
        return Option(option, labels[option], {"figure": name, "effect": option})

    choice: str = table.choose(field.player(user), f"{user}: inspiring", tuple(labels), about=field, means=means)
    return choice == "stun"


def _present(field: Battlefield, figure: Figure, power: Power, stat: str) -> int:
    """Give a stat of a figure with what other powers add to it."""
    profile = field.profile(figure)
    own = profile.move_in if stat == "move" else getattr(profile, stat)
    return int(own + sum(getattr(spell, stat) for spell in figure.spells if spell.power != power.id))


def _picked(table: Table, field: Battlefield, user: str, power: Power) -> dict[str, Any]:
    """Give the stat that the player chooses, with its bonus; an upgrade never exceeds the maximum of a stat."""
    if not power.one_of:
        return {}
    options = dict(power.one_of)
    if power.id == UPGRADE:
        figure = field.figure(user)
        room = {stat: row("stat_caps", stat)["highest"] - _present(field, figure, power, stat) for stat in options}
        options = {stat: min(more, room[stat]) for stat, more in options.items() if room[stat] > 0}
    if not options:
        return {}

    def means(stat: str) -> Option:
        return Option(stat, f"{stat.capitalize()} {Signed(options[stat])}", {"stat": stat, "more": options[stat]})

    stat: str = table.choose(field.player(user), f"{user}: stat", tuple(options), about=field, means=means)
    return {stat: options[stat]}
