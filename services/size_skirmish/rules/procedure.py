"""The procedure: how every action is announced, answered by reactions, checked and carried out.

Follows "Action Phase Procedure" step by step. The lists for movements, for melee and for shooting begin with the same
steps, so what is found here cites them as well. Nobody else puts markers, takes casualties off or tests morale.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from arbiter.facts import FactNeeded
from arbiter.rule import Forbidden, Reason, rule
from arbiter.skirmish.cases import forbid
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Listing, Series
from arbiter.value import Value
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, Actions, Done, Violations, undone
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.book import Movement
from services.size_skirmish.rules import (
    action_table,
    harm,
    interrupted,
    leaving,
    markers,
    melee,
    morale,
    ranges,
    reactions,
    rounds,
    shooting,
)

Outcomes = tuple[ActionOutcome, ...]

ANNOUNCED: Final = ("procedure/announced", "move/announced", "melee/announced", "ranged/announced")
REACTIONS_ANNOUNCED: Final = (
    "procedure/reactions-announced",
    "move/reactions-announced",
    "melee/reactions-announced",
    "ranged/reactions-announced",
)
REACTIONS_CARRIED_OUT: Final = (
    "procedure/reactions-carried-out",
    "move/reactions-carried-out",
    "melee/reactions-performed",
    "ranged/reactions-carried-out",
)
CARRIED_OUT: Final = ("procedure/action-carried-out", "move/carried-out")
"""The units of the steps: that of the procedure, and those of the chapters that name the step, too."""


class ProcedureOutcome(Value, frozen=True, cache_hash=True):
    """How an action went, and its reactions in the order in which they were carried out."""

    outcome: ActionOutcome
    reactions: Outcomes = ()


class Progress(Value, frozen=True):
    """The state of an action after its reactions.

    `back` are the models whose strikes wait for the exchange of blows; `tested` is the battlefield up to which all
    lost hit points have had their morale tests.
    """

    field: Battlefield
    tested: Battlefield
    back: tuple[str, ...] = ()
    outcomes: Outcomes = ()


def carry_out(
    table: Table, field: Battlefield, action: Action, posted: Actions | None = None
) -> tuple[Battlefield, ProcedureOutcome]:
    """Carry out an action with its reactions, those posted or else chosen; `Forbidden` if it may not be announced."""
    if table.facts is not None:
        table.facts.begin(field)
    early = _check_announcement(table, field, action, posted)
    tested = field.unit(action.model).fleeing is not None
    field, activation = table.call(morale.activated, field, action.model)
    if activation == "spent":
        field = markers.marked(table, field, action.model, ())
        return field, ProcedureOutcome(ActionOutcome(action, spent(table, field, action)))
    if activation == "flees":
        # Reactions posted to another action do not answer a flight; an empty list still does.
        posted, early = posted if action.movement == "flee" else (posted and None), ()
        action = Action(action.model, "move", "flee")
    elif tested and action.movement == "flee" and (unneeded := action_table.violations(table, field, action)):
        return field, ProcedureOutcome(ActionOutcome(action, unneeded))
    announced(table, field, action)
    if violations := _reaction_violations(table, field, action, posted):
        raise Forbidden(*violations)
    answers = reactions_announced(table, field, action, posted)
    field = markers.marked(table, field, action.model, tuple(reaction.model for reaction in answers))
    distance = ranges.determined(table, field, action)
    progress = reactions_carried_out(table, field, action, answers)
    context = ActionContext(distance, None, progress.back)
    progress = replace(progress, field=interrupted.marker_back(table, field, progress.field, action))
    checked = progress.field
    if progress.back:
        # Strikes that wait for an exchange of blows which does not come about are reactions like all others.
        with table.without_findings():
            stopped = _violations(table, field, checked, action, context, early)
        if stopped:
            progress = _carry_out_waiting_strikes(table, progress, action, answers)
    violations = _violations(table, field, checked, action, context, early)
    if violations and not answers and not tested and (early or not _moves(action)):
        raise Forbidden(*violations)
    return table.call(_carry_out_action, progress, action, context, violations)


def _violations(
    table: Table, before: Battlefield, field: Battlefield, action: Action, context: ActionContext, early: Violations
) -> Violations:
    """Return what stops an action even in part; `early` are violations of a movement before the reactions."""
    if violations := interrupted.lost(table, before, field, action):
        return violations
    violations = action_checked(table, field, action, context)
    return () if violations and _moves(action) and not early and as_far(table, field, action) else violations


def _carry_out_action(
    table: Table, progress: Progress, action: Action, context: ActionContext, violations: Violations
) -> tuple[Battlefield, ProcedureOutcome]:
    """Carry out the action unless it has violations, with its casualties and the remaining morale tests."""
    field, outcome = progress.field, ActionOutcome(action, violations, context.distance)
    if not violations:
        field, outcome = table.call(action_carried_out, field, action, context)
    struck = [blow.by for blow in outcome.blows]
    outcomes = tuple(
        in_vain(table, field, each) if each.action.model in progress.back and each.action.model not in struck else each
        for each in progress.outcomes
    )
    field = harm.casualties(table, field)
    outcome = _with_result(table, field, outcome)
    result, every = ProcedureOutcome(outcome, outcomes), (*outcomes, outcome)
    return table.conclude(lambda left: (left, result), morale.after, progress.tested, field, every)


def _with_result(table: Table, field: Battlefield, outcome: ActionOutcome) -> ActionOutcome:
    """Return an outcome with the result of its combat, which comes after the casualties."""
    kinds = {blow.kind for blow in outcome.blows}
    if "melee" in kinds:
        return replace(outcome, losers=melee.result(table, field, outcome.blows))
    return replace(outcome, losers=shooting.result(table, field, outcome.blows)) if "ranged" in kinds else outcome


def _check_announcement(table: Table, field: Battlefield, action: Action, posted: Actions | None) -> Violations:
    """Refuse a forbidden announcement; return the violations of a move that goes on all the same.

    Reactions have their turn after it; only where the model has to test first, they are refused before any die falls.
    """
    forbid(
        selected(table, field, action),
        action_table.npc_actions(table, field, action),
        leaving.way_named(table, field, action),
    )
    steady = field if action.movement == "flee" else field.changed(action.model, fleeing=None)
    with table.without_findings():
        early = table.call(action_table.violations, steady, action) if _moves(action) else ()
        tests = field.unit(action.model).fleeing is not None
        refused = _reaction_violations(table, field, action, posted) if tests else ()
    if refused:
        raise Forbidden(*refused)
    if early and table.read("move-checked") == "before-reactions":
        raise Forbidden(*early)
    return early


@violations_rule("procedure.selected", cites="procedure/selected")
def selected(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide whether the active player may choose a model for an action: an own one that has not acted."""
    model, scene = field.unit(action.model), field.scene
    name, side = field.name(model.id), scene.turn
    if scene.phase != ("action" if model.npc is None else "npc"):
        kind, phase = "Models of players" if model.npc is None else "NPCs", rounds.spoken(scene.phase)
        text, cites = "{kind} do not act in the {phase} phase", ("round/steps", "round/npcs-act")
        yield table.reason(text, cites=cites, kind=kind, phase=phase)
    elif model.npc is None and side not in (None, model.side):
        yield table.reason("It is the turn of {side}, and {name} belongs to another side", side=side, name=name)
    elif violations := markers.one_action(table, field, action.model):
        yield from violations
    else:
        player = reactions.active(table, field, action) or "The scenario"
        table.find("{side} chooses {name} for an action", side=player, name=name)


@rule("procedure.announced", cites=ANNOUNCED, neutral=None)
def announced(table: Table, field: Battlefield, action: Action) -> None:
    """Decide what is announced: the action, before any reaction."""
    _tell(table, field, action, "announces", ANNOUNCED)
    table.event("announced", model=action.model, action=action.action, movement=action.movement, target=action.target)


@every_reason
def _reaction_violations(table: Table, field: Battlefield, action: Action, posted: Actions | None) -> Iterator[Reason]:
    """Return every violation of announcing posted reactions to an action."""
    for reaction in posted or ():
        try:
            yield from reactions.violations(table, field, action, reaction.model)
        except FactNeeded:
            # Of a reaction that may not be announced anyhow nobody is asked anything.
            with table.without_findings():
                if not _not_announced(table, field, reaction):
                    raise
        yield from _not_announced(table, field, reaction)


@every_reason
def _not_announced(table: Table, field: Battlefield, reaction: Action) -> Iterator[Reason]:
    """Return every violation of announcing a reaction, whatever it answers."""
    yield from reactions.simple(table, field, reaction)
    yield from action_table.npc_actions(table, field, reaction)
    yield from leaving.way_named(table, field, reaction)


@rule("procedure.reactions_announced", cites=REACTIONS_ANNOUNCED, neutral=())
def reactions_announced(table: Table, field: Battlefield, action: Action, posted: Actions | None) -> Actions:
    """Decide the reactions to an action, in order: those posted, or those the players announce."""
    result = reactions.announced(table, field, action) if posted is None else posted
    names = Listing(f"{field.name(each.model)}: {action_table.row(field, each).name}" for each in result)
    cites = _cites(field, action, REACTIONS_ANNOUNCED)
    models = field.names(each.model for each in result)
    table.find("Reactions announced: {listed}", cites=cites, listed=names or "none", models=models)
    for each in result:
        table.event("reaction_announced", model=each.model, action=each.action, movement=each.movement, to=action.model)
    return result


@rule("procedure.reactions_checked", cites="procedure/reactions-checked", neutral=())
def reactions_checked(
    table: Table, field: Battlefield, action: Action, reaction: Action, first: Violations | None
) -> Violations:
    """Decide whether an announced reaction can be carried out now.

    `first` are its violations before the first reaction, None for the first itself. Whether they count instead of those
    of now is the reading `reactions-checked`; a movement that was possible then goes as far as it can.
    """
    name = field.name(reaction.model)
    if not in_play(field.unit(reaction.model)):
        return (table.reason("{name} is no longer in play", name=name),)
    violations = action_table.violations(table, field, reaction, ActionContext(answering=action.model))
    if first is not None:
        together = first or (() if _moves(reaction) else violations)
        if bool(together) != bool(violations) and table.read("reactions-checked") == "together":
            violations = together
    text = "The reaction of {name} has no effect: {why}" if violations else "The reaction of {name} is possible"
    table.find(text, name=name, why=Series(violations))
    return violations


@rule(
    "procedure.reactions_carried_out",
    cites=REACTIONS_CARRIED_OUT,
    neutral=lambda field, action, answers: Progress(field, field),
)
def reactions_carried_out(table: Table, field: Battlefield, action: Action, answers: Actions) -> Progress:
    """Decide what the reactions do, one by one, before the action is carried out."""
    progress = Progress(field, field)
    cites, context = _cites(field, action, REACTIONS_CARRIED_OUT), ActionContext(answering=action.model)
    with table.without_findings():
        first = [action_table.violations(table, field, each, context) for each in answers[1:]]
    for reaction, violations in zip(answers, (None, *first), strict=False):
        name = field.name(reaction.model)
        if reaction.action == "strike" and melee.joins(table, progress.field, action, reaction):
            table.find("{name} strikes in the exchange of blows, if there is one", cites=cites, name=name)
            outcomes = (*progress.outcomes, ActionOutcome(reaction))
            progress = replace(progress, back=(*progress.back, reaction.model), outcomes=outcomes)
            continue
        if stopped := reactions_checked(table, progress.field, action, reaction, violations):
            progress = replace(progress, outcomes=(*progress.outcomes, ActionOutcome(reaction, stopped)))
            continue
        table.find("The reaction of {name} comes before the action", cites=cites, name=name)
        progress = table.call(_carry_out_reaction, progress, action, reaction)
    return progress


def _carry_out_reaction(table: Table, progress: Progress, action: Action, reaction: Action) -> Progress:
    """Carry out one possible reaction, with its casualties and the morale tests due at once."""
    context = ActionContext(ranges.determined(table, progress.field, reaction), action.model)
    field, outcome = table.call(action_table.done, progress.field, reaction, context)
    sparing = interrupted.spared(table, field, action)
    field = harm.casualties(table, field, sparing)
    outcome = _with_result(table, field, outcome)
    outcomes = (*progress.outcomes, outcome)
    hurt = any(model.hit_points_lost > progress.field.unit(model.id).hit_points_lost for model in field.units)
    # Who acts without hit points is a casualty in the end, and has no test to make.
    if not hurt or sparing or interrupted.waits(table, field, action):
        return replace(progress, field=field, outcomes=outcomes)
    field = table.call(morale.after, progress.field, field, (outcome,))
    return replace(progress, field=field, tested=field, outcomes=outcomes)


def _carry_out_waiting_strikes(table: Table, progress: Progress, action: Action, answers: Actions) -> Progress:
    """Carry out the waiting strikes when there is no exchange of blows."""
    for reaction in answers:
        if reaction.model in progress.back:
            outcomes = progress.outcomes
            if stopped := reactions_checked(table, progress.field, action, reaction, None):
                made = ActionOutcome(reaction, stopped)
            else:
                progress = table.call(_carry_out_reaction, replace(progress, outcomes=()), action, reaction)
                (made,) = progress.outcomes
            outcomes = tuple(made if outcome.action == reaction else outcome for outcome in outcomes)
            progress = replace(progress, outcomes=outcomes)
    return replace(progress, back=())


@rule("procedure.in_vain", cites="procedure/reactions-checked", neutral=lambda field, outcome: outcome)
def in_vain(table: Table, field: Battlefield, outcome: ActionOutcome) -> ActionOutcome:
    """Decide what becomes of a strike that waited for the exchange of blows and was not made: it has no effect."""
    name = field.name(outcome.action.model)
    table.find("The reaction of {name} has no effect", name=name)
    return ActionOutcome(outcome.action, (table.reason("{name} cannot strike in the exchange of blows", name=name),))


@rule("procedure.action_checked", cites="procedure/action-checked", neutral=())
def action_checked(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Violations:
    """Decide whether the action can be carried out after the reactions."""
    violations = table.call(action_table.violations, field, action, context)
    text = "The action of {name} is not possible: {why}" if violations else "The action of {name} is possible"
    table.find(text, name=field.name(action.model), why=Series(violations))
    return violations


@rule("procedure.as_far", cites="reactions/as-far-as-possible", neutral=False)
def as_far(table: Table, field: Battlefield, action: Action) -> bool:
    """Decide whether a movement that a reaction blocks goes on as far as it can."""
    goes_on = table.read("move-checked") == "before-reactions"
    if goes_on:
        table.find("{name} moves as far as possible", name=field.name(action.model))
    return goes_on


@rule("procedure.action_carried_out", cites=CARRIED_OUT, neutral=undone)
def action_carried_out(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what the action does, now that the reactions are over."""
    _tell(table, field, action, "carries out", CARRIED_OUT)
    return action_table.done(table, field, action, context)


@violations_rule("procedure.spent", cites="morale/fleeing-activated")
def spent(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide why a model does nothing more after a passed test: the test was its action."""
    yield table.reason("The morale test was the action of {name}", name=field.name(action.model))


def _moves(action: Action) -> bool:
    return action.action == "move"


def _tell(table: Table, field: Battlefield, action: Action, does: str, units: tuple[str, ...]) -> None:
    cites, what = _cites(field, action, units), action_table.row(field, action).name
    table.find(f"{{name}} {does} {{action}}", cites=cites, action=what, name=field.name(action.model))


def _cites(field: Battlefield, action: Action, units: tuple[str, ...]) -> tuple[str, ...]:
    """Return the units of a step that are about this action."""
    entry = action_table.row(field, action)
    combat = entry.then if isinstance(entry, Movement) else action.action
    chapters = {"procedure", "move" if _moves(action) else "", {"strike": "melee", "shoot": "ranged"}.get(combat or "")}
    return tuple(unit for unit in units if unit.partition("/")[0] in chapters)
