"""What is said of an action before it is announced agrees with what comes of it, on tables as they fall."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given, reject, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.size_skirmish.rules.rows import WITHOUT
from tests.effort import cases
from tests.services.size_skirmish.field import ask, box, field_of, walled, with_models

FACINGS = st.sampled_from([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-2, 1)])
OTHERS = ("bob", "ole", "sam", "nan")
SPOTS = st.sampled_from([(11, 10), (11.2, 10), (8.9, 10), (10, 11.4), (13, 10), (16, 14), (10, 7)])

# A wall to the north-east of ada, and a low block that she may climb, at her side.
PIECES = (box("wall", 13, 12, 14, 20, height=3), box("block", 8, 10.5, 9.4, 12, height=1, climbable=True))


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a table with ada in the middle, bob near her, and the rest of what a table may hold."""
    melee, often = draw(st.booleans()), st.sampled_from([False, False, True])
    posted = with_models(
        ada={
            "facing": draw(FACINGS),
            "in_hand": draw(st.sampled_from(["blade", "bow"])),
            "unloaded": draw(st.sampled_from([[], ["bow"]])),
            "items": draw(st.sampled_from([[], ["key"]])),
            "acted": draw(often),
            "reacted": draw(often),
        },
        bob={
            "at": draw(SPOTS),
            "facing": draw(FACINGS),
            "in_hand": draw(st.sampled_from(["blade", "bow"])),
            "reacted": draw(often),
            "items": draw(st.sampled_from([[], ["lamp"]])),
        },
        ole={"at": draw(st.sampled_from([(10, 20), (12.2, 8.6), (7.9, 8)])), "facing": draw(FACINGS)},
        sam={
            "at": draw(st.sampled_from([(20, 20), (11, 12.2), (9.4, 9)])),
            "fleeing": draw(st.sampled_from([None, {"direction": [1, 0]}])),
        },
        nan={
            "at": draw(st.sampled_from([(9.5, 10.8), (30, 30)])),
            "facing": draw(FACINGS),
            "actions": ["block"],
            "npc": draw(st.sampled_from(["passive", "active", "scenario"])),
        },
    )
    items = [{"id": "rope", "at": draw(st.sampled_from([(10, 10.2), (10, 11), (14, 10)]))}]
    melees = [{"one": "ada", "other": "bob"}] if melee else []
    result = {**walled(*PIECES, posted=posted), "items": items, "melees": melees}
    try:
        field_of(result)
    except Faults:
        reject()
    return result


def deeds(posted: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every action of ada with each possible target, and the row that it belongs to."""
    for row in ("strike", "shoot", "push", "restore-morale"):
        yield from ((row, {"action": row, "target": other}) for other in OTHERS)
    yield from (("pass-item", {"action": "pass-item", "item": "key", "target": other}) for other in OTHERS)
    yield from (("change-weapon", {"action": "change-weapon", "weapon": weapon}) for weapon in ("blade", "bow"))
    yield from (("fast-reload", {"action": "fast-reload", "weapon": weapon}) for weapon in ("blade", "bow"))
    yield "item", {"action": "item", "use": "use", "item": "key"}
    yield "item", {"action": "item", "use": "pick-up", "item": "rope"}
    yield "block", {"action": "block"}
    yield "align", {"action": "move", "movement": "align", "facing": [0, 1]}
    yield "flee", {"action": "move", "movement": "flee"}
    yield "fall", {"action": "move", "movement": "fall"}


def test_what_is_missing_for_an_action_without_a_target_is_named_and_cited() -> None:
    """A goat has neither weapons nor items."""
    posted = with_models(ada={"profile": "goat"})
    rows = {row.action: row for row in ask("actions", {"scene": posted, "model": "ada"}).answer.rows}
    assert {action: [(why.text, why.cites) for why in rows[action].why_not] for action in WITHOUT} == {
        "change-weapon": [("ada has no other weapon", ("actions/change-weapon",))],
        "slow-reload": [("ada has no weapon that must be reloaded", ("actions/slow-reload",))],
        "fast-reload": [("ada has no weapon that must be reloaded", ("actions/fast-reload",))],
        "item": [("ada has no item to use, and none lies on the battlefield", ("actions/use-item",))],
        "pass-item": [("ada has no item to pass on, or nobody to pass it to", ("actions/pass-item",))],
    }


@given(tables())
@settings(max_examples=cases(40))
def test_an_action_is_open_if_and_only_if_it_may_be_announced(posted: dict[str, Any]) -> None:
    answer = ask("actions", {"scene": posted, "model": "ada"}).answer
    assert answer is not None
    carried = posted["models"][0]["items"]
    found: dict[str, set[str | None]] = {}
    for row, deed in deeds(posted):
        if deed.get("item") == "key" and not carried:
            continue
        case = {"scene": posted, "deed": {"model": "ada", **deed}, "reactions": []}
        ruling = ask("action", case, dice={"seed": 1}, policies={"*": "first"})
        if ruling.answer is None or not ruling.allowed:
            continue
        blows = ruling.answer.course.action.blows
        # A strike at a model out of reach is allowed where it can be turned against another.
        if row != "strike" or blows[0].against == deed["target"]:
            found.setdefault(row, set()).add(deed.get("target"))
    rows = {row.action: row for row in answer.rows}
    for row in {row for row, _ in deeds(posted)}:
        assert rows[row].open == (row in found), row
        assert set(rows[row].targets) == found.get(row, set()) - {None}, row


def answering(option: str) -> dict[str, Any]:
    """Return the reaction to ada behind the name of an option."""
    what, _, which = option.partition(":")
    match what:
        case "align":
            return {"action": "move", "movement": "align", "facing": [0, 1]}
        case "change-weapon" | "fast-reload":
            return {"action": what, "weapon": which}
        case "use" | "pick-up" | "drop":
            return {"action": "item", "use": what, "item": which}
        case "block":
            return {"action": what}
        case _:
            return {"action": what, "target": "ada"}


@given(tables(), st.sampled_from([{"action": "block"}, {"action": "move", "movement": "align", "facing": [0, 1]}]))
@settings(max_examples=cases(40))
def test_who_may_react_and_with_what_is_who_can(posted: dict[str, Any], deed: dict[str, Any]) -> None:
    posted["models"][0] |= {"acted": False, "reacted": False}
    posted["melees"] = []
    case = {"scene": posted, "deed": {"model": "ada", **deed}}
    answer = ask("reactions", case).answer
    assert answer is not None
    for reactor in answer.models:
        if reactor.model == "nan" and posted["models"][4]["npc"] != "scenario":
            assert not reactor.may
        blocks = ask("action", {**case, "reactions": [{"model": reactor.model, "action": "block"}]}, dice={"seed": 1})
        assert blocks.allowed == reactor.may
        for option in reactor.options:
            reaction = {"model": reactor.model, **answering(option)}
            ruling = ask("action", {**case, "reactions": [reaction]}, dice={"seed": 1}, policies={"*": "first"})
            assert ruling.allowed
            assert ruling.answer is not None
            assert ruling.answer.course.reactions[0].done, option


goals = st.tuples(st.integers(60, 150), st.integers(60, 150)).map(lambda at: (at[0] / 10, at[1] / 10))


@given(tables(), st.lists(goals, min_size=4, max_size=4, unique=True))
@settings(max_examples=cases(40))
def test_a_place_is_in_reach_if_and_only_if_a_way_leads_there(
    posted: dict[str, Any], to: list[tuple[float, float]]
) -> None:
    posted["models"][0] |= {"acted": False, "reacted": False}
    for movement in ("walk", "march", "squeeze", "disengage"):
        ruling = ask("moves", {"scene": posted, "model": "ada", "movement": movement, "to": to})
        for place, goal in enumerate(to):
            case = {"scene": posted, "model": "ada", "movement": movement, "goal": goal, "reactions": []}
            gone = ask("path", case)
            if ruling.answer is None:
                assert not gone.allowed
                continue
            assert (ruling.answer.to[place] is not None) == gone.allowed, (movement, goal)
            if gone.answer is not None:
                assert gone.answer.at == goal
