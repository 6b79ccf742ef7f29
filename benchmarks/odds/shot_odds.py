"""The law of a shot: the rules walked down every path, the closed form, and icepool in two ways.

All four give the same law (the run stops if they do not). Icepool's die is made in advance; the timing covers its `map`
over both dice and, as its fastest way, a mixture of twenty faces. Neither side caches: each call computes the law
again.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import icepool

from arbiter.odds.exact import law
from arbiter.sources.ledger import load_readings
from benchmarks.measure import Row, side_by_side, table, timed
from services import stargrave
from services.stargrave.rules import shot_law, shot_rolls
from services.stargrave.rules.shot_rolls import Shot

SHOTS = {
    "in heavy cover": Shot(shoot=4, defence=7, damage=0, armour=11),
    "in the open, with +2 damage": Shot(shoot=3, defence=2, damage=2, armour=10),
}

MISS = -1
"""The value of a miss on icepool's dice, next to the damage of a hit."""

D20 = icepool.d(20)

READINGS = load_readings(Path(stargrave.__file__).parent / "readings.yaml").defaults


def rows() -> list[Row]:
    """Time everything; the target is a closed form 50 times as fast as icepool's map."""
    return [row for where, shot in SHOTS.items() for row in _of(where, shot)]


def _of(where: str, shot: Shot) -> list[Row]:
    form = partial(shot_law.chances, shot, READINGS)
    walk = partial(law, shot_rolls.exchange, "shooter", "target", shot, readings=READINGS)
    peer = partial(icepool.map, partial(_damage, shot), D20, D20)
    mixed = partial(D20.map, partial(_mixture, shot))
    _agree(_of_form(shot), _of_walk(walk()), _of_die(peer()), _of_die(mixed()))
    times = side_by_side({"form": form, "walk": walk, "peer": peer, "mixed": mixed})
    what = f"law of a shot {where}"
    return [
        timed(f"{what}: closed form", times["form"], "icepool map", times["peer"], at_least=50),
        timed(f"{what}: closed form", times["form"], "icepool mixture", times["mixed"]),
        timed(f"{what}: walked", times["walk"], "icepool map", times["peer"]),
    ]


def _damage(shot: Shot, face: int, own: int) -> int:
    """Give the result of a shot by the default readings, from the faces of both dice."""
    critical = face == 20 and own != 20
    if face == 1 or not (critical or face + shot.shoot > own + shot.defence):
        return MISS
    left = max(0, face + shot.shoot + shot.damage - shot.armour)
    return 2 * left if critical else left


def _mixture(shot: Shot, face: int) -> Any:
    """Give the result of a shot from the shooter's face, over all faces of the target together."""
    left = max(0, face + shot.shoot + shot.damage - shot.armour)
    below = min(max(face + shot.shoot - shot.defence - 1, 0), 20)
    if face == 1:
        return MISS
    if face < 20:
        return icepool.Die({left: below, MISS: 20 - below})
    return icepool.Die([2 * left] * 19 + [left if below == 20 else MISS])


Chances = tuple[Fraction, dict[int, Fraction]]
"""The chance to hit, and each damage with its chance."""


def _of_form(shot: Shot) -> Chances:
    hits, cases = shot_law.chances(shot, READINGS)
    return Fraction(hits, shot_law.WHOLE), {damage: Fraction(count, shot_law.WHOLE) for damage, count in cases if count}


def _of_walk(walked: Mapping[shot_rolls.ShotOutcome, Fraction]) -> Chances:
    return _added((outcome.hit, outcome.damage, chance) for outcome, chance in walked.items())


def _of_die(die: Any) -> Chances:
    whole = die.denominator()
    return _added((damage != MISS, max(0, damage), Fraction(weight, whole)) for damage, weight in die.items())


def _added(found: Iterable[tuple[bool, int, Fraction]]) -> Chances:
    hits, law_of_damage = Fraction(0), dict[int, Fraction]()
    for hit, damage, chance in found:
        hits += chance if hit else 0
        law_of_damage[damage] = law_of_damage.get(damage, Fraction(0)) + chance
    return hits, {damage: chance for damage, chance in law_of_damage.items() if chance}


def _agree(first: object, *others: object) -> None:
    if any(first != other for other in others):
        raise SystemExit(f"the laws differ: {first}, {others}")


if __name__ == "__main__":
    print(table(rows()))
