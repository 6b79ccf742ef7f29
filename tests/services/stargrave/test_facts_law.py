"""The law of facts on drawn scenes: without the board, the facts that it showed give the same ruling and odds."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import cases
from tests.services.facts_law import holds
from tests.services.stargrave.asking import arbiter, box, figure

CREWS = ("red", "blue", "red", "blue", None)
PROFILES = ("recruit", "trooper", "sentry", "medic", "commando")
GUNS = ("pistol", "carbine", "shotgun", "flame-thrower")

BY_HAND = ("creature_moves.advance", "creature_moves.wander")
PLACES = ("at", "visible", "start", "end", "elevation_in")


@st.composite
def skirmishes(draw: st.DrawFn) -> dict[str, Any]:
    """Draw figures of two crews and creatures, some of them in contact, about walls, a hedge and a token."""
    near = [(x, y) for x in (5, 6, 9) for y in (7, 8)]
    far = [(x, y) for x in (2, 13, 16) for y in (2, 3, 8, 14)]
    places = draw(st.permutations(near))[:3] + draw(st.permutations([*near[3:], *far]))
    figures: list[dict[str, Any]] = []
    for number, at in enumerate(list(dict.fromkeys(places))[: draw(st.integers(2, 6))]):
        crew = draw(st.sampled_from(CREWS[:4] if number < 2 else CREWS))
        profile = draw(st.sampled_from(PROFILES)) if crew else "ravaged"
        more: dict[str, Any] = {"weapons": [draw(st.sampled_from(GUNS)), "knife"]} if crew else {}
        if draw(st.integers(0, 5)) == 0:
            more["stunned"] = True
        if draw(st.integers(0, 5)) == 0:
            more["health"] = 3
        figures.append(figure(f"f{number}", list(at), crew, profile, **more))
    figures[0]["role"] = "captain"
    pieces = [
        box("wall", 7, 1, 7.5, 9),
        box("low", 3, 10, 12, 10.5, height_in=1),
        box("hedge", 10.8, 5, 11, 15, cover="soft", sight="obscures"),
    ]
    tokens = [{"id": "chip", "kind": draw(st.sampled_from(["data", "physical"])), "at": [5.8, 7.9]}]
    return {"board": {"width_in": 18, "depth_in": 18, "pieces": pieces}, "figures": figures, "tokens": tokens}


def bare(case: dict[str, Any]) -> dict[str, Any]:
    """Give a case without its board and without any place."""
    scene = {name: part for name, part in case["scene"].items() if name != "board"}
    figures = [{name: part for name, part in one.items() if name != "at"} for one in scene["figures"]]
    tokens = [{name: part for name, part in one.items() if name != "at"} for one in scene["tokens"]]
    return {**case, "scene": {**scene, "figures": figures, "tokens": tokens}}


def held(question: str, case: dict[str, Any], *, odds: bool = False) -> None:
    body = {"case": case, "policies": {"*": "first"}}
    holds(arbiter(), question, body, bare, places=PLACES, by_hand=BY_HAND, odds=odds)


@settings(max_examples=cases(30), deadline=None)
@given(skirmishes(), st.sampled_from(["no", "yes"]))
def test_shots_and_their_odds(scene: dict[str, Any], moved: str) -> None:
    shooter, target = scene["figures"][0], scene["figures"][-1]
    gun = shooter["weapons"][0]
    named: dict[str, Any] = {"scene": scene, "shooter": "f0", "weapon": gun, "moved": moved}
    if gun == "flame-thrower":
        held("flame", {**named, "touched": [target["id"]]}, odds=True)
    else:
        held("shoot", {**named, "targets": [target["id"]]}, odds=True)
        held("targets", named)


@settings(max_examples=cases(30), deadline=None)
@given(skirmishes(), st.booleans())
def test_fights_and_their_odds(scene: dict[str, Any], named: bool) -> None:
    opponent = scene["figures"][-1]["id"] if named else None
    held("attack", {"scene": scene, "fighter": "f0", "opponent": opponent}, odds=True)


@settings(max_examples=cases(30), deadline=None)
@given(skirmishes())
def test_creatures(scene: dict[str, Any]) -> None:
    for one in scene["figures"]:
        if one["crew"] is None:
            for carry_out in (False, True):
                held("behaviour", {"scene": scene, "creature": one["id"], "carry_out": carry_out})


@settings(max_examples=cases(30), deadline=None)
@given(skirmishes())
def test_the_turn_actions_loot_and_medicine(scene: dict[str, Any]) -> None:
    leader, other = scene["figures"][0], scene["figures"][-1]["id"]
    held("turn", {"scene": scene, "phase": "captain"})
    held("activation", {"scene": scene, "leader": leader["id"], "companions": [other]})
    for one in ("f0", other):
        held("actions", {"scene": scene, "figure": one})
        held("loot", {"scene": scene, "figure": one, "token": "chip"})
    held("heal", {"scene": scene, "medic": "f0", "patient": other})


@settings(max_examples=cases(30), deadline=None)
@given(skirmishes(), st.sampled_from(["dark-energy", "heal", "target-designation", "life-leach"]))
def test_powers_and_their_odds(scene: dict[str, Any], power: str) -> None:
    mystic = {"id": "mystic", "health": 16, "will": 3, "powers": [{"id": power}]}
    first, *others = scene["figures"]
    scene = {**scene, "figures": [{**first, "profile": "mystic"}, *others], "profiles": {"figures": [mystic]}}
    case = {"scene": scene, "user": "f0", "power": power, "target": others[-1]["id"], "exertion": 0}
    held("power", case, odds=True)
