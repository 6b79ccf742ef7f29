"""Forcing combat: where, by whom, and what is left of the movement."""

from math import cos, dist, pi, sin, sqrt
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from arbiter.geometry.plane import shapes
from services.stargrave.geometry.ways import Step, follow_steps
from services.stargrave.rules import interception, movement
from tests.services.stargrave.yard import ask, empty, field_of, kel, table, tenths


@settings(deadline=None)
@given(st.integers(20, 220), st.integers(20, 220), st.integers(60, 200), st.integers(60, 200))
# The way ends at 1 inch to the thousandth, straight ahead and on a slant; it grazes the inch; it begins at it.
@example(148, 80, 128, 80)
@example(113, 69, 97, 81)
@example(100, 60, 200, 40)
@example(52, 56, 60, 200)
# A tenth nearer, and a tenth further away.
@example(147, 80, 128, 80)
@example(149, 80, 128, 80)
@example(100, 61, 200, 40)
def test_the_place_is_the_first_within_an_inch_of_the_base(x: int, y: int, u: int, v: int) -> None:
    """Places are tenths of an inch, so that whole numbers tell exactly who comes within an inch of whom."""
    assume(dist((x, y), (40, 40)) > 11 and dist((x, y), (u, v)) > 10.1)
    field = field_of(empty(kel((4, 4)), kel((x / 10, y / 10), id="finn", crew="blue")))
    way = follow_steps(field, field.figure("kel"), (Step((u / 10, v / 10)),))
    # A straight line against a circle of two inches: its ends, or the foot of the perpendicular, are in it or not.
    squared = (u - 40) ** 2 + (v - 40) ** 2
    ahead = (x - 40) * (u - 40) + (y - 40) * (v - 40)
    aside = (x - 40) * (v - 40) - (y - 40) * (u - 40)
    begins = (x - 40) ** 2 + (y - 40) ** 2 <= 400
    ends = (x - u) ** 2 + (y - v) ** 2 <= 400
    passes = 0 <= ahead <= squared and aside * aside <= 400 * squared
    result = interception.threats(table(), field, "kel", way)
    # Whoever is asked can also come into contact: nothing is in the way on an empty table.
    assert [enemy for _, enemy in result] == (["finn"] if begins or ends or passes else [])
    if result:
        # The nearer root of the square equation, times 100 from tenths to thousandths.
        first = 0.0 if begins else (ahead - sqrt(400 * squared - aside * aside)) / sqrt(squared)
        assert result[0][0] == pytest.approx(100 * first, abs=1e-3)


@settings(deadline=None)
@given(tenths(0, 100), st.integers(0, 359))
def test_who_comes_beside_another_touches_and_does_not_overlap(far: float, angle: int) -> None:
    at = (
        round(20_000 + (1500 + 1000 * far) * cos(angle * pi / 180)),
        round(20_000 + (1500 + 1000 * far) * sin(angle * pi / 180)),
    )
    mover, still = shapes.Figure("a", at, 500, 1200), shapes.Figure("b", (20_000, 20_000), 813, 1200)
    to = interception.beside(mover, still)
    assert to is not None
    assert 0 <= dist(to, still.at) - 1313 <= 2
    # It has come straight: the place lies on the line between both middles, to a few thousandths.
    aside = abs((at[0] - 20_000) * (to[1] - 20_000) - (at[1] - 20_000) * (to[0] - 20_000)) / dist(at, still.at)
    assert aside <= 2.9


def test_friends_and_creatures_among_each_other_intercept_nobody() -> None:
    rav = {"id": "rav", "profile": "ravaged", "role": "creature", "at": [8, 5.5]}
    field = field_of(
        empty(kel((4, 4)), kel((8, 2.5), id="rex", role="soldier"), rav, {**rav, "id": "cur", "at": [11, 5.5]})
    )
    way = follow_steps(field, field.figure("kel"), (Step((10, 4)),))
    assert [enemy for _, enemy in interception.threats(table(), field, "kel", way)] == ["rav", "cur"]
    across = follow_steps(field, field.figure("rav"), (Step((14, 7)),))
    assert interception.threats(table(), field, "rav", across) == ()


def test_a_fall_that_kills_comes_before_an_interception_beyond_it() -> None:
    roof = {"id": "roof", "outline": [[2, 2], [8, 2], [8, 6], [2, 6]], "height_in": 4}
    rav = {"id": "rav", "profile": "ravaged", "role": "creature", "at": [5, 9.2]}
    field = field_of(empty(kel((5, 5.5), elevation_in=4, health=6), rav, pieces=[roof]))
    way = follow_steps(field, field.figure("kel"), (Step((5, 8), "drop"),))
    after, by = movement.resolve_movement(table(), field, "kel", way)
    # 4 inches are 6 points; the fall is at 6.5, and the creature an inch from a base at 7.2.
    assert after.figure("kel").at is None
    assert by == ()


@pytest.mark.parametrize(("several", "by"), [("one", ("rav",)), ("all", ("rav", "cur"))])
def test_two_creatures_at_one_place(several: str, by: tuple[str, ...]) -> None:
    rav: dict[str, Any] = {"id": "rav", "profile": "ravaged", "role": "creature", "at": [8, 6]}
    field = field_of(empty(kel((4, 4)), rav, {**rav, "id": "cur", "at": [8, 2]}))
    way = follow_steps(field, field.figure("kel"), (Step((12, 4)),))
    after, forced = movement.resolve_movement(table(**{"forcing-several": several}), field, "kel", way)
    assert forced == by
    assert after.figure("kel").at == (8.0, 4.0)


@pytest.mark.parametrize("first", ["finn", "gus"])
@pytest.mark.parametrize("turned", [False, True])
def test_who_intercepts_first_at_one_place_is_not_decided_by_the_order_of_the_scene(first: str, turned: bool) -> None:
    sides = [kel((8, 6), id="finn", crew="blue"), kel((8, 2), id="gus", crew="green")]
    scene = empty(kel((4, 4)), *(reversed(sides) if turned else sides))
    choices = {"finn: force combat": ["force"], "gus: force combat": ["force"], "kel: first interceptor": [first]}
    ruling = ask("path", {"scene": scene, "figure": "kel", "goal": [10, 4]}, choices=choices)
    assert ruling.answer.stopped_by == (first,)
    # By initiative the mover has nothing to pick.
    del choices["kel: first interceptor"]
    scene["turn"] = {"order": [*(["blue", "green"] if first == "finn" else ["green", "blue"]), "red"]}
    by_turn = ask(
        "path",
        {"scene": scene, "figure": "kel", "goal": [10, 4]},
        choices=choices,
        readings={"forcing-order": "initiative"},
    )
    assert by_turn.answer.stopped_by == (first,)
