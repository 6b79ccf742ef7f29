"""Turns: the order of the sides, which unit may have its turn, what that costs, and to whom the turn goes after it.

A turn is one unit's. The `turn` of a scene is the side whose turn it is, the `active` unit the one that has it. A
scene that names neither, nor an order, does not track turns: in it any unit may act.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.warleague.battlefield import Battlefield, in_play
from services.warleague.book import number
from services.warleague.rules import points, update


def order(field: Battlefield) -> tuple[str, ...]:
    """Give the sides in the order of this round, or in that of the scene before it is settled."""
    return field.scene.order or tuple(side.id for side in field.scene.sides)


def tracks_turns(field: Battlefield) -> bool:
    """Say whether a scene tracks turns."""
    scene = field.scene
    return scene.phase != "turns" or scene.turn is not None or scene.active is not None or bool(scene.order)


def npcs(field: Battlefield, side: str) -> bool:
    """Say whether a side is that of the NPCs: it has units, and all are NPCs."""
    return field.roles.get(side) == {"npc"}


# Who may have its turn


@rule("turn.free", cites="command/free", neutral=False)
def free(table: Table, field: Battlefield, unit_id: str) -> bool:
    """Decide whether a unit has its turn without a command point: heroes and NPCs have."""
    role = field.profile(field.unit(unit_id)).role
    if role not in ("hero", "npc"):
        return False
    what = "a hero" if role == "hero" else "an NPC"
    table.find(f"{{unit}} is {what} and needs no command point", unit=field.name(unit_id))
    return True


@rule("turn.price", cites="command/needed", neutral=0)
def price(table: Table, field: Battlefield, unit_id: str) -> int:
    """Decide how many command points the turn of a unit costs: one, unless it is free."""
    if free(table, field, unit_id):
        return 0
    needed = number("command-points")
    table.find("The turn of {unit} costs {price} command point", unit=field.name(unit_id), price=needed)
    return needed


@violations_rule("turn.command_violations", cites="command/needed")
def command_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide whether the side of a unit has the command point that its turn costs."""
    side, needed = field.side(field.player(unit_id)), price(table, field, unit_id)
    if side.command_points < needed:
        text, left = "{side} has {left} command points, and the turn of {unit} costs {price}", side.command_points
        yield table.reason(text, side=side.id, left=left, unit=field.name(unit_id), price=needed)


@violations_rule("turn.hero_violations", cites="hero/first")
def hero_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide which heroes must act before a unit: those that have not acted; of which side is `heroes-first`."""
    if field.profile(field.unit(unit_id)).role == "hero":
        return
    heroes = (unit for unit in field.units if unit.id in field.heroes)
    waiting = [unit for unit in heroes if not unit.acted and not unit.downed and unit.id != unit_id]
    own = [unit for unit in waiting if unit.side == field.player(unit_id)]
    if waiting and (not own or len(own) < len(waiting)):
        waiting = waiting if table.read("heroes-first") == "all" else own
    if waiting:
        names = Listing(field.name(unit.id) for unit in waiting)
        yield table.reason("{heroes} must act before {unit}", heroes=names, unit=field.name(unit_id))


@violations_rule("turn.downed", cites="kill/heroes")
def downed(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide whether a unit is downed: a downed hero does nothing."""
    if field.unit(unit_id).downed:
        yield table.reason("{unit} is downed", unit=field.name(unit_id))


@violations_rule("turn.unready", cites=("turn/one-unit", "round/whole"))
def unready(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide whether a unit can act in this round at all: it is in play, not downed, and has not had its turn."""
    unit = field.unit(unit_id)
    if not in_play(unit):
        yield table.reason("{unit} is not in play", unit=field.name(unit_id))
        return
    yield from downed(table, field, unit_id)
    if unit.acted:
        yield table.reason("{unit} has had its turn in this round", unit=field.name(unit_id))


@every_reason
def ready_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Give every reason why a unit may not have its turn in what is left of this round, whoever's turn it is."""
    if reasons := unready(table, field, unit_id):
        yield from reasons
    else:
        yield from command_violations(table, field, unit_id)
        yield from hero_violations(table, field, unit_id)


@violations_rule("turn.violations", cites=("turn/one-unit", "turn/passes"))
def violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide whether a unit may begin its turn now: nobody else has one, and it is its side's."""
    active = field.scene.active
    if reasons := out_of_phase(table, field):
        yield from reasons
        return
    yield from ready_violations(table, field, unit_id)
    if active is not None:
        text = "It is the turn of {active}" if active != unit_id else "The turn of {active} has begun already"
        yield table.reason(text, active=field.name(active), cites="turn/one-unit")
    elif tracks_turns(field) and (side := next_side(table, field)) not in (None, field.player(unit_id)):
        yield table.reason("It is the turn of {side}", side=side, cites="turn/passes")


@violations_rule("turn.out_of_phase", cites="round/whole")
def out_of_phase(table: Table, field: Battlefield) -> Iterator[Reason]:
    """Decide whether units have their turns now: in the phase of turns alone."""
    if field.scene.phase != "turns":
        yield table.reason("Units act in the turns phase, and {phase}", phase=update.NOW[field.scene.phase])


def act_violations(table: Table, field: Battlefield, unit_id: str) -> tuple[Reason, ...]:
    """Give every reason why a unit may not act now: in its own turn it may, and where it may begin that.

    In a scene that does not track turns, every unit may act that has not acted.
    """
    if reasons := out_of_phase(table, field):
        return reasons
    if field.scene.active == unit_id and not field.unit(unit_id).downed:
        return ()
    return violations(table, field, unit_id) if tracks_turns(field) else unready(table, field, unit_id)


def player_turn_violations(table: Table, field: Battlefield, unit_id: str) -> tuple[Reason, ...]:
    """Give every reason why a unit may not do now what it may do in its turn, or in any of its player.

    Which of the two is `reserve-when`.
    """
    active = field.scene.active
    shared = active is not None and active != unit_id and field.player(active) == field.player(unit_id)
    if shared and not field.unit(unit_id).downed and table.read("reserve-when") == "player-turn":
        return ()
    return act_violations(table, field, unit_id)


# Whose turn it is


def units_ready(table: Table, field: Battlefield, side: str) -> tuple[str, ...]:
    """Give the units of a side that may still have their turn in this round as things are, in the scene's order."""
    with table.without_findings():
        return tuple(_ready(table, field, side))


def _ready(table: Table, field: Battlefield, side: str) -> Iterator[str]:
    own = (unit.id for unit in field.units if unit.side == side)
    return (unit for unit in own if not ready_violations(table, field, unit))


@rule("turn.next_side", cites="turn/passes", neutral=lambda field: field.scene.turn or order(field)[0])
def next_side(table: Table, field: Battlefield) -> str | None:
    """Decide whose turn it is: that of the side on turn, or of the next in order with a unit that can act, if any."""
    scene = field.scene
    if scene.active is not None:
        return field.player(scene.active)
    sides = order(field)
    start = sides.index(scene.turn) if scene.turn in sides else 0
    for side in (*sides[start:], *sides[:start]):
        with table.without_findings():
            anyone = next(_ready(table, field, side), None)
        if anyone is not None:
            table.find("It is the turn of {side}", side=side)
            return side
        table.find("{side} has no unit that can act", side=side)
    return None


@violations_rule("turn.end_violations", cites="turn/one-unit")
def end_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide whether a unit's turn can end: it has begun, or the scene does not track turns."""
    if reasons := out_of_phase(table, field):
        yield from reasons
    elif field.scene.active != unit_id and (tracks_turns(field) or field.unit(unit_id).acted):
        yield table.reason("It is not the turn of {unit}", unit=field.name(unit_id))


def begin(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Give the battlefield after a unit has begun an allowed turn and paid its command point."""
    side, cost = field.side(field.player(unit_id)), price(table, field, unit_id)
    if cost:
        field = field.side_put(replace(side, command_points=side.command_points - cost))
        table.event("command-points-spent", side=side.id, points=cost, left=side.command_points - cost)
    table.event("turn-began", unit=unit_id)
    field = points.with_turn(table, field, unit_id)
    return field.with_(active=unit_id, turn=side.id)


def ensure_begun(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Give the battlefield on which it is a unit's turn: its first action begins it if the scene tracks turns."""
    return begin(table, field, unit_id) if field.scene.active is None and tracks_turns(field) else field


def after_action(table: Table, before: Battlefield, field: Battlefield) -> Battlefield:
    """Give the battlefield after an action: the turn of a unit that has fallen in it is over."""
    active = before.scene.active
    return field if active is None or field.stands(active) else ended(table, field, active)


@rule("turn.ended", cites=("turn/one-unit", "turn/passes"), neutral=unchanged)
def ended(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what the end of a unit's turn brings: it has acted, and the turn goes to a unit of another player.

    Only where no other player has a unit that can act, it stays with the same. Then, too, the round may be over.
    """
    side = field.player(unit_id)
    table.find("The turn of {unit} is over", unit=field.name(unit_id), cites="turn/one-unit")
    table.event("turn-ended", unit=unit_id)
    field = field.put(replace(field.unit(unit_id), acted=True))
    if not tracks_turns(field):
        return field
    return hand_on(table, field.with_(active=None), side)


def hand_on(table: Table, field: Battlefield, side: str) -> Battlefield:
    """Give the battlefield on which the turn has gone on from a side, or the round is over."""
    sides = order(field)
    field = field.with_(turn=sides[(sides.index(side) + 1) % len(sides)])
    following = next_side(table, field)
    field = field.with_(turn=following)
    return round_over(table, field) if following is None else field


@rule("turn.round_over", cites="round/whole", neutral=unchanged)
def round_over(table: Table, field: Battlefield) -> Battlefield:
    """Decide when the turns of a round are over: when no side has a unit left that can act."""
    table.find("No unit is left to act: the turns of round {round} are over", round=field.scene.round)
    return update.after_turns(table, field)


@violations_rule("turn.pass_violations", cites=("turn/passes", "command/needed"))
def pass_violations(table: Table, field: Battlefield, side: str) -> Iterator[Reason]:
    """Decide whether a side may pass: it has the turn, no unit of it is active, and `passing` lets it."""
    if reasons := out_of_phase(table, field):
        yield from reasons
        return
    on_turn = next_side(table, field)
    if field.scene.active is not None:
        yield table.reason("It is the turn of {unit}", unit=field.name(field.scene.active), cites="turn/one-unit")
    elif on_turn != side:
        yield table.reason("It is not the turn of {side}", side=side, cites="turn/passes")
    units = units_ready(table, field, side)
    if units and table.read("passing") == "no":
        could = Listing(map(field.name, units))
        yield table.reason("{side} still has units that can act: {units}", side=side, units=could)


def pass_turn(table: Table, field: Battlefield, side: str) -> Battlefield:
    """Give the battlefield after a side has passed, as it may: the turn goes on."""
    table.event("passed", side=side)
    return hand_on(table, field, side)
