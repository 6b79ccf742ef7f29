"""Battlegroups: what the cards cost, how often each is allowed, and which belong to a band."""

from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.rapture.book import Book, number


def costs(book: Book, cards: tuple[str, ...]) -> int:
    """Give the sum of the points of cards."""
    return sum(book.profiles[card].points for card in cards)


@rule("battlegroup.points_violations", cites="setup/points", neutral=())
def points_violations(table: Table, book: Book, cards: tuple[str, ...]) -> tuple[Reason, ...]:
    """Decide why a battlegroup costs too much: more than 100 points."""
    most, cost = number("battlegroup-points"), costs(book, cards)
    text, points = "The battlegroup costs {cost}; the limit is {most}", Quantity(cost, "point")
    if cost > most:
        return (table.reason(text, cost=points, most=most),)
    table.find(text, cost=points, most=most)
    return ()


@rule("battlegroup.count_violations", cites=("battlegroup/named-once", "battlegroup/squads-twice"), neutral=())
def count_violations(table: Table, book: Book, cards: tuple[str, ...]) -> tuple[Reason, ...]:
    """Decide which cards are in a battlegroup too often: named cards at most once, squads of a type twice."""
    reasons = []
    for card in dict.fromkeys(cards):
        kind, many = book.unit_kinds[book.profiles[card].kind], cards.count(card)
        if kind.most_in_battlegroup is not None and many > kind.most_in_battlegroup:
            cites = "battlegroup/squads-twice" if kind.id == "squad" else "battlegroup/named-once"
            reasons.append(
                table.reason(
                    "The battlegroup has {card} {many} times; the limit is {most}",
                    cites=cites,
                    card=_name(book, card),
                    many=many,
                    most=kind.most_in_battlegroup,
                )
            )
    if not reasons:
        table.find("No card exceeds its limit")
    return tuple(reasons)


@rule("battlegroup.band_violations", cites="kinds/band-size", neutral=())
def band_violations(table: Table, book: Book, cards: tuple[str, ...]) -> tuple[Reason, ...]:
    """Decide what is wrong with bands: a leader without an apprentice, or an apprentice without a leader of its own.

    An apprentice follows its leader, or another apprentice of it, in the list.
    """
    reasons = []
    leader: str | None = None
    for place, card in enumerate(cards):
        profile = book.profiles[card]
        if profile.kind == "apprentice":
            if leader is None or card not in book.profiles[leader].apprentices:
                reasons.append(table.reason("{card} does not follow a leader that can lead it", card=_name(book, card)))
            continue
        leader = card if profile.kind == "leader" else None
        after = cards[place + 1] if place + 1 < len(cards) else None
        if leader is not None and (after is None or book.profiles[after].kind != "apprentice"):
            reasons.append(
                table.reason("{card} leads no apprentice; a band needs at least one", card=_name(book, card))
            )
    if not reasons:
        table.find("Every leader has an apprentice, and every apprentice has a leader")
    return tuple(reasons)


def _name(book: Book, card: str) -> str:
    return book.profiles[card].name or card
