"""Effects: what a power does that has been activated, as far as its row has numbers.

Powers stand in the research notes. What a row has no number for (walls, control, rerolls) is the players' to carry out.
"""

from typing import Any

from msgspec.structs import replace

from arbiter.dice import D20
from arbiter.geometry import plane
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave import ground
from services.stargrave.battlefield import Battlefield, in_play
from services.stargrave.book import Power
from services.stargrave.model import Figure, Place, Spell
from services.stargrave.rules import combat, harm, loads, shooting, sight

LASTING = frozenset({"game", "until-stunned", "until-used", "next-shot", "next-activation", "until-resisted"})
"""How long powers last that stay on a figure."""

LEACH, HEAL, REPAIR = "life-leach", "heal", "repair-robot"
DARK_ENERGY, CONCEALED = "dark-energy", "concealed-firearm"

ATTACKS = (DARK_ENERGY, CONCEALED)
"""Powers that attack a figure; those of templates and of robots are asked for as what they are."""


class PowerAim(Value, frozen=True):
    """What a power is aimed at: a figure or a token, and the place to which it moves somebody."""

    target: str | None = None
    token: str | None = None
    to: Place | None = None


class Effect(Value, frozen=True):
    """What a power did: whether it was resisted, the Health that was lost and restored, and what lasts on whom."""

    resisted: bool = False
    damage: int = 0
    restored: int = 0
    lasts_on: str | None = None
    unlocked: str | None = None
    moved: str | None = None


def effect(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim) -> tuple[Battlefield, Effect]:
    """Give the battlefield after a power has had its effect, and what that was."""
    on = aim.target or (user if "self" in power.classes else None)
    if on is not None and resists(table, field, on, power):
        return field, Effect(resisted=True)
    done = Effect()
    if on is not None:
        field, done = _on_figure(table, field, user, power, on)
    if aim.token is not None and power.id in OPENERS:
        field = opened(table, field, user, power, aim.token)
        done = replace(done, unlocked=aim.token if field.token(aim.token).unlocked else None)
    if on is not None and aim.to is not None and power.move_in is not None and in_play(field.figure(on)):
        field = moved(table, field, power, on, aim.to)
        done = replace(done, moved=on)
    return field, done


def _on_figure(table: Table, field: Battlefield, user: str, power: Power, on: str) -> tuple[Battlefield, Effect]:
    before = field.health(field.figure(on))
    if power.id in ATTACKS:
        field = attacked(table, field, user, power, on)
    restored = 0
    if power.id == LEACH:
        field, restored = leached(table, field, user, power, on)
    elif power.health is not None:
        field, restored = restored_to(table, field, power, on)
    lasts = power.lasts in LASTING and in_play(field.figure(on))
    if lasts:
        field = lasting(table, field, user, power, on)
    lost = max(0, before - field.health(field.figure(on)))
    return field, Effect(damage=lost, restored=restored, lasts_on=on if lasts else None)


@rule(
    "effects.attacked",
    cites=("power/dark-energy", "power/concealed-firearm"),
    without=lambda field, user, power, on: field,
)
def attacked(table: Table, field: Battlefield, user: str, power: Power, on: str) -> Battlefield:
    """Decide how the attack of a power goes: a shot that uses no stat.

    Dark Energy is better against robots, and worn armour does not count; Concealed Firearm knows no cover, and pushes
    and stuns who is hurt by it.
    """
    figure = field.figure(on)
    cites = f"power/{power.id}"
    bonus = power.attack or 0
    if field.has(figure, "robot"):
        bonus = int(power.numbers.get("attack_on_robots", bonus))
    table.find("{power} attacks {name} with {bonus}", cites=cites, power=power.name, name=field.name(figure),
               bonus=f"{bonus:+}")  # fmt: skip
    afar = power.id == DARK_ENERGY
    worn = sum(field.book.armour[item].armour for item in field.profile(figure).worn) if afar else 0
    looker = sight.solid(field, user) if afar else None
    field, _ = shooting.attack_at(table, field, bonus, on, user, user, looker, armour_less=worn)
    after = field.figure(on)
    if afar or not in_play(after) or field.health(after) == field.health(figure):
        return field
    table.find("{name} is pushed back and stunned", cites=cites, name=field.name(figure))
    return combat.pushed(table, harm.stun(table, field, on), on, user)


def resists(table: Table, field: Battlefield, on: str, power: Power) -> bool:
    """Say whether a figure resists a power, if that can be resisted."""
    if power.resist is None:
        return False
    stat, wanted = power.resist.stat, power.resist.target
    found: bool = table.call(
        resisted, on, field.name(field.figure(on)), power.id, stat, stat_of(table, field, on, stat), wanted
    )
    return found


@rule(
    "effects.resisted",
    cites=("power/pull", "power/suggestion", "power/fling"),
    without=lambda on, name, power_id, stat, bonus, wanted: False,
)
def resisted(table: Table, on: str, name: str, power_id: str, stat: str, bonus: int, wanted: int) -> bool:
    """Decide whether a figure resists a power: a roll with the stat that the power names, against its number."""
    face: int = table.roll(D20, f"{on}: {stat}")
    success = face + bonus >= wanted
    text = "{name} rolls {face} and adds {bonus}: {total} of {wanted}, " + ("resisted" if success else "not resisted")
    table.find(text, cites=f"power/{power_id}", name=name, face=face, bonus=bonus, total=face + bonus, wanted=wanted)
    return success


def stat_of(table: Table, field: Battlefield, id_: str, stat: str) -> int:
    """Give what a figure adds to a roll with a stat."""
    if stat == "will":
        return harm.will(table, field, id_)
    if stat == "fight":
        return combat.stat(table, field, id_)
    figure = field.figure(id_)
    shoot = field.profile(figure).shoot + sum(spell.shoot for spell in figure.spells)
    return shoot + loads.penalty(table, field, id_, "shoot") + harm.roll_penalty(table, field, id_)


@rule("effects.leached", cites="power/life-leach", without=lambda field, user, power, on: (field, 0))
def leached(table: Table, field: Battlefield, user: str, power: Power, on: str) -> tuple[Battlefield, int]:
    """Decide what Life Leach does: the target loses Health that the user regains; robots have none to give."""
    target = field.figure(on)
    if field.has(target, "robot"):
        table.find("{name} is a robot and loses nothing", name=field.name(target))
        return field, 0
    table.find("{name} loses {damage} Health", name=field.name(target), damage=power.damage)
    field = harm.harm(table, field, on, power.damage or 0, user)
    return harm.healed(table, field, user, power.health or 0)


@rule(
    "effects.restored_to",
    cites=("power/heal", "power/repair-robot", "power/regenerate"),
    without=lambda field, power, on: (field, 0),
)
def restored_to(table: Table, field: Battlefield, power: Power, on: str) -> tuple[Battlefield, int]:
    """Decide how much lost Health a power restores: Heal to all but robots, Repair Robot to robots only."""
    figure = field.figure(on)
    if not in_play(figure):
        return field, 0
    robot = field.has(figure, "robot")
    if (power.id == HEAL and robot) or (power.id == REPAIR and not robot):
        table.find("{power} does nothing for {name}", cites=f"power/{power.id}", power=power.name,
                   name=field.name(figure))  # fmt: skip
        return field, 0
    field, gained = harm.healed(table, field, on, power.health or 0)
    table.find("{power} restores {gained} Health to {name}", cites=f"power/{power.id}", power=power.name,
               gained=gained, name=field.name(figure))  # fmt: skip
    return field, gained


@rule(
    "effects.lasting",
    cites=("power/coordinated-fire", "power/temporary-upgrade", "power/inspiring"),
    without=lambda field, user, power, on: field,
)
def lasting(table: Table, field: Battlefield, user: str, power: Power, on: str) -> Battlefield:
    """Decide what a power that lasts adds to a figure's stats; used again, it does not add up."""
    figure = field.figure(on)
    stats = {**power.stats, **_picked(table, field, user, power)}
    if highest := power.numbers.get("highest_shoot"):
        shoot = field.profile(figure).shoot
        stats["shoot"] = max(0, min(stats.get("shoot", 0), int(highest) - shoot))
    said = ", ".join(f"{stat.capitalize()} {more:+}" for stat, more in stats.items()) or "what its text says"
    table.find("{power} is on {name}: {what}", cites=f"power/{power.id}", power=power.name, name=field.name(figure),
               what=said)  # fmt: skip
    table.event("power-lasts", figure=on, power=power.id)
    return field.put(replace(figure, spells=(*_others(figure, power), Spell(power.id, **stats))))


def _others(figure: Figure, power: Power) -> tuple[Spell, ...]:
    return tuple(spell for spell in figure.spells if spell.power != power.id)


def _picked(table: Table, field: Battlefield, user: str, power: Power) -> dict[str, Any]:
    if not power.one_of:
        return {}
    who = field.player(user)
    stat: str = table.choose(who, f"{user}: stat", tuple(power.one_of), about=field)
    return {stat: power.one_of[stat]}


OPENERS = {"break-lock": "physical", "data-knock": "data"}
"""Powers that unlock a token of a kind."""


@rule(
    "effects.opened",
    cites=("power/break-lock", "power/data-knock"),
    without=lambda field, user, power, token_id: field,
)
def opened(table: Table, field: Battlefield, user: str, power: Power, token_id: str) -> Battlefield:
    """Decide whether a power unlocks a token: one of its kind."""
    token = field.token(token_id)
    cites = f"power/{power.id}"
    if token.kind != OPENERS[power.id] or token.unlocked:
        table.find("{power} does nothing to {token}", cites=cites, power=power.name, token=token_id)
        return field
    table.find("{power} unlocks {token}", cites=cites, power=power.name, token=token_id)
    table.event("unlocked", figure=user, token=token_id)
    return field.put_token(replace(token, unlocked=True))


@rule(
    "effects.moved",
    cites=("power/transport", "power/pull", "power/suggestion", "power/lift"),
    without=lambda field, power, on, to: field,
)
def moved(table: Table, field: Battlefield, power: Power, on: str, to: Place) -> Battlefield:
    """Decide where a figure is that a power has moved: at the place that was picked; by some it drops its loot."""
    if power.id in ("transport", "suggestion"):
        field = harm.drop(table, field, on)
    figure = field.figure(on)
    table.find("{power} moves {name}", cites=f"power/{power.id}", power=power.name, name=field.name(figure), to=to)
    table.event("moved", figure=on, to=to)
    return field.put(replace(figure, at=to))


def out_of_reach(field: Battlefield, on: str, to: Place, inches: float) -> bool:
    """Say whether a place is further than so many inches from where a figure stands."""
    x, y = ground.point(to)
    here = field.solid(field.figure(on)).at
    return (x - here[0]) ** 2 + (y - here[1]) ** 2 > plane.thousandths(inches) ** 2
