"""Numbers with a square root in them, compared exactly: what the open table measures are such numbers.

Distances between centres and the ends of what is seen are roots of whole numbers. Their signs and their order are
decided by squaring, in fractions, so that "within 3" and "half or more" are right when it is exactly that.
"""

from abc import abstractmethod
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any

from arbiter.value import Value


def sign(number: Fraction | int) -> int:
    """Tell the sign of a number: 1, 0 or -1."""
    return (number > 0) - (number < 0)


def sign_of_root(plain: Fraction | int, times: Fraction | int, root: Fraction | int) -> int:
    """Tell the sign of plain + times * √root, where root is not negative."""
    first, second = sign(plain), sign(times) * sign(root)
    if first == second or not second:
        return first
    return first * sign(plain * plain - times * times * root) if first else second


def sign_of_roots(
    plain: Fraction | int,
    times: Fraction | int,
    root: Fraction | int,
    more_times: Fraction | int,
    more_root: Fraction | int,
) -> int:
    """Tell the sign of plain + times * √root + more_times * √more_root, where neither root is negative."""
    first = sign_of_root(plain, times, root)
    second = sign(more_times) * sign(more_root)
    if first == second or not second:
        return first
    if not first:
        return second
    squares = plain * plain + times * times * root - more_times * more_times * more_root
    return first * sign_of_root(squares, 2 * plain * times, root)


class Ordered:
    """Numbers that are kept as roots, and compared exactly by `compared` alone."""

    __slots__ = ()

    @abstractmethod
    def compared(self, other: Any) -> int | None:
        """Tell the sign of the difference to another number, or None if the two cannot be compared."""

    @abstractmethod
    def written(self) -> tuple[Fraction, Fraction]:
        """Give the number as (a, b) for a ± √|b|, with b negative for less, the same for equal numbers."""

    def __eq__(self, other: object) -> bool:
        return self.compared(other) == 0

    def __ne__(self, other: object) -> bool:
        # A value says for itself what is unequal to it, by its parts; that would not be the contrary of equal here.
        return self.compared(other) != 0

    def __hash__(self) -> int:
        # Numbers without a root are equal to fractions and whole numbers, and hashed like them.
        plain, under = self.written()
        return hash((plain, under)) if under else hash(plain)

    def __lt__(self, other: Any) -> bool:
        return NotImplemented if (order := self.compared(other)) is None else order < 0

    def __le__(self, other: Any) -> bool:
        return NotImplemented if (order := self.compared(other)) is None else order <= 0

    def __gt__(self, other: Any) -> bool:
        return NotImplemented if (order := self.compared(other)) is None else order > 0

    def __ge__(self, other: Any) -> bool:
        return NotImplemented if (order := self.compared(other)) is None else order >= 0


def plain_root(number: Fraction | int) -> Fraction | None:
    """Give the square root of a number that is not negative where it is a fraction, and None where it is not."""
    top, under = isqrt(number.numerator), isqrt(number.denominator)
    return Fraction(top, under) if top * top == number.numerator and under * under == number.denominator else None


class Share(Ordered, Value, frozen=True, eq=False):
    """A share from 0 to 1, exactly: plain + times · √root. It compares with other shares and with fractions."""

    plain: Fraction
    times: Fraction = Fraction(0)
    root: int = 0

    def __float__(self) -> float:
        """Give it as a floating number, for showing; nothing is decided by it."""
        return min(max(float(self.plain) + float(self.times) * sqrt(self.root), 0.0), 1.0)

    @property
    def rest(self) -> "Share":
        """What is left of the whole."""
        return Share(1 - self.plain, -self.times, self.root)

    def written(self) -> tuple[Fraction, Fraction]:
        under = self.times * self.times * self.root
        root = plain_root(under)
        if root is None:
            return self.plain, under * sign(self.times)
        return self.plain + root * sign(self.times), Fraction(0)

    def compared(self, other: Any) -> int | None:
        if isinstance(other, Share):
            return sign_of_roots(self.plain - other.plain, self.times, self.root, -other.times, other.root)
        if isinstance(other, Fraction | int):
            return sign_of_root(self.plain - other, self.times, self.root)
        return None


NOTHING, WHOLE = Share(Fraction(0)), Share(Fraction(1))
