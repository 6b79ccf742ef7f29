"""Weapon actions: an explorer's attacks for one die, one after the other, and whom the later ones may strike.

Follows "Weapon Actions" and the cards that attack several times. Paying for the action is in `payments`.
"""

from itertools import pairwise

from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.profiles import ActionCost, WeaponAction
from services.blackstone_fortress.rules import armoury, attacks, sight
from services.blackstone_fortress.rules.armoury import Attack
from services.blackstone_fortress.rules.attacks import AttackOutcome
from services.blackstone_fortress.scene import Explorer, Hex

CHAIN = "multi-attack-chain"
WHOLE_HEX = "every-hostile-in-hex"

_PRINTED = {
    "pistol-and-rapier": ("examples/draik-weapons",),
    "flurry-of-attacks": ("draik/flurry-attacks", "draik/flurry-in-turn"),
}
"""The weapon actions that the booklet itself prints, with its passages on them."""


def number_of_attacks(action: WeaponAction, cost: int) -> int:
    """Give how many attacks a weapon action makes for one of its costs."""
    return next(row.attacks for row in action.costs if row.cost == cost)


def violations(
    table: Table, field: Battlefield, explorer_id: str, action_id: str, target_ids: tuple[str, ...], attack: Attack
) -> tuple[Reason, ...]:
    """Give every reason why a weapon action cannot be made on these targets, in this order, as the table stands now."""
    action = armoury.action_of(field, field.explorer(explorer_id), action_id)
    reasons = [
        reason
        for target_id in dict.fromkeys(target_ids)
        for reason in attacks.violations(table, field, explorer_id, target_id, attack)
    ]
    for before, target_id in pairwise(target_ids):
        place = field.units[before].hex
        if place is not None and field.units[target_id].hex is not None:
            reasons += chained(table, field, action, before, place, target_id)
    return tuple(reasons)


@rule("weapon_actions.stunned_attacker", cites="stunned/explorer-next", neutral=False)
def stunned_attacker(table: Table, field: Battlefield, explorer_id: str) -> bool:
    """Decide whether a weapon action is asked for without the die that a stunned explorer discards to stand up."""
    explorer = field.explorer(explorer_id)
    if explorer.stunned:
        text = "{name} is stunned: the activation die that it discards to stand up is not part of this attack"
        table.find(text, name=field.name(explorer))
    return explorer.stunned


@rule(
    "weapon_actions.take_attacks",
    cites=("weapon-action/pay-and-attack", "draik/flurry-attacks", "draik/flurry-in-turn", "examples/draik-weapons"),
    neutral=lambda field, *rest: (field, ()),
)
def take_attacks(
    table: Table,
    field: Battlefield,
    explorer_id: str,
    action_id: str,
    cost: int,
    target_ids: tuple[str, ...],
    aimed: bool = False,
    paid: int | None = None,
    own_activation: bool = True,
    only_target: bool = False,
) -> tuple[Battlefield, tuple[AttackOutcome, ...]]:
    """Decide a weapon action: as many attacks as its cost gives, each resolved before the next, and how they went.

    The targets named are known to be eligible as the table stands. Where a later attack has none named, or the one
    named is gone, the player picks another; where there is none, the attack is lost. `paid` is the face of the die
    spent; `only_target` keeps all attacks on the first target.
    """
    explorer = field.explorer(explorer_id)
    action = armoury.action_of(field, explorer, action_id)
    attack = armoury.explorer_attack(table, field, explorer_id, action, aimed, paid)
    count = number_of_attacks(action, cost)
    table.find(
        "{name} takes the weapon action {action}, {attacks}",
        cites=("weapon-action/pay-and-attack", *_PRINTED.get(action_id, ())),
        name=field.name(explorer),
        action=action.name,
        attacks=f"{count} attacks one after the other" if count > 1 else "one attack",
        count=count,
    )
    outcomes: list[AttackOutcome] = []
    previous: tuple[str, Hex] | None = None
    target_id: str | None = target_ids[0]
    for index in range(count):
        if previous is not None and only_target:
            target_id = previous[0] if field.units[previous[0]].hex is not None else None
        elif previous is not None:
            named = target_ids[index] if index < len(target_ids) else None
            target_id = _next_target(table, field, explorer, action, attack, previous, named)
        if target_id is None:
            table.find("there is no target left: the remaining attacks are lost", lost=count - index)
            break
        place = field.units[target_id].hex
        assert place is not None, "an eligible target stands on the battlefield"
        previous = target_id, place
        for victim in struck_together(table, field, attack, target_id):
            # Damage that is carried over may have slain somebody whose turn has not come.
            if field.units[victim].hex is not None:
                field, outcome = attacks.attack_once(table, field, explorer_id, victim, attack, own_activation)
                outcomes.append(outcome)
    return field, tuple(outcomes)


def _next_target(
    table: Table,
    field: Battlefield,
    explorer: Explorer,
    action: WeaponAction,
    attack: Attack,
    previous: tuple[str, Hex],
    named: str | None,
) -> str | None:
    """Give the target of the next attack: the one named if it can be, else the player's pick; None if there is none."""

    def open_to(target_id: str) -> bool:
        return not (
            attacks.violations(table, field, explorer.id, target_id, attack)
            or chained(table, field, action, *previous, target_id)
        )

    if named is not None and field.units[named].hex is not None and open_to(named):
        targets = [named]
    else:
        targets = [enemy.id for enemy in field.enemies(explorer) if open_to(enemy.id)]
        targets.sort(key=lambda id_: id_ != previous[0])
    if not targets or ended(table, field, action, previous[0]):
        return None
    target: str = table.choose("explorers", f"{explorer.id}: target", targets, about=field, means=field.option)
    return target


@rule("weapon_actions.too_many_targets", cites=("weapon-action/pay-and-attack", "draik/flurry-attacks"), neutral=())
def too_many_targets(table: Table, action: WeaponAction, price: ActionCost, count: int) -> tuple[Reason, ...]:
    """Decide whether so many targets can be named: one for each attack that the die paid gives."""
    if count <= price.attacks:
        return ()
    reason = table.reason(
        "{action} at {cost}+ makes {attacks} attacks, not {count}",
        action=action.name,
        cost=price.cost,
        attacks=price.attacks,
        count=count,
    )
    return (reason,)


@rule("weapon_actions.chained", cites=("draik/flurry-targets", "explorer/ur-025-cannon-targets"), neutral=())
def chained(
    table: Table, field: Battlefield, action: WeaponAction, previous_id: str, previous_hex: Hex, target_id: str
) -> tuple[Reason, ...]:
    """Decide whether a later attack may strike a target: the previous one, or somebody in its hex or next to it.

    Whether that binds actions whose card does not say so is the reading `multi-attack-chain`.
    """
    target = field.units[target_id]
    if target_id == previous_id or target.hex is None:
        return ()
    if table.facts is not None and CHAIN not in action.traits and table.readings["multi-attack-chain"] != "all":
        return ()
    cites = ("draik/flurry-targets" if action.id == "flurry-of-attacks" else "explorer/ur-025-cannon-targets",)
    if sight.is_near(table, field, field.units[previous_id], target, previous_hex, target.hex):
        return ()
    if CHAIN not in action.traits and table.read("multi-attack-chain") == "where-printed":
        return ()
    reason = table.reason(
        "{target} is neither in the hex of the previous target {previous} nor next to it",
        cites=cites,
        target=field.name(target),
        previous=field.name(previous_id),
    )
    return (reason,)


@rule("weapon_actions.ended", cites=("draik/flurry-targets", "explorer/ur-025-cannon-targets"), neutral=False)
def ended(table: Table, field: Battlefield, action: WeaponAction, previous_id: str) -> bool:
    """Decide whether bound attacks end because the previous target was slain: the reading `flurry-target-slain`."""
    if CHAIN not in action.traits or field.units[previous_id].hex is not None:
        return False
    over = table.read("flurry-target-slain") == "ends"
    cites = "draik/flurry-targets" if action.id == "flurry-of-attacks" else "explorer/ur-025-cannon-targets"
    text = (
        "with {name} slain the attacks end"
        if over
        else "the next target is one in or next to the hex where {name} fell"
    )
    table.find(text, cites=cites, name=field.name(previous_id))
    return over


@rule(
    "weapon_actions.struck_together",
    cites="explorer/vorne-flames",
    neutral=lambda field, attack, target_id: (target_id,),
)
def struck_together(table: Table, field: Battlefield, attack: Attack, target_id: str) -> tuple[str, ...]:
    """Decide whom one attack strikes: its target, and with flames every other hostile in the target's hex as well."""
    if WHOLE_HEX not in attack.traits:
        return (target_id,)
    others = sight.together(table, field, field.units[target_id])
    count = Quantity(1 + len(others), "hostile")
    table.find("{weapon} strikes every hostile in the hex: {count}", weapon=attack.name, count=count)
    return (target_id, *others)
