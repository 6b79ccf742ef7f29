"""Unique actions: what single explorers' cards add to the actions that everybody has.

Facts from outside the booklet. The marks `barrier`, `speech` and `cloak` on an explorer say what still holds; `defence`
and `armoury` read them. What cards do with miniatures and markers of their own is left to the players.
"""

from collections.abc import Callable

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield, place
from services.blackstone_fortress.book import UniqueAction, unique_actions
from services.blackstone_fortress.rules import movement, overwatch, sight
from services.blackstone_fortress.rules.armoury import SPEECH
from services.blackstone_fortress.rules.defence import BARRIER, CLOAK
from services.blackstone_fortress.scene import Explorer, Hex

ONCE = "activation-phase"
"""The limit of actions that an explorer takes once in an activation phase."""


def of(field: Battlefield, explorer: Explorer) -> tuple[UniqueAction, ...]:
    """Give the unique actions of the side of the explorer's card that is up.

    A card given with the scene names kinds of special rules alone; the rest is taken from a shipped card of that kind.
    """
    side = "inspired" if explorer.inspired else "uninspired"
    shipped = unique_actions()
    actions = (
        shipped.get((explorer.profile, side, kind)) or shipped.get(("", "", kind))
        for kind in field.side(explorer).rules
    )
    return tuple(action for action in actions if action is not None)


def violations(table: Table, field: Battlefield, explorer_id: str, action_id: str) -> tuple[Reason, ...]:
    """Give every reason why an explorer cannot take a unique action where it stands, dice apart."""
    action = named(field, explorer_id, action_id)
    watched = seen_beside(table, field, explorer_id) if action.kind == "defence-d12-until-moved" else ()
    return (*used_up(table, field, explorer_id, action), *watched)


def named(field: Battlefield, explorer_id: str, action_id: str) -> UniqueAction:
    """Give the unique action of that id on an explorer's card."""
    return next(action for action in of(field, field.explorer(explorer_id)) if action.id == action_id)


@rule("unique_actions.used_up", cites=("explorer/locarno-barrier", "explorer/taddeus-speech"), neutral=())
def used_up(table: Table, field: Battlefield, explorer_id: str, action: UniqueAction) -> tuple[Reason, ...]:
    """Decide whether an action that is taken once in an activation phase has been taken in this one."""
    explorer = field.explorer(explorer_id)
    if action.limit != ONCE or action.kind not in explorer.used:
        return ()
    cites = "explorer/taddeus-speech" if action.kind == "reroll-attack-aura" else "explorer/locarno-barrier"
    text = "{name} has taken {action} in this activation phase"
    return (table.reason(text, cites=cites, name=field.name(explorer), action=action.name),)


@rule("unique_actions.seen_beside", cites="explorer/amallyn-cloak", neutral=())
def seen_beside(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Decide whether hostiles that see an explorer stand next to it, so that it cannot cloak itself."""
    explorer = field.explorer(explorer_id)
    return tuple(
        table.reason("{hostile} is adjacent to {name} and sees it", hostile=field.name(one), name=field.name(explorer))
        for one in (sight.beside(table, field, explorer) if explorer.hex is not None and field.hostiles else ())
    )


class ActionDetails(Value, frozen=True):
    """The details of a unique action: the hostile that it moves, and the hexes that are entered."""

    target: str | None = None
    way: tuple[Hex, ...] = ()


def details_violations(
    table: Table, field: Battlefield, explorer_id: str, action_id: str, details: ActionDetails
) -> tuple[Reason, ...]:
    """Give every reason why a unique action cannot be carried out with these details: whom it moves, and where."""
    kind = named(field, explorer_id, action_id).kind
    if kind == "phase-move":
        return no_phase_way(table, field, explorer_id, details.way)
    if kind == "move-hostile" and details.target is not None:
        return movement.violations(table, field, details.target, details.way, commanded_hexes(table))
    return ()


@rule("unique_actions.no_phase_way", cites="explorer/amallyn-crystal", neutral=())
def no_phase_way(table: Table, field: Battlefield, explorer_id: str, way: tuple[Hex, ...]) -> tuple[Reason, ...]:
    """Decide whether a move through walls and obstructions is not legal: its length, its steps, and where it ends.

    Hexes that enemies hold stay shut, for the card speaks of walls and obstructions alone.
    """
    explorer = field.explorer(explorer_id)
    limit = movement.allowance(table, field, explorer_id)
    reasons = []
    if len(way) > limit:
        text, long = "the way is {hexes} long, and the Move is {limit}", Quantity(len(way), "hex", "hexes")
        reasons.append(table.reason(text, hexes=long, limit=limit))
    for before, hex_ in zip((place(explorer), *way), way, strict=False):
        if hex_ not in field.ground.hexes or not field.ground.adjacent(before, hex_):
            reasons.append(table.reason("{hex} is not adjacent to {before}", hex=hex_, before=before))
        if any(enemy.hex == hex_ for enemy in field.hostiles):
            reasons.append(table.reason("an enemy stands in {hex}", hex=hex_))
    if way and way[-1] in field.ground.obstructions:
        reasons.append(table.reason("the move ends in the obstruction at {hex}", hex=way[-1]))
    elif way and way[-1] in movement.full_hexes(table, field, explorer_id, limit):
        reasons.append(table.reason("{hex} has no room", cites="move/end-hex-limit", hex=way[-1]))
    return tuple(reasons)


def perform(table: Table, field: Battlefield, explorer_id: str, action_id: str, details: ActionDetails) -> Battlefield:
    """Give the battlefield after a unique action; what is not ruled here is left to the players."""
    action = named(field, explorer_id, action_id)
    table.event("unique-action", unit=explorer_id, action=action_id)
    field = _mark_used(field, explorer_id, action)
    if action.kind in BY_EXPLORER:
        return BY_EXPLORER[action.kind](table, field, explorer_id)
    if action.kind == "phase-move":
        return phase(table, field, explorer_id, details.way)
    if action.kind == "move-hostile" and details.target is not None:
        return command(table, field, explorer_id, details.target, details.way)
    return left_to_players(table, field, explorer_id, action)


def _mark_used(field: Battlefield, explorer_id: str, action: UniqueAction) -> Battlefield:
    explorer = field.explorer(explorer_id)
    if action.limit != ONCE or action.kind in explorer.used:
        return field
    return field.change(explorer, used=(*explorer.used, action.kind))


def _with_mark(field: Battlefield, explorer_id: str, mark: str) -> Battlefield:
    explorer = field.explorer(explorer_id)
    return field.change(explorer, marks=(*(other for other in explorer.marks if other != mark), mark))


def _without_mark(field: Battlefield, explorer_id: str, mark: str) -> Battlefield:
    explorer = field.explorer(explorer_id)
    return field.change(explorer, marks=tuple(other for other in explorer.marks if other != mark))


@rule("unique_actions.raise_barrier", cites="explorer/locarno-barrier", neutral=unchanged)
def raise_barrier(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what a barrier does: it stands until the explorer's next activation, for all explorers in its hex."""
    name = field.name(explorer_id)
    table.find("{name} raises a barrier that stands until its next activation", name=name)
    return _with_mark(field, explorer_id, BARRIER)


@rule("unique_actions.lower_barrier", cites="explorer/locarno-barrier", neutral=unchanged)
def lower_barrier(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide whether a barrier ends because the next activation of who raised it has begun."""
    explorer = field.explorer(explorer_id)
    if BARRIER not in explorer.marks or "defence-d12-aura" in explorer.used:
        return field
    table.find("{name} is activated again: the barrier ends", name=field.name(explorer))
    table.event("mark-removed", unit=explorer_id, mark=BARRIER)
    return _without_mark(field, explorer_id, BARRIER)


@rule("unique_actions.speak", cites="explorer/taddeus-speech", neutral=unchanged)
def speak(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what an inspiring speech does: it lasts until the event phase ends."""
    name = field.name(explorer_id)
    table.find("the speech of {name} lasts until the event phase ends", name=name)
    return _with_mark(field, explorer_id, SPEECH)


@rule("unique_actions.fall_silent", cites="explorer/taddeus-speech", neutral=unchanged)
def fall_silent(table: Table, field: Battlefield) -> Battlefield:
    """Decide that speeches end with the event phase."""
    for explorer in field.scene.explorers:
        if SPEECH in explorer.marks:
            table.find("the speech of {name} ends", name=field.name(explorer))
            table.event("mark-removed", unit=explorer.id, mark=SPEECH)
            field = _without_mark(field, explorer.id, SPEECH)
    return field


@rule("unique_actions.put_on_cloak", cites="explorer/amallyn-cloak", neutral=unchanged)
def put_on_cloak(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what a cloak does: it hides the explorer until it moves, or a hostile that sees it comes adjacent."""
    table.find("{name} is cloaked until it moves or is discovered", name=field.name(explorer_id))
    return _with_mark(field, explorer_id, CLOAK)


@rule("unique_actions.uncloaked", cites="explorer/amallyn-cloak", neutral=unchanged)
def uncloaked(table: Table, field: Battlefield, moved: str | None = None) -> Battlefield:
    """Decide whose cloaks end: of the explorer that has `moved`, and of any with a hostile adjacent that sees it."""
    for explorer in field.explorers:
        if CLOAK in explorer.marks and (explorer.id == moved or seen_beside(table, field, explorer.id)):
            table.find("{name} is no longer cloaked", name=field.name(explorer))
            table.event("mark-removed", unit=explorer.id, mark=CLOAK)
            field = _without_mark(field, explorer.id, CLOAK)
    return field


@rule("unique_actions.rally", cites="explorer/taddeus-rallying-cry", neutral=unchanged)
def rally(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what a rallying cry does: the explorer and those in its hex or next to it lose one wound counter each."""
    crier = field.explorer(explorer_id)
    near = tuple(one for one in field.explorers if one.wounds and sight.near(table, field, crier, one))
    for one in near:
        table.find("{name} loses a wound counter", name=field.name(one))
        table.event("healed", unit=one.id, wounds=1)
    return field.put(*(replace(one, wounds=one.wounds - 1) for one in near))


@rule("unique_actions.phase", cites="explorer/amallyn-crystal", neutral=unchanged)
def phase(table: Table, field: Battlefield, explorer_id: str, way: tuple[Hex, ...]) -> Battlefield:
    """Decide what a phase crystal does: one move through walls and obstructions that no hostile halts."""
    table.find("{name} moves through walls and obstructions", name=field.name(explorer_id))
    return movement.move(table, field, explorer_id, way)


@rule("unique_actions.commanded_hexes", cites="explorer/locarno-command", neutral=0)
def commanded_hexes(table: Table) -> int:
    """Decide how far a commanded hostile moves: one hex."""
    table.find("a commanded hostile moves one hex")
    return 1


@rule("unique_actions.command", cites="explorer/locarno-command", neutral=unchanged)
def command(table: Table, field: Battlefield, explorer_id: str, hostile_id: str, way: tuple[Hex, ...]) -> Battlefield:
    """Decide what a mental command does: it moves a hostile, which may trigger overwatch as any move does."""
    table.find("{name} commands {hostile} to move", name=field.name(explorer_id), hostile=field.name(hostile_id))
    after = movement.move(table, field, hostile_id, way)
    return overwatch.triggered(table, after, hostile_id, "move", made=after is not field)


@rule("unique_actions.left_to_players", cites="unique-action/on-card", neutral=unchanged)
def left_to_players(table: Table, field: Battlefield, explorer_id: str, action: UniqueAction) -> Battlefield:
    """Decide nothing but that the action is taken: what the card says is carried out by the players."""
    name = field.name(explorer_id)
    table.find("{name} takes {action}, which the players carry out as the card says", name=name, action=action.name)
    return field


BY_EXPLORER: dict[str, Callable[[Table, Battlefield, str], Battlefield]] = {
    "defence-d12-aura": raise_barrier,
    "reroll-attack-aura": speak,
    "defence-d12-until-moved": put_on_cloak,
    "heal-wound-aura": rally,
}
"""The unique actions that are settled by who takes them, by their kinds."""
