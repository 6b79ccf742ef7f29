"""NPCs: who acts in the NPC phase, who moves whom, and how many.

Follows "NPC Phase" and step 5 of "Gameplay". What an NPC may do stands in `action_table`, what is done by `procedure`.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import number
from services.size_skirmish.rules import markers
from services.size_skirmish.scene import NPC, Model

MOST = number("npcs-a-player")


@rule("npc.by_players", cites=("npc/passive-moved", "round/npcs-act"), neutral=False)
def by_players(table: Table, field: Battlefield, npc_id: str) -> bool:
    """Decide whether the players move an NPC: passive ones, and by a reading active ones too."""
    model = field.unit(npc_id)
    by_player = model.npc == "passive" or (model.npc == "active" and table.read("npc-moved") == "active-too")
    text = "The players move {name}" if by_player else "The scenario decides for {name}"
    table.find(text, name=field.name(model.id))
    return by_player


@violations_rule("npc.scenario_first", cites="npc/scenario-first")
def scenario_first(table: Table, field: Battlefield) -> Iterator[Reason]:
    """Decide whether the players may move NPCs yet: only after the scenario's NPCs have acted."""
    if waiting := [model for model in waiting_for(table, field) if model.npc == "scenario"]:
        yield table.reason("Scenario NPCs act first; still to act: {names}", names=Listing(map(field.name, waiting)))


def waiting_for(table: Table, field: Battlefield) -> tuple[Model, ...]:
    """Return the NPCs in play that the scenario handles and that have not acted."""
    return tuple(model for model in left(table, field) if not by_players(table, field, model.id))


def unmoved(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Return the NPCs in play that players move and that have not moved."""
    return tuple(model.id for model in left(table, field) if by_players(table, field, model.id))


def left(table: Table, field: Battlefield) -> tuple[Model, ...]:
    """Return the NPCs in play that have not been activated."""
    return tuple(model for model in field.of_side(NPC) if not markers.activated(table, field, model.id))


@rule("npc.starting", cites="npc/starting-player", neutral=lambda field: field.scene.sides[-1].id)
def starting(table: Table, field: Battlefield) -> str:
    """Decide which player moves an NPC first: the one who started the round."""
    side = field.scene.starting or field.scene.sides[0].id
    table.find("{side} started the round and moves the first NPC", side=side)
    return side


def mover(table: Table, field: Battlefield) -> str:
    """Return the player whose turn it is in the NPC phase."""
    return field.scene.turn or starting(table, field)


@violations_rule("npc.quota", cites="round/npcs-two")
def quota(table: Table, field: Battlefield, side: str) -> Iterator[Reason]:
    """Decide whether a player may move one more NPC: two at most.

    What the two are counted for is the reading `npc-quota`; the count of the scene is that of the phase or of the turn.
    """
    moved = field.side(side).npcs_moved
    if moved < MOST:
        table.find("{side} has moved {moved} of {most} NPCs", side=side, moved=moved, most=MOST)
    else:
        yield table.reason("{side} has already moved {most} NPCs", side=side, most=MOST)


def moved(table: Table, field: Battlefield, side: str, *, stops: bool = False) -> Battlefield:
    """Return the battlefield after a player has moved an NPC, which is counted, or `stops` moving them."""
    return passed_on(table, _counted(field, side, MOST if stops else field.side(side).npcs_moved + 1), side)


@rule("npc.passed_on", cites="round/npcs-one-at-a-time", neutral=lambda field, side: field.with_(turn=side))
def passed_on(table: Table, field: Battlefield, side: str) -> Battlefield:
    """Decide whose turn it is after an NPC has moved: the next player who may move one; nobody's at the end.

    Whether a player moves two in a row, again and again, is the reading `npc-quota`.
    """
    if not unmoved(table, field):
        result = field.with_(turn=None)
    else:
        result = settled(table, lambda quota_: _turned(field, side, quota_), ("npc-quota", ("phase", "until-all")))
    turn = result.scene.turn
    text = "{side} moves the next NPC" if turn else "No player moves another NPC"
    table.find(text, side=turn)
    return result


def _turned(field: Battlefield, side: str, counted: str) -> Battlefield:
    """Return the battlefield with the turn passed on, by what two NPCs are counted for."""
    row = field.after(side)
    if counted == "phase":
        return field.with_(turn=next((each for each in row if field.side(each).npcs_moved < MOST), None))
    if field.side(side).npcs_moved < MOST:
        return field.with_(turn=side)
    return _counted(field, side, 0).with_(turn=row[0])


def _counted(field: Battlefield, side: str, count: int) -> Battlefield:
    sides = (replace(each, npcs_moved=count) if each.id == side else each for each in field.scene.sides)
    return field.with_(sides=tuple(sides))
