"""The law of an attack with matched dice: in closed form, and by icepool with its own operator for pairs.

Attack dice hit on 4+, each hit is a damage die on 4+, a defence die negates a damage die that is not higher, and each 6
adds one die. Both give the same law of the damage (the run stops if they do not). Icepool's sixes are removed by hand
and the faces that do not count are merged, which was the fastest way with `max_pair_drop`. The timing of the closed
form covers the whole law of hits and damage as fractions, and only the results of a single die are remembered between
calls. Beyond five dice against five icepool would take minutes: its time there is extrapolated.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import log
from typing import Any

import icepool

from benchmarks.measure import Row, side_by_side, spelled, timed
from benchmarks.measure import table as laid_out
from services.size_skirmish.arbiter import ARBITER
from services.size_skirmish.attacks import DicePool, RollOutcome
from services.size_skirmish.laws import matching_law, pairing_law

LEAST = 4
REACHED = (4, 5)
"""The numbers of dice a side that icepool computes in seconds."""
BEYOND = (10, 20)

D6 = icepool.d(6)
LOW = icepool.d(5).map(lambda face: face if face >= LEAST else 0)
SIX = icepool.Die([6])


def rows() -> list[Row]:
    """Time everything; the target is a closed form 5,000 times as fast, and twenty dice in a tenth of a second."""
    for dice in (1, 2):
        _agree(_damage(_formed(dice)), _chances(_paired(dice)))
    theirs = {}
    found = []
    for dice in REACHED:
        times = _timed(dice, {"icepool": partial(_paired, dice)})
        theirs[dice] = times["icepool"]
        target = 5_000 if dice == 5 else None
        found.append(timed(_what(dice), times["form"], "icepool pairs", times["icepool"], at_least=target))
    few, many = REACHED
    power = log(theirs[many] / theirs[few]) / log(many / few)
    for dice in BEYOND:
        ours = _timed(dice, {})["form"]
        reckoned = theirs[many] * (dice / many) ** power
        row = timed(_what(dice), ours, at_most_s=0.5)
        peer = f"{spelled(reckoned)} icepool pairs, extrapolated as dice^{power:.1f} and not run"
        found.append(row._replace(peer=peer))
    return found


def _what(dice: int) -> str:
    return f"law of {dice} attack dice against {dice} defence dice, exploding and matched: closed form"


def _timed(dice: int, peers: dict[str, Callable[[], object]]) -> dict[str, float]:
    return side_by_side({"form": partial(_formed, dice), **peers}, rounds=1 if peers else 5)


def _formed(dice: int) -> dict[RollOutcome, Fraction]:
    """Give the law by the closed form, without earlier results."""
    pairing_law.spare.cache_clear()
    who, against = (DicePool(id_, id_, "M", dice) for id_ in ("ann", "bob"))
    found = matching_law.outcomes(ARBITER.readings.defaults.__getitem__, who, against, "melee")
    if found is None:
        raise SystemExit(f"no closed form of {dice} dice")
    return found


def _paired(dice: int) -> Any:
    """Give the damage by icepool: pools of damage dice and of defence dice, less the pairs."""
    hits = dice @ D6.map(lambda face: (D6 >= LEAST).map(lambda more: 1 + more) if face == 6 else int(face >= LEAST))
    damage = hits.map(_parted).map_to_pool(_pool)
    defence = icepool.Die([dice]).map(_parted).map_to_pool(_pool)
    return damage.keep_outcomes(set(range(LEAST, 7))).max_pair_drop("<=", defence).size()


def _parted(dice: int) -> Any:
    """Split dice, including extra ones, into those below 6 and sixes."""
    if not dice:
        return 0, 0
    first = dice @ (D6 == 6)
    return first.map(
        lambda sixes: (sixes @ (D6 == 6)).map(lambda more: (dice - more, sixes + more)) if sixes else (dice, 0)
    )


def _pool(below: int, sixes: int) -> Any:
    return icepool.Pool({LOW: below, SIX: sixes})


def _damage(law: dict[RollOutcome, Fraction]) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for outcome, chance in law.items():
        found[outcome.damage] = found.get(outcome.damage, Fraction(0)) + chance
    return found


def _chances(die: Any) -> dict[int, Fraction]:
    return {outcome: Fraction(ways, die.denominator()) for outcome, ways in die.items()}


def _agree(ours: dict[int, Fraction], theirs: dict[int, Fraction]) -> None:
    if ours != theirs:
        raise SystemExit(f"the laws differ: {ours}, {theirs}")


if __name__ == "__main__":
    print(laid_out(rows()))
