"""Melee: who may be struck, the step before the blows, the exchange of blows, and the result of the combat.

Follows "Melee". Its first steps are those of `procedure`, and casualties stand in `harm`. An attack is measured as it
is made: the target then has to be in the field of view and within the range of the weapon. Moving or aligning the
attacker and turning the attack against another, the fifth step, come after that; strikes in answer have no part in it.
"""

from collections.abc import Iterator
from typing import Any

from arbiter.facts import Facts, Units, fact
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.moves import clipped
from arbiter.rule import Reason, rule
from arbiter.skirmish.contacts_given import Clash, opponents_of
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import beside, violations_rule
from arbiter.table import Table
from arbiter.text import Series
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, AttackOutcome, Done, Violations
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.geometry import ways
from services.size_skirmish.rules import armour, harm, leaving, movement, targets, view

AttackOutcomes = tuple[AttackOutcome, ...]
Exchange = tuple[Battlefield, AttackOutcomes]


def violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Violations:
    """Return every violation of a strike now; none if it may be redirected to another target.

    A model that may not be attacked at all cannot be announced as the target of a strike at another.
    """
    target = action.target or ""
    violations = strike_violations(table, field, action.model, target)
    if not violations or context.answering is not None:
        return violations
    if in_play(field.unit(target)):
        with table.without_findings():
            if targets.target_violations(table, field, action.model, target):
                return violations
    return () if redirections(table, field, action) else violations


def strike_violations(table: Table, field: Battlefield, attacker: str, target: str) -> Violations:
    """Return every violation of one model striking another from its place."""
    return table.held(_strike_violations, field.layout, attacker, target)


def _strike_violations(table: Table, field: Battlefield, attacker: str, target: str) -> Violations:
    if violations := targets.target_violations(table, field, attacker, target):
        return violations
    if table.facts is not None and field.armed(attacker, "melee") is None:
        unarmed = in_reach(table, field, attacker, target)
        return beside(unarmed, lambda: (*in_view(table, field, attacker, target), *unarmed), unarmed)
    return table.reasons(reason for rule in (in_view, in_reach) for reason in rule(table, field, attacker, target))


@violations_rule("melee.in_view", cites="melee/field-of-view")
def in_view(table: Table, field: Battlefield, attacker: str, target: str) -> Iterator[Reason]:
    """Decide whether the target of a strike is in the field of view of the attacker.

    Whether a line of sight has to lead to it, too, is the reading `strike-sight`.
    """
    values = {"name": field.name(attacker), "other": field.name(target)}
    if not view.ahead(table, field, attacker, target):
        yield table.reason("{other} is not in the field of view of {name}", **values)
        return
    in_question = table.facts is not None or not view.plainly(field, attacker, target)
    if in_question and table.read("strike-sight") == "needed" and not view.free(table, field, attacker, target):
        yield table.reason("{name} has no line of sight to {other}", **values)
    else:
        table.find("{other} is in the field of view of {name}", **values)


@violations_rule("melee.in_reach", cites=("melee/weapon-range", "melee/distance"))
def in_reach(table: Table, field: Battlefield, attacker: str, target: str) -> Iterator[Reason]:
    """Decide whether the target of a strike is within the range of the weapon, inclusive."""
    name, other, weapon = field.name(attacker), field.name(target), field.armed(attacker, "melee")
    if weapon is None:
        yield table.reason("{name} has no melee weapon in hand", cites="melee/weapon-range", name=name)
        return
    values: dict[str, Any] = {"name": name, "other": other, "reach": weapon.reach or 0.0}
    if reaches(table, field, attacker, target):
        table.find("{other} is within weapon range ({reach:g}) of {name}", **values)
    else:
        yield table.reason("{other} is out of weapon range ({reach:g}) of {name}", **values)


def _in_reach(facts: Facts, field: Battlefield, attacker: str, target: str) -> bool | None:
    """Return whether a model is within weapon range by the distance that players give, if they do."""
    away, weapon = facts.value(view.away, field, attacker, target), field.armed(attacker, "melee")
    return None if away is None or weapon is None else bool(away <= (weapon.reach or 0.0))


def _reach_clashes(facts: Facts, field: Battlefield, near: bool, attacker: str, target: str) -> Iterator[Clash]:
    """Find the distance that contradicts that a model is within weapon range, or is not, by more than players err."""
    away, weapon = facts.peek(view.away, field, attacker, target), field.armed(attacker, "melee")
    if away is not None and weapon is not None:
        beyond = away - (weapon.reach or 0.0)
        if beyond > view.MEASURED_TO if near else beyond < -view.MEASURED_TO:
            yield view.away, (attacker, target)


@fact(
    "in_reach",
    "Is {target} within weapon range of {attacker}?",
    of=("attacker", "target"),
    says=("{target} is within weapon range of {attacker}", "{target} is out of weapon range of {attacker}"),
    cites=("melee/weapon-range", "melee/distance"),
    follows=_in_reach,
    against=_reach_clashes,
)
def reaches(table: Table, field: Battlefield, attacker: str, target: str) -> bool:
    """Return whether a model is within the range of the melee weapon of another, and tell how far it is."""
    view.distance(table, field, attacker, target)
    return _near(table, field, attacker, target)


def comes_into_question(field: Battlefield, attacker: str, target: str) -> bool:
    """Return whether the weapon in hand may reach another model, whether heights count or not."""
    weapon = field.armed(attacker, "melee")
    if weapon is None:
        return False
    return view.perhaps_within(field, attacker, target, shapes.thousandths(weapon.reach or 0.0))


def joins(table: Table, field: Battlefield, action: Action, reaction: Action) -> bool:
    """Return whether a strike in answer to an attack is held back for its exchange of blows.

    So is one at a model that strikes; of one at a model that charges it is the reading `charge-answered`.
    """
    if reaction.target != action.model or action.target != reaction.model:
        return False
    if action.action == "strike":
        return True
    return action.movement == "attack" and table.read("charge-answered") == "arrival"


def done(
    table: Table, field: Battlefield, action: Action, context: ActionContext, charged_from: Battlefield | None = None
) -> Done:
    """Carry out a strike: the target is chosen, the attacker moves or turns, and blows are exchanged.

    `charged_from` is the battlefield before the charge that ends in it.
    """
    attacker, target, begun_at = action.model, action.target or "", charged_from or field
    with table.without_findings():
        violations = strike_violations(table, field, attacker, target)
    rear = not violations and from_behind(table, begun_at, field, attacker, target)
    if context.answering is None and (chosen := redirected(table, field, action, not violations)) != target:
        target, violations, rear = chosen, (), from_behind(table, begun_at, field, attacker, chosen)
    if violations:
        field, blows = answered(table, field, attacker, context.blows_back)
        return field, ActionOutcome(action, violations, context.distance, blows)
    field = moved(table, field, action, target)
    field, blows = exchange(table, field, attacker, target, context.blows_back, rear)
    return field, ActionOutcome(action, distance=context.distance, blows=blows)


def redirections(table: Table, field: Battlefield, action: Action) -> tuple[str, ...]:
    """Return the other models to which an attack could be redirected, in the order of the scene."""
    enemies = field.enemies(field.unit(action.model))
    unarmed = field.armed(action.model, "melee") is None
    if unarmed or all(other.id in (action.model, action.target) for other in enemies):
        return ()
    at_hand = others_at_hand(table, field, action.model, action.target or "")
    return tuple([other.id for other in enemies if other.id in at_hand])


@fact(
    "other_targets",
    "Whom but {target} could {attacker} strike, in its front and within weapon range?",
    of=("attacker", "target"),
    kind=Units(),
    says="{attacker} could also strike {value}",
    cites="melee/redirected",
    among=opponents_of,
)
def others_at_hand(table: Table, field: Battlefield, attacker: str, target: str) -> tuple[str, ...]:
    """Return the models but one that a model could strike from its place."""
    with table.without_findings():
        others = (other.id for other in field.enemies(field.unit(attacker)) if other.id not in (attacker, target))
        near = (id_ for id_ in others if _near(table, field, attacker, id_))
        return tuple(id_ for id_ in near if not strike_violations(table, field, attacker, id_))


def _near(table: Table, field: Battlefield, attacker: str, target: str) -> bool:
    """Return whether a model is within the range of the weapon in hand."""
    weapon = field.armed(attacker, "melee")
    return weapon is not None and view.within(table, field, attacker, target, shapes.thousandths(weapon.reach or 0.0))


@rule("melee.redirected", cites="melee/redirected", neutral=lambda field, action, allowed: action.target)
def redirected(table: Table, field: Battlefield, action: Action, allowed: bool) -> str:
    """Decide the target of an attack: the player may redirect it, at the times of the reading `redirect-when`.

    An attack on a model that may no longer be struck, which is not `allowed`, has no effect unless it is redirected.
    """
    target = action.target or ""
    others = redirections(table, field, action)
    if not others or (allowed and table.read("redirect-when") == "lost-target"):
        return target
    options, who = (target, *others) if allowed else (*others, target), field.unit(action.model).side
    choice: str = table.choose(who, f"{action.model}: target", options, about=field, means=field.option)
    if choice != target:
        table.find("{name} turns the attack against {other}", name=field.name(action.model), other=field.name(choice))
        table.event("redirected", model=action.model, target=choice)
    return choice


def from_behind(table: Table, begun_at: Battlefield, field: Battlefield, attacker: str, target: str) -> bool:
    """Return whether an attack comes from behind; for a charge, the reading `charge-front` says at which moment."""
    if table.facts is not None and begun_at is not field:
        # Nobody is asked for what does not matter.
        return behind(table, field if table.read("charge-front") == "arrival" else begun_at, attacker, target)
    with table.without_findings():
        differ = behind(table, begun_at, attacker, target) != behind(table, field, attacker, target)
    return behind(table, field if differ and table.read("charge-front") == "arrival" else begun_at, attacker, target)


@rule("melee.behind", cites="melee/front-or-back", neutral=False)
def behind(table: Table, field: Battlefield, attacker: str, target: str) -> bool:
    """Decide whether an attack comes from behind: from outside the field of view of the target."""
    rear = not view.ahead(table, field, target, attacker)
    side = "behind" if rear else "the front"
    table.find("{name} attacks {other} from {side}", name=field.name(attacker), other=field.name(target), side=side)
    return rear


@rule("melee.moved", cites="melee/moved-or-aligned", neutral=unchanged)
def moved(table: Table, field: Battlefield, action: Action, target: str) -> Battlefield:
    """Decide how the attacker moves or turns before the blows, if its player wants it; see `Action.closing`.

    It moves straight into base contact as far as the way is free; by the reading `melee-step` it only turns.
    """
    if action.closing == "stay" or not field.measures(action.model, target):
        return field
    id_, name = action.model, field.name(action.model)
    way = movement.step(field, id_, target) if action.closing == "contact" else None
    if way is not None and table.read("melee-step") == "to-contact":
        # Another melee holds it as in any movement that does not disengage.
        way = clipped(way, 0.0, leaving.within_reach(table, field, Action(id_, "move", "walk"), way))
        far, other = round(way.length) / shapes.PER_UNIT, field.name(target)
        table.find("{name} is moved {far:g} towards {other}", name=name, far=far, other=other)
        field = movement.shifted(table, field, id_, way)
    facing = ways.direction(field, id_, target)
    if facing is None or ways.alike(facing, field.unit(id_).facing):
        return field
    table.find("{name} turns to face {other}", name=name, other=field.name(target))
    table.event("turned", model=id_, facing=facing)
    return field.changed(id_, facing=facing)


@rule("melee.exchange", cites="melee/exchange", neutral=lambda field, attacker, target, back, rear: (field, ()))
def exchange(
    table: Table, field: Battlefield, attacker: str, target: str, back: tuple[str, ...], rear: bool
) -> Exchange:
    """Decide the exchange of blows: the attacker strikes, and so do those who strike back.

    What one suffers does not keep the others from their blows.
    """
    field, first = blow(table, begun(table, field, attacker, target), attacker, target, rear)
    field, rest = answered(table, field, attacker, striking_back(table, field, attacker, target, back, rear))
    return field, (first, *rest)


@rule(
    "melee.striking_back",
    cites=("melee/exchange", "melee/front-or-back"),
    neutral=lambda field, attacker, target, back, rear: back,
)
def striking_back(
    table: Table, field: Battlefield, attacker: str, target: str, back: tuple[str, ...], rear: bool
) -> tuple[str, ...]:
    """Decide who strikes back in an exchange of blows, the target first; `back` have announced it.

    Whether an unannounced target strikes back is `blows-back`; whether one attacked from behind does is `rear`.
    """
    if table.facts is not None and target not in back and table.read("blows-back") == "announced":
        return back  # nobody is asked for what does not matter
    others = tuple(other for other in back if other != target)
    with table.without_findings():
        defends = not strike_violations(table, field, target, attacker) and _defends(field, target)
    if not defends or (target not in back and table.read("blows-back") == "announced"):
        return back
    if rear and table.read("rear") == "no-blow-back":
        name = field.name(target)
        table.find("{name} is attacked from behind and does not strike back", cites="melee/front-or-back", name=name)
        return others
    return (target, *others)


def _defends(field: Battlefield, fighter: str) -> bool:
    """Return whether a model could strike back unannounced: not if it flees, nor an NPC without that action."""
    model = field.unit(fighter)
    return model.fleeing is None and (model.npc is None or "strike" in model.actions)


@rule("melee.answered", cites="melee/exchange", neutral=lambda field, attacker, back: (field, ()))
def answered(table: Table, field: Battlefield, attacker: str, back: tuple[str, ...]) -> Exchange:
    """Decide the blows against the attacker: one by each model that strikes back and can."""
    blows: AttackOutcomes = ()
    for other in back:
        with table.without_findings():
            violations = strike_violations(table, field, other, attacker)
        if violations:
            table.find("{name} cannot strike back: {why}", name=field.name(other), why=Series(violations))
            continue
        table.find("{name} strikes back at {other}", name=field.name(other), other=field.name(attacker))
        if not strikes(table, field, other):
            continue
        with table.without_findings():
            rear = behind(table, field, other, attacker)
        field, outcome = blow(table, begun(table, field, other, attacker), other, attacker, rear)
        blows = (*blows, outcome)
    return field, blows


@rule(
    "melee.strikes",
    cites="melee/without-hit-points",
    neutral=lambda field, fighter: field.hit_points(field.unit(fighter)) > 0,
)
def strikes(table: Table, field: Battlefield, fighter: str) -> bool:
    """Decide whether a model without hit points strikes: in the same exchange it does."""
    if not field.hit_points(field.unit(fighter)):
        table.find("{name} has no hit points left but still strikes", name=field.name(fighter))
    return True


@rule("melee.begun", cites="melee/begins", neutral=unchanged)
def begun(table: Table, field: Battlefield, attacker: str, target: str) -> Battlefield:
    """Decide who is in melee: attacker and target with each other."""
    if target not in field.opponents(attacker):
        table.find("{name} and {other} are in melee", name=field.name(attacker), other=field.name(target))
        table.event("melee_begun", model=attacker, other=target)
    return field.joined(attacker, target)


def blow(table: Table, field: Battlefield, attacker: str, target: str, rear: bool) -> tuple[Battlefield, AttackOutcome]:
    """Strike one blow and return its outcome."""
    weapon = field.armed(attacker, "melee")
    if weapon is None:
        return field, AttackOutcome(attacker, target, "melee", rear)
    attack, defence = armour.attacking(field, attacker, weapon), armour.defending(table, field, target)
    damage = table.call(harm.attack_damage, attack, defence, "melee", field.hit_points(field.unit(target)))
    outcome = AttackOutcome(attacker, target, "melee", rear, damage)
    return harm.suffered(table, field, outcome), outcome


@rule("melee.result", cites="melee/result", neutral=())
def result(table: Table, field: Battlefield, blows: AttackOutcomes) -> tuple[str, ...]:
    """Decide who loses a combat: the model that lost more hit points; both if they lost the same."""
    lost = {id_: 0 for each in blows for id_ in (each.by, each.against)}
    for each in blows:
        lost[each.against] += each.damage
    most = max(lost.values(), default=0)
    losers = tuple(id_ for id_, many in lost.items() if many == most) if most else ()
    table.find("{names} lost the combat", names=field.names(losers) or "Nobody", lost=most)
    return losers
