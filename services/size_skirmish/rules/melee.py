"""Melee: who may be struck, the step before the blows, the exchange of blows, and the result of the combat.

Follows "Melee". Its first steps are those of `procedure`, and casualties stand in `harm`. An attack is measured as it
is made: the target then has to be in the field of view and within the range of the weapon. Moving or aligning the
attacker and turning the attack against another, the fifth step, come after that; strikes in answer have no part in it.
"""

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.moves import clipped
from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, AttackOutcome
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import ways
from services.size_skirmish.ground import point
from services.size_skirmish.profiles import Weapon
from services.size_skirmish.rules import armour, harm, leaving, movement, targets, view

Done = tuple[Battlefield, ActionOutcome]
AttackOutcomes = tuple[AttackOutcome, ...]
Fought = tuple[Battlefield, AttackOutcomes]


# What is against a strike


def violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> tuple[Reason, ...]:
    """Give all that the book has against a strike now; nothing where it may be turned against somebody else."""
    against = strike_violations(table, field, action.model, action.target or "")
    return () if against and context.answering is None and redirections(table, field, action) else against


def strike_violations(table: Table, field: Battlefield, by: str, against: str) -> tuple[Reason, ...]:
    """Give all that the book has against one model striking another from where it stands."""
    if violations := targets.target_violations(table, field, by, against):
        return violations
    return (*in_view(table, field, by, against), *in_reach(table, field, by, against))


@rule("melee.in_view", cites="melee/field-of-view", neutral=())
def in_view(table: Table, field: Battlefield, by: str, against: str) -> tuple[Reason, ...]:
    """Decide whether a model may be struck for being in the field of view of the one who strikes.

    Whether a line of sight has to lead to it, too, is the reading `strike-sight`.
    """
    values = {"name": field.name(by), "other": field.name(against)}
    if not view.ahead(table, field, by, against):
        return (table.reason("{other} is not in the field of view of {name}", **values),)
    if not view.plainly(field, by, against) and _hidden(table, field, by, against):
        return (table.reason("{name} has no line of sight to {other}", **values),)
    table.find("{other} is in the field of view of {name}", **values)
    return ()


def _hidden(table: Table, field: Battlefield, by: str, against: str) -> bool:
    return table.read("strike-sight") == "needed" and not view.free(table, field, by, against)


@rule("melee.in_reach", cites=("melee/weapon-range", "melee/distance"), neutral=())
def in_reach(table: Table, field: Battlefield, by: str, against: str) -> tuple[Reason, ...]:
    """Decide whether a model may be struck for being within the range of the weapon, just that range included."""
    name, other, weapon = field.name(by), field.name(against), armed(field, by)
    if weapon is None:
        return (table.reason("{name} has no melee weapon in hand", cites="melee/weapon-range", name=name),)
    reach, away = weapon.reach or 0.0, view.distance(table, field, by, against)
    if view.within(table, field, by, against, shapes.thousandths(reach)):
        table.find("{other} is within the range {reach:g} of {name}", name=name, other=other, reach=reach)
        return ()
    text = "{other} is {away:.2f} away from {name}, whose weapon has the range {reach:g}"
    return (table.reason(text, name=name, other=other, reach=reach, away=float(away) / shapes.PER_UNIT),)


def armed(field: Battlefield, id_: str) -> Weapon | None:
    """Give the melee weapon that a model has in hand."""
    weapon = field.weapon(field.model(id_))
    return weapon if weapon is not None and weapon.kind == "melee" else None


def joins(table: Table, field: Battlefield, action: Action, reaction: Action) -> bool:
    """Say whether a strike in answer to an attack is held back for its exchange of blows.

    So is one at a model that strikes; of one at a model that charges it is the reading `charge-answered`.
    """
    if reaction.target != action.model or action.target != reaction.model:
        return False
    if action.action == "strike":
        return True
    return action.movement == "attack" and table.read("charge-answered") == "arrival"


# Carrying it out


def done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Carry out a strike from where the attacker stands."""
    return struck(table, field, action, context, field)


def struck(table: Table, field: Battlefield, action: Action, context: ActionContext, begun_at: Battlefield) -> Done:
    """Carry out a strike: the target is settled, the attacker moved or aligned, and blows are exchanged.

    `begun_at` is how the battlefield was before a charge that ends in it.
    """
    by = action.model
    against = redirected(table, field, action) if context.answering is None else action.target or ""
    with table.without_findings():
        violations = strike_violations(table, field, by, against)
    if violations:
        field, blows = answered(table, field, by, context.blows_back)
        losers = result(table, field, blows) if blows else ()
        return field, ActionOutcome(action, violations, context.distance, blows, losers=losers)
    rear = from_behind(table, begun_at, field, by, against)
    field = moved(table, field, action, against)
    field, blows = exchange(table, field, by, against, context.blows_back, rear)
    return field, ActionOutcome(action, distance=context.distance, blows=blows, losers=result(table, field, blows))


def redirections(table: Table, field: Battlefield, action: Action) -> tuple[str, ...]:
    """Give the other models against which an attack could be turned, in the order of the scene."""
    with table.without_findings():
        return tuple(
            other.id
            for other in field.enemies(field.model(action.model))
            if other.id not in (action.model, action.target)
            and _near(table, field, action.model, other.id)
            and not strike_violations(table, field, action.model, other.id)
        )


def _near(table: Table, field: Battlefield, by: str, against: str) -> bool:
    """Say whether a model is within the range of a weapon; of all others nothing more need be asked."""
    weapon = armed(field, by)
    return weapon is not None and view.within(table, field, by, against, shapes.thousandths(weapon.reach or 0.0))


@rule("melee.redirected", cites="melee/redirected", neutral=lambda field, action: action.target)
def redirected(table: Table, field: Battlefield, action: Action) -> str:
    """Decide whom an attack meets: the player may turn it against another; whenever he likes is `redirect-when`.

    An attack on somebody who may not be struck any more is in vain if it is not turned against another.
    """
    target = action.target or ""
    with table.without_findings():
        open_ = not strike_violations(table, field, action.model, target)
    others = redirections(table, field, action)
    if not others or (open_ and table.read("redirect-when") == "lost-target"):
        return target
    options = (target, *others) if open_ else (*others, target)
    found: str = table.choose(field.player(action.model), f"{action.model}: target", options, about=field)
    if found != target:
        table.find("{name} turns the attack against {other}", name=field.name(action.model), other=field.name(found))
        table.event("redirected", model=action.model, target=found)
    return found


def from_behind(table: Table, begun_at: Battlefield, field: Battlefield, by: str, against: str) -> bool:
    """Say whether an attack comes from behind; of a charge, from where that is seen is the reading `charge-front`."""
    with table.without_findings():
        differ = behind(table, begun_at, by, against) != behind(table, field, by, against)
    return behind(table, field if differ and table.read("charge-front") == "arrival" else begun_at, by, against)


@rule("melee.behind", cites="melee/front-or-back", neutral=False)
def behind(table: Table, field: Battlefield, by: str, against: str) -> bool:
    """Decide whether an attack comes from behind: from outside the field of view of who is attacked."""
    found = not view.ahead(table, field, against, by)
    side = "behind" if found else "the front"
    table.find("{name} attacks {other} from {side}", name=field.name(by), other=field.name(against), side=side)
    return found


@rule("melee.moved", cites="melee/moved-or-aligned", neutral=lambda field, action, against: field)
def moved(table: Table, field: Battlefield, action: Action, against: str) -> Battlefield:
    """Decide how the attacker is moved or aligned before the blows, if its player wants it; see `Deed.closing`.

    Moving leads straight into base contact, as far as the way is free; by the reading `melee-step` it is turned only.
    """
    if action.closing == "stay":
        return field
    id_, name = action.model, field.name(action.model)
    way = movement.step(table, field, id_, against) if action.closing == "contact" else None
    if way is not None and table.read("melee-step") == "to-contact":
        # Another melee holds it as in any movement that does not disengage.
        way = clipped(way, 0.0, leaving.within_reach(table, field, Action(id_, "move", "walk"), way))
        table.find("{name} is moved {far:.2f} towards {other}", name=name, far=way.length / shapes.PER_UNIT,
                   other=field.name(against))  # fmt: skip
        field = movement.shifted(table, field, id_, way)
    facing = _towards(field, id_, against)
    if ways.alike(facing, field.model(id_).facing):
        return field
    table.find("{name} is aligned with {other}", name=name, other=field.name(against))
    table.event("turned", model=id_, facing=facing)
    return field.changed(id_, facing=facing)


def _towards(field: Battlefield, id_: str, other: str) -> tuple[int, int]:
    """Give the direction from one model in play to another; none where they stand on one place."""
    here, there = field.model(id_).at, field.model(other).at
    return (0, 0) if here is None or there is None else ways.towards(point(here), point(there))


# The exchange of blows


@rule("melee.exchange", cites="melee/exchange", neutral=lambda field, by, against, back, rear: (field, ()))
def exchange(table: Table, field: Battlefield, by: str, against: str, back: tuple[str, ...], rear: bool) -> Fought:
    """Decide the exchange of blows: the attacker strikes, and so do those who strike back.

    What one suffers does not keep the others from their blows.
    """
    field, first = blow(table, begun(table, field, by, against), by, against, rear)
    field, rest = answered(table, field, by, striking_back(table, field, by, against, back, rear))
    return field, (first, *rest)


@rule(
    "melee.striking_back",
    cites=("melee/exchange", "melee/front-or-back"),
    neutral=lambda field, by, against, back, rear: back,
)
def striking_back(
    table: Table, field: Battlefield, by: str, against: str, back: tuple[str, ...], rear: bool
) -> tuple[str, ...]:
    """Decide who strikes back in an exchange of blows, those who are attacked first; `back` have announced it.

    Whether one does who has not announced it is `blows-back`, and whether one attacked from behind does is `rear`.
    """
    others = tuple(other for other in back if other != against)
    with table.without_findings():
        able = not strike_violations(table, field, against, by) and _defends(field, against)
    if not able or (against not in back and table.read("blows-back") == "announced"):
        return back
    if rear and table.read("rear") == "no-blow-back":
        name = field.name(against)
        table.find("{name} is attacked from behind, and strikes no blow back", cites="melee/front-or-back", name=name)
        return others
    return (against, *others)


def _defends(field: Battlefield, id_: str) -> bool:
    """Say whether a model could strike back unannounced: who flees does not, nor an NPC without that action."""
    model = field.model(id_)
    return model.fleeing is None and (model.npc is None or "strike" in model.actions)


@rule("melee.answered", cites="melee/exchange", neutral=lambda field, by, back: (field, ()))
def answered(table: Table, field: Battlefield, by: str, back: tuple[str, ...]) -> Fought:
    """Decide which blows an attacker gets back: one of each who strikes back and can."""
    blows: AttackOutcomes = ()
    for other in back:
        with table.without_findings():
            violations = strike_violations(table, field, other, by)
        if violations:
            why = "; ".join(reason.text for reason in violations)
            table.find("{name} strikes back in vain: {why}", name=field.name(other), why=why)
            continue
        table.find("{name} strikes back at {other}", name=field.name(other), other=field.name(by))
        if not strikes(table, field, other):
            continue
        with table.without_findings():
            rear = behind(table, field, other, by)
        field, made = blow(table, begun(table, field, other, by), other, by, rear)
        blows = (*blows, made)
    return field, blows


@rule(
    "melee.strikes",
    cites="melee/without-hit-points",
    neutral=lambda field, id_: field.hit_points(field.model(id_)) > 0,
)
def strikes(table: Table, field: Battlefield, id_: str) -> bool:
    """Decide whether a model strikes that has no hit points left: in the same exchange it does."""
    if not field.hit_points(field.model(id_)):
        table.find("{name} has no hit points left, and strikes all the same", name=field.name(id_))
    return True


@rule("melee.begun", cites="melee/begins", neutral=lambda field, by, against: field)
def begun(table: Table, field: Battlefield, by: str, against: str) -> Battlefield:
    """Decide who is in melee: who attacks and who is attacked, with each other."""
    if against not in field.opponents(by):
        table.find("{name} and {other} are in melee", name=field.name(by), other=field.name(against))
        table.event("melee_begun", model=by, other=against)
    return field.joined(by, against)


def blow(table: Table, field: Battlefield, by: str, against: str, rear: bool) -> tuple[Battlefield, AttackOutcome]:
    """Strike one blow, and give what it did."""
    weapon = armed(field, by)
    if weapon is None:
        return field, AttackOutcome(by, against, "melee", rear)
    with_, of = armour.attacking(table, field, by, weapon), armour.defending(table, field, against)
    damage = table.call(harm.struck, with_, of, "melee", field.hit_points(field.model(against)))
    made = AttackOutcome(by, against, "melee", rear, damage)
    return harm.suffered(table, field, made), made


# The result


@rule("melee.result", cites="melee/result", neutral=())
def result(table: Table, field: Battlefield, blows: AttackOutcomes) -> tuple[str, ...]:
    """Decide who has the worse of a combat: who lost more hit points in it; both, if they lost the same."""
    lost = {id_: 0 for each in blows for id_ in (each.by, each.against)}
    for each in blows:
        lost[each.against] += each.damage
    most = max(lost.values(), default=0)
    found = tuple(id_ for id_, many in lost.items() if many == most) if most else ()
    names = ", ".join(map(field.name, found)) or "nobody"
    table.find("the worse of the combat has {names}", names=names, lost=most)
    return found
