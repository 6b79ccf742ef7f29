"""Two questions that answer the same agree on any table: what can be done, and doing it.

The tables have two to five units in a crowd, with markers, points and turns as a game may leave them.
"""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.services.rapture.field import ask, box, scene, unit

FIRST = {"*": "first"}
CARDS = ("lantern-bearer", "gate-breaker", "roof-runners", "ferrywoman")
RADII = {"lantern-bearer": 1.5, "gate-breaker": 2.0, "roof-runners": 1.25, "ferrywoman": 1.5}
MIDDLES = [(x, y) for x in (12.0, 26.0, 40.0) for y in (12.0, 26.0)]


def seldom(often: Any, rare: Any) -> st.SearchStrategy[Any]:
    """Draw the second once in six."""
    return st.integers(0, 5).map(lambda n: rare if n == 3 else often)


states = st.fixed_dictionaries(
    {
        "card": st.sampled_from(CARDS),
        "side": st.sampled_from(("red", "blue")),
        "touches": seldom(True, False),
        "ap": seldom(None, 0),
        "rp": seldom(None, 1),
        "shelter_markers": seldom(0, 1),
        "escaping": seldom(False, True),
        "statuses": seldom([], ["burning"]),
        "used": seldom([], [{"id": "ranged", "times": 2}]),
        "hp_crossed": st.integers(0, 2),
        "activated": seldom(False, True),
    }
)
KEPT = ("ap", "rp", "shelter_markers", "statuses", "used", "hp_crossed", "activated")


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a table; a unit that touches stands to the east of the one before, rim to rim."""
    units: list[dict[str, Any]] = []
    for number, (middle, state) in enumerate(
        zip(draw(st.permutations(MIDDLES)), draw(st.lists(states, min_size=2, max_size=5)), strict=False)
    ):
        (x, y), side, before = middle, state["side"], units[-1] if number % 2 else None
        if before is not None and state["touches"]:
            ((x, y), *_), side = before["models"], "blue" if before["side"] == "red" else "red"
            x += RADII[before["profile"]] + RADII[state["card"]]
        squad = state["card"] == "roof-runners"
        places = [[x, y], [x, y + 2.5], [x, y + 5]] if squad else [[x, y]]
        # The third and last MP of the runners says Escape.
        mp = {"mp_crossed": 3, "escaping": True} if squad and state["escaping"] else {}
        units.append(unit(f"u{number}", places, side, state["card"], **{key: state[key] for key in KEPT}, **mp))
    walls = draw(st.lists(st.sampled_from([box("low", 17, 8, 18, 17), box("high", 31, 20, 33, 32)]), unique_by=str))
    return scene(units=units, board={"pieces": walls}, turn=draw(st.sampled_from((None, "red", "blue"))))


def pairs(table: dict[str, Any]) -> list[tuple[str, str]]:
    """Give the first unit with every opponent, and every opponent with it."""
    one, *others = table["units"]
    ids = [other["id"] for other in others if other["side"] != one["side"]]
    return [pair for id_ in ids for pair in ((one["id"], id_), (id_, one["id"]))]


@settings(max_examples=40, deadline=None)
@given(tables())
def test_an_action_is_open_where_some_deed_is_allowed(table: dict[str, Any]) -> None:
    """Attack, shot, getting up and extinguishing: the overview says yes where the question of the deed does."""
    actor = table["units"][0]
    case = {"scene": table, "unit": actor["id"]}
    open_ = ask("actions", case).answer.open
    enemies = [other["id"] for other in table["units"] if other["side"] != actor["side"]]
    blows = [ask("attack", {"scene": table, "attacker": actor["id"], "target": id_}, policies=FIRST) for id_ in enemies]
    assert ("close-combat" in open_) == any(ruling.allowed for ruling in blows)
    shots = [ask("shoot", {"scene": table, "shooter": actor["id"], "target": id_}, policies=FIRST) for id_ in enemies]
    assert ("ranged" in open_) == any(ruling.allowed and ruling.answer.made for ruling in shots)
    for action in ("get-up", "extinguish-fire"):
        assert (action in open_) == ask("action", {**case, "action": action}).allowed


@settings(max_examples=40, deadline=None)
@given(tables())
def test_a_target_seen_and_reached_is_one_that_can_be_attacked(table: dict[str, Any]) -> None:
    """Where nothing else forbids it: whoever shoots at all can shoot at each opponent within range and sight."""
    actor = table["units"][0]
    lines = ask("line-of-sight", {"scene": table, "observer": actor["id"]}).answer.lines
    for question, first in (("attack", "attacker"), ("shoot", "shooter")):
        rulings = {
            line.target: ask(question, {"scene": table, first: actor["id"], "target": line.target}, policies=FIRST)
            for line in lines
        }
        done = {id_: ruling.allowed and (question == "attack" or ruling.answer.made) for id_, ruling in rulings.items()}
        reached = {line.target: line.close if question == "attack" else line.shot for line in lines}
        assert all(reached[id_] for id_ in done if done[id_])
        if any(done.values()):
            assert done == reached


@settings(max_examples=40, deadline=None)
@given(tables())
def test_the_reactions_that_are_open_are_those_that_an_attack_stops_for(table: dict[str, Any]) -> None:
    for actor, target in pairs(table):
        for question, first, trigger in (("attack", "attacker", "close-combat"), ("shoot", "shooter", "ranged")):
            ruling = ask(question, {"scene": table, first: actor, "target": target})
            if not ruling.allowed or (ruling.needs is None and not ruling.throws):
                continue
            case = {"scene": table, "unit": target, "by": actor, "trigger": trigger, "moment": "before-hit-roll"}
            open_ = tuple(row.reaction for row in ask("reactions", case).answer.reactions if row.open)
            stop = None if ruling.needs is None else ruling.needs.choice
            offered = (
                tuple(option.id for option in stop.options[1:])
                if stop is not None and stop.label == f"{target}: before the hit roll"
                else ()
            )
            assert offered == open_


steps = st.tuples(st.integers(-100, 100), st.integers(-100, 100))


@settings(max_examples=40, deadline=None)
@given(tables(), st.lists(steps, min_size=1, max_size=4), st.sampled_from(("movement", "retreat")))
def test_a_place_that_a_unit_can_reach_is_one_to_which_it_can_go(
    table: dict[str, Any], ahead: list[tuple[int, int]], kind: str
) -> None:
    """With points, limits and the turn out of the way, at which only the move itself looks."""
    mover, *others = table["units"]
    fresh = {**mover, "ap": None, "rp": None, "used": [], "activated": False, "shelter_markers": 0}
    if mover.get("escaping"):
        return
    (x, y), *_ = mover["models"]
    goals = [[max(0.0, x + east / 10), max(0.0, y + north / 10)] for east, north in ahead]
    case = {"scene": {**table, "units": [fresh, *others], "turn": None}, "unit": mover["id"], "kind": kind}
    reach = ask("moves", {**case, "to": goals})
    ways = [ask("path", {**case, "goal": goal}, policies=FIRST) for goal in goals]
    if not reach.allowed:
        assert not any(way.allowed for way in ways)
        return
    for place, way in zip(reach.answer.to, ways, strict=True):
        assert (place is not None) == way.allowed
        if place is not None:
            assert place.length_cm == way.answer.length_cm
            assert place.length_cm <= reach.answer.allowance_cm == way.answer.allowance_cm
