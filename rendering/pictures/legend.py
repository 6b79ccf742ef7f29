"""The legend of a picture: only the sides and marks that it shows."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from arbiter.drawing import Area, Contact, Drawing, Edge, Line, Shape, Template, Token, Unit, Way
from rendering.pictures import board, lines, units
from rendering.pictures.board import Layout
from rendering.pictures.palette import DASHES, VERDICTS, side_colour
from rendering.pictures.pen import Pen, cut, number, width

ROW = 20.0
SAMPLE = 30.0
SIZE = 11.0
LONGEST = 32


class Entry(NamedTuple):
    """One entry: its text, and the function that draws a sample around a point."""

    text: str
    draw: Callable[[Pen, float, float], None]


def entries(drawing: Drawing) -> list[Entry]:
    """List what the legend explains, each once."""
    found: dict[str, Entry] = {}
    for entry in (*_sides(drawing), *_marks(drawing)):
        found.setdefault(entry.text, entry)
    return list(found.values())


def rows(entries_: list[Entry], wide: float) -> list[list[tuple[float, Entry]]]:
    """Arrange entries in rows of a width, each with its position."""
    arranged: list[list[tuple[float, Entry]]] = [[]]
    x = 0.0
    for entry in entries_:
        needed = SAMPLE + width(cut(entry.text, LONGEST), SIZE) + 14
        if arranged[-1] and x + needed > wide:
            arranged.append([])
            x = 0.0
        arranged[-1].append((x, entry))
        x += needed
    return arranged


def draw(pen: Pen, arranged: list[list[tuple[float, Entry]]], left: float, top: float) -> None:
    """Draw the legend; each entry has its position, so that a page can arrange them differently."""
    with pen.group("", "legend", data_top=top):
        for index, row in enumerate(arranged):
            y = top + index * ROW + 12
            for x, entry in row:
                text = cut(entry.text, LONGEST)
                with pen.group(data_text=text, data_at=f"{number(left + x + 11)} {number(y)}"):
                    entry.draw(pen, left + x + 11, y)
                    pen.text((left + x + SAMPLE - 3, y + 4), text, "note f-dim")


def _sides(drawing: Drawing) -> Iterator[Entry]:
    there = {mark.side for mark in drawing.marks if isinstance(mark, Unit)}
    named = [*((index, name) for index, name in enumerate(drawing.sides)), (-1, drawing.neutral)]
    for side, name in named:
        if side in there:
            yield Entry(name, partial(_side, side))


def _side(side: int, pen: Pen, x: float, y: float) -> None:
    units.draw_shape(pen, side, (x, y), 5.5, f"f-{side_colour(side)}")


def _marks(drawing: Drawing) -> Iterator[Entry]:
    marks = drawing.marks
    highest = board.highest(shape for shape in drawing.marks if isinstance(shape, Shape))
    for shape in marks:
        if isinstance(shape, Shape) and shape.legend:
            yield Entry(shape.legend, _sample_of_shape(shape, highest))
    for edge in marks:
        if isinstance(edge, Edge) and edge.legend:
            yield Entry(edge.legend, _sample_of_edge(edge))
    for token in marks:
        if isinstance(token, Token) and token.legend:
            yield Entry(token.legend, _sample_of_token(token))
    for area in marks:
        if isinstance(area, Area) and area.legend:
            yield Entry(area.legend, _reach)
    for mark in marks:
        if isinstance(mark, Template):
            yield Entry(mark.legend, _template)
        elif isinstance(mark, Way):
            yield Entry(mark.legend, _way)
    drawn = [mark for mark in marks if isinstance(mark, Line)]
    for verdict in VERDICTS:
        for line in drawn:
            if line.verdict == verdict:
                yield Entry(line.legend or lines.MEANING[verdict], _sample_of_line(line))
    for kind, meaning in lines.CONTACTS.items():
        met = next((contact for line in drawn for contact in line.contacts if contact.kind == kind), None)
        if met is not None:
            yield Entry(meaning, _sample_of_contact(met))
    if any(isinstance(mark, Unit) and mark.asks for mark in marks):
        yield Entry("who acts", _asks)
    if any(isinstance(mark, Unit) and mark.lost for mark in marks):
        yield Entry("wounds", _pips)
    if any(isinstance(mark, Unit) and mark.activated for mark in marks):
        yield Entry("has acted", _acted)


def _flat(x: float, y: float, scale: float = 1.0) -> Layout:
    """Give a layout in which (0, 0) is at a point of the legend."""
    return Layout(scale, x, y, False, 0, 0, x, y)


def _sample_of_shape(shape: Shape, highest: float) -> Callable[[Pen, float, float], None]:
    def draw_sample(pen: Pen, x: float, y: float) -> None:
        box = ((-9.0, -6.0), (9.0, -6.0), (9.0, 6.0), (-9.0, 6.0))
        board.draw_shape(pen, Shape(box, shape.ground, "", height=shape.height), _flat(x, y), highest)

    return draw_sample


def _sample_of_edge(edge: Edge) -> Callable[[Pen, float, float], None]:
    return lambda pen, x, y: board.draw_edge(
        pen, Edge((-0.22, 0.0), (0.22, 0.0), edge.kind, ""), Layout(50.0, x, y, False, 0, 0, x, y)
    )


def _sample_of_token(token: Token) -> Callable[[Pen, float, float], None]:
    small = Token((0.0, 0.0), token.kind, "", text="?" if token.kind == "unknown" else "")
    return lambda pen, x, y: board.draw_token(pen, small, Layout(26.0, x, y, False, 0, 0, x, y))


def _sample_of_line(line: Line) -> Callable[[Pen, float, float], None]:
    more = {"stroke_dasharray": DASHES[line.verdict]} if DASHES[line.verdict] else {}
    return lambda pen, x, y: pen.lines(
        [(x - 10, y), (x + 10, y)], f"s-{VERDICTS[line.verdict]}", stroke_width=2.6, **more
    )


def _sample_of_contact(contact: Contact) -> Callable[[Pen, float, float], None]:
    return lambda pen, x, y: lines.draw_contacts(pen, [Contact((0, 0), contact.kind, "")], _flat(x, y))


def _reach(pen: Pen, x: float, y: float) -> None:
    pen.rect(x - 9, y - 6, 18, 12, "f-a s-a", fill_opacity="0.25", stroke_opacity="0.55")


def _template(pen: Pen, x: float, y: float) -> None:
    pen.circle((x, y), 7, "f-no s-no", fill_opacity="0.16", stroke_dasharray="4 2")


def _way(pen: Pen, x: float, y: float) -> None:
    lines.draw_way(pen, Way(((-10.0, 0.0), (10.0, 0.0)), ""), _flat(x, y))


def _asks(pen: Pen, x: float, y: float) -> None:
    pen.circle((x, y), 6, "f-floor s-ink", stroke_width=2.5)


def _pips(pen: Pen, x: float, y: float) -> None:
    for step in (-5.2, 0.0, 5.2):
        pen.circle((x + step, y), 2.3, "f-no s-floor")


def _acted(pen: Pen, x: float, y: float) -> None:
    pen.circle((x, y), 5.5, "f-ink", opacity="0.45")
