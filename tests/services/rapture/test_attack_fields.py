"""Odds of some fields of an attack: the same numbers as in whole answers, and many dice against an independent law."""

from fractions import Fraction
from typing import Any

import icepool
import msgspec
import pytest

from arbiter.fault import Faults
from arbiter.question import AskOdds
from arbiter.ruling import Odds
from services.rapture.arbiter import ARBITER
from tests.services.rapture.test_attack import card, duel


def odds(dice: tuple[int, int, int], *fields: str, budget: int = 20_000, **rest: Any) -> Odds[Any]:
    """Give the odds of an attack with so many dice of ATT, TEC and DEF on both sides, both of whom react."""
    att, tec, defence = dice
    one, two = (card(id_, att=att, tec=tec, hp=[{}] * 10, **{"def": defence}) for id_ in ("one", "two"))
    case = {"scene": duel(one, two), "attacker": "ada", "target": "lin"}
    body = {"case": case, "fields": fields, "policies": {"*": "reacting"}, **rest}
    return ARBITER.odds("attack", msgspec.convert(body, AskOdds[ARBITER.question("attack").case]), budget)


def masses(law: Odds[Any], *fields: str) -> dict[tuple[Any, ...], Fraction]:
    """Give the chance of each combination of these fields."""
    found: dict[tuple[Any, ...], Fraction] = {}
    for outcome in law.outcomes:
        key = tuple(getattr(outcome.answer, name) for name in fields)
        found[key] = found.get(key, Fraction(0)) + Fraction(outcome.mass)
    return found


@pytest.mark.parametrize(
    "fields",
    [
        ("wounds", "wounds_back"),
        ("dodged", "damage", "counterblow"),
        ("hits", "blocks", "attacker_hp"),
        ("target_rp", "fallen", "lost"),
        ("blows",),
    ],
)
def test_the_odds_of_fields_are_those_of_whole_answers(fields: tuple[str, ...]) -> None:
    whole, some = odds((3, 2, 2), "*"), odds((3, 2, 2), *fields)
    assert masses(some, *fields) == masses(whole, *fields)
    assert sum(masses(some, *fields).values()) == 1
    assert {each.field for each in some.marginals} <= set(fields)
    assert len(some.outcomes) <= len(whole.outcomes)


def test_twenty_dice_against_ten_and_twenty_are_icepool_s_law() -> None:
    """The first wounds and the HP that are left: each blow has its own dice, dodges take dice off, blocks take hits."""
    law = odds((20, 10, 20), "wounds", "target_hp", budget=50_000)
    die = icepool.d(6)
    hits = icepool.map(lambda dodged: (20 - dodged) @ (die >= 4), 10 @ (die >= 4))
    # Blocks succeed on the book's number; what is left are wounds, of which ten are all there is.
    least = ARBITER.catalog["numbers"]
    block = next(row["value"] for row in least if row["id"] == "block")
    wounds = icepool.map(lambda hit, blocked: max(0, hit - blocked), hits, 20 @ (die >= block))
    expected = {(number, max(0, 10 - number)): Fraction(wounds.probability(number)) for number in wounds.outcomes()}
    assert masses(law, "wounds", "target_hp") == expected


def test_without_fields_the_law_is_that_of_how_the_attack_ends() -> None:
    """Every reaction of both sides, with as many dice as a card has; the steps are told to whoever asks for them."""
    law, whole = odds((3, 2, 2)), odds((3, 2, 2), "*")
    ends = [each.field for each in law.marginals]
    assert "wounds_back" in ends
    assert not {"dodged", "hits", "blocks", "damage", "blows"} & set(ends)
    assert {each for each in whole.marginals if each.field in ends} >= set(law.marginals)
    names = ("wounds", "wounds_back", "target_hp", "attacker_hp", "target_rp", "fallen", "lost")
    assert masses(law, *names) == masses(whole, *names)
    many = odds((20, 10, 20))
    assert many.paths <= 4_000
    assert masses(many, "wounds", "target_hp") == masses(
        odds((20, 10, 20), "wounds", "target_hp"), "wounds", "target_hp"
    )


def test_best_play_is_the_same_whichever_fields_are_asked_for() -> None:
    whole, some = (odds((2, 1, 1), *fields, policies={"*": "best"}) for fields in (("*",), ("wounds",)))
    assert whole.best is not None
    assert some.best is not None
    assert some.best.worth == whole.best.worth
    assert masses(some, "wounds") == masses(whole, "wounds")


def test_a_field_that_is_none_is_refused_at_its_place() -> None:
    with pytest.raises(Faults) as faults:
        odds((2, 1, 1), "wounds", "sparks")
    assert [(fault.pointer, fault.code) for fault in faults.value.faults] == [("/fields/1", "unknown-field")]
