"""Weapons made ready for an attack: an explorer's weapon action, or the weapon that a hostile carries.

Follows "Weapon Actions", "Aiming" and "Hostile Attacks", and the special rules of cards that change how a weapon hits.
"""

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.profiles import Ranges, Weapon, WeaponAction
from services.blackstone_fortress.rules import sight
from services.blackstone_fortress.rules.payments import Payment
from services.blackstone_fortress.scene import Explorer, Hostile

SPEECH = "speech"
"""The mark of an explorer whose inspiring speech still lasts."""

_RIFLE_FACE = 4


class Attack(Value, frozen=True, cache_hash=True):
    """A weapon as it attacks now: its dice by range and traits, and whether cover counts and failures are re-rolled."""

    dice_by_range: Ranges
    name: str
    traits: tuple[str, ...] = ()
    ignores_cover: bool = False
    reroll_failures: bool = False

    @property
    def without_cover(self) -> bool:
        """Whether the attack ignores cover, for this once or by the nature of its weapon."""
        return self.ignores_cover or "ignores-cover" in self.traits


def action_of(field: Battlefield, explorer: Explorer, action_id: str) -> WeaponAction:
    """Give a weapon action of the side of the explorer's card that is up."""
    for action in field.side(explorer).weapon_actions:
        if action.id == action_id:
            return action
    raise KeyError(action_id)


def plain(weapon: WeaponAction | Weapon) -> Attack:
    """Give the attack as the card has it."""
    return Attack(weapon.ranges, weapon.name, weapon.traits)


def explorer_attack(
    table: Table,
    field: Battlefield,
    explorer_id: str,
    action: WeaponAction,
    aimed: bool = False,
    paid: int | None = None,
) -> Attack:
    """Give the attack that a weapon action makes; `paid` is the face of the die spent on it, if one was."""
    attack = plain(action)
    if aimed:
        attack = aims(table, attack)
    if paid is not None:
        attack = steadied(table, attack, paid)
    speakers = (other for other in field.explorers if SPEECH in other.marks)
    speaker = next((one for one in speakers if sight.near(table, field, one, field.explorer(explorer_id))), None)
    return attack if speaker is None else heartened(table, field, explorer_id, speaker, attack)


@rule("armoury.aims", cites="aiming/ignores-cover", neutral=lambda attack: attack)
def aims(table: Table, attack: Attack) -> Attack:
    """Decide what aiming does to a weapon action: it ignores cover."""
    table.find("{weapon} is aimed and ignores cover", weapon=attack.name)
    return replace(attack, ignores_cover=True)


@rule("armoury.extra_die", cites="aiming/extra-die", neutral=())
def extra_die(table: Table, die: Payment) -> tuple[Reason, ...]:
    """Decide whether a die may be the further one that makes a weapon action aimed; its face does not matter.

    Whether a destiny die may is the reading `aim-with-destiny`.
    """
    if die.destiny and table.read("aim-with-destiny") == "activation-only":
        return (table.reason("{die} cannot pay for aiming, which takes an activation die", die=str(die)),)
    table.find("{die} pays for aiming", die=str(die))
    return ()


@rule("armoury.steadied", cites="explorer/amallyn-rifle", neutral=lambda attack, paid: attack)
def steadied(table: Table, attack: Attack, paid: int) -> Attack:
    """Decide what a die of 4 or more does for a long rifle: the action is aimed, and failed rolls are rolled again."""
    if paid < _RIFLE_FACE:
        return attack
    aimed, again = "aimed-with-4+" in attack.traits, "reroll-failed-with-4+" in attack.traits
    if not (aimed or again):
        return attack
    table.find("a die of {paid} steadies the {weapon}", paid=paid, weapon=attack.name)
    return replace(attack, ignores_cover=attack.ignores_cover or aimed, reroll_failures=attack.reroll_failures or again)


@rule("armoury.heartened", cites="explorer/taddeus-speech", neutral=lambda field, explorer_id, speaker, attack: attack)
def heartened(table: Table, field: Battlefield, explorer_id: str, speaker: Explorer, attack: Attack) -> Attack:
    """Decide what an inspiring speech does: the speaker and explorers within a hex of it re-roll failed attack rolls.

    The mark `speech` says whose speech still lasts. The distance is not known; it is taken as for the rallying cry.
    """
    text = "{speaker} has inspired {name} to roll failed attack rolls again"
    table.find(text, speaker=field.name(speaker), name=field.name(explorer_id))
    return replace(attack, reroll_failures=True)


def weapons_carried(field: Battlefield, hostile: Hostile) -> tuple[str, ...]:
    """Give the weapons of a hostile: the one the scene says, or else all that its reference card lists."""
    return field.card(hostile).weapons if hostile.weapon is None else (hostile.weapon,)


@rule("armoury.carried", cites="hostile-attack/carried-weapon", neutral=())
def carried(table: Table, field: Battlefield, hostile_id: str, weapon: str) -> tuple[Reason, ...]:
    """Decide whether a hostile carries a weapon; it attacks with no other."""
    hostile = field.hostile(hostile_id)
    weapons = weapons_carried(field, hostile)

    def named(family: str) -> str:
        return hostile_attack(field, hostile, weapon=family).name

    if weapon in weapons:
        table.find("{name} carries {weapon}", name=field.name(hostile), weapon=named(weapon))
        return ()
    reason = table.reason(
        "{name} does not carry {weapon}, only {weapons}",
        name=field.name(hostile),
        weapon=named(weapon),
        weapons=Listing(map(named, weapons)) or "nothing",
    )
    return (reason,)


def hostile_attack(
    field: Battlefield, hostile: Hostile, overcharged: bool = False, weapon: str | None = None
) -> Attack:
    """Give the attack of a hostile with a weapon it carries, by default the first, in the state the hostile is in."""
    family = weapon or weapons_carried(field, hostile)[0]
    return plain(field.book.weapon(hostile, family, field.scene.threat, overcharged=overcharged))
