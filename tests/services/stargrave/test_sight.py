"""Sight, cover and what stands between, against sampling of bodies point by point and against GEOS."""

from math import hypot
from random import Random
from typing import Any

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.geometry.plane.shapes import Figure, Piece
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry import vantage
from services.stargrave.geometry.look import look
from services.stargrave.rules import sight
from tests.effort import cases
from tests.services.stargrave.asking import ask, box, field_of, figure, table

RADIUS, HEIGHT = 0.5, 1.2

tenths = st.integers(0, 200).map(lambda number: number / 10)
walls = st.lists(
    st.tuples(st.integers(0, 160), st.integers(20, 150), st.integers(1, 40), st.integers(1, 30), st.integers(2, 40)),
    max_size=6,
)


def scene_of(rows: list[tuple[int, int, int, int, int]], **rest: Any) -> Battlefield:
    """Give two figures, 16 inches apart on a line, and boxes between them, in tenths of an inch."""
    pieces = [
        box(f"w{index}", x / 10, 2 + y / 10, (x + wide) / 10, 2 + min(y + deep, 152) / 10, height_in=high / 10)
        for index, (x, y, wide, deep, high) in enumerate(rows)
    ]
    figures = [figure("kel", [10, 1]), figure("ivo", [10, 18], "blue")]
    return field_of({"board": {"pieces": pieces}, "figures": figures, **rest})


def bodies(field: Battlefield) -> tuple[Figure, Figure]:
    """Give the looker and the target as the geometry takes them."""
    return sight.solid(field, "kel"), sight.solid(field, "ivo")


def stops(piece: Piece, start: tuple[float, float, float], end: tuple[float, float, float]) -> bool:
    """Decide by GEOS and by the height of the line at both ends of what it has in common with a piece."""
    outline = shapely.Polygon([(x / 1000, y / 1000) for x, y in piece.outline])
    common = shapely.LineString([start[:2], end[:2]]).intersection(outline)
    if common.length < 1e-9:
        return False
    whole = hypot(end[0] - start[0], end[1] - start[1])
    ends = shapely.get_coordinates(common)
    heights = [
        start[2] + (end[2] - start[2]) * hypot(x - start[0], y - start[1]) / whole for x, y in (ends[0], ends[-1])
    ]
    return min(heights) < piece.height / 1000 - 1e-9


def sampled(field: Battlefield, eye: tuple[float, float, float], draws: int, random: Random) -> float:
    """Estimate how much of ivo's silhouette is seen from an eye, by lines to points of it."""
    pieces = list(field.ground.pieces.values())
    along, across = 18 - eye[1], 10 - eye[0]
    length = hypot(along, across)
    seen = 0
    for _ in range(draws):
        aside = random.uniform(-RADIUS, RADIUS)
        end = 10 - aside * along / length, 18 + aside * across / length, random.uniform(0, HEIGHT)
        seen += not any(stops(piece, eye, end) for piece in pieces)
    return seen / draws


@given(walls, st.integers(0, 10**6))
@settings(max_examples=cases(30), deadline=None)
def test_what_is_visible_is_what_lines_to_points_of_the_body_say(rows: list[Any], seed: int) -> None:
    field = scene_of(rows)
    kel, ivo = sight.solid(field, "kel"), sight.solid(field, "ivo")
    random = Random(seed)
    for origin in ("centre", "body"):
        result = look(field.ground, (), kel, ivo, (), ()).sighting(origin, "no")
        eye = tuple(number / 1000 for number in result.eye)
        guess = sampled(field, (eye[0], eye[1], eye[2]), 150, random)
        # Six standard deviations of 150 draws are at most a quarter.
        assert abs(float(result.visible) - guess) < 0.25


@given(walls)
@settings(max_examples=cases(60), deadline=None)
def test_the_best_view_is_no_worse_than_that_from_the_middle(rows: list[Any]) -> None:
    field = scene_of(rows)
    kel, ivo = sight.solid(field, "kel"), sight.solid(field, "ivo")
    centre = look(field.ground, (), kel, ivo, (), ()).sighting("centre", "no")
    body = look(field.ground, (), kel, ivo, (), ()).sighting("body", "no")
    assert (body.visible, body.clear) >= (centre.visible, centre.clear)
    assert body.clear <= body.visible
    assert hypot(body.eye[0] - 10_000, body.eye[1] - 1000) <= 501


@given(walls)
@settings(max_examples=cases(60), deadline=None)
def test_a_piece_more_hides_no_less(rows: list[Any]) -> None:
    field, fewer = scene_of(rows), scene_of(rows[:-1])
    kel, ivo = sight.solid(field, "kel"), sight.solid(field, "ivo")
    shares = [
        look(of.ground, (), kel, ivo, (), ()).sighting(origin, "no").visible
        for origin in ("centre", "body")
        for of in (field, fewer)
    ]
    assert shares[0] <= shares[1]
    assert shares[2] <= shares[3]


@given(walls)
@settings(max_examples=cases(60), deadline=None)
def test_who_is_seen_with_a_graze_blocking_is_seen_without(rows: list[Any]) -> None:
    field = scene_of(rows)
    strict, lax = (sight.sees(table(graze=option), field, "kel", "ivo") for option in ("touch", "cross"))
    assert lax or not strict
    at = table()
    assert sight.sees(at, field, "kel", "ivo") is lax
    assert ("graze" in at.read_ids) == (strict != lax)


@given(walls)
@settings(max_examples=cases(60), deadline=None)
def test_a_glimpse_says_what_the_whole_view_says(rows: list[Any]) -> None:
    field = scene_of(rows)
    kel, ivo = sight.solid(field, "kel"), sight.solid(field, "ivo")
    for origin in ("centre", "body"):
        result = look(field.ground, (), kel, ivo, (), ()).sighting(origin, "no")
        said = "seen" if result.visible > 0 else "grazing" if result.grazing else "hidden"
        assert look(field.ground, (), kel, ivo, (), ()).glimpsed(origin, "no") == said


corners = st.tuples(st.integers(-3000, 3000), st.integers(1000, 9000))
triangles = st.tuples(corners, corners, corners).filter(
    lambda t: abs((t[1][0] - t[0][0]) * (t[2][1] - t[0][1]) - (t[1][1] - t[0][1]) * (t[2][0] - t[0][0])) > 1000
)


@given(triangles, st.integers(1, 2000), st.integers(1, 2000))
def test_the_strip_between_bases_meets_what_geos_says(outline: Any, wide: int, other: int) -> None:
    piece = Piece("p", outline, 1000)
    a, b = Figure("a", (0, 0), wide, 1000), Figure("b", (0, 10_000), other, 1000)
    strip = shapely.Polygon([(-wide, 0), (wide, 0), (other, 10_000), (-other, 10_000)])
    assert vantage.meets_strip(piece, vantage.strip(a, b)) == (strip.intersection(shapely.Polygon(outline)).area > 0)


@pytest.mark.parametrize(("gap", "cover"), [(0.0, "heavy"), (0.002, "heavy"), (0.003, "none"), (0.1, "none")])
def test_cover_begins_where_the_target_touches(gap: float, cover: str) -> None:
    wall = box("wall", 5, 18.9 - gap, 15, 19.5 - gap, height_in=0.8)
    field = field_of(
        {"board": {"pieces": [wall]}, "figures": [figure("kel", [10, 10]), figure("ivo", [10, 20], "blue")]}
    )
    assert sight.shelter(table(), field, *bodies(field)) == cover


@pytest.mark.parametrize("height", [0.1, 0.3, 0.6, 0.7, 1.0, 1.1])
def test_the_share_behind_a_low_wall_is_that_of_similar_triangles(height: float) -> None:
    """A wall 9.5 inches off hides up to where the line over its far edge falls, 10 inches off."""
    wall = box("wall", 5, 18.9, 15, 19.5, height_in=height)
    field = field_of(
        {"board": {"pieces": [wall]}, "figures": [figure("kel", [10, 10]), figure("ivo", [10, 20], "blue")]}
    )
    result = look(field.ground, (), sight.solid(field, "kel"), sight.solid(field, "ivo"), (), ()).sighting(
        "centre", "no"
    )
    hidden = max(0.0, (HEIGHT - (HEIGHT - height) * 10 / 9.5) / HEIGHT)
    assert float(result.visible) == pytest.approx(1 - hidden)
    cover = sight.shelter(table(sight_from="centre"), field, *bodies(field))
    assert cover == ("heavy" if hidden >= 0.5 else "light" if hidden > 0 else "none")


def test_a_wall_below_the_roof_that_a_target_stands_on_is_not_touched() -> None:
    house, crate = box("house", 8, 19, 12, 24, height_in=4), box("crate", 8, 18, 12, 19, height_in=1)
    roof = {"board": {"pieces": [house, crate]}, "figures": [figure("ivo", [10, 19.5], "blue", elevation_in=4)]}
    field = field_of(roof)
    ivo = sight.solid(field, "ivo")
    assert vantage.touches(ivo, field.ground.pieces["house"])
    assert not vantage.touches(ivo, field.ground.pieces["crate"])


@pytest.mark.parametrize(
    ("case", "pointer", "code"),
    [
        ({"observer": "nobody"}, "/case/observer", "unknown-figure"),
        ({"observer": "out"}, "/case/observer", "not-in-play"),
        ({"observer": "kel", "targets": ["ivo", "nobody"]}, "/case/targets/1", "unknown-figure"),
        ({"observer": "kel", "targets": ["kel"]}, "/case/targets/0", "itself"),
        ({"observer": "kel", "points": [{"at": [40, 1]}]}, "/case/points/0/at", "off-the-table"),
    ],
)
def test_impossible_cases_are_faults_at_their_place(case: dict[str, Any], pointer: str, code: str) -> None:
    figures = [figure("kel", [10, 10]), figure("ivo", [10, 20], "blue"), figure("out", None, "blue", health=0)]
    with pytest.raises(Faults) as caught:
        ask("line-of-sight", {"scene": {"figures": figures}, **case})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [(pointer, code)]


def test_figures_out_of_play_hide_nobody() -> None:
    fallen = figure("big", None, "blue", health=0, base_in=3.0, height_in=3.0)
    figures = [figure("kel", [10, 10]), figure("ivo", [10, 20], "blue"), fallen]
    ruling = ask("line-of-sight", {"scene": {"figures": figures}, "observer": "kel"})
    assert [line.target for line in ruling.answer.lines] == ["ivo"]
    assert ruling.answer.lines[0].clear == 1


@settings(max_examples=cases(80), deadline=None)
@given(st.tuples(*(st.integers(0, 12) for _ in range(4))), st.tuples(*(st.integers(1, 5) for _ in range(4))))
def test_a_point_is_judged_by_the_line_to_itself(places: Any, sides: Any) -> None:
    """Walls higher than anybody, on whole inches, so that many lines run along sides and through corners."""
    x, y, u, v = places
    wide, deep, more_wide, more_deep = sides
    walls = [box("a", 3, 3, 3 + wide, 3 + deep), box("b", 4, 9, 4 + more_wide, 9 + more_deep)]
    shapes_ = [shapely.box(3, 3, 3 + wide, 3 + deep), shapely.box(4, 9, 4 + more_wide, 9 + more_deep)]
    eye, point = shapely.Point(x + 1, y + 1), shapely.Point(u + 1, v + 1)
    if eye == point or any(shape.intersects(spot) for shape in shapes_ for spot in (eye, point)):
        return
    sight_line = shapely.LineString([eye, point])
    case = {
        "scene": {
            "board": {"width_in": 20, "depth_in": 20, "pieces": walls},
            "figures": [figure("kel", [x + 1, y + 1])],
        },
        "observer": "kel",
        "points": [{"at": [u + 1, v + 1]}],
    }
    for graze, stops in (("cross", shapely.crosses), ("touch", shapely.intersects)):
        ruling = ask("line-of-sight", case, readings={"graze": graze, "sight-from": "centre"})
        (line,) = ruling.answer.lines
        assert line.seen == (not any(stops(shape, sight_line) for shape in shapes_)), graze
        assert line.visible == float(line.seen)
