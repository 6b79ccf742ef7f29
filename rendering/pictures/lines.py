"""Lines and routes in a picture: each verdict with its colour and dashes, and the contacts of a line."""

from collections.abc import Sequence
from math import atan2, cos, hypot, sin

from arbiter.drawing import Contact, Line, Point, Way
from rendering.pictures.board import Layout
from rendering.pictures.palette import DASHES, VERDICTS
from rendering.pictures.pen import Pen, number

HEAD = 9.0
"""The length of an arrow's head."""

MEANING = {"seen": "seen", "cover": "seen, in cover", "blocked": "not seen", "aimed": "aimed at"}
CONTACTS = {"blocks": "what blocks", "cover": "cover that counts", "touched": "touched, does not count"}


def draw_line(pen: Pen, line: Line, place: Layout) -> None:
    """Draw a line on a halo of the floor's colour; its contacts are drawn later, above the units."""
    ends = [place.at(line.start), place.at(line.end)]
    dashes = {"stroke_dasharray": DASHES[line.verdict]} if DASHES[line.verdict] else {}
    with pen.group(line.title, "line"):
        pen.lines(ends, "s-floor", stroke_width=5.5, stroke_opacity="0.75")
        pen.lines(ends, f"s-{VERDICTS[line.verdict]}", stroke_width=2.6, **dashes)


def draw_contacts(pen: Pen, contacts: Sequence[Contact], place: Layout) -> None:
    """Draw where lines meet something: a cross, a dot, or a hollow dot."""
    for contact in contacts:
        x, y = place.at(contact.at)
        with pen.group(contact.title):
            if contact.kind == "blocks":
                cross = (
                    f"M{number(x - 5)} {number(y - 5)}L{number(x + 5)} {number(y + 5)}"
                    f"M{number(x + 5)} {number(y - 5)}L{number(x - 5)} {number(y + 5)}"
                )
                pen.path(cross, "none s-floor", stroke_width=5.5, stroke_linecap="round")
                pen.path(cross, "none s-no", stroke_width=2.8, stroke_linecap="round")
            elif contact.kind == "cover":
                pen.circle((x, y), 4.5, "f-part s-floor", stroke_width=1.5)
            else:
                pen.circle((x, y), 4, "f-floor s-dim", stroke_width=1.5)


def draw_way(pen: Pen, way: Way, place: Layout) -> None:
    """Draw a route as a dashed line with an arrow at its end."""
    ends = place.ring(way.points)
    if len(ends) < 2 or _all_equal(ends):
        return
    (bx, by), (ax, ay) = ends[-1], next(point for point in reversed(ends) if point != ends[-1])
    angle = atan2(by - ay, bx - ax)
    base = (bx - HEAD * cos(angle), by - HEAD * sin(angle)) if hypot(bx - ax, by - ay) > HEAD else (ax, ay)
    with pen.group(way.title, "way"):
        pen.lines([*ends[:-1], base], "s-floor", stroke_width=5, stroke_opacity="0.75")
        pen.lines([*ends[:-1], base], "s-ink", stroke_width=2.2, stroke_dasharray="5 3")
        head = [
            (bx, by),
            *((bx - HEAD * cos(angle + turn) * 1.1, by - HEAD * sin(angle + turn) * 1.1) for turn in (0.45, -0.45)),
        ]
        pen.polygon(head, "f-ink")


def _all_equal(points: Sequence[Point]) -> bool:
    return len(set(points)) < 2
