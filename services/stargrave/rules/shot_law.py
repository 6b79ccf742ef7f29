"""The law of one shot in a closed form, beside the rules of `shot_rolls`, for lists of targets with their chances.

It has the law of `shot_rolls.exchange` under every reading, twenty faces at a time instead of four hundred paths; a
test holds it to the walked rules. Chances are whole numbers of four hundredths.
"""

from collections.abc import Mapping
from functools import lru_cache

from services.stargrave.rules.shot_rolls import CRITICAL, CRITICAL_MORE, CRITICAL_TIMES, JAM, Shot

SIDES = 20
WHOLE = SIDES * SIDES

READINGS = ("critical-both", "critical-by-target", "critical-damage", "jam")
"""The readings on which the law of a shot may rest."""


def chances(shot: Shot, readings: Mapping[str, str]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Give in how many of 400 cases a shot hits, and each damage that it may do with its number of cases."""
    return _chances(shot, tuple(readings[id_] for id_ in READINGS))


@lru_cache(maxsize=4096)
def _chances(shot: Shot, options: tuple[str, ...]) -> tuple[int, tuple[tuple[int, int], ...]]:
    both, by_target, amount, jam = options
    hits = 0
    law: dict[int, int] = {}

    def count(damage: int, cases: int) -> None:
        law[damage] = law.get(damage, 0) + cases

    for face in range(1, SIDES + 1):
        # How many faces of the target's die are too low: those with which its total is the lower one.
        below = min(max(face + shot.shoot - shot.defence - 1, 0), SIDES)
        plain, critical = below, 0
        if face == CRITICAL and shot.criticals:
            critical = SIDES - 1 if both == "totals" else SIDES
            plain = (below == SIDES) if both == "totals" else 0
        elif below == SIDES and by_target == "yes":
            plain -= 1
        if face == JAM and shot.jams and jam == "misses":
            plain = 0
        total = face + shot.shoot + shot.damage
        left = max(0, total - shot.armour)
        hits += plain + critical
        if plain:
            count(left, plain)
        if critical:
            count(_worse(shot, total, left, amount), critical)
    count(0, WHOLE - hits)
    return hits, tuple(sorted(law.items()))


def _worse(shot: Shot, total: int, left: int, amount: str) -> int:
    if shot.immune or amount == "none":
        return left
    return left * CRITICAL_TIMES if amount == "double" else max(0, total + CRITICAL_MORE - shot.armour)
