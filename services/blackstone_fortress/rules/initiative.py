"""The initiative phase up to the deal: activation rolls, the initiative deck and the order of the cards.

Follows "3. Set Up Initiative Deck", "1. Activation Rolls", "2. Initiative" and "Ambush"; the swaps of cards are in
`covering_fire` and `gambits`.
"""

from msgspec.structs import replace

from arbiter.dice import Die
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import activation_die
from services.blackstone_fortress.rules.payments import card_of
from services.blackstone_fortress.rules.turn import card_name, hostile_player_name, leader_name
from services.blackstone_fortress.scene import Explorer


def sharing_card(field: Battlefield, explorer: Explorer) -> tuple[Explorer, ...]:
    """Give everyone who uses the same card and track, in the scene's order: the Twins, or the explorer alone."""
    return tuple([field.explorer(id_) for id_ in field.cards[card_of(explorer)]])


@rule(
    "initiative.empty_spaces",
    cites="initiative/wounds-cost-dice",
    neutral=lambda field, explorer_id: spaces_of(field, explorer_id),
)
def empty_spaces(table: Table, field: Battlefield, explorer_id: str) -> int:
    """Count the empty spaces of an explorer's activation track: those that no wound or grievous wound fills.

    How many spaces a grievous wound fills is the reading `grievous-spaces`.
    """
    track = sharing_card(field, field.explorer(explorer_id))
    wounds, grievous = sum(one.wounds for one in track), sum(one.grievous for one in track)
    each = 2 if grievous and table.read("grievous-spaces") == "two" else 1
    empty = max(0, spaces_of(field, explorer_id) - wounds - each * grievous)
    if wounds or grievous:
        text = "wounds fill spaces of {name}: {empty} of {spaces} are empty"
        table.find(text, name=field.name(explorer_id), empty=empty, spaces=spaces_of(field, explorer_id))
    return empty


def spaces_of(field: Battlefield, explorer_id: str) -> int:
    """Give the number of spaces on an explorer's activation track."""
    return field.book.explorers[field.explorer(explorer_id).profile].spaces


@rule(
    "initiative.activation_roll", cites=("initiative/activation-roll", "initiative/dice-keep-faces"), neutral=unchanged
)
def activation_roll(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Roll one activation die for each empty space of the explorer's track; the dice lie there as they fell."""
    explorer = field.explorer(explorer_id)
    count = empty_spaces(table, field, explorer_id)
    faces = table.pool(count, activation_die(), f"{explorer_id}: activation") if count else ()
    table.find("{name} rolls {dice}", name=field.name(explorer), dice=Listing(faces) or "no dice")
    if count:
        table.record(f"{explorer_id}: activation", outcome="the dice keep their faces")
    table.event("activation-rolled", unit=explorer_id, dice=faces)
    others = (other for other in sharing_card(field, explorer) if other.id != explorer_id)
    return field.put(
        replace(explorer, activation=faces, overwatch=()),
        *(replace(other, activation=(), overwatch=()) for other in others),
    )


def rollers(field: Battlefield) -> tuple[str, ...]:
    """Give the explorers who make an activation roll: one for each card of those who are not out of action."""
    active = tuple(explorer for explorer in field.scene.explorers if not explorer.out_of_action)
    return tuple(next(one.id for one in active if card_of(one) == card) for card in dict.fromkeys(map(card_of, active)))


@rule("initiative.deck", cites=("initiative-deck/contents", "initiative-deck/who"), neutral=())
def deck(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Give the cards of the initiative deck: one for each explorer who is not out of action and each hostile group.

    What becomes of a card when its explorer goes out of action later, or returns, is the reading
    `initiative-deck-changes`; the cards that lay on the last turn's track show who was in the deck before.
    """
    explorers = tuple(dict.fromkeys(map(card_of, field.scene.explorers)))
    fit = {card_of(explorer) for explorer in field.scene.explorers if not explorer.out_of_action}
    before = set(field.scene.turn.track) or set(explorers)
    if field.scene.turn.number > 1 and fit != before & set(explorers):
        fit = before if table.read("initiative-deck-changes") == "stays" else fit
    groups = tuple(dict.fromkeys(hostile.group for hostile in field.scene.hostiles))
    cards = (*(card for card in explorers if card in fit), *groups)
    table.find(
        "{who} puts the cards of {cards} into the initiative deck",
        who=hostile_player_name(field),
        cards=Listing(card_name(field, card) for card in cards) or "nobody",
    )
    return cards


@rule(
    "initiative.ambush_piles",
    cites=("ambush/hostiles-first", "ambush/explorers-after", "ambush/first-turn-only"),
    neutral=lambda field, cards: (cards,),
)
def ambush_piles(table: Table, field: Battlefield, cards: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Decide in which piles the cards are dealt: in the first turn of an ambush all hostiles before all explorers."""
    if not field.scene.turn.ambush:
        return (cards,)
    if field.scene.turn.number > 1:
        table.find("the ambush is over after the first turn, so all cards are dealt together")
        return (cards,)
    table.find("in the first turn of an ambush the hostile groups are dealt before the explorers")
    explorers = set(map(card_of, field.scene.explorers))
    return (tuple(c for c in cards if c not in explorers), tuple(c for c in cards if c in explorers))


@rule(
    "initiative.deal", cites=("initiative/deal", "initiative-deck/shuffled", "initiative/left-first"), neutral=unchanged
)
def deal(table: Table, field: Battlefield) -> Battlefield:
    """Shuffle the initiative deck and deal it from left to right; a deal is chance, one card after another."""
    track: tuple[str, ...] = ()
    for pile in ambush_piles(table, field, deck(table, field)):
        left = pile
        while left:
            card = table.roll(Die("initiative deck", left), "leader: deal")
            track, left = (*track, card), tuple(other for other in left if other != card)
    text = "{leader} deals, from left to right: {track}"
    table.find(text, leader=leader_name(field), track=Listing(card_name(field, card) for card in track))
    table.event("initiative-dealt", track=track)
    return field.with_turn(track=track)


@rule("initiative.steps", cites="initiative/steps", neutral=unchanged)
def steps(table: Table, field: Battlefield, rolling: tuple[str, ...], dealing: bool) -> Battlefield:
    """Carry out the first two steps of the phase: activation rolls of these explorers, then the deal."""
    for explorer_id in rolling:
        field = activation_roll(table, field, explorer_id)
    if dealing:
        field = deal(table, field)
    following = "covering fire and then gambits are next" if dealing else "the deal is next"
    table.find("the steps are done in their order, and {following}", following=following)
    return field


@rule("initiative.cannot_roll", cites="initiative/activation-roll", neutral=())
def cannot_roll(table: Table, field: Battlefield, rolling: tuple[str, ...]) -> tuple[Reason, ...]:
    """Decide whether these explorers make an activation roll: nobody who is out of action does."""
    return tuple(
        table.reason("{name} is out of action and rolls no activation dice", name=field.name(id_))
        for id_ in rolling
        if field.explorer(id_).out_of_action
    )


def swapped(track: tuple[str, ...], a: str, b: str) -> tuple[str, ...]:
    """Give the track with two cards in each other's place."""
    return tuple(b if card == a else a if card == b else card for card in track)
