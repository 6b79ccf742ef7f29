"""Flames: whom the template touches, against GEOS, and which cases make no sense."""

from math import cos, pi, sin
from typing import Any

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.stargrave.rules import flames
from tests.effort import cases
from tests.services.stargrave.asking import ask, field_of, figure, table

BURNER = figure("kel", [18, 18], profile="burner")


def cone(angle: float) -> shapely.Geometry:
    """Draw the sample template: from the edge of a base of 1 inch, 8 inches long, round at its end, 2.5 inches wide."""
    tip = shapely.Point(18 + 0.5 * cos(angle), 18 + 0.5 * sin(angle))
    end = shapely.Point(18 + 7.25 * cos(angle), 18 + 7.25 * sin(angle)).buffer(1.25, quad_segs=256)
    return shapely.unary_union([tip, end]).convex_hull


@given(st.integers(0, 719), st.tuples(st.integers(80, 280), st.integers(80, 280)))
@settings(max_examples=cases(150), deadline=None)
def test_flames_touch_whom_geos_says(half_degrees: int, at: tuple[int, int]) -> None:
    angle = half_degrees * pi / 360
    place = [at[0] / 10, at[1] / 10]
    field = field_of({"figures": [BURNER, figure("ivo", place, "blue")]})
    towards = (round(18 + 15 * cos(angle), 3), round(18 + 15 * sin(angle), 3))
    apart = cone(angle).distance(shapely.Point(place)) - 0.5
    if abs(apart) > 0.002:
        touched = flames.touched(table(), field, "kel", "flame-thrower", towards)
        assert touched == (("ivo",) if apart < 0 else ())


@pytest.mark.parametrize(("y", "reached"), [(27.0, True), (27.001, False)])
def test_flames_end_eight_inches_from_the_base(y: float, reached: bool) -> None:
    field = field_of({"figures": [BURNER, figure("ivo", [18, y], "blue")]})
    assert bool(flames.touched(table(), field, "kel", "flame-thrower", (18.0, 30.0))) is reached


def test_all_attacks_of_flames_are_made_though_one_jams() -> None:
    scene = {"figures": [BURNER, figure("ivo", [18, 22], "blue"), figure("zed", [18, 24], "blue")]}
    hand = {"kel: shooting": [1, 15], "ivo: combat": [5], "zed: combat": [5]}
    ruling = ask("flame", {"scene": scene, "shooter": "kel", "towards": [18, 30]}, dice={"hand": hand})
    assert [attack.hit for attack in ruling.answer.attacks] == [False, True]
    assert ruling.answer.jammed
    assert [event.name for event in ruling.effects.events].count("jammed") == 1


@pytest.mark.parametrize(
    ("case", "pointer", "code"),
    [
        ({}, "/case/towards", "direction"),
        ({"towards": [1, 1], "touched": ["ivo"]}, "/case/towards", "direction"),
        ({"towards": [18, 18]}, "/case/towards", "direction"),
        ({"towards": [18, 40]}, "/case/towards", "off-the-table"),
        ({"touched": ["kel"]}, "/case/touched/0", "itself"),
        ({"touched": ["ivo", "ivo"]}, "/case/touched", "repeated-id"),
        ({"touched": ["ivo"], "weapon": "pistol"}, "/case/weapon", "unknown-weapon"),
    ],
)
def test_impossible_cases_are_faults_at_their_place(case: dict[str, Any], pointer: str, code: str) -> None:
    scene = {"figures": [BURNER, figure("ivo", [18, 24], "blue")]}
    with pytest.raises(Faults) as caught:
        ask("flame", {"scene": scene, "shooter": "kel", **case})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [(pointer, code)]
