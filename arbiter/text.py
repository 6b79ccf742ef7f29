"""Words for decisions: a text with the names of values in braces, filled in as with `str.format`.

A ruling may have hundreds of sentences, most of them about positions on a grid. So each text is parsed once, and a pair
of whole numbers is written without `format`.
"""

from collections.abc import Mapping
from functools import lru_cache
from string import Formatter
from typing import Any, NamedTuple

_TEXTS_KNOWN = 4_096


class UnitName(str):
    """The name of a unit in sentences; as data it is the unit's id."""

    __slots__ = ("unit",)
    unit: str

    def __new__(cls, unit: str, title: str = "") -> "UnitName":
        """Name a unit by its title and id; only by its id if it has no title, or the same one."""
        name = super().__new__(cls, f"{title} ({unit})" if title and title != unit else unit)
        name.unit = unit
        return name

    def __reduce__(self) -> tuple[Any, ...]:
        return _unit_name, (str(self), self.unit)


class Belonging(str):
    """An object of a unit in a sentence, as "the Mortar of Ann"; as data the object and the unit."""

    __slots__ = ("thing", "unit")
    thing: str
    unit: str

    def __new__(cls, thing: str, unit: str) -> "Belonging":
        """Name an object of a unit, which is given by its name."""
        return _belonging(f"the {thing} of {unit}", thing, unit.unit if isinstance(unit, UnitName) else unit)

    def with_(self, other: "Belonging") -> "Belonging":
        """Name two objects of a unit together."""
        if self == other:
            return _belonging(f"{self}, used twice", self.thing, self.unit)
        return _belonging(f"{self} and {other}", f"{self.thing} and {other.thing}", self.unit)

    def __reduce__(self) -> tuple[Any, ...]:
        return _belonging, (str(self), self.thing, self.unit)


class Signed(int):
    """A modifier: players write it with its sign; as data it is the number."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        return f"{int(self):{form or '+d'}}".replace("-", "\N{MINUS SIGN}")


class Added(Signed):
    """A number that is added to another in a sum, as "+ 3" or "− 3"; as data it is the number."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        signed = super().__format__(form)
        return f"{signed[0]} {signed[1:]}"


class Quantity:
    """A number with its unit, as "1 inch" or "6.5 inches"; as data it is the number."""

    __slots__ = ("_many", "_one", "number")

    def __init__(self, number: float, one: str, many: str = "") -> None:
        """Count something by its name for one, and for many; without `many` it ends in s."""
        self.number, self._one, self._many = number, one, many or f"{one}s"

    def __format__(self, form: str) -> str:
        return f"{self.number:{form or 'g'}} {self._one if self.number == 1 else self._many}"

    def __str__(self) -> str:
        return format(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and (self.number, str(self)) == (other.number, str(other))

    def __hash__(self) -> int:
        return hash((self.number, str(self)))


class Listing(tuple[Any, ...]):
    """Several values in a sentence, as "A, B and C"; as data, each of them."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        *others, last = [format(thing) for thing in self] or [""]
        return f"{', '.join(others)} and {last}" if others else last

    def __str__(self) -> str:
        return format(self)


class Series(Listing):
    """Several sentences as one, as "A; B"; as data, each of them."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        return "; ".join(format(thing) for thing in self)


def _unit_name(name: str, unit: str) -> UnitName:
    made = str.__new__(UnitName, name)
    made.unit = unit
    return made


def _belonging(name: str, thing: str, unit: str) -> Belonging:
    made = str.__new__(Belonging, name)
    made.thing, made.unit = thing, unit
    return made


class _Text(NamedTuple):
    """A text with `%s` for each value, and the names of these, with the index of the used part."""

    gaps: str
    names: tuple[tuple[str, int | None], ...]


def format_text(text: str, values: Mapping[str, Any]) -> str:
    """Fill in the values of a text, as `str.format` does; sentences begin with a capital, except names and ids."""
    filled = _fill(text, values)
    begins = text[:1].islower() or filled.startswith("the ")
    return filled[:1].upper() + filled[1:] if begins else filled


def _fill(text: str, values: Mapping[str, Any]) -> str:
    known = _taken_apart(text)
    if known is None:
        return text.format_map(values)
    gaps, names = known
    parts = []
    for name, part in names:
        value = values[name] if part is None else values[name][part]
        # Only whole numbers: for other values a tuple shows the `repr`, which may differ from their format.
        if type(value) is tuple and len(value) == 2 and type(value[0]) is type(value[1]) is int:
            value = f"({value[0]}, {value[1]})"
        elif type(value) is not str:
            value = format(value)
        parts.append(value)
    return gaps % tuple(parts)


@lru_cache(maxsize=_TEXTS_KNOWN)
def _taken_apart(text: str) -> _Text | None:
    """Find the fields of a text; None if a field has more than the name of a value and the index of one part."""
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
