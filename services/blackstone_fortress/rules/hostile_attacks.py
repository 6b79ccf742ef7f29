"""Attacks of hostiles: whom an action lets a hostile attack, with which of its weapons, and the attack itself."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from arbiter.option import Option
from arbiter.rule import rule
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import armoury, attacks, routes
from services.blackstone_fortress.rules.armoury import Attack
from services.blackstone_fortress.rules.attacks import AttackOutcome
from services.blackstone_fortress.scene import Hostile

Targets = tuple[tuple[str, tuple[str, ...]], ...]
"""Each explorer who may be attacked, with the weapons that reach."""


class Manner(NamedTuple):
    """How an action has a hostile attack: whom among those it may, and with what done to the attack."""

    furthest: bool = False
    ignores_cover: bool = False
    again: bool = False
    overcharged: bool = False


PLAIN = Manner()


@rule(
    "hostile_attacks.targets",
    cites=("hostile-attack/target-by-behaviour", "hostile-attack/carried-weapon", "hostile-attack/no-target"),
    neutral=(),
)
def targets(
    table: Table, field: Battlefield, hostile_id: str, manner: Manner, among: tuple[str, ...] | None = None
) -> Targets:
    """Decide whom a hostile may attack, and with which of the weapons it carries: whoever it sees within their range.

    `among` are the only explorers whom the action lets it attack, where the action says so.
    """
    hostile = field.hostile(hostile_id)
    ready = {weapon: _attack(field, hostile, weapon, manner) for weapon in _weapons(field, hostile, manner)}
    ids = tuple([explorer.id for explorer in field.explorers if among is None or explorer.id in among])
    with table.without_findings():
        reached = [
            (weapon, tuple(attacks.eligible_targets(table, field, hostile_id, attack, among)))
            for weapon, attack in ready.items()
        ]
    by_target = {id_: tuple([weapon for weapon, targets in reached if id_ in targets]) for id_ in ids}
    weapons_by_target = {id_: weapons for id_, weapons in by_target.items() if weapons}
    table.explain(_record_targets, field, hostile, ids, ready, weapons_by_target)
    return tuple(weapons_by_target.items())


def _record_targets(
    table: Table,
    field: Battlefield,
    hostile: Hostile,
    ids: tuple[str, ...],
    ready: Mapping[str, Attack],
    weapons_by_target: Mapping[str, tuple[str, ...]],
) -> None:
    for id_ in ids:
        if id_ in weapons_by_target:
            table.find(
                "{hostile} can attack {target} with {weapons}",
                cites=("hostile-attack/target-by-behaviour", "hostile-attack/carried-weapon"),
                hostile=field.name(hostile),
                target=field.name(id_),
                weapons=" or ".join(ready[weapon].name for weapon in weapons_by_target[id_]),
            )
        else:
            _unreached(table, field, hostile.id, id_, tuple(ready.values()))
    if not weapons_by_target:
        table.find(
            "{hostile} has no target and does not attack", cites="hostile-attack/no-target", hostile=field.name(hostile)
        )


def _unreached(table: Table, field: Battlefield, hostile_id: str, target_id: str, ready: tuple[Attack, ...]) -> None:
    """Say why a hostile can attack an explorer with none of its weapons."""
    with table.without_findings():
        every = [attacks.violations(table, field, hostile_id, target_id, attack) for attack in ready]
    for reason in {reason.text: reason for reasons in every for reason in reasons}.values():
        table.find("{why}", cites=reason.cites, why=reason)


@rule(
    "hostile_attacks.attack",
    cites=("hostile-attack/pick-and-resolve", "hostile-attack/choice-within"),
    neutral=lambda field, hostile_id, manner=PLAIN, among=None: (field, None),
)
def attack(
    table: Table, field: Battlefield, hostile_id: str, manner: Manner = PLAIN, among: tuple[str, ...] | None = None
) -> tuple[Battlefield, AttackOutcome | None]:
    """Let a hostile attack the closest explorer that it may, or the furthest; give the battlefield, and how it went.

    Where `among` names those it may attack, they are all as good. What the action leaves open its player picks: the
    target among equals, and the weapon. Without a target nothing happens.
    """
    weapons_by_target = dict(targets(table, field, hostile_id, manner, among))
    if not weapons_by_target:
        return field, None
    explorers = tuple(field.explorer(id_) for id_ in weapons_by_target)
    if among is None:
        ranked = routes.furthest_explorers if manner.furthest else routes.closest_explorers
        explorers = ranked(table, field, hostile_id, explorers, "closest-metric")
    target = routes.pick_explorer(table, field, f"{hostile_id}: target", explorers)
    hostile = field.hostile(hostile_id)
    label, weapons = f"{hostile_id}: weapon", weapons_by_target[target.id]
    weapon = table.choose("hostiles", label, weapons, about=field, means=partial(_weapon, field, hostile, manner))
    table.find("{hostile} attacks {target}", hostile=field.name(hostile), target=field.name(target), weapon=weapon)
    return attacks.attack_once(table, field, hostile_id, target.id, _attack(field, hostile, weapon, manner))


def _weapon(field: Battlefield, hostile: Hostile, manner: Manner, option: str) -> Option:
    """Give what an option means that is a weapon."""
    return Option(option, _attack(field, hostile, option, manner).name, {"weapon": option})


def _weapons(field: Battlefield, hostile: Hostile, manner: Manner) -> tuple[str, ...]:
    """Give the weapons that a hostile may use: those it carries, or of these only the ones with an overcharged mode."""
    weapons = armoury.weapons_carried(field, hostile)
    if not manner.overcharged:
        return weapons
    return tuple(weapon for weapon in weapons if any(row.overcharged for row in field.book.weapons[weapon]))


def _attack(field: Battlefield, hostile: Hostile, weapon: str, manner: Manner) -> Attack:
    ready = armoury.hostile_attack(field, hostile, manner.overcharged, weapon)
    if not (manner.ignores_cover or manner.again):
        return ready
    return replace(
        ready,
        ignores_cover=ready.ignores_cover or manner.ignores_cover,
        reroll_failures=ready.reroll_failures or manner.again,
    )
