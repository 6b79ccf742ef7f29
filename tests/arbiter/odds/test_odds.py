"""The odds as they are given: outcomes, the distribution of each field, prohibitions, crowds."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from arbiter.fault import Faults, UnknownName
from arbiter.game import Arbiter, PathBudgetExceeded
from arbiter.question import AskOdds
from arbiter.ruling import Odds
from arbiter.table import first
from services._template.arbiter import ARBITER
from services._template.questions import AttackCase
from tests.arbiter.test_asking import CLEARING


def odds(budget: int = 10_000, *, attacker: str = "gus", target: str = "rob", **body: Any) -> Odds[Any]:
    case = {"scene": CLEARING, "attacker": attacker, "target": target}
    return ARBITER.odds("attack", msgspec.convert({"case": case, **body}, AskOdds[AttackCase]), budget)


def test_outcomes_come_likeliest_first_with_exact_masses() -> None:
    law = odds()
    assert law.method == "law"
    assert sum(Fraction(chance.mass) for chance in law.outcomes) == 1
    likely = [chance.probability for chance in law.outcomes]
    assert likely == sorted(likely, reverse=True)
    assert all(chance.probability == pytest.approx(float(Fraction(chance.mass))) for chance in law.outcomes)
    assert law.policies == {"*": "first"}
    assert law.paths > 0
    assert (law.heads, law.seed) == (None, None)


def test_marginals_are_the_sums_of_the_outcomes_with_their_mean() -> None:
    law = odds()
    marginals = {marginal.field: marginal for marginal in law.marginals}
    assert set(marginals) == {"hits", "dodged", "wounds", "slain"}
    for field, marginal in marginals.items():
        sums: dict[Any, Fraction] = {}
        for chance in law.outcomes:
            value = getattr(chance.answer, field)
            sums[value] = sums.get(value, Fraction(0)) + Fraction(chance.mass)
        assert {chance.answer: Fraction(chance.mass) for chance in marginal.values} == sums
    # By hand: three shots that hit with 1/2 and wound with 1/2 * 2/3.
    assert marginals["hits"].mean_exact == "3/2"
    assert marginals["wounds"].mean_exact == "1"
    assert marginals["wounds"].mean == 1.0
    assert marginals["slain"].mean is None, "yes and no have no mean"


def test_policies_make_the_choices_on_the_way() -> None:
    dodged = {marginal.field: marginal for marginal in odds(policies={"blue": "bold"}).marginals}["dodged"]
    assert {chance.answer: chance.mass for chance in dodged.values} == {0: "9/16", 1: "7/16"}


def test_what_is_forbidden_has_no_odds_but_reasons() -> None:
    law = odds(target="gus")
    assert (law.allowed, law.outcomes, law.marginals) == (False, (), ())
    assert [reason.cites for reason in law.reasons] == [("shooting/enemy",)]


def test_readings_that_matter_to_the_odds_are_named() -> None:
    assert odds().readings == ()
    close = {**CLEARING, "fighters": [*CLEARING["fighters"][:2], {**CLEARING["fighters"][2], "hex": [-1, 0]}]}
    body = {"case": {"scene": close, "attacker": "sue", "target": "gus"}, "readings": {"natural-one": "counts"}}
    law = ARBITER.odds("attack", msgspec.convert(body, AskOdds[AttackCase]), 1000)
    assert [(used.id, used.option, used.default) for used in law.readings] == [("natural-one", "counts", "misses")]


def test_a_crowd_is_counted_in_heads() -> None:
    crowd = odds(heads=1000, seed=4)
    assert (crowd.method, crowd.heads, crowd.seed) == ("heads", 1000, "4")
    assert sum(int(chance.mass) for chance in crowd.outcomes) == 1000
    assert sum(chance.probability for chance in crowd.outcomes) == pytest.approx(1)
    hits = next(marginal for marginal in crowd.marginals if marginal.field == "hits")
    counted = sum(chance.answer * int(chance.mass) for chance in hits.values)
    assert hits.mean == pytest.approx(counted / 1000)
    assert hits.mean_exact is None
    assert crowd == odds(heads=1000, seed=4)


def test_too_many_paths_are_refused() -> None:
    with pytest.raises(PathBudgetExceeded):
        odds(budget=10)


def test_what_is_unknown_is_refused_with_what_is_known() -> None:
    with pytest.raises(Faults, match="no policy 'wild'"):
        odds(policies={"*": "wild"})
    with pytest.raises(UnknownName, match="no question 'atack'; known: moves, line-of-sight, attack, battle"):
        ARBITER.odds("atack", msgspec.convert({"case": {}}, AskOdds[dict]), 10)


def test_no_game_has_a_policy_called_best() -> None:
    with pytest.raises(ValueError, match="'best', which is the name of best play"):
        Arbiter(
            package="services._template",
            name="t",
            title="T",
            edition="1",
            gist="",
            questions=(),
            policies={"best": first},
        )
