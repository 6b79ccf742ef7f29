"""Attacks and reactions: the closed form against the walked rules, and what holds for all dice and choices."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.dice_sources import HandedDice, SeededDice
from arbiter.fault import Faults
from arbiter.odds.exact import law
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from arbiter.skirmish.cases import CaseState
from arbiter.table import Choice, Chooser, OneTable, Table
from services.rapture.arbiter import ARBITER
from services.rapture.battlefield import Battlefield
from services.rapture.questions.attack import AttackCase, decide_attack
from services.rapture.rules import answers, attack, reactions
from services.rapture.rules.blows import offers, retreat_way
from tests.effort import cases
from tests.services.rapture.attack_law import AttackNumbers, exchange, wounds
from tests.services.rapture.field import field_of, unit

FIRST = {"*": ("first", lambda choice: choice.options[0])}
REACTING = {"*": ("reacting", answers.first_reaction)}


ATTACKED: tuple[str, answers.Trigger, str, answers.Moment] = "lin", "close-combat", "ada", "before-hit-roll"


def card(id_: str, **values: Any) -> dict[str, Any]:
    """Give a hero's card in numbers; boxes change nothing unless they say so."""
    plain = {"kind": "hero", "ccs": 4, "att": 3, "tec": 2, "def": 2, "mov_cm": 10, "ap": 2, "rp": 3}
    return {"id": id_, "hp": [{}, {}, {}, {}], "mp": [{}, {}], **plain, **values}


def duel(one: dict[str, Any], other: dict[str, Any], **of_other: Any) -> dict[str, Any]:
    """Give a scene in which ada (red) touches lin (blue)."""
    return {
        "sides": [{"id": "red", "edge": "west"}, {"id": "blue", "edge": "east"}],
        "units": [unit("ada", [[10, 10]], "red", one["id"]), unit("lin", [[13, 10]], "blue", other["id"], **of_other)],
        "profiles": {"units": [one, other]},
    }


def ask(question: str, case: dict[str, Any], **rest: Any) -> Ruling[Any]:
    wanted = ARBITER.question(question)
    query = msgspec.convert({"case": case, **rest}, Ask[wanted.case])
    return ARBITER.ask(question, query, seed="test", posted=lambda: case["scene"])


def odds(question: str, case: dict[str, Any], **rest: Any) -> Odds[Any]:
    wanted = ARBITER.question(question)
    return ARBITER.odds(question, msgspec.convert({"case": case, **rest}, AskOdds[wanted.case]), 20_000)


def defaults(**options: str) -> dict[str, str]:
    return {**ARBITER.readings.defaults, **{id_.replace("_", "-"): option for id_, option in options.items()}}


def both_wounds(table: Table, state: CaseState[Battlefield, AttackCase]) -> tuple[int, int]:
    answer = decide_attack(table, state).answer
    return answer.wounds, answer.wounds_back


def chances(weights: tuple[int, ...], whole: int) -> dict[int, Fraction]:
    return {lost: Fraction(cases, whole) for lost, cases in enumerate(weights) if cases}


blows = st.builds(
    AttackNumbers,
    att=st.integers(0, 4),
    difficulty=st.integers(1, 7),
    guard=st.integers(0, 4),
    block=st.integers(2, 6),
    health=st.integers(1, 4),
    tec=st.integers(0, 3),
    dodge=st.integers(2, 6),
    floor=st.integers(0, 1),
    less=st.integers(0, 2),
)


@given(blows)
def test_more_def_never_raises_expected_damage(blow: AttackNumbers) -> None:
    law_of, whole = wounds(blow)
    more, of = wounds(msgspec.structs.replace(blow, guard=blow.guard + 1))
    assert sum(law_of) == whole
    assert sum(more) == of
    mean, with_more = (
        sum(lost * chance for lost, chance in chances(*result).items()) for result in ((law_of, whole), (more, of))
    )
    assert with_more <= mean


@given(blows)
@settings(max_examples=cases(30))
def test_the_closed_form_is_icepool_s_law(blow: AttackNumbers) -> None:
    d6 = icepool.d(6)
    dodged = blow.tec @ (d6 >= blow.dodge)
    hits = dodged.map(lambda many: min(blow.att, max(blow.floor, blow.att - many)) @ (d6 >= blow.difficulty))
    blocks = blow.guard @ (d6 >= blow.block)
    die = icepool.map(lambda hit, block: min(blow.health, max(0, hit - block - blow.less)), hits, blocks)
    assert chances(*wounds(blow)) == {lost: Fraction(ways, die.denominator()) for lost, ways in die.items() if ways}


@given(
    ccs=st.tuples(st.integers(2, 6), st.integers(2, 6)),
    att=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    tec=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    guard=st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
@settings(max_examples=cases(25), deadline=None)
def test_the_closed_form_of_hits_less_blocks_is_the_walked_law(
    ccs: tuple[int, int], att: tuple[int, int], tec: tuple[int, int], guard: tuple[int, int]
) -> None:
    """With three HP for both, and everybody reacting with all there is: dodge, counterblow, and dodge again."""
    hp: list[Any] = [{}, {}, {}]
    cards = [
        card(id_, ccs=ccs[i], att=att[i], tec=tec[i], hp=hp, **{"def": guard[i]})
        for i, id_ in enumerate(("one", "two"))
    ]
    field = field_of(duel(*cards))
    state = CaseState(field, AttackCase(scene=field.scene, attacker="ada", target="lin"))
    walked = law(both_wounds, state, policies=REACTING, readings=ARBITER.readings.defaults)
    first = AttackNumbers(att[0], ccs[0], guard[1], 5, 3, tec[1])
    reply = AttackNumbers(att[1], min(6, ccs[1] + 1), guard[0], 5, 3, tec[0])
    joint, whole = exchange(first, (reply, reply, reply, None))
    assert walked == {pair: Fraction(cases, whole) for pair, cases in joint.items()}


def test_the_closed_form_by_brute_force() -> None:
    """Two dice at 4+ against one at 5+, with one die to dodge: every face of the four dice."""
    counted: dict[int, int] = {}
    for dodge, one, two, block in product(range(1, 7), repeat=4):
        hit = (one >= 4) + (two >= 4 and dodge < 4)
        lost = max(0, hit - (block >= 5))
        counted[lost] = counted.get(lost, 0) + 1
    assert chances(*wounds(AttackNumbers(2, 4, 1, 5, 3, 1))) == {
        lost: Fraction(many, 6**4) for lost, many in counted.items()
    }


def random_policy(picks: list[int]) -> Callable[[Choice], Any]:
    """Give a policy that picks by the numbers of a list, over and over."""
    at = [0]

    def pick(choice: Choice) -> Any:
        at[0] += 1
        return choice.options[picks[at[0] % len(picks)] % len(choice.options)]

    return pick


@given(
    seed=st.integers(0, 10_000),
    picks=st.lists(st.integers(0, 2), min_size=1, max_size=6),
    rp=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    often=st.sampled_from(("each-once", "one", "unlimited")),
    back=st.sampled_from(("dodge", "nothing", "everything")),
)
@settings(max_examples=cases(60), deadline=None)
def test_no_unit_spends_points_it_has_not_and_every_attack_ends(
    seed: int, picks: list[int], rp: tuple[int, int], often: str, back: str
) -> None:
    cards = [card("one", rp=rp[0], hp=[{}] * 12), card("two", rp=rp[1], hp=[{}] * 12)]
    field = field_of(duel(*cards))
    table = OneTable(
        SeededDice(str(seed)),
        Chooser({}, {"*": ("random", random_policy(picks))}),
        defaults(reactions_per_trigger=often, counterblow_answers=back),
    )
    after, outcomes = attack.close_combat(table, field, "ada", "lin")
    spent = {"ada": 0, "lin": 0}
    prices = {"dodge": 1, "counterblow": 2}
    for event in table.events:
        if event.name == "reacted":
            spent[event.values["unit"]] += prices[event.values["reaction"]]
    for id_, had in zip(("ada", "lin"), rp, strict=True):
        left = after.unit(id_).rp
        assert (had if left is None else left) == had - spent[id_] >= 0
    # Each blow after the first has cost somebody 2 RP.
    assert len(outcomes) - 1 <= rp[0] // 2 + rp[1] // 2
    assert after.unit("ada").ap == 1


@given(st.integers(0, 10_000))
@settings(max_examples=cases(15), deadline=None)
def test_the_transcript_of_an_attack_replays_to_the_same_end(seed: int) -> None:
    scene = duel(card("one"), card("two"))
    case = {"scene": scene, "attacker": "ada", "target": "lin"}
    played = ask("attack", case, dice={"seed": seed}, policies={"*": "reacting"})
    throws = msgspec.to_builtins(played.throws)
    made: dict[str, list[Any]] = {}
    for choice in played.choices:
        made.setdefault(choice.label, []).append(choice.option.id)
    again = ask("attack", case, dice={"seed": seed, "throws": throws}, choices=made)
    assert (again.answer, again.effects) == (played.answer, played.effects)


def test_best_play_takes_the_better_reaction_for_whoever_decides() -> None:
    """One die at 2+ and two RP: a dodge at two dice saves 3/4 of 5/6, a blow back at 6+ does 1/6."""
    one, two = card("one", ccs=2, att=1, tec=0, **{"def": 0}), card("two", ccs=5, att=1, rp=2, **{"def": 0})
    result = odds("attack", {"scene": duel(one, two), "attacker": "ada", "target": "lin"}, policies={"*": "best"})
    assert result.best is not None
    before = next(each for each in result.best.decisions if each.label == "lin: before the hit roll")
    assert before.picked == "dodge"
    assert {option.option.id: Fraction(option.mean_exact) for option in before.options} == {
        "none": Fraction(-5, 6) + Fraction(1, 6),
        "dodge": Fraction(-5, 6) * Fraction(1, 4),
    }


# Countershots


SHOOTER = card("shooter", rof=2, mms=4, range_cm=12, **{"def": 0})


def shooting(seen_at: float = 12.0, **of_mover: Any) -> dict[str, Any]:
    """Give a scene with lin at x = 10, who shoots up to 12 cm, and ada a step short of contact with her."""
    scene = duel(card("mover", tec=0, **{"def": 1}), SHOOTER)
    scene["units"] = [unit("ada", [[13.1, 10]], "red", "mover", **of_mover), unit("lin", [[10, 10]], "blue", "shooter")]
    return scene


def one_path(said: dict[str, list[Any]], hand: dict[str, list[int]], **options: str) -> OneTable:
    return OneTable(
        HandedDice({label: tuple(faces) for label, faces in hand.items()}), Chooser(said, {}), defaults(**options)
    )


def test_a_countershot_is_harder_and_costs_two_rp() -> None:
    reactions_chosen = {"lin: before contact": ["countershot"], "ada: before the hit roll": ["none"]}
    table = one_path(reactions_chosen, {"lin: hit": [4, 5], "ada: block": [1]})
    after, outcomes = reactions.countershots(table, field_of(shooting()), "lin", "ada")
    (outcome,) = outcomes
    assert (outcome.difficulty, outcome.hits, outcome.wounds) == (5, 1, 1)
    assert (after.unit("lin").rp, after.unit("ada").hp_crossed) == (1, 1)
    assert after.unit("lin").ap is None or after.unit("lin").ap == 2


def test_by_the_other_reading_a_countershot_is_easier() -> None:
    reactions_chosen = {"lin: before contact": ["countershot"], "ada: before the hit roll": ["none"]}
    table = one_path(reactions_chosen, {"lin: hit": [3, 2], "ada: block": [1]}, counter_increase="easier")
    _, (outcome,) = reactions.countershots(table, field_of(shooting()), "lin", "ada")
    assert (outcome.difficulty, outcome.hits) == (3, 1)


def test_the_mover_may_seek_shelter_from_a_countershot_unless_read_otherwise() -> None:
    reactions_chosen = {"lin: before contact": ["countershot"], "ada: before the hit roll": ["seek-shelter"]}
    table = one_path(reactions_chosen, {"lin: hit": [6, 5], "ada: block": [4, 4]})
    after, (outcome,) = reactions.countershots(table, field_of(shooting()), "lin", "ada")
    assert (outcome.sheltered, outcome.blocks, outcome.wounds, after.unit("ada").shelter_markers) == (True, 2, 0, 1)
    silent = one_path(
        {"lin: before contact": ["countershot"]}, {"lin: hit": [6, 5], "ada: block": [4]}, countershot_answers="nothing"
    )
    after, (outcome,) = reactions.countershots(silent, field_of(shooting()), "lin", "ada")
    assert (outcome.wounds, after.unit("ada").shelter_markers) == (2, 0)


@pytest.mark.parametrize(("from_", "open_"), [("contact", True), ("start", False)])
def test_where_the_mover_stands_for_a_countershot_is_a_reading(from_: str, open_: bool) -> None:
    """At the end of its way ada is 0.1 cm away; at its beginning, 27 cm, beyond the range of 12."""
    reactions_chosen = {"lin: before contact": ["countershot"], "ada: before the hit roll": ["none"]} if open_ else {}
    table = one_path(reactions_chosen, {"lin: hit": [1, 1]}, countershot_from=from_)
    _, outcomes = reactions.countershots(table, field_of(shooting()), "lin", "ada", ((40.0, 10.0),))
    assert bool(outcomes) is open_
    assert table.read_ids["countershot-from"] == from_


def test_where_it_makes_no_difference_the_reading_is_not_asked_for() -> None:
    table = one_path({"lin: before contact": ["none"]}, {})
    _, outcomes = reactions.countershots(table, field_of(shooting()), "lin", "ada", ((20.0, 10.0),))
    assert not outcomes
    assert "countershot-from" not in table.read_ids


def test_a_movement_out_of_contact_is_answered_only_if_read_so() -> None:
    table = one_path({}, {})
    assert reactions.countershots(table, field_of(shooting()), "lin", "ada", None, True)[1] == ()
    reactions_chosen = {"lin: before leaving contact": ["countershot"], "ada: before the hit roll": ["none"]}
    table = one_path(reactions_chosen, {"lin: hit": [1, 1]}, countershot_trigger="leaving-too")
    assert len(reactions.countershots(table, field_of(shooting()), "lin", "ada", None, True)[1]) == 1


@pytest.mark.parametrize(("rp", "often", "twice"), [(2, "each-once", True), (1, "each-once", False), (3, "one", False)])
def test_a_retreat_that_answers_an_attack_is_a_reaction_like_any_other(rp: int, often: str, twice: bool) -> None:
    """After a dodge for one RP the retreat, for one RP, needs a second one, and leave to react twice."""
    field = field_of(duel(card("one"), card("other", mp=[{}, {}, {}]), rp=rp))
    table = one_path({}, {}, retreat_when="reaction", reactions_per_trigger=often)
    assert [offer.reaction for offer in offers(table, field, *ATTACKED, ()) if offer.open] == ["dodge", "retreat"]
    after = answers.pay(table, field, "lin", "dodge")
    assert (retreat_way(table, after, "lin", ("dodge",)) is not None) == twice


@pytest.mark.parametrize(
    ("of_target", "readings"),
    [({"escaping": True, "mp_crossed": 0}, {}), ({"shelter_markers": 1}, {"shelter_reactions": "none"})],
)
def test_a_unit_that_does_not_react_does_not_retreat_as_a_reaction(
    of_target: dict[str, Any], readings: dict[str, str]
) -> None:
    posted = duel(card("one"), card("other", mp=[{}, {}, {}]), **of_target)
    field, table = field_of(posted), one_path({}, {}, retreat_when="reaction", **readings)
    assert retreat_way(table, field, "lin") is None
    assert not any(offer.open for offer in offers(table, field, *ATTACKED, ()))


def test_who_falls_is_not_shot_at_again() -> None:
    reactions_chosen = {"lin: before contact": ["countershot"], "ada: before the hit roll": ["none"]}
    table = one_path(reactions_chosen, {"lin: hit": [6, 6], "ada: block": [1]}, reactions_per_trigger="unlimited")
    after, outcomes = reactions.countershots(table, field_of(shooting(hp_crossed=3)), "lin", "ada")
    assert (len(outcomes), after.unit("ada").disabled, after.unit("ada").disabled_by) == (1, "casualty", "blue")


# What cannot be asked


@pytest.mark.parametrize(
    ("question", "case", "at"),
    [
        ("attack", {"attacker": "ada", "target": "ada"}, "/case/target"),
        ("shoot", {"shooter": "ada", "target": "ada"}, "/case/target"),
        ("attack", {"attacker": "ada", "target": "nobody"}, "/case/target"),
        ("reactions", {"unit": "lin", "by": "lin", "trigger": "ranged", "moment": "before-hit-roll"}, "/case/by"),
        (
            "reactions",
            {"unit": "lin", "by": "ada", "trigger": "ranged", "moment": "before-hit-roll", "answered": ["jump"]},
            "/case/answered/0",
        ),
    ],
)
def test_impossible_cases_are_refused_at_their_place(question: str, case: dict[str, Any], at: str) -> None:
    with pytest.raises(Faults) as faults:
        ask(question, {"scene": duel(card("one"), card("two")), **case})
    assert [fault.pointer for fault in faults.value.faults] == [at]


def test_every_reason_against_an_attack_is_given() -> None:
    scene = duel(card("one"), card("two"))
    scene["units"][0] |= {
        "ap": 0,
        "used": [{"id": "close-combat", "times": 2}],
        "shelter_markers": 1,
        "models": [[30, 30]],
    }
    ruling = ask("attack", {"scene": scene, "attacker": "ada", "target": "lin"})
    assert not ruling.allowed
    assert {reason.rule for reason in ruling.reasons} == {
        "actions.shelter_violations",
        "actions.limit_violations",
        "prices.violations",
        "reach.close",
    }
