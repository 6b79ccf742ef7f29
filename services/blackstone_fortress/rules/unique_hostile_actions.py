"""The unique hostile actions, which stand on reference cards: Rush, Fury, Pounce, Disrupt and the others."""

from collections.abc import Callable
from functools import partial

from arbiter.option import Option
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import hostile_actions, hostile_attacks, sight, wounds
from services.blackstone_fortress.rules.attacks import AttackOutcome
from services.blackstone_fortress.rules.hostile_actions import AGAIN, StepResult, Steps, carry_out
from services.blackstone_fortress.rules.hostile_attacks import Manner
from services.blackstone_fortress.rules.payments import without_one

MOST_THREAT = 3


@rule("unique_hostile_actions.rush", cites="hostile-action/rush", neutral=())
def rush(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Rush: move towards the closest explorer, then a whole Charge."""
    table.find("{hostile} rushes: it moves, and then charges", hostile=field.name(hostile_id))
    return (hostile_actions.move_closer, *hostile_actions.charge_steps())


@rule("unique_hostile_actions.fury", cites="hostile-action/fury", neutral=())
def fury(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Fury: an Onslaught whose failed attack rolls are rolled again."""
    table.find("{hostile} attacks in a fury and rolls failed attack rolls again", hostile=field.name(hostile_id))
    return hostile_actions.onslaught(table, field, hostile_id, AGAIN)


@rule("unique_hostile_actions.rapid_fire", cites="hostile-action/rapid-fire", neutral=())
def rapid_fire(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Rapid Fire: an Onslaught whose failed attack rolls are rolled again."""
    table.find("{hostile} fires rapidly and rolls failed attack rolls again", hostile=field.name(hostile_id))
    return hostile_actions.onslaught(table, field, hostile_id, AGAIN)


@rule("unique_hostile_actions.pounce", cites="hostile-action/pounce", neutral=())
def pounce(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Pounce: an Onslaught beside a visible explorer and else a Charge, with failed attack rolls rolled again."""
    table.find("{hostile} pounces and rolls failed attack rolls again", hostile=field.name(hostile_id))
    if sight.beside(table, field, field.hostile(hostile_id)):
        return hostile_actions.onslaught(table, field, hostile_id, AGAIN)
    return hostile_actions.charge(table, field, hostile_id, AGAIN)


@rule("unique_hostile_actions.recharge", cites="hostile-action/recharge", neutral=())
def recharge(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Recharge: take one wound counter off itself, or Advance if it has none."""
    hostile = field.hostile(hostile_id)
    if hostile.wounds:
        table.find("{hostile} recharges and loses a wound counter", hostile=field.name(hostile))
        return (_lose_counter,)
    table.find("{hostile} has no wound counter to lose and advances", hostile=field.name(hostile))
    return hostile_actions.advance(table, field, hostile_id)


def _lose_counter(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
    return StepResult(wounds.heal_hostile(table, field, hostile_id))


@rule("unique_hostile_actions.alert", cites="hostile-action/alert", neutral=())
def alert(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Alert: raise the threat by one and then an Onslaught; at the highest threat it re-rolls failures instead."""
    threat = field.scene.threat
    if threat == MOST_THREAT:
        table.find("the threat is already {threat}: failed attack rolls are rolled again", threat=threat)
        return hostile_actions.onslaught(table, field, hostile_id, AGAIN)
    table.find("{hostile} raises the threat to {threat}", hostile=field.name(hostile_id), threat=threat + 1)
    return _raise_threat, *hostile_actions.onslaught(table, field, hostile_id)


def _raise_threat(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
    threat = field.scene.threat + 1
    table.event("threat", threat=threat)
    return StepResult(field.with_(threat=threat))


@rule("unique_hostile_actions.empower", cites="hostile-action/empower", neutral=())
def empower(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Empower: become empowered, or Disrupt if it already is."""
    name = field.name(hostile_id)
    if not field.hostile(hostile_id).empowered:
        table.find("{hostile} is empowered", hostile=name)
        return (_become_empowered,)
    table.find("{hostile} is already empowered and disrupts instead", hostile=name)
    return (_disrupt,)


def _become_empowered(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
    table.event("empowered", unit=hostile_id)
    return StepResult(field.change(field.hostile(hostile_id), empowered=True))


@rule("unique_hostile_actions.annihilate", cites="hostile-action/annihilate", neutral=())
def annihilate(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Annihilate: become empowered, then attack a visible explorer next to it and roll failed attack rolls again."""
    name = field.name(hostile_id)
    if field.hostile(hostile_id).empowered:
        table.find("{hostile} annihilates whoever is next to it", hostile=name)
        return (_attack_adjacent,)
    table.find("{hostile} is empowered and annihilates whoever is next to it", hostile=name)
    return _become_empowered, _attack_adjacent


def _attack_adjacent(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
    near = sight.beside(table, field, field.hostile(hostile_id))
    after, outcome = hostile_attacks.attack(table, field, hostile_id, AGAIN, near)
    return StepResult(after, "attack", outcome is not None, outcome)


def _die(field: Battlefield, option: tuple[str, str, int]) -> Option:
    """Give what an option means that is a die of somebody, or of the destiny pool."""
    kind, of, die = option
    unit = field.units.get(of)
    if unit is None:
        return Option(option, f"the {kind} die of {die}", {"kind": kind, "die": die})
    name = field.name(unit)
    return Option(option, f"the {kind} die of {die} of {name}", {"kind": kind, "unit": name, "die": die})


@rule("unique_hostile_actions.disrupt", cites="hostile-action/disrupt", neutral=unchanged)
def disrupt(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Disrupt: the hostile player removes an unspent activation or destiny die, or with none left wounds an explorer.

    Whether dice saved for overwatch are among them is the reading `disrupt-overwatch-dice`.
    """
    dice = _unspent(table, field)
    if dice:
        kind, of, face = table.choose(
            "hostiles", f"{hostile_id}: disrupt", dice, about=field, means=partial(_die, field)
        )
        owner = field.name(of) if of in field.units else "the explorers"
        text = "{hostile} removes the {kind} die of {face} of {owner}"
        table.find(text, hostile=field.name(hostile_id), face=face, kind=kind, owner=owner)
        table.event("die-lost", unit=of, kind=kind, die=face)
        return _removed(field, kind, of, face)
    explorers = [explorer.id for explorer in field.explorers]
    if not explorers:
        return field
    wounded = table.choose("hostiles", f"{hostile_id}: disrupt", explorers, about=field, means=field.option)
    table.find("no die is left, and {explorer} suffers a wound", explorer=field.name(wounded))
    return wounds.wound_explorer(table, field, wounded, 1, 0)


def _disrupt(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
    return StepResult(disrupt(table, field, hostile_id))


def _unspent(table: Table, field: Battlefield) -> tuple[tuple[str, str, int], ...]:
    """Give every different die that can be removed: its kind, whose it is, and its face."""
    plain = [("activation", one.id, face) for one in field.explorers for face in sorted(set(one.activation))]
    destiny = [("destiny", "destiny", face) for face in sorted(set(field.scene.turn.destiny))]
    saved = [("overwatch", one.id, face) for one in field.explorers for face in sorted(set(one.overwatch))]
    if saved and table.read("disrupt-overwatch-dice") == "safe":
        saved = []
    return (*plain, *saved, *destiny)


def _removed(field: Battlefield, kind: str, of: str, face: int) -> Battlefield:
    if kind == "destiny":
        turn = field.scene.turn
        return field.with_turn(
            destiny=without_one(turn.destiny, face), discarded_destiny=(*turn.discarded_destiny, face)
        )
    explorer = field.explorer(of)
    return field.change(explorer, **{kind: without_one(getattr(explorer, kind), face)})


@rule("unique_hostile_actions.regenerate", cites="hostile-action/regenerate", neutral=())
def regenerate(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Regenerate: take one wound counter off itself, or Disrupt if it has none."""
    hostile = field.hostile(hostile_id)
    if hostile.wounds:
        table.find("{hostile} regenerates and loses a wound counter", hostile=field.name(hostile))
        return (_lose_counter,)
    table.find("{hostile} has no wound counter to lose and disrupts instead", hostile=field.name(hostile))
    return (_disrupt,)


@rule("unique_hostile_actions.overcharge", cites="hostile-action/overcharge", neutral=())
def overcharge(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Overcharge: one attack with the overcharged weapon on the closest explorer who is visible and in range."""
    table.find("{hostile} overcharges its weapon", hostile=field.name(hostile_id))
    return (hostile_actions.attack_in(Manner(overcharged=True)),)


ACTIONS: dict[str, Callable[[Table, Battlefield, str], Steps]] = {
    "advance": hostile_actions.advance,
    "aim": hostile_actions.aim,
    "charge": hostile_actions.charge,
    "fall-back": hostile_actions.fall_back,
    "hold": hostile_actions.hold,
    "onslaught": hostile_actions.onslaught,
    "sneak": hostile_actions.sneak,
    "rush": rush,
    "fury": fury,
    "rapid-fire": rapid_fire,
    "pounce": pounce,
    "recharge": recharge,
    "alert": alert,
    "empower": empower,
    "annihilate": annihilate,
    "disrupt": lambda table, field, hostile_id: (_disrupt,),
    "regenerate": regenerate,
    "overcharge": overcharge,
}
"""Every hostile action by the id that behaviour tables give it."""


def perform(
    table: Table, field: Battlefield, hostile_id: str, action_id: str
) -> tuple[Battlefield, tuple[AttackOutcome, ...]]:
    """Let a hostile take an action, basic or unique: the battlefield after it, and how its attacks went."""
    table.event("action", unit=hostile_id, action=action_id)
    return carry_out(table, field, hostile_id, ACTIONS[action_id](table, field, hostile_id))
