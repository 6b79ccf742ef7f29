"""Attacks die by die: the two tables, ones and sixes, and which defence die negates which damage die."""

import pytest

from arbiter.dice_sources import DiceNeeded
from services.size_skirmish import book
from services.size_skirmish.attacks import RollOutcome
from services.size_skirmish.rules import dice, matching, tables
from tests.services.size_skirmish.dicing import SIZES, ann, bob, seat, texts

HIT = {"XS": "43222", "S": "54322", "M": "65432", "L": "66543", "XL": "66654"}
DAMAGE = {"XS": "45666", "S": "34566", "M": "23456", "L": "22345", "XL": "22234"}


# The tables


@pytest.mark.parametrize("attacker", SIZES)
@pytest.mark.parametrize("target", SIZES)
def test_the_tables_read_both_ways(attacker: str, target: str) -> None:
    row, column = SIZES.index(attacker), SIZES.index(target)
    for rule_, printed in ((tables.to_hit, HIT), (tables.to_damage, DAMAGE)):
        assert rule_(seat({}), attacker, target) == int(printed[attacker][column])
        assert rule_(seat({}, table_rows="target"), attacker, target) == int(printed[target][row])


def test_whose_size_stands_at_the_left_is_asked_only_where_it_matters() -> None:
    same, other = seat({}), seat({})
    tables.to_hit(same, "M", "M")
    tables.to_hit(other, "S", "M")
    assert (same.read_ids, other.read_ids) == ({}, {"table-rows": "attacker"})
    assert other.findings[0].cites == ("tables/sizes", "tables/hit-s", "tables/hit-columns")


# Ones and sixes


def test_a_six_brings_one_die_more_which_does_not_explode() -> None:
    table = seat({"ann: hit": [6, 6, 2], "ann: hit extra": [6, 5]})
    assert sorted(dice.judged(table, "ann", "Ann", "hit", 3, False)) == [2, 5, 6, 6, 6]
    assert texts(table) == ["Ann, hit roll: each 6 adds one die: 5, 6"]


def test_ones_fail_and_are_rolled_again_once_where_an_ability_says_so() -> None:
    table = seat({"ann: hit": [1, 1, 4], "ann: hit again": [1, 6], "ann: hit extra": [1], "ann: hit extra again": [3]})
    assert sorted(dice.judged(table, "ann", "Ann", "hit", 3, True)) == [3, 4, 6]
    assert texts(table) == [
        "Ann, hit roll: dice that fail with a 1: 2 of 3",
        "Ann, hit roll: each 1 is rerolled once: 1, 6",
        "Ann, hit roll: dice that fail with a 1: 1 of 2",
        "Ann, hit roll: each 6 adds one die: 1",
        "Ann, hit extra roll: dice that fail with a 1: 1 of 1",
        "Ann, hit extra roll: each 1 is rerolled once: 3",
    ]
    assert table.read_ids == {"rerolled-six": "explodes", "extra-ones": "rerolled"}


def test_the_readings_of_rerolls() -> None:
    hand = {"ann: hit": [1, 6], "ann: hit again": [6], "ann: hit extra": [1]}
    table = seat(hand, rerolled_six="stays", extra_ones="stays")
    assert sorted(dice.judged(table, "ann", "Ann", "hit", 2, True)) == [6, 6]


def test_without_an_ability_nothing_is_rolled_again() -> None:
    table = seat({"ann: morale": [1, 1]})
    assert dice.judged(table, "ann", "Ann", "morale", 2, False) == ()
    assert table.read_ids == {}


@pytest.mark.parametrize(
    ("options", "total"), [({}, 8), ({"ones_in_sums": "nothing"}, 6), ({"exploding_rolls": "all"}, 11)]
)
def test_dice_that_are_added_up(options: dict[str, str], total: int) -> None:
    table = seat({"ann: run": [6, 1, 1], "ann: run extra": [3]}, **options)
    assert dice.added(table, "ann", "Ann", "run", 3) == total


# Attacks


def test_a_whole_attack_with_its_findings() -> None:
    """M on S: 5+ hits, 3+ damages. Two hits make damage dice 4 and 6, and the 6 an extra 3; one defence die of 4."""
    hand = {
        "ann: hit": [5, 6, 3],
        "ann: hit extra": [2],
        "ann: damage": [4, 6],
        "ann: damage extra": [3],
        "bob: defence": [4, 1],
    }
    table = seat(hand)
    assert matching.attacked(table, ann(3), bob(2, "S"), "melee") == RollOutcome(2, 2)
    assert texts(table) == [
        "Size M hits size S on 5+",
        "Ann, hit roll: each 6 adds one die: 2",
        "Ann, hit roll: 3d6 on 5+, successes 2: 6, 5",
        "Size M damages size S on 3+",
        "Ann, damage roll: each 6 adds one die: 3",
        "Ann, damage roll: 2d6 on 3+, successes 3: 6, 4, 3",
        "Bob, defence roll: dice that fail with a 1: 1 of 2",
        "Bob, defence roll: 4",
        "Defence dice (4) negate 1 of the damage dice (6, 4, 3)",
        "Damage: 3 \N{MINUS SIGN} 1 negated = 2",
    ]
    assert table.findings[-1].cites == ("melee/damage",)


def test_equal_dice_negate_and_each_but_one() -> None:
    """Two 4s against a 4 and a 6: an equal die is enough, but a defence die negates only one."""
    assert matching.negated(seat({}), (4, 4), (4,), 4) == 1
    assert matching.negated(seat({}), (4, 4), (4, 6), 4) == 2
    assert matching.negated(seat({}), (5,), (4, 4, 4), 4) == 0


def test_pairs_at_their_best_in_ranks_and_successes() -> None:
    """A 6 and a 5 against a 5 and a 4: the best pair is 5 with 5; in ranks the 5 meets the 6, and the 4 the 5."""
    table = seat({})
    assert matching.negated(table, (6, 5), (5, 4), 4) == 1
    assert table.read_ids == {"defence": "matching", "defence-pairs": "best"}
    assert matching.negated(seat({}, defence_pairs="highest-first"), (6, 5), (5, 4), 4) == 0
    assert matching.negated(seat({}, defence="successes"), (6, 5), (5, 4), 4) == 2
    assert matching.negated(seat({}, defence="successes"), (6,), (5, 4), 4) == 1, "no more than there are"
    assert matching.negated(seat({}, defence="successes"), (6, 5), (3, 3), 4) == 0


def test_how_dice_negate_is_asked_only_where_it_matters() -> None:
    table = seat({})
    assert matching.negated(table, (6, 6), (6,), 6) == 1
    assert matching.negated(table, (4,), (), 4) == 0
    assert table.read_ids == {}


def test_nothing_is_rolled_against_nothing() -> None:
    """All attack dice miss; then all damage dice fail. No defence die is rolled either time."""
    missed = seat({"ann: hit": [3, 1]})
    assert matching.attacked(missed, ann(2), bob(4), "ranged") == RollOutcome(0, 0)
    assert texts(missed)[-1] == "Ann does not hit: damage 0"
    assert missed.findings[-1].cites == ("ranged/damage",)
    failed = seat({"ann: hit": [4], "ann: damage": [3]})
    assert matching.attacked(failed, ann(1), bob(4), "ranged") == RollOutcome(1, 0)


def test_missing_dice_are_asked_for() -> None:
    with pytest.raises(DiceNeeded, match="needs 2 d6 for 'ann: hit'"):
        matching.attacked(seat({}), ann(2), bob(1), "melee")
    with pytest.raises(DiceNeeded, match="needs 1 d6 for 'bob: defence'"):
        matching.attacked(seat({"ann: hit": [4], "ann: damage": [4]}), ann(1), bob(1), "melee")


def test_a_number_that_no_die_reaches_and_one_that_every_die_does() -> None:
    """XL hits XS on 6+: a minus leaves nothing. XS hits XL on 2+: with a plus of 3 every face does, but a 1 fails."""
    none = seat({})
    assert matching.attacked(none, ann(2, "XL", plus=-1), bob(0, "XS"), "ranged") == RollOutcome(0, 0)
    assert texts(none)[-1] == "No die of Ann can hit"
    every = seat({"ann: hit": [1, 2], "ann: damage": [5]})
    assert matching.attacked(every, ann(2, "XS", plus=3), bob(0, "XL"), "ranged") == RollOutcome(1, 0)
    assert "Ann, hit roll: 2d6 on 1+, successes 1: 2" in texts(every)


def test_without_the_passage_on_ones_a_one_hits_where_1_is_enough() -> None:
    with dice.unfailed.switched_off():
        table = seat({"ann: hit": [1], "ann: damage": [5]})
        assert matching.attacked(table, ann(1, "XS", plus=3), bob(0, "XL"), "ranged") == RollOutcome(1, 0)


def test_one_roll_on_both_tables_and_on_the_hit_table_alone() -> None:
    """XS on M: 2+ hits, 6+ damages. Of 6, 5, 2 and an extra 3 one reaches both numbers, four reach the first."""
    hand = {"ann: hit": [6, 5, 2], "ann: hit extra": [3], "bob: defence": [5]}
    both, hit_only = (seat(hand, attack_rolls=rolls) for rolls in ("both-at-once", "hit-only"))
    assert matching.attacked(both, ann(3, "XS"), bob(1), "melee") == RollOutcome(1, 1)
    assert matching.attacked(hit_only, ann(3, "XS"), bob(1), "melee") == RollOutcome(4, 3)


def test_what_is_added_to_each_defence_die_does_not_help_a_one() -> None:
    """M on XS damages on 2+: a 1 with a plus of 1 would negate a 2, but it has failed. A 5 becomes a 6."""
    hand = {"ann: hit": [6, 6], "ann: hit extra": [1, 1], "ann: damage": [6, 2], "ann: damage extra": [1]}
    table = seat({**hand, "bob: defence": [1, 5]})
    assert matching.attacked(table, ann(2), bob(2, "XS", plus=1), "melee") == RollOutcome(2, 1)
    assert "Bob, defence roll: 6" in texts(table)


def test_a_fall_is_damage_dice_against_armour() -> None:
    table = seat({"bob: damage": [4, 3, 5], "bob: defence": [5]})
    assert matching.damaged(table, bob(0), 3, bob(1), "fall") == 1
    assert table.findings[-1].cites == ("move/fall-attack-dice",)


def test_every_cell_of_the_tables_is_there_once() -> None:
    for name in (tables.HIT, tables.DAMAGE):
        rows = book.table(name)
        assert sorted((row["row"], row["column"]) for row in rows) == sorted((a, b) for a in SIZES for b in SIZES)
