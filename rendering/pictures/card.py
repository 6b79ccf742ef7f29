"""The card of a ruling, 1200 by 630, for link previews in chats: the relevant part of the board and the verdict.

The units of the question are on the left; on the right are the question, the outcome, the dice, three reasons with
their sources, and the odds if they are known.
"""

from arbiter.drawing import Bar, Die, Drawing
from arbiter.value import Value
from rendering.pictures.palette import VERDICTS, Theme, side_colour
from rendering.pictures.pen import Pen, cut, number, width
from rendering.pictures.svg import begin, draw_board, wrap

WIDE, HIGH = 1200.0, 630.0

_LEFT, _TOP, _BOARD = 28.0, 28.0, 574.0
_COLUMN, _ROOM = 636.0, 536.0
MOST_DICE, MOST_REASONS, MOST_BARS = 4, 3, 4


class Reason(Value, frozen=True):
    """A step of the ruling, and its sources."""

    text: str
    sources: str


class Card(Value, frozen=True):
    """The text on a card next to the board: `above` is the game and the question, `verdict` is large and coloured."""

    above: str
    title: str
    verdict: str
    tone: str
    dice: tuple[Die, ...] = ()
    reasons: tuple[Reason, ...] = ()
    bars: tuple[Bar, ...] = ()
    foot: str = ""


def card(drawing: Drawing | None, content: Card, theme: Theme = "light") -> bytes:
    """Draw a card as SVG; without a drawing the text takes the whole card."""
    pen = Pen()
    begin(pen, WIDE, HIGH, f"{content.above}: {content.verdict}", content.title, theme)
    left, room = _COLUMN, _ROOM
    if drawing is None:
        left, room = 60.0, WIDE - 120
    else:
        _board(pen, drawing)
    y = 58.0
    pen.text((left, y), cut(content.above, 60), "w400 z16 f-dim")
    y = _lines(pen, content.title, (left, y + 34), room, 24, "w700 z24 f-ink", 2)
    size, name = (40, "z40") if width(content.verdict, 40) < room * 1.15 else (32, "z32")
    if width(content.verdict, 32) > room * 1.15:
        size, name = 20, "z20"
    y = _lines(pen, content.verdict, (left, y + size + 6), room, size, f"w700 {name} f-{content.tone}", 2)
    if content.dice:
        y = _dice(pen, content.dice[:MOST_DICE], left, y + 26, room)
    y += 30
    for reason in content.reasons[:MOST_REASONS]:
        pen.circle((left + 5, y - 5), 4, "f-dim")
        y = _lines(pen, reason.text, (left + 20, y), room - 20, 16, "w400 z16 f-ink", 2)
        pen.text((left + 20, y + 19), cut(reason.sources, 70), "w400 z13 f-dim")
        y += 48
    if content.bars:
        _bars(pen, content.bars[:MOST_BARS], left, max(y + 6, 420), room)
    pen.text((left, HIGH - 31), cut(content.foot, 80), "w400 z13 f-dim")
    pen.raw("</svg>")
    return pen.written().encode()


def _board(pen: Pen, drawing: Drawing) -> None:
    """Draw the relevant part of the board, in a square."""
    inner = draw_board(drawing, 0, "focus", square=True)
    view = inner.view
    box = f"{number(view.left)} {number(view.top)} {number(view.right - view.left)} {number(view.bottom - view.top)}"
    pen.raw(f'<svg x="{_LEFT:.0f}" y="{_TOP:.0f}" width="{_BOARD:.0f}" height="{_BOARD:.0f}" viewBox="{box}">')
    pen.raw(f"{inner.markup}</svg>")
    pen.rect(_LEFT, _TOP, _BOARD, _BOARD, "none s-grid", rx=12, stroke_width=2)


def _lines(pen: Pen, text: str, at: tuple[float, float], room: float, size: float, classes: str, most: int) -> float:
    """Write a text in several lines; give the position of the last one."""
    x, y = at
    # The font of a card is known, and narrower than the widest font.
    for index, line in enumerate(wrap(text, room * 1.12, size, most)):
        y = at[1] + index * size * 1.25
        pen.text((x, y), line, classes)
    return y


def _dice(pen: Pen, dice: tuple[Die, ...], left: float, top: float, room: float) -> float:
    """Draw dice in two columns, each in its side's colour, with its purpose."""
    for index, die in enumerate(dice):
        x, y = left + (index % 2) * room / 2, top + (index // 2) * 58
        colour = side_colour(die.side)
        pen.rect(x, y, 44, 44, f"f-{colour} s-floor", rx=9, stroke_width=2)
        face = cut(die.face, 6)
        pen.text(
            (x + 22, y + 30 if len(face) < 4 else y + 27), face, f"w700 mid {'z24' if len(face) < 3 else 'z13'} f-floor"
        )
        pen.text((x + 56, y + 20), cut(die.title, int(room / 2 / 9) - 7), "w700 z13 f-ink")
        pen.text((x + 56, y + 38), cut(die.text, int(room / 2 / 8) - 6), "w400 z13 f-dim")
    return top + (len(dice) + 1) // 2 * 58 - 10


def _bars(pen: Pen, bars: tuple[Bar, ...], left: float, top: float, room: float) -> None:
    """Draw outcomes as bars with their chances; a triangle marks the actual outcome."""
    pen.text((left, top), "What the odds were, exactly", "w700 z16 f-ink")
    for index, bar in enumerate(bars):
        y = top + 30 + 30 * index
        weight = "w700" if bar.came else "w400"
        pen.text((left, y), cut(bar.title, 17), f"{weight} z16 f-ink")
        if bar.came:
            pen.polygon([(left + 152, y - 11), (left + 161, y - 6), (left + 152, y - 1)], "f-ink")
        pen.rect(left + 165, y - 14, room - 230, 17, "f-grid", rx=4)
        long = max(4.0, (room - 230) * bar.chance)
        pen.rect(left + 165, y - 14, long, 17, f"f-{'dim' if bar.verdict is None else VERDICTS[bar.verdict]}", rx=4)
        pen.text((left + room, y), f"{bar.chance:.1%}", "w700 z16 end f-ink")
