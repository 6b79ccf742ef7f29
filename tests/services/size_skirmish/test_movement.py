"""Movement: whatever is announced and whatever stands in the way, a model ends on the table, overlapping nobody."""

from fractions import Fraction
from math import dist, hypot
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.geometry.plane.shapes import whole
from arbiter.skirmish.paths import stepped
from arbiter.skirmish.plane import point
from services.size_skirmish.actions import Action, ActionContext
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import checked
from services.size_skirmish.geometry import courses
from services.size_skirmish.rules import climbing, leaving, movement, paths, ranges
from tests.effort import cases
from tests.services.size_skirmish.field import ask, box, field_of, table, walked, walled, with_model, with_models

TOWER = box("tower", 14, 5, 20, 9, height=3, climbable=True)
LEDGE = box("ledge", 20, 5, 23, 9, height=2, climbable=True)
WALL = box("wall", 5, 13, 16, 14, height=3)
WAYS = st.lists(st.tuples(st.integers(5, 475), st.integers(5, 475)), min_size=1, max_size=4).map(
    lambda spots: tuple((x / 10, y / 10) for x, y in spots)
)
NEAR = st.lists(st.tuples(st.integers(80, 240), st.integers(30, 200)), min_size=1, max_size=4).map(
    lambda spots: tuple((x / 10, y / 10) for x, y in spots)
)
FACING = st.tuples(st.integers(-9, 9), st.integers(-9, 9)).filter(any)
ROWS = st.sampled_from(["walk", "disengage", "march", "run", "squeeze", "pursue", "climb"])


@st.composite
def fields(draw: st.DrawFn) -> Battlefield:
    """Draw a battlefield with terrain, on which ada stands among others, perhaps on the tower."""
    while True:
        on_top = draw(st.booleans())
        spot = (
            st.tuples(st.integers(141, 199), st.integers(51, 89))
            if on_top
            else st.tuples(st.integers(60, 240), st.integers(30, 200))
        )
        x, y = draw(spot)
        others: dict[str, dict[str, Any]] = {
            id_: {"at": [draw(st.integers(60, 240)) / 10, draw(st.integers(30, 200)) / 10]}
            for id_ in ("bob", "ole", "sam", "nan")
        }
        others["bob"]["fleeing"] = {"direction": [1, 0]}
        posted = with_models(
            ada={"at": [x / 10, y / 10], "height_above": 3 if on_top else 0, "facing": draw(FACING)}, **others
        )
        posted["melees"] = draw(st.sampled_from([[], [{"one": "ada", "other": "bob"}]]))
        try:
            return field_of(walled(TOWER, LEDGE, WALL, posted=posted))
        except Faults:
            continue


def answered(question: str, case: dict[str, Any]) -> Any:
    """Return the answer to a question that has one."""
    return ask(question, case).answer


def sound(field: Battlefield) -> None:
    """Hold that a scene passes the checks."""
    checked(field.scene)


@settings(max_examples=cases(150))
@given(fields(), ROWS, st.one_of(WAYS, NEAR), st.integers(0, 17_000), st.sampled_from([0.0, 1.0, 2.0, 3.0, None]))
def test_any_movement_ends_where_a_model_may_stand_and_goes_no_farther_than_its_range(
    field: Battlefield, row: str, way: tuple[tuple[float, float], ...], distance: int, height: float | None
) -> None:
    action = Action("ada", "move", row, "bob" if row == "pursue" else None, way=way, height_above=height)
    after, outcome = movement.done(table(), field, action, ActionContext(distance))
    sound(after)
    body = field.solid(field.unit("ada"))
    gone = sum(dist(a, b) for a, b in zip(outcome.way, outcome.way[1:], strict=False))
    if row != "climb":
        assert gone * 1000 <= distance + 2
        assert after.unit("ada").height_above == field.unit("ada").height_above
    # What was allowed is done as announced: to the end of the way, or as far as was rolled.
    most = ranges.fixed(table(), field, "ada", field.book.movements[row])
    if row in ("walk", "march", "disengage", "squeeze") and not movement.violations(
        table(), field, action, ActionContext()
    ):
        after, _ = movement.done(table(), field, action, ActionContext(most))
        assert dist(point(after.unit("ada").at or (0, 0)), point(way[-1])) <= after.ground.slack
    assert dist(body.at, point(after.unit("ada").at or (0, 0))) <= max(distance, 17_000) + 2


@settings(max_examples=cases(60))
@given(fields(), st.sampled_from(["attack", "run-and-shoot", "pursue"]), st.integers(0, 12_000))
def test_who_goes_for_somebody_ends_no_farther_away_and_may_stand_there(
    field: Battlefield, row: str, distance: int
) -> None:
    action = Action("ada", "move", row, "bob")
    after, _ = movement.moved(table(), field, action, ActionContext(distance))
    sound(after)
    # Whoever has to go round something may at first go away from the one who is gone for.
    _, whole = movement.moved(table(), field, action, ActionContext(100_000))
    bob = field.solid(field.unit("bob"))
    was, now = (dist(each.solid(each.unit("ada")).at, bob.at) for each in (field, after))
    # Bases in contact may reach into each other by a slip, and one that is moved beside another does not.
    contact = bob.radius + field.solid(field.unit("ada")).radius
    assert now <= max(was, contact) + 1 or len(whole) > 2, contact


@settings(max_examples=cases(60))
@given(fields(), NEAR, st.sampled_from(["area", "heading"]), FACING)
def test_what_is_before_a_model_is_as_its_half_plane_says(
    field: Battlefield, way: tuple[tuple[float, float], ...], how: courses.Front, facing: tuple[int, int]
) -> None:
    body = field.solid(field.unit("ada"))
    path = stepped(body, way)
    found = courses.before(path, facing, how, "included")

    def ahead(a: tuple[int, int], b: tuple[int, int]) -> bool:
        return (b[0] - a[0]) * facing[0] + (b[1] - a[1]) * facing[1] >= 0

    spots = [body.at, *map(point, way)]
    begins = [body.at] * len(way) if how == "area" else spots
    every = all(ahead(begin, spot) for begin, spot in zip(begins, spots[1:], strict=False))
    assert (found >= path.length) == every
    end = path.at(found)
    deep = (end[0] - body.at[0]) * facing[0] + (end[1] - body.at[1]) * facing[1]
    assert how == "heading" or deep >= -hypot(*facing)


# Ranges


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("align", 0),
        ("walk", 5000),
        ("disengage", 5000),
        ("march", 10_000),
        ("run", 5000),
        ("attack", 10_000),
        ("run-and-shoot", 5000),
        ("flee", 5000),
        ("pursue", 5000),
        ("climb", 2500),
        ("fall", 0),
        ("squeeze", 2500),
    ],
)
def test_the_table_of_ranges(row: str, expected: int) -> None:
    field = field_of()
    assert ranges.fixed(table(), field, "ada", field.book.movements[row]) == expected


@pytest.mark.parametrize(("how", "expected"), [("exact", 2500), ("up", 3000), ("down", 2000)])
def test_half_of_five_is_rounded_as_is_read(how: str, expected: int) -> None:
    field = field_of()
    assert ranges.fixed(table(half_movement=how), field, "ada", field.book.movements["squeeze"]) == expected


def test_the_dice_of_a_run_are_two() -> None:
    law = walked(ranges.determined, field_of(), Action("ada", "move", "run"))
    assert law == {5000 + 1000 * pips: Fraction(6 - abs(7 - pips), 36) for pips in range(2, 13)}
    assert walked(ranges.determined, field_of(), Action("ada", "move", "align")) == {None: 1}


# As far as possible


def test_a_way_that_is_cut_short_before_somebody_ends_at_the_base() -> None:
    field = field_of(with_model("bob", at=[14, 10]))
    after, _ = movement.done(table(), field, Action("ada", "move", "walk", way=((18.0, 10.0),)), ActionContext(8000))
    assert after.unit("ada").at == (13.0, 10.0)


def test_a_way_through_a_friend_that_is_cut_in_the_friend_ends_before() -> None:
    field = field_of(with_model("sam", at=[13, 10]))
    after, _ = movement.done(table(), field, Action("ada", "move", "run", way=((18.0, 10.0),)), ActionContext(3500))
    assert after.unit("ada").at == (12.0, 10.0)


def test_a_march_is_cut_where_it_leaves_the_front() -> None:
    action = Action("ada", "move", "march", way=((12.0, 12.0), (8.0, 16.0)))
    after, _ = movement.done(table(), field_of(with_model("ole", at=[30, 30])), action, ActionContext(20_000))
    assert after.unit("ada").at == (10.0, 14.0)


def test_who_is_held_in_a_melee_by_a_reaction_stops_at_the_reach_of_the_weapon() -> None:
    field = field_of(with_model("bob", at=[11, 10])).joined("ada", "bob")
    after, _ = movement.done(table(), field, Action("ada", "move", "walk", way=((6.0, 10.0),)), ActionContext(5000))
    # A blade reaches 1.5.
    assert after.unit("ada").at == (9.5, 10.0)
    assert leaving.reach(field, "ada", "bob") == 1500


def test_a_step_into_contact_is_straight() -> None:
    field = field_of(with_model("bob", at=[13, 14]))
    path = movement.step(field, "ada", "bob")
    assert path is not None
    assert path.length == pytest.approx(4000)
    assert movement.step(field_of(with_model("bob", at=[11, 10])), "ada", "bob") is None


def test_an_approach_goes_round_what_is_in_the_way() -> None:
    field = field_of(walled(box("block", 14, 8, 15, 11, height=3)))
    path = paths.approach(table(), field, Action("ada", "move", "pursue", "bob"))
    assert path is not None
    assert len(path.legs) > 1
    assert dist(path.end, (20_000, 10_000)) == pytest.approx(1000, abs=1)
    attack = Action("ada", "move", "attack", "bob")
    assert whole(paths.made(table(towards="straight"), field, attack, 20_000).end) == (13_500, 10_000)


# Climbing


@pytest.mark.parametrize(
    ("x", "to", "height", "reason"),
    [
        # The tower begins at 14, and ada's base is half an inch from its middle to its rim.
        (13.4, 14.4, 3, "touches nothing that can be climbed"),
        (13.5, 14.4, 3.5, "has nothing to climb that is high enough"),
        (13.5, 12.5, 3, "leads away from what it holds on to"),
    ],
)
def test_what_keeps_somebody_from_a_climb_is_told_apart(x: float, to: float, height: float, reason: str) -> None:
    field = field_of(walled(TOWER, posted=with_model("ada", at=[x, 7])))
    up = Action("ada", "move", "climb", way=((to, 7.0),), height_above=height)
    (violation,) = climbing.violations(table(), field, up)
    assert violation.rule == "climbing.no_hold"
    assert reason in violation.text


@pytest.mark.parametrize(
    ("before", "after", "turns"),
    [
        # Ada faces east. She turns where she is to face otherwise, and not where she faces so already.
        ([1, 0], [2, 0], 0),
        ([0, 1], [0, 1], 1),
        ([0, 1], [1, 0], 2),
        (None, [0, -1], 1),
    ],
)
def test_only_who_faces_otherwise_turns(before: list[int] | None, after: list[int], turns: int) -> None:
    case = {"scene": with_model("ada"), "model": "ada", "way": [[9, 10]], "turned": before, "facing": after}
    ruling = ask("path", {**case, "reactions": []})
    assert [each.text for each in ruling.findings].count("Guard (ada) turns for free") == turns
    turned = [event.values["facing"] for event in ruling.effects.events if event.name == "turned"]
    assert turned == ([] if after[0] > 0 else [tuple(after)])


def test_nobody_is_climbed_through() -> None:
    """Ole, 4 high, stands on the tower beside ada, who is below it."""
    posted = with_models(ada={"at": [13.5, 7]}, ole={"at": [15.2, 7], "height_above": 3})
    field = field_of(walled(TOWER, posted=posted))
    up = Action("ada", "move", "climb", way=((14.4, 7.0),), height_above=3)
    assert [reason.rule for reason in climbing.violations(table(), field, up)] == [
        "climbing.too_far",
        "climbing.in_the_way",
    ]
    side = Action("ada", "move", "climb", height_above=2.5)
    assert climbing.violations(table(), field, side) == ()


def test_what_was_climbed_holds_nobody_who_was_pushed_away() -> None:
    field = field_of(walled(TOWER))
    after, outcome = movement.done(table(), field, Action("ada", "move", "climb", height_above=2), ActionContext(2500))
    assert after == field
    assert outcome.way == ()


# Questions


@pytest.mark.parametrize(
    ("case", "at"),
    [
        ({"model": "ada", "movement": "jump"}, "/case/movement"),
        ({"model": "ada", "movement": "attack"}, "/case/target"),
        ({"model": "ada", "movement": "pursue", "target": "ada"}, "/case/target"),
        ({"model": "eve"}, "/case/model"),
        ({"model": "ada", "turned": [0, 0]}, "/case/turned"),
        ({"model": "ada", "to": [[10, 10], [49, 10]]}, "/case/to/1"),
    ],
)
def test_impossible_cases_of_moves_are_faults(case: dict[str, Any], at: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("moves", {"scene": with_model("ada"), **case})
    assert [fault.pointer for fault in caught.value.faults] == [at]


def test_the_area_and_the_samples_of_a_walk() -> None:
    answer = answered("moves", {"scene": with_model("ada"), "model": "ada", "spacing": 5})
    assert {tuple(sample.at) for sample in answer.samples} == {(5, 10), (10, 5), (10, 10), (10, 15), (15, 10)}
    (shape,) = answer.area
    assert max(x for x, _ in shape.outside) == pytest.approx(15, abs=0.02)


def test_the_area_of_a_march_is_half_a_disc() -> None:
    answer = answered("moves", {"scene": with_model("ada"), "model": "ada", "movement": "march"})
    assert min(x for shape in answer.area for x, _ in shape.outside) == pytest.approx(10, abs=0.02)


def test_on_a_tower_the_area_ends_with_it() -> None:
    scene = walled(TOWER, posted=with_model("ada", at=[17, 7], height_above=3))
    answer = answered("moves", {"scene": scene, "model": "ada", "spacing": 2})
    assert {tuple(sample.at) for sample in answer.samples} == {(16, 6), (16, 8), (18, 6), (18, 8)}
    spots = [spot for shape in answer.area for spot in shape.outside]
    assert (min(x for x, _ in spots), max(y for _, y in spots)) == (14, 9)


def test_everything_that_was_found_within_reach_may_be_walked() -> None:
    scene = walled(WALL, posted=with_models(ada={"at": [10, 12]}, bob={"at": [12, 11]}))
    answer = answered("moves", {"scene": scene, "model": "ada", "spacing": 1})
    assert len(answer.samples) > 20
    for sample in answer.samples:
        there = {"scene": scene, "model": "ada", "goal": list(sample.at), "reactions": []}
        assert answered("path", there).at == tuple(sample.at)
