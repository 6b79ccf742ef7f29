"""Answers of laws and counted crowds: chances, and the distribution of each plain field."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from arbiter.json import write_custom
from arbiter.odds.pools import total
from arbiter.ruling import Chance, Marginal


def chances(masses: Mapping[Any, Fraction | int], heads: int | None) -> tuple[Chance[Any], ...]:
    """Give every answer with its chance, likeliest first."""
    chances = [Chance(answer, str(mass), float(mass) / (heads or 1)) for answer, mass in masses.items()]
    return tuple(sorted(chances, key=lambda chance: -chance.probability))


def marginals(masses: Mapping[Any, Fraction | int], heads: int | None) -> tuple[Marginal, ...]:
    """Give the distribution of each plain field of the answer."""
    rows = [(msgspec.to_builtins(answer, enc_hook=write_custom), mass) for answer, mass in masses.items()]
    if not rows or not all(isinstance(row, dict) for row, _ in rows):
        return ()
    add: Callable[[list[Any]], Any] = total if heads is None else sum
    marginals = []
    for field in rows[0][0]:
        values = [(row.get(field), mass) for row, mass in rows]
        if not all(value is None or isinstance(value, int | str) for value, _ in values):
            continue
        shares: dict[Any, list[Any]] = {}
        for value, mass in values:
            shares.setdefault(value, []).append(mass)
        spread = {value: add(masses) for value, masses in shares.items()}
        mean = None
        if all(isinstance(value, int) and not isinstance(value, bool) for value in spread):
            mean = Fraction(add([value * mass for value, mass in spread.items()]), heads or 1)
        marginals.append(
            Marginal(
                field,
                chances(spread, heads),
                None if mean is None else float(mean),
                None if mean is None or heads else str(mean),
            )
        )
    return tuple(marginals)
