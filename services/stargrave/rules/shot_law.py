"""The law of one shot in a closed form, beside the rules of `shot_rolls`, for lists of targets with their chances.

It has the law of `shot_rolls.exchange` under every reading, twenty faces at a time instead of four hundred paths; a
test holds it to the walked rules. Chances are whole numbers of four hundredths.
"""

from collections import Counter
from collections.abc import Mapping

from services.stargrave.rules.shot_rolls import CRITICAL, CRITICAL_MORE, CRITICAL_TIMES, JAM, Shot

SIDES = 20
WHOLE = SIDES * SIDES


def chances(shot: Shot, readings: Mapping[str, str]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Give in how many of 400 cases a shot hits, and each damage that it may do with its number of cases.

    Damage hangs on the shooter's face alone. So of the twenty pairs that a face is in, all that hit do the same, and it
    is enough to count how many of the target's faces it beats; a critical is the one face with two kinds of hits.
    """
    # By its total a face beats the target's faces from 1 up to face + lead, and Armour leaves face + left of it.
    lead = shot.shoot - shot.defence - 1
    left = shot.shoot + shot.damage - shot.armour
    # That is no face at all before 1 - lead, and all twenty at most, or nineteen if the target's natural 20 saves it.
    most = SIDES - 1 if readings["critical-by-target"] == "yes" else SIDES
    first = JAM + 1 if shot.jams and readings["jam"] == "misses" else 1
    last = shot.critical_from - 1 if shot.criticals else SIDES
    law: Counter[int] = Counter()
    for face in range(max(first, 1 - lead), last + 1):
        law[max(0, face + left) * shot.times] += min(face + lead, most)
    if shot.criticals:
        # Below the natural 20 a critical is none against one, and the totals decide.
        for face in range(shot.critical_from, CRITICAL):
            law[_of_critical(shot, face + left, readings["critical-damage"])] += SIDES - 1
            if face + lead >= SIDES and most == SIDES:
                law[max(0, face + left) * shot.times] += 1
        lower = SIDES
        if readings["critical-both"] == "totals":
            # Of two natural 20s the totals decide: that is a plain hit, or none.
            lower = SIDES - 1
            if lead >= 0:
                law[max(0, CRITICAL + left) * shot.times] += 1
        law[_of_critical(shot, CRITICAL + left, readings["critical-damage"])] += lower
    hits = law.total()
    law[0] += WHOLE - hits
    return hits, tuple(sorted(law.items()))


def _of_critical(shot: Shot, left: int, amount: str) -> int:
    """Say what a critical does of which Armour leaves so much, or below zero if Armour has more to spare."""
    if not shot.immune:
        if amount == "double":
            left *= CRITICAL_TIMES
        elif amount == "five":
            left += CRITICAL_MORE
    return max(0, left) * shot.times
