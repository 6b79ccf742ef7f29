"""Covering fire: two explorers who see each other exchange their places on the track."""

from collections.abc import Iterator
from itertools import combinations

from arbiter.option import with_labels
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules.initiative import swapped
from services.blackstone_fortress.rules.payments import card_of
from services.blackstone_fortress.rules.sight import sees


def violations(table: Table, field: Battlefield, a: str, b: str) -> tuple[Reason, ...]:
    """Give every reason why two explorers cannot swap by covering fire; consent is asked for afterwards."""
    return table.reasons(_violations(table, field, a, b))


def _violations(table: Table, field: Battlefield, a: str, b: str) -> Iterator[Reason]:
    yield from unseen(table, field, a, b)
    yield from not_two_cards(table, field, a, b)
    yield from used_up(table, field, a, b)


@rule("covering_fire.not_two_cards", cites="covering-fire/swap", neutral=())
def not_two_cards(table: Table, field: Battlefield, a: str, b: str) -> tuple[Reason, ...]:
    """Decide whether there are two cards on the track to exchange, one of each explorer."""
    first, second = field.explorer(a), field.explorer(b)
    off = tuple(
        table.reason("the card of {name} does not lie on the track", name=field.name(explorer))
        for explorer in (first, second)
        if card_of(explorer) not in field.scene.turn.track
    )
    if card_of(first) == card_of(second):
        return (*off, table.reason("{a} and {b} share one initiative card", a=field.name(first), b=field.name(second)))
    return off


@rule("covering_fire.unseen", cites="covering-fire/see-each-other", neutral=())
def unseen(table: Table, field: Battlefield, a: str, b: str) -> tuple[Reason, ...]:
    """Decide whether two explorers see each other; who is not on the battlefield sees nobody."""
    first, second = field.explorer(a), field.explorer(b)
    if first.hex is not None and second.hex is not None and sees(table, field, first, second):
        table.find("{a} and {b} are visible to each other", a=field.name(first), b=field.name(second))
        return ()
    return (table.reason("{a} and {b} do not see each other", a=field.name(first), b=field.name(second)),)


@rule("covering_fire.used_up", cites="covering-fire/once", neutral=())
def used_up(table: Table, field: Battlefield, a: str, b: str) -> tuple[Reason, ...]:
    """Decide who has swapped by covering fire this turn already; who is used up is the reading `covering-fire-once`."""
    covered = field.scene.turn.covered
    if not covered:
        return ()
    # What changes its position is the card, so the Ratling Twins, who share one, are used up together.
    cards = tuple(card_of(field.explorer(id_)) for id_ in covered)
    again = tuple(id_ for id_ in (a, b) if card_of(field.explorer(id_)) in cards)
    if not again:
        return ()
    pairs = {frozenset(pair) for pair in zip(cards[::2], cards[1::2], strict=False)}
    if table.read("covering-fire-once") == "each-pair":
        if frozenset(card_of(field.explorer(id_)) for id_ in (a, b)) not in pairs:
            return ()
        reason = table.reason(
            "{a} and {b} have already swapped by covering fire this turn", a=field.name(a), b=field.name(b)
        )
        return (reason,)
    return tuple(
        table.reason("{name} has already swapped by covering fire this turn", name=field.name(id_)) for id_ in again
    )


def _agrees(table: Table, field: Battlefield, id_: str) -> bool:
    name = field.name(id_)
    labels = {"yes": f"the player of {name} agrees", "no": f"the player of {name} refuses"}
    means = with_labels(labels, "no", unit=name)
    chosen: str = table.choose("explorers", f"{id_}: covering fire", ("yes", "no"), about=field, means=means)
    return chosen == "yes"


@rule("covering_fire.withheld", cites="covering-fire/consent", neutral=())
def withheld(table: Table, field: Battlefield, a: str, b: str, agreed: tuple[str, ...]) -> tuple[Reason, ...]:
    """Ask the players of both explorers whether they agree, but for those who have; one player needs no agreement."""
    first, second = field.explorer(a), field.explorer(b)
    if first.player is not None and first.player == second.player:
        table.find("{player} controls both explorers", player=first.player)
        return ()
    refusing = tuple(id_ for id_ in (a, b) if id_ not in agreed and not _agrees(table, field, id_))
    if not refusing:
        table.find("the players of {a} and {b} agree", a=field.name(first), b=field.name(second))
    return tuple(table.reason("the player of {name} does not agree", name=field.name(id_)) for id_ in refusing)


@rule("covering_fire.swap", cites="covering-fire/swap", neutral=unchanged)
def swap(table: Table, field: Battlefield, a: str, b: str) -> Battlefield:
    """Exchange the cards of two explorers on the track, and remember that they have swapped."""
    turn = field.scene.turn
    table.find("{a} and {b} swap places on the track", a=field.name(a), b=field.name(b))
    cards = (card_of(field.explorer(a)), card_of(field.explorer(b)))
    track = swapped(turn.track, *cards)
    table.event("swapped", cards=cards, track=track)
    return field.with_turn(track=track, covered=(*turn.covered, a, b))


@rule("covering_fire.still_open", cites="covering-fire/ends", neutral=())
def still_open(table: Table, field: Battlefield) -> tuple[tuple[str, str], ...]:
    """Give the pairs of explorers who may still swap; the step ends when none of them wants to."""
    able = tuple([(a, b) for a, b in pairs(field) if not violations(table, field, a, b)])
    for a, b in able:
        table.find("{a} and {b} may still swap", a=field.name(a), b=field.name(b))
    if not able:
        table.find("nobody else can swap: the step ends")
    return able


def pairs(field: Battlefield) -> Iterator[tuple[str, str]]:
    """Give the pairs of the explorers on the battlefield."""
    return combinations([explorer.id for explorer in field.explorers], 2)
