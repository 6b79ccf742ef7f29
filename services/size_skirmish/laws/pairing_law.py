"""How damage dice and defence dice pair off: in how many cases, for every number of dice on either side.

All dice here show one of the same few *middle* faces, each as likely; on some of them a defence die may never stand.
Every entry of a table is a polynomial, packed into a whole number: its coefficients are digits of `width` bits.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from operator import add

Table = tuple[tuple[int, ...], ...]
"""A polynomial for so many damage dice (rows) and so many defence dice (columns), from none on."""


@lru_cache(maxsize=32)
def spare(shown: tuple[bool, ...], damage: int, defence: int, width: int) -> Table:
    """Return in how many cases so many defence dice are spare, when as many damage dice are negated as can be.

    `shown` says of each middle face, from the lowest on, whether a defence die may show it; `damage` and `defence` are
    the most dice of either side. The power is the number of spare defence dice.

    A defence die below a face can negate only what is below it, too. So of the defence dice there as many are spare, at
    least, as outnumber the damage dice there; and by Hall's theorem the worst face says how many are spare in all.
    """
    all_spare = sum(1 << width * many for many in range(defence + 1))
    at_most = [
        [all_spare if not dice or shown[:1] == (True,) else 0 for dice in range(defence + 1)] for _ in range(damage + 1)
    ]
    for may_show in shown[1:]:
        at_most = _bounded(at_most, width)
        if may_show:
            at_most = [_thrown(row) for row in at_most]
        columns = [_thrown(column) for column in zip(*at_most, strict=True)]
        at_most = [list(row) for row in zip(*columns, strict=True)]
    whole = (1 << width * (defence + 1)) - 1
    # From "at most so many" to "just so many".
    return tuple(tuple((entry - (entry << width)) & whole for entry in row) for row in _bounded(at_most, width))


def _bounded(table: Sequence[Sequence[int]], width: int) -> list[list[int]]:
    """Strike out the cases in which defence dice left below a face outnumber the damage dice by more than are spare."""
    return [
        [
            entry >> width * (column - row) << width * (column - row) if column > row else entry
            for column, entry in enumerate(entries)
        ]
        for row, entries in enumerate(table)
    ]


def _thrown(entries: Sequence[int]) -> list[int]:
    """Give, for so many dice from none on, the sum over how many of them are left below a face, with all their ways.

    That is the binomial sum over the entries; it comes of adding neighbours again and again.
    """
    sums = []
    row = list(entries)
    while row:
        sums.append(row[0])
        row = list(map(add, row, row[1:]))
    return sums


@lru_cache(maxsize=8)
def ranked(shown: tuple[bool, ...], damage: int, defence: int, width: int) -> tuple[Table, ...]:
    """Return the cases for each damage that is left when dice meet by rank, the highest with the highest.

    There is a table for each surplus of damage dice over defence dice, tops included, from -`defence` up to `damage`;
    what is further out is as the last. The power is the number of middle damage dice that are left.

    At a face, those damage dice are left of it that come after all the defence dice at or above it.
    """
    return tuple(_ranked(shown, damage, defence, width, surplus) for surplus in range(-defence, damage + 1))


def _ranked(shown: tuple[bool, ...], damage: int, defence: int, width: int, surplus: int) -> Table:
    def left(here: int, damage_below: int, defence_below: int) -> int:
        return width * min(here, max(0, surplus - damage_below + defence_below))

    table = [
        [1 << left(dice, 0, 0) if not against or shown[:1] == (True,) else 0 for against in range(defence + 1)]
        for dice in range(damage + 1)
    ]
    for may_show in shown[1:]:
        table = [
            [
                sum(
                    comb(dice, below) * table[below][against] << left(dice - below, below, against)
                    for below in range(dice + 1)
                )
                for against in range(defence + 1)
            ]
            for dice in range(damage + 1)
        ]
        if may_show:
            table = [_thrown(row) for row in table]
    return tuple(map(tuple, table))
