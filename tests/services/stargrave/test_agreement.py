"""Two questions that can answer the same answer alike, on drawn scenes."""

from math import ceil
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from services.stargrave.rules.wayfinding import Search
from tests.effort import cases
from tests.services.stargrave.asking import ask, box, field_of, figure, table
from tests.services.stargrave.yard import empty, kel, on_the_ground, pieces

CREWS = ("red", "blue", None)


@st.composite
def skirmishes(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a dozen places on a table of 18 inches with two walls, a hedge and figures of two crews and creatures."""
    places = draw(st.permutations([(x, y) for x in (2, 5, 6, 9, 13, 16) for y in (2, 3, 8, 14)]))
    figures = []
    for number, (x, y) in enumerate(places[: draw(st.integers(2, 7))]):
        crew = draw(st.sampled_from(CREWS))
        gun = draw(st.sampled_from(["pistol", "carbine", "shotgun"]))
        jammed = [gun] if draw(st.integers(0, 5)) == 0 else []
        figures.append(figure(f"f{number}", [x, y], crew, weapons=[gun, "knife"], jammed=jammed))
    pieces = [
        box("wall", 7, 1, 7.5, 9),
        box("low", 3, 10, 12, 10.5, height_in=1),
        box("hedge", 10.8, 5, 11, 15, cover="soft"),
    ]
    return {"board": {"width_in": 18, "depth_in": 18, "pieces": pieces}, "figures": figures}


@settings(max_examples=cases(40), deadline=None)
@given(skirmishes(), st.sampled_from(["yes", "no"]), st.sampled_from(["random", "forbidden"]))
def test_a_target_that_is_offered_may_be_shot_at_and_no_other(scene: dict[str, Any], own: str, melee: str) -> None:
    readings = {"own-crew-target": own, "shoot-into-combat": melee}
    shooter, *others = scene["figures"]
    gun = shooter["weapons"][0]
    (offered,) = ask("targets", {"scene": scene, "shooter": "f0"}, readings=readings).answer.weapons
    for other in others:
        case = {"scene": scene, "shooter": "f0", "weapon": gun, "targets": [other["id"]]}
        ruling = ask("shoot", case, readings=readings)
        assert ruling.allowed == (other["id"] in {each.target for each in offered.eligible}), other["id"]
        if ruling.allowed and ruling.answer.attacks[0].target == other["id"]:
            (each,) = [each for each in offered.eligible if each.target == other["id"]]
            (attack,) = ruling.answer.attacks
            assert (each.shoot, each.defence, each.armour) == (attack.shoot, attack.defence, attack.armour)
            assert each.modifiers == attack.modifiers
        else:
            listed = {each.target: each.reasons for each in offered.ineligible}
            # A creature is no enemy of a creature, and a friend none of a friend: they are not listed.
            assert ruling.allowed or {reason.text for reason in listed.get(other["id"], ())} <= {
                reason.text for reason in ruling.reasons
            }


def densest(mud: tuple[float, float, float, float], start: tuple[float, float], goal: tuple[float, float]) -> float:
    """Give the cheapest price of a way that bends once or twice on the border of a box of mud, tried at many places."""
    left, low, right, high = mud
    fine = 160
    sides = [
        ((left, low), (right, low)),
        ((right, low), (right, high)),
        ((right, high), (left, high)),
        ((left, high), (left, low)),
    ]
    border = [complex(*a) + (complex(*b) - complex(*a)) * share / fine for a, b in sides for share in range(fine)]
    at, to = complex(*start), complex(*goal)

    def inside(spot: complex) -> bool:
        return left < spot.real < right and low < spot.imag < high

    def mire(a: complex, b: complex) -> float:
        """Clip a segment to the box: how much of it is mud."""
        t0, t1 = 0.0, 1.0
        for begin, change, least, most in ((a.real, (b - a).real, left, right), (a.imag, (b - a).imag, low, high)):
            if abs(change) < 1e-12:
                if not least < begin < most:
                    return 0.0
                continue
            first, last = sorted(((least - begin) / change, (most - begin) / change))
            t0, t1 = max(t0, first), min(t1, last)
        return abs(b - a) * max(0.0, t1 - t0)

    def price(a: complex, b: complex) -> float:
        wet = mire(a, b)
        return abs(b - a) - wet + 2 * ceil(wet - 1e-9)

    best = price(at, to)
    if inside(at) != inside(to):
        return min(best, *(price(at, spot) + price(spot, to) for spot in border))
    if inside(at):
        return best
    dry = [(price(at, spot), spot) for spot in border if mire(at, spot) < 1e-9]
    off = [(price(spot, to), spot) for spot in border if mire(spot, to) < 1e-9]
    return min(
        best, *(a + b + 2 * ceil(abs(one - other) - 1e-9) for a, one in dry for b, other in off if a + b < best), best
    )


@settings(max_examples=cases(25), deadline=None)
@given(st.data())
def test_a_goal_over_mud_is_refused_only_where_no_way_is_cheap_enough_and_moves_and_path_agree(data: Any) -> None:
    def tenths(low: int, high: int) -> float:
        return data.draw(st.integers(low, high)) / 10

    mud = (5.0, 5.0, 5.0 + tenths(8, 60), 5.0 + tenths(8, 60))
    start, goal = (tenths(30, 90), tenths(30, 90)), (tenths(30, 120), tenths(30, 120))
    piece = box("mud", *mud, height_in=0, sight="open", cover="none", ground="rough")
    scene = {"board": {"width_in": 18, "depth_in": 18, "pieces": [piece]}, "figures": [figure("kel", start)]}
    path = ask("path", {"scene": scene, "figure": "kel", "goal": goal})
    (offered,) = ask("moves", {"scene": scene, "figure": "kel", "to": [goal], "spacing_in": None}).answer.to
    least = densest(mud, start, goal)
    assert path.allowed == (offered is not None)
    if path.allowed:
        assert offered.cost_in == path.answer.cost_in <= least + 0.006
    else:
        assert least > 5.99


@settings(max_examples=cases(60), deadline=None)
@given(pieces(3), st.data())
def test_moves_and_path_agree_over_climbs_and_rough_ground(board: list[dict[str, Any]], data: Any) -> None:
    def tenths(low: int, high: int) -> float:
        return data.draw(st.integers(low, high)) / 10

    start, goal = (tenths(30, 140), tenths(30, 140)), (tenths(30, 140), tenths(30, 140))
    scene = empty(kel(start), kel((20, 20), id="finn", crew="blue"), pieces=board)
    assume(on_the_ground(Search(table(), field_of(scene), field_of(scene).figure("kel"))))
    path = ask("path", {"scene": scene, "figure": "kel", "goal": goal})
    (offered,) = ask("moves", {"scene": scene, "figure": "kel", "to": [goal], "spacing_in": None}).answer.to
    assert path.allowed == (offered is not None)
    assert offered is None or path.answer.cost_in == offered.cost_in


def assert_agreed(scene: dict[str, Any], goal: tuple[float, float]) -> None:
    path = ask("path", {"scene": scene, "figure": "kel", "goal": goal})
    (offered,) = ask("moves", {"scene": scene, "figure": "kel", "to": [goal], "spacing_in": None}).answer.to
    assert path.allowed
    assert offered.cost_in == path.answer.cost_in


def test_legs_over_rough_ground_are_not_rounded_up_to_whole_thousandths_one_by_one() -> None:
    outline = [[6.1, 5.2], [8.5, 5.2], [8.7, 6.3], [6.3, 6.3]]
    mud = {"id": "mud", "outline": outline, "height_in": 0.3, "ground": "rough", "climbable": False}
    assert_agreed(empty(kel((8.6, 6.2)), pieces=[mud]), (5.3, 3.0))


@pytest.mark.parametrize(("start", "goal"), [((5.72, 7.85), (7.61, 8.09)), ((5.58, 8.18), (7.75, 7.92))])
def test_a_bend_on_rough_ground_does_not_round_up_what_is_left_of_an_inch(
    start: tuple[float, float], goal: tuple[float, float]
) -> None:
    mud = box("mud", 3, 3, 14, 14, height_in=0, sight="open", cover="none", ground="rough")
    wall = box("wall", 6.9, 6, 7.1, 8, height_in=4, climbable=False)
    plank = box("plank", 4.5, 7.5, 5.9, 8.9, height_in=0.4)
    scene = empty(kel(start, elevation_in=0.4), pieces=[mud, wall, plank])
    # Less than two inches of mud are paid as four, the rest as it is long; so all of it costs less than six.
    assert_agreed(scene, goal)


@settings(max_examples=cases(40), deadline=None)
@given(skirmishes())
def test_fighting_is_open_to_whoever_may_fight(scene: dict[str, Any]) -> None:
    open_ = ask("actions", {"scene": scene, "figure": "f0"}).answer.open
    assert ("fight" in open_) == any(
        ask("attack", {"scene": scene, "fighter": "f0", "opponent": other["id"]}).allowed
        for other in scene["figures"][1:]
    )


@st.composite
def rummages(draw: st.DrawFn) -> dict[str, Any]:
    """Draw such a table on which f0, who may have a medic kit, stands at tokens, and others may need a medic."""
    scene = draw(skirmishes())
    first, *others = scene["figures"]
    first["profile"] = draw(st.sampled_from(["recruit", "medic", "guard-dog", "hacker"]))
    first["weapons"] = ["pistol", "knife"]
    x, y = first["at"]
    places = draw(st.permutations([[x, y], [x + 0.5, y], [x, y - 0.5], [x - 0.501, y], [x, y + 1]]))
    scene["tokens"] = [
        {"id": f"t{number}", "kind": kind, "at": at, "unlocked": draw(st.booleans())}
        for number, (kind, at) in enumerate(zip(draw(st.sampled_from(LOOT)), places, strict=False))
    ]
    if draw(st.booleans()):
        first["carries"] = "own"
        scene["tokens"].append({"id": "own", "kind": "data", "unlocked": True})
    for other in others:
        other["stunned"] = draw(st.booleans())
    return scene


LOOT = [[], ["data"], ["physical", "data"], ["data", "physical", "data"]]


@settings(max_examples=cases(40), deadline=None)
@given(rummages())
def test_a_deed_is_open_to_whoever_may_do_it(scene: dict[str, Any]) -> None:
    open_ = ask("actions", {"scene": scene, "figure": "f0"}).answer.open
    tokens = {token["id"]: token for token in scene["tokens"] if token["id"] != "own"}
    for deed, unlocked in (("unlock", False), ("pick-up", True)):
        case = {"scene": scene, "figure": "f0", "deed": deed}
        assert (deed in open_) == any(
            ask("loot", {**case, "token": id_}, dice={"seed": 1}).allowed
            for id_, token in tokens.items()
            if token["unlocked"] is unlocked
        )
    assert ("medic-kit" in open_) == any(
        ask("heal", {"scene": scene, "medic": "f0", "patient": patient["id"]}).allowed for patient in scene["figures"]
    )
    for kind in ("move", "run"):
        assert (kind in open_) == ask("moves", {"scene": scene, "figure": "f0", "kind": kind, "to": []}).allowed
    shots = [
        ask("shoot", {"scene": scene, "shooter": "f0", "weapon": "pistol", "targets": [other["id"]]}).allowed
        for other in scene["figures"][1:]
    ]
    # Whether anybody is there to be shot at is the question `targets`: a figure may move first.
    assert "shoot" in open_ or not any(shots)


@settings(max_examples=cases(40), deadline=None)
@given(skirmishes(), st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
def test_those_who_threaten_a_way_are_those_who_may_intercept_it(scene: dict[str, Any], step: tuple[int, int]) -> None:
    x, y = scene["figures"][0]["at"]
    case = {"scene": scene, "figure": "f0", "goal": [min(max(x + step[0], 1), 17), min(max(y + step[1], 1), 17)]}
    looked_up = ask("path", {**case, "carry_out": False})
    assume(looked_up.allowed)
    threats = {threat.figure for threat in looked_up.answer.threats}
    asked = ask("path", {**case, "carry_out": True})
    creatures = {each["id"] for each in scene["figures"] if each["crew"] is None}
    # A creature forces combat without being asked; a crew decides for its figures, one after another.
    if asked.status == "needs_choice":
        assert asked.needs.choice.label.partition(":")[0] in threats
    else:
        assert set(asked.answer.stopped_by) <= threats & creatures
        assert bool(asked.answer.stopped_by) == bool(threats)
