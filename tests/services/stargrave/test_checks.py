"""What is impossible about a posted table: each fault once, at the member that is wrong."""

from typing import Any

import pytest

from tests.services.stargrave.asking import box, faults
from tests.services.stargrave.brawl import fighter, scene


def found(posted: dict[str, Any]) -> list[tuple[str, str]]:
    return faults("actions", {"scene": posted, "figure": "s"})


@pytest.mark.parametrize("member", ["width_in", "depth_in"])
def test_a_table_of_no_size_is_named_where_its_size_stands(member: str) -> None:
    posted = {**scene(fighter("s", None)), "board": {"width_in": 24, "depth_in": 24, member: 0.0001}}
    assert (f"/case/scene/board/{member}", "table-size") in found(posted)


def test_a_table_of_a_thousandth_is_one() -> None:
    posted = {**scene(fighter("s", None)), "board": {"width_in": 0.001, "depth_in": 24}}
    assert found(posted) == [("/case/figure", "not-in-play")]


@pytest.mark.parametrize(("member", "code"), [("base_in", "base-size"), ("height_in", "height")])
@pytest.mark.parametrize(("inches", "wrong"), [(0.0001, True), (0.0004, True), (0.001, False)])
def test_a_figure_has_a_size_to_the_thousandth(member: str, code: str, inches: float, wrong: bool) -> None:
    posted = scene(fighter("s", [5, 5]), fighter("t", [9, 9], **{member: inches}), fighter("u", None, carries="none"))
    expected = [(f"/case/scene/figures/1/{member}", code)] if wrong else []
    assert [fault for fault in found(posted) if fault[1] != "unknown-token"] == expected


def test_two_figures_of_one_name_are_named_once() -> None:
    posted = scene(fighter("s", [5, 5]), fighter("s", [9, 9]), fighter("t", [3, 3]), fighter("t", None))
    assert found(posted) == [("/case/scene/figures/1/id", "repeated-id"), ("/case/scene/figures/3/id", "repeated-id")]


def test_two_clouds_and_two_pieces_of_one_name_are_named_once() -> None:
    posted = scene(fighter("s", [5, 5]))
    posted["board"]["smoke"] = [{"id": "fog", "at": [9, 9]}, {"id": "fog", "at": [12, 12]}]
    posted["board"]["pieces"] = [box("wall", 1, 1, 2, 2), box("wall", 3, 1, 4, 2)]
    assert sorted(pointer for pointer, _ in found(posted)) == [
        "/case/scene/board/pieces/1/id",
        "/case/scene/board/smoke/1/id",
    ]


@pytest.mark.parametrize("role", ["captain", "first-mate"])
def test_a_crew_has_one_captain_and_one_first_mate_on_the_table_or_off_it(role: str) -> None:
    led = [fighter("s", [5, 5], crew="red", role=role), fighter("t", None, crew="red", role=role)]
    others = [fighter("u", [9, 9], crew="blue", role=role), fighter("v", [3, 3], crew="red", role="soldier")]
    assert found(scene(*led, *others)) == [("/case/scene/figures/1/role", "two-leaders")]
