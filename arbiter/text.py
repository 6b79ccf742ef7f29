"""How what was decided is put into words: a text with the names of values in braces, filled in as `str.format` does.

A ruling may say hundreds of sentences, most of them about places on a grid. So each text is taken apart once, and a
pair of whole numbers is written without the detour of `format`.
"""

from collections.abc import Mapping
from functools import lru_cache
from string import Formatter
from typing import Any, NamedTuple

_TEXTS_KNOWN = 4_096


class _Text(NamedTuple):
    """A text with `%s` in the place of each value, and the names of these, with the part of the value that is meant."""

    gaps: str
    names: tuple[tuple[str, int | None], ...]


def worded(text: str, values: Mapping[str, Any]) -> str:
    """Fill in the values of a text, as `str.format` does."""
    known = _taken_apart(text)
    if known is None:
        return text.format_map(values)
    gaps, names = known
    said = []
    for name, part in names:
        value = values[name] if part is None else values[name][part]
        # Whole numbers alone: of other things a tuple shows the `repr`, which need not be how they are formatted.
        if type(value) is tuple and len(value) == 2 and type(value[0]) is type(value[1]) is int:
            value = f"({value[0]}, {value[1]})"
        elif type(value) is not str:
            value = format(value)
        said.append(value)
    return gaps % tuple(said)


@lru_cache(maxsize=_TEXTS_KNOWN)
def _taken_apart(text: str) -> _Text | None:
    """Find the gaps of a text; None where more is said of a value than its name and the number of one part."""
    gaps, names = "", []
    for plain, name, form, conversion in Formatter().parse(text):
        gaps += plain.replace("%", "%%")
        if name is None:
            continue
        whole, bracket, part = name.partition("[")
        if form or conversion or not whole.isidentifier() or bool(bracket) != part[:-1].isdecimal():
            return None
        gaps += "%s"
        names.append((whole, int(part[:-1]) if bracket else None))
    return _Text(gaps, tuple(names))
