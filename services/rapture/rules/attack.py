"""Attacks as actions: whether a unit may attack another hand to hand or from afar, what it pays, and how it goes.

The steps of an attack are in `blows` and `shots`.
"""

from typing import Final

from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield
from services.rapture.rules import actions, blows, reach, shots, targets
from services.rapture.rules.reach import Reach
from services.rapture.rules.shots import AttackOutcome

CLOSE: Final = "close-combat"
RANGED: Final = "ranged"


def close_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> tuple[Reason, ...]:
    """Give every reason why a unit may not attack another hand to hand now."""
    return (
        *actions.untargeted_violations(table, field, attacker_id, CLOSE),
        *targets.side_violations(table, field, attacker_id, target_id),
        *reach.close(table, field, attacker_id, target_id).reasons,
    )


def ranged_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> tuple[Reason, ...]:
    """Give every reason why a unit may not shoot at another now, a range that is too short included."""
    return (
        *aim_violations(table, field, attacker_id, target_id),
        *reach.shot(table, field, attacker_id, target_id).reasons,
    )


def aim_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> tuple[Reason, ...]:
    """Give every reason why a unit may not shoot at another now, but for range and sight."""
    return (
        *actions.untargeted_violations(table, field, attacker_id, RANGED),
        *targets.side_violations(table, field, attacker_id, target_id),
        *targets.engagement_violations(table, field, attacker_id, target_id),
        *targets.melee_violations(table, field, attacker_id, target_id),
    )


def measured_reach(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Reach | None:
    """Give what a unit reaches of another from afar, once the range is measured; None where it is too short."""
    if targets.out_of_range(table, field, attacker_id, target_id):
        return None
    return reach.shot(table, field, attacker_id, target_id)


def declaration_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> tuple[Reason, ...]:
    """Give every reason why a ranged attack may not be declared; one that turns out to be too short may."""
    reach_ = measured_reach(table, field, attacker_id, target_id)
    return (*aim_violations(table, field, attacker_id, target_id), *(reach_.reasons if reach_ is not None else ()))


@rule(
    "attack.struck",
    cites=("action/close-combat", "attack/steps"),
    neutral=lambda field, attacker_id, target_id: (field, ()),
)
def close_combat(
    table: Table, field: Battlefield, attacker_id: str, target_id: str
) -> tuple[Battlefield, tuple[AttackOutcome, ...]]:
    """Decide how a close combat attack goes that is allowed: its AP are paid, and all its blows are struck."""
    field = table.call(actions.pay, field, attacker_id, CLOSE)
    table.find(
        "{unit} attacks {target} in close combat", cites="action/close-combat",
        unit=field.name(field.unit(attacker_id)), target=field.name(field.unit(target_id)),
    )  # fmt: skip
    return blows.exchange(table, field, attacker_id, target_id)


@rule(
    "attack.shot",
    cites=("action/ranged", "attack/range"),
    neutral=lambda field, attacker_id, target_id: (field, None),
)
def ranged(
    table: Table, field: Battlefield, attacker_id: str, target_id: str
) -> tuple[Battlefield, AttackOutcome | None]:
    """Decide how a ranged attack goes that is allowed: the range is measured, AP are paid, and the shot is rolled.

    What an attack costs that turns out to be short of its range is `range-short`.
    """
    unit, target = field.name(field.unit(attacker_id)), field.name(field.unit(target_id))
    reach_ = table.call(measured_reach, field, attacker_id, target_id)
    if reach_ is None:
        if table.read("range-short") == "spent":
            field = table.call(actions.pay, field, attacker_id, RANGED)
        return field, None
    field = table.call(actions.pay, field, attacker_id, RANGED)
    table.find("{unit} shoots at {target}, which is in range", unit=unit, target=target)
    return shots.shoot(table, field, attacker_id, target_id, RANGED, reach_)
