"""Ways over the battlefield: lengths, what stops a straight one, and what is in the way on which level."""

from math import dist, hypot, pi, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.geometry.plane.paths.moves import straight
from arbiter.geometry.plane.shapes import Figure, floats
from arbiter.skirmish.paths import start_of, stepped
from arbiter.skirmish.plane import bends
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import courses, ways
from tests.effort import cases
from tests.services.size_skirmish.field import box, field_of, scene, walled, with_model, with_models

DIRECTIONS = st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000)).filter(any)

ALONE = with_models(**{id_: {"at": None} for id_ in ("bob", "ole", "sam", "nan")})
BLOCK = box("block", 14, 5, 16, 15, height=3)
TOWER = box("tower", 14, 5, 16, 15, height=3, climbable=True)


def body(field: Battlefield, id_: str = "ada") -> Figure:
    return field.solid(field.unit(id_))


def on_tower(field: Battlefield) -> Battlefield:
    return field.changed("ada", at=(15.0, 10.0), height_above=3.0)


def test_steps_add_up() -> None:
    path = stepped(body(field_of()), [(13, 14), (13, 14), (16, 18)])
    assert (path.length, len(path.legs), path.end) == (10_000, 2, (16_000, 18_000))


def test_the_shortest_way_goes_round_a_corner() -> None:
    field = field_of(walled(BLOCK, posted=ALONE))
    path = ways.shortest(field.ground, body(field), (20_000, 10_000), ())
    # A tangent to the circle of half an inch about each of two corners 4 or 5 away, an arc about both, and 2 along.
    reach = sqrt(4**2 + 5**2 - 0.5**2)
    to_corner, to_tangent = 0.896055384571344, 0.078166658  # atan2(5, 4), and asin(0.5 / √41)
    arc = 0.5 * (to_corner + to_tangent)
    assert path is not None
    assert path.length / 1000 == pytest.approx(2 * (reach + arc) + 2, abs=1e-4)


SPOTS = st.tuples(st.integers(600, 29_400), st.integers(600, 29_400))


@settings(max_examples=cases(400))
@given(at=st.lists(SPOTS, min_size=2, max_size=6, unique=True), goal=SPOTS, passable=st.booleans(), near=st.booleans())
def test_a_way_that_plainly_is_straight_is_the_one_that_a_search_finds(
    at: list[tuple[int, int]], goal: tuple[int, int], passable: bool, near: bool
) -> None:
    field = field_of(walled(BLOCK, posted=ALONE))
    mover, *others = (replace(body(field), id=f"model{number}", at=spot) for number, spot in enumerate(at))
    around = tuple((other, passable and number % 2 == 0) for number, other in enumerate(others))
    if near:
        goal = (others[0].at[0] + 2 * mover.radius, others[0].at[1])
    obstacles = ways.obstacles(field.ground, mover, around)
    found = obstacles.path(start_of(obstacles, mover), floats(goal))
    assert ways.shortest(field.ground, mover, goal, around) == found
    spots = ways.around(field.ground, mover, others[0], others)
    nearest_first = sorted(spots, key=lambda spot: (dist(spot, mover.at), spot))
    touching = obstacles.path_to_nearest(start_of(obstacles, mover), floats(others[0].at), map(floats, nearest_first))
    assert ways.into_contact(field.ground, mover, others[0], around) == touching


def test_other_models_are_entered_and_passed() -> None:
    field = field_of(with_model("bob", at=[14, 10]))
    ada = body(field)
    through = stepped(ada, [(19, 10)])
    assert ways.passed(through, ada.radius, ways.others(field, ada)) == ("bob",)
    assert ways.passed(stepped(ada, [(13, 10)]), ada.radius, ways.others(field, ada)) == ()
    assert ways.entered((13_100, 10_000), ada.radius, ways.others(field, ada)) == ("bob",)
    assert ways.entered((13_000, 10_000), ada.radius, ways.others(field, ada)) == ()
    assert [other.id for other in ways.others(field, ada)] == ["bob", "ole", "sam", "nan"]


def test_on_top_nothing_lower_is_in_the_way() -> None:
    field = field_of(walled(TOWER))
    above = on_tower(field)
    ada = body(above)
    # The guards are 2 high, and stay below; the ogre is 4 high.
    assert [other.id for other in ways.others(above, ada)] == ["ole"]
    assert ways.free(above.ground, ada, (14_000, 10_000))
    assert not ways.free(field.ground, body(field), (14_000, 10_000))
    assert (above.ground.support((15_000, 10_000)), above.ground.support((14_000, 10_000))) == (3_000, 0)


@given(DIRECTIONS)
def test_a_model_comes_off_the_table_beyond_its_edge(direction: tuple[int, int]) -> None:
    field = field_of(ALONE)
    ada = body(field)
    edge, by = ways.to_edge(field, ada, direction), hypot(*direction)

    def after(length: float) -> tuple[float, float]:
        return ada.at[0] + direction[0] / by * length, ada.at[1] + direction[1] / by * length

    assert not ways.off_table(field, ada, straight(floats(ada.at), after(edge)))
    assert ways.off_table(field, ada, straight(floats(ada.at), after(edge + 40)))


def test_places_around_a_base_touch_it() -> None:
    field = field_of(walled(box("block", 21, 8, 24, 12)))
    ada, bob = body(field), body(field, "bob")
    spots = ways.around(field.ground, ada, bob, ways.others(field, ada))
    assert spots[0] == (19_000, 10_000)
    assert all(abs(dist(spot, bob.at) - 1_000) < 1 and spot[0] <= 20_505 for spot in spots)


def test_the_way_into_contact_is_the_shortest_of_those_to_all_places_around_a_base() -> None:
    walls = (box("block", 14, 5, 16, 15, height=3), box("hut", 8, 16, 12, 20, height=3))
    for at, facing in (((10, 10), (1, 0)), ((10, 10), (0, 1)), ((17.5, 4), (-1, 2)), ((20, 12.5), (0, -1))):
        field = field_of(walled(*walls, posted=with_models(ada={"at": list(at), "facing": list(facing)})))
        ada, bases = body(field), ways.bases(field, body(field))
        for other in ways.others(field, ada):
            spots = ways.around(field.ground, ada, other, ways.others(field, ada))
            for beyond in ((), courses.behind(field, ada, facing)):
                obstacles = ways.obstacles(field.ground, ada, bases, beyond)
                paths = [obstacles.path(floats(ada.at), floats(spot)) for spot in spots]
                found = ways.into_contact(field.ground, ada, other, bases, beyond)
                lengths = [path.length for path in paths if path is not None]
                assert (found is None) is (not lengths)
                assert found is None or found.length == pytest.approx(min(lengths), abs=1e-6)


def test_who_is_put_somewhere_faces_as_before_unless_turned() -> None:
    field = field_of()
    moved = ways.put(field, field.unit("ada"), (12_345, 10_000)).unit("ada")
    assert (moved.at, moved.facing) == ((12.345, 10.0), (1, 0))
    bob = field.unit("bob")
    turned = ways.put(field, bob, (20_000, 10_000), ways.towards((20_000, 10_000), (10_000, 20_000)))
    assert turned.unit("bob").facing == (-1, 1)


def test_bends_are_places_of_the_scene() -> None:
    field = field_of(walled(BLOCK, posted=ALONE))
    ada = body(field)
    assert list(bends(stepped(ada, [(13, 10)]))) == [(10.0, 10.0), (13.0, 10.0)]
    path = ways.shortest(field.ground, ada, (20_000, 10_000), ())
    assert path is not None
    spots = list(bends(path))
    assert spots[0] == (10.0, 10.0)
    assert spots[-1] == (20.0, 10.0)
    assert len(spots) == 1 + sum(1 if leg.centre is None else 8 for leg in path.legs)
    assert pi > max(abs(leg.angle) for leg in path.legs)


def test_a_scene_without_models_has_ways_too() -> None:
    assert field_of(scene(models=[])).ground.obstacles(500).free((1_000.0, 1_000.0))
