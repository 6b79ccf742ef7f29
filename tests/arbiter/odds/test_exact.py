"""Laws and head-counts against other ways to the same numbers: by hand, path by path, and by icepool."""

from fractions import Fraction
from itertools import count, product
from math import comb
from random import Random

import icepool
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arbiter.dice import D6, D20, Die, numbered
from arbiter.dice_sources import SeededDice
from arbiter.odds.exact import Budget, ImpureRule, PathBudgetExceeded, head_count, law
from arbiter.rule import Forbidden, rule
from arbiter.table import Choice, Chooser, OneTable, Table, Tally, first
from tests.arbiter.programs import PROGRAMS, STATES, Program
from tests.brute import TooManyPaths, brute_law

SYMBOLS = Die("d8 of symbols", ("miss", "miss", "miss", "miss", "hit", "hit", "crit", "crit"))
POLICIES = {"*": ("first", first)}


def of_icepool(die: icepool.Die) -> dict[object, Fraction]:
    """Give the law that icepool knows, in our words."""
    return {outcome: die.probability(outcome) for outcome in die.outcomes() if die.quantity(outcome)}


# Small rules, one for each verb


def two_dice(table: Table) -> int:
    return table.roll(D6, "one") + table.roll(D6, "two")


def best_two_of_four(table: Table) -> int:
    return sum(table.pool(4, D6, "pool")[2:])


def opposed(table: Table, skill: int) -> str:
    ours, theirs = table.roll(D20, "ours") + skill, table.roll(D20, "theirs")
    return "win" if ours > theirs else "draw" if ours == theirs else "lose"


def wounds(table: Table) -> bool:
    """Hit on 4, wound on 3, save on 5: 1/2 * 2/3 * 2/3."""
    return table.roll(D6, "hit") >= 4 and table.roll(D6, "wound") >= 3 and table.roll(D6, "save") < 5


def volley(table: Table, shots: int) -> int:
    return table.repeat(shots, wounds)[True]


def attack_and_defence(table: Table, attack: int, aim: int, defence: int, armour: int) -> int:
    hits = sum(face >= aim for face in table.pool(attack, D6, "attack"))
    return max(hits - sum(face >= armour for face in table.pool(defence, D6, "defence")), 0)


def one_blow(table: Table, state: tuple[int, int]) -> tuple[int, int]:
    ours, theirs = state
    return (ours, theirs - 1) if table.roll(D6, "blow") >= 4 else (ours - 1, theirs)


def over(state: tuple[int, int]) -> bool:
    return 0 in state


def duel(table: Table, ours: int, theirs: int, rounds: int) -> tuple[int, int]:
    return table.iterate(one_blow, (ours, theirs), over, rounds)


def two_volleys(table: Table) -> tuple[int, int]:
    return table.call(volley, 2), table.call(volley, 3)


def test_one_die_of_symbols() -> None:
    assert law(lambda table: table.roll(SYMBOLS, "x")) == {
        "miss": Fraction(1, 2),
        "hit": Fraction(1, 4),
        "crit": Fraction(1, 4),
    }


def test_two_dice_are_what_icepool_says() -> None:
    assert law(two_dice) == of_icepool(2 @ icepool.d6)


def test_pool_is_what_icepool_says() -> None:
    assert law(best_two_of_four) == of_icepool(icepool.d6.highest(4, 2))


@pytest.mark.parametrize("skill", [-3, 0, 5])
def test_opposed_rolls_are_what_counting_all_pairs_says(skill: int) -> None:
    ahead = [ours + skill - theirs for ours, theirs in product(range(1, 21), repeat=2)]
    by_hand = {
        "win": Fraction(sum(by > 0 for by in ahead), 400),
        "draw": Fraction(sum(by == 0 for by in ahead), 400),
        "lose": Fraction(sum(by < 0 for by in ahead), 400),
    }
    assert law(opposed, skill) == by_hand


@pytest.mark.parametrize("shots", [0, 1, 3, 10])
def test_repeat_is_binomial_by_hand_and_by_icepool(shots: int) -> None:
    once = Fraction(1, 2) * Fraction(2, 3) * Fraction(2, 3)
    by_hand = {n: comb(shots, n) * once**n * (1 - once) ** (shots - n) for n in range(shots + 1)}
    assert law(volley, shots) == by_hand
    if shots:
        step = icepool.map(lambda hit, wound, save: int(hit >= 4 and wound >= 3 and save < 5), *[icepool.d6] * 3)
        assert law(volley, shots) == of_icepool(shots @ step)


def test_known_law_of_attack_and_defence_dice() -> None:
    # Three attack dice at 4 or more against two defence dice at 5 or more, enumerated elsewhere by two methods.
    known = {0: Fraction(3, 8), 1: Fraction(25, 72), 2: Fraction(2, 9), 3: Fraction(1, 18)}
    assert law(attack_and_defence, 3, 4, 2, 5) == known


def test_iterate_is_a_duel_by_hand() -> None:
    # One point against two, each blow a fair coin: lost at once, or won twice, or won and lost.
    assert law(duel, 1, 2, 9) == {(0, 2): Fraction(1, 2), (1, 0): Fraction(1, 4), (0, 1): Fraction(1, 4)}


def test_iterate_is_what_icepool_says() -> None:
    def blow(ours: int, theirs: int) -> object:
        return icepool.Die([(ours, theirs - 1), (ours - 1, theirs)]) if ours and theirs else (ours, theirs)

    states = icepool.Die([(3, 4)])
    for _ in range(5):
        states = states.map(lambda state: blow(*state), star=False)
    assert law(duel, 3, 4, 5) == {tuple(state): chance for state, chance in of_icepool(states).items()}


def test_iterate_stops_after_its_rounds_and_before_the_first_when_it_is_over() -> None:
    assert law(duel, 5, 5, 0) == {(5, 5): 1}
    assert law(duel, 0, 5, 9) == {(0, 5): 1}
    assert sum(law(duel, 5, 5, 3).values()) == 1


def test_calls_are_independent() -> None:
    one, two = law(volley, 2), law(volley, 3)
    assert law(two_volleys) == {(a, b): one[a] * two[b] for a in one for b in two}


# Laws of every rule


@given(program=PROGRAMS, state=st.integers(0, STATES - 1))
def test_merged_law_is_the_law_path_by_path(program: Program, state: int) -> None:
    try:
        one_by_one = brute_law(program, state, most=3_000)
    except TooManyPaths:
        assume(False)
    merged = law(program, state, policies=POLICIES)
    assert sum(merged.values()) == 1
    assert merged == one_by_one


@given(program=PROGRAMS, state=st.integers(0, STATES - 1), heads=st.integers(1, 1000), seed=st.integers(0, 99))
def test_no_head_is_lost_or_ends_where_the_law_does_not_lead(
    program: Program, state: int, heads: int, seed: int
) -> None:
    counted = head_count(heads, seed, program, state, policies=POLICIES)
    assert sum(counted.values()) == heads
    assert all(often > 0 for often in counted.values())
    assert set(counted) <= set(law(program, state, policies=POLICIES))
    assert counted == head_count(heads, seed, program, state, policies=POLICIES)


@pytest.mark.parametrize(
    ("asked", "arguments"),
    [(two_dice, ()), (best_two_of_four, ()), (volley, (6,)), (duel, (4, 4, 20)), (two_volleys, ()), (opposed, (2,))],
)
def test_a_crowd_falls_near_the_law(asked, arguments) -> None:
    heads = 1_000_000
    exact = law(asked, *arguments)
    counted = head_count(heads, 3, asked, *arguments)
    statistic = sum((counted.get(result, 0) - heads * p) ** 2 / (heads * p) for result, p in exact.items())
    free = len(exact) - 1
    assert statistic < free + 6 * (2 * free) ** 0.5


def test_another_seed_is_another_crowd() -> None:
    assert head_count(10_000, 1, two_dice) != head_count(10_000, 2, two_dice)


# Choices, readings, prohibitions on the way


def test_policies_choose_in_a_law_and_a_missing_one_is_named() -> None:
    def asked(table: Table) -> str:
        return str(table.choose("red", "which", ("a", "b"), about=7))

    def last(choice: Choice) -> object:
        assert choice == Choice("red", "which", ("a", "b"), 7)
        return choice.options[-1]

    assert law(asked, policies={"red": ("last", last), "*": ("first", first)}) == {"b": 1}
    assert law(asked, policies=POLICIES) == {"a": 1}
    with pytest.raises(LookupError, match="no policy for red"):
        law(asked, policies={"blue": ("first", first)})


def test_a_law_names_the_readings_it_rests_on() -> None:
    def inner(table: Table) -> int:
        return table.roll(D6, "x") if table.read("odd") == "yes" else 0

    def outer(table: Table) -> int:
        return table.call(inner) + table.repeat(1, inner)[1]

    used: dict[str, str] = {}
    assert law(outer, readings={"odd": "no", "idle": "?"}, read_ids=used) == {0: 1}
    assert used == {"odd": "no"}
    used.clear()
    head_count(9, 1, outer, readings={"odd": "yes", "idle": "?"}, read_ids=used)
    assert used == {"odd": "yes"}


def test_what_is_repeated_never_is_not_asked() -> None:
    def refuses(table: Table) -> int:
        raise Forbidden

    assert law(lambda table: table.repeat(0, refuses)) == {Tally(frozenset()): 1}
    assert head_count(5, 1, lambda table: table.repeat(0, refuses)) == {Tally(frozenset()): 5}


def test_a_reason_given_by_a_part_of_a_rule_is_the_rules_own() -> None:
    def part(table: Table) -> int:
        raise Forbidden(table.reason("no"))

    @rule("chapter.whole", cites="a/unit", neutral=0)
    def whole(table: Table) -> int:
        return table.call(part)

    for walk in (lambda: law(whole), lambda: head_count(3, 1, whole)):
        with pytest.raises(Forbidden) as caught:
            walk()
        assert caught.value.reasons[0].rule == "chapter.whole"


# What is refused


def hidden_coin(seed: int):
    coin = Random(seed)

    @rule("luck.hidden", cites="a/unit", neutral=0)
    def hidden(table: Table) -> int:
        label = "heads" if coin.random() < 0.5 else "tails"
        return table.roll(D6, label) + table.roll(D6, "other")

    return hidden


@pytest.mark.parametrize("seed", range(5))
def test_an_impure_rule_is_caught_and_named(seed: int) -> None:
    asked = hidden_coin(seed)
    with pytest.raises(ImpureRule, match=r"^luck.hidden asked for .* must be pure$"):
        law(lambda table: table.call(asked))


def test_a_rule_that_asks_for_less_the_second_time_is_caught_and_named() -> None:
    calls = count()

    @rule("luck.tired", cites="a/unit", neutral=0)
    def tired(table: Table) -> int:
        return table.roll(D6, "once") if next(calls) == 0 else 0

    with pytest.raises(ImpureRule, match=r"luck.tired asked for \('d6', 'once'\) first and for 'nothing more'"):
        law(tired)


def test_the_budget_counts_paths_and_holds() -> None:
    spent = Budget(36)
    law(two_dice, budget=spent)
    assert spent.walked == 36
    with pytest.raises(PathBudgetExceeded, match="more than 35 paths"):
        law(two_dice, budget=Budget(35))
    with pytest.raises(PathBudgetExceeded):
        head_count(1_000_000, 1, two_dice, budget=Budget(35))


def test_the_budget_counts_the_steps_of_all_paths() -> None:
    # 36 paths with two dice each.
    law(two_dice, budget=Budget(36, steps=72))
    with pytest.raises(PathBudgetExceeded):
        law(two_dice, budget=Budget(36, steps=71))


@pytest.mark.parametrize("asked", [lambda table: table.pool(80, D20, "x"), lambda table: table.repeat(80, two_dice)])
def test_the_budget_refuses_a_crowd_of_branches_before_it_writes_them_down(asked) -> None:
    # 80 twenty-sided dice fall in comb(99, 19) ways, more than any memory holds.
    with pytest.raises(PathBudgetExceeded):
        law(asked, budget=Budget(100_000))


def test_merging_keeps_the_walk_short() -> None:
    spent = Budget(10_000)
    law(volley, 30, budget=spent)
    # Four paths at most of the rule that is repeated, and one for each of the 31 tallies.
    assert spent.walked <= 6 * 6 * 6 + 31
    spent = Budget(10_000)
    law(duel, 10, 10, 40, budget=spent)
    # Each of the 100 states that are not over is asked once, for six faces; then the 20 that are over are walked.
    assert spent.walked == 100 * 6 + 20


def test_one_path_and_all_paths_share_the_rule() -> None:
    exact = law(duel, 2, 2, 9)
    for seed in range(50):
        assert duel(OneTable(SeededDice(str(seed)), Chooser({}, {}), {}), 2, 2, 9) in exact


def test_a_die_is_named_by_its_sides() -> None:
    assert numbered(12) is numbered(12)
    assert numbered(12).name == "d12"
    assert SYMBOLS.kinds == (("miss", 4), ("hit", 2), ("crit", 2))


# Rules that conclude with another


def armoured(table: Table, shield: int, dice: int) -> tuple[int, int]:
    """Roll a die for the dice to take off, and conclude with the hits of those that are left."""
    lost = table.roll(D6, "lost") // 2
    return table.conclude(lambda hits: (shield, max(0, hits - shield)), hits_of, max(0, dice - lost))


def hits_of(table: Table, dice: int) -> int:
    return table.count(dice, D6, "hits", lambda face: face >= 5) if dice else 0


def twice_armoured(table: Table, dice: int) -> int:
    one = table.call(armoured, 1, dice)[1]
    return one + table.call(armoured, 0, dice)[1]


def test_what_concludes_with_another_rule_is_counted_by_hand() -> None:
    """One die for the dice lost, then each hit pattern of those left: three ways of 0, 1, 1, 2, 2, 3 dice lost."""
    counted: dict[tuple[int, int], Fraction] = {}
    for face in range(1, 7):
        left = max(0, 3 - face // 2)
        for dice in product(range(1, 7), repeat=left):
            end = (1, max(0, sum(die >= 5 for die in dice) - 1))
            counted[end] = counted.get(end, Fraction(0)) + Fraction(1, 6 ** (left + 1))
    found = law(lambda table: table.call(armoured, 1, 3))
    assert found == counted
    assert law(armoured, 1, 3) == counted


def test_conclusions_inside_others_are_icepool_s_law() -> None:
    die = icepool.d(6)

    def one(shield: int) -> icepool.Die[int]:
        return die.map(lambda lost: max(0, 4 - lost // 2) @ (die >= 5)).map(lambda hits: max(0, hits - shield))

    assert law(twice_armoured, 4) == of_icepool(one(1) + one(0))


def test_a_crowd_goes_where_a_conclusion_leads() -> None:
    heads = head_count(10_000, 3, twice_armoured, 4)
    assert sum(heads.values()) == 10_000
    assert heads.keys() <= law(twice_armoured, 4).keys()


def test_on_one_path_a_conclusion_is_a_call() -> None:
    table = OneTable(SeededDice("one"), Chooser({}, {}), {})
    assert armoured(table, 1, 3) in law(armoured, 1, 3)
