"""Units in a picture: bases at their true size, sides by colour and shape, and a hull around the models of a squad."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import cos, pi, radians, sin

from msgspec.structs import replace

from arbiter.drawing import Point, Unit
from rendering.pictures.board import Layout
from rendering.pictures.palette import DASHES, VERDICTS, side_colour
from rendering.pictures.pen import Pen, number

SMALLEST = 8.5
"""The least radius of a unit, so that it can be seen and dragged."""

MOST_PIPS = 8

CORNERS = (0, 4, 6, 3, 5, 8)
"""The corners of a side's shape, in the order of the sides: the first is a disc; further sides start again."""

_ROUND = tuple((cos(pi * k / 8), sin(pi * k / 8)) for k in range(16))

UNITS_KEPT, HULLS_KEPT = 1_024, 128
"""Drawn units and hulls that a process caches: most have not moved since the last picture."""

TOUCH = 22.0
"""The radius of the invisible disc with which a finger grabs a unit."""


def radius(unit: Unit, place: Layout) -> float:
    """Give the radius of a unit in the picture."""
    wanted = place.scale * 0.23 if unit.radius is None else unit.radius * place.scale
    return max(SMALLEST if unit.radius is not None or place.scale > 30 else 6.0, wanted)


def outline(side: int, at: Point, r: float) -> list[Point]:
    """Give the corners of a side's shape around a point; none for a disc."""
    x, y = at
    if side < 0:
        return [(x, y - 1.2 * r), (x + 1.2 * r, y), (x, y + 1.2 * r), (x - 1.2 * r, y)]
    many = CORNERS[side % len(CORNERS)]
    if not many:
        return []
    # A square stands on its side, all others on a corner or with one above.
    turn = pi / 4 if many == 4 else -pi / 2
    reach = r * {4: 1.25, 3: 1.75}.get(many, 1.15)
    return [(x + reach * cos(turn + 2 * pi * k / many), y + reach * sin(turn + 2 * pi * k / many)) for k in range(many)]


def draw_shape(pen: Pen, side: int, at: Point, r: float, classes: str, **more: float | str) -> None:
    """Draw the shape of a side."""
    corners = outline(side, at, r)
    if corners:
        pen.polygon(corners, classes, **more)
    else:
        pen.circle(at, r, classes, **more)


def title(unit: Unit, sides: tuple[str, ...], neutral: str) -> str:
    """Name a unit in words: its name, its side, and its state."""
    lost = f"{unit.lost} lost" if unit.lost else ""
    state = [
        sides[unit.side] if 0 <= unit.side < len(sides) else neutral,
        lost,
        f"{unit.level:g} up" if unit.level else "",
        "activated" if unit.activated else "",
        "down" if unit.down else "",
        *unit.notes,
    ]
    return ", ".join([unit.name, *(each for each in state if each)])


def draw_rings(pen: Pen, units: Iterable[Unit], place: Layout) -> None:
    """Draw the rings around the acting unit, in ink, and around targets, in the colour and dashes of their verdict."""
    for unit in units:
        if unit.asks:
            pen.circle(place.at(unit.at), radius(unit, place) + 5.5, "f-floor s-ink", stroke_width=3)
        elif unit.verdict is not None:
            more = {"stroke_dasharray": DASHES[unit.verdict]} if DASHES[unit.verdict] else {}
            classes = f"f-floor s-{VERDICTS[unit.verdict]}"
            pen.circle(place.at(unit.at), radius(unit, place) + 5.5, classes, stroke_width=3, **more)


def draw_unit(pen: Pen, unit: Unit, place: Layout, title_: str) -> None:
    """Draw a unit: a beak for its facing, its base, two letters, pips for wounds, a mark for its level."""
    # The rings of the acting unit and of targets are drawn separately.
    pen.raw(_markup(replace(unit, asks=False, verdict=None), place, title_))


@lru_cache(maxsize=UNITS_KEPT)
def _markup(unit: Unit, place: Layout, title_: str) -> str:
    pen = Pen()
    x, y = at = place.at(unit.at)
    r = radius(unit, place)
    colour = side_colour(unit.side)
    data: dict[str, float | str] = {
        "data_id": unit.id,
        "data_place": unit.pointer,
        "data_at": f"{number(x)} {number(y)}",
    }
    if unit.by_rules:
        data["data_by_rules"] = ""
    if unit.activated or unit.down:
        data["opacity"] = "0.55"
    with pen.group(title_, "u", **data):
        if r < TOUCH:
            pen.circle(at, TOUCH, "f-floor", fill_opacity="0")
        if unit.facing is not None:
            pen.polygon(_beak(at, r, radians(unit.facing)), f"f-{colour} s-floor")
        draw_shape(pen, unit.side, at, r, f"f-{colour} s-floor", stroke_width=1.5)
        if r >= 6:
            pen.text((x, y + (4 if r >= 10 else 3)), unit.letters, "in f-floor" if r >= 10 else "in small f-floor")
        if unit.down:
            pen.lines([(x - r, y + r), (x + r, y - r)], "s-no", stroke_width=2.5)
        pips = min(unit.lost, MOST_PIPS)
        for index in range(pips):
            pen.circle((x + 5.2 * index - 2.6 * (pips - 1), y + r + 1.5), 2.3, "f-no s-floor")
        if unit.level:
            pen.text((x + r + 1, y - r + 3), f"▲{unit.level:g}", "small f-ink")
    return pen.written()


def _beak(at: Point, r: float, angle: float) -> list[Point]:
    x, y = at
    return [
        (x + far * r * cos(angle + turn), y - far * r * sin(angle + turn))
        for far, turn in ((1.0, 0.55), (1.65, 0.0), (1.0, -0.55))
    ]


def draw_hulls(pen: Pen, squads: Mapping[str, list[Unit]], place: Layout) -> None:
    """Draw a thin hull around the models of each squad; the acting unit and targets have a ring instead."""
    for name, models in squads.items():
        discs = tuple([(*place.at(model.at), radius(model, place) + 5) for model in models])
        first = models[0]
        classes, more = f"f-floor s-{VERDICTS[first.verdict or 'seen']}", dict[str, float | str](stroke_width=3)
        if first.asks:
            classes = "f-floor s-ink"
        elif first.verdict is None:
            colour = side_colour(first.side)
            classes = f"f-{colour} s-{colour}"
            more = {"fill_opacity": "0.08", "stroke_opacity": "0.7"}
        elif DASHES[first.verdict]:
            more["stroke_dasharray"] = DASHES[first.verdict]
        pen.polygon(_hull_around(discs), classes, data_hull=name, **more)


@lru_cache(maxsize=HULLS_KEPT)
def _hull_around(discs: tuple[tuple[float, float, float], ...]) -> tuple[Point, ...]:
    return tuple(hull((x + r * across, y + r * down) for x, y, r in discs for across, down in _ROUND))


def hull(points: Iterable[Point]) -> list[Point]:
    """Give the convex hull of some points."""
    ordered = sorted(set(points))
    halves = []
    for way in (ordered, ordered[::-1]):
        half: list[Point] = []
        for x, y in way:
            while len(half) > 1:
                (ax, ay), (bx, by) = half[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                half.pop()
            half.append((x, y))
        halves.append(half[:-1])
    return halves[0] + halves[1]


def squads(units: Iterable[Unit]) -> dict[str, list[Unit]]:
    """Give the squads of more than one model."""
    found: dict[str, list[Unit]] = {}
    for unit in units:
        if unit.squad:
            found.setdefault(unit.squad, []).append(unit)
    return {name: models for name, models in found.items() if len(models) > 1}


def middle(models: list[Unit]) -> Point:
    """Give the centre of some models."""
    return sum(m.at[0] for m in models) / len(models), sum(m.at[1] for m in models) / len(models)
