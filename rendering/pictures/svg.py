"""A drawing as SVG: title and sentence above, the board, its marks from the floor up, and the legend below.

Equal drawings give equal bytes. The picture runs no script, loads nothing from any host, and has one style sheet, the
same for all pictures of a theme. Every unit is a group with `data-id` (its id), `data-place` (the JSON Pointer to its
position in the scene) and `data-at` (where it is drawn); the board's group has `data-grid`, with which a page maps
points of the picture to positions on the board. Groups with `data-ground`, a digest, do not change while units move: a
page that has them requests pictures without them.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeVar

from arbiter.drawing import Area, Drawing, Edge, Label, Line, Mark, Point, Shape, Template, Token, Unit, Way
from rendering.pictures import board, lines, units
from rendering.pictures import legend as legends
from rendering.pictures.board import Layout
from rendering.pictures.labels import Box, Labels, around
from rendering.pictures.palette import SHEETS, VERDICTS, Theme
from rendering.pictures.pen import Pen, cut, number, visible, width

Crop = Literal["all", "focus"]

HEAD = 64.0
"""The height of title and sentence."""

BARE = 14.0
"""The margin above a board without them; names of units may reach into it."""

NARROWEST = 420.0
SENTENCE_LINES = 2
MOST_OF_DESCRIPTION = 2_000
LABEL_GAP = 20.0
"""The least distance of a label from its point, where a unit with its ring may be."""

FOCUS_MARGIN = 60.0
FOCUS_LEAST = 300.0
FOCUS_BEYOND = 14.0
"""The margin beyond the edge of the board, for the names of units there."""

M = TypeVar("M")


class Inner(NamedTuple):
    """A board alone: its content, its layout, and its visible part."""

    markup: str
    place: Layout
    view: Box


def svg(
    drawing: Drawing,
    theme: Theme = "auto",
    crop: Crop = "all",
    *,
    head: bool = True,
    legend: bool = True,
    has_ground: str = "",
) -> bytes:
    """Draw a picture as SVG; `focus` shows only the units of question and answer, not the whole board.

    Title and sentence are above the board unless the page has its own `head`; a small picture needs no `legend`; the
    ground that the reader already has, by its digest, is left out.
    """
    top = HEAD if head else BARE
    inner = draw_board(drawing, top, crop, has_ground=has_ground)
    place, view = inner.place, inner.view
    left = place.left
    shown_wide, shown_high = _size(view)
    wide = max(shown_wide + 2 * left, NARROWEST)
    arranged = legends.rows(legends.entries(drawing), wide - 2 * left) if legend else []
    foot = 22 if place.up else 12
    high = top + shown_high + foot + len(arranged) * legends.ROW + 6
    pen = Pen()
    begin(pen, wide, high, drawing.title, drawing.description, theme)
    if head:
        pen.text((left, 24), cut(drawing.title, int((wide - 2 * left) / 9)), "title f-ink")
        for index, line in enumerate(wrap(drawing.description, wide - 2 * left, 11, SENTENCE_LINES)):
            pen.text((left, 40 + 13 * index), line, "note f-dim")
    if crop == "all":
        pen.raw(inner.markup)
    else:
        box = (
            f"{number(view.left)} {number(view.top)} {number(view.right - view.left)} {number(view.bottom - view.top)}"
        )
        pen.raw(
            f'<svg x="{number(left)}" y="{number(top)}" width="{number(shown_wide)}" height="{number(shown_high)}" '
            f'viewBox="{box}">{inner.markup}</svg>'
        )
    if arranged:
        legends.draw(pen, arranged, left, top + shown_high + foot)
    pen.raw("</svg>")
    return pen.written().encode()


def begin(pen: Pen, wide: float, high: float, title: str, description: str, theme: Theme) -> None:
    """Write the beginning of a picture: its size, its name and description, its style sheet, and the paper."""
    size = f'viewBox="0 0 {number(wide)} {number(high)}" width="{number(wide)}" height="{number(high)}"'
    pen.raw(f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">')
    pen.element("title", title)
    pen.element("desc", cut(description, MOST_OF_DESCRIPTION))
    pen.raw(f"<style>{SHEETS[theme]}</style>{board.DEFINITIONS}")
    pen.rect(0, 0, wide, high, "f-paper")


def _size(view: Box) -> tuple[float, float]:
    """Give the size of a part of a board: a small part is enlarged."""
    wide, high = view.right - view.left, view.bottom - view.top
    larger = max(1.0, min(2.0, 480 / max(wide, high)))
    return wide * larger, high * larger


def draw_board(
    drawing: Drawing, top: float, crop: Crop = "all", *, square: bool = False, has_ground: str = ""
) -> Inner:
    """Draw a board with its marks, below the first `top` pixels; its visible part may be made `square`.

    The ground is left out if the reader already has it.
    """
    place = board.layout(drawing.board, top)
    whole = Box(place.left, place.top, place.left + place.wide, place.top + place.high)
    view = whole if crop == "all" else _focus(drawing, place, whole)
    if square:
        view = _square(view)
    shapes, edges = tuple(of(drawing.marks, Shape)), tuple(of(drawing.marks, Edge))
    ground = board.ground(drawing.board, shapes, edges, place)
    known = ground.digest == has_ground
    pen = Pen()
    with pen.group("", "board", **({} if known else {"data_grid": board.grid_data(drawing.board, place)})):
        with pen.group("", "ground", data_ground=ground.digest):
            pen.raw("" if known else ground.floor)
        for area in of(drawing.marks, Area):
            board.draw_area(pen, area, place)
        for template in of(drawing.marks, Template):
            board.draw_template(pen, template, place)
        if ground.edges:
            with pen.group("", "", data_ground=ground.digest):
                pen.raw("" if known else ground.edges)
        for token in of(drawing.marks, Token):
            board.draw_token(pen, token, place)
        frame = view if crop == "focus" else Box(2, place.top - 4, whole.right + place.left - 2, whole.bottom + 12)
        _draw_units(pen, drawing, place, frame)
    return Inner(pen.written(), place, view)


def _draw_units(pen: Pen, drawing: Drawing, place: Layout, frame: Box) -> None:
    """Draw lines and routes, units above them, contacts of lines above these, and last the names, inside a frame.

    Contacts without effect are below the units, so that they do not cover their letters.
    """
    there = of(drawing.marks, Unit)
    drawn = of(drawing.marks, Line)
    squads = units.squads(there)
    for line in drawn:
        lines.draw_line(pen, line, place)
    units.draw_hulls(pen, squads, place)
    units.draw_rings(pen, (unit for unit in there if unit.squad not in squads), place)
    for way in of(drawing.marks, Way):
        lines.draw_way(pen, way, place)
    contacts = [contact for line in drawn for contact in line.contacts]
    lines.draw_contacts(pen, [contact for contact in contacts if contact.kind == "touched"], place)
    for unit in there:
        units.draw_unit(pen, unit, place, units.title(unit, drawing.sides, drawing.neutral))
    lines.draw_contacts(pen, [contact for contact in contacts if contact.kind != "touched"], place)
    taken = [around(place.at(unit.at), units.radius(unit, place)) for unit in there]
    taken += [around(place.at(contact.at), 5) for contact in contacts]
    taken += [around(place.at(token.at), 6) for token in of(drawing.marks, Token)]
    ends = [(place.at(line.start), place.at(line.end)) for line in drawn]
    ends += [legs for way in of(drawing.marks, Way) for legs in pairwise(place.ring(way.points))]
    labels = Labels(frame, taken, ends)
    for label in of(drawing.marks, Label):
        labels.draw(pen, label.text, place.at(label.at), LABEL_GAP)
    for line in drawn:
        if line.text:
            classes = f"name f-{VERDICTS[line.verdict]} s-floor"
            labels.draw(pen, line.text, place.at(line.end), 16, classes)
    _draw_names(pen, labels, there, squads, place)


def _draw_names(pen: Pen, labels: Labels, there: list[Unit], squads: dict[str, list[Unit]], place: Layout) -> None:
    """Draw the names of units: of all on an open board; on cells, of those in the question."""
    first = sorted(there, key=lambda unit: not (unit.asks or unit.verdict is not None))
    named: set[str] = set()
    for unit in first:
        squad = squads.get(unit.squad)
        if squad is not None:
            if unit.squad not in named and labels.frame.holds(place.at(units.middle(squad))):
                named.add(unit.squad)
                low = min(place.at(model.at)[1] for model in squad), max(place.at(model.at)[1] for model in squad)
                gap = (low[1] - low[0]) / 2 + units.radius(unit, place) + 6
                labels.draw(pen, unit.id, place.at(units.middle(squad)), gap)
        elif (place.up or unit.asks or unit.verdict is not None) and labels.frame.holds(place.at(unit.at)):
            ring = 7.5 if unit.asks or unit.verdict is not None else 1.5
            labels.draw(pen, unit.id, place.at(unit.at), units.radius(unit, place) + ring + (unit.lost > 0) * 3)


def _focus(drawing: Drawing, place: Layout, whole: Box) -> Box:
    """Find the part of the board with the units of the question; the whole board if there are none."""
    about: list[Point] = []
    for mark in drawing.marks:
        if isinstance(mark, Unit) and (mark.asks or mark.verdict is not None):
            about.append(mark.at)
        elif isinstance(mark, Line):
            about += [mark.start, mark.end]
        elif isinstance(mark, Way):
            about += mark.points
        elif isinstance(mark, Area):
            about += [point for ring in mark.rings for point in ring]
        elif isinstance(mark, Template):
            about += mark.outline
            if mark.at is not None:
                (x, y), r = mark.at, mark.radius
                about += [(x - r, y - r), (x + r, y + r)]
    if not about:
        return whole
    seen = place.ring(tuple(about))
    box = [min(x for x, _ in seen), min(y for _, y in seen), max(x for x, _ in seen), max(y for _, y in seen)]
    left, right = _widen(box[0], box[2], whole.left - FOCUS_BEYOND, whole.right + FOCUS_BEYOND)
    top, bottom = _widen(box[1], box[3], whole.top - FOCUS_BEYOND, whole.bottom + FOCUS_BEYOND)
    return Box(left, top, right, bottom)


def _square(view: Box) -> Box:
    half = max(view.right - view.left, view.bottom - view.top) / 2
    x, y = (view.left + view.right) / 2, (view.top + view.bottom) / 2
    return Box(x - half, y - half, x + half, y + half)


def _widen(low: float, high: float, least: float, most: float) -> tuple[float, float]:
    """Give a range a margin and a least length, within bounds."""
    middle, half = (low + high) / 2, max((high - low) / 2 + FOCUS_MARGIN, FOCUS_LEAST / 2)
    low, high = middle - half, middle + half
    if low < least:
        low, high = least, min(most, least + 2 * half)
    if high > most:
        low, high = max(least, most - 2 * half), most
    return low, high


def of(marks: Iterable[Mark], kind: type[M]) -> list[M]:
    """Give the marks of a kind, in their order."""
    found: list[Any] = [mark for mark in marks if type(mark) is kind]
    return found


def wrap(text: str, wide: float, size: float, most: int) -> list[str]:
    """Break a text into lines of a width; text beyond the last line is cut off."""
    broken = [""]
    for word in visible(text).split():
        longer = f"{broken[-1]} {word}".strip()
        if broken[-1] and width(longer, size) > wide:
            broken.append(word)
        else:
            broken[-1] = longer
    if len(broken) > most:
        last = broken[most - 1]
        while last and width(f"{last}…", size) > wide:
            last = last[:-1]
        broken = [*broken[: most - 1], f"{last.rstrip()}…"]
    longest = int(wide / size * 2.6)
    return [cut(line, longest) for line in broken]
