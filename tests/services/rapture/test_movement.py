"""Ways, moves and retreats: boundaries by hand, and laws for whatever is asked."""

from math import dist
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arbiter.skirmish import paths
from arbiter.skirmish.plane import point
from services.rapture import contacts
from services.rapture.battlefield import Battlefield
from services.rapture.checks import checked
from services.rapture.rules import bands, boxes, movement, retreat, routes
from services.rapture.ways import Way
from tests.effort import cases
from tests.services.rapture.field import ask, box, field_of, scene, table, unit, walled, with_unit

MEADOW = scene(
    units=[unit("ada", [[20, 20]]), unit("bob", [[20, 60]], "blue", "gate-breaker"), unit("cid", [[40, 20]], "blue")]
)


def stepped(field: Battlefield, id_: str, *places: tuple[float, float]) -> Way:
    first = paths.stepped(field.solids(field.unit(id_))[0], places)
    way = routes.way_with(table(), field, id_, first)
    assert way is not None
    return way


def reasons(posted: dict[str, Any], id_: str, *places: tuple[float, float], **options: str) -> set[str]:
    field = field_of(posted)
    at_table = table(**options)
    allowed = movement.allowance(at_table, field, id_)
    return {
        reason.rule for reason in movement.way_violations(at_table, field, id_, stepped(field, id_, *places), allowed)
    }


def test_a_way_may_be_as_long_as_mov_and_no_longer() -> None:
    assert reasons(MEADOW, "ada", (20, 8)) == set()
    assert reasons(MEADOW, "ada", (20, 7.999)) == {"movement.length_violations"}
    assert reasons(MEADOW, "ada", (26, 14), (20, 14)) == {"movement.length_violations"}


def test_every_reason_is_told() -> None:
    scene = {**MEADOW, "board": {"pieces": [box("hut", 25, 10, 30, 30)]}}
    assert reasons(scene, "ada", (45, 20)) == {
        "movement.length_violations",
        "movement.terrain_violations",
        "movement.passing_violations",
        "movement.contact_violations",
    }


def test_nobody_leaves_the_battlefield_by_moving() -> None:
    assert reasons(with_unit("rob", models=[[2, 80], [6, 80], [10, 80]]), "rob", (1.25, 80)) == set()
    assert reasons(with_unit("rob", models=[[2, 80], [6, 80], [10, 80]]), "rob", (1.2, 80)) == {
        "movement.terrain_violations"
    }


def test_a_base_may_touch_what_it_may_not_enter() -> None:
    scene = {**MEADOW, "board": {"pieces": [box("hut", 25, 10, 30, 30)]}}
    assert reasons(scene, "ada", (23.5, 20)) == set()
    assert reasons(scene, "ada", (23.6, 20)) == {"movement.terrain_violations"}


def test_an_opponents_base_is_entered_by_nobody_whatever_friends_may() -> None:
    assert reasons(MEADOW, "cid", (31, 20), passing_models="friends") == set()
    near = with_unit("ada", models=[[30, 20]])
    near["units"] = [near["units"][0], unit("cid", [[34, 20]], "blue")]
    assert "movement.passing_violations" in reasons(near, "ada", (38, 20), passing_models="friends")


def test_reading_friends_are_asked_of_only_where_they_are_in_the_way() -> None:
    field = field_of(MEADOW)
    at_table = table()
    movement.way_violations(at_table, field, "ada", stepped(field, "ada", (20, 10)), 12_000)
    assert "passing-models" not in at_table.read_ids


def test_who_is_held_and_who_is_not() -> None:
    field = field_of()
    assert {reason.rule for reason in movement.violations(table(), field, "ada")} == {"movement.held_violations"}
    assert not movement.violations(table(leaving_contact="free"), field, "ada")
    assert not movement.violations(table(), field, "fay")
    assert {reason.rule for reason in movement.violations(table(), field, "una")} == {"bands.lone_move_violations"}


def test_a_shooter_is_met_just_short_of_contact() -> None:
    """Bases of 1.5 touch at 3 cm from middle to middle: up to 2.989 short of it nobody stands in contact."""
    field = field_of(
        with_unit("ada", models=[[34, 20]]) | {"units": [unit("ada", [[34, 20]]), unit("cid", [[40, 20]], "blue")]}
    )
    way = stepped(field, "ada", (37, 20))
    (contact,) = contacts.contacts_on(field, "ada", way)
    assert (contact.unit, contact.lasts) == ("cid", True)
    short = movement.stop_before_contact(table(), field, "ada", way, contact)
    assert short.unit("ada").models == ((36.989, 20.0),)
    assert not bands.contact(table(), short, "ada")
    assert bands.contact(table(), movement.at_end(field, "ada", way), "ada") == ("cid",)


def test_who_is_touched_when_the_way_begins_is_not_met_again() -> None:
    field = field_of()
    assert contacts.contacts_on(field, "ada", stepped(field, "ada", (10, 9.9))) == ()
    (left,) = contacts.contacts_left(field, "ada", stepped(field, "ada", (10, 20)))
    assert (left.unit, left.by) == ("bob", ("ada",))


def test_apprentices_keep_their_places_or_come_as_near_as_there_is_room() -> None:
    """A wall on the north of where the leader ends pushes one hand aside; it still touches her."""
    field = field_of(walled(box("wall", 20, 21.5, 40, 25)))
    way = stepped(field, "fay", (30, 20))
    places = dict(way.along)
    assert places["vic"] == (30_000, 17_250)
    assert places["una"] != (30_000, 22_750)
    after = movement.at_end(field, "fay", way)
    assert not bands.contact_violations(table(), after, "fay")
    checked(after.scene)


def test_the_models_of_a_squad_come_as_near_as_there_is_room() -> None:
    field = field_of(walled(box("wall", 50, 15.25, 58, 25)))
    way = stepped(field, "gus", (54, 10))
    after = movement.at_end(field, "gus", way)
    checked(after.scene)
    assert after.unit("gus").models[0] == (54, 10)
    assert all(dist(after.unit("gus").models[0], at) < 6 for at in after.unit("gus").models)


def test_no_way_leads_into_a_pocket_that_is_too_narrow() -> None:
    """Between two huts 2.9 cm apart no base of 3 gets through, and 3 cm are enough."""
    for gap, through in ((2.9, False), (3.0, True)):
        scene = walled(box("one", 25, 0, 28, 19), box("two", 25, 19 + gap, 28, 90), units=[unit("ada", [[20, 20]])])
        field = field_of(scene)
        assert (routes.way_to(table(), field, "ada", (31_000, 20_000)) is not None) == through


def test_half_of_mov_is_rounded_as_read() -> None:
    """The ferrywoman's 11 cm: 5, or 5.5; the lantern-bearer's 12 cm: 6 in every reading, and none is asked."""
    assert retreat.allowance(table(), field_of(), "fay") == 5_000
    assert retreat.allowance(table(retreat_rounding="exact"), field_of(), "fay") == 5_500
    at_table = table()
    assert retreat.allowance(at_table, field_of(), "ada") == 6_000
    assert "retreat-rounding" not in at_table.read_ids


@pytest.mark.parametrize(
    ("left", "points", "may"),
    [
        (4, "one-left", True),
        (3, "one-left", False),
        (3, "all-three", True),
        (2, "all-three", False),
        (2, "as-many", True),
        (1, "as-many", True),
        (0, "as-many", False),
    ],
)
def test_how_many_mp_a_retreat_takes(left: int, points: str, may: bool) -> None:
    field = field_of(with_unit("ada", mp_crossed=6 - left))
    assert (not retreat.violations(table(retreat_points=points), field, "ada")) == may


def test_straight_away_is_away_from_the_opponent() -> None:
    field = field_of(
        with_unit("ada", models=[[30, 50]])
        | {"units": [unit("ada", [[30, 50]]), unit("bob", [[33.5, 50]], "blue", "gate-breaker")]}
    )
    way = retreat.straight_away(table(), field, "ada", 6_000)
    assert way is not None
    assert way.paths[0].end == (24_000.0, 50_000.0)
    assert not retreat.way_violations(table(retreat_direction="straight"), field, "ada", way, 6_000)
    aside = stepped(field, "ada", (24, 50.2))
    assert {
        reason.rule
        for reason in retreat.way_violations(table(retreat_direction="straight"), field, "ada", aside, 9_000)
    } == {"retreat.direction_violations"}


def test_a_retreat_costs_three_boxes_and_a_point() -> None:
    field = field_of(scene(active="ada"))
    after, _ = retreat.retreat(table(), field, "ada", stepped(field, "ada", (4, 10)))
    assert (boxes.left(after, "ada", "mp"), boxes.points(table(), after, "ada")) == (3, (3, 2))
    assert (after.scene.active, after.unit("ada").activated) == (None, True)


def test_a_retreat_as_an_answer_ends_the_activation_of_who_attacks() -> None:
    field = field_of(scene(active="bob", turn="blue"))
    after, _ = retreat.retreat(table(), field, "ada", stepped(field, "ada", (4, 10)), True)
    assert (after.scene.active, after.unit("bob").activated, after.unit("ada").activated) == (None, True, False)


# Laws

spot = st.tuples(st.integers(20, 700), st.integers(20, 700)).map(lambda at: (at[0] / 10, at[1] / 10))
corner = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(2, 15), st.integers(2, 15))


@given(goal=spot, huts=st.lists(corner, max_size=3), mover=st.sampled_from(("fay", "gus", "rob")))
@settings(max_examples=cases(40), deadline=None)
def test_whatever_move_is_allowed_leaves_a_sound_scene_within_mov(
    goal: tuple[float, float], huts: list[tuple[int, int, int, int]], mover: str
) -> None:
    pieces = [box(f"hut{number}", x, y, x + w, y + d) for number, (x, y, w, d) in enumerate(huts)]
    field = field_of(walled(*pieces))
    way = routes.way_to(table(), field, mover, point(goal))
    assume(way is not None and not movement.violations(table(), field, mover))
    assert way is not None
    allowed = movement.allowance(table(), field, mover)
    result = movement.way_violations(table(), field, mover, way, allowed)
    assume(not [reason for reason in result if reason.rule != "movement.length_violations"])
    after = movement.at_end(field, mover, way)
    checked(after.scene)
    if not result:
        before = field.unit(mover).models
        far = max(dist(one, other) for one, other in zip(before, after.unit(mover).models, strict=True))
        assert far <= allowed / 1000 + 0.002


@given(goal=spot)
@settings(max_examples=cases(25), deadline=None)
def test_the_shortest_way_is_no_longer_than_any_detour_that_is_allowed(goal: tuple[float, float]) -> None:
    """A way by some place is never shorter than the one that is found."""
    field = field_of(walled(box("hut", 25, 15, 35, 40), units=[unit("ada", [[20, 20]])]))
    result = routes.way_to(table(), field, "ada", point(goal))
    if result is None:
        return
    for via in ((20.0, 60.0), (40.0, 12.0), (40.0, 60.0)):
        way = stepped(field, "ada", via, goal)
        if not movement.way_violations(table(), field, "ada", way, 500_000):
            assert result.length <= way.length + 5


def short_of_cid(*models: list[float]) -> tuple[tuple[float, float], ...]:
    """Give where a squad in a row stands just short of cid, whose base it is to touch at x = 37.25."""
    field = field_of(scene(units=[unit("rob", [*models], profile="roof-runners"), unit("cid", [[40, 20]], "blue")]))
    way = stepped(field, "rob", (37.25, 20))
    (contact,) = contacts.contacts_on(field, "rob", way)
    after = movement.stop_before_contact(table(), field, "rob", way, contact)
    assert checked(after.scene).scene == after.scene
    return after.unit("rob").models


def test_models_behind_one_that_stops_short_of_contact_leave_it_room() -> None:
    # The first is 11 thousandths short, and those that follow base to base are no nearer.
    (first, second, third) = short_of_cid([25, 20], [22.5, 20], [20, 20])
    assert first[0] == pytest.approx(37.239, abs=0.001)
    assert first[0] - second[0] == pytest.approx(2.5, abs=0.001)
    assert second[0] - third[0] == pytest.approx(2.5, abs=0.001)


def test_models_with_room_between_them_go_to_the_ends_of_their_ways() -> None:
    (_, second, third) = short_of_cid([25, 20], [22, 20], [19, 20])
    assert (second, third) == ((34.25, 20.0), (31.25, 20.0))


def test_the_places_shown_for_a_squad_are_those_to_which_all_of_it_can_go() -> None:
    """The wall leaves room for the first model to the west of it, and none for the others beside it."""
    scene = walled(box("wall", 40, 11.5, 58, 30))
    result = ask("moves", {"scene": scene, "unit": "gus", "spacing_cm": 4}).answer
    assert len(result.samples) > 3
    for sample in result.samples:
        removed = ask("path", {"scene": scene, "unit": "gus", "goal": list(sample.at)}, policies={"*": "first"})
        assert removed.allowed
        assert removed.answer.length_cm == sample.length_cm <= result.allowance_cm


def test_of_several_apprentices_in_contact_the_shooter_chooses_one() -> None:
    """Una and vic end 2.5 cm from middle to middle of two guards, which is contact; their leader touches nobody."""
    posted = scene()
    posted["units"] += [unit("gil", [[36, 15.25], [36, 4.75], [60, 60]], profile="ditch-guard")]
    ruling = ask("path", {"scene": posted, "unit": "fay", "way": [[36, 10]]})
    assert ruling.needs is not None
    assert ruling.needs.choice.label == "gil: countershot at"
    assert [option.id for option in ruling.needs.choice.options] == ["una", "vic"]
    shot = ask(
        "path",
        {"scene": posted, "unit": "fay", "way": [[36, 10]]},
        choices={
            "gil: countershot at": ["vic"],
            "gil: before contact": ["countershot"],
            "vic: before the hit roll": ["none"],
        },
        dice={"hand": {"gil: hit": [6, 6], "vic: block": [1]}},
    ).answer
    assert [(each.by, each.at, each.wounds) for each in shot.countershots] == [("gil", "vic", 2)]
    assert shot.models == ((36, 10),)
    assert shot.touches == ("gil",)


def test_a_band_stops_short_of_contact_with_the_apprentice_that_seeks_shelter() -> None:
    posted = with_unit("ada", models=[[36, 15.5]])
    case = {"scene": posted, "unit": "fay", "way": [[36, 10]]}
    choices = {"ada: before contact": ["countershot"], "una: before the hit roll": ["seek-shelter"]}
    dice = {"hand": {"ada: hit": [1, 1, 1]}}
    assert ask("path", case, choices=choices, dice=dice).answer.touches == ()
    on = ask("path", case, choices=choices, dice=dice, readings={"shelter-under-way": "goes-on"}).answer
    assert on.touches == ("ada",)


def test_a_shot_falls_first_where_contact_begins_first() -> None:
    """Along the way east ada brushes past cid after 6 cm and dan after 9, though the scene lists dan first."""
    posted = scene(units=[unit("ada", [[20, 20]]), unit("dan", [[29, 23]], "blue"), unit("cid", [[26, 17]], "blue")])
    field = field_of(posted)
    met = contacts.contacts_on(field, "ada", stepped(field, "ada", (32, 20)))
    assert [contact.unit for contact in met] == ["cid", "dan"]


def test_where_contact_begins_is_told_as_a_ruler_reads_it() -> None:
    """From ada at 20 to dan at 32 there are 12 cm, and between their bases, 3 cm across, 9."""
    field = field_of(scene(units=[unit("ada", [[20, 20]]), unit("dan", [[32, 20]], "blue")]))
    at = table()
    movement.announced_contacts(at, field, "ada", stepped(field, "ada", (29, 20)))
    (found,) = at.findings
    assert found.text == "Lantern Bearer (ada) comes into contact with Lantern Bearer (dan) after 9 cm"
