"""Plots are readable on any page by anyone, whatever names a client has written."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.simulation.statistics import Metric, Point
from arbiter.simulation.sweep import Axis
from rendering import plots
from rendering.plotting import colours
from rendering.plotting.colours import DARK, DARK_PAGE, DASHES, FAINT, MARKERS, SERIES, contrast, on_cell
from rendering.plotting.parts import legible
from tests.effort import cases
from tests.rendering.test_plots import EVERY, SVG, TURNS, drawn_of, number, share, simulated, styles, texts, tree


@pytest.mark.parametrize("name", EVERY)
def test_every_colour_is_seen_on_light_and_on_dark_pages(name: str) -> None:
    cells = {
        style["fill"]
        for tag, style in styles(drawn_of(name))
        if "map" in name and style.get("fill", "none") not in {"none", *DARK} and tag == f"{SVG}path"
    }
    for tag, style in styles(drawn_of(name)):
        for paint in ("fill", "stroke"):
            colour = style.get(paint, "none")
            if colour in ("none", *cells) or colour.startswith("url"):
                continue
            if colour in (colours.ON_LIGHT_CELL, colours.ON_DARK_CELL) and "map" in name:
                continue
            assert colour in DARK, f"{colour} of {tag} has no counterpart on a dark page"
            if colour == FAINT:
                assert tag != f"{SVG}text", "faint lines guide the eye, and nothing is written with them"
                continue
            assert contrast(colour, "#ffffff") >= 4.5
            assert contrast(DARK[colour], DARK_PAGE) >= 4.5
    for tag, style in styles(drawn_of(name)):
        if tag == f"{SVG}text":
            assert "fill" in style, "a text without a colour is black, which no dark page shows"


def test_the_style_sheet_gives_every_colour_its_counterpart_on_dark_pages() -> None:
    sheet = tree(drawn_of("whole")).findtext(f"{SVG}style") or ""
    _, _, rules = sheet.partition("@media(prefers-color-scheme:dark){")
    for light, dark in DARK.items():
        for paint in ("fill", "stroke"):
            assert f'[style*="{paint}: {light}"]{{{paint}:{dark}!important}}' in rules
    assert ":root{color-scheme:light dark}" in sheet


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#ff0000", "#ffffff") == pytest.approx(3.998, abs=0.005)
    assert contrast("#123456", "#123456") == 1


@given(st.integers(0, 0xFFFFFF))
def test_numbers_are_read_on_a_cell_of_any_colour(colour: int) -> None:
    cell = f"#{colour:06x}"
    assert contrast(on_cell(cell), cell) >= 4.3


# Machado, Oliveira and Fernandes (2009), severity 1.0, for linear light.
BLIND = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def lab(colour: str, seen: Any) -> tuple[float, float, float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    light = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    light = [max(0.0, min(1.0, sum(by * part for by, part in zip(row, light, strict=True)))) for row in seen]
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(by * part for by, part in zip(row, light, strict=True)) for row in to_xyz]
    x, y, z = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116
        for part in (xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("seen", BLIND.values(), ids=BLIND)
def test_the_first_colours_are_told_apart_by_colour_blind_readers(seen: Any) -> None:
    for series in (SERIES[:4], [DARK[colour] for colour in SERIES[:4]]):
        seen_as = [lab(colour, seen) for colour in series]
        for one, first in enumerate(seen_as):
            for other in seen_as[:one]:
                apart = sum((a - b) ** 2 for a, b in zip(first, other, strict=True)) ** 0.5
                assert apart > 10, (series, one)


def test_lines_are_told_apart_without_any_colour() -> None:
    assert len(set(MARKERS)) == len(set(map(str, DASHES))) == len(set(SERIES)) == 6
    assert "D" not in MARKERS, "diamonds are the law"


@pytest.mark.parametrize("name", EVERY)
def test_screen_readers_find_a_name_and_a_description(name: str) -> None:
    root = tree(drawn_of(name))
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], desc.attrib["id"]]
    assert (title.text or "").startswith("some-game: battle, ")
    ids = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_fetched_and_the_page_shines_through(name: str) -> None:
    drawn = drawn_of(name).decode()
    assert not re.findall(r"(?:href|src)=\"(?!#)|url\((?!#)|@import|<script|<image|DOCTYPE", drawn)
    background = next(each for each in tree(drawn_of(name)).iter(f"{SVG}path"))
    assert "fill: none" in background.attrib["style"]
    assert "DejaVu" not in drawn
    assert len(drawn) < 200_000


# What a client wrote


WORDS = (
    ("<script>alert(1)</script>", "a & b", '"quoted"', "$x^2$", "\\frac{", "]]>", "--"),
    ("a\nb\tc", "\x00\x1b\ufffe", "漢字", "x" * 5_000, "\u202eevil", "%s{0}", "'; fill: red"),
)


@pytest.mark.parametrize("names", WORDS)
def test_names_of_a_client_are_shown_and_do_nothing(names: tuple[str, ...]) -> None:
    metrics = (
        Metric(names[0], tuple(share(name, 10) for name in names)),
        *(number(f"wounds of {name}", 1) for name in names),
        number(names[1], 2),
    )
    axis = Axis(f"/case/{names[3]}"[:300], (*names, {"a": [*names]}))
    points = [Point({axis.place: value}, 100, 0, metrics) for value in axis.values]
    for result in (
        simulated(Point({}, 100, 0, metrics), seed=names[0][:48], policies=dict(zip(names, names, strict=True))),
        simulated(*points, axes=(axis,)),
        simulated(
            *(msgspec.structs.replace(point, values={**point.values, "/b": 1}) for point in points),
            axes=(axis, Axis("/b", (1,))),
        ),
    ):
        drawn = plots.svg(result)
        assert not [each for each in tree(drawn).iter() if each.tag.endswith(("script", "image"))]
        shown = texts(drawn)
        for name in names if not result.axes else names[:6]:
            assert any(legible(name, 14)[:9].strip() in each for each in shown), name
        assert len(drawn) < 300_000


@settings(max_examples=cases(8))
@given(st.text(max_size=40))
def test_any_text_makes_a_document_that_can_be_read(name: str) -> None:
    metric = Metric(name, (share(name, 50), share(f"other {name}", 50)))
    assert texts(plots.svg(simulated(Point({}, 100, 0, (metric,)), seed=name[:48], policies={name: name})))


def test_numbers_that_are_missing_at_a_point_leave_a_gap() -> None:
    points = (Point({"/case/a": 1, "/case/b": 1}, 100, 0, (TURNS,)), Point({"/case/a": 1, "/case/b": 2}, 100, 100, ()))
    axes = (Axis("/case/a", (1,)), Axis("/case/b", (1, 2)))
    assert "–" in texts(plots.svg(simulated(*points, axes=axes)))
    line = simulated(
        *(msgspec.structs.replace(point, values={"/case/b": index}) for index, point in enumerate(points)),
        axes=(Axis("/case/b", (0, 1)),),
    )
    assert "turns, mean" in texts(plots.svg(line))


def test_one_game_alone_has_no_interval_and_is_drawn() -> None:
    lone = Metric("turns", (share(3, 1, of=1),), 3.0, None, None, None, 3)
    axes = (Axis("/case/a", (1, 2)),)
    assert "turns, mean" in texts(
        plots.svg(simulated(*(Point({"/case/a": at}, 1, 0, (lone,)) for at in (1, 2)), axes=axes))
    )


def test_the_library_is_loaded_by_who_draws_alone() -> None:
    code = "import sys, rendering.plots, cli.main; print('matplotlib' in sys.modules)"
    root = Path(plots.__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
