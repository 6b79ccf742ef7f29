"""The rolls of an attack: the difficulty, the hit roll, the block roll, damage and wounds.

These rules take numbers and single units instead of the battlefield, so that a law walks each roll once.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Literal

from msgspec.structs import replace

from arbiter.dice import D6
from arbiter.odds.pools import successes
from arbiter.rule import Read, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from arbiter.value import Value
from services.rapture.battlefield import Battlefield, unit_name
from services.rapture.book import Book, number
from services.rapture.profiles import Ability
from services.rapture.rules import boxes, squads
from services.rapture.scene import Unit

Kind = Literal["close", "ranged"]
"""Whether an attack is made in close combat or at range."""

EASIEST, HARDEST = 2, 6
"""Between these difficulties a roll can succeed and fail."""

NEVER = 7
"""Higher than any face of a die."""


class HitRoll(Value, frozen=True):
    """A hit roll: the unit and its name for players, the kind of attack, dice and difficulty, and what the roll is for.

    The last is `hit`, or `counterblow`.
    """

    unit: str
    name: str
    kind: Kind
    dice: int
    difficulty: int
    label: str


class Guard(Value, frozen=True):
    """The dice and the difficulty of a block roll."""

    dice: int
    difficulty: int


class Struck(Value, frozen=True):
    """What the dice of an attack come to; a number for which nobody asks is 0, so that equal damage is one end."""

    damage: int
    hits: int = 0
    blocks: int = 0
    dodged: int = 0
    dice: int = 0
    difficulty: int = 0

    def after(self, dodged: int, dice: int, difficulty: int) -> "Struck":
        """Give it with the dice that were rolled, and those that a dodge took away."""
        return replace(self, dodged=dodged, dice=dice, difficulty=difficulty)


def current_values(table: Table, field: Battlefield, unit_id: str) -> boxes.Values:
    """Give the current values of a unit; a law evaluates them once for each state of the unit."""
    with table.without_findings():
        return boxes.values(table, field, unit_id)


@rule(
    "rolls.difficulty",
    cites=("profile/difficulty", "attack/close-difficulty", "attack/ranged-difficulty"),
    neutral=NEVER,
)
def difficulty(table: Table, name: str, kind: Kind, value: int, increase: int) -> int:
    """Decide the difficulty of a hit roll: CCS or MMS plus an increase.

    A difficulty beyond the faces of a die is `difficulty-range`.
    """
    difficulty_ = value + increase
    bounded = min(max(difficulty_, EASIEST), HARDEST)
    if difficulty_ != bounded and table.read("difficulty-range") == "capped":
        difficulty_ = bounded
    cites = ("profile/difficulty", f"attack/{kind}-difficulty")
    table.find("{unit} hits on {difficulty}+", cites=cites, unit=name, difficulty=difficulty_)
    return difficulty_


@rule("rolls.hits", cites=("attack/close-dice", "attack/ranged-dice", "profile/difficulty"), neutral=0)
def hits(table: Table, roll: HitRoll) -> int:
    """Decide the hits of a hit roll: as many dice as ATT or ROF, each tested separately."""
    cites, dice = (f"attack/{roll.kind}-dice", "profile/difficulty"), roll.dice
    if not dice:
        table.find("{unit} has no dice left for the hit roll", cites=cites[:1], unit=roll.name)
        return 0
    hits_ = counted(table, f"{roll.unit}: {roll.label}", dice, roll.difficulty)
    table.find("{unit} hits with {hits} of {dice} dice", cites=cites, unit=roll.name, hits=hits_, dice=dice)
    return hits_


@rule("rolls.guard", cites=("attack/block-dice", "attack/block-difficulty"), neutral=Guard(0, NEVER))
def guard(table: Table, book: Book, unit: Unit, kind: Kind, markers: int) -> Guard:
    """Decide the dice and the difficulty with which a unit blocks an attack.

    `markers` are the Shelter Markers that count in this attack.
    """
    now = table.once(boxes.values_of, book, unit)
    plain = Guard(now.def_, number("block"))
    if not markers:
        return plain
    if kind == "ranged":
        return sheltered_guard(table, book, unit, plain, markers)
    return crouched_guard(table, book, unit, plain)


@rule(
    "rolls.sheltered_guard",
    cites=("seek-shelter/def", "seek-shelter/block"),
    neutral=lambda book, unit, plain, _: plain,
)
def sheltered_guard(table: Table, book: Book, unit: Unit, plain: Guard, markers: int) -> Guard:
    """Decide how a sheltered unit blocks a ranged attack: with more dice and a lower difficulty.

    The number of extra dice is `shelter-def`; whether several markers add up is `shelter-again`.
    """
    counted = markers if markers == 1 or table.read("shelter-again") == "add-up" else 1
    each = number("sheltered-def")
    if plain.dice != each and table.read("shelter-def") == "double":
        each = plain.dice
    many, least = plain.dice + each * counted, number("sheltered-block")
    text, dice = "{unit} is sheltered and blocks with {dice} on {difficulty}+", Quantity(many, "die", "dice")
    table.find(text, unit=unit_name(book, unit), dice=dice, difficulty=least)
    return Guard(many, least)


@rule(
    "rolls.crouched_guard",
    cites=("seek-shelter/close-combat", "seek-shelter/rounding"),
    neutral=lambda book, unit, plain: plain,
)
def crouched_guard(table: Table, book: Book, unit: Unit, plain: Guard) -> Guard:
    """Decide how a sheltered unit blocks in close combat: with half of its DEF, rounded down.

    Which DEF is halved is `shelter-halves`.
    """
    card, divisor = book.profiles[unit.profile].def_, number("sheltered-divisor")
    current, of_card = plain.dice // divisor, max(0, card // divisor + plain.dice - card)
    dice = of_card if current != of_card and table.read("shelter-halves") == "card" else current
    text = "{unit} is sheltered and blocks in close combat with {dice}"
    table.find(text, unit=unit_name(book, unit), dice=Quantity(dice, "die", "dice"))
    return Guard(dice, plain.difficulty)


@rule("rolls.blocks", cites=("attack/block-dice", "attack/block-difficulty"), neutral=0)
def blocks(table: Table, unit_id: str, name: str, guard: Guard, hit: int) -> int:
    """Decide the blocks of a block roll: it is made only against hits, and blocks at most as many."""
    if not hit or not guard.dice:
        text = "{unit} has no dice to block with" if hit else "There are no hits: {unit} does not roll to block"
        table.find(text, cites="attack/block-dice", unit=name)
        return 0
    blocks_ = counted(table, f"{unit_id}: block", guard.dice, guard.difficulty)
    text, dice = "{unit} blocks with {blocks} of {dice} dice on {difficulty}+", guard.dice
    table.find(text, unit=name, blocks=blocks_, dice=dice, difficulty=guard.difficulty)
    return min(blocks_, hit)


@rule("rolls.damage", cites="attack/damage", neutral=lambda hit, blocked: hit)
def damage(table: Table, hit: int, blocked: int) -> int:
    """Decide the damage of an attack: hits minus blocks."""
    damage_ = hit - blocked
    text = "{hits} \N{MINUS SIGN} {blocks} = {damage} damage"
    table.find(text, hits=Quantity(hit, "hit"), blocks=Quantity(blocked, "block"), damage=damage_)
    table.record("damage", modifiers={"hits": hit, "blocks": -blocked}, total=damage_, outcome=f"{damage_} damage")
    return damage_


@lru_cache(maxsize=1024)
def _law_of_damage(dice: int, difficulty: int, guard: Guard) -> Mapping[Struck, Fraction]:
    """Give the law of hits minus blocks in closed form."""
    ways: Counter[int] = Counter()
    for (hit, one), (blocked, other) in product(_ways(dice, difficulty), _ways(guard.dice, guard.difficulty)):
        ways[max(0, hit - blocked)] += one * other
    return {Struck(damage): Fraction(many, ways.total()) for damage, many in sorted(ways.items())}


def _ways(dice: int, least: int) -> tuple[tuple[int, int], ...]:
    """Give how many of some dice may succeed, each with its number of ways."""
    sides = len(D6.faces)
    return successes(dice, min(max(sides + 1 - least, 0), sides), sides)


def _law_of_strike(
    read: Read, roll: HitRoll, target_id: str, target: str, guard: Guard, told: bool
) -> Mapping[Struck, Fraction] | None:
    """Give the law of the damage; where hits and blocks are told, too, there is no closed form."""
    return None if told else _law_of_damage(roll.dice, roll.difficulty, guard)


@rule("rolls.strike", cites="attack/steps", neutral=lambda *_: Struck(0), law=_law_of_strike)
def strike(table: Table, roll: HitRoll, target_id: str, target: str, guard: Guard, told: bool) -> Struck:
    """Decide what hit roll and block roll come to: hits, blocks, and damage.

    Without `told` only the damage matters, and hits and blocks are 0.
    """
    hit = table.call(hits, roll)
    blocked = table.call(blocks, target_id, target, guard, hit)
    dealt = damage(table, hit, blocked)
    return Struck(dealt, hit, blocked) if told else Struck(dealt)


@rule("rolls.wounds", cites="attack/wounds", neutral=lambda book, unit, damage: damage)
def wounds(table: Table, book: Book, unit: Unit, damage: int) -> int:
    """Decide the wounds of an attack: damage minus what abilities of the target take off."""
    if not damage:
        return 0
    less = [ability for ability in _active_abilities(table, book, unit) if ability.less_wounds]
    wounds_ = max(0, damage - sum(ability.less_wounds for ability in less))
    modifiers = {"damage": damage, **{ability.id: -ability.less_wounds for ability in less}}
    table.record("wounds", modifiers=modifiers, total=sum(modifiers.values()), outcome=f"{wounds_} wounds")
    names = Listing(ability.name or ability.id for ability in less)
    text = "{damage} damage \N{MINUS SIGN} {less} for {by} = {wounds}" if less else "{damage} damage = {wounds}"
    table.find(text, damage=damage, less=damage - wounds_, by=names, wounds=Quantity(wounds_, "wound"))
    return wounds_


def _active_abilities(table: Table, book: Book, unit: Unit) -> list[Ability]:
    """Give the abilities that apply to a unit: passive, lasting, and those triggered by boxes."""
    profile, abilities = book.profiles[unit.profile], book.abilities
    passive = [abilities[id_] for id_ in profile.abilities if abilities[id_].when == "passive"]
    lasting = [abilities[effect.ability] for effect in unit.effects]
    crossed = (*profile.hp[: unit.hp_crossed], *profile.mp[: unit.mp_crossed])
    off: list[Ability] = []
    if any(box.ability is not None and abilities[box.ability].less_wounds for box in crossed):
        held = (*boxes.active_boxes(table, book, unit, "hp"), *boxes.active_boxes(table, book, unit, "mp"))
        off = [abilities[box.ability] for box in held if box.ability is not None]
        if off and table.read("box-abilities") == "once":
            off = []
    return [*passive, *lasting, *off]


@rule("rolls.suffer", cites="attack/crossed-out", neutral=unchanged)
def suffer(table: Table, field: Battlefield, unit_id: str, wounds: int, side: str) -> Battlefield:
    """Decide what wounds do: each crosses out an HP, with all consequences. `side` has dealt them."""
    return squads.remove_models(table, boxes.cross_health(table, field, unit_id, wounds, side), unit_id)


def counted(table: Table, label: str, dice: int, least: int) -> int:
    """Give how many dice succeed: those that show a number or more."""
    return table.count(dice, D6, label, lambda face: face >= least, needed=least)
