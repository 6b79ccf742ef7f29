"""The law of one attack with dodge, block roll and counterblow: walked, in closed form, and by icepool in two ways.

A lantern bearer strikes at another, which dodges and strikes back; that is dodged, too. A unit that has lost three HP
loses a die by a box. All four give the same law of the wounds of both (the run stops if they do not). The timing of the
closed form covers the whole law, and only the chances of successes are remembered.
"""

from fractions import Fraction
from functools import partial
from typing import Any

import icepool

from arbiter.odds.exact import law
from arbiter.question import Decided
from arbiter.skirmish.cases import CaseState
from arbiter.table import Table
from benchmarks.measure import Row, side_by_side, timed
from benchmarks.measure import table as laid_out
from services.rapture.arbiter import ARBITER
from services.rapture.battlefield import Battlefield
from services.rapture.checks import on_battlefield
from services.rapture.questions.attack import AttackAnswer, AttackCase, decide_attack
from services.rapture.rules import answers
from services.rapture.scene import Scene, Side, Unit
from tests.services.rapture.attack_law import AttackNumbers, exchange

REACTING = {"*": ("reacting", answers.first_reaction)}

FIRST = AttackNumbers(att=3, difficulty=4, guard=2, block=5, health=5, tec=2)
BACK = AttackNumbers(att=3, difficulty=5, guard=2, block=5, health=5, tec=2)
HURT = AttackNumbers(att=2, difficulty=5, guard=2, block=5, health=5, tec=2)
BY_WOUNDS = (BACK, BACK, BACK, HURT, HURT, None)

D6 = icepool.d(6)


def rows() -> list[Row]:
    """Time everything; the target is a closed form 100 times as fast as icepool's map."""
    scene = Scene(
        sides=(Side("red", "west"), Side("blue", "east")),
        units=(
            Unit("ada", "red", "lantern-bearer", models=((10.0, 10.0),)),
            Unit("lin", "blue", "lantern-bearer", models=((13.0, 10.0),)),
        ),
    )
    field = on_battlefield(scene, ("attacker", "ada"), ("target", "lin"))
    state = CaseState(field, AttackCase(scene=scene, attacker="ada", target="lin"))
    form = partial(exchange, FIRST, BY_WOUNDS)
    walk = partial(law, _wounds, state, policies=REACTING, readings=ARBITER.readings.defaults)
    _agree(_of_form(form()), walk(), _chances(_mapped()), _tabled())
    times = side_by_side({"form": form, "walk": walk, "mapped": _mapped, "tabled": _tabled})
    what = "law of an attack with dodge, blocks and counterblow"
    return [
        timed(f"{what}: closed form", times["form"], "icepool map", times["mapped"], at_least=100),
        timed(f"{what}: closed form", times["form"], "icepool, each blow once", times["tabled"]),
        timed(f"{what}: walked", times["walk"], "icepool map", times["mapped"]),
    ]


Wounds = tuple[int, int]


def _wounds(table: Table, state: CaseState[Battlefield, AttackCase]) -> Wounds:
    decided: Decided[AttackAnswer] = decide_attack(table, state)
    return decided.answer.wounds, decided.answer.wounds_back


def _mapped() -> Any:
    """Give the law by icepool's `map` over both attacks, with the counterblow after each number of wounds."""
    first = _law(FIRST)
    return icepool.map(_answered, first)


def _answered(lost: int) -> Any:
    back = BY_WOUNDS[lost]
    if back is None:
        return (lost, 0)
    return _law(back).map(lambda lost_back: (lost, lost_back))


def _law(blow: AttackNumbers) -> Any:
    """Give the wounds of one attack: dodges first, then hits of the remaining dice, less blocks."""
    dodged = blow.tec @ (blow.dodge <= D6)
    blocks = blow.guard @ (blow.block <= D6)
    hits = dodged.map(lambda dodged: max(0, blow.att - dodged) @ (blow.difficulty <= D6))
    return icepool.map(lambda hits, blocks: min(blow.health, max(0, hits - blocks)), hits, blocks)


def _tabled() -> Any:
    """Give the same with each blow computed once, and the pairs made from the tables."""
    laws = {back: _law(back) for back in (FIRST, BACK, HURT)}
    pairs: dict[Wounds, Fraction] = {}
    for lost, chance in _chances(laws[FIRST]).items():
        back = BY_WOUNDS[lost]
        for lost_back, share in _chances(laws[back]).items() if back is not None else ((0, Fraction(1)),):
            pairs[lost, lost_back] = chance * share
    return pairs


def _chances(die: Any) -> dict[Any, Fraction]:
    return {outcome: Fraction(weight, die.denominator()) for outcome, weight in die.items()}


def _of_form(found: tuple[dict[Wounds, int], int]) -> dict[Wounds, Fraction]:
    joint, whole = found
    return {pair: Fraction(cases, whole) for pair, cases in joint.items()}


def _agree(first: object, *others: object) -> None:
    if any(first != other for other in others):
        raise SystemExit(f"the laws differ: {first}, {others}")


if __name__ == "__main__":
    print(laid_out(rows()))
