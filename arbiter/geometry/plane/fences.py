"""Fences: the shadows that upper edges throw on the board of `view`, and the outline of many of them."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple


class Fence(NamedTuple):
    """The shadow of an upper edge on the board: from t = first to last, as high over the target's foot as at + up·t."""

    first: Fraction
    last: Fraction
    at: Fraction
    up: Fraction


def joined(levels: Iterable[Fence]) -> list[Fence]:
    """Join fences of one height, in order, that overlap or touch."""
    found: list[Fence] = []
    for fence in levels:
        if found and fence.first <= found[-1].last:
            found[-1] = found[-1]._replace(last=max(found[-1].last, fence.last))
        else:
            found.append(fence)
    return found


def highest(fences: Sequence[Fence]) -> list[Fence]:
    """Give the upper outline of some fences: fences in order that do not overlap."""
    if len(fences) < 2:
        return list(fences)
    half = len(fences) // 2
    return merged(highest(fences[:half]), highest(fences[half:]))


def merged(one: Sequence[Fence], other: Sequence[Fence]) -> list[Fence]:
    """Give the upper outline of two outlines."""
    found: list[Fence] = []
    at_one = at_other = 0
    for low, high in pairwise(sorted([t for fence in (*one, *other) for t in (fence.first, fence.last)])):
        if low == high:
            continue
        while at_one < len(one) and one[at_one].last <= low:
            at_one += 1
        while at_other < len(other) and other[at_other].last <= low:
            at_other += 1
        here = [row[at] for row, at in ((one, at_one), (other, at_other)) if at < len(row) and row[at].first <= low]
        for fence in _higher(here, low, high):
            last = found[-1] if found else None
            if last and (last.last, last.at, last.up) == (fence.first, fence.at, fence.up):
                found[-1] = last._replace(last=fence.last)
            else:
                found.append(fence)
    return found


def _higher(fences: Sequence[Fence], low: Fraction, high: Fraction) -> Iterator[Fence]:
    """Give the higher of at most two fences between two places, in two parts where they cross."""
    if len(fences) < 2:
        yield from (fence._replace(first=low, last=high) for fence in fences)
        return
    one, other = fences
    if not one.up and not other.up:
        yield (one if one.at >= other.at else other)._replace(first=low, last=high)
        return
    at, up = one.at - other.at, one.up - other.up
    at_low, at_high = at + up * low, at + up * high
    if at_low * at_high >= 0:
        yield (one if at_low + at_high >= 0 else other)._replace(first=low, last=high)
        return
    middle = -at / up
    first, second = (one, other) if at_low > 0 else (other, one)
    yield first._replace(first=low, last=middle)
    yield second._replace(first=middle, last=high)
