"""The destiny phase: the leader's roll of the destiny dice, and which of them the explorers may use this turn."""

from collections import Counter

from arbiter.dice import numbered
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.rules.payments import choose_die, without_one
from services.blackstone_fortress.rules.turn import begin_phase, leader_name

FORESIGHT = "destiny-return"
"""The kind of special rule that brings one discarded destiny die back."""


class Pools(Value, frozen=True):
    """Destiny dice sorted into those that are available and those that are discarded, each from low to high."""

    available: tuple[int, ...] = ()
    discarded: tuple[int, ...] = ()


def phase(table: Table, field: Battlefield) -> tuple[Battlefield, tuple[int, ...]]:
    """Carry out the destiny phase; give the battlefield after it, and the dice as they fell (none without a roll)."""
    faces: tuple[int, ...] = ()
    if is_rolled(table, field):
        faces = roll(table, field)
        pools = sort(table, faces)
        field = field.with_turn(destiny=pools.available, discarded_destiny=pools.discarded)
        field = foresight(table, field)
    else:
        field = without_roll(table, field)
    return begin_phase(table, field.with_turn(no_destiny_roll=False), "initiative"), faces


@rule("destiny.is_rolled", cites="event/unfulfilled-destiny", neutral=True)
def is_rolled(table: Table, field: Battlefield) -> bool:
    """Decide whether a destiny roll is made this turn: always, unless last turn's event forbade it."""
    if field.scene.turn.no_destiny_roll:
        table.find("there is no destiny roll this turn: the last event cancelled it")
        return False
    return True


@rule("destiny.roll", cites=("destiny/leader-rolls", "destiny/five-dice"), neutral=())
def roll(table: Table, field: Battlefield) -> tuple[int, ...]:
    """Roll the five destiny dice for the leader; the faces come from low to high."""
    dice = next(row for row in rows("numbered_dice") if row["id"] == "destiny")
    faces: tuple[int, ...] = table.pool(dice["count"], numbered(dice["sides"]), "leader: destiny")
    table.find("{leader} rolls {dice} for destiny", leader=leader_name(field), dice=Listing(faces))
    table.event("destiny-rolled", dice=faces)
    return faces


@rule(
    "destiny.sort",
    cites=("destiny/unique-available", "destiny/repeats-discarded", "examples/destiny-roll"),
    neutral=lambda faces: Pools(faces),
)
def sort(table: Table, faces: tuple[int, ...]) -> Pools:
    """Sort rolled destiny dice: a number that a single die shows is available, repeated numbers are discarded.

    Whether one die of a repeated number is kept is the reading `destiny-unique`.
    """
    counts = Counter(faces)
    available = sorted(face for face, count in counts.items() if count == 1)
    if len(available) < len(counts) and table.read("destiny-unique") == "one-of-each":
        available = sorted(counts)
    left = sorted((counts - Counter(available)).elements())
    text = "available destiny dice: {available}; discarded: {discarded}"
    table.find(text, available=Listing(available) or "none", discarded=Listing(left) or "none")
    table.record("leader: destiny", kept=available, outcome=f"{len(available)} available")
    return Pools(tuple(available), tuple(left))


@rule("destiny.foresight", cites="explorer/locarno-foresight", neutral=unchanged)
def foresight(table: Table, field: Battlefield) -> Battlefield:
    """Decide which discarded die comes back after the roll for an explorer with foresight: one the player picks."""
    for seer in field.explorers:
        discarded = field.scene.turn.discarded_destiny
        if FORESIGHT not in field.side(seer).rules or not discarded:
            continue
        face = choose_die(table, field, f"{seer.id}: returned destiny die", discarded, "the destiny die of {}")
        table.find("{seer} returns the discarded {face} to the pool", seer=field.name(seer), face=face)
        table.event("destiny-die-returned", unit=seer.id, die=face)
        field = field.with_turn(
            destiny=tuple(sorted((*field.scene.turn.destiny, face))), discarded_destiny=without_one(discarded, face)
        )
    return field


@rule("destiny.without_roll", cites="event/unfulfilled-destiny", neutral=unchanged)
def without_roll(table: Table, field: Battlefield) -> Battlefield:
    """Decide which destiny dice there are in a turn without a destiny roll: the reading `unfulfilled-dice`."""
    turn = field.scene.turn
    if not turn.destiny:
        return field
    if table.read("unfulfilled-dice") == "leftovers":
        table.find("destiny dice left from the last turn stay available: {dice}", dice=Listing(turn.destiny))
        return field
    table.find("destiny dice left from the last turn are discarded: {dice}", dice=Listing(turn.destiny))
    return field.with_turn(destiny=(), discarded_destiny=(*turn.discarded_destiny, *turn.destiny))
