"""Given facts about contact between units, and contradictions among them."""

from collections.abc import Iterator
from typing import Any

from arbiter.facts import Against, Fact, Facts

Clash = tuple[Fact[..., Any], tuple[str, ...]]
"""A given fact that contradicts another, with the ids of its subjects."""


def opponents_of(field: Any, unit: str, *_: str) -> Iterator[str]:
    """Give the enemies of a unit, in play or not: those that a fact can list that asks for its enemies."""
    return (id_ for id_, other in field.by_id.items() if field.are_enemies(field.by_id[unit], other))


def friends_of(field: Any, unit: str, *_: str) -> Iterator[str]:
    """Give the friends of a unit, in play or not: those that a fact can list that asks for its friends."""
    return (id_ for id_, other in field.by_id.items() if not field.are_enemies(field.by_id[unit], other))


def contact_checks(listing: str, between: str, distance: str, most: float) -> tuple[Against, Against]:
    """Give the checks for contradictions to the fact `between` a pair, and to the `listing` of enemies in contact.

    Facts are given by name; `most` is the greatest distance of two units in contact. A list of an enemy without the
    unit is no contradiction: it may be from a time when the unit is gone.
    """

    def of_pair(facts: Facts, field: Any, touching: bool, one: str, other: str) -> Iterator[Clash]:
        for pair in ((one, other), (other, one)) if touching else ():
            if (facts.peek(facts.known[distance], field, *pair) or 0) > most:
                yield facts.known[distance], pair

    def of_list(facts: Facts, field: Any, found: tuple[str, ...], unit: str) -> Iterator[Clash]:
        lists, pairs = facts.known[listing], facts.known[between]
        for enemy in [each.id for each in field.enemies(field.by_id[unit])]:
            for pair in ((unit, enemy), (enemy, unit)):
                if facts.peek(pairs, field, *pair) not in (None, enemy in found):
                    yield pairs, pair
            if enemy not in found and unit in (facts.peek(lists, field, enemy) or ()):
                yield lists, (enemy,)
            yield from of_pair(facts, field, enemy in found, unit, enemy)

    return of_pair, of_list
