"""The pen: writes the elements of SVG. It is the only module that escapes drawn texts.

Names and ids come from the client, and may contain anything: characters that XML cannot contain, and those that change
the direction of writing, are left out. Numbers have one decimal, so that equal drawings give equal bytes on every
machine.
"""

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

LONGEST_NAME = 24
"""Characters of a name that are drawn; its title has the whole name."""

# Control characters, marks of direction, Unicode line ends, halves of surrogate pairs, and noncharacters.
_UNSEEN_CLASS = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff"
_UNSEEN, _SPECIAL = re.compile(f"[{_UNSEEN_CLASS}]"), re.compile(f'[{_UNSEEN_CLASS}&<>"]')
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]· "), frozenset("mwMW%@")

Point = tuple[float, float]


def visible(text: str) -> str:
    """Give a text without characters that must not be drawn."""
    return _UNSEEN.sub(" ", text)


def cut(text: str, most: int = LONGEST_NAME) -> str:
    """Cut a text that is too long to be drawn."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def width(text: str, size: float) -> float:
    """Estimate the width of a text from above: no font of a picture has wider letters."""
    ems = sum(0.4 if each in _NARROW else 1.0 if each in _WIDE or ord(each) > 0x2E7F else 0.68 for each in text)
    return ems * size


def number(value: float) -> str:
    """Write a number with at most one decimal."""
    written = f"{value:.1f}"
    if written[-1] != "0":
        return written
    return "0" if written == "-0.0" else written[:-2]


def points(corners: Iterable[Point]) -> str:
    """Write the corners of a polygon."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in corners)


class Pen:
    """Writes elements one after the other; `written()` gives them all."""

    def __init__(self) -> None:
        self._written: list[str] = []

    def written(self) -> str:
        """Give what has been written."""
        return "".join(self._written)

    def put(self, name: str, classes: str = "", **attributes: float | str) -> None:
        """Write an element without content; `_` in the name of an attribute stands for a hyphen."""
        self._written.append(f"<{name}{_class(classes)}{_attributes(attributes)}/>")

    def polygon(self, corners: Iterable[Point], classes: str, **attributes: float | str) -> None:
        """Write a polygon."""
        self._written.append(f'<polygon points="{points(corners)}"{_class(classes)}{_attributes(attributes)}/>')

    def path(self, d: str, classes: str, **attributes: float | str) -> None:
        """Write a path, with its data as in SVG."""
        self._written.append(f'<path d="{d}"{_class(classes)}{_attributes(attributes)}/>')

    def lines(self, ends: Iterable[Point], classes: str, **attributes: float | str) -> None:
        """Write a line through some points."""
        self.path("M" + "L".join(f"{number(x)} {number(y)}" for x, y in ends), f"none {classes}", **attributes)

    def circle(self, at: Point, r: float, classes: str, **attributes: float | str) -> None:
        """Write a circle."""
        middle = f'cx="{number(at[0])}" cy="{number(at[1])}"'
        self._written.append(f'<circle{_class(classes)} {middle} r="{number(r)}"{_attributes(attributes)}/>')

    def rect(self, x: float, y: float, wide: float, high: float, classes: str, **attributes: float | str) -> None:
        """Write a rectangle."""
        self.put("rect", classes, x=x, y=y, width=wide, height=high, **attributes)

    def text(self, at: Point, content: str, classes: str, **attributes: float | str) -> None:
        """Write a text; `at` is the beginning of its line, or its middle for classes that say so."""
        more = f'{_class(classes)} x="{number(at[0])}" y="{number(at[1])}"{_attributes(attributes)}'
        self._written.append(f"<text{more}>{_escape(content)}</text>")

    def element(self, name: str, content: str) -> None:
        """Write an element that contains only a text."""
        self._written.append(f"<{name}>{_escape(content)}</{name}>")

    def raw(self, markup: str) -> None:
        """Write our own markup."""
        self._written.append(markup)

    def group(self, title: str = "", classes: str = "", **attributes: float | str) -> "Pen":
        """Write a group around what is written in a `with`; its title is a tooltip, and its name for screen readers."""
        self._written.append(f"<g{_class(classes)}{_attributes(attributes)}>")
        if title:
            self.element("title", title)
        return self

    def __enter__(self) -> None:
        """Enter a group that `group` has begun."""

    def __exit__(self, *raised: object) -> None:
        """Write the end of the innermost group."""
        self._written.append("</g>")


def _class(classes: str) -> str:
    return f' class="{classes}"' if classes else ""


def _attributes(attributes: dict[str, float | str]) -> str:
    written = ""
    for name, value in attributes.items():
        written += f' {name.replace("_", "-")}="{_quote(value) if isinstance(value, str) else number(value)}"'
    return written


def _quote(value: str) -> str:
    return escape(visible(value), {'"': "&quot;"}) if _SPECIAL.search(value) else value


def _escape(content: str) -> str:
    return escape(visible(content)) if _SPECIAL.search(content) else content
