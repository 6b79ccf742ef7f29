"""What lines of sight meet in the games of open tables: by hand on small tables, by GEOS on those of the page."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import shapely

from arbiter.question import Ask
from arbiter.registry import game
from tests.services.rapture import field as rapture
from tests.services.size_skirmish import field as size_skirmish
from tests.services.stargrave import asking as stargrave

SCENES = Path(__file__).parents[2] / "api/web/static/table/scenes"
GAMES = ("rapture", "size-skirmish", "stargrave")


def contacts(line: Any) -> list[Any]:
    return [(met.id, met.how, met.at, met.counts) for met in line.contacts]


@pytest.mark.parametrize(("grazes", "seen"), [("cross", True), ("touch", False)])
def test_rapture_a_wall_stops_the_line_between_the_middles_and_a_side_along_it_does_by_a_reading(
    grazes: str, seen: bool
) -> None:
    """Both bases are 3 cm across. Walls end or begin at y = 10; in the other one, the line passes through 1 cm."""
    pair = [rapture.unit("ada", [[10, 10]]), rapture.unit("bob", [[30, 10]], "blue")]
    case = {"scene": rapture.walled(rapture.box("wall", 19, 0, 20, 13), units=pair), "observer": "ada"}
    (line,) = rapture.ask("line-of-sight", case, readings={"graze": grazes}).answer.lines
    ((id_, how, ((x, y, _), (to_x, to_y, _)), counts),) = contacts(line)
    assert (line.seen, line.blocked_by) == (False, ("wall",))
    assert (id_, how, (x, y), (to_x, to_y), counts) == ("wall", "through", (19, 10), (20, 10), True)
    case["scene"] = rapture.walled(rapture.box("low", 19, 0, 20, 10), rapture.box("high", 22, 10, 23, 30), units=pair)
    (line,) = rapture.ask("line-of-sight", case, readings={"graze": grazes, "sight-from": "centre"}).answer.lines
    assert line.seen is seen
    assert [(id_, how, at[0][:2], counts) for id_, how, at, counts in contacts(line)] == [
        ("low", "along", (19, 10), not seen),
        ("high", "along", (22, 10), not seen),
    ]


def test_size_skirmish_a_low_wall_hides_the_legs_and_a_high_one_everything() -> None:
    """Eyes are 2 high. Over the far edge of the low wall, 1 high 8 away, the view falls to 0.75 at 10 away.

    So the middle of what is seen is 1.375 high, and of what is hidden 0.375; at 7 away that line is 0.8625 high.
    """
    low, high = (size_skirmish.box("wall", 17, 0, 18, 19, height=height) for height in (1, 3))
    asked = {"observer": "ada", "targets": ["bob"]}
    (line,) = size_skirmish.ask("line-of-sight", {"scene": size_skirmish.walled(low), **asked}).answer.lines
    assert (line.seen, line.start) == (True, (10, 10, 2))
    assert line.end == pytest.approx((20, 10, 1.375), abs=0.0011)
    ((id_, how, (enters, leaves), counts),) = contacts(line)
    assert (id_, how, counts) == ("wall", "through", False)
    assert enters == pytest.approx((17, 10, 2 - 0.1625 * 7), abs=0.0011)
    assert leaves == pytest.approx((18, 10, 2 - 0.1625 * 8), abs=0.0011)
    (line,) = size_skirmish.ask("line-of-sight", {"scene": size_skirmish.walled(high), **asked}).answer.lines
    assert (line.seen, line.end) == (False, (20, 10, 1))
    ((id_, how, (enters, _), counts),) = contacts(line)
    assert (id_, how, enters, counts) == ("wall", "through", (17, 10, 1.3), True)


@pytest.mark.parametrize(
    ("walls", "seen", "counting"),
    [
        ({"far": (9.0, 9.4, 1.0)}, True, {"far": True}),  # between them: intervening
        ({"near": (16.9, 17.5, 0.7)}, True, {"near": True}),  # touched by the target: cover
        ({"own": (1.5, 1.9, 0.7)}, True, {}),  # touched by the looker, and too low to hide anything from its eye
        ({"far": (9.0, 9.4, 4.0)}, False, {"far": True}),
        ({"far": (9.0, 9.4, 4.0), "near": (16.9, 17.5, 0.7)}, False, {"far": True, "near": True}),
    ],
)
def test_stargrave_what_blocks_intervenes_or_covers_counts(
    walls: dict[str, tuple[float, float, float]], seen: bool, counting: dict[str, bool]
) -> None:
    pieces = [stargrave.box(id_, 4, low, 16, high, height_in=tall) for id_, (low, high, tall) in walls.items()]
    figures = [stargrave.figure("kel", [10, 1]), stargrave.figure("ivo", [10, 18], "blue")]
    case = {"scene": {"board": {"pieces": pieces}, "figures": figures}, "observer": "kel"}
    (line,) = stargrave.ask("line-of-sight", case).answer.lines
    assert line.seen is seen
    assert {met.id: met.counts for met in line.contacts} == counting
    for met in line.contacts:
        assert met.at[0][1] == pytest.approx(walls[met.id][0], abs=0.0011)


@pytest.mark.parametrize("name", GAMES)
def test_on_the_tables_of_the_page_contacts_lie_on_pieces_and_say_why(name: str) -> None:
    arbiter = game(name)
    story = json.loads((SCENES / f"{name}.json").read_text())
    case = {"scene": story["scene"], "observer": story["unit"]}
    asked = msgspec.convert({"case": case}, Ask[arbiter.question("line-of-sight").case])
    answer = arbiter.ask("line-of-sight", asked, seed="test", posted=lambda: case["scene"]).answer
    outlines = {piece["id"]: shapely.Polygon(piece["outline"]) for piece in story["scene"]["board"]["pieces"]}
    met = 0
    for line in answer.lines:
        ahead = getattr(line, "ahead", True)
        assert any(each.counts for each in line.contacts) or line.seen or not ahead
        for each in line.contacts:
            if each.id in outlines:
                met += 1
                assert all(outlines[each.id].distance(shapely.Point(at[:2])) < 0.002 for at in each.at)
        if line.seen and name != "stargrave":
            assert not any(each.counts for each in line.contacts)
    assert met or name == "rapture"
