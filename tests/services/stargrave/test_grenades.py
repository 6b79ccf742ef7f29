"""Grenades: where they scatter, whom they reach, and smoke, against plain arithmetic."""

from fractions import Fraction
from math import atan2, degrees, hypot
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.geometry.plane.shapes import whereabouts
from services.stargrave.ground import Ground
from services.stargrave.rules import grenades, scatter
from services.stargrave.rules.grenades import Throw
from services.stargrave.rules.scatter import SIDES, Direction
from services.stargrave.scene import Board
from tests.effort import cases
from tests.services.stargrave.asking import ask, box, field_of, figure, marginal, odds, table, walked

OPEN = Ground.of(Board())
KEL = figure("kel", [10, 10], weapons=["fragmentation-grenade", "smoke-grenade", "grenade-launcher"])


@given(st.integers(1, 6), st.sampled_from(sorted(SIDES)))
@settings(max_examples=cases(20), deadline=None)
def test_a_grenade_scatters_as_far_as_it_fell_short_in_equal_directions(short: int, option: str) -> None:
    law = walked(scatter.drift, OPEN, (18_000, 18_000), 0, short, random_direction=option)
    sides = SIDES[option]
    assert set(law.values()) == {Fraction(1, sides)}
    turns = []
    for landing in law:
        assert landing.at is not None
        x, y = landing.at[0] - 18_000, landing.at[1] - 18_000
        assert abs(hypot(x, y) - short * 1000) < 1
        turns.append(round(degrees(atan2(x, y)) % 360))
    assert sorted(turns) == [round(360 * side / sides) for side in range(sides)]


def test_the_last_direction_points_to_the_top_of_the_table() -> None:
    assert Direction(12, 12).from_((0, 0), 1000) == (0, 1000)
    assert Direction(3, 12).from_((0, 0), 1000) == (1000, 0)
    assert Direction(6, 12).from_((0, 0), 1000) == (0, -1000)
    assert Direction(9, 12).from_((0, 0), 1000) == (-1000, 0)
    assert Direction(1, 12).from_((0, 0), 1000) == (500, 866)


@given(st.tuples(st.integers(0, 36_000), st.integers(0, 36_000)), st.integers(1, 6))
@settings(max_examples=cases(40), deadline=None)
def test_a_grenade_never_leaves_the_table(at: tuple[int, int], short: int) -> None:
    for landing in walked(scatter.drift, OPEN, at, 0, short):
        assert landing.at is not None
        assert all(0 <= number <= 36_000 for number in landing.at)
    kept = walked(scatter.drift, OPEN, at, 0, short, scatter_off_table="lost")
    assert sum(kept.values()) == 1


walls = st.tuples(st.integers(2, 20), st.integers(2, 20), st.integers(1, 14), st.integers(1, 14))


@given(walls, st.tuples(st.integers(0, 36_000), st.integers(0, 36_000)), st.integers(1, 6))
@settings(max_examples=cases(60), deadline=None)
def test_a_grenade_that_comes_from_outside_stays_outside_a_wall(wall: Any, at: tuple[int, int], short: int) -> None:
    x, y, wide, deep = wall
    scene = {"board": {"pieces": [box("wall", x, y, x + wide, y + deep)]}}
    ground = field_of(scene).ground
    outline = ground.pieces["wall"].outline
    if whereabouts(at, outline) != "outside":
        return
    for landing in walked(scatter.drift, ground, at, 0, short):
        assert landing.at is not None
        assert whereabouts(landing.at, outline) != "inside"
    # A grenade that flies above the wall does not mind it.
    assert walked(scatter.drift, ground, at, 3000, short) == walked(scatter.drift, OPEN, at, 3000, short)


@pytest.mark.parametrize(("bonus", "on_the_point", "lost"), [(4, 13, 1), (0, 9, 5), (11, 20, 0), (-8, 1, 13)])
def test_the_roll_has_to_reach_twelve(bonus: int, on_the_point: int, lost: int) -> None:
    law = walked(grenades.landing, OPEN, "kel", Throw((18_000, 18_000), 0, bonus, False))
    how: dict[str, Fraction] = {}
    for landing, chance in law.items():
        how[landing.how] = how.get(landing.how, Fraction(0)) + chance
    assert how.get("on the point", 0) == Fraction(on_the_point, 20)
    assert how.get("lost", 0) == Fraction(lost, 20)


def test_a_natural_20_lands_on_the_point_by_one_reading_alone() -> None:
    throw = Throw((18_000, 18_000), 0, -12, True)
    assert all(landing.how != "on the point" for landing in walked(grenades.landing, OPEN, "kel", throw))
    law = walked(grenades.landing, OPEN, "kel", throw, grenade_natural="yes")
    assert sum(chance for landing, chance in law.items() if landing.how == "on the point") == Fraction(1, 20)
    assert sum(chance for landing, chance in law.items() if landing.launcher_jams) == Fraction(1, 20)


places = st.tuples(st.integers(0, 400), st.integers(0, 400)).map(lambda at: [at[0] / 100 + 8, at[1] / 100 + 8])


@given(places, st.floats(0.5, 2.0), st.integers(0, 20))
@settings(max_examples=cases(80), deadline=None)
def test_a_blast_reaches_whoever_is_within_an_inch_and_a_half(at: list[float], base: float, tenths: int) -> None:
    base = round(base, 1)
    rise = tenths / 10
    field = field_of({"figures": [figure("ivo", at, base_in=base, elevation_in=rise)]})
    flat = hypot(at[0] - 10, at[1] - 10)
    edge = hypot(max(0.0, flat - base / 2), rise)
    if abs(edge - 1.5) > 1e-9:
        assert grenades.caught(table(), field, (10.0, 10.0), 0.0) == (("ivo",) if edge < 1.5 else ())
    centre = hypot(flat, rise)
    if abs(centre - 1.5) > 1e-9:
        by_centre = grenades.caught(table(blast_touch="centre"), field, (10.0, 10.0), 0.0)
        assert by_centre == (("ivo",) if centre < 1.5 else ())


@pytest.mark.parametrize(("y", "reached"), [(12.0, True), (12.001, False)])
def test_a_base_that_the_blast_just_touches_is_in_it(y: float, reached: bool) -> None:
    field = field_of({"figures": [figure("ivo", [10, y])]})
    assert bool(grenades.caught(table(), field, (10.0, 10.0), 0.0)) is reached


def test_a_thrower_may_be_caught_in_its_own_blast() -> None:
    case = {"scene": {"figures": [KEL]}, "thrower": "kel", "kind": "fragmentation", "at": [10, 11]}
    hand = {"kel: grenade": [8], "grenade: shooting": [19], "kel: combat": [1]}
    ruling = ask("grenade", case, dice={"hand": hand})
    assert (ruling.answer.damage, ruling.answer.out) == (12, 1)
    (landed,) = [event for event in ruling.effects.events if event.name == "grenade"]
    assert landed.values["radius_in"] == 1.5, "3 inches across"


def test_a_second_cloud_has_a_name_of_its_own_and_stops_sight() -> None:
    scene = {"figures": [KEL, figure("ivo", [10, 18], "blue")], "board": {"smoke": [{"id": "smoke-1", "at": [30, 30]}]}}
    case = {"scene": scene, "thrower": "kel", "kind": "smoke", "at": [10, 14]}
    ruling = ask("grenade", case, dice={"hand": {"kel: grenade": [8]}})
    (smoke,) = [event for event in ruling.effects.events if event.name == "smoke"]
    assert smoke.values["id"] == "smoke-2"
    (landed,) = [event for event in ruling.effects.events if event.name == "grenade"]
    assert landed.values["radius_in"] == 2, "4 inches across"
    after = {**scene, "board": {"smoke": [*scene["board"]["smoke"], {"id": "smoke-2", "at": [10, 14]}]}}
    assert ask("line-of-sight", {"scene": scene, "observer": "kel"}).answer.seen == 1
    assert ask("line-of-sight", {"scene": after, "observer": "kel"}).answer.seen == 0


def test_the_odds_of_a_throw_are_those_of_its_parts() -> None:
    case = {
        "scene": {"figures": [KEL, figure("ivo", [10, 30], "blue")]},
        "thrower": "kel",
        "kind": "fragmentation",
        "at": [10, 14],
    }
    landed = marginal(odds("grenade", case), "landed")
    assert landed == {"on the point": Fraction(13, 20), "scattered": Fraction(6, 20), "lost": Fraction(1, 20)}


@pytest.mark.parametrize(
    ("case", "pointer", "code"),
    [
        ({"thrower": "nobody"}, "/case/thrower", "unknown-figure"),
        ({"thrower": "ivo"}, "/case/kind", "unknown-weapon"),
        ({"thrower": "ivo", "launcher": True}, "/case/launcher", "unknown-weapon"),
        ({"at": [10, 36.5]}, "/case/at", "off-the-table"),
    ],
)
def test_impossible_cases_are_faults_at_their_place(case: dict[str, Any], pointer: str, code: str) -> None:
    scene = {"figures": [KEL, figure("ivo", [10, 20], "blue")]}
    with pytest.raises(Faults) as caught:
        ask("grenade", {"scene": scene, "thrower": "kel", "kind": "smoke", "at": [10, 14], **case})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [(pointer, code)]
