"""Plots: what is drawn is what was counted, it is read on any page and by anyone, and nothing of a client breaks it."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from arbiter.simulation.statistics import Difference, Metric, Point, Share, Simulated, wilson
from arbiter.simulation.sweep import Axis
from rendering import plots
from rendering.plotting import colours
from rendering.plotting.colours import SERIES
from rendering.plotting.panels import MOST_BARS, MOST_PANELS
from rendering.simulation_view import sides_of
from rendering.sweep_labels import short_axes

SVG = "{http://www.w3.org/2000/svg}"


def share(value: Any, games: int, law: float | None = None, of: int = 100) -> Share:
    return Share(value, games, games / of, *wilson(games, of), None if law is None else "1/2", law)


def number(name: str, mean: float, *shares: Share, law: float | None = None) -> Metric:
    return Metric(name, shares or (share(3, 100),), mean, mean - 0.25, mean + 0.25, 1.0, 3, law)


def simulated(*points: Point, axes: tuple[Axis, ...] = (), **more: Any) -> Simulated[Any]:
    told = {"law": "beside", "policies": {"*": "first"}, "seed": "7", **more}
    return Simulated(
        "some-game",
        "e",
        "1",
        "battle",
        100,
        told["seed"],
        0.95,
        told["policies"],
        {},
        axes,
        points,
        told["law"],
        more.get("ranked_by"),
        (),
        more.get("reference", {}),
    )


OUTCOME = Metric("outcome", (share("lost", 25, 0.25), share("won", 75, 0.75)))
TURNS = number("turns", 3.5, share(3, 50, 0.5), share(4, 50, 0.5), law=3.5)
UNITS = (
    number("wounds of ann", 1.5),
    number("wounds of bob", 2.5),
    Metric("ann is lost", (share(False, 60), share(True, 40))),
    Metric("bob is lost", (share(False, 100),)),
    Metric("cause of ann", (share("a beast", 40), share("none", 60))),
)
WHOLE = simulated(Point({}, 100, 0, (OUTCOME, TURNS, *UNITS)), ranked_by="turns")


def sweep(*axes: Axis) -> Simulated[Any]:
    from itertools import product

    points = []
    for at, values in enumerate(product(*(axis.values for axis in axes))):
        won = 10 + at
        metrics = (
            Metric("outcome", (share("lost", 100 - won), share("won", won, 0.5))),
            number("turns", 2 + at / 4, law=2.0),
        )
        places = [axis.place for axis in axes]
        points.append(Point(dict(zip(places, values, strict=True)), 100, 0, metrics))
    return simulated(*points, axes=axes)


TURNS_AXIS = Axis("/case/turns", (5, 10, 20))
NAMES = Axis("/policies/explorers", ("bold", "escaping"))
ROWS = Axis("/case/rows", (1, 2))
EVERY = {
    "whole": WHOLE,
    "numbers": sweep(TURNS_AXIS),
    "names": sweep(NAMES),
    "map": sweep(TURNS_AXIS, NAMES),
    "maps": sweep(ROWS, TURNS_AXIS, NAMES),
    "no games": simulated(Point({}, 4, 4, ())),
}


@cache
def drawn_of(name: str) -> bytes:
    """Draw one of these, once for all tests."""
    return plots.svg(EVERY[name])


def tree(drawn: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(drawn)


def texts(drawn: bytes) -> list[str]:
    return ["".join(each.itertext()) for each in tree(drawn).iter(f"{SVG}text")]


def styles(drawn: bytes) -> list[tuple[str, dict[str, str]]]:
    return [
        (each.tag, dict(part.split(": ", 1) for part in each.attrib["style"].split("; ")))
        for each in tree(drawn).iter()
        if "style" in each.attrib
    ]


# What is drawn


def test_title_and_caption_say_what_it_is_and_how_sure() -> None:
    said = " ".join(texts(drawn_of("whole")))
    assert "some-game: battle, 100 games, seed 7" in said
    assert "95% of simulations" in said
    assert "Diamonds: the exact law." in said
    assert "some-game: battle, 100 games at each point, seed 7" in texts(drawn_of("numbers"))
    assert "Diamonds" not in " ".join(texts(plots.svg(simulated(Point({}, 100, 0, (OUTCOME,)), law="heavy"))))
    assert "forbids 4 of the games" in " ".join(texts(drawn_of("no games")))


def test_panels_begin_with_what_games_are_ranked_by_then_classes_then_units() -> None:
    said = texts(drawn_of("whole"))
    titles = ["turns: mean 3.5, median 3", "outcome", "wounds of …, mean", "… is lost"]
    assert [each for each in said if each in titles] == titles
    assert {"won", "lost", "ann", "bob"} <= set(said)
    desc = tree(drawn_of("whole")).findtext(f"{SVG}desc")
    assert desc is not None
    assert "outcome: lost 25.0%, won 75.0%." in desc
    assert "… is lost: ann 40.0%, bob 0.0%." in desc


def test_bars_are_as_high_as_their_shares_and_intervals_as_long() -> None:
    drawn = tree(plots.svg(simulated(Point({}, 100, 0, (OUTCOME,)))))
    paths = [each for each in drawn.iter(f"{SVG}path") if f"stroke: {SERIES[0]}" in each.get("style", "")]
    across = [[float(x) for x in re.findall(r"[ML] ([\d.]+)", path.attrib["d"])] for path in paths]
    lost, won = (max(row) - min(row) for row in across)
    assert won / lost == pytest.approx(3, rel=1e-4)
    # One unit of length is a share of 1; the intervals and the law are measured with it.
    unit, origin = won / 0.75, min(across[0])
    lines = next(each for each in drawn.iter(f"{SVG}g") if each.get("id") == "LineCollection_1")
    ends = [re.findall(r"[ML] ([\d.]+)", path.attrib["d"]) for path in lines.iter(f"{SVG}path")]
    for (low, high), games in zip(ends, (25, 75), strict=True):
        expected = wilson(games, 100)
        assert ((float(low) - origin) / unit, (float(high) - origin) / unit) == pytest.approx(expected, abs=1e-4)
    laws = [
        (float(each.attrib["x"]) - origin) / unit
        for each in drawn.iter(f"{SVG}use")
        if f"stroke: {colours.LAW}" in each.get("style", "")
    ]
    assert laws == pytest.approx([0.25, 0.75], abs=1e-4)


def test_many_numbers_share_bars_and_none_is_lost() -> None:
    shares = tuple(share(value, 1, 1 / 200, of=200) for value in range(10, 210))
    drawn = plots.svg(simulated(Point({}, 200, 0, (number("rounds", 100, *shares),))))
    bars = sum(
        tag == f"{SVG}path" and style.get("fill") == style.get("stroke") == SERIES[0] for tag, style in styles(drawn)
    )
    assert 20 <= bars <= MOST_BARS
    said = tree(drawn).findtext(f"{SVG}desc") or ""
    # By hand: 200 numbers in bars of seven, the last of which holds the four that are left.
    assert "10 to 16 3.5%" in said
    assert "206 to 212 2.0%" in said


def test_rare_classes_share_a_bar() -> None:
    shares = tuple(share(f"class {index}", 20 - index) for index in range(14))
    said = texts(plots.svg(simulated(Point({}, 100, 0, (Metric("outcome", shares),)))))
    assert [each for each in said if each.startswith("class")] == [f"class {index}" for index in range(9)]
    assert "5 others" in said


def test_sweeps_are_lines_over_numbers_and_marks_over_names() -> None:
    assert {"outcome", "turns, mean", "won", "lost", "turns"} <= set(texts(drawn_of("numbers")))
    assert {"bold", "escaping", "explorers"} <= set(texts(drawn_of("names")))
    dashed = [
        style.get("stroke-dasharray") for _, style in styles(drawn_of("numbers")) if style.get("stroke") == SERIES[1]
    ]
    assert any(dashed), "a second line is told from the first without colour"
    bands = [style for _, style in styles(drawn_of("numbers")) if float(style.get("fill-opacity", 1)) < 0.3]
    assert bands


def test_maps_have_their_numbers_written_in() -> None:
    said = texts(drawn_of("map"))
    assert {"outcome: won", "outcome: lost", "turns, mean"} <= set(said)
    assert {f"{10 + at}%" for at in range(6)} <= set(said)
    assert {"2", "2.25", "2.5", "2.75", "3", "3.25"} <= set(said)
    # Below each its interval: Wilson's of 10 in 100, and a quarter to each side of the mean.
    assert {"6% to 17%", "1.75 to 2.25"} <= set(said)


def test_what_is_varied_has_short_names() -> None:
    cards = tuple({"id": "bow", "att": att, "rules": [{"id": "x"}]} for att in (4, 5))
    (axis,) = short_axes([Axis("/case/scene/profiles/units/0", cards)])
    assert axis == ("att", (4, 5), ["4", "5"])
    axes = (Axis("/case/scene/units/0/hex", ([2, 0], [1, 1])), Axis("/case/scene/units/1/hex", ([2, 0], [1, 0])))
    assert [(axis.title, axis.labels) for axis in short_axes(axes)] == [
        ("units/0/hex", ["2, 0", "1, 1"]),
        ("units/1/hex", ["2, 0", "1, 0"]),
    ]
    kinds = ({"id": "bow", "att": 4}, {"id": "axe", "att": 5, "name": "an axe that is too long to be told here"})
    assert short_axes([Axis("/case/weapon", kinds)])[0].labels == ["bow", "axe"]


def test_a_side_has_its_own_colour_in_every_panel() -> None:
    winner = Metric("winner", (share("blue", 30), share("red", 60), share("teal", 10)))
    margins = tuple(number(f"margin of {side}", 1.0) for side in ("red", "blue", "teal"))
    result = simulated(Point({}, 100, 0, (winner, *margins)), law="heavy")
    assert sides_of(result) == {"blue": 0, "red": 1, "teal": 2}
    bars = [
        style["stroke"]
        for tag, style in styles(plots.svg(result))
        if tag == f"{SVG}path"
        and style.get("fill") == style.get("stroke")
        and float(style.get("fill-opacity", 1)) == 0.3
    ]
    assert bars == list(SERIES[:3])


def test_differences_to_the_point_of_reference_are_drawn_and_none_is_left_out() -> None:
    points = [
        Point({"/case/turns": turns}, 100, 0, (TURNS,), differences)
        for turns, differences in (
            (5, (Difference("turns", "mean", None, 0.0, 0.0, 0.0),)),
            (10, ()),
            (20, (Difference("turns", "mean", None, 1.5, 1.0, 2.0),)),
        )
    ]
    result = simulated(*points, axes=(TURNS_AXIS,), reference={"/case/turns": 10})
    drawn = plots.svg(result)
    assert "turns, mean, against 10" in texts(drawn)
    assert "turns, mean, against 10; at 5: +0; at 20: +1.5." in (tree(drawn).findtext(f"{SVG}desc") or "")


def test_more_places_are_maps_for_each_combination() -> None:
    said = texts(drawn_of("maps"))
    assert [each for each in said if each.startswith("outcome")] == ["outcome: lost (rows 1)", "outcome: lost (rows 2)"]
    many = plots.svg(sweep(Axis("/case/a", tuple(range(20))), ROWS, NAMES))
    assert sum(each.startswith("outcome") for each in texts(many)) == MOST_PANELS
    assert "8 more panels are left out." in " ".join(texts(many))


def test_a_value_and_its_json_are_drawn_alike_and_always_the_same() -> None:
    for name, result in EVERY.items():
        assert plots.svg(msgspec.json.decode(msgspec.json.encode(result))) == drawn_of(name)
    with pytest.raises(msgspec.ValidationError):
        plots.svg({"status": "ruled"})


def test_another_process_draws_the_same_bytes() -> None:
    code = (
        "import sys; from rendering import plots; import msgspec;"
        "sys.stdout.buffer.write(plots.svg(msgspec.json.decode(sys.stdin.buffer.read())))"
    )
    root = Path(plots.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, input=msgspec.json.encode(WHOLE), capture_output=True, check=True
    )
    assert done.stdout == drawn_of("whole")


def test_several_threads_may_draw() -> None:
    drawn: list[bytes] = []
    threads = [Thread(target=lambda: drawn.append(plots.svg(EVERY["names"]))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert drawn == [drawn_of("names")] * 4
