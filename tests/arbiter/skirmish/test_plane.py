"""Tables of inches and centimetres: what is read to the thousandth, what stands where it cannot, and maps."""

from math import pi
from typing import Any, Literal

import pytest

from arbiter.fault import Faults
from arbiter.geometry.plane.paths.moves import polyline
from arbiter.geometry.plane.paths.shortest import Leg, Path
from arbiter.geometry.plane.shapes import Figure, Piece, floats, whole
from arbiter.maps.importer import ImportedMap, ImportedPortal, ImportedWall
from arbiter.skirmish.maps import MapPiece, map_pieces
from arbiter.skirmish.plane import (
    PlaneGround,
    bends,
    body,
    off_table,
    place,
    point,
    rounded,
    rounded_place,
    standing_faults,
    table_faults,
)

SQUARE = ((0, 0), (1000, 0), (1000, 1000), (0, 1000))
UNITS = "/case/scene/units"


def piece(id_: str, sight: Literal["blocks", "open"] = "blocks", ground: Any = "impassable") -> Piece:
    return Piece(id_, SQUARE, 2000, sight, "none", ground, False)


def test_a_place_has_room_up_to_the_edge_of_the_table() -> None:
    ground = PlaneGround(2, 3, ())
    assert all(ground.has_room(at, 500) for at in ((500, 500), (1_500, 2_500), (1_000, 1_000)))
    assert not any(ground.has_room(at, 500) for at in ((499, 500), (500, 499), (1_501, 500), (500, 2_501)))


def test_places_are_read_to_the_nearest_thousandth_and_come_back() -> None:
    assert point((0.1, 2.0004)) == (100, 2000)
    assert place((100, 2500)) == (0.1, 2.5)
    assert place(point((12.345, 0.001))) == (12.345, 0.001)


def test_what_lies_between_thousandths_goes_to_the_nearest() -> None:
    assert (rounded(1234.4), rounded(2), rounded_place((999.6, 0.2))) == (1.234, 0.002, (1.0, 0.0))
    assert (floats((3, 4)), whole((2.6, -0.2))) == ((3.0, 4.0), (3, 0))


def test_a_path_bends_where_its_legs_meet_and_along_its_arcs() -> None:
    path = polyline([(0.0, 0.0), (0.0, 3000.0), (0.0, 3000.0), (4000.0, 3000.0)])
    assert ([leg.length for leg in path.legs], path.length) == ([3000.0, 4000.0], 7000.0)
    assert list(bends(path)) == [(0.0, 0.0), (0.0, 3.0), (4.0, 3.0)]
    quarter = Leg((1000.0, 0.0), (0.0, 1000.0), 500 * pi, (0.0, 0.0), 1000.0, pi / 2)
    arc = Path(quarter.start, quarter.end, quarter.length, quarter.length, (quarter,))
    assert list(bends(arc, 2)) == [(1.0, 0.0), (0.707, 0.707), (0.0, 1.0)]


def test_a_body_has_half_its_base_as_radius_and_never_nothing() -> None:
    assert body("ann", (1.5, 2.0), 1.0, 1.75, 0.5, (0, 1)) == Figure("ann", (1500, 2000), 500, 1750, 500, (0, 1))
    # An odd number of thousandths across loses half of one.
    assert body("ann", (0.0, 0.0), 0.005, 0.0004) == Figure("ann", (0, 0), 2, 1)


def test_a_ground_knows_what_blocks_and_what_is_impassable() -> None:
    pieces = (piece("wall"), piece("glass", sight="open"), piece("hedge", ground="even"))
    ground = PlaneGround(20.0, 10.5, pieces)
    assert (ground.width, ground.depth) == (20_000, 10_500)
    assert [each.id for each in ground.blocking] == ["wall", "hedge"]
    assert [each.id for each in ground.impassable] == ["wall", "glass"]


def test_a_place_is_off_the_table_beyond_its_last_thousandth() -> None:
    for at, off in (((10.0, 5.0), False), ((10.0004, 5.0), False), ((10.001, 5.0), True), ((10.0, 5.001), True)):
        assert bool(list(off_table("ann", at, (10.0, 5.0), "/case/at", "cm"))) is off
    (fault,) = off_table("ann", (11.0, 0.0), (10.0, 5.0), "/case/at", "cm")
    assert (fault.pointer, fault.code, fault.message) == ("/case/at", "off-the-table", "ann lies off the table")
    assert (fault.seen, fault.expected) == ([11.0, 0.0], "inside 10 by 5 cm")


def test_faults_of_a_table_are_at_the_members_of_its_game() -> None:
    faults = table_faults(0.0001, 10.0, [piece("a"), piece("a")], ("width_cm", "depth_cm"))
    found = {(fault.pointer, fault.code) for fault in faults}
    assert {("/case/scene/board/width_cm", "table-size"), ("/case/scene/board/pieces/1/id", "same-id")} <= found
    assert not table_faults(10.0, 10.0, [piece("a"), piece("b")], ("width", "depth"))


def standing(*bodies: Figure, touch: int = 0) -> list[tuple[str, str]]:
    places = [f"{UNITS}/{number * 10}/at" for number in range(len(bodies))]
    return [(fault.pointer, fault.code) for fault in standing_faults(bodies, places, (10.0, 10.0), UNITS, touch)]


def test_bodies_stand_on_the_table_and_not_in_each_other() -> None:
    ann, bob = body("ann", (2.0, 2.0), 1.0, 1.0), body("bob", (2.995, 2.0), 1.0, 1.0)
    assert standing(ann, body("bob", (3.0, 2.0), 1.0, 1.0)) == []
    assert standing(ann, bob) == [(f"{UNITS}/10/at", "figures-overlap")]
    assert standing(ann, bob, touch=10) == []
    assert standing(ann, body("bob", (2.98, 2.0), 1.0, 1.0), touch=10) == [(f"{UNITS}/10/at", "figures-overlap")]
    # A body may have a slack of its own instead: as far as that, two of them may stand in each other.
    slack = [body(id_, (x, 2.0), 1.0, 1.0, slack=50) for id_, x in (("ann", 2.0), ("bob", 2.95), ("cy", 3.88))]
    assert standing(*slack[:2]) == []
    assert standing(*slack) == [(f"{UNITS}/20/at", "figures-overlap")]
    assert standing(body("ann", (0.4, 2.0), 1.0, 1.0)) == [(f"{UNITS}/0/at", "off-the-table")]
    # That two units have one id is found where ids are looked through.
    assert standing(ann, body("ann", (8.0, 8.0), 1.0, 1.0)) == []


def test_a_map_gives_walls_closed_doors_and_objects_in_this_order() -> None:
    wall, thing = ImportedWall(SQUARE, stops_sight=False), ImportedWall(SQUARE, closed=True, stops_movement=False)
    doors = (ImportedPortal(SQUARE, closed=False), ImportedPortal(SQUARE, closed=True))
    outline = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    assert map_pieces(ImportedMap(9000, 9000, (thing, wall), doors), 9, 3) == (
        MapPiece("wall-1", "wall", outline, stops_sight=False),
        MapPiece("door-1", "door", outline),
        MapPiece("object-1", "object", outline),
    )


def test_a_map_that_is_too_large_or_too_full_is_refused() -> None:
    walls = (ImportedWall(SQUARE),) * 4
    with pytest.raises(Faults) as caught:
        map_pieces(ImportedMap(9001, 9000, walls, (ImportedPortal(SQUARE, closed=False),)), 9, 4, "cm")
    (fault,) = caught.value.faults[:1]
    assert (fault.code, fault.message, fault.expected) == (
        "table-size",
        "the map makes a table with a side of 9.001 cm",
        "at most 9 cm",
    )
    # Openings count as little as in the board.
    assert len(caught.value.faults) == 1
    with pytest.raises(Faults, match="5 pieces of terrain"):
        map_pieces(ImportedMap(9000, 9000, (*walls, ImportedWall(SQUARE))), 9, 4)
