"""Best play against games solved by hand, and against every game played out one by one and folded back."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arbiter.dice import D6, numbered
from arbiter.odds.best_play import best, best_play
from arbiter.odds.exact import Budget, PathBudgetExceeded, law
from arbiter.rule import rule
from arbiter.table import Choice, Policy, Table, first
from tests.arbiter.programs import PROGRAMS, STATES, Program
from tests.arbiter.recursion import BEST, COIN, expected, itself, once_more, played, risk, solved
from tests.brute import TooManyPaths

# Solved by hand


def test_dice_then_a_choice_then_dice_by_hand() -> None:
    # Rolling again is worth 7/2: faces up to 3 are rolled again, 4, 5 and 6 are kept.
    # 4, 5, 6 come with 1/6 + 1/2 * 1/6 = 1/4, the others with 1/2 * 1/6 = 1/12; the mean is 1/2 * 5 + 1/2 * 7/2.
    play = played(once_more)
    assert play.law == {face: Fraction(1, 4 if face >= 4 else 12) for face in range(1, 7)}
    assert play.worths == {"red": Fraction(17, 4)}
    assert len(play.reached) == 6
    for reached in play.reached:
        assert reached.situations is not None
        ((before, often),) = reached.situations.items()
        ((label, face),) = before
        assert (reached.who, reached.label, [option.id for option in reached.options]) == (
            "red",
            "again",
            ["keep", "roll"],
        )
        assert (label, often, reached.mass) == ("first", Fraction(1, 6), Fraction(1, 6))
        assert reached.worths == (Fraction(face), Fraction(7, 2))
        assert reached.picked == (1 if face <= 3 else 0)


def answered(table: Table) -> int:
    """Red bets one or three, blue sees it and folds for two or goes on; then a coin decides who wins the bet."""
    bet: int = table.choose("red", "bet", (1, 3))
    if table.choose("blue", "answer", ("go on", "fold")) == "fold":
        return 2
    return bet if table.roll(numbered(4), "fortune") > 1 else -bet


def test_two_who_want_the_opposite_by_hand() -> None:
    # Going on is worth 3/4 - 1/4 = 1/2 of the bet to red: 1/2 of a bet of 1, 3/2 of one of 3, both less than 2.
    play = played(answered)
    assert play.law == {3: Fraction(3, 4), -3: Fraction(1, 4)}
    assert play.worths == {"red": Fraction(3, 2), "blue": Fraction(-3, 2)}
    bet, answer = play.reached
    assert (bet.label, bet.worths, bet.picked) == ("bet", (Fraction(1, 2), Fraction(3, 2)), 1)
    assert (answer.label, answer.worths, answer.picked) == ("answer", (Fraction(-3, 2), Fraction(-2)), 0)
    assert (bet.situations, answer.situations) == ({(): 1}, {(("bet", 3),): 1})


def test_who_wants_something_else_is_not_against_the_other() -> None:
    def meet(table: Table) -> tuple[str, str]:
        here = table.choose("ann", "where", ("hill", "ford"))
        return here, table.choose("bob", "where to", ("hill", "ford"))

    # Both want to meet, ann rather at the ford, bob rather on the hill; bob comes to where ann is.
    def worth(answer: tuple[str, str], who: str) -> int:
        return 0 if answer[0] != answer[1] else 2 if (answer[0] == "ford") == (who == "ann") else 1

    play = played(meet, worth=worth)
    assert play.law == {("ford", "ford"): 1}
    assert play.worths == {"ann": 2, "bob": 1}


def test_of_equal_options_the_first_is_taken() -> None:
    def even(table: Table) -> str:
        chosen = table.choose("red", "which", ("sure", "coin", "other"))
        return f"coin {table.roll(COIN, 'coin')}" if chosen == "coin" else str(chosen)

    worths = {"sure": Fraction(1, 2), "coin 0": 0, "coin 1": 1, "other": Fraction(1, 2)}
    play = played(even, worth=lambda answer, _: worths[answer])
    assert play.law == {"sure": 1}
    assert play.reached[0].worths == (Fraction(1, 2),) * 3
    assert play.reached[0].picked == 0


def test_a_single_option_is_no_decision() -> None:
    play = played(lambda table: table.choose("red", "which", (4,)))
    assert (play.law, play.reached, play.worths) == ({4: 1}, (), {})


# Choices in rules that other rules ask


def stake(table: Table, pot: int) -> int:
    return int(table.choose("red", "stake", (0, 1))) + pot


def late(table: Table) -> int:
    """What is staked wins double on one coin and costs one on the other; only what comes after the call decides."""
    staked = table.call(stake, 0)
    coin = table.roll(COIN, "coin")
    return staked * (2 if coin else -1) if table.roll(COIN, "side") else -3 * staked


def test_a_choice_in_a_call_knows_what_comes_after_the_call() -> None:
    # The call alone gives 1 for a stake and 0 for none; what follows makes 1/2 * 1/2 - 3/2 = -5/4 of it.
    play = played(late)
    assert play.law == {0: 1}
    assert play.reached[0].worths == (Fraction(0), Fraction(-5, 4))


def test_a_choice_in_a_call_knows_what_came_before_the_call() -> None:
    def up_to(table: Table) -> int:
        sign = -1 if table.roll(COIN, "sign") else 1
        return sign * table.call(once_more)

    # With a plus it is as above, 17/4; with a minus the low faces are kept, and 7 - 17/4 is paid.
    play = played(up_to)
    assert play.worths == {"red": (Fraction(17, 4) - (7 - Fraction(17, 4))) / 2}
    kept = {
        before: reached.options[reached.picked].id
        for reached in play.reached
        if reached.situations is not None
        for before in reached.situations
    }
    assert kept[("sign", 0), ("first", 6)] == "keep"
    assert kept[("sign", 1), ("first", 6)] == "roll"
    assert len(kept) == 12


def test_what_is_repeated_is_chosen_one_after_the_other() -> None:
    def wanted(table: Table) -> int:
        """Two dice, each of which may be rolled again; exactly one six wins."""
        return int(table.repeat(2, once_more)[6] == 1)

    # The second die goes for a six with 11/36 when there is none yet. When there is one, it avoids another: a 6 is
    # rolled again, which fails with 1/6 * 1/6. The first goes for a six too, for 35/36 is more than 11/36.
    six = Fraction(11, 36)
    assert played(wanted).worths == {"red": six * Fraction(35, 36) + (1 - six) * six}


def test_rounds_are_chosen_one_after_the_other() -> None:
    def push(table: Table, state: tuple[int, bool]) -> tuple[int, bool]:
        """Stop with what there is, or risk it all on a coin for one more."""
        won, _ = state
        if table.choose("red", "go on", ("stop", "push")) == "stop":
            return won, True
        return (won + 1, False) if table.roll(numbered(3), "risk") > 1 else (0, True)

    def run(table: Table) -> int:
        return table.iterate(push, (0, False), lambda state: state[1], 5)[0]

    # Pushing at n is worth 2/3 (n + 1) and what may follow; at 2 that is 2 as well, and stopping comes first.
    play = played(run)
    assert play.law == {2: Fraction(4, 9), 0: Fraction(5, 9)}
    assert play.worths == {"red": Fraction(8, 9)}


@rule("toy.blow", cites="a/unit", neutral=0)
def blow(table: Table) -> int:
    return sum(face >= 4 for face in table.pool(3, D6, "blow"))


def test_a_situation_names_rules_by_their_id_and_earlier_choices() -> None:
    def twice(table: Table) -> int:
        hits = table.call(blow)
        parried: int = table.choose("blue", "parry", (0, 1))
        tally = table.repeat(2, blow)
        paid: int = table.choose("blue", "pay", (0, 5)) if tally[3] == 2 else 0
        return hits - parried + paid

    pay = next(reached for reached in played(twice).reached if reached.label == "pay" and reached.worths[0] == -2)
    assert pay.situations == {(("toy.blow", 3), ("parry", 1), ("toy.blow", ((3, 2),))): Fraction(1, 512)}


def test_a_situation_tells_calls_that_choose_by_their_results() -> None:
    def both(table: Table) -> int:
        return table.call(risk) + table.call(risk) + int(table.choose("red", "last", (0, 1)))

    def risked(*faces: int) -> tuple[tuple[str, Any], ...]:
        return tuple(came for face in faces for came in (("risk", "yes"), ("toy.risk", face)))

    situations: dict[Any, Fraction] = {}
    for reached in played(both).reached:
        situations |= reached.situations or {}
    assert situations == {
        (): 1,
        risked(0): Fraction(1, 2),
        risked(1): Fraction(1, 2),
        **{risked(one, two): Fraction(1, 4) for one in (0, 1) for two in (0, 1)},
    }


def test_a_situation_tells_what_the_times_before_gave() -> None:
    def more(table: Table) -> int:
        return 2 ** table.repeat(2, risk)[1]

    once, *again = played(more).reached
    assert once.situations == {(): 1}
    assert {before: reached.worths for reached in again for before in reached.situations or {}} == {
        (("risk", "yes"), ("toy.risk", 0)): (Fraction(1), Fraction(3, 2)),
        (("risk", "yes"), ("toy.risk", 1)): (Fraction(2), Fraction(3)),
    }


def exchange(table: Table, dice: int, points: int) -> tuple[int, int]:
    """An attack that may be dodged for a point; gives the wounds and the points that are left."""
    if points and table.choose("blue", "dodge", ("none", "dodge")) == "dodge":
        dice, points = max(0, dice - sum(table.pool(2, COIN, "dodge"))), points - 1
    return sum(table.pool(dice, COIN, "hit")), points


@pytest.mark.parametrize("points", [0, 1, 2])
def test_what_is_called_is_decided_as_what_is_not(points: int) -> None:
    def twice(table: Table, ask: Any) -> int:
        some, left = ask(table, 2, points)
        more, left = ask(table, 2 + some, left)
        return int(2 * (some + more) + left)

    whole = played(twice, exchange)
    parts = played(twice, lambda table, *args: table.call(exchange, *args))
    assert (parts.law, parts.worths) == (whole.law, whole.worths)
    assert whole.law == solved(twice, exchange)


# Against every game played out


class Contested(Program, frozen=True):
    """A program in which two choose, by turns of the state."""

    def _choose(self, table: Table, state: int) -> int:
        who = "red" if state % 2 else "blue"
        return state + int(table.choose(who, f"choice of {who}", (state, 3, 1), about=state))


def contested(program: Program) -> Contested:
    return Contested(
        tuple(tuple(contested(part) if isinstance(part, Program) else part for part in step) for step in program.steps)
    )


def apart(answer: int, who: str) -> Fraction:
    """What two want who are neither for nor against each other, with many equal worths."""
    return Fraction(answer * answer % 3, 2) if who == "red" else Fraction(answer % 2)


def middle(choice: Choice) -> Any:
    return choice.options[len(choice.options) // 2]


def by_state(choice: Choice) -> Any:
    return choice.options[choice.about % len(choice.options)]


FIXED: dict[str, Policy] = {"first": first, "middle": middle, "by state": by_state}


@pytest.mark.parametrize("worth", [itself, apart])
@given(program=PROGRAMS, state=st.integers(0, STATES - 1), fixed=st.sampled_from([None, *FIXED]))
def test_folded_walks_are_all_games_folded(worth: Any, program: Program, state: int, fixed: str | None) -> None:
    policies = dict(BEST) if fixed is None else {**BEST, "blue": (fixed, FIXED[fixed])}
    asked = contested(program)
    try:
        one_by_one = solved(asked, state, worth=worth, policies=policies, most=3_000)
    except TooManyPaths:
        assume(False)
    play = best_play(asked, state, worth=worth, policies=policies)
    assert sum(play.law.values()) == 1
    for who, mean in play.worths.items():
        assert mean == expected(play.law, worth, who)
        assert mean == expected(one_by_one, worth, who)
    assert {answer: mass for answer, mass in play.law.items() if mass} == one_by_one
    assert all(reached.worths.index(max(reached.worths)) == reached.picked for reached in play.reached)
    assert fixed is None or all(reached.who == "red" for reached in play.reached)


@given(program=PROGRAMS, state=st.integers(0, STATES - 1), name=st.sampled_from(sorted(FIXED)))
def test_the_only_one_who_decides_does_no_worse_than_by_any_fixed_policy(
    program: Program, state: int, name: str
) -> None:
    budget = Budget(20_000)
    try:
        play = best_play(program, state, worth=itself, policies=BEST, budget=budget)
        by_policy = law(program, state, policies={"*": (name, FIXED[name])}, budget=budget)
    except PathBudgetExceeded:
        assume(False)
    assert expected(play.law, itself, "red") >= expected(by_policy, itself, "red")


@given(program=PROGRAMS, state=st.integers(0, STATES - 1))
def test_situations_add_up_to_their_decisions(program: Program, state: int) -> None:
    try:
        play = best_play(program, state, worth=itself, policies=BEST, budget=Budget(20_000))
    except PathBudgetExceeded:
        assume(False)
    for reached in play.reached:
        assert reached.situations is not None
        assert sum(reached.situations.values()) == reached.mass


@given(program=PROGRAMS, state=st.integers(0, STATES - 1), name=st.sampled_from(sorted(FIXED)))
def test_where_nobody_plays_by_best_it_is_the_plain_law(program: Program, state: int, name: str) -> None:
    policies = {"*": (name, FIXED[name]), "nobody": ("best", best)}
    assert best_play(program, state, worth=itself, policies=policies).law == law(program, state, policies=policies)


def test_a_choice_in_a_conclusion_is_decided_as_one_in_a_call() -> None:
    """A die of 4 or more is doubled by whoever may choose; what comes of it is one more."""

    def doubled(table: Table, face: int) -> int:
        return face * int(table.choose("ann", "times", (1, 2)))

    def concluded(table: Table) -> int:
        return table.conclude(lambda number: number + 1, doubled, table.roll(D6, "die"))

    found = best_play(concluded, worth=lambda answer, who: answer, policies={"ann": ("best", best)})
    assert found.law == {2 * face + 1: Fraction(1, 6) for face in range(1, 7)}
    assert found.worths == {"ann": Fraction(8)}
