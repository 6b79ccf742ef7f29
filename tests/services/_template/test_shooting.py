from fractions import Fraction
from math import comb

import pytest

from arbiter.odds.exact import law
from arbiter.rule import Forbidden
from arbiter.table import first
from services._template.arbiter import ARBITER
from services._template.rules.shooting import attack, dodge, may_shoot, save, suffer, to_hit
from services._template.scene import PROFILES, Shot
from tests.services._template.tables import fighter, rock, scene, table


def shot(attacker: str = "gunner", target: str = "scout", *, away: int = 2, rocks=(), **more: object) -> Shot:
    red = fighter("red", attacker, (1, 1))
    blue = fighter("blue", target, (away + 1, 1), **{"side": "blue", **more})
    return Shot(scene(red, blue, rocks=rocks), red, blue)


@pytest.mark.parametrize(("face", "hits"), [(3, False), (4, True), (6, True)])
def test_the_aim_or_more_hits(face: int, hits: bool) -> None:
    assert to_hit(table({"to hit": [face]}), shot("gunner")) is hits


@pytest.mark.parametrize(("face", "away", "hits"), [(3, 1, True), (2, 1, False), (3, 2, False)])
def test_one_is_added_in_the_next_hex(face: int, away: int, hits: bool) -> None:
    assert to_hit(table({"to hit": [face]}), shot("gunner", away=away)) is hits


@pytest.mark.parametrize(("reading", "hits"), [("misses", False), ("counts", True)])
def test_a_one_that_is_enough_is_a_matter_of_reading(reading: str, hits: bool) -> None:
    at = table({"to hit": [1]}, readings={"natural-one": reading})
    assert to_hit(at, shot("marksman", away=1)) is hits


def test_the_weapon_reaches_as_far_as_its_range() -> None:
    may_shoot(table(), shot("gunner", away=4))
    with pytest.raises(Forbidden) as caught:
        may_shoot(table(), shot("gunner", away=5))
    assert [reason.cites for reason in caught.value.reasons] == [("shooting/range",)]


def test_what_is_behind_a_rock_may_not_be_shot_at() -> None:
    may_shoot(table(), shot(away=3, rocks=[rock((2, 2))]))
    with pytest.raises(Forbidden) as caught:
        may_shoot(table(), shot(away=3, rocks=[rock((2, 1))]))
    assert [reason.cites for reason in caught.value.reasons] == [("shooting/sight",)]


def test_every_reason_against_a_shot_is_given() -> None:
    with pytest.raises(Forbidden) as caught:
        may_shoot(table(), shot("gunner", away=5, side="red"))
    assert [reason.cites for reason in caught.value.reasons] == [("shooting/enemy",), ("shooting/range",)]


@pytest.mark.parametrize(("face", "dodged"), [(3, 0), (4, 1)])
def test_four_or_more_dodges_one_hit(face: int, dodged: int) -> None:
    found = dodge(table({"dodge": [face]}, {"dodge of blue": ["dodge"]}), shot(), 3)
    assert (found.tried, found.hits) == (True, dodged)


def test_without_a_hit_or_after_a_dodge_nobody_is_asked() -> None:
    assert dodge(table(), shot(), 0).tried is False
    assert dodge(table(), shot(dodged=True), 3).tried is False


@pytest.mark.parametrize(("faces", "wounds"), [([4, 4], 2), ([5, 4], 1), ([5, 6], 0), ([], 0)])
def test_armour_or_more_saves_a_hit(faces: list[int], wounds: int) -> None:
    assert save(table({"save": faces}), fighter("blue", "scout", (0, 0)), len(faces)) == wounds


@pytest.mark.parametrize(("lost", "wounds", "stands"), [(0, 1, True), (0, 2, False), (1, 1, False), (0, 3, False)])
def test_all_wounds_lost_is_slain(lost: int, wounds: int, stands: bool) -> None:
    target = fighter("blue", "marksman", (0, 0), wounds_lost=lost)
    other = fighter("red", "scout", (1, 0))
    after = suffer(table(), scene(target, other), target, wounds)
    assert [each.id for each in after.fighters] == (["blue", "red"] if stands else ["red"])
    if stands:
        assert after.fighter("blue").wounds_lost == lost + wounds


@pytest.mark.parametrize("attacker", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("target", PROFILES.values(), ids=PROFILES)
def test_wounds_of_a_target_that_stands_are_binomial(attacker, target) -> None:
    """At a distance each shot wounds by itself: it hits with (7 - aim) / 6 and is not saved with (armour - 1) / 6."""
    each = Fraction(7 - attacker.aim, 6) * Fraction(target.armour - 1, 6)
    shots = attacker.shots
    by_hand = {n: comb(shots, n) * each**n * (1 - each) ** (shots - n) for n in range(shots + 1)}
    masses = law(
        lambda at, asked: attack(at, asked).answer.wounds,
        shot(attacker.id, target.id),
        policies={"*": ("first", first)},
        readings=ARBITER.readings.defaults,
    )
    assert masses == by_hand
