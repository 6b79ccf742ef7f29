"""The round: its phases, whose turn it is in the action phase, and what goes when the round ends.

Follows "Gameplay". The markers show who has been activated.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.rules import markers
from services.size_skirmish.scene import Phase

PHASES: Final[tuple[Phase, ...]] = ("start", "action", "end", "npc")
"""The phases of a round in their order; after the last comes the first of the next round."""


@violations_rule("rounds.only_in", cites="round/steps")
def only_in(table: Table, field: Battlefield, phase: Phase) -> Iterator[Reason]:
    """Decide whether it is the phase to which something belongs."""
    now = field.scene.phase
    if now == phase:
        table.find("Round {round}, {phase} phase", phase=spoken(phase), round=field.scene.round)
    else:
        text = "This belongs to the {phase} phase; the current phase is {now}"
        yield table.reason(text, phase=spoken(phase), now=spoken(now))


@rule("rounds.following", cites="round/steps", neutral=unchanged)
def following(table: Table, field: Battlefield) -> Battlefield:
    """Decide which phase follows: start of the round, actions, end of the round, NPCs, then the next round."""
    scene = field.scene
    if scene.phase == "over":
        return field
    place = PHASES.index(scene.phase) + 1
    phase, number = (PHASES[place], scene.round) if place < len(PHASES) else (PHASES[0], scene.round + 1)
    text = "The {before} phase is over; the {phase} phase of round {round} begins"
    table.find(text, before=spoken(scene.phase), phase=spoken(phase), round=number)
    table.event("phase_begun", phase=phase, round=number)
    return field.with_(phase=phase, round=number)


def spoken(phase: Phase) -> str:
    """Return the name of a phase as players write it."""
    return "NPC" if phase == "npc" else phase


def cleared(field: Battlefield) -> Battlefield:
    """Return the battlefield without markers, with the NPC counts of all sides at 0."""
    sides = tuple(replace(side, npcs_moved=0) for side in field.scene.sides)
    models = tuple(replace(model, acted=False, reacted=False) for model in field.scene.models)
    return field.with_(sides=sides).put(*models)


@rule("rounds.left", cites="round/until-all", neutral=())
def left(table: Table, field: Battlefield, side: str) -> tuple[str, ...]:
    """Decide which models a player has left to activate: those in play that have not acted.

    Whether one that has reacted is among them is the reading `reaction-budget`.
    """
    waiting = tuple(model.id for model in field.of_side(side) if not markers.activated(table, field, model.id))
    table.find("{side}, models left to activate: {names}", side=side, names=field.names(waiting) or "nobody")
    return waiting


@rule("rounds.alternate", cites="round/alternate", neutral=lambda field, last: last)
def alternate(table: Table, field: Battlefield, last: str | None) -> str | None:
    """Decide whose turn follows that of a player: the next player with models left; None if there is none.

    The first turn of the phase is the starting player's.
    """
    first = field.scene.starting or field.scene.sides[0].id
    order = (first, *field.after(first)[:-1]) if last is None else field.after(last)
    for side in order:
        if left(table, field, side):
            table.find("It is the turn of {side}", side=side)
            return side
    table.find("Every model has been activated")
    return None


@violations_rule("rounds.not_over", cites="round/until-all")
def not_over(table: Table, field: Battlefield) -> Iterator[Reason]:
    """Decide whether the round can end: once every model has been activated."""
    if field.scene.phase == "action":
        if waiting := [id_ for side in field.scene.sides for id_ in left(table, field, side.id)]:
            yield table.reason("Models left to activate: {names}", names=field.names(waiting))
    elif field.scene.phase != "end":
        yield from only_in(table, field, "end")


@rule("rounds.tokens_removed", cites="round/tokens-removed", neutral=unchanged)
def tokens_removed(table: Table, field: Battlefield) -> Battlefield:
    """Decide what is removed at the end of the round: the status tokens of all models.

    Whether the markers go with them is the reading `npc-phase-markers`.
    """
    bearing = tuple(model for model in field.units if model.statuses)
    for model in bearing:
        table.event("statuses_removed", model=model.id, statuses=list(model.statuses))
    names = Listing(map(field.name, bearing))
    table.find("Status tokens are removed: {names}" if bearing else "No model has a status token", names=names)
    field = field.put(*(replace(model, statuses=()) for model in bearing))
    marked = any(model.acted or model.reacted for model in field.units)
    if marked and table.read("npc-phase-markers") == "cleared":
        table.find("All markers are removed", cites=("round/tokens-removed", "procedure/marked"))
        table.event("markers_removed")
        field = cleared(field)
    return field
