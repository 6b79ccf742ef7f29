"""What players give of who is in contact with whom, and what of it cannot all be so."""

from collections.abc import Iterable, Iterator
from typing import Any

from arbiter.facts import Fact, Facts, Subjects

Clash = tuple[Fact[..., Any], tuple[str, ...]]
"""A given fact that contradicts another, with the ids of its subjects."""


def distance_clashes(
    facts: Facts, field: Subjects, pair: tuple[str, str], distance: Fact[..., Any], most: float
) -> Iterator[Clash]:
    """Find the given distance at which two units cannot touch: that over `most`."""
    for one, other in (pair, pair[::-1]):
        if (facts.peek(distance, field, one, other) or 0) > most:
            yield distance, (one, other)


def list_clashes(
    facts: Facts,
    field: Subjects,
    found: tuple[str, ...],
    unit: str,
    enemies: Iterable[str],
    listing: Fact[..., Any],
    between: Fact[..., Any],
) -> Iterator[Clash]:
    """Find given facts that contradict that a unit touches just these enemies: of pairs, and lists of the enemies.

    A list of an enemy that leaves the unit out contradicts nothing: it may be of a time when the unit is gone.
    """
    for enemy in enemies:
        for pair in ((unit, enemy), (enemy, unit)):
            if facts.peek(between, field, *pair) not in (None, enemy in found):
                yield between, pair
        if enemy not in found and unit in (facts.peek(listing, field, enemy) or ()):
            yield listing, (enemy,)
