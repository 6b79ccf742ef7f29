"""The law of an attack and of a volley: the rules walked down every path, the closed form, and icepool.

All three give the same law (the run stops if they do not). Icepool's dice are made in advance; the timing covers its
`map`, or its sum of equal dice, and for attacks until a unit falls its absorbing Markov chain.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import icepool

from arbiter.odds.exact import law
from arbiter.sources.ledger import load_readings
from arbiter.table import Table
from benchmarks.measure import Row, side_by_side, table, timed
from services import blackstone_fortress
from services.blackstone_fortress.attack_law import AttackDice, chances, one, several
from services.blackstone_fortress.profiles import DieName
from services.blackstone_fortress.rules import attacks, defence

FACES: dict[DieName, tuple[int, int, int]] = {"d6": (4, 1, 1), "d8": (4, 2, 2), "d12": (4, 4, 4)}
DICE = {name: icepool.Die(dict(enumerate(faces))) for name, faces in FACES.items()}
"""A failure is 0, a success 1, a critical success 2."""

DAMAGE = (0, 1, 3)
VOLLEY = 4
WOUNDS = 12

READINGS = load_readings(Path(blackstone_fortress.__file__).parent / "readings.yaml").defaults


def attack(at: Table, dice: tuple[DieName, ...], in_cover: bool, shield: tuple[DieName, ...]) -> int:
    """One attack by the rules, from the attack roll to the wounds that are left after the defence rolls."""
    struck = attacks.strike(at, "attack", dice, in_cover, False, False)
    left = [defence.defended(at, "defence", shield, kind, False)[0] for kind in defence.one_by_one(*struck)]
    return left.count("wound") + 3 * left.count("grievous")


def volley(at: Table, dice: tuple[DieName, ...], in_cover: bool) -> int:
    """Four attacks by the rules on a hostile of twelve Wounds."""
    struck = at.repeat(VOLLEY, attacks.strike, "attack", dice, in_cover, False, False)
    return min(WOUNDS, struck.total(lambda inflicted: inflicted[0] + 3 * inflicted[1]))


def rows() -> list[Row]:
    """Time everything; the targets are a walk no slower than icepool's map, and closed forms 50 times as fast."""
    return [*single(in_cover=True), *single(in_cover=False), *volleys()]


def single(in_cover: bool) -> list[Row]:
    pool = AttackDice(("d12",), in_cover, defence=("d8",))
    walk = partial(law, attack, pool.dice, in_cover, pool.defence, readings=READINGS)
    peer = partial(icepool.map, _left_in_cover if in_cover else _left, DICE["d12"], DICE["d8"])
    _agree(walk(), chances(one(pool)), _law(peer()))
    times = side_by_side({"walk": walk, "form": partial(one, pool), "peer": peer})
    where = "in cover" if in_cover else "in the open"
    return [
        timed(
            f"law of one attack {where}, with defence: walked",
            times["walk"],
            "icepool map",
            times["peer"],
            at_least=1 if in_cover else None,
        ),
        timed(
            f"law of one attack {where}, with defence: closed form",
            times["form"],
            "icepool map",
            times["peer"],
            at_least=50,
        ),
    ]


def volleys() -> list[Row]:
    pool = AttackDice(("d12",))
    walk = partial(law, volley, pool.dice, False, readings=READINGS)
    once = DICE["d12"].map(DAMAGE.__getitem__)
    peer = partial(icepool.map, lambda *damage: min(WOUNDS, sum(damage)), *[once] * VOLLEY)

    def summed() -> Any:
        return (VOLLEY @ once).map(lambda damage: min(WOUNDS, damage))

    form = partial(several, pool, VOLLEY, WOUNDS)
    _agree(walk(), chances(form()), _law(peer()), _law(summed()))
    times = side_by_side({"walk": walk, "form": form, "peer": peer, "summed": summed})
    return [
        timed("law of four attacks: walked", times["walk"], "icepool map", times["peer"], at_least=1),
        timed("law of four attacks: walked", times["walk"], "icepool sum", times["summed"]),
        timed("law of four attacks: closed form", times["form"], "icepool map", times["peer"], at_least=50),
        timed("law of four attacks: closed form", times["form"], "icepool sum", times["summed"], at_least=50),
    ]


def _left(result: int, shield: int) -> int:
    """Give the damage of a hit after the defence roll."""
    return 0 if shield >= result else 1 if result == 2 and shield else DAMAGE[result]


def _left_in_cover(result: int, shield: int) -> int:
    return _left(max(0, result - 1), shield)


def _law(die: Any) -> dict[int, Fraction]:
    return {damage: Fraction(weight, die.denominator()) for damage, weight in die.items() if weight}


def _agree(first: Mapping[int, Fraction], *others: Mapping[int, Fraction]) -> None:
    if any(dict(first) != dict(other) for other in others):
        raise SystemExit(f"the laws differ: {first}, {others}")


if __name__ == "__main__":
    print(table(rows()))
