"""Attacks: picking a target, measuring the range, the attack roll, and the wounds.

Follows "Attacks" in the text's order. Explorers and hostiles attack by the same rules; explorers then make defence
rolls.
"""

from collections.abc import Collection, Iterator

from arbiter.option import with_labels
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.profiles import DieName
from services.blackstone_fortress.rules import action_rolls, armoury, inspiration, sight, wounds
from services.blackstone_fortress.rules.action_rolls import Result, Rolled
from services.blackstone_fortress.rules.armoury import Attack
from services.blackstone_fortress.rules.defence import Suffered, one_by_one
from services.blackstone_fortress.scene import Explorer, Hex

Dice = tuple[DieName, ...]
Twists = tuple[str, ...]

FARTHEST_IN_THE_DARK = 3
RIPOSTE_ACTION = "pistol-and-rapier"


class AttackOutcome(Value, frozen=True):
    """One attack as it went: who attacked whom, from how far, with which dice, and what came of it.

    `struck_wounds` and `struck_grievous` are what the attack roll inflicted, `wounds` and `grievous` what the target
    suffered of it after any defence rolls.
    """

    attacker: str
    target: str
    range: int = 0
    dice: Dice = ()
    in_cover: bool = False
    struck_wounds: int = 0
    struck_grievous: int = 0
    wounds: int = 0
    grievous: int = 0
    slain: bool = False
    out_of_action: bool = False


def violations(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, attack: Attack
) -> tuple[Reason, ...]:
    """Give every reason why an enemy cannot be the target of an attack; none if it can."""
    return table.reasons(_violations(table, field, attacker_id, target_id, attack))


def _violations(table: Table, field: Battlefield, attacker_id: str, target_id: str, attack: Attack) -> Iterator[Reason]:
    yield from target_visible(table, field, attacker_id, target_id)
    if field.units[attacker_id].hex is not None and field.units[target_id].hex is not None:
        yield from adjacent_first(table, field, attacker_id, target_id, attack)
        yield from in_range(table, field, attacker_id, target_id, attack)


def eligible_targets(
    table: Table, field: Battlefield, attacker_id: str, attack: Attack, among: Collection[str] | None = None
) -> Iterator[str]:
    """Give the ids of the enemies that an attack may have for its target, or of those `among`, in the scene's order."""
    attacker = field.units[attacker_id]
    if attacker.hex is None:
        return
    if table.facts is not None:
        ids = [enemy.id for enemy in field.enemies(attacker) if among is None or enemy.id in among]
        yield from (id_ for id_ in ids if not any(_violations(table, field, attacker_id, id_, attack)))
        return
    enemies, by_explorer = field.enemies_in(attacker), isinstance(attacker, Explorer)
    open_ = table.once(open_from, field.ground, field.scene.twists, attacker.hex, attack, enemies, by_explorer)
    for enemy in field.enemies(attacker):
        if enemy.hex in open_ and (among is None or enemy.id in among):
            yield enemy.id


def open_from(
    table: Table, ground: Ground, twists: Twists, here: Hex, attack: Attack, enemies: frozenset[Hex], by_explorer: bool
) -> frozenset[Hex]:
    """Give those hexes of enemies that an attack from here may go to: visible, in range, nobody adjacent before."""
    seen = table.once(sight.seen_from, ground, here, enemies)
    reached = [
        hex_
        for hex_ in sorted(seen)
        if dice_at(table, twists, attack, table.always(sight.hexes_between, ground, here, hex_))
    ]
    # No wall parts an attacker from somebody adjacent and visible, so that it does not matter whether walls part hexes.
    near = seen & ground.around(here)
    return frozenset([hex_ for hex_ in reached if hex_ in near or not held_back(table, near, attack, by_explorer)])


@rule("attacks.target_visible", cites="attack/visible-target", neutral=())
def target_visible(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> tuple[Reason, ...]:
    """Decide whether an attacker may pick a target: it has to be visible to the attacker, and on the battlefield."""
    attacker, target = field.units[attacker_id], field.units[target_id]
    absent = tuple(unit for unit in (attacker, target) if unit.hex is None)
    if absent:
        return tuple(table.reason("{name} is not on the battlefield", name=field.name(unit)) for unit in absent)
    if sight.sees(table, field, attacker, target):
        table.find("{target} is visible to {name}", target=field.name(target), name=field.name(attacker))
        return ()
    return (table.reason("{target} is not visible to {name}", target=field.name(target), name=field.name(attacker)),)


@rule("attacks.held_back", cites="attack/adjacent-first", neutral=False)
def held_back(table: Table, near: Collection[Hex] | Collection[str], attack: Attack, by_explorer: bool) -> bool:
    """Decide whether visible enemies next to an attacker, if there are any, keep it from attacking others further away.

    Whether that holds for a weapon without range 1 is the reading `adjacent-out-of-reach`, whether it holds against the
    target that a hostile's action names the reading `behaviour-target-or-adjacent`.
    """
    if not near or (not by_explorer and table.read("behaviour-target-or-adjacent") == "behaviour-first"):
        return False
    return attack.dice_by_range.near is not None or table.read("adjacent-out-of-reach") != "may-shoot"


@rule("attacks.adjacent_first", cites="attack/adjacent-first", neutral=())
def adjacent_first(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, attack: Attack
) -> tuple[Reason, ...]:
    """Say who is adjacent and visible to an attacker that may not attack somebody further away."""
    attacker, target = field.units[attacker_id], field.units[target_id]
    others = len(field.enemies(attacker)) > 1
    near = sight.beside(table, field, attacker) if others and not sight.next_to(table, field, attacker, target) else ()
    if not held_back(table, near, attack, isinstance(attacker, Explorer)):
        return ()
    reason = table.reason(
        "{near} is adjacent and visible to {name}, so {name} cannot attack {target} further away",
        near=field.name(near[0]),
        name=field.name(attacker),
        target=field.name(target),
    )
    return (reason,)


@rule("attacks.in_range", cites="attack-roll/dice-by-range", neutral=())
def in_range(table: Table, field: Battlefield, attacker_id: str, target_id: str, attack: Attack) -> tuple[Reason, ...]:
    """Decide whether a weapon reaches a target: it has dice for the range."""
    target = field.units[target_id]
    hexes = sight.apart(table, field, field.units[attacker_id], target)
    if dice_at(table, field.scene.twists, attack, hexes):
        return ()
    reason = table.reason(
        "{weapon} cannot attack {target} at range {hexes}", weapon=attack.name, target=field.name(target), hexes=hexes
    )
    return (reason,)


@rule("attacks.dice_at", cites=("attack-roll/dice-by-range", "attack-roll/one-or-two"), neutral=())
def dice_at(table: Table, twists: Twists, attack: Attack, hexes: int) -> Dice:
    """Decide which action dice a weapon rolls at a range, and whether one or two; none where it cannot attack."""
    dice = attack.dice_by_range.at(hexes) or ()
    if dice and "short-range" in twists and too_dark(table, hexes):
        dice = ()
    names = " and ".join(dice) or "nothing"
    table.find("{weapon} rolls {dice} at range {hexes}", weapon=attack.name, dice=names, hexes=hexes)
    return dice


@rule("attacks.too_dark", cites="twists/short-range", neutral=False)
def too_dark(table: Table, hexes: int) -> bool:
    """Decide whether a twist keeps attacks from reaching so far: none reaches beyond range 3."""
    if hexes <= FARTHEST_IN_THE_DARK:
        return False
    table.find("no attack reaches beyond range {most} in the dark", most=FARTHEST_IN_THE_DARK)
    return True


def shelters(table: Table, field: Battlefield, attacker_id: str, target_id: str, attack: Attack) -> bool:
    """Say whether cover counts for a target: it is in cover, can use it, and the attack does not ignore it."""
    attacker, target = field.units[attacker_id], field.units[target_id]
    return (
        not cover_ignored(table, attack)
        and not conspicuous(table, field, target_id)
        and sight.shelters(table, field, attacker, target)
    )


@rule("attacks.cover_ignored", cites=("cover/ignored", "explorer/vorne-flames"), neutral=False)
def cover_ignored(table: Table, attack: Attack) -> bool:
    """Decide whether an attack ignores cover, for this once or by the nature of its weapon."""
    if not attack.without_cover:
        return False
    cites = ("cover/ignored", "explorer/vorne-flames") if "ignores-cover" in attack.traits else ("cover/ignored",)
    table.find("{weapon} ignores cover", cites=cites, weapon=attack.name)
    return True


@rule("attacks.conspicuous", cites="explorer/ur-025-no-cover", neutral=False)
def conspicuous(table: Table, field: Battlefield, target_id: str) -> bool:
    """Decide whether a target can never gain from cover, as its card says."""
    target = field.units[target_id]
    if not isinstance(target, Explorer) or "no-cover-benefit" not in field.side(target).rules:
        return False
    table.find("{name} never gains from cover", name=field.name(target))
    return True


@rule("attacks.strike", cites=("attack-roll/failure", "attack-roll/success", "attack-roll/critical"), neutral=(0, 0))
def strike(table: Table, label: str, dice: Dice, in_cover: bool, again: bool, sniping: bool) -> tuple[int, int]:
    """Decide how many wounds and grievous wounds an attack roll inflicts, after cover.

    `again` has failed rolls rolled again, `sniping` adds a wound to each grievous wound.
    """
    rolled = action_rolls.roll(table, label, dice)
    counted = lowered(table, rolled) if in_cover else rolled
    if again:
        repeated = _dice_to_reroll(table, rolled, counted)
        if any(repeated):
            rolled = action_rolls.roll_again(table, label, rolled, repeated)
            counted = lowered(table, rolled) if in_cover else rolled
    results = action_rolls.counting(table, counted)
    action_rolls.record(table, label, results)
    return inflicted(table, results, sniping)


def _dice_to_reroll(table: Table, rolled: Rolled, counted: Rolled) -> tuple[bool, ...]:
    """Say which dice are rolled again; whether a success lost to cover has failed is the reading `reroll-cover`."""
    after = action_rolls.rolled_again(table, counted, _failed(counted))
    if _failed(rolled) == _failed(counted):
        return after
    before = action_rolls.rolled_again(table, rolled, _failed(rolled))
    return before if after != before and table.read("reroll-cover") == "before-cover" else after


def _failed(rolled: Rolled) -> tuple[bool, ...]:
    return tuple(result == "failure" for _, result in rolled)


_LOWERED: dict[Result, Result] = {"failure": "failure", "success": "failure", "critical": "success"}


@rule("attacks.lowered", cites="cover/downgrade", neutral=lambda rolled: rolled)
def lowered(table: Table, rolled: Rolled) -> Rolled:
    """Decide what cover makes of an attack roll: a success is a failure, and a critical success a success."""
    for _, result in rolled:
        if result != "failure":
            table.find("cover makes the {result} a {lower}", result=result, lower=_LOWERED[result])
    return tuple((die, _LOWERED[result]) for die, result in rolled)


@rule("attacks.inflicted", cites=("attack-roll/failure", "attack-roll/success", "attack-roll/critical"), neutral=(0, 0))
def inflicted(table: Table, results: tuple[Result, ...], sniping: bool) -> tuple[int, int]:
    """Decide what the results of an attack roll inflict: a wound for a success, a grievous wound for a critical."""
    if not results:
        table.find("the attack misses", cites="attack-roll/failure")
    grievous = results.count("critical")
    plain = len(results) - grievous
    if plain:
        table.find("a success inflicts a wound", cites="attack-roll/success", wounds=plain)
    if grievous:
        table.find("a critical success inflicts a grievous wound", cites="attack-roll/critical", grievous=grievous)
        if sniping:
            plain += sniped(table, grievous)
    return plain, grievous


@rule("attacks.sniped", cites="explorer/twins-sniper", neutral=0)
def sniped(table: Table, grievous: int) -> int:
    """Decide how many wounds a sniper rifle adds: one for a grievous wound that is left after cover."""
    table.find("the sniper adds a wound to the grievous wound", wounds=grievous)
    return grievous


@rule(
    "attacks.attack_once",
    cites=("attack/sequence", "wounds/action-complete", "hostile-attack/explorer-rules"),
    neutral=lambda field, attacker_id, target_id, attack, own_activation=True: (
        field,
        AttackOutcome(attacker_id, target_id),
    ),
)
def attack_once(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, attack: Attack, own_activation: bool = True
) -> tuple[Battlefield, AttackOutcome]:
    """Decide one whole attack on an eligible target: range, attack roll, cover, wounds, and how it went.

    `own_activation` says whether an attacking explorer is in its own activation, where slain hostiles earn inspiration.
    """
    attacker, target = field.units[attacker_id], field.units[target_id]
    by_explorer = isinstance(attacker, Explorer)
    table.find(
        "{name} attacks {target} with {weapon}",
        cites=("attack/sequence",) if by_explorer else ("attack/sequence", "hostile-attack/explorer-rules"),
        name=field.name(attacker),
        target=field.name(target),
        weapon=attack.name,
    )
    hexes = sight.apart(table, field, attacker, target)
    dice = dice_at(table, field.scene.twists, attack, hexes)
    in_cover = shelters(table, field, attacker_id, target_id, attack)
    sniping = "wound-extra-on-grievous" in attack.traits
    rolling = (f"{attacker_id}: attack", dice, in_cover, attack.reroll_failures, sniping)
    struck = table.call(strike, *rolling)
    if struck == (0, 0) and by_explorer:
        paid = inspiration.buy_reroll(table, field, attacker_id, "attack")
        if paid is not field:
            field = paid
            struck = table.call(strike, *rolling)
    suffered = struck
    if struck == (0, 0):
        table.event("missed", unit=target_id, by=attacker_id)
    if isinstance(target, Explorer):
        field, suffered = _defend(table, field, attacker_id, target_id, struck, attack)
    elif struck != (0, 0):
        credited_id = attacker_id if by_explorer else None
        field = wounds.wound_hostile(table, field, target_id, *struck, credited_id, own_activation)
    table.find("the attack on {target} is resolved", cites="wounds/action-complete", target=field.name(target))
    after = field.units[target_id]
    slain = not isinstance(after, Explorer) and after.slain
    out = isinstance(after, Explorer) and after.out_of_action
    return field, AttackOutcome(attacker_id, target_id, hexes, dice, in_cover, *struck, *suffered, slain, out)


def _defend(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, struck: tuple[int, int], attack: Attack
) -> tuple[Battlefield, tuple[int, int]]:
    """Let an explorer defend itself against each wound; a riposte comes at once, before the next wound."""
    left: list[Suffered] = []
    for kind in one_by_one(*struck):
        if field.explorer(target_id).out_of_action:
            break
        field, suffered, critical = wounds.suffer(table, field, target_id, kind, attacker_id, attack.without_cover)
        left.append(suffered)
        if critical:
            field = riposte(table, field, target_id, attacker_id)
    return field, (left.count("wound"), left.count("grievous"))


@rule("attacks.riposte", cites="draik/swashbuckler", neutral=unchanged)
def riposte(table: Table, field: Battlefield, explorer_id: str, attacker_id: str) -> Battlefield:
    """Decide what a swashbuckler's critical defence roll against an adjacent attacker gives: a free action at once.

    It is the pistol and rapier action. Whether it may go to somebody else than the attacker is the reading
    `riposte-target`.
    """
    explorer, attacker = field.explorer(explorer_id), field.units[attacker_id]
    if "critical-defence-riposte" not in field.side(explorer).rules or attacker.hex is None or explorer.hex is None:
        return field
    action = next((action for action in field.side(explorer).weapon_actions if action.id == RIPOSTE_ACTION), None)
    if action is None or not sight.next_to(table, field, explorer, attacker):
        return field
    attack = armoury.explorer_attack(table, field, explorer_id, action)
    targets = tuple(eligible_targets(table, field, explorer_id, attack))
    if targets not in ((), (attacker_id,)) and table.read("riposte-target") == "attacker-only":
        targets = tuple(id_ for id_ in targets if id_ == attacker_id)
    if not targets:
        return field
    table.find("{name} may strike back at once with {weapon}", name=field.name(explorer), weapon=attack.name)
    means = with_labels({"yes": "strike back", "no": "do not strike back"}, "no", weapon=attack.name)
    if table.choose("explorers", f"{explorer_id}: riposte", ("yes", "no"), about=field, means=means) == "no":
        return field
    target = table.choose("explorers", f"{explorer_id}: target", targets, about=field, means=field.option)
    table.event("riposte", unit=explorer_id, target=target)
    return attack_once(table, field, explorer_id, target, attack, own_activation=False)[0]
