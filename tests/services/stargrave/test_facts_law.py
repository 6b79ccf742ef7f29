"""The law of facts on drawn scenes: without the board, the facts that it showed give the same ruling and odds."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import cases
from tests.services.facts_law import holds, ruled
from tests.services.stargrave.asking import arbiter, box, figure

CREWS = ("red", "blue", None)
PROFILES = ("recruit", "trooper", "sentry", "medic", "commando")
GUNS = ("pistol", "carbine", "shotgun", "flame-thrower")

BY_HAND = ("creature_moves.advance", "creature_moves.wander")
PLACES = ("at", "visible", "start", "end", "elevation_in")


@st.composite
def skirmishes(draw: st.DrawFn, contact: bool = False) -> dict[str, Any]:
    """Draw f0 of one crew, f1 of another, and others with them, about walls, a hedge and a token.

    With `contact` these two touch each other; else it is by chance who touches whom.
    """
    near = [(5, 7), (6, 7), (5, 8), (6, 8), (5, 6), (6, 6)]
    far = [(x, y) for x in (2, 9, 13, 16) for y in (2, 3, 8, 14)]
    places = (
        [*near[:2], *draw(st.permutations([*near[2:], *far[:4]]))] if contact else draw(st.permutations(near + far))
    )
    figures: list[dict[str, Any]] = []
    for number, at in enumerate(places[: draw(st.integers(2, 6))]):
        crew = draw(st.sampled_from(CREWS)) if number > 1 else CREWS[number]
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


@st.composite
def camps(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a captain with a medic kit, a friend, an enemy, a creature and a token, near each other or not."""

    def spot(*places: tuple[float, float]) -> list[float]:
        return list(draw(st.sampled_from(places)))

    figures = [
        figure("f0", spot((5, 7), (5, 6.6)), "red", "medic", role="captain"),
        figure("pal", spot((5, 8), (5, 9.2), (5, 11), (9, 7)), "red", "recruit", stunned=draw(st.booleans())),
        figure("foe", spot((6, 7.5), (7, 8.2), (9, 9), (13, 3)), "blue", "trooper"),
        figure("ravaged", spot((3.9, 8), (3, 3), (16, 16)), None, "ravaged"),
    ]
    token = {"id": "chip", "kind": draw(st.sampled_from(["data", "physical"])), "at": spot((5.3, 7.4), (5, 7.5))}
    pieces = [box("wall", 7, 1, 7.3, 6.5), box("low", 3, 10, 12, 10.3, height_in=1)]
    board = {"width_in": 18, "depth_in": 18, "pieces": pieces}
    return {"board": board, "figures": figures, "tokens": [{**token, "unlocked": draw(st.booleans())}]}


def bare(case: dict[str, Any]) -> dict[str, Any]:
    """Give a case without its board and without any place."""
    scene = {name: part for name, part in case["scene"].items() if name != "board"}
    figures = [{name: part for name, part in one.items() if name != "at"} for one in scene["figures"]]
    tokens = [{name: part for name, part in one.items() if name != "at"} for one in scene["tokens"]]
    # A grenade's point is on the players' table alone.
    rest = {name: part for name, part in case.items() if name not in ("at", "scene")}
    return {**rest, "scene": {**scene, "figures": figures, "tokens": tokens}}


def held(question: str, case: dict[str, Any], *, odds: bool = False) -> None:
    body = {"case": case, "policies": {"*": "first"}}
    holds(arbiter(), question, body, bare, places=PLACES, by_hand=BY_HAND, odds=odds)


@settings(max_examples=cases(40), deadline=None)
@given(skirmishes(), st.sampled_from(["no", "yes"]))
def test_shots_and_their_odds(scene: dict[str, Any], moved: str) -> None:
    gun = scene["figures"][0]["weapons"][0]
    named: dict[str, Any] = {"scene": scene, "shooter": "f0", "weapon": gun, "moved": moved}
    if gun == "flame-thrower":
        held("flame", {**named, "touched": ["f1"]}, odds=True)
    else:
        held("shoot", {**named, "targets": ["f1"]}, odds=True)
        held("targets", named)


@settings(max_examples=cases(40), deadline=None)
@given(skirmishes(), st.sampled_from([[5.5, 7.5], [9, 3], [13, 8]]), st.integers(2, 20))
def test_grenades_that_land_on_their_point(scene: dict[str, Any], at: list[float], face: int) -> None:
    # Where one scatters to, the players see as it does, and by no other place.
    scene["figures"][0]["weapons"] = ["grenades"]
    case = {"scene": scene, "thrower": "f0", "kind": "fragmentation", "at": at}
    body = {"case": case, "dice": {"hand": {"f0: grenade": [face]}}, "policies": {"*": "first"}}
    landed = ruled(arbiter(), "grenade", body)
    if landed.answer is None or landed.answer.landed == "on the point":
        holds(arbiter(), "grenade", body, bare, places=PLACES, odds=False)


@settings(max_examples=cases(40), deadline=None)
@given(skirmishes(contact=True), st.booleans(), st.integers(0, 3))
def test_fights_and_their_odds(scene: dict[str, Any], named: bool, fighter: int) -> None:
    # Who fights is mostly f0, and with f1.
    ids = [one["id"] for one in scene["figures"]]
    case = {"scene": scene, "fighter": ids[fighter] if 1 < fighter < len(ids) else "f0"}
    held("attack", {**case, "opponent": "f1" if named else None}, odds=True)


@settings(max_examples=cases(40), deadline=None)
@given(st.booleans().flatmap(skirmishes))
def test_creatures(scene: dict[str, Any]) -> None:
    for one in scene["figures"]:
        if one["crew"] is None:
            case = {"scene": scene, "creature": one["id"]}
            held("behaviour", {**case, "carry_out": False})
            whole = ruled(arbiter(), "behaviour", {"case": case, "policies": {"*": "first"}})
            # Without a board the players force combat on their table, and say whom the creature has met.
            if "forced-combat" not in {event.name for event in whole.effects.events}:
                held("behaviour", case)


@settings(max_examples=cases(40), deadline=None)
@given(camps())
def test_the_turn_actions_loot_and_medicine(scene: dict[str, Any]) -> None:
    held("turn", {"scene": scene, "phase": "captain"})
    held("activation", {"scene": scene, "leader": "f0", "companions": ["pal"]})
    deed = "pick-up" if scene["tokens"][0]["unlocked"] else "unlock"
    for one in ("f0", "pal"):
        held("actions", {"scene": scene, "figure": one})
        held("loot", {"scene": scene, "figure": one, "token": "chip", "deed": deed}, odds=True)
    held("heal", {"scene": scene, "medic": "f0", "patient": "pal"})


@settings(max_examples=cases(40), deadline=None)
@given(skirmishes(), st.sampled_from(["dark-energy", "heal", "target-designation", "life-leach"]))
def test_powers_and_their_odds(scene: dict[str, Any], power: str) -> None:
    mystic = {"id": "mystic", "health": 16, "will": 3, "powers": [{"id": power}]}
    first, *others = scene["figures"]
    scene = {**scene, "figures": [{**first, "profile": "mystic"}, *others], "profiles": {"figures": [mystic]}}
    case = {"scene": scene, "user": "f0", "power": power, "target": "f1", "exertion": 0}
    held("power", case, odds=True)
