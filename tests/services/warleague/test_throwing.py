"""Throws: a thrown unit ends on a legal tile or is dead, flights by a second count, ways and faults."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked
from services.warleague.profiles import Throw
from services.warleague.rules import chains
from services.warleague.rules.happenings import Throwing
from services.warleague.scene import Tile
from tests.effort import cases
from tests.services.warleague.field import ask, field_of, scene, table, unit
from tests.services.warleague.test_explosions import READINGS, TILES, tables


def thrown(at: Table, field: Battlefield, unit_id: str, throw: Throw, origin: Tile) -> Battlefield:
    """Throw a unit, with its landing and all that follows."""
    return chains.resolve(at, field, Throwing(unit_id, throw, "a throw", origin)).field


@given(
    posted=tables(),
    who=st.sampled_from(["ann", "kit"]),
    origin=TILES,
    tiles=st.integers(0, 8),
    way=st.sampled_from(["away", "towards", "chosen"]),
    readings=READINGS,
)
@settings(max_examples=cases(200))
def test_a_thrown_unit_ends_on_the_board_on_a_legal_tile_or_dead(
    posted: dict[str, Any], who: str, origin: list[int], tiles: int, way: Any, readings: dict[str, str]
) -> None:
    before = field_of(posted)
    after = thrown(table(**readings), before, who, Throw(tiles, way), (origin[0], origin[1]))
    flown = after.unit(who)
    checked(after.scene)  # raises Faults where somebody stands where nobody can
    assert flown.dead == (flown.at is None)
    if flown.at is not None:
        assert flown.at in after.ground.tiles
        assert flown.at not in after.obstacles | after.crates | after.ground.killing.keys()
        assert [other.id for other in after.on(flown.at)] == [who]


@given(tiles=st.integers(0, 9), wall=st.integers(1, 11), hole=st.integers(1, 11), start=st.integers(0, 11))
def test_a_flight_along_a_row_stops_before_what_is_hit(tiles: int, wall: int, hole: int, start: int) -> None:
    """Counted a second way, on a line of squares: the nearest of full distance, wall and edge; then the hole."""
    if start in (wall, hole) or wall == hole:
        return
    posted = {
        "sides": [{"id": "red"}],
        "board": {"grid": "square-4", "columns": 12, "rows": 2, "killing": [{"at": [hole, 0]}]},
        "units": [unit("kit", [start, 0], profile="mandible")],
        "obstacles": [{"id": "wall", "at": [wall, 0]}],
    }
    after = thrown(table(), field_of(posted), "kit", Throw(tiles, "away"), (start, 1))
    # From (start, 1) away is north, off the board: nothing moves.
    assert after.unit("kit").at == (start, 0)
    if not start:
        return
    after = thrown(table(), field_of(posted), "kit", Throw(tiles, "away"), (start - 1, 0))
    to = min([start + tiles, 11, *([wall - 1] if wall > start else [])])
    assert after.unit("kit").at == (None if to == hole else (to, 0))


@given(
    blocked=st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20),
    start=st.tuples(st.integers(0, 6), st.integers(0, 6)),
    direction=st.integers(0, 7),
    grazes=st.sampled_from(["both", "either", "never"]),
)
@settings(deadline=None)
def test_a_flight_goes_as_far_as_a_line_is_clear(blocked: set[Tile], start: Tile, direction: int, grazes: str) -> None:
    """Sight and throws read corners alike: a unit comes to the last tile of its row or diagonal that it could see."""
    posted = {
        "sides": [{"id": "red"}],
        "board": {"grid": "square-8", "columns": 7, "rows": 7},
        "units": [unit("kit", list(start), profile="mandible")],
        "obstacles": [{"id": f"w{x}{y}", "at": [x, y]} for x, y in sorted(blocked - {start})],
    }
    field, walls = field_of(posted), blocked - {start}
    dx, dy = ((1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1))[direction]
    expected = start
    for far in range(1, 7):
        to = (start[0] + far * dx, start[1] + far * dy)
        if to not in field.ground.tiles or to in walls or not field.ground.sees(start, to, frozenset(walls), grazes):
            break
        expected = to
    origin = (start[0] - dx, start[1] - dy)
    way = Throw(6, "away") if origin in field.ground.tiles else None
    if way is not None:
        assert thrown(table(grazes=grazes), field, "kit", way, origin).at("kit") == expected


@pytest.mark.parametrize(
    ("tiles", "passed"),
    [
        pytest.param(3, ["tile 9,4"], id="the board ends where concealed ground lies, after another one"),
        pytest.param(1, [], id="the flight ends on the concealed ground"),
    ],
)
def test_nobody_passes_over_the_tile_on_which_a_flight_ends(tiles: int, passed: list[str]) -> None:
    concealed = [{"at": [9, 4], "holds": "nothing"}, {"at": [11, 4], "holds": "nothing"}]
    units = [unit("kit", [8, 4], profile="mandible")]
    case = {"unit": "kit", "origin": [7, 4], "throw": {"tiles": tiles}}
    posted = scene(units=units, crates=[], obstacles=[], concealed=concealed)
    ruling = ask("throw", {"scene": posted, **case})
    assert [step.text for step in ruling.findings if step.rule == "throwing.passes"] == [
        f"Mandible (kit) passes over {tile}" for tile in passed
    ]


def test_pulled_towards_a_tile_a_unit_goes_past_it_if_nobody_stands_there() -> None:
    posted = scene(units=[unit("kit", [4, 4], profile="mandible")], crates=[], concealed=[], obstacles=[])
    after = thrown(table(), field_of(posted), "kit", Throw(3, "towards"), (3, 4))
    assert after.unit("kit").at == (1, 4)


def test_along_a_line_of_squares_the_tiles_that_it_enters_are_counted() -> None:
    """From (0, 0) past (2, 1) a line enters (3, 1), (3, 2) and (4, 2), since it crosses the corner of none."""
    posted = {
        "sides": [{"id": "red"}],
        "board": {"grid": "square-4", "columns": 9, "rows": 9},
        "units": [unit("kit", [2, 1], profile="mandible")],
    }
    found = [
        thrown(table(throw_direction="line"), field_of(posted), "kit", Throw(tiles, "away"), (0, 0)).unit("kit").at
        for tiles in (1, 2, 3)
    ]
    assert found == [(3, 1), (3, 2), (4, 2)]


def test_the_dead_are_not_thrown() -> None:
    posted = scene(units=[unit("kit", None, profile="mandible", dead=True)])
    field = field_of(posted)
    assert thrown(table(), field, "kit", Throw(3), (1, 1)) == field


@pytest.mark.parametrize(
    ("case", "where", "code"),
    [
        ({"unit": "bob", "by": "bob"}, "/case/by", "itself"),
        ({"unit": "bob", "origin": [4, 2]}, "/case/origin", "no-direction"),
        ({"unit": "bob", "origin": [40, 2]}, "/case/origin", "off-the-board"),
        ({"unit": "nobody"}, "/case/unit", "unknown-unit"),
    ],
)
def test_impossible_throws_are_faults(case: dict[str, Any], where: str, code: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("throw", {"scene": scene(), "throw": {"tiles": 2}, **case})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [(where, code)]
