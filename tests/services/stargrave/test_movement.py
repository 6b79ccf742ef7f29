"""Ways and their prices, against sampling them densely with shapely, and by hand."""

from math import ceil, cos, isqrt, sin, sqrt
from typing import Any

import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.fault import Faults
from arbiter.skirmish.plane import point
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry.ways import Step, at_place, follow_steps
from services.stargrave.rules import allowance, combat, movement
from services.stargrave.scene import Spell
from tests.effort import cases
from tests.services.stargrave.yard import arbiter, ask, empty, field_of, kel, pieces, table, tenths

RADIUS = 500
FINE = 4


def place(draw: st.DataObject) -> tuple[float, float]:
    return draw.draw(tenths(10, 230)), draw.draw(tenths(10, 230))


@given(st.data())
def test_over_empty_ground_a_straight_way_costs_its_length_and_is_refused_beyond_the_allowance(data: Any) -> None:
    a, b = place(data), place(data)
    field = field_of(empty(kel(a)))
    way = follow_steps(field, field.figure("kel"), (Step(b),))
    squared = sum((round(1000 * u) - round(1000 * v)) ** 2 for u, v in zip(a, b, strict=True))
    root = isqrt(squared)
    assert movement.cost(table(), field, "kel", way) == root + (root * root < squared)
    allowed = 6000
    assert bool(movement.way_violations(table(), field, "kel", way, allowed)) == (squared > allowed**2)


class Sampled:
    """The same straight walk, seen at every few thousandths: what the base overlaps, what its middle stands on."""

    def __init__(self, field: Battlefield, a: tuple[float, float], b: tuple[float, float]) -> None:
        self.pieces = {id_: piece for id_, piece in field.ground.pieces.items() if piece.ground != "even"}
        line = shapely.LineString([[1000 * u for u in a], [1000 * v for v in b]])
        self.length = line.length
        count = max(2, int(self.length / FINE))
        self.step = self.length / count
        spots = shapely.line_interpolate_point(line, [self.step * (i + 0.5) for i in range(count)])
        shapes = {id_: shapely.Polygon(piece.outline) for id_, piece in self.pieces.items()}
        self.inside = {id_: shapely.contains(shape, spots) for id_, shape in shapes.items()}
        self.near = {id_: shapely.distance(shape, spots) < RADIUS - 1 for id_, shape in shapes.items()}
        self.doubtful = any(
            abs(shapely.distance(shape, line) - RADIUS) < 2 * FINE
            or shapely.distance(shape.exterior, end) < 2 * FINE
            # Who ends with the base just touching a piece has left it, and the last sample still has it upon it.
            or abs(shapely.distance(shape, end) - RADIUS) < 2 * FINE
            for shape in shapes.values()
            for end in (shapely.Point(line.coords[0]), shapely.Point(line.coords[-1]))
        )

    def runs(self, flags: Any) -> list[tuple[int, int]]:
        result: list[tuple[int, int]] = []
        for place_, flag in enumerate(flags):
            if flag:
                result = (
                    [*result[:-1], (result[-1][0], place_ + 1)]
                    if result and result[-1][1] == place_
                    else [*result, (place_, place_ + 1)]
                )
        return result


@settings(max_examples=cases(150), deadline=None)
@given(pieces(), st.data())
def test_what_a_straight_way_leads_over_is_what_dense_sampling_finds(board: list[dict[str, Any]], data: Any) -> None:
    a, b = place(data), place(data)
    field = field_of(empty(kel(a), pieces=board))
    seen = Sampled(field, a, b)
    assume(seen.length > 1000 and not seen.doubtful)
    starts_clear = not any(seen.near[id_][0] for id_ in seen.near)
    assume(starts_clear)
    way = follow_steps(field, field.figure("kel"), (Step(b),))
    heights = [0] * len(next(iter(seen.near.values()), []))
    bumps = set()
    short = False
    for id_, piece in seen.pieces.items():
        if piece.ground != "impassable":
            continue
        for since, until in seen.runs(seen.near[id_]):
            inside = sum(seen.inside[id_][since:until])
            # What is touched or stood on for a few thousandths only, sampling cannot tell.
            short = short or until - since < 3 or 0 < inside < 3
            if inside and piece.climbable:
                heights[since:until] = [max(height, piece.height) for height in heights[since:until]]
            elif piece.height >= 500:
                bumps.add(id_)
    assume(not short)
    assert set(way.against) == bumps
    climbed = sum(abs(u - v) for u, v in zip([0, *heights], heights, strict=False))
    assert sum(abs(change.end - change.start) for change in way.changes) == climbed
    for id_, piece in seen.pieces.items():
        if piece.ground == "rough":
            over = sum(flag and not height for flag, height in zip(seen.inside[id_], heights, strict=True)) * seen.step
            mine = sum(part.until - part.since for part in way.rough if part.piece == id_)
            assert mine == pytest.approx(over, abs=4 * FINE)


CLIMBS = {
    # heights in inches, up and down again: the price under (part-inches, climbing-down) by hand
    (1.5, "each-piece", "same"): 8,
    (1.5, "whole-move", "same"): 6,
    (1.5, "none", "same"): 6,
    (1.5, "each-piece", "once"): 6,
    (1.5, "whole-move", "once"): 6,
    (1.5, "none", "once"): 4.5,
    (2.0, "each-piece", "same"): 8,
    (2.0, "each-piece", "once"): 6,
    (0.5, "each-piece", "same"): 4,
    (0.499, "each-piece", "same"): 0,
    (2.001, "each-piece", "same"): 12,
}


@pytest.mark.parametrize(("height", "part", "down"), CLIMBS)
def test_climbing_over_a_block_costs_what_it_does_by_hand(height: float, part: str, down: str) -> None:
    block = {"id": "block", "outline": [[6, 4], [8, 4], [8, 6], [6, 6]], "height_in": height}
    field = field_of(empty(kel((4, 5)), pieces=[block]))
    way = follow_steps(field, field.figure("kel"), (Step((10, 5)),))
    readings = {"part-inches": part, "climbing-down": down}
    price = round(1000 * CLIMBS[height, part, down])
    assert movement.cost(table(**readings, **{"climbing-step": "charged"}), field, "kel", way) == 6000 + price
    # Half a base up and half a base down come with the climbs.
    assert movement.cost(table(**readings), field, "kel", way) == 6000 + price - (1000 if price else 0)
    levitating = field.put(replace(field.figure("kel"), spells=(Spell("antigravity-projection"),)))
    lifted = 2 * round(1000 * height) if price else 0
    assert movement.cost(table(**readings), levitating, "kel", way) == 6000 + lifted - min(1000, lifted)


ONTO = {
    # height of a wall beside the figure: what it costs to stand on its edge, on the first thousandth behind it
    0.5: 2,
    1.0: 2,
    1.001: 4,
    2.5: 6,
    3.0: 6,
    3.001: 8,
}


@pytest.mark.parametrize("height", ONTO)
@pytest.mark.parametrize("charged", [False, True])
def test_a_climb_onto_the_edge_of_a_wall_costs_its_height_alone(height: float, charged: bool) -> None:
    wall = {"id": "wall", "outline": [[6, 0], [8, 0], [8, 24], [6, 24]], "height_in": height}
    field = field_of(empty(kel((5.5, 5)), pieces=[wall]))
    at = table(**{"climbing-step": "charged" if charged else "free"})
    ways = [follow_steps(field, field.figure("kel"), (Step((x, 5)),)) for x in (6.001, 6.5)]
    whole = 1000 * ONTO[height]
    assert [movement.cost(at, field, "kel", way) for way in ways] == (
        [whole + 501, whole + 1000] if charged else [whole, whole + 500]
    )
    # Down again from the edge: the same.
    up = field.put(at_place(field.figure("kel"), (6001, 5000), round(1000 * height)))
    down = follow_steps(up, up.figure("kel"), (Step((5.5, 5)),))
    assert movement.cost(at, up, "kel", down) == whole + (501 if charged else 0)


def test_a_slanted_step_onto_a_wall_is_free_for_half_a_base_at_most() -> None:
    wall = {"id": "wall", "outline": [[6, 0], [8, 0], [8, 24], [6, 24]], "height_in": 1}
    field = field_of(empty(kel((5.5, 5)), pieces=[wall]))
    # 0.6 and 0.8 inches aside and on: an inch, of which five eighths lead to the edge; half an inch is free.
    way = follow_steps(field, field.figure("kel"), (Step((6.3, 5.6)),))
    assert movement.cost(table(), field, "kel", way) == 2000 + 1000 - 502


@pytest.mark.parametrize(
    ("height", "move", "ends"),
    [
        # The foot is 1.5 inches away. Move 6 leaves 4.5, which pay for 2 inches of climbing; Move 4 leaves 2.5: 1 inch.
        (4, 6, [(5.5, 2.0), (6.999, 4.0), (7.5, 1.0), (9.0, 0.0)]),
        (4, 4, [(5.5, 1.0), (5.5, 3.0), (6.999, 4.0), (7.5, 2.0), (7.5, 0.0)]),
        (2.5, 6, [(5.5, 2.0), (7.5, 1.5), (9.0, 0.0)]),
    ],
)
def test_a_high_wall_is_climbed_in_several_moves(height: float, move: int, ends: list[tuple[float, float]]) -> None:
    """By hand: each whole inch of height costs 2, and half a base comes with the climb onto the top and off it."""
    wall = {"id": "wall", "outline": [[6, 0], [7, 0], [7, 24], [6, 24]], "height_in": height}
    scene = empty(kel((4, 5), profile="slow"), pieces=[wall])
    scene["profiles"] = {"figures": [{"id": "slow", "name": "Slow", "move_in": move}]}
    for x, elevation in ends:
        case = {"scene": scene, "figure": "kel", "goal": [9, 5]}
        ruling = ask("path", {**case, "as_far": True})
        assert ruling.answer.at == pytest.approx((x, 5), abs=0.0021)
        assert ruling.answer.elevation_in == elevation
        assert ruling.answer.cost_in <= move
        assert (x, elevation) == (9, 0) or not ask("path", case).allowed
        kept = scene["figures"][0]
        scene = {**scene, "figures": [{**kept, "at": ruling.answer.at, "elevation_in": elevation}]}


def test_read_so_that_nobody_holds_on_a_climb_a_figure_stops_at_its_foot() -> None:
    wall = {"id": "wall", "outline": [[6, 0], [7, 0], [7, 24], [6, 24]], "height_in": 4}
    case = {"scene": empty(kel((4, 5)), pieces=[wall]), "figure": "kel", "goal": [9, 5], "as_far": True}
    ruling = ask("path", case, readings={"climbing-part-way": "no"})
    assert (ruling.answer.at, ruling.answer.elevation_in) == ((5.5, 5.0), 0.0)


@settings(max_examples=cases(60), deadline=None)
@given(pieces(), st.data())
def test_rounding_is_never_cheaper_and_levitating_never_dearer(board: list[dict[str, Any]], data: Any) -> None:
    a, b = place(data), place(data)
    field = field_of(empty(kel(a), kel((1, 23), id="lev", spells=[{"power": "antigravity-projection"}]), pieces=board))
    way = follow_steps(field, field.figure("kel"), (Step(b),))
    each, whole, none = (
        movement.cost(table(**{"part-inches": part}), field, "kel", way)
        for part in ("each-piece", "whole-move", "none")
    )
    assert each >= whole >= none >= ceil(way.path.length - 1e-6)
    # By hand: its length and the heights climbed, low steps left out.
    heights = [abs(change.end - change.start) for change in way.changes]
    climbed = sum(height for height in heights if height >= 500)
    steps = sum(change.step for change in way.changes if abs(change.end - change.start) >= 500)
    free = way.path.length + climbed - min(climbed, steps)
    assert movement.cost(table(), field, "lev", way) == ceil(free - 1e-6) <= none


@pytest.mark.parametrize(("low", "cost"), [("free", 9_000), ("climb", 9_600)])
def test_who_levitates_pays_the_height_of_a_block_and_nothing_for_a_low_step_beside_it(low: str, cost: int) -> None:
    step = {"id": "step", "outline": [[6, 4], [8, 4], [8, 6], [6, 6]], "height_in": 0.3}
    block = {"id": "block", "outline": [[10, 4], [11, 4], [11, 6], [10, 6]], "height_in": 0.5}
    figure = kel((4, 5), spells=[{"power": "antigravity-projection"}])
    field = field_of(empty(figure, pieces=[step, block]))
    way = follow_steps(field, field.figure("kel"), (Step((13, 5)),))
    # 9 inches, half an inch up and down again, which pays for the steps there, and perhaps three tenths up and down.
    assert movement.cost(table(**{"low-steps": low}), field, "kel", way) == cost


@given(st.integers(0, 12), st.booleans(), st.sampled_from(["after", "before"]))
def test_a_second_move_is_half_of_what_is_left(move: int, carries: bool, halves: str) -> None:
    scene = empty(kel((4, 4), profile="slow", carries="crate" if carries else None))
    scene["profiles"] = {"figures": [{"id": "slow", "name": "Slow", "move_in": move, "weapons": ["rapid-fire"]}]}
    scene["tokens"] = [{"id": "crate", "kind": "physical", "at": None if carries else [1, 1], "unlocked": True}]
    field = field_of(scene)
    at = table(**{"carrying-halves": halves})
    left = max(0, 1000 * move - 1000)
    if carries:
        left = left // 2 if halves == "after" else max(0, 500 * move - 1000)
    assert allowance.move(at, field, "kel") == left
    assert allowance.second_move(at, field, "kel") == left // 2


def test_a_forbidden_way_gives_every_reason() -> None:
    wall = {"id": "wall", "outline": [[6, 0], [7, 0], [7, 24], [6, 24]], "height_in": 2, "climbable": False}
    field = field_of(empty(kel((4, 5)), kel((5, 5), id="finn", crew="blue"), pieces=[wall]))
    way = follow_steps(field, field.figure("kel"), (Step((8.0, 8.0)), Step((23.9, 8.0))))
    reasons = movement.violations(table(), field, "kel"), movement.way_violations(table(), field, "kel", way, 6000)
    assert {reason.rule for each in reasons for reason in each} == {
        "movement.violations",
        "movement.blocked",
        "movement.too_far",
    }


HEAD_ON, TANGENT, BETWEEN, STEEP = (10.0, 5.0), (9.0, 5.0), (9.8, 5.2), (13.0, 6.0)
"""Where ways begin, towards a figure at (10, 10): both bases are an inch across, so that they touch at 1 inch."""

CONTACT_WAYS = {
    # Straight at the middle: 1 inch, on whole thousandths 1.001 and 1.002, and from there on no contact yet.
    (HEAD_ON, (10, 9)): "contact",
    (HEAD_ON, (10, 8.999)): "contact",
    (HEAD_ON, (10, 8.998)): "contact",
    (HEAD_ON, (10, 8.997)): "free",
    # Five thousandths further the bases are in each other.
    (HEAD_ON, (10, 9.005)): "shut",
    (HEAD_ON, (10, 12)): "shut",
    # Along the tangent bases touch at (9, 10), and are within 0.002 from (9, 9.937) on: 1.002² = 1² + 0.0633².
    (TANGENT, (9, 10)): "contact",
    (TANGENT, (9, 9.999)): "contact",
    (TANGENT, (9, 9.937)): "contact",
    (TANGENT, (9, 9.936)): "free",
    # A thousandth is what rounding may cost; five are a way past.
    (TANGENT, (9, 10.001)): "contact",
    (TANGENT, (9, 10.005)): "on",
    (TANGENT, (9, 10.06)): "on",
    (TANGENT, (9, 12)): "on",
    # Just as far aside as counts for contact, and a thousandth more.
    ((8.998, 5.0), (8.998, 10)): "contact",
    ((8.998, 5.0), (8.998, 12)): "on",
    ((8.997, 5.0), (8.997, 12)): "free",
    # On slants to places that 3-4-5 triangles put at an inch to the thousandth.
    (BETWEEN, (9.2, 9.4)): "contact",
    (BETWEEN, (9.4, 9.2)): "contact",
    (BETWEEN, (10.8, 9.4)): "contact",
    (STEEP, (10.8, 9.4)): "contact",
    # That place lies behind the other base.
    (STEEP, (10.8, 10.6)): "shut",
    # A slope of 3 : 4 is nearest at (10.6, 9.2), where it is square to the line to the middle, from either side.
    ((7.4, 6.8), (10.6, 9.2)): "contact",
    ((7.4, 6.8), (10.604, 9.203)): "on",
    ((12.6, 7.7), (10.6, 9.2)): "contact",
    ((13.8, 11.6), (10.6, 9.2)): "contact",
    ((13.8, 11.6), (10.596, 9.197)): "on",
    ((13.8, 11.6), (9, 8)): "on",
}


@pytest.mark.parametrize(("start", "goal"), CONTACT_WAYS)
def test_a_way_may_end_in_contact_on_any_slant_and_not_lead_on_from_it(
    start: tuple[float, float], goal: tuple[float, float]
) -> None:
    field = field_of(empty(kel(start), kel((10, 10), id="finn", crew="blue")))
    way = follow_steps(field, field.figure("kel"), (Step(goal),))
    reasons = [reason.text for reason in movement.blocked(table(), field, "kel", way)]
    expected = CONTACT_WAYS[start, goal]
    on = "The way goes on after contact with Captain (finn), but Captain (kel) is then in combat"
    assert reasons == {"shut": ["Captain (finn) is in the way of Captain (kel)"], "on": [on]}.get(expected, [])
    if not reasons:
        after = field.put(at_place(field.figure("kel"), point(goal), 0))
        assert combat.in_combat(table(), after, "kel") == (expected == "contact")


def test_steps_along_the_base_of_an_enemy_are_refused_however_small_they_are() -> None:
    """All end 1.001 inches from the other's middle, to the rounding, and are some 0.05 inches long."""
    field = field_of(empty(kel((9, 5)), kel((10, 10), id="finn", crew="blue")))
    around = [(10 - 1.001 * cos(turn / 20), round(10 + 1.001 * sin(turn / 20), 3)) for turn in range(1, 6)]
    steps = tuple(Step((round(x, 3), y)) for x, y in ((8.999, 10), *around))
    way = follow_steps(field, field.figure("kel"), steps)
    assert "movement.blocked" in {reason.rule for reason in movement.blocked(table(), field, "kel", way)}
    first = follow_steps(field, field.figure("kel"), steps[:1])
    assert not movement.blocked(table(), field, "kel", first)


@settings(max_examples=cases(200))
@given(st.data())
def test_a_straight_way_into_contact_is_open_exactly_as_far_as_it_comes_nearer(data: Any) -> None:
    """The angle at its end tells, in whole numbers: it is a right one where the way is nearest to the enemy."""
    x, y = data.draw(st.integers(1000, 20_000)), data.draw(st.integers(1000, 20_000))
    gx, gy = data.draw(st.sampled_from(TOUCHING))
    u, v = 10_000 + gx, 10_000 + gy
    assume((x - 10_000) ** 2 + (y - 10_000) ** 2 > 1400**2)
    field = field_of(empty(kel((x / 1000, y / 1000)), kel((10, 10), id="finn", crew="blue")))
    way = follow_steps(field, field.figure("kel"), (Step((u / 1000, v / 1000)),))
    length = sqrt((x - u) ** 2 + (y - v) ** 2)
    past = -((x - u) * gx + (y - v) * gy) / length
    # How far past its nearest place it ends: what rounding may cost is neither wanted nor refused for certain.
    assume(not 0 < past < 5)
    assert bool(movement.blocked(table(), field, "kel", way)) == (past > 0)


TOUCHING = [
    (x, y)
    for x in range(-1002, 1003)
    for y in (isqrt(max(0, 1002**2 - x * x)), -isqrt(max(0, 1002**2 - x * x)))
    if 1000**2 <= x * x + y * y <= 1002**2
]
"""Places of whole thousandths around a figure, at which another with a base of an inch touches it."""


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ({}, "/case"),
        ({"goal": [4, 5], "way": [{"to": [5, 5]}]}, "/case"),
        ({"goal": [4, 25]}, "/case/goal"),
        ({"way": [{"to": [4, 5]}, {"to": [25, 5]}]}, "/case/way/1/to"),
        ({"goal": [4, 5], "figure": "nobody"}, "/case/figure"),
        ({"goal": [4, 5], "figure": "gone"}, "/case/figure"),
    ],
)
def test_what_is_no_case_is_a_fault_at_its_place(more: dict[str, Any], where: str) -> None:
    scene = empty(kel((4, 4)), {**kel((4, 4), id="gone", role="soldier"), "at": None})
    with pytest.raises(Faults) as caught:
        ask("path", {"scene": scene, "figure": "kel", **more})
    assert [fault.pointer for fault in caught.value.faults] == [where]


def test_every_question_about_moves_has_a_gist() -> None:
    assert {"moves", "path", "fall", "behaviour"} <= set(arbiter().questions)
