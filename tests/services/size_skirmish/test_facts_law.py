"""The law of facts in Size Skirmish: a board, and the facts read off it, give the same ruling."""

from copy import deepcopy

from hypothesis import given, settings
from hypothesis import strategies as st

from services.size_skirmish.arbiter import ARBITER
from tests.effort import cases
from tests.services.facts_law import essence, every_fact_listed, holds, ruled
from tests.services.facts_law import given as given_of
from tests.services.size_skirmish.test_agreement import tables
from tests.services.size_skirmish.test_facts import Body
from tests.services.size_skirmish.test_facts_beyond_attacks import BOARD


def bare(case: Body) -> Body:
    """Return a case without board and places."""
    scene = {name: deepcopy(value) for name, value in case["scene"].items() if name != "board"}
    for model in scene["models"]:
        for member in ("at", "facing", "height_above"):
            model.pop(member, None)
        if model.get("fleeing"):
            model["fleeing"].pop("direction", None)
    for item in scene["items"]:
        item.pop("at")
    return {**case, "scene": scene}


ANSWERS: list[list[Body]] = [
    [],
    [{"model": "bob", "action": "strike", "target": "ada"}],
    [{"model": "bob", "action": "shoot", "target": "ada"}, {"model": "ole", "action": "block"}],
]
# Where a figure is, and where it ends, is not known without a board.
PLACES = ("at", "height_above", "direction", "facing", "way")


@given(tables(), st.sampled_from(ANSWERS), st.sampled_from(["attack", "shoot"]), st.sampled_from(["bob", "ole"]))
@settings(max_examples=cases(40))
def test_attacks_and_shots_by_facts_are_those_on_the_board(
    posted: Body, reactions: list[Body], question: str, target: str
) -> None:
    posted["models"][0] |= {"acted": False, "reacted": False}
    actor = "attacker" if question == "attack" else "shooter"
    body = {
        "case": {"scene": posted, actor: "ada", "target": target, "reactions": reactions},
        "policies": {"*": "first"},
        "dice": {"seed": 3},
        # How somebody faces who flees is for the board alone.
        "readings": {"flee-facing": "kept"},
    }
    # The law of what nobody answers is walked in a moment.
    holds(ARBITER, question, body, bare, places=PLACES, odds=not reactions)


@given(tables(), st.sampled_from(["ada", "bob", "ole"]))
@settings(max_examples=cases(40))
def test_targets_by_facts_are_those_on_the_board(posted: Body, model: str) -> None:
    # How far away the target of a strike is, is not asked for where it does not matter.
    holds(ARBITER, "targets", {"case": {"scene": posted, "model": model}}, bare, places=("distance",))


@given(tables(), st.sampled_from(["strike", "block"]))
@settings(max_examples=cases(30))
def test_reactions_by_facts_are_those_on_the_board_but_for_turns(posted: Body, action: str) -> None:
    deed = {"model": "ada", "action": action, **({"target": "bob"} if action == "strike" else {})}
    body = {"case": {"scene": posted, "deed": deed}}
    with every_fact_listed():
        seen = ruled(ARBITER, "reactions", body)
    told = ruled(
        ARBITER, "reactions", {"case": {**bare(body["case"]), "given": given_of(seen.facts)}, "surplus": "ignore"}
    )
    assert seen.answer is not None
    assert told.answer is not None
    for mine, theirs in zip(seen.answer.models, told.answer.models, strict=True):
        assert tuple(option for option in mine.options if option != "align") == theirs.options
        assert (mine.model, mine.may, mine.why_not) == (theirs.model, theirs.may, theirs.why_not)


@given(tables())
@settings(max_examples=cases(30))
def test_actions_by_facts_are_those_on_the_board_but_for_movements(posted: Body) -> None:
    body = {"case": {"scene": posted, "model": "ada"}}
    with every_fact_listed():
        seen = ruled(ARBITER, "actions", body)
    told = ruled(ARBITER, "actions", {"case": {**bare(body["case"]), "given": given_of(seen.facts)}})
    assert seen.answer is not None
    assert told.answer is not None
    moves = {row["id"] for row in ARBITER.catalog["movements"]}
    for mine, theirs in zip(seen.answer.rows, told.answer.rows, strict=True):
        assert mine == theirs or mine.action in moves


@given(tables(), st.sampled_from(["block", "change-weapon", "restore-morale"]))
@settings(max_examples=cases(40))
def test_simple_actions_by_facts_are_those_on_the_board(posted: Body, action: str) -> None:
    posted["models"][0] |= {"acted": False, "reacted": False}
    deed: Body = {"model": "ada", "action": action}
    if action == "change-weapon":
        deed["weapon"] = "blade" if posted["models"][0]["in_hand"] == "bow" else "bow"
    body = {"case": {"scene": posted, "deed": deed}, "policies": {"*": "first"}, "dice": {"seed": 4}}
    holds(ARBITER, "action", body, bare, places=PLACES, odds=False)


@given(tables(), st.sampled_from(["bob", "ole"]))
@settings(max_examples=cases(30))
def test_pushes_by_facts_are_those_on_the_board(posted: Body, target: str) -> None:
    posted["models"][0] |= {"acted": False, "reacted": False}
    case = {"scene": posted, "model": "ada", "target": target, "reactions": []}
    holds(ARBITER, "push", {"case": case, "dice": {"seed": 5}}, bare, places=PLACES, odds=False)


@given(tables(), st.sampled_from(["bob", "ole", None]), st.integers(1, 9))
@settings(max_examples=cases(60, 25))
def test_flights_by_facts_are_those_on_the_board(posted: Body, cause: str | None, seed: int) -> None:
    posted["models"][0] |= {"hit_points_lost": 2}
    case = {"scene": posted, "model": "ada", "lost_before": 1, "cause": cause}
    # How it faces after it is for the board alone, and whereto one flees that nobody has frightened.
    body = {"case": case, "dice": {"seed": seed}, "readings": {"flee-facing": "kept", "causeless-flight": "faced"}}
    by_hand = () if cause else ("flight.away",)
    holds(ARBITER, "morale", body, bare, places=PLACES, by_hand=by_hand, odds=False)


def test_the_law_does_not_hold_by_chance() -> None:
    """A fact that is told otherwise than the board shows it is noticed by the law."""
    body: Body = {"case": {"scene": {**BOARD, "items": []}, "shooter": "ada", "target": "bob", "reactions": []}}
    body["dice"] = {"seed": 1}
    with every_fact_listed():
        seen = ruled(ARBITER, "shoot", body)
    wrong = {**given_of(seen.facts), "distance:ada,bob": 13}
    told = ruled(ARBITER, "shoot", {**body, "case": {**bare(body["case"]), "given": wrong}, "surplus": "ignore"})
    assert essence(told, PLACES) != essence(seen, PLACES)
