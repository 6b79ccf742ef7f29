"""Battlegroups: what the cards cost, how often each is allowed, and which belong to a band."""

from collections.abc import Iterator
from itertools import zip_longest

from arbiter.rule import Reason
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.rapture.book import Book, number

GROUP = "The battlegroup"
"""What a battlegroup is called where there is one."""


def costs(book: Book, cards: tuple[str, ...]) -> int:
    """Give the sum of the points of cards."""
    return sum(book.profiles[card].points for card in cards)


@every_reason
def violations(table: Table, book: Book, cards: tuple[str, ...], group: str = GROUP) -> Iterator[Reason]:
    """Give everything that is wrong with a battlegroup; `group` is what it is called."""
    yield from points_violations(table, book, cards, group)
    yield from count_violations(table, book, cards, group)
    yield from band_violations(table, book, cards)


@violations_rule("battlegroup.points_violations", cites="setup/points")
def points_violations(table: Table, book: Book, cards: tuple[str, ...], group: str = GROUP) -> Iterator[Reason]:
    """Decide why a battlegroup costs too much: more than 100 points."""
    most, cost = number("battlegroup-points"), costs(book, cards)
    text, points = "{group} costs {cost}; the limit is {most}", Quantity(cost, "point")
    if cost > most:
        yield table.reason(text, group=group, cost=points, most=most)
    else:
        table.find(text, group=group, cost=points, most=most)


@violations_rule("battlegroup.count_violations", cites=("battlegroup/named-once", "battlegroup/squads-twice"))
def count_violations(table: Table, book: Book, cards: tuple[str, ...], group: str = GROUP) -> Iterator[Reason]:
    """Decide which cards are in a battlegroup too often: named cards at most once, squads of a type twice."""
    wrong = False
    for card in dict.fromkeys(cards):
        kind, many = book.unit_kinds[book.profiles[card].kind], cards.count(card)
        most = kind.most_in_battlegroup
        if most is not None and many > most:
            wrong = True
            cites = "battlegroup/squads-twice" if kind.id == "squad" else "battlegroup/named-once"
            text = "{group} has {card} {many} times; the limit is {most}"
            yield table.reason(text, cites=cites, group=group, card=_name(book, card), many=many, most=most)
    if not wrong:
        table.find("No card exceeds its limit")


@violations_rule("battlegroup.band_violations", cites="kinds/band-size")
def band_violations(table: Table, book: Book, cards: tuple[str, ...]) -> Iterator[Reason]:
    """Decide what is wrong with bands: a leader without an apprentice, or an apprentice without a leader of its own.

    An apprentice follows its leader, or another apprentice of it, in the list.
    """
    wrong = False
    leader: str | None = None
    for card, after in zip_longest(cards, cards[1:]):
        profile = book.profiles[card]
        text = ""
        if profile.kind == "apprentice":
            if leader is None or card not in book.profiles[leader].apprentices:
                text = "{card} does not follow a leader that can lead it"
        else:
            leader = card if profile.kind == "leader" else None
            if leader is not None and (after is None or book.profiles[after].kind != "apprentice"):
                text = "{card} leads no apprentice; a band needs at least one"
        if text:
            wrong = True
            yield table.reason(text, card=_name(book, card))
    if not wrong:
        table.find("Every leader has an apprentice, and every apprentice has a leader")


def _name(book: Book, card: str) -> str:
    return book.profiles[card].name or card
