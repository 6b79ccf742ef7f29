"""Overwatch: dice kept after an activation, and the weapon actions they pay for when hostiles move, attack or arrive.

Follows "Overwatch" in the text's order.
"""

from typing import Literal, NamedTuple

from arbiter.option import Option, with_labels
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import armoury, attacks, payments, weapon_actions
from services.blackstone_fortress.rules.armoury import Attack
from services.blackstone_fortress.rules.attacks import AttackOutcome
from services.blackstone_fortress.scene import Explorer

Trigger = Literal["move", "attack", "deployment"]
"""What the hostile has just finished."""


class Reaction(Value, frozen=True):
    """What one explorer did when a hostile triggered overwatch.

    `action` is the weapon action with its `cost` and the `die` that paid for it; `aim_die` made it aimed. An explorer
    that declared a reaction and came too late took none and discarded `discarded`.
    """

    explorer: str
    action: str | None = None
    cost: int | None = None
    die: int | None = None
    aim_die: int | None = None
    attacks: tuple[AttackOutcome, ...] = ()
    discarded: int | None = None


class _Plan(NamedTuple):
    """A weapon action that an explorer could take in overwatch, and the dice for it; `destiny` marks a destiny die."""

    action: str
    cost: int
    die: int
    aim_die: int | None = None
    destiny: bool = False


@rule(
    "overwatch.save_dice",
    cites=("overwatch/remove-ones", "overwatch/reduce", "explorer-action/save-dice"),
    neutral=unchanged,
)
def save_dice(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what becomes of the dice left when an activation ends: ones are removed, the others lose a pip each."""
    explorer, holder = field.explorer(explorer_id), payments.purse(field, explorer_id)
    dice = reduced(table, without_ones(table, holder.activation))
    text = "{name} keeps {dice} for overwatch"
    table.find(text, cites="explorer-action/save-dice", name=field.name(explorer), dice=_join(dice))
    if holder.activation:
        table.event("dice-saved", unit=explorer_id, dice=dice)
    field = field.change(holder, activation=())
    # Dice that were saved before, when only that was asked for, are kept beside these.
    return field.change(field.explorer(explorer_id), overwatch=(*explorer.overwatch, *dice))


@rule("overwatch.without_ones", cites="overwatch/remove-ones", neutral=lambda dice: dice)
def without_ones(table: Table, dice: tuple[int, ...]) -> tuple[int, ...]:
    """Decide which dice are kept: all but those that show 1."""
    left = tuple(die for die in dice if die > 1)
    if len(left) < len(dice):
        table.find("dice that show 1 are removed: {count}", count=len(dice) - len(left))
    return left


@rule("overwatch.reduced", cites=("overwatch/reduce", "examples/overwatch-reduction"), neutral=lambda dice: dice)
def reduced(table: Table, dice: tuple[int, ...]) -> tuple[int, ...]:
    """Decide what the dice are worth: one less each."""
    less = tuple(die - 1 for die in dice)
    if dice:
        become = "becomes" if len(dice) == 1 else "become"
        table.find(f"{{dice}} {become} {{less}}", dice=_join(dice), less=_join(less))
    return less


def triggered(
    table: Table, field: Battlefield, hostile_id: str, trigger: Trigger, *, made: bool = True, more: bool = False
) -> Battlefield:
    """Give the battlefield after a hostile has finished something and explorers have reacted; see `reactions`."""
    return reactions(table, field, hostile_id, trigger, made, more)[0]


@rule(
    "overwatch.reactions",
    cites=("overwatch/trigger", "overwatch/resume"),
    neutral=lambda field, hostile_id, trigger, made=True, more=False: (field, ()),
)
def reactions(
    table: Table, field: Battlefield, hostile_id: str, trigger: Trigger, made: bool = True, more: bool = False
) -> tuple[Battlefield, tuple[Reaction, ...]]:
    """Decide what explorers in overwatch do when a hostile has finished a move or an attack, or is deployed.

    `made` is false for a move of no hexes or an attack without a target, `more` true while the hostile's action goes
    on.
    """
    hostile = field.hostile(hostile_id)
    watching = in_overwatch(table, field)
    if hostile.hex is None or not watching or unfinished(table, made, more):
        return field, ()
    ready = tuple(id_ for id_ in watching if _plans(table, field, id_, hostile_id))
    for id_ in watching:
        table.explain(unable, field, id_, hostile_id)
    if not ready:
        return field, ()
    text = "{hostile} has finished its {by} and triggers overwatch"
    table.find(text, cites="overwatch/trigger", hostile=field.name(hostile), by=trigger)
    reactions_made = []
    for explorer_id in leader_order(table, field, declared(table, field, ready)):
        if field.hostile(hostile_id).slain:
            field, die = too_late(table, field, explorer_id)
            reactions_made.append(Reaction(explorer_id, discarded=die))
            continue
        for _ in range(most_actions(table)):
            plans = _plans(table, field, explorer_id, hostile_id)
            if not plans or field.hostile(hostile_id).slain:
                break
            field, reaction = _react(table, field, explorer_id, hostile_id, plans)
            reactions_made.append(reaction)
    table.find("the hostile's activation goes on", cites="overwatch/resume")
    return field, tuple(reactions_made)


@rule(
    "overwatch.in_overwatch",
    cites="overwatch/after-activation",
    neutral=lambda field: tuple(explorer.id for explorer in field.explorers),
)
def in_overwatch(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Decide which explorers have anything to react with: overwatch dice, once they have been activated this turn.

    Whether a destiny die will do instead is the reading `overwatch-destiny`.
    """
    watching = []
    for explorer in field.explorers:
        if explorer.overwatch and not explorer.activated:
            table.find("{name} has not been activated yet and cannot react", name=field.name(explorer))
        if explorer.activated and (explorer.overwatch or _destiny_dice(table, field, explorer)):
            watching.append(explorer.id)
    return tuple(watching)


def _destiny_dice(table: Table, field: Battlefield, explorer: Explorer) -> tuple[int, ...]:
    dice = field.scene.turn.destiny
    if not dice or explorer.destiny_spent >= payments.MOST_DESTINY_DICE or table.read("overwatch-destiny") == "no":
        return ()
    return dice


@rule("overwatch.unfinished", cites="overwatch/trigger", neutral=())
def unfinished(table: Table, made: bool, more: bool) -> tuple[Reason, ...]:
    """Decide whether a step of a hostile's action does not trigger overwatch: every reason, none if it does.

    Whether steps in the middle of an action do is the reading `overwatch-each-step`, and whether a step does in which
    nothing was done is the reading `overwatch-empty-move`.
    """
    text = ""
    if not made and table.read("overwatch-empty-move") == "no":
        text = "the hostile neither moved nor attacked, so overwatch is not triggered"
    elif more and table.read("overwatch-each-step") == "once-per-action":
        text = "the hostile's action is not over, so overwatch is not triggered yet"
    if not text:
        return ()
    table.find(text)
    return (table.reason(text),)


@rule(
    "overwatch.unable",
    cites=("overwatch/trigger", "overwatch/after-activation", "overwatch/pays-weapon-action"),
    neutral=(),
)
def unable(table: Table, field: Battlefield, explorer_id: str, hostile_id: str) -> tuple[Reason, ...]:
    """Decide whether an explorer cannot react to a hostile that triggers overwatch: every reason, none if it can."""
    explorer = field.explorer(explorer_id)
    name = field.name(explorer)
    if not explorer.activated:
        return (table.reason("{name} has not been activated yet", cites="overwatch/after-activation", name=name),)
    if not (explorer.overwatch or _destiny_dice(table, field, explorer)):
        return (table.reason("{name} has no overwatch dice", cites="overwatch/pays-weapon-action", name=name),)
    if _plans(table, field, explorer_id, hostile_id):
        return ()
    reasons: list[Reason] = []
    for action in field.side(explorer).weapon_actions:
        attack = armoury.plain(action)
        against = attacks.violations(table, field, explorer_id, hostile_id, attack)
        lowest = min(row.cost for row in action.costs)
        text = "no overwatch die of {name} pays for {action} ({cost}+)"
        reasons += against or (
            table.reason(text, cites="overwatch/pays-weapon-action", name=name, action=action.name, cost=lowest),
        )
    every = tuple({reason.text: reason for reason in reasons}.values())
    for reason in every:
        table.find("{name} cannot react: {reason}", cites=reason.cites, name=name, reason=reason)
    return every


@rule("overwatch.declared", cites="overwatch/declare-first", neutral=lambda field, ready: ready)
def declared(table: Table, field: Battlefield, ready: tuple[str, ...]) -> tuple[str, ...]:
    """Decide who reacts: all declare it before anyone acts."""
    reacting = tuple(id_ for id_ in ready if _reacts(table, field, id_))
    table.find("reacting in overwatch: {names}", names=Listing(map(field.name, reacting)) or "nothing")
    return reacting


def _reacts(table: Table, field: Battlefield, id_: str) -> bool:
    name = field.name(id_)
    means = with_labels({"yes": f"{name} reacts", "no": f"{name} does not react"}, "no", unit=name)
    chosen: str = table.choose("explorers", f"{id_}: overwatch", ("yes", "no"), about=field, means=means)
    return chosen == "yes"


@rule("overwatch.leader_order", cites="overwatch/leader-order", neutral=lambda field, explorer_ids: explorer_ids)
def leader_order(table: Table, field: Battlefield, explorer_ids: tuple[str, ...]) -> tuple[str, ...]:
    """Decide the leader order of several explorers: the leader's first, then those of the players to the left in turn.

    Explorers of one player, or of none, stay in the scene's order. That the leader may name the order is the reading
    `leader-order`.
    """
    if len(explorer_ids) < 2:
        return explorer_ids
    left = list(explorer_ids)
    if table.read("leader-order") == "free":
        order = []
        while left:
            order.append(table.choose("leader", "overwatch: next", tuple(left), about=field, means=field.option))
            left.remove(order[-1])
    else:
        scene = field.scene
        first = scene.players.index(scene.leader) if scene.leader is not None else 0
        players = (*scene.players[first:], *scene.players[:first], None)
        order = sorted(left, key=lambda id_: players.index(field.explorer(id_).player))
    table.find("in leader order: {names}", names=Listing(map(field.name, order)))
    return tuple(order)


@rule("overwatch.most_actions", cites="overwatch/one-per-trigger", neutral=8)
def most_actions(table: Table) -> int:
    """Decide how many weapon actions an explorer takes for one trigger: one."""
    table.find("each explorer takes one weapon action per trigger")
    return 1


def _plans(table: Table, field: Battlefield, explorer_id: str, hostile_id: str) -> tuple[_Plan, ...]:
    """List the weapon actions an explorer could take on the hostile and the dice for them, in the card's order."""
    explorer = field.explorer(explorer_id)
    saved = tuple(sorted(set(explorer.overwatch)))
    destiny = tuple(sorted(set(_destiny_dice(table, field, explorer))))
    plans = []
    for action in field.side(explorer).weapon_actions:
        attack = armoury.plain(action)
        if not _open_to(table, field, explorer_id, hostile_id, attack):
            continue
        sheltered = attacks.shelters(table, field, explorer_id, hostile_id, attack)
        for row in action.costs:
            payers = [(die, False) for die in saved if pays(table, die, row.cost)]
            payers += [(die, True) for die in destiny if die >= row.cost]
            for die, from_destiny in payers:
                plans.append(_Plan(action.id, row.cost, die, None, from_destiny))
                spare = explorer.overwatch if from_destiny else payments.without_one(explorer.overwatch, die)
                if spare and sheltered and table.read("overwatch-aimed") == "allowed":
                    plans += (_Plan(action.id, row.cost, die, aim, from_destiny) for aim in sorted(set(spare)))
    return tuple(plans)


def _open_to(table: Table, field: Battlefield, explorer_id: str, hostile_id: str, attack: Attack) -> bool:
    """Say whether the trigger may be attacked; whether it may past an adjacent enemy is `overwatch-adjacent-other`."""
    if attacks.target_visible(table, field, explorer_id, hostile_id):
        return False
    if attacks.in_range(table, field, explorer_id, hostile_id, attack):
        return False
    others_first = attacks.adjacent_first(table, field, explorer_id, hostile_id, attack)
    return not others_first or table.read("overwatch-adjacent-other") == "trigger-wins"


@rule("overwatch.pays", cites="overwatch/pays-weapon-action", neutral=False)
def pays(table: Table, die: int, cost: int) -> bool:
    """Decide whether an overwatch die pays for a weapon action: its value now meets the cost.

    That any overwatch die would do is the reading `overwatch-cost`.
    """
    return die >= cost or table.read("overwatch-cost") == "any"


def _react(
    table: Table, field: Battlefield, explorer_id: str, hostile_id: str, plans: tuple[_Plan, ...]
) -> tuple[Battlefield, Reaction]:
    """Let an explorer take one of the planned weapon actions on the hostile."""
    options = {_option(plan): plan for plan in plans}

    def means(option: str) -> Option:
        return Option(option, _worded(field, explorer_id, options[option]), options[option]._asdict())

    label = f"{explorer_id}: overwatch action"
    plan = options[table.choose("explorers", label, tuple(options), about=field, means=means)]
    field = spent(table, field, explorer_id, plan)
    action = armoury.action_of(field, field.explorer(explorer_id), plan.action)
    bound = bound_to_trigger(table, field, hostile_id, weapon_actions.number_of_attacks(action, plan.cost))
    aimed = plan.aim_die is not None
    field, outcomes = weapon_actions.take_attacks(
        table, field, explorer_id, plan.action, plan.cost, (hostile_id,), aimed, plan.die, False, bound
    )
    return field, Reaction(explorer_id, plan.action, plan.cost, plan.die, plan.aim_die, outcomes)


@rule("overwatch.bound_to_trigger", cites="overwatch/target", neutral=False)
def bound_to_trigger(table: Table, field: Battlefield, hostile_id: str, attacks_made: int) -> bool:
    """Decide whether the weapon action is for the hostile that triggered it and for nobody else.

    That only the first of several attacks has to be is the reading `overwatch-multi-attack`.
    """
    name = field.name(hostile_id)
    table.find("the target of the weapon action is {hostile}, who triggered it", hostile=name)
    return attacks_made == 1 or table.read("overwatch-multi-attack") == "trigger-only"


def _option(plan: _Plan) -> str:
    """Write a plan as an option: "flurry-of-attacks 4+ for 5", or "pistol-and-rapier 1+ for 2, aimed for 3"."""
    die = f"destiny {plan.die}" if plan.destiny else plan.die
    aimed = f", aimed for {plan.aim_die}" if plan.aim_die is not None else ""
    return f"{plan.action} {plan.cost}+ for {die}{aimed}"


def _worded(field: Battlefield, explorer_id: str, plan: _Plan) -> str:
    """Put a plan into words: "Pistol & Rapier (1+) for an overwatch die of 2, aimed with a die of 3"."""
    name = armoury.action_of(field, field.explorer(explorer_id), plan.action).name
    die = f"{'a destiny die' if plan.destiny else 'an overwatch die'} of {plan.die}"
    aimed = f", aimed with a die of {plan.aim_die}" if plan.aim_die is not None else ""
    return f"{name} ({plan.cost}+) for {die}{aimed}"


@rule("overwatch.spent", cites="overwatch/pays-weapon-action", neutral=unchanged)
def spent(table: Table, field: Battlefield, explorer_id: str, plan: _Plan) -> Battlefield:
    """Decide what becomes of the dice that pay for a weapon action in overwatch: they leave the card."""
    explorer = field.explorer(explorer_id)
    dice = explorer.overwatch
    if plan.destiny:
        field = payments.spend_destiny_die(table, field, explorer_id, plan.die)
    else:
        dice = payments.without_one(dice, plan.die)
    if plan.aim_die is not None:
        dice = payments.without_one(dice, plan.aim_die)
    text = "{name} reacts with {plan}; overwatch dice left: {dice}"
    table.find(text, name=field.name(explorer), plan=_worded(field, explorer_id, plan), dice=_join(dice))
    table.event("overwatch", unit=explorer_id, die=plan.die, aim_die=plan.aim_die, destiny=plan.destiny)
    return field.change(field.explorer(explorer_id), overwatch=dice)


@rule("overwatch.too_late", cites="overwatch/slain-discards", neutral=lambda field, explorer_id: (field, None))
def too_late(table: Table, field: Battlefield, explorer_id: str) -> tuple[Battlefield, int | None]:
    """Decide what it costs to have declared a reaction to a hostile that is slain first: one overwatch die."""
    explorer = field.explorer(explorer_id)
    if not explorer.overwatch:
        return field, None
    label = f"{explorer_id}: discarded overwatch die"
    die = payments.choose_die(table, field, label, explorer.overwatch, "the overwatch die of {}")
    table.find(
        "the hostile is already slain, so {name} discards an overwatch die of {die}", name=field.name(explorer), die=die
    )
    table.event("die-lost", unit=explorer_id, kind="overwatch", die=die)
    return field.change(explorer, overwatch=payments.without_one(explorer.overwatch, die)), die


@rule("overwatch.clear", cites="overwatch/cleared", neutral=unchanged)
def clear(table: Table, field: Battlefield) -> Battlefield:
    """Decide what becomes of overwatch dice that are left when the activation phase ends: they are removed."""
    left = tuple(explorer for explorer in field.scene.explorers if explorer.overwatch)
    for explorer in left:
        which = "die" if len(explorer.overwatch) == 1 else "dice"
        text, dice = f"{{name}} loses the overwatch {which} {{dice}}", _join(explorer.overwatch)
        table.find(text, name=field.name(explorer), dice=dice)
        table.event("overwatch-cleared", unit=explorer.id, dice=explorer.overwatch)
        field = field.change(explorer, overwatch=())
    return field


def _join(things: tuple[object, ...]) -> Listing | str:
    return Listing(things) or "nothing"
