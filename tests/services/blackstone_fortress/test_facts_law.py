"""The law of facts in Blackstone Fortress: a board, and the facts read off it, give the same ruling."""

from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.blackstone_fortress.arbiter import ARBITER
from tests.services import facts_law
from tests.services.blackstone_fortress.skirmishes import scenes
from tests.services.blackstone_fortress.test_facts import weapon_actions


def bare(case: dict[str, Any]) -> dict[str, Any]:
    """Give a case without its board and every hex."""
    case = deepcopy(case)
    del case["scene"]["board"]
    for thing in (*case["scene"]["explorers"], *case["scene"]["hostiles"], *case["scene"].get("discoveries", ())):
        thing.pop("hex", None)
    return case


READINGS = (
    "wall-adjacency",
    "range-count",
    "corner-contact",
    "cover-corner-contact",
    "behaviour-target-or-adjacent",
    "multi-attack-chain",
    "excess-damage",
    "camouflage-ignored",
    "riposte-target",
    "closest-metric",
)


@st.composite
def tables(draw: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw a skirmish with dice and marks, and options of some readings."""
    table = draw(scenes())
    for explorer in table["explorers"]:
        explorer["activation"] = draw(st.lists(st.integers(1, 6), max_size=2))
        explorer["activated"] = draw(st.booleans())
        explorer["overwatch"] = draw(st.lists(st.integers(1, 5), max_size=1))
        explorer["marks"] = draw(st.lists(st.sampled_from(["barrier", "speech", "cloak"]), max_size=2, unique=True))
    known = {id_: [option.id for option in ARBITER.readings.by_id[id_].options] for id_ in READINGS}
    names = draw(st.lists(st.sampled_from(sorted(known)), max_size=3, unique=True))
    return table, {name: draw(st.sampled_from(known[name])) for name in names}


def law(question: str, case: dict[str, Any], readings: dict[str, str], *, odds: bool = True) -> None:
    """Hold a question to the law of facts; everybody takes the first option.

    On a board those who may be attacked are found together, without a word for each whom somebody sees.
    """
    body = {"case": case, "readings": readings, "policies": {"*": "first"}}
    facts_law.holds(ARBITER, question, body, bare, places=("hex",), by_hand=("attacks.target_visible",), odds=odds)


LAW = settings(max_examples=40, deadline=None)


@LAW
@given(tables(), st.data())
def test_attacks_are_the_same_by_the_facts_of_their_board(drawn: Any, data: st.DataObject) -> None:
    table, readings = drawn
    explorer = data.draw(st.sampled_from(table["explorers"]), label="explorer")
    hostile = data.draw(st.sampled_from(table["hostiles"]), label="hostile") if table["hostiles"] else None
    if hostile is None:
        return
    action = data.draw(st.sampled_from([action.id for action in weapon_actions(explorer["profile"])]), label="action")
    shot = {"attacker": explorer["id"], "action": action, "targets": [hostile["id"]], "die": "free"}
    law("attack", {"scene": table, **shot}, readings)
    law("attack", {"scene": table, "attacker": hostile["id"], "targets": [explorer["id"]]}, readings)


@LAW
@given(tables(), st.data())
def test_what_explorers_can_do_is_the_same_by_the_facts_of_their_board(drawn: Any, data: st.DataObject) -> None:
    table, readings = drawn
    hexes = [hex_ for hex_ in table["board"]["hexes"] if hex_ not in table["board"]["obstructions"]]
    places = data.draw(st.lists(st.sampled_from(hexes), max_size=2), label="markers")
    marked = {**table, "discoveries": [{"id": f"d{n}", "number": n, "hex": hex_} for n, hex_ in enumerate(places, 1)]}
    explorer = data.draw(st.sampled_from(table["explorers"]), label="explorer")
    law("actions", {"scene": marked, "explorer": explorer["id"]}, readings)
    law("targets", {"scene": table, "attacker": explorer["id"]}, readings)
    search = {"explorer": explorer["id"], "action": "search", "dice": [{"die": 6}]}
    law("act", {"scene": marked, **search}, readings, odds=False)
    for other in table["explorers"]:
        if other is not explorer:
            swap = {"explorer": explorer["id"], "other": other["id"], "agreed": [explorer["id"], other["id"]]}
            law("covering-fire", {"scene": table, **swap}, readings)


@LAW
@given(tables(), st.data())
def test_hostiles_do_the_same_by_the_facts_of_their_board(drawn: Any, data: st.DataObject) -> None:
    table, readings = drawn
    if not table["hostiles"]:
        return
    hostile = data.draw(st.sampled_from(table["hostiles"]), label="hostile")["id"]
    law("targets", {"scene": table, "attacker": hostile}, readings)
    law("behaviour", {"scene": table, "hostile": hostile, "resolve": False}, readings)
    action = data.draw(st.sampled_from(["aim", "onslaught", "fury", "hold", "disrupt"]), label="action")
    law("behaviour", {"scene": table, "hostile": hostile, "action": action, "resolve": True}, readings, odds=False)
    law("overwatch", {"scene": table, "hostile": hostile, "by": "attack"}, readings, odds=False)
    law("wounds", {"scene": table, "unit": hostile, "wounds": 2, "grievous": 1}, readings)
    law("wounds", {"scene": table, "unit": table["explorers"][0]["id"], "wounds": 1}, readings)


@LAW
@given(tables(), st.sampled_from(["event-phase", "at-once"]))
def test_turns_and_their_ends_are_the_same_by_the_facts_of_their_board(drawn: Any, ends: str) -> None:
    table, readings = drawn
    explorer = table["explorers"][0]
    calm = {**table, "explorers": [{**each, "activation": [], "activated": False} for each in table["explorers"]]}
    law("turn", {"scene": calm}, {**readings, "end-timing": ends}, odds=False)
    law("destiny", {"scene": calm}, readings, odds=False)
    for question in ("end-activation", "inspiration", "vitality", "save-overwatch"):
        law(question, {"scene": calm, "explorer": explorer["id"]}, {**readings, "end-timing": ends}, odds=False)
