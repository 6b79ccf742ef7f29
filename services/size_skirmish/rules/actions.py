"""Actions: those simple and complex ones that need neither a blow nor a way.

Follows "Action Types" row by row: change weapon, restore morale, items, block. Each has its pair of functions: all that
is against it now, and what it does.
"""

from collections.abc import Iterator

from arbiter.facts import Facts, fact
from arbiter.geometry.plane.shapes import PER_UNIT, thousandths
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.contacts_given import Clash
from arbiter.skirmish.plane import point
from arbiter.skirmish.reasons import beside, violations_rule
from arbiter.table import Table
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, Done, undone
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.book import number
from services.size_skirmish.rules import nerve, view
from services.size_skirmish.scene import BLOCKING, Item

WITHIN = number("pass-within") * PER_UNIT


@violations_rule("actions.change_violations", cites="actions/change-weapon")
def change_violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Iterator[Reason]:
    """Decide whether a model can take a weapon in hand: one of its card that is not there already."""
    model, weapon, in_hand = field.unit(action.model), action.weapon or "", field.weapon(field.unit(action.model))
    values = {"name": field.name(model), "weapon": field.weapon_name(weapon)}
    if weapon not in field.profile(model).weapons:
        yield table.reason("{name} has no {weapon}", **values)
    elif in_hand is not None and in_hand.id == weapon:
        yield table.reason("{name} already has {weapon} in hand", **values)


@rule("actions.change_done", cites="actions/change-weapon", neutral=undone)
def change_done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what changing the weapon does: the other one is in hand."""
    weapon = field.weapon_name(action.weapon or "")
    table.find("{name} takes {weapon} in hand", name=field.name(action.model), weapon=weapon)
    table.event("weapon_changed", model=action.model, weapon=action.weapon)
    return field.changed(action.model, in_hand=action.weapon), ActionOutcome(action)


@violations_rule("actions.restore_violations", cites="actions/restore-morale")
def restore_violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Iterator[Reason]:
    """Decide whether a model can restore morale; the reading `restore-morale` says whose.

    Whether a line of sight behind the model is enough is the reading `sight-front`.
    """
    model, other = field.unit(action.model), action.target
    by = field.name(model)
    if table.read("restore-morale") == "own-losses":
        if other is not None:
            yield table.reason("{name} can restore only its own morale", name=by)
        elif model.hit_points_lost <= model.losses_restored:
            yield table.reason("{name} has no losses that count in its morale tests", name=by)
        return
    if other is None:
        yield table.reason("{name} needs a target to restore morale", name=by)
        return
    target, name = field.unit(other), field.name(other)
    if other == action.model or target.side != model.side or not in_play(target):
        yield table.reason("{name} is not another model in play of the same side", name=name)
        return
    barred = () if target.fleeing else (table.reason("{name} is not fleeing", name=name),)
    yield from barred
    yield from beside(barred, lambda: tuple(_unseen(table, field, action.model, other)), ())


def _unseen(table: Table, field: Battlefield, model_id: str, other: str) -> Iterator[Reason]:
    """Return why a model does not see another."""
    by, name = field.name(model_id), field.name(other)
    if not view.free(table, field, model_id, other):
        yield table.reason("There is no line of sight to {name}", name=name)
    elif not view.faced(table, field, model_id, other):
        yield table.reason("{name} is not in the field of view of {by}", name=name, by=by)


@rule("actions.restore_done", cites="actions/restore-morale", neutral=undone)
def restore_done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what restoring morale does, by the reading `restore-morale`."""
    what = table.read("restore-morale")
    if what == "own-losses":
        lost, name = field.unit(action.model).hit_points_lost, field.name(action.model)
        table.find("The lost hit points of {name} ({lost}) no longer count in its morale tests", lost=lost, name=name)
        table.event("morale_restored", model=action.model, losses=lost)
        return field.changed(action.model, losses_restored=lost), ActionOutcome(action)
    if action.target is not None and (what == "friend-ends" or nerve.passed(table, field, action.target)):
        field = nerve.rallied(table, field, action.target)
    return field, ActionOutcome(action)


@violations_rule("actions.item_violations", cites=("actions/use-item", "actions/pick-up-item", "actions/drop-item"))
def item_violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Iterator[Reason]:
    """Decide whether an item can be used, picked up or dropped: it lies within reach, or is carried.

    The reach is the reading `pick-up-reach`.
    """
    name, cites = field.name(action.model), f"actions/{action.use}-item"
    lying = next((item for item in field.scene.items if item.id == action.item), None)
    if action.use != "pick-up":
        yield from _not_carried(table, field, action, cites)
    elif lying is None:
        yield table.reason("{item} is not on the battlefield", cites=cites, item=action.item)
    elif not at_hand(table, field, action.model, lying):
        yield table.reason("{item} is out of reach of {name}", cites=cites, item=action.item, name=name)


def _not_carried(table: Table, field: Battlefield, action: Action, cites: str) -> Iterator[Reason]:
    """Find that the model does not carry the item."""
    name = field.name(action.model)
    if action.item not in field.unit(action.model).items:
        yield table.reason("{name} does not carry {item}", cites=cites, name=name, item=action.item)


@fact(
    "item_in_reach",
    "Does the item lie at the base of {model}, or under it?",
    of=("model",),
    says=("The item lies within reach of {model}", "The item is out of reach of {model}"),
    cites="actions/pick-up-item",
)
def at_hand(table: Table, field: Battlefield, actor: str, item: Item) -> bool:
    """Return whether an item lies within reach of a model."""
    body = field.solid(actor)
    up = thousandths(item.height_above) - body.elevation
    lying = point(item.at)
    square = (lying[0] - body.at[0]) ** 2 + (lying[1] - body.at[1]) ** 2

    def near(reach: str) -> bool:
        if reach == "contact":
            return 0 <= up < body.height and square < (body.radius + body.slack) ** 2
        return square + up * up <= WITHIN * WITHIN

    return settled(table, near, ("pick-up-reach", ("contact", "within-one")))


@rule("actions.use_done", cites="actions/use-item", neutral=undone)
def use_done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what using an item does: nothing but an event, because the scenario defines its effect."""
    table.find("{name} uses {item}", name=field.name(action.model), item=action.item)
    table.event("item_used", model=action.model, item=action.item)
    return field, ActionOutcome(action)


@rule("actions.pick_up_done", cites="actions/pick-up-item", neutral=undone)
def pick_up_done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what picking an item up does: the model carries it."""
    table.find("{name} picks up {item}", name=field.name(action.model), item=action.item)
    table.event("item_picked_up", model=action.model, item=action.item)
    lying = tuple(item for item in field.scene.items if item.id != action.item)
    items = (*field.unit(action.model).items, action.item)
    return field.with_(items=lying).changed(action.model, items=items), ActionOutcome(action)


@rule("actions.drop_done", cites="actions/drop-item", neutral=undone)
def drop_done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what dropping an item does: it stays where the model stands."""
    model = field.unit(action.model)
    if model.at is None or action.item is None:
        return field, ActionOutcome(action)
    table.find("{name} drops {item}", name=field.name(model.id), item=action.item)
    table.event("item_dropped", model=action.model, item=action.item)
    lying = (*field.scene.items, Item(action.item, model.at, model.height_above))
    field = field.with_(items=lying).changed(model.id, items=_without(model.items, action.item))
    return field, ActionOutcome(action)


def item_done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Use, pick up or drop an item."""
    does = {"use": use_done, "pick-up": pick_up_done, "drop": drop_done}
    return does[action.use or "use"](table, field, action, context)


@violations_rule("actions.pass_violations", cites="actions/pass-within")
def pass_violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Iterator[Reason]:
    """Decide whether an item can be passed to another model: it is carried, and the other is within 1.

    From where to where that is measured is the reading `pass-within`, to whom it is passed `pass-to`.
    """
    target = field.unit(action.target or action.model)
    name = field.name(target)
    if target.id == action.model or not in_play(target):
        yield table.reason("{name} is not another model in play", name=name)
        return
    barred = tuple(_not_carried(table, field, action, "actions/pass-within"))
    if target.side != field.unit(action.model).side and table.read("pass-to") == "own-side":
        barred = (*barred, table.reason("{name} is not on the same side", name=name))
    yield from barred
    if not beside(barred, lambda: in_hand_reach(table, field, action.model, target.id), instead=True):
        yield table.reason("{name} is more than 1 away", name=name)


def _within_one(facts: Facts, field: Battlefield, one: str, other: str) -> bool | None:
    """Return whether two models are within 1 by the distance that players give, where it is so however it is read."""
    away = facts.value(view.away, field, one, other)
    if away is None or number("pass-within") < away <= _pass_limit(field, one, other):
        return None
    return bool(away <= number("pass-within"))


def _apart_clashes(facts: Facts, field: Battlefield, near: bool, one: str, other: str) -> Iterator[Clash]:
    """Find the distance that contradicts that two models are within 1, or are not, by more than players err."""
    away = facts.peek(view.away, field, one, other)
    if away is None:
        return
    beyond = away - (_pass_limit(field, one, other) if near else number("pass-within"))
    if beyond > view.MEASURED_TO if near else beyond < -view.MEASURED_TO:
        yield view.away, (one, other)


def _pass_limit(field: Battlefield, one: str, other: str) -> float:
    """Return how far apart the middles of two bases may be to pass an item, however it is read."""
    bases = sum(field.build(field.unit(id_)).base for id_ in (one, other))
    return float(bases / 2 + number("pass-within"))


@fact(
    "within_one",
    "Are {one} and {other} within 1 of each other?",
    of=("one", "other"),
    says=("{one} and {other} are within 1 of each other", "{one} and {other} are more than 1 apart"),
    cites="actions/pass-within",
    mutual=True,
    follows=_within_one,
    against=_apart_clashes,
)
def in_hand_reach(table: Table, field: Battlefield, a: str, b: str) -> bool:
    """Return whether an item can be passed from one model to another over their distance."""
    both = field.solid(a).radius + field.solid(b).radius
    near = {"centres": view.within(table, field, a, b, WITHIN), "edges": view.within(table, field, a, b, WITHIN + both)}
    return settled(table, near.__getitem__, ("pass-within", ("centres", "edges")))


@rule("actions.pass_done", cites="actions/pass-within", neutral=undone)
def pass_done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what passing an item does: the other model carries it."""
    giver, taker = field.unit(action.model), field.unit(action.target or action.model)
    name, other = field.name(giver), field.name(taker)
    table.find("{name} passes {item} to {other}", name=name, item=action.item, other=other)
    table.event("item_passed", model=giver.id, to=taker.id, item=action.item)
    field = field.changed(giver.id, items=_without(giver.items, action.item))
    return field.changed(taker.id, items=(*taker.items, action.item)), ActionOutcome(action)


def _without(items: tuple[str, ...], item: str | None) -> tuple[str, ...]:
    return tuple(each for each in items if each != item)


@rule("actions.block_done", cites="actions/block", neutral=undone)
def block_done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what blocking does: the model has 1 armour more as long as it has the token; a second token is none."""
    model = field.unit(action.model)
    table.find("{name} blocks: +{more} armour", name=field.name(model.id), more=number("block-armour"))
    table.event("status_added", model=action.model, status=BLOCKING)
    return field.changed(model.id, statuses=(*_without(model.statuses, BLOCKING), BLOCKING)), ActionOutcome(action)


@rule("actions.npc_done", cites=("npc/actions", "npc/scenario-by-scenario"), neutral=undone)
def npc_done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what an NPC action of the scenario does: nothing but an event, because the scenario defines its effect."""
    entry = field.book.npc_actions[action.action]
    text = "{name} uses an action of the scenario: {action}" + (" ({gist})" if entry.gist else "")
    table.find(text, name=field.name(action.model), action=entry.name, gist=entry.gist)
    table.event("npc_action", model=action.model, action=entry.id, target=action.target)
    return field, ActionOutcome(action)
