"""Pushing: who may be pushed, and where a pushed model ends.

Follows the row of pushing in the table of actions. Lengths are thousandths of the scene's unit.
"""

from collections.abc import Iterator

from arbiter.facts import Facts, fact
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import PER_UNIT, thousandths
from arbiter.nowhere import NOWHERE
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.contacts_given import Clash
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import beside, every_reason, violations_rule
from arbiter.table import Table
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, AttackOutcome, Done
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.book import number
from services.size_skirmish.geometry import courses, ways
from services.size_skirmish.geometry.courses import Stopped
from services.size_skirmish.ground import in_touch
from services.size_skirmish.rules import dice, leaving, movement, straight, targets, view

WITHIN = number("pass-within") * PER_UNIT


@every_reason
def violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Iterator[Reason]:
    """Return every violation of a push."""
    target = action.target or action.model
    yield from (barred := whom(table, field, action.model, target))
    if in_play(field.unit(target)):
        yield from beside(barred, lambda: out_of_reach(table, field, action.model, target), ())


def comes_into_question(field: Battlefield, attacker: str, target: str) -> bool:
    """Return whether a model may be near enough to another for a push, by one reading or another."""
    return view.perhaps_within(field, attacker, target, WITHIN + thousandths(_bases(field, attacker, target)))


@violations_rule("push.whom", cites="actions/push")
def whom(table: Table, field: Battlefield, attacker: str, target: str) -> Iterator[Reason]:
    """Decide whether a model may be pushed: only one that may be attacked, or by `push-whom` any model in play."""
    violations = targets.target_violations(table, field, attacker, target)
    if violations and not (in_play(field.unit(target)) and table.read("push-whom") == "anybody"):
        yield from violations


@violations_rule("push.out_of_reach", cites="actions/push")
def out_of_reach(table: Table, field: Battlefield, attacker: str, target: str) -> Iterator[Reason]:
    """Decide whether a model is near enough to be pushed: `push-reach`; within 1 is measured as `pass-within` says."""
    if not can_push(table, field, attacker, target):
        yield table.reason("{other} is out of reach of {name}", other=field.name(target), name=field.name(attacker))


def _out_of_reach(facts: Facts, field: Battlefield, attacker: str, target: str) -> bool | None:
    """Return whether the distance that players give is too far for a push, however it is read."""
    away = facts.value(view.away, field, attacker, target) or 0.0
    return False if away > _push_limit(field, attacker, target) else None


def _push_clashes(facts: Facts, field: Battlefield, near: bool, attacker: str, target: str) -> Iterator[Clash]:
    """Find the distance that contradicts that a model is near enough for a push, by more than players err."""
    away = facts.peek(view.away, field, attacker, target)
    if near and away is not None and away > _push_limit(field, attacker, target) + view.MEASURED_TO:
        yield view.away, (attacker, target)


def _push_limit(field: Battlefield, attacker: str, target: str) -> float:
    """Return how far apart the middles of two bases may be for a push, however it is read."""
    return float(_bases(field, attacker, target) / 2 + number("pass-within"))


def _bases(field: Battlefield, one: str, other: str) -> float:
    """Return how far two bases are across, together."""
    return field.build(field.unit(one)).base + field.build(field.unit(other)).base


@fact(
    "push_reach",
    "Is {target} near enough to be pushed by {attacker}: base to base, unless you play it otherwise?",
    of=("attacker", "target"),
    says=("{target} is near enough to be pushed by {attacker}", "{target} is not near enough to {attacker} for a push"),
    cites="actions/push",
    follows=_out_of_reach,
    against=_push_clashes,
)
def can_push(table: Table, field: Battlefield, attacker: str, target: str) -> bool:
    """Return whether a model is near enough to be pushed by another."""
    body, other = field.solid(attacker), field.solid(target)
    touching, both = in_touch(body, other), body.radius + other.radius
    reaches = {"centres": WITHIN, "edges": WITHIN + both}
    near = {ends: touching or view.within(table, field, attacker, target, far) for ends, far in reaches.items()}

    def pushes(reach: str, ends: str) -> bool:
        return near[ends] if reach == "within-one" else touching

    return settled(table, pushes, ("push-reach", ("contact", "within-one")), ("pass-within", ("centres", "edges")))


def done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Carry out a push, if its target can still be pushed."""
    target = action.target or action.model
    with table.without_findings():
        forbidden = bool(violations(table, field, action, context))
    if forbidden:
        return field, ActionOutcome(action)
    far = PER_UNIT * dice.added(table, action.model, field.name(action.model), "push", number("push-dice"))
    field, blows = pushed(table, field, target, action.model, far)
    return field, ActionOutcome(action, distance=far, blows=blows)


@rule("push.pushed", cites="actions/push-away", neutral=lambda field, target, attacker, distance: (field, ()))
def pushed(
    table: Table, field: Battlefield, target: str, attacker: str, distance: int
) -> tuple[Battlefield, tuple[AttackOutcome, ...]]:
    """Decide where a pushed model ends: straight away from the attacker, until something blocks it.

    What the edge of the table does is `push-edge`, and what a drop does is `pushed-over`.
    """
    body, name = field.solid(target), field.name(target)
    direction = ways.direction(field, attacker, target) if field.measures(attacker, target) else NOWHERE
    if direction is None:
        table.find("{name} cannot be pushed sideways and stays", name=name)
        return field, ()

    def search(far: float) -> tuple[Path, Stopped]:
        return courses.straight_on(field.layout, body, direction, far, ways.bases(field, body))

    gone = path, length, stopped = straight.gone(table, field, target, distance, search)
    text = "{name} is pushed {distance:g} straight away and moves {gone:g}"
    table.find(text, name=name, distance=distance / PER_UNIT, gone=round(length) / PER_UNIT)
    if stopped == "edge" and table.read("push-edge") == "leaves":
        table.find("{name} is pushed off the table", name=name)
        table.event("left", model=target, out="eliminated")
        return leaving.gone(table, field.parted(target), target, "eliminated", movement.end(path)), ()
    field, blows = straight.ended(table, field, target, gone, direction, "pushed-over", unchanged)
    return parted(table, field, target), blows


@rule("push.parted", cites=("actions/push-away", "melee/ends-disengaged"), neutral=unchanged)
def parted(table: Table, field: Battlefield, target: str) -> Battlefield:
    """Decide whether a melee ends when a push leads out of reach: the reading `push-ends-melee`."""
    if not field.measures(target) and table.read("push-ends-melee") == "lasts":
        return field
    others = leaving.out_of_reach(table, field, target)
    if not others or table.read("push-ends-melee") == "lasts":
        return field
    text = "{name} is pushed out of its melee with {others}"
    table.find(text, name=field.name(target), others=field.names(others))
    table.event("melee_left", model=target, opponents=list(others))
    return field.parted(target, others)
