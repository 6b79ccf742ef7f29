"""Attacks in numbers for the tests of matched dice, and a slow second way to their laws: every face of every die."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from arbiter.dice_sources import HandedDice
from arbiter.sources.ledger import load_readings
from arbiter.table import Chooser, OneTable
from services import size_skirmish
from services.size_skirmish.attacks import DicePool

READINGS = load_readings(Path(size_skirmish.__file__).parent / "readings.yaml")
SIZES = ("XS", "S", "M", "L", "XL")
MATTERING = ("rerolled-six", "extra-ones", "table-rows", "attack-rolls", "defence", "defence-pairs")
"""The readings on which matched dice hang."""

Faces = tuple[int, ...]
Law = dict[Any, Fraction]


def readings(**options: str) -> dict[str, str]:
    """Return the readings with some other options, their names with underscores."""
    return READINGS.complete({name.replace("_", "-"): option for name, option in options.items()})


def ann(dice: int, size: str = "M", **rest: Any) -> DicePool:
    """Return an attacker."""
    return DicePool("ann", "Ann", size, dice, **rest)


def bob(dice: int, size: str = "M", **rest: Any) -> DicePool:
    """Return who is attacked."""
    return DicePool("bob", "Bob", size, dice, **rest)


def seat(hand: dict[str, list[int]], **options: str) -> OneTable:
    """Return a table with these dice in hand."""
    return OneTable(HandedDice(hand), Chooser({}, {}), readings(**options))


def texts(table: OneTable) -> list[str]:
    """Return what was found."""
    return [finding.text for finding in table.findings]


def anybody(who: Callable[..., DicePool], plus: tuple[int, ...], most: int) -> st.SearchStrategy[DicePool]:
    """Draw somebody with few dice."""
    rolls = st.lists(st.sampled_from(("hit", "damage", "defence")), unique=True, max_size=2).map(tuple)
    return st.builds(who, st.integers(0, most), st.sampled_from(SIZES), rerolls=rolls, plus=st.sampled_from(plus))


chosen = st.fixed_dictionaries(
    {id_: st.sampled_from([option.id for option in READINGS.by_id[id_].options]) for id_ in MATTERING}
).map(READINGS.complete)


# The slow way


def die_by_die(dice: int) -> Iterable[tuple[Faces, Fraction]]:
    """Return every fall of plain dice with the extra dice of their sixes, one path each."""
    for first in product(range(1, 7), repeat=dice):
        for extra in product(range(1, 7), repeat=first.count(6)):
            yield first + extra, Fraction(1, 6 ** (dice + len(extra)))


@cache
def falls(dice: int) -> Law:
    """Return the law of the faces that come of plain dice, in order."""
    found: Law = {}
    for faces, chance in die_by_die(dice):
        key = tuple(sorted(faces))
        found[key] = found.get(key, Fraction(0)) + chance
    return found


@cache
def most_negated(damage: Faces, defence: Faces) -> int:
    """Return how many damage dice can be negated at most: try every way to hand the defence dice out."""
    short, long = sorted((damage, defence), key=len)
    best = 0
    for picked in set(permutations(long, len(short))):
        pairs = zip(damage, picked, strict=True) if short == damage else zip(picked, defence, strict=True)
        best = max(best, sum(against >= die for die, against in pairs))
    return best


def slow_damages(hits: int, least: int, defence: int) -> Law:
    """Return the law of the damage of so many hits against so many defence dice, both plain."""
    found: Law = {}
    for damage, chance in falls(hits).items():
        standing = tuple(face for face in damage if face >= least)
        for faces, share in falls(defence).items():
            left = len(standing) - most_negated(standing, tuple(face for face in faces if face >= least))
            found[left] = found.get(left, Fraction(0)) + chance * share
    return found


def slow_outcomes(dice: int, number: int, least: int, defence: int) -> Law:
    """Return the law of hits and damage of an attack of plain dice against plain dice, in two rolls."""
    found: Law = {}
    for faces, chance in falls(dice).items():
        hits = sum(face >= number for face in faces)
        for left, share in slow_damages(hits, least, defence).items():
            found[hits, left] = found.get((hits, left), Fraction(0)) + chance * share
    return found
