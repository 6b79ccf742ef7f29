"""A whole game, round after round, played by policies on the same rules that answer single questions.

Every die and every decision goes through the table: which unit to activate, what it does, and how opponents react.
Labels begin with the side or unit that decides: `blue: activation`, `ada: action`, `ada: target`.
"""

from collections.abc import Iterator
from functools import partial

from arbiter.candidates import Candidates
from arbiter.skirmish.battle import Transcript
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battle_actions import MOST_ACTIONS, Deeds, actions_of, named, perform
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.rules import actions, activation, boxes, cleanup, ending, preparation, victory
from services.rapture.scene import Unit

END = "end"


class BattleResult(Value, frozen=True):
    """The result of a game: whether it is over, its winner, the rounds begun, points by side, and a transcript."""

    over: bool
    winner: str | None
    rounds: int
    points: tuple[tuple[str, int], ...]
    transcript: tuple[str, ...]
    starter: str | None
    idle_rounds: int


def play(table: Table, field: Battlefield, most_rounds: int) -> tuple[Battlefield, BattleResult]:
    """Give the battlefield and result after playing until the game is over or `most_rounds` are played."""
    lines = Transcript()
    rounds = 0
    while rounds < most_rounds and not ending.over(table, field):
        rounds += 1
        lines.append(f"Round {field.scene.round}")
        before, field = field, _round(table, field, lines)
        lines.end_round(_changes(before, field))
    over = ending.over(table, field)
    if over:
        field = field.with_(phase="over", step=None, active=None, turn=None)
    standings = tuple(victory.total(table, field, side.id) for side in field.scene.all_sides)
    points = tuple((each.side, each.total) for each in standings)
    winner = victory.best(table, standings) if over else None
    lines.append("Victory points: " + ", ".join(f"{side} {total}" for side, total in points))
    return field, BattleResult(over, winner, rounds, points, tuple(lines), lines.starter, lines.idle_rounds)


def _round(table: Table, field: Battlefield, lines: Transcript) -> Battlefield:
    """Give the battlefield after the rest of a round: preparation, activations by turns, cleanup."""
    if field.scene.phase == "preparation":
        field = _record(field, preparation.steps(table, field), "preparation", lines)
        if field.scene.order:
            lines.append(f"  order of activation: {', '.join(field.scene.order)}")
    if field.scene.phase == "activation":
        # Each activation leaves one unit less to be activated.
        for _ in field.scene.units:
            if ending.over(table, field) or (side := activation.next_side(table, field)) is None:
                break
            lines.begin(side)
            field = _activate(table, field, side, lines)
    if ending.over(table, field):
        return field
    return _record(field, cleanup.steps(table, field), "cleanup", lines)


def _activate(table: Table, field: Battlefield, side: str, lines: Transcript) -> Battlefield:
    """Give the battlefield after an activation of a side: first the unit acts, then its apprentices."""
    head = field.scene.active
    if head is None:
        head = _head(table, field, side)
    before = field
    field = activation.begin(table, field, head)
    band = (head, *(other.id for other in field.apprentices(head) if activation.head(table, field, other.id) == head))
    for id_ in band:
        field = _act(table, field, head, id_)
    # A unit that fell or fled has no activation to end, but the turn passes all the same.
    if field.scene.active == head or not field.unit(head).activated:
        field = activation.end(table, field, head)
    return _record(before, field, head, lines)


def _head(table: Table, field: Battlefield, side: str) -> str:
    """Give the unit that a side activates."""

    def is_ready(id_: str) -> bool:
        with table.without_findings():
            return not activation.readiness_violations(table, field, id_)

    ready = Candidates((unit.id for unit in field.units if unit.side == side), is_ready)
    return str(table.choose(side, f"{side}: activation", ready, about=field, means=field.option))


def _act(table: Table, field: Battlefield, head: str, id_: str) -> Battlefield:
    """Give the battlefield after a unit acts until it stops, its activation ends, or the game does."""
    player = field.player(id_)
    excluded: frozenset[str] = frozenset()
    for _ in range(MOST_ACTIONS):
        if field.scene.active != head or not in_play(field.unit(id_)) or ending.over(table, field):
            break
        free, boxed = actions_of(table, field, id_, excluded)
        # The end comes before options that cost boxes, so that a policy does not pay them by accident.
        deeds = Deeds(table, field, id_)
        options = Candidates((*free, END, *boxed), partial(_is_allowed, table, field, head, deeds, (*free, *boxed)))
        action = str(table.choose(player, f"{id_}: action", options, about=field, means=partial(named, field)))
        if action == END:
            break
        field, excluded = perform(table, field, id_, action, deeds, excluded)
    return field


def _is_allowed(
    table: Table, field: Battlefield, head: str, deeds: Deeds, others: tuple[str, ...], action: str
) -> bool:
    """Decide whether a unit can take an action, or end its own: it ends where none of the others is open."""
    if action != END:
        return deeds.is_open(action)
    return not actions.end_violations(table, field, head) or not any(map(deeds.is_open, others))


def _record(before: Battlefield, after: Battlefield, heading: str, lines: Transcript) -> Battlefield:
    lines.entry(heading, _changes(before, after))
    return after


def _changes(before: Battlefield, after: Battlefield) -> Iterator[str]:
    """Give in words what happens to each unit, and to the victory points of each side."""
    for unit in after.scene.units:
        old = before.unit(unit.id)
        if unit != old and (text := ", ".join(_unit_changes(before, old, after, unit))):
            yield f"{unit.id} {text}"
    for side, now in zip(before.scene.all_sides, after.scene.all_sides, strict=True):
        if now.victory_points != side.victory_points:
            yield f"{now.id} gains {now.victory_points - side.victory_points} victory points"


def _unit_changes(before: Battlefield, old: Unit, after: Battlefield, new: Unit) -> Iterator[str]:
    if in_play(old) and not in_play(new):
        yield "is a casualty" if new.disabled == "casualty" else "flees from the battlefield"
        return
    if old.models != new.models:
        x, y = new.models[0]
        yield f"goes to {x:g}, {y:g}"
    for bar in ("hp", "mp"):
        lost = boxes.left(before, old.id, bar) - boxes.left(after, new.id, bar)
        if lost:
            yield f"{'loses' if lost > 0 else 'regains'} {abs(lost)} {bar.upper()}"
    if new.escaping != old.escaping:
        yield "begins to escape" if new.escaping else "is rescued"
    if new.shelter_markers != old.shelter_markers:
        yield "seeks shelter" if new.shelter_markers > old.shelter_markers else "gets up"
    for status in sorted({*new.statuses} ^ {*old.statuses}):
        yield f"is {status}" if status in new.statuses else f"is no longer {status}"
    if new.ascended and not old.ascended:
        yield "ascends"
