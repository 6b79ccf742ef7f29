"""The law of an attack in closed form, as a second method: dodge, hits minus blocks, and counterblow.

Chances are whole numbers of a power of six.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb

from arbiter.value import Value

FACES = 6


class AttackNumbers(Value, frozen=True):
    """One attack in numbers.

    `att` dice hit at `difficulty`, `tec` dice dodge (0 without a dodge), and `guard` dice block. `floor` is
    the fewest dice that dodging leaves, `less` what abilities take off the damage, `health` the HP there are to lose.
    """

    att: int
    difficulty: int
    guard: int
    block: int
    health: int
    tec: int = 0
    dodge: int = 4
    floor: int = 0
    less: int = 0


def wounds(attack: AttackNumbers) -> tuple[tuple[int, ...], int]:
    """Give the number of cases for each number of wounds, from 0 on, and the number of all cases."""
    att, guard, most = attack.att, attack.guard, attack.health
    if attack.tec:
        hits = _dodged(att, attack.difficulty, attack.tec, attack.dodge, attack.floor)
        whole = FACES ** (att + attack.tec + guard)
    else:
        hits, whole = _successes(att, attack.difficulty), FACES ** (att + guard)
    blocks = _successes(guard, attack.block)
    law = [0] * (most + 1)
    left = whole
    for hit in range(attack.less + 1, att + 1):
        ways, worst = hits[hit], hit - attack.less
        for blocked in range(min(guard + 1, worst)):
            lost = worst - blocked
            cases = ways * blocks[blocked]
            law[min(lost, most)] += cases
            left -= cases
    law[0] += left
    return tuple(law), whole


def exchange(
    attack: AttackNumbers, counterblows: Sequence[AttackNumbers | None]
) -> tuple[dict[tuple[int, int], int], int]:
    """Give the number of cases for each pair of wounds of attack and counterblow, and the number of all cases.

    `counterblows` has the counterblow after each number of wounds, from 0 on; None where there is none.
    """
    law, whole = wounds(attack)
    laws: dict[AttackNumbers, tuple[tuple[int, ...], int]] = {}
    for each in counterblows:
        if each is not None and each not in laws:
            laws[each] = wounds(each)
    most = max((cases for _, cases in laws.values()), default=1)
    joint: dict[tuple[int, int], int] = {}
    for lost, cases in enumerate(law):
        if not cases:
            continue
        counterblow = counterblows[lost]
        if counterblow is None:
            joint[lost, 0] = cases * most
            continue
        others, of = laws[counterblow]
        share = cases * (most // of)
        for lost_back, ways in enumerate(others):
            if ways:
                joint[lost, lost_back] = share * ways
    return joint, whole * most


@lru_cache(maxsize=1024)
def _successes(dice: int, least: int) -> tuple[int, ...]:
    """Give the number of cases in which 0, 1, 2… dice show `least` or more."""
    good = min(max(FACES + 1 - least, 0), FACES)
    return tuple(comb(dice, many) * good**many * (FACES - good) ** (dice - many) for many in range(dice + 1))


@lru_cache(maxsize=4096)
def _dodged(att: int, difficulty: int, tec: int, dodge: int, floor: int) -> tuple[int, ...]:
    """Give the number of cases for each number of hits among the dice that dodging leaves."""
    hits = [0] * (att + 1)
    for dodged, cases in enumerate(_successes(tec, dodge)):
        dice = min(max(att - dodged, floor), att)
        share = cases * FACES ** (att - dice)
        for hit, ways in enumerate(_successes(dice, difficulty)):
            hits[hit] += share * ways
    return tuple(hits)
