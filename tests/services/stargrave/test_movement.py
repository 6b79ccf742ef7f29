"""Ways and their prices, against sampling them densely with shapely, and by hand."""

from math import ceil, isqrt
from typing import Any

import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.rule import Forbidden
from services.stargrave.battlefield import Battlefield
from services.stargrave.rules import allowance, movement
from services.stargrave.rules.ways import Step, stepped
from tests.services.stargrave.yard import arbiter, ask, empty, field_of, kel, pieces, table, tenths

RADIUS = 500
FINE = 4


def place(draw: st.DataObject) -> tuple[float, float]:
    return draw.draw(tenths(10, 230)), draw.draw(tenths(10, 230))


@given(st.data())
def test_over_empty_ground_a_straight_way_costs_its_length_and_is_refused_beyond_the_allowance(data: Any) -> None:
    a, b = place(data), place(data)
    field = field_of(empty(kel(a)))
    way = stepped(field, field.figure("kel"), (Step(b),))
    squared = sum((round(1000 * u) - round(1000 * v)) ** 2 for u, v in zip(a, b, strict=True))
    root = isqrt(squared)
    assert movement.cost(table(), field, "kel", way) == root + (root * root < squared)
    allowed = 6000
    assert bool(movement.way_refusals(table(), field, "kel", way, allowed)) == (squared > allowed**2)


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
            or shapely.distance(shape.exterior, shapely.Point(end)) < 2 * FINE
            for shape in shapes.values()
            for end in (line.coords[0], line.coords[-1])
        )

    def runs(self, flags: Any) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for place_, flag in enumerate(flags):
            if flag:
                found = (
                    [*found[:-1], (found[-1][0], place_ + 1)]
                    if found and found[-1][1] == place_
                    else [*found, (place_, place_ + 1)]
                )
        return found


@settings(max_examples=150, deadline=None)
@given(pieces(), st.data())
def test_what_a_straight_way_leads_over_is_what_dense_sampling_finds(board: list[dict[str, Any]], data: Any) -> None:
    a, b = place(data), place(data)
    field = field_of(empty(kel(a), pieces=board))
    seen = Sampled(field, a, b)
    assume(seen.length > 1000 and not seen.doubtful)
    starts_clear = not any(seen.near[id_][0] for id_ in seen.near)
    assume(starts_clear)
    way = stepped(field, field.figure("kel"), (Step(b),))
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
    way = stepped(field, field.figure("kel"), (Step((10, 5)),))
    at = table(**{"part-inches": part, "climbing-down": down})
    assert movement.cost(at, field, "kel", way) == 6000 + round(1000 * CLIMBS[height, part, down])


@settings(max_examples=60, deadline=None)
@given(pieces(), st.data())
def test_rounding_is_never_cheaper_and_levitating_never_dearer(board: list[dict[str, Any]], data: Any) -> None:
    a, b = place(data), place(data)
    field = field_of(empty(kel(a), kel((1, 23), id="lev", spells=[{"power": "antigravity-projection"}]), pieces=board))
    way = stepped(field, field.figure("kel"), (Step(b),))
    each, whole, none = (
        movement.cost(table(**{"part-inches": part}), field, "kel", way)
        for part in ("each-piece", "whole-move", "none")
    )
    assert each >= whole >= none >= ceil(way.path.length - 1e-6)
    # By hand: its length and the heights climbed, low steps left out.
    heights = [abs(change.end - change.start) for change in way.changes]
    free = way.path.length + sum(height for height in heights if height >= 500)
    assert movement.cost(table(), field, "lev", way) == ceil(free - 1e-6) <= none


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


def test_a_forbidden_way_gives_every_reason_and_changes_nothing() -> None:
    wall = {"id": "wall", "outline": [[6, 0], [7, 0], [7, 24], [6, 24]], "height_in": 2, "climbable": False}
    field = field_of(empty(kel((4, 5)), kel((5, 5), id="finn", crew="blue"), pieces=[wall]))
    with pytest.raises(Forbidden) as caught:
        movement.walk(table(), field, "kel", ((8.0, 8.0), (23.9, 8.0)), 6000)
    assert {reason.rule for reason in caught.value.reasons} == {
        "movement.refusals", "movement.blocked", "movement.too_far",
    }  # fmt: skip


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
    scene = empty(kel((4, 4)), {**kel((4, 4), id="gone"), "at": None})
    with pytest.raises(Faults) as caught:
        ask("path", {"scene": scene, "figure": "kel", **more})
    assert [fault.pointer for fault in caught.value.faults] == [where]


def test_every_question_about_moves_has_a_gist() -> None:
    assert {"moves", "path", "fall", "behaviour"} <= set(arbiter().questions)
