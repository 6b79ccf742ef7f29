"""Universal VTT maps: what becomes of each field, by hand; what is refused, and where."""

import json
from typing import Any

import msgspec
import pytest

from arbiter.fault import Faults
from arbiter.maps import importer
from arbiter.maps.importer import ImportedMap, ImportedPortal, ImportedWall, MapScale, read_map
from tests.arbiter.mapping import Line, at, notes, read, uvtt

INCH = 1000
DIAGONAL: Line = [(1, 1), (2, 2)]


def faults(document: Any) -> list[tuple[str, str]]:
    with pytest.raises(Faults) as caught:
        read(document)
    return [(fault.pointer, fault.code) for fault in caught.value.faults]


# A wall of a tenth of an inch from (2, 3) to (6, 3) reaches from y = 2.95 to y = 3.05.
def test_a_line_becomes_a_wall_of_the_stated_thickness() -> None:
    assert read(uvtt([(2, 3), (6, 3)])) == ImportedMap(
        10 * INCH, 8 * INCH, (ImportedWall(((2000, 3050), (6000, 3050), (6000, 2950), (2000, 2950))),)
    )
    thick = read(uvtt([(2, 3), (6, 3)]), MapScale(thickness=500))
    assert thick.walls == (ImportedWall(((2000, 3250), (6000, 3250), (6000, 2750), (2000, 2750))),)


def test_a_square_is_as_large_as_the_caller_says() -> None:
    assert read(uvtt([(2, 3), (6, 3)]), MapScale(square=1500)) == ImportedMap(
        15 * INCH, 12 * INCH, (ImportedWall(((3000, 4550), (9000, 4550), (9000, 4450), (3000, 4450))),)
    )


@pytest.mark.parametrize("origin", [(2, 3), (-4.5, 0.25), (1000.1, -7)])
def test_the_origin_of_the_map_is_taken_off_everything(origin: tuple[float, float]) -> None:
    def moved(*places: tuple[float, float]) -> list[tuple[float, float]]:
        # Two places behind the point: such sums of decimals are what a file holds.
        return [(round(x + origin[0], 2), round(y + origin[1], 2)) for x, y in places]

    wall, table, door = ((1.2, 1.3), (4.7, 1.3)), ((5, 5), (6, 5), (6, 6)), ((1.2, 2.5), (1.2, 3.5))
    shifted = uvtt(moved(*wall), objects=(moved(*table),), portals=((moved(*door), True),), origin=origin)
    assert read(shifted) == read(uvtt([*wall], objects=([*table],), portals=(([*door], True),)))
    assert read(shifted).walls[0].outline == ((1200, 1350), (4700, 1350), (4700, 1250), (1200, 1250))


def test_a_map_without_an_origin_begins_at_zero() -> None:
    assert read(uvtt([(2, 3), (6, 3)], origin=None)) == read(uvtt([(2, 3), (6, 3)]))


# 0.1 + 0.2 is no 0.3 in floating numbers, and 1.0005 is a half thousandth, which goes to the even one.
def test_places_are_read_as_the_decimals_that_they_are() -> None:
    table = [(0.3, 0.3), (1.0005, 0.3), (1.0005, 1.0015)]
    (piece,) = read(uvtt(objects=([(x + 0.5, y + 0.5) for x, y in table],), origin=(0.5, 0.5))).walls
    assert piece.outline == ((300, 300), (1000, 300), (1000, 1002))


# The corner of an L of thickness 0.1 is mitred: half a thickness inside and outside the drawn one.
def test_a_corner_is_mitred() -> None:
    (bent,) = read(uvtt([(2, 2), (6, 2), (6, 5)])).walls
    assert bent.outline == ((2000, 2050), (5950, 2050), (5950, 5000), (6050, 5000), (6050, 1950), (2000, 1950))


def test_lines_that_go_on_in_each_other_are_one_wall() -> None:
    assert read(uvtt([(2, 2), (6, 2)], [(6, 5), (6, 2)])) == read(uvtt([(2, 2), (6, 2), (6, 5)]))


# Three ends meet at (6, 2): each goes on for half its thickness, so that none can be looked through between them.
def test_walls_that_meet_overlap() -> None:
    pieces = read(uvtt([(2, 2), (6, 2)], [(6, 2), (9, 2)], [(6, 2), (6, 5)])).walls
    assert [piece.outline for piece in pieces] == [
        ((2000, 2050), (6050, 2050), (6050, 1950), (2000, 1950)),
        ((5950, 2050), (9000, 2050), (9000, 1950), (5950, 1950)),
        ((5950, 1950), (5950, 5000), (6050, 5000), (6050, 1950)),
    ]


def test_objects_are_closed_whether_or_not_they_come_back_to_their_first_corner() -> None:
    table: Line = [(2, 2), (4, 2), (4, 3), (2, 3)]
    solid = ImportedWall(((2000, 2000), (4000, 2000), (4000, 3000), (2000, 3000)), closed=True)
    assert read(uvtt(objects=(table,))).walls == (solid,)
    assert read(uvtt(objects=([*table, table[0]],))).walls == (solid,)


def test_an_object_that_meets_itself_becomes_walls_along_it() -> None:
    imported = read(uvtt(objects=([(2, 2), (4, 4), (4, 2), (2, 4)],)))
    assert notes(imported) == {"not-simple": 1}
    assert imported.walls
    assert not any(piece.closed for piece in imported.walls)


# A closed door of an opening from 2.5 to 3.5 goes half a thickness further at either end, into the walls.
def test_portals_are_closed_or_open() -> None:
    imported = read(uvtt(portals=(([(3, 2.5), (3, 3.5)], True), ([(5, 2.5), (5, 3.5)], False))))
    assert imported.walls == ()
    assert imported.portals == (
        ImportedPortal(((2950, 2450), (2950, 3550), (3050, 3550), (3050, 2450)), True),
        ImportedPortal(((4950, 2450), (4950, 3550), (5050, 3550), (5050, 2450)), False),
    )


def test_a_portal_that_does_not_say_is_closed() -> None:
    document = uvtt(portals=(([(3, 2.5), (3, 3.5)], False),))
    del document["portals"][0]["closed"]
    assert read(document).portals[0].closed


# Outside and across the edge


def test_what_lies_outside_is_left_out_and_counted() -> None:
    imported = read(
        uvtt(
            [(-3, 2), (-1, 2)],
            [(2, 9), (6, 9)],
            [(-1, 4), (4, -1.001)],
            [(2, 3), (6, 3)],
            objects=([(11, 1), (12, 1), (12, 2)],),
            portals=(([(20, 1), (20, 2)], True),),
        )
    )
    assert imported.portals == ()
    assert len(imported.walls) == 2
    assert notes(imported) == {"outside": 4, "cut": 1}


# From (8, 3) to (12, 3) on a map 10 wide: cut at 10. The triangle (9, 5), (11, 5), (9, 7) loses its tip at (10, 6).
def test_what_reaches_over_the_edge_is_cut_there() -> None:
    imported = read(uvtt([(8, 3), (12, 3)], objects=([(9, 5), (11, 5), (9, 7)],)))
    assert notes(imported) == {"cut": 2}
    assert imported.walls[0].outline == ((8000, 3050), (10000, 3050), (10000, 2950), (8000, 2950))
    assert set(imported.walls[1].outline) == {(9000, 5000), (10000, 5000), (10000, 6000), (9000, 7000)}


def test_a_wall_on_the_edge_of_the_map_is_inside_and_half_as_thick() -> None:
    imported = read(uvtt([(0, 1), (0, 4)]))
    assert [set(piece.outline) for piece in imported.walls] == [{(0, 1000), (50, 1000), (50, 4000), (0, 4000)}]
    assert imported.warnings == ()


def test_walls_without_a_length_are_left_out_and_counted() -> None:
    imported = read(uvtt([(1, 1)], [], [(2, 2), (2, 2)], [(3, 3), (3.0001, 3)], objects=([(5, 5)],)))
    assert imported.walls == ()
    assert notes(imported) == {"no-length": 5}


# The picture


def test_the_picture_is_neither_looked_at_nor_kept() -> None:
    document = uvtt([(2, 3), (6, 3)])
    picture = "QUJD" * 2_000_000
    body = json.dumps({**document, "image": picture}).encode()
    assert len(body) > importer.MOST_BYTES_OF_A_MEMBER
    imported = read_map(body)
    assert imported == read({name: value for name, value in document.items() if name != "image"})
    assert b"QUJD" not in msgspec.json.encode(imported)


# Refused


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "not-json"),
        (b"\xff\xfe", "not-json"),
        (b"{", "not-json"),
        (b"<html>", "not-json"),
        (b"[]", "not-a-map"),
        (b"3", "not-a-map"),
        (b"{}", "unknown-map"),
        (b'{"resolution": null}', "unknown-map"),
        (b'{"resolution": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too-deep"),
        (b'{"image": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too-deep"),
        (b'{"resolution": {"map_size": {"x": 1e999, "y": 1}}}', "number-out-of-bounds"),
        (b'{"resolution": {}, "portals": NaN}', "not-json"),
    ],
)
def test_a_file_that_is_no_map_is_refused(body: bytes, code: str) -> None:
    with pytest.raises(Faults) as caught:
        read_map(body)
    assert [fault.code for fault in caught.value.faults] == [code]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"resolution": 5}, [("/resolution", "not-an-object"), ("/resolution/map_size", "no-size")]),
        ({"resolution": {}}, [("/resolution/map_size", "no-size")]),
        ({"resolution": {"map_size": at(0, 5)}}, [("/resolution/map_size/x", "map-size")]),
        ({"resolution": {"map_size": at(5, -1)}}, [("/resolution/map_size/y", "map-size")]),
        ({"resolution": {"map_size": at(1025, 5)}}, [("/resolution/map_size/x", "map-size")]),
        ({"resolution": {"map_size": at(1001, 5)}}, [("/resolution/map_size/x", "table-size")]),
        ({"resolution": {"map_size": at(0.0001, 5)}}, [("/resolution/map_size/x", "table-size")]),
        (
            {"resolution": {"map_size": {"x": "7", "y": True}}},
            [("/resolution/map_size/x", "not-a-number"), ("/resolution/map_size/y", "not-a-number")],
        ),
        ({"resolution": {"map_size": at(5, 5), "map_origin": 3}}, [("/resolution/map_origin", "not-an-object")]),
        (
            {"resolution": {"map_size": at(5, 5), "map_origin": {"x": 1}}},
            [("/resolution/map_origin/y", "not-a-number")],
        ),
        ({"format": "new"}, [("/format", "not-a-number")]),
        ({"line_of_sight": {}}, [("/line_of_sight", "not-a-list")]),
        (
            {"line_of_sight": [None, 4, [4]]},
            [
                ("/line_of_sight/0", "not-a-list"),
                ("/line_of_sight/1", "not-a-list"),
                ("/line_of_sight/2/0", "not-an-object"),
            ],
        ),
        ({"line_of_sight": [[at(1, 1), {"x": 1, "y": "2"}]]}, [("/line_of_sight/0/1/y", "not-a-number")]),
        ({"line_of_sight": [[at(1, 1), at(1e7, 2)]]}, [("/line_of_sight/0/1/x", "number-out-of-bounds")]),
        ({"line_of_sight": [[at(1, 1), at(10**18, 2)]]}, [("/line_of_sight/0/1/x", "number-out-of-bounds")]),
        ({"objects_line_of_sight": [["a"]]}, [("/objects_line_of_sight/0/0", "not-an-object")]),
        ({"portals": [7]}, [("/portals/0", "not-an-object")]),
        ({"portals": [{}]}, [("/portals/0/bounds", "bounds")]),
        ({"portals": [{"bounds": [at(1, 1)]}]}, [("/portals/0/bounds", "bounds")]),
        ({"portals": [{"bounds": [at(1, 1), at(2, 2)], "closed": 1}]}, [("/portals/0/closed", "not-a-boolean")]),
    ],
)
def test_every_fault_is_told_at_its_place(change: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert faults({**uvtt(), **change}) == found


def test_a_file_full_of_faults_is_not_read_to_its_end() -> None:
    assert len(faults({**uvtt(), "line_of_sight": [["no place"] * 1000]})) == 50


def test_what_is_seen_is_shown_shortly() -> None:
    with pytest.raises(Faults) as caught:
        read({**uvtt(), "line_of_sight": [["x" * 500]], "format": "f" * 41})
    assert max(len(fault.seen) for fault in caught.value.faults) == 41


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (uvtt(*[DIAGONAL] * 5001), "too-many-walls"),
        (uvtt([(1, 1)] * 20_001), "too-many-points"),
        (uvtt(line_of_sight="x" * (importer.MOST_BYTES_OF_A_MEMBER + 1)), "too-large"),
    ],
)
def test_a_map_that_is_too_large_is_refused(document: dict[str, Any], code: str) -> None:
    assert [found for _, found in faults(document)] == [code]


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps(uvtt()).encode()
    monkeypatch.setattr(importer, "MOST_BYTES", len(body))
    read_map(body)
    with pytest.raises(Faults, match="too large"):
        read_map(body + b" ")
