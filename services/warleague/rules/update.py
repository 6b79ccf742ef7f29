"""The update phase: what it moves on, what comes back and what ends; and how one round goes over into the next."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.rules import effects, kills, parry, points, rad, recovery
from services.warleague.scene import Phase

NOW: Mapping[Phase, str] = {
    "update": "this is the update phase",
    "order": "this is the order phase",
    "turns": "this is the turns phase",
    "over": "the game is over",
}
"""The phase of a scene in words."""


@rule("update.due", cites="update/not-first", neutral=True)
def due(table: Table, field: Battlefield) -> bool:
    """Decide whether a round has an update phase: every round has but the first."""
    first, this = number("first-update"), field.scene.round
    if this >= first:
        return True
    table.find("Round {round} is the first and has no update phase", round=this)
    return False


def violations(table: Table, field: Battlefield) -> tuple[Reason, ...]:
    """Give every reason why there is no update phase now."""
    return (*out_of_phase(table, field), *too_early(table, field))


@violations_rule("update.out_of_phase", cites="update/moves-on")
def out_of_phase(table: Table, field: Battlefield) -> Iterator[Reason]:
    """Decide whether it is the update phase."""
    if field.scene.phase != "update":
        yield table.reason("There is no update now: {phase}", phase=NOW[field.scene.phase])


@violations_rule("update.too_early", cites="update/not-first")
def too_early(table: Table, field: Battlefield) -> Iterator[Reason]:
    """Decide whether an update phase is too early: in the first round there is none."""
    if not due(table, field):
        yield table.reason("The first round has no update phase")


# The phase


def phase(table: Table, field: Battlefield) -> Battlefield:
    """Give the battlefield after an update phase, in the phase that follows it by `update-when`.

    Rad is turned first: Rad of a unit that dies in this phase has not lain through it. Nor does a hero get up who is
    downed in it.
    """
    downed = tuple(unit.id for unit in field.units if unit.downed)
    field = effects.moved_on(table, rad.turned(table, field))
    for unit in field.units:
        field = recovery.shields(table, field, unit.id)
    field = reactions_over(table, kills.recovered(table, field, downed))
    return next_round(table, field) if table.read("update-when") == "end" else field.with_(phase="order")


@rule("update.reactions_over", cites="update/reactions-end", neutral=unchanged)
def reactions_over(table: Table, field: Battlefield) -> Battlefield:
    """Decide what becomes of standing reactions when an update phase concludes: they end, parries and overwatch."""
    table.find("Standing reactions end with the update phase")
    return overwatch_over(table, parry.end_all(table, field))


@rule("update.overwatch_over", cites="update/overwatch", neutral=unchanged)
def overwatch_over(table: Table, field: Battlefield) -> Battlefield:
    """Decide what becomes of overwatch that is still ready: it ends as parries do."""
    for unit in field.units:
        if unit.overwatch:
            table.find("{unit} is no longer on overwatch", unit=field.name(unit.id))
            table.event("overwatch-ended", unit=unit.id)
            field = field.put(replace(unit, overwatch=False))
    return field


# From round to round


def after_turns(table: Table, field: Battlefield) -> Battlefield:
    """Give the battlefield after the last turn of a round: in its update phase or in the next round.

    Where in a round the update phase is, is `update-when`.
    """
    field = field.with_(active=None, turn=None)
    if table.read("update-when") == "end" and due(table, field):
        return field.with_(phase="update")
    return next_round(table, field)


@rule("update.next_round", cites="round/whole", neutral=unchanged)
def next_round(table: Table, field: Battlefield) -> Battlefield:
    """Decide how a round begins: no unit has acted, the order is open again, and points are renewed."""
    scene = field.scene
    field = field.with_(
        round=scene.round + 1,
        order=(),
        turn=None,
        active=None,
        sides=tuple(replace(side, die=None) for side in scene.sides),
        units=tuple(replace(unit, acted=False) for unit in scene.units),
    )
    table.find("Round {round} begins", round=field.scene.round)
    table.event("round-began", round=field.scene.round)
    field = points.with_round(table, field)
    starts = table.read("update-when") == "start" and due(table, field)
    return field.with_(phase="update" if starts else "order")
