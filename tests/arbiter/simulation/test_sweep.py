"""Sweeps: which points there are, and the places of a body that values are put at."""

from typing import Any

import msgspec
import pytest

from arbiter.fault import Faults
from arbiter.simulation.sweep import body_with, grid

BODY = {"case": {"rows": [{"x": 1}, {"x": 2}], "a/b": {"m~n": 3}, "empty": [], "turns": 4}, "vary": {"/case/turns": []}}


def test_the_last_axis_runs_fastest() -> None:
    assert grid({"/case/a": [1, 2], "/case/b": ["x", "y"]}) == [(1, "x"), (1, "y"), (2, "x"), (2, "y")]
    assert grid({}) == [()]


@pytest.mark.parametrize(
    ("place", "where"),
    [
        ("/case/turns", ["case", "turns"]),
        ("/case/rows/1/x", ["case", "rows", 1, "x"]),
        ("/case/rows/0", ["case", "rows", 0]),
        ("/case/a~1b/m~0n", ["case", "a/b", "m~n"]),
        ("/case/new", ["case", "new"]),
        ("/case/~01", ["case", "~1"]),
        ("/policies/red", ["policies", "red"]),
        ("/readings/some", ["readings", "some"]),
    ],
)
def test_a_value_is_put_at_its_place_and_nowhere_else(place: str, where: list[Any]) -> None:
    before = msgspec.json.encode(BODY)
    changed = body_with(BODY, [place], [{"new": []}])
    found: Any = changed
    for part in where:
        found = found[part]
    assert found == {"new": []}
    assert "vary" not in changed
    assert msgspec.json.encode(BODY) == before, "the body itself stays as it was"
    found["new"].append("changed")
    assert body_with(BODY, [place], [{"new": []}]) != changed


@pytest.mark.parametrize(
    "place",
    [
        "/case",
        "/case/rows/2",
        "/case/rows/-",
        "/case/rows/-1",
        "/case/rows/01",
        "/case/rows/²",
        "/case/empty/0",
        "/case/missing/x",
        "/case/turns/x",
        "/case/rows/x",
        "case/turns",
        "//turns",
        "/count",
        "/seed",
        "/vary/x",
        "/metrics/0",
        "/policies",
        "/case/rows/0/y/z",
        "#/case/turns",
    ],
)
def test_a_place_that_is_none_is_refused_with_its_name(place: str) -> None:
    with pytest.raises(Faults) as caught:
        body_with(BODY, [place, "/nowhere/else"], [1, 2])
    assert [(fault.seen, fault.code) for fault in caught.value.faults] == [
        (place, "no-such-place"),
        ("/nowhere/else", "no-such-place"),
    ]
    assert caught.value.faults[0].pointer == "/vary/" + place.replace("~", "~0").replace("/", "~1")


@pytest.mark.parametrize("place", ["/case/a~b", "/case/a~", "/case/a~2b"])
def test_a_place_is_written_in_one_way_only(place: str) -> None:
    with pytest.raises(Faults) as caught:
        body_with({"case": {"a~b": 1, "a~": 1, "a~2b": 1}}, [place], [2])
    assert [fault.code for fault in caught.value.faults] == ["no-such-place"]


@pytest.mark.parametrize("places", [("/case/rows/0/x", "/case/rows"), ("/case/rows", "/case/rows/0/x")])
def test_a_place_inside_another_is_refused(places: tuple[str, str]) -> None:
    with pytest.raises(Faults) as caught:
        body_with(BODY, places, [[{"x": 5}], [{"x": 6}]])
    assert [(fault.seen, fault.code) for fault in caught.value.faults] == [("/case/rows/0/x", "inside-another")]
    body_with(BODY, ["/case/rows/0", "/case/rows/1"], [1, 2])
    assert body_with(BODY, ["/case/turns", "/case/turnsmore"], [1, 2])["case"]["turns"] == 1
