"""Attacks of hostiles: whom an action lets a hostile attack, with which of its weapons, and the attack itself."""

from typing import NamedTuple

from msgspec.structs import replace

from arbiter.option import single
from arbiter.rule import Reason, rule
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
    weapons_by_target: dict[str, tuple[str, ...]] = {}
    ready = tuple((weapon, _attack(field, hostile, weapon, manner)) for weapon in _weapons(field, hostile, manner))
    if table.in_bulk:
        explorers = [explorer for explorer in field.explorers if among is None or explorer.id in among]
        targets_in_reach = [
            (weapon, attacks.eligible_targets(table, field, hostile_id, attack, explorers)) for weapon, attack in ready
        ]
        with_each = (
            (one.id, tuple([weapon for weapon, ids in targets_in_reach if one.id in ids])) for one in explorers
        )
        return tuple([(id_, weapons) for id_, weapons in with_each if weapons])
    for explorer in field.explorers:
        if among is not None and explorer.id not in among:
            continue
        violations: tuple[Reason, ...] = ()
        with table.without_findings():
            for weapon, attack_with in ready:
                reasons = attacks.violations(table, field, hostile_id, explorer.id, attack_with)
                if not reasons:
                    weapons_by_target[explorer.id] = (*weapons_by_target.get(explorer.id, ()), weapon)
                violations += reasons
        if explorer.id in weapons_by_target:
            if table.records_findings:
                table.find(
                    "{hostile} can attack {target} with {weapons}",
                    cites=("hostile-attack/target-by-behaviour", "hostile-attack/carried-weapon"),
                    hostile=field.name(hostile),
                    target=field.name(explorer),
                    weapons=" or ".join(
                        attack_with.name for weapon, attack_with in ready if weapon in weapons_by_target[explorer.id]
                    ),
                )
            continue
        for reason in dict.fromkeys(reason.text for reason in violations):
            if table.records_findings:
                table.find("{why}", cites=next(one.cites for one in violations if one.text == reason), why=reason)
    if not weapons_by_target and table.records_findings:
        table.find(
            "{hostile} has no target and does not attack", cites="hostile-attack/no-target", hostile=field.name(hostile)
        )
    return tuple(weapons_by_target.items())


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
    weapon = table.choose(
        "hostiles", f"{hostile_id}: weapon", weapons_by_target[target.id], about=field, means=single("weapon")
    )
    hostile = field.hostile(hostile_id)
    if table.records_findings:
        table.find("{hostile} attacks {target}", hostile=field.name(hostile), target=field.name(target), weapon=weapon)
    return attacks.attack_once(table, field, hostile_id, target.id, _attack(field, hostile, weapon, manner))


def _weapons(field: Battlefield, hostile: Hostile, manner: Manner) -> tuple[str, ...]:
    """Give the weapons that a hostile may use: those it carries, or of these only the ones with an overcharged mode."""
    weapons = armoury.weapons_carried(field, hostile)
    if not manner.overcharged:
        return weapons
    return tuple(weapon for weapon in weapons if any(row.overcharged for row in field.book.weapons[weapon]))


def _attack(field: Battlefield, hostile: Hostile, weapon: str, manner: Manner) -> Attack:
    ready = attacks.hostile_attack(field, hostile, manner.overcharged, weapon)
    if not (manner.ignores_cover or manner.again):
        return ready
    return replace(
        ready,
        ignores_cover=ready.ignores_cover or manner.ignores_cover,
        reroll_failures=ready.reroll_failures or manner.again,
    )
