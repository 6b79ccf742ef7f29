"""The combat turn: its phases, whose card comes next, and how one turn follows another.

Follows "Fight Combat", "Activation Phase" and the end of "Event Phase". An explorer's card is its own id, or the shared
card of the Ratling Twins; a hostile group's card is the id of the group.
"""

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.rules import threat
from services.blackstone_fortress.scene import Explorer, Hostile

PHASES = ("destiny", "initiative", "activation", "event")


def leader_name(field: Battlefield) -> str:
    """Give what to call the leader."""
    return f"the leader ({field.scene.leader})" if field.scene.leader else "the leader"


def hostile_player_name(field: Battlefield) -> str:
    """Give what to call the player of the hostiles."""
    player = field.scene.hostile_player
    return f"the hostile player ({player})" if player else f"{leader_name(field)} as the hostile player"


def on_card(field: Battlefield, card: str) -> tuple[Explorer | Hostile, ...]:
    """Give everyone whom an initiative card activates, whether on the battlefield or not."""
    return tuple([field.units[id_] for id_ in field.cards.get(card, ())])


def card_name(field: Battlefield, card: str) -> str:
    """Give the name of an initiative card as a player would say it."""
    units = on_card(field, card)
    if units and isinstance(units[0], Explorer):
        return (
            field.name(units[0]) if card == units[0].id else f"{field.book.explorers[units[0].profile].name} ({card})"
        )
    return group_name(card)


def group_name(group: str) -> str:
    """Give what to call a hostile group."""
    return f"the hostile group {group.removeprefix('group-')}"


@rule("turn.out_of_phase", cites="combat/phases", neutral=())
def out_of_phase(table: Table, field: Battlefield, phases: tuple[str, ...]) -> tuple[Reason, ...]:
    """Decide whether something that belongs to these phases may happen now; a scene need not say its phase."""
    now = field.scene.turn.phase
    if now is None or now in phases:
        return ()
    return (table.reason("it is the {now} phase; this belongs to the {phase} phase", now=now, phase=phases[-1]),)


@rule("turn.begin_phase", cites="combat/phases", neutral=unchanged)
def begin_phase(table: Table, field: Battlefield, phase: str) -> Battlefield:
    """Decide which phase it is now: destiny, initiative, activation and event follow one another."""
    if field.scene.turn.phase == phase:
        return field
    table.find("the {phase} phase begins", phase=phase)
    table.event("phase", phase=phase)
    return field.with_turn(phase=phase)


@rule("turn.next_card", cites=("activation/order", "initiative/left-first", "activation/turn-card-down"), neutral=None)
def next_card(table: Table, field: Battlefield) -> str | None:
    """Decide whose initiative card is next: the one furthest left that lies face up; None when all are used."""
    card = next((card for card in field.scene.turn.track if not is_down(field, card)), None)
    if card is not None:
        table.find("{name} is next on the track", name=card_name(field, card), card=card)
    return card


def is_down(field: Battlefield, card: str) -> bool:
    """Say whether a card is used: its explorers have activated or are out of action, its hostiles have acted.

    A group of which nobody stands is still up until somebody of it is marked, for its reinforcement roll is to come.
    """
    ids = field.cards.get(card, ())
    # A card is one of explorers or one of a group, never of both.
    used = not ids or isinstance(field.units[ids[0]], Explorer)
    for id_ in ids:
        unit = field.units[id_]
        if isinstance(unit, Explorer):
            if not (unit.activated or unit.out_of_action):
                return False
        elif unit.activated or unit.reinforcement:
            used = True
        elif unit.hex is not None and not unit.slain:
            return False
    return used


@rule("turn.not_its_turn", cites="activation/order", neutral=())
def not_its_turn(table: Table, field: Battlefield, card: str) -> tuple[Reason, ...]:
    """Decide whether a card is the next to be activated; a scene need not hold the track."""
    track = field.scene.turn.track
    if not track or is_down(field, card):
        return ()
    if card not in track:
        return (table.reason("the card of {name} does not lie on the track", name=card_name(field, card)),)
    first = next(other for other in track if not is_down(field, other))
    if first == card:
        return ()
    reason = table.reason(
        "{first} comes before {name} on the track", first=card_name(field, first), name=card_name(field, card)
    )
    return (reason,)


@rule("turn.already_activated", cites="activation/turn-card-down", neutral=())
def already_activated(table: Table, field: Battlefield, card: str) -> tuple[Reason, ...]:
    """Decide whether a card has been used this turn; it does not activate again.

    The card of explorers who are out of action is down without having been used.
    """
    used = [unit for unit in on_card(field, card) if isinstance(unit, Hostile) or unit.activated]
    if not used or not is_down(field, card):
        return ()
    return (table.reason("{name} has been activated this turn", name=card_name(field, card)),)


@rule("turn.card_down", cites="activation/turn-card-down", neutral=unchanged)
def card_down(table: Table, field: Battlefield, card: str) -> Battlefield:
    """Turn a card face down when its explorer or group has completed the activation."""
    table.find("the card of {name} is turned face down", name=card_name(field, card), card=card)
    table.event("card-turned-down", card=card)
    return field.put(*(replace(unit, activated=True) for unit in on_card(field, card)))


@rule("turn.unfinished", cites="activation/ends", neutral=())
def unfinished(table: Table, field: Battlefield) -> tuple[Reason, ...]:
    """Decide whether an activation phase goes on, because a card on the track has not been used."""
    up = tuple(card for card in field.scene.turn.track if not is_down(field, card))
    if field.scene.turn.phase != "activation" or not up:
        return ()
    names = Listing(card_name(field, card) for card in up)
    return (table.reason("the activation phase is not over: {names} must still be activated", names=names, cards=up),)


def next_leader(field: Battlefield) -> str | None:
    """Give the player on the leader's left, passing over the hostile player; without players the leader stays."""
    scene = field.scene
    players = tuple(player for player in scene.players if player != scene.hostile_player)
    if scene.leader not in players:
        return scene.leader
    return players[(players.index(scene.leader) + 1) % len(players)]


@rule("turn.pass_leader", cites="event-phase/leader-passes", neutral=unchanged)
def pass_leader(table: Table, field: Battlefield) -> Battlefield:
    """Decide who leads the next turn: the player on the leader's left, passing over the hostile player."""
    old, new = field.scene.leader, next_leader(field)
    if old not in field.scene.players:
        return field
    if new == old:
        table.find("{old} keeps the leader marker: there is no other player to pass it to", old=old)
        return field
    table.find("{old} passes the leader marker to {new} on the left", old=old, new=new)
    table.event("leader", player=new)
    return field.with_(leader=new)


@rule("turn.begin_next", cites=("event-phase/next-turn", "combat/turns"), neutral=unchanged)
def begin_next(table: Table, field: Battlefield) -> Battlefield:
    """Begin the next turn with its destiny phase: every card can be used again, and what held for a turn is over."""
    number = field.scene.turn.number + 1
    table.find("turn {number} begins", number=number)
    table.event("turn", number=number)
    returned = tuple(f"returned:{hostile.id}" for hostile in field.scene.hostiles if hostile.reinforcement)
    happened = tuple(dict.fromkeys((*field.scene.turn.happened, *returned)))
    field = field.with_turn(number=number, phase="destiny", covered=(), happened=happened)
    field = field.put(
        *(
            replace(
                explorer,
                activated=False,
                destiny_spent=0,
                activation=(),
                overwatch=(),
                slain=(),
                used=tuple(kind for kind in explorer.used if kind in _lasting()),
            )
            for explorer in field.scene.explorers
        ),
        *(replace(hostile, activated=False, reinforcement=False) for hostile in field.scene.hostiles),
    )
    return threat.in_new_turn(table, field)


def _lasting() -> frozenset[str]:
    """Give the kinds of special rules whose use is remembered from turn to turn, because they hold for a combat."""
    return frozenset(
        rule["kind"]
        for card in rows("explorers")
        for side in ("uninspired", "inspired")
        for rule in card[side]["special_rules"]
        if rule["limit"] == "combat"
    )
