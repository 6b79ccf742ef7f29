"""Attacks as actions: whether a unit can attack another in close combat or at range, what it pays, and the outcome.

The steps of an attack are in `blows` and `shots`.
"""

from collections.abc import Iterator
from typing import Final

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import every_reason
from arbiter.table import Table
from services.rapture.battlefield import Battlefield
from services.rapture.rules import actions, blows, reach, shots, targets
from services.rapture.rules.reach import Reach
from services.rapture.rules.shots import Attacked, AttackOutcome, no_attack

CLOSE: Final = "close-combat"
RANGED: Final = "ranged"


@every_reason
def close_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Iterator[Reason]:
    """Give every reason why a unit cannot attack another in close combat now."""
    yield from actions.untargeted_violations(table, field, attacker_id, CLOSE)
    yield from close_target_violations(table, field, attacker_id, target_id)


@every_reason
def close_target_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Iterator[Reason]:
    """Give every reason why a unit that can attack in close combat now cannot attack this target."""
    yield from targets.side_violations(table, field, attacker_id, target_id)
    yield from reach.close(table, field, attacker_id, target_id).reasons


@every_reason
def ranged_target_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Iterator[Reason]:
    """Give every reason why a unit that can shoot now cannot shoot at this target, range and sight included."""
    yield from targets.violations(table, field, attacker_id, target_id)
    yield from reach.shot(table, field, attacker_id, target_id).reasons


def measured_reach(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Reach | None:
    """Give the reach of a ranged attack once the range is measured; None if the target is out of range."""
    if targets.out_of_range(table, field, attacker_id, target_id):
        return None
    return reach.shot(table, field, attacker_id, target_id)


@every_reason
def declaration_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Iterator[Reason]:
    """Give every reason why a ranged attack cannot be declared; being out of range is not one."""
    reach_ = measured_reach(table, field, attacker_id, target_id)
    yield from actions.untargeted_violations(table, field, attacker_id, RANGED)
    yield from targets.violations(table, field, attacker_id, target_id)
    yield from reach_.reasons if reach_ is not None else ()


@rule("attack.close_combat", cites=("action/close-combat", "attack/steps"), neutral=no_attack)
def close_combat(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Attacked:
    """Decide the outcomes of an allowed close combat attack: its AP are paid, then the blows are exchanged."""
    field = table.call(actions.pay, field, attacker_id, CLOSE)
    names = {"unit": field.name(attacker_id), "target": field.name(target_id)}
    table.find("{unit} attacks {target} in close combat", cites="action/close-combat", **names)
    return blows.exchange(table, field, attacker_id, target_id)


@rule("attack.ranged", cites=("action/ranged", "attack/range"), neutral=lambda field, *_: (field, None))
def ranged(
    table: Table, field: Battlefield, attacker_id: str, target_id: str
) -> tuple[Battlefield, AttackOutcome | None]:
    """Decide the outcome of an allowed ranged attack: the range is measured, AP are paid, and the shot is rolled.

    What an attack out of range costs is `range-short`.
    """
    unit, target = field.name(attacker_id), field.name(target_id)
    reach_ = table.call(measured_reach, field, attacker_id, target_id)
    if reach_ is None:
        if table.read("range-short") == "spent":
            field = table.call(actions.pay, field, attacker_id, RANGED)
        return field, None
    field = table.call(actions.pay, field, attacker_id, RANGED)
    table.find("{unit} shoots at {target}, which is in range", unit=unit, target=target)
    return shots.shoot(table, field, attacker_id, target_id, RANGED, reach_)
