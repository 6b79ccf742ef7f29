"""Room for bases: whatever is ruled, the table can be posted again, and who falls beside a wall stands beside it."""

import json
from contextlib import suppress
from math import cos, dist, sin
from typing import Any

import jsonpatch
import msgspec
import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.geometry.plane import shapes as plane_shapes
from services.stargrave.checks import checked
from services.stargrave.geometry import footing
from services.stargrave.scene import Scene
from tests.effort import cases
from tests.services.stargrave.asking import ask, box, field_of, figure

WIDE = 12
READINGS = {
    "passing-figures": ["nobody", "friends"],
    "forcing-several": ["one", "all"],
    "forcing-who-moves": ["interceptor", "mover"],
    "push-direction": ["straight", "free"],
    "creature-obstacle": ["anything", "impassable"],
}


def board(*figures: dict[str, Any], pieces: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"board": {"width_in": WIDE, "depth_in": WIDE, "pieces": pieces or []}, "figures": list(figures)}


def sound(scene: dict[str, Any]) -> bool:
    """Say whether a scene may be posted."""
    try:
        checked(msgspec.convert(scene, Scene))
    except Faults:
        return False
    return True


def after(question: str, case: dict[str, Any], **rest: Any) -> dict[str, Any]:
    """Give the scene after a ruling, as a client has it that applies the patch."""
    ruling = ask(question, case, policies={"*": "first"}, **rest)
    if not ruling.allowed:
        return dict(case["scene"])
    patched = jsonpatch.apply_patch(
        json.loads(json.dumps(case["scene"])), list(msgspec.to_builtins(ruling.effects.patch))
    )
    assert isinstance(patched, dict)
    return patched


@st.composite
def crowds(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a table on which figures stand in contact with each other, or a slip apart, in all directions."""
    figures: list[dict[str, Any]] = []
    for number in range(draw(st.integers(2, 5))):
        base = draw(st.sampled_from([1.0, 1.0, 1.0, 0.63, 1.5]))
        if figures:
            other = draw(st.sampled_from(figures))
            gap = (other["base_in"] + base) / 2 + draw(st.sampled_from([0, 0.001, 0.002, 0.4, 1]))
            turn = draw(st.integers(0, 628)) / 100
            at = [round(other["at"][0] + gap * cos(turn), 3), round(other["at"][1] + gap * sin(turn), 3)]
        else:
            at = [draw(st.integers(20, 100)) / 10, draw(st.integers(20, 100)) / 10]
        crew = draw(st.sampled_from(["red", "blue", None])) if figures else "red"
        if min(at) < base / 2 or max(at) > WIDE - base / 2:
            continue
        added = figure(f"f{number}", at, crew, "recruit" if crew else "ravaged", base_in=base)
        if sound(board(*figures, added)):
            figures.append(added)
    assume(len(figures) > 1)
    return board(*figures)


options = st.fixed_dictionaries({id_: st.sampled_from(of) for id_, of in READINGS.items()})


@settings(max_examples=cases(120), deadline=None)
@given(crowds(), options, st.data())
def test_after_any_way_the_table_can_be_posted(scene: dict[str, Any], chosen: dict[str, str], data: Any) -> None:
    mover, other = (data.draw(st.sampled_from(scene["figures"])) for _ in range(2))
    turn, far = data.draw(st.integers(0, 628)) / 100, data.draw(st.sampled_from([0.998, 0.9985, 0.999, 1, 2.5]))
    goal = [round(other["at"][0] + far * cos(turn), 3), round(other["at"][1] + far * sin(turn), 3)]
    assume(min(goal) >= 0 and max(goal) <= WIDE)
    for where in ({"goal": goal}, {"way": [{"to": goal}]}):
        assert sound(after("path", {"scene": scene, "figure": mover["id"], **where}, readings=chosen))


@settings(max_examples=cases(100), deadline=None)
@given(crowds(), options, st.integers(1, 99))
def test_after_any_turn_of_a_creature_the_table_can_be_posted(
    scene: dict[str, Any], chosen: dict[str, str], seed: int
) -> None:
    for creature in scene["figures"]:
        if creature["crew"] is None:
            case = {"scene": scene, "creature": creature["id"]}
            assert sound(after("behaviour", case, readings=chosen, dice={"seed": seed}))


@settings(max_examples=cases(100), deadline=None)
@given(crowds(), options, st.integers(1, 99))
def test_after_any_fight_and_push_the_table_can_be_posted(
    scene: dict[str, Any], chosen: dict[str, str], seed: int
) -> None:
    fighters = scene["figures"]
    for fighter, opponent in ((a, b) for a in fighters for b in fighters if a["crew"] != b["crew"]):
        case = {"scene": scene, "fighter": fighter["id"], "opponent": opponent["id"]}
        rest = {"readings": chosen, "dice": {"seed": seed}}
        ruling = ask("attack", case, **rest)
        if ruling.needs is None or ruling.needs.choice is None:
            continue
        for picked in ruling.needs.choice.options:
            assert sound(after("attack", case, choices={ruling.needs.choice.label: [picked.id]}, **rest))


@settings(max_examples=cases(15), deadline=None)
@given(crowds(), st.integers(1, 99))
def test_after_any_battle_the_table_can_be_posted(scene: dict[str, Any], seed: int) -> None:
    assume(len({each["crew"] for each in scene["figures"]} - {None}) > 0)
    case = {"scene": scene, "turns": 1}
    ruling = ask("battle", case, policies={"*": "charging"}, dice={"seed": seed})
    patch = list(msgspec.to_builtins(ruling.effects.patch))
    assert sound(jsonpatch.apply_patch(json.loads(json.dumps(scene)), patch))


@settings(max_examples=cases(120), deadline=None)
@given(crowds(), st.data())
def test_whoever_is_flung_leaves_a_table_that_can_be_posted(scene: dict[str, Any], data: Any) -> None:
    user = {**scene["figures"][0], "profile": "thrower", "role": "captain"}
    scene = {
        **scene,
        "figures": [user, *scene["figures"][1:]],
        "profiles": {"figures": [{"id": "thrower", "health": 14, "powers": [{"id": "fling"}]}]},
    }
    target, other = (data.draw(st.sampled_from(scene["figures"][1:])) for _ in range(2))
    turn, far = data.draw(st.integers(0, 628)) / 100, data.draw(st.sampled_from([0.998, 0.999, 1, 1.3, 2.5]))
    to = [round(other["at"][0] + far * cos(turn), 3), round(other["at"][1] + far * sin(turn), 3)]
    assume(min(to) >= 0 and max(to) <= WIDE)
    case = {"scene": scene, "user": user["id"], "power": "fling", "target": target["id"], "to": to, "exertion": 0}
    # A place in somebody's base or off the table is a fault of the case, and nothing is ruled.
    with suppress(Faults):
        assert sound(after("power", case, dice={"seed": data.draw(st.integers(1, 99))}))


@settings(max_examples=cases(60), deadline=None)
@given(st.tuples(st.integers(0, 120), st.integers(0, 120)), st.integers(1, 99))
def test_wherever_smoke_scatters_the_table_can_be_posted(at: tuple[int, int], seed: int) -> None:
    thrower = figure("kel", [6, 6], weapons=["smoke-grenade"])
    case = {"scene": board(thrower), "thrower": "kel", "kind": "smoke", "at": [at[0] / 10, at[1] / 10]}
    assert sound(after("grenade", case, dice={"seed": seed}))


CROWDED: list[tuple[list[dict[str, Any]], str, dict[str, str], int]] = [
    (
        [
            figure("f0", [10.212, 3.1], "blue", "runner"),
            figure("f1", [9.944, 2.328], "blue", "guard-dog", base_in=0.63),
            figure("f2", [9.352, 2.545], base_in=0.63),
            figure("f3", [10.678, 1.973], None, "ravaged"),
        ],
        "f3",
        {"passing-figures": "friends", "forcing-who-moves": "mover"},
        830,
    ),
    (
        [
            figure("f0", [9.651, 1.799], None, "ravaged", base_in=2),
            figure("f1", [7.77, 2.478], "blue", "guard-dog"),
            figure("f2", [8.574, 3.304], "red", "runner"),
        ],
        "f0",
        {"passing-figures": "friends", "forcing-several": "all"},
        2,
    ),
]
"""Crowds in which figures have come to stand in each other: drawn by chance, and kept."""


@pytest.mark.parametrize(("figures", "creature", "chosen", "seed"), CROWDED)
def test_nobody_is_brought_into_a_third_base(
    figures: list[dict[str, Any]], creature: str, chosen: dict[str, str], seed: int
) -> None:
    case = {"scene": board(*figures), "creature": creature}
    assert sound(after("behaviour", case, readings=chosen, dice={"seed": seed}))


def test_who_is_stopped_in_the_base_of_a_friend_stands_before_it() -> None:
    """Ann passes Ben's base, which reaches from x = 5 to 7 for her; a creature is an inch away from x = 5.206 on."""
    scene = board(figure("ann", [4, 4]), figure("ben", [6, 4]), figure("rav", [5.65, 5.95], None, "ravaged"))
    case = {"scene": scene, "figure": "ann", "way": [{"to": [9, 4]}]}
    ended = after("path", case, readings={"passing-figures": "friends"})
    assert sound(ended)
    assert ended["figures"][0]["at"] == [5, 4]
    assert 1 <= dist(ended["figures"][2]["at"], [5, 4]) <= 1.002


def stepped_beside(walls: list[list[list[float]]], at: tuple[int, int]) -> plane_shapes.Point | None:
    pieces = [{"id": f"wall-{number}", "outline": outline} for number, outline in enumerate(walls)]
    field = field_of(board(figure("kel", [at[0] / 1000, at[1] / 1000]), pieces=pieces))
    return footing.nearest(field, field.solid(field.figure("kel")))


TURNS = np.arange(315) / 50
RINGS = [(far, far * np.column_stack([np.cos(TURNS), np.sin(TURNS)])) for far in range(5, 1000, 5)]
"""Circles of spots all around a place, up to an inch away."""


@settings(max_examples=cases(30), deadline=None)
@given(st.integers(-449, 449), st.integers(0, 157), st.integers(0, 30), st.booleans())
def test_the_nearest_place_beside_walls_is_what_dense_sampling_finds(
    beside: int, turn: int, apart: int, corner: bool
) -> None:
    """A slanted wall, and a second one square to it, whose room is drawn with another geometry and sampled around."""
    ux, uy = cos(turn / 100), sin(turn / 100)

    def placed(u: float, v: float) -> list[float]:
        return [round(6 + u * ux - v * uy, 3), round(6 + u * uy + v * ux, 3)]

    walls = [[placed(-2, 0), placed(2, 0), placed(2, -1), placed(-2, -1)]]
    if corner:
        walls.append([placed(0.7, 0.01), placed(1.7, 0.01), placed(1.7, 2), placed(0.7, 2)])
    x, y = placed(beside / 1000, 0.05 + apart / 100)
    at = round(1000 * x), round(1000 * y)
    shapes = shapely.union_all([shapely.Polygon([(1000 * u, 1000 * v) for u, v in wall]) for wall in walls])
    assume(500 - shapes.distance(shapely.Point(at)) > 5 and not shapes.contains(shapely.Point(at)))
    to = stepped_beside(walls, at)
    assert to is not None
    assert shapes.distance(shapely.Point(to)) >= 497.9
    assert not shapely.LineString([at, to]).crosses(shapes)
    # The nearest circle around the place on which any spot is free.
    least = next(far for far, ring in RINGS if (shapely.distance(shapes, shapely.points(at + ring)) >= 500).any())
    assert dist(at, to) <= least + 3


def test_in_an_alley_narrower_than_the_base_nobody_comes_down() -> None:
    walls = [[[2.0, 2.0], [10.0, 2.0], [10.0, 4.0], [2.0, 4.0]], [[2.0, 4.9], [10.0, 4.9], [10.0, 7.0], [2.0, 7.0]]]
    assert stepped_beside(walls, (6000, 4450)) is None


CANYON = [box("near", 2, 6, 4, 10, height_in=3), box("far", 7, 6, 11, 10, height_in=3)]


@pytest.mark.parametrize(("to", "at"), [(6.4, 6.4), (6.5, 6.5), (6.6, 6.5), (6.9, 6.5), (7.0, 6.5)])
def test_a_jump_that_falls_short_ends_beside_the_wall(to: float, at: float) -> None:
    """From x = 1 to the edge at 4 and across to the wall at 7, from which a base of 1 inch keeps half an inch."""
    roofs = [box("near", 0, 6, 4, 10, height_in=3), CANYON[1]]
    scene = board(figure("rex", [1, 8], profile="guard-dog", elevation_in=3), pieces=roofs)
    way = [{"to": [4, 8]}, {"to": [to, 8], "how": "jump"}]
    ruling = ask("path", {"scene": scene, "figure": "rex", "way": way})
    assert (ruling.answer.at, ruling.answer.elevation_in) == ((at, 8.0), 0.0)
    shut = ask("path", {"scene": scene, "figure": "rex", "way": way}, readings={"no-room-to-land": "nowhere"})
    assert shut.allowed == (to <= 6.5)


@pytest.mark.parametrize(("height", "climbed"), [(0.4, False), (0.8, False), (1.0, True)])
def test_whoever_is_an_inch_away_forces_combat_across_a_step_and_a_wall(height: float, climbed: bool) -> None:
    """A creature on a step 0.2 inches aside, or behind a wall of 0.4 by 1 inch; nobody else on the table."""
    deep = (5.6, 6.0) if climbed else (5.6, 9.0)
    at, elevation = ([7, 6.6], 0.0) if climbed else ([7, 6.2], height)
    step = box("step", 0, deep[0], 12, deep[1], height_in=height)
    scene = board(figure("kel", [5, 5]), figure("rav", at, None, "ravaged", elevation_in=elevation), pieces=[step])
    ruling = ask("path", {"scene": scene, "figure": "kel", "way": [{"to": [8, 5]}]})
    assert ruling.answer.stopped_by == ("rav",)
    ended = after("path", {"scene": scene, "figure": "kel", "way": [{"to": [8, 5]}]})
    fight = ask(
        "attack", {"scene": ended, "fighter": "rav", "opponent": "kel"}, policies={"*": "first"}, dice={"seed": 1}
    )
    assert fight.allowed
    level = ask(
        "path", {"scene": scene, "figure": "kel", "way": [{"to": [8, 5]}]}, readings={"forcing-over-terrain": "level"}
    )
    assert (level.answer.stopped_by == ()) == climbed


@settings(max_examples=cases(25), deadline=None)
@given(st.integers(0, 628), st.integers(0, 40))
def test_a_way_around_an_enemy_is_the_cheapest_to_a_slip_where_nothing_can_be_climbed(turn: int, aside: int) -> None:
    """Around one enemy the shortest way is two legs and an arc; a few thousandths keep it out of combat."""
    ux, uy = cos(turn / 100), sin(turn / 100)
    start, goal = ([6 + s * 2.5 * ux, 6 + s * 2.5 * uy] for s in (-1, 1))
    at = [round(6 - aside / 100 * uy, 3), round(6 + aside / 100 * ux, 3)]
    scene = board(figure("kel", [round(part, 3) for part in start]), figure("rav", at, None, "ravaged"))
    case = {"scene": scene, "figure": "kel", "goal": [round(part, 3) for part in goal], "carry_out": False}
    ruling = ask("path", case)
    assert ruling.allowed
    assert 0 < ruling.answer.cost_in - 5 < 1
    assert ruling.answer.error_in <= 0.006
