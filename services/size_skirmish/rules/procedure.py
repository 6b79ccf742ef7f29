"""The procedure: how every action is announced, answered by reactions, checked and carried out.

Follows "Action Phase Procedure" step by step. The lists for movements, for melee and for shooting begin with the same
steps, so what is found here cites them as well. Nobody else puts markers, takes casualties off or tests morale.
"""

from typing import Final

from msgspec.structs import replace

from arbiter.rule import Forbidden, Reason, rule
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.actions import Announced, Deed, Did, Run
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.book import Movement
from services.size_skirmish.rules import doing, harm, markers, melee, morale, ranges, reactions
from services.size_skirmish.scene import NPC

Refused = tuple[Reason, ...]
Deeds = tuple[Deed, ...]
Dids = tuple[Did, ...]

ANNOUNCED: Final = {"move": "move/announced", "melee": "melee/announced", "ranged": "ranged/announced"}
REACTIONS_ANNOUNCED: Final = {
    "move": "move/reactions-announced",
    "melee": "melee/reactions-announced",
    "ranged": "ranged/reactions-announced",
}
REACTIONS_CARRIED_OUT: Final = {
    "move": "move/reactions-carried-out",
    "melee": "melee/reactions-performed",
    "ranged": "ranged/reactions-carried-out",
}
CARRIED_OUT: Final = {"move": "move/carried-out"}
"""Where the lists of single chapters name a step of the procedure."""


class Carried(Value, frozen=True, cache_hash=True):
    """What came of an action, and of the reactions to it in the order in which they were carried out."""

    did: Did
    reactions: Dids = ()


class Going(Value, frozen=True):
    """How things stand when the reactions are over.

    `back` are those whose strikes are held back for the exchange of blows; `tested` is the battlefield up to which all
    lost hit points have had their morale tests.
    """

    field: Battlefield
    tested: Battlefield
    back: tuple[str, ...] = ()
    dids: Dids = ()


def carried(table: Table, field: Battlefield, announcing: Announced) -> tuple[Battlefield, Carried]:
    """Carry an action out with all that is announced against it; raises `Forbidden` where it may not be announced."""
    deed, posted = announcing.deed, announcing.reactions
    early = _refuse(table, field, announcing)
    tested = field.model(deed.model).fleeing is not None
    field, activation = table.call(morale.activated, field, deed.model)
    if activation == "spent":
        return markers.marked(table, field, deed.model, ()), Carried(Did(deed, spent(table, field, deed)))
    if activation == "flees":
        # What was posted in answer to another deed is no answer to a flight; that there is none still holds.
        posted, early = posted if deed.movement == "flee" else (posted and None), ()
        deed = Deed(deed.model, "move", "flee")
    elif tested and deed.movement == "flee" and (unneeded := doing.reasons(table, field, deed, Run())):
        return field, Carried(Did(deed, unneeded))
    announced(table, field, deed)
    answers = reactions_announced(table, field, deed, posted)
    field = markers.marked(table, field, deed.model, tuple(reaction.model for reaction in answers))
    distance = ranges.determined(table, field, deed)
    going = reactions_carried_out(table, field, deed, answers)
    run = Run(distance, None, going.back)
    reasons = lost(table, field, going.field, deed) or _checked(table, going.field, deed, run, early)
    if reasons and not answers and not tested and (early or not _moves(deed)):
        raise Forbidden(*reasons)
    if reasons:
        going = _released(table, going, deed, answers)
    return _acted(table, going, deed, run, reasons)


def _checked(table: Table, field: Battlefield, deed: Deed, run: Run, early: Refused) -> Refused:
    """Give what keeps an action from being carried out, even in part; `early` was against a movement from the first."""
    reasons = action_checked(table, field, deed, run)
    return () if reasons and _moves(deed) and not early and as_far(table, field, deed) else reasons


def _acted(table: Table, going: Going, deed: Deed, run: Run, reasons: Refused) -> tuple[Battlefield, Carried]:
    """Carry the action out where nothing keeps it from that, with its casualties and the morale tests that are left."""
    field, did = going.field, Did(deed, reasons, run.distance)
    if not reasons:
        field, did = table.call(action_carried_out, field, deed, run)
    struck = [blow.by for blow in did.blows]
    dids = tuple(
        in_vain(table, field, each) if each.deed.model in going.back and each.deed.model not in struck else each
        for each in going.dids
    )
    field = harm.casualties(table, field)
    return table.call(morale.after, going.tested, field, (*dids, did)), Carried(did, dids)


def _refuse(table: Table, field: Battlefield, announcing: Announced) -> Refused:
    """Refuse what may not be announced, the posted reactions with it; give what is against a move that goes on."""
    deed = announcing.deed
    refused = (*selected(table, field, deed), *doing.npc_actions(table, field, deed))
    if refused:
        raise Forbidden(*refused)
    refused = tuple(
        reason for reaction in announcing.reactions or () for reason in reaction_refused(table, field, deed, reaction)
    )
    if refused:
        raise Forbidden(*refused)
    steady = field if deed.movement == "flee" else field.changed(deed.model, fleeing=None)
    with table.without_findings():
        early = table.call(doing.reasons, steady, deed, Run()) if _moves(deed) else ()
    if early and table.read("move-checked") == "before-reactions":
        raise Forbidden(*early)
    return early


# The steps


@rule("procedure.selected", cites="procedure/selected", neutral=())
def selected(table: Table, field: Battlefield, deed: Deed) -> Refused:
    """Decide whether the active player may pick a model for an action: one of his own that has not had it."""
    model, scene = field.model(deed.model), field.scene
    name, side = field.name(model.id), scene.turn
    if scene.phase != ("action" if model.npc is None else "npc"):
        kind = "models of players" if model.npc is None else "NPCs"
        cites = ("round/steps", "round/npcs-act")
        return (table.reason("{kind} do not act in the phase {phase}", cites=cites, kind=kind, phase=scene.phase),)
    if model.npc is None and side not in (None, model.side):
        return (table.reason("it is the turn of {side}, to whom {name} does not belong", side=side, name=name),)
    refused = markers.one_action(table, field, deed.model)
    if not refused:
        table.find("{side} picks {name} for an action", side=_player(field, deed), name=name)
    return refused


@rule("procedure.announced", cites=("procedure/announced", *ANNOUNCED.values()), neutral=None)
def announced(table: Table, field: Battlefield, deed: Deed) -> None:
    """Decide what is announced: the action, before anybody reacts."""
    cites = _cites(field, deed, "procedure/announced", ANNOUNCED)
    table.find(
        "{action} is announced for {name}", cites=cites, action=doing.row(field, deed).name,
        name=field.name(deed.model),
    )  # fmt: skip
    table.event("announced", model=deed.model, action=deed.action, movement=deed.movement, target=deed.target)


def reaction_refused(table: Table, field: Battlefield, deed: Deed, reaction: Deed) -> Refused:
    """Give all that the book has against announcing a reaction to a deed."""
    return (
        *reactions.barred(table, field, deed, reaction.model),
        *reactions.simple(table, field, reaction),
        *doing.npc_actions(table, field, reaction),
    )


@rule(
    "procedure.reactions_announced",
    cites=("procedure/reactions-announced", *REACTIONS_ANNOUNCED.values()),
    neutral=(),
)
def reactions_announced(table: Table, field: Battlefield, deed: Deed, posted: Deeds | None) -> Deeds:
    """Decide which reactions there are to an action, in order: those that are posted, or that the players announce."""
    found = reactions.announced(table, field, deed) if posted is None else posted
    listed = ", ".join(f"{field.name(each.model)}: {doing.row(field, each).name}" for each in found)
    cites = _cites(field, deed, "procedure/reactions-announced", REACTIONS_ANNOUNCED)
    table.find("the reactions announced are {listed}", cites=cites, listed=listed or "none")
    for each in found:
        table.event("reaction_announced", model=each.model, action=each.action, movement=each.movement, to=deed.model)
    return found


@rule("procedure.reactions_checked", cites="procedure/reactions-checked", neutral=())
def reactions_checked(table: Table, field: Battlefield, deed: Deed, reaction: Deed) -> Refused:
    """Decide whether a reaction that was announced can be carried out, as things stand now."""
    name = field.name(reaction.model)
    if not in_play(field.model(reaction.model)):
        return (table.reason("{name} is not in play any more", name=name),)
    reasons = doing.reasons(table, field, reaction, Run(answering=deed.model))
    text = "the reaction of {name} is announced in vain" if reasons else "the reaction of {name} can be made"
    table.find(text, name=name, reasons=[reason.text for reason in reasons])
    return reasons


@rule(
    "procedure.reactions_carried_out",
    cites=("procedure/reactions-carried-out", *REACTIONS_CARRIED_OUT.values()),
    neutral=lambda field, deed, answers: Going(field, field),
)
def reactions_carried_out(table: Table, field: Battlefield, deed: Deed, answers: Deeds) -> Going:
    """Decide what the reactions do, one after the other, before the action is carried out."""
    going = Going(field, field)
    cites = _cites(field, deed, "procedure/reactions-carried-out", REACTIONS_CARRIED_OUT)
    for reaction in answers:
        name = field.name(reaction.model)
        if reaction.action == "strike" and melee.joins(table, going.field, deed, reaction):
            table.find("{name} strikes in the exchange of blows", cites=cites, name=name)
            going = replace(going, back=(*going.back, reaction.model), dids=(*going.dids, Did(reaction)))
            continue
        table.find("the reaction of {name} is carried out before the action", cites=cites, name=name)
        going = table.call(_reacted, going, deed, reaction)
    return going


def _reacted(table: Table, going: Going, deed: Deed, reaction: Deed) -> Going:
    """Carry out one reaction, with its casualties and the morale tests that do not wait."""
    if reasons := reactions_checked(table, going.field, deed, reaction):
        return replace(going, dids=(*going.dids, Did(reaction, reasons)))
    run = Run(ranges.determined(table, going.field, reaction), deed.model)
    field, did = table.call(doing.done, going.field, reaction, run)
    sparing = spared(table, field, deed)
    field = harm.casualties(table, field, sparing)
    dids = (*going.dids, did)
    # Who acts without hit points is a casualty in the end, and has no test to make.
    if not _hurt(going.field, field) or sparing or waits(table, field, deed):
        return replace(going, field=field, dids=dids)
    field = table.call(morale.after, going.field, field, (did,))
    return replace(going, field=field, tested=field, dids=dids)


def _released(table: Table, going: Going, deed: Deed, answers: Deeds) -> Going:
    """Carry out the strikes that were held back, now that there is no exchange of blows."""
    for reaction in answers:
        if reaction.model in going.back:
            dids = going.dids
            going = table.call(_reacted, replace(going, dids=()), deed, reaction)
            (made,) = going.dids
            going = replace(going, dids=tuple(made if did.deed == reaction else did for did in dids))
    return replace(going, back=())


@rule("procedure.in_vain", cites="procedure/reactions-checked", neutral=lambda field, did: did)
def in_vain(table: Table, field: Battlefield, did: Did) -> Did:
    """Decide what became of a strike that was held back for the exchange of blows, and was not made: nothing."""
    name = field.name(did.deed.model)
    table.find("the reaction of {name} is announced in vain", name=name)
    return Did(did.deed, (table.reason("{name} could strike no blow in the exchange", name=name),))


@rule(
    "procedure.waits",
    cites=("melee/result", "ranged/result"),
    neutral=False,
)
def waits(table: Table, field: Battlefield, deed: Deed) -> bool:
    """Decide whether tests for losses by a reaction wait for the result of the combat that the action is.

    A reaction has its own last step, and its tests with it; strikes that are held back have that of the exchange.
    """
    found = doing.fights(field, deed) and table.read("morale-when") == "action"
    if found:
        table.find("morale is tested when the result of the action is determined")
    return found


@rule(
    "procedure.spared",
    cites=("melee/without-hit-points", "ranged/without-hit-points"),
    neutral=(),
)
def spared(table: Table, field: Battlefield, deed: Deed) -> tuple[str, ...]:
    """Decide who stays on the table for the time being: who is to strike or shoot, even without hit points."""
    model = field.model(deed.model)
    if not in_play(model) or field.hit_points(model) or not doing.fights(field, deed):
        return ()
    if table.read("killed-by-reaction") == "lost":
        return ()
    table.find("{name} has no hit points left, and acts all the same", name=field.name(model.id))
    return (deed.model,)


def _gone(before: Battlefield, field: Battlefield, deed: Deed) -> Refused:
    """Give why a model that is not there does nothing, whatever the book says."""
    why = Reason("procedure.lost", f"{field.name(deed.model)} is not in play any more", ("procedure/action-checked",))
    return () if in_play(field.model(deed.model)) else (why,)


@rule("procedure.lost", cites="procedure/action-checked", neutral=_gone)
def lost(table: Table, before: Battlefield, field: Battlefield, deed: Deed) -> Refused:
    """Decide whether a reaction has cost a model its action: it is out, or by a reading it flees now."""
    model, name = field.model(deed.model), field.name(deed.model)
    if gone := _gone(before, field, deed):
        table.find("the action of {name} is lost with it", name=name)
        return gone
    fled = model.fleeing is not None and before.model(deed.model).fleeing is None
    if fled and table.read("flight-by-reaction") == "lost":
        table.find("{name} flees, and loses its action", cites="morale/flight", name=name)
        return (table.reason("{name} flees, which takes the place of the action", cites="morale/flight", name=name),)
    return ()


@rule("procedure.action_checked", cites="procedure/action-checked", neutral=())
def action_checked(table: Table, field: Battlefield, deed: Deed, run: Run) -> Refused:
    """Decide whether the action can be carried out as things stand after the reactions."""
    reasons = table.call(doing.reasons, field, deed, run)
    text = "the action of {name} is checked: it is {found}"
    found = "not possible" if reasons else "possible"
    table.find(text, name=field.name(deed.model), found=found, reasons=[reason.text for reason in reasons])
    return reasons


@rule("procedure.as_far", cites="reactions/as-far-as-possible", neutral=False)
def as_far(table: Table, field: Battlefield, deed: Deed) -> bool:
    """Decide whether a movement goes on that a reaction stands in the way of: as far as it can."""
    found = table.read("move-checked") == "before-reactions"
    if found:
        table.find("the movement of {name} is carried out as far as possible", name=field.name(deed.model))
    return found


@rule(
    "procedure.action_carried_out",
    cites=("procedure/action-carried-out", *CARRIED_OUT.values()),
    neutral=lambda field, deed, run: (field, Did(deed)),
)
def action_carried_out(table: Table, field: Battlefield, deed: Deed, run: Run) -> tuple[Battlefield, Did]:
    """Decide what the action does, now that the reactions are over."""
    cites = _cites(field, deed, "procedure/action-carried-out", CARRIED_OUT)
    table.find(
        "{action} of {name} is carried out", cites=cites, action=doing.row(field, deed).name,
        name=field.name(deed.model),
    )  # fmt: skip
    return doing.done(table, field, deed, run)


@rule("procedure.spent", cites="morale/fleeing-activated", neutral=())
def spent(table: Table, field: Battlefield, deed: Deed) -> Refused:
    """Decide why a model does nothing more that has passed its test: the test was its action."""
    return (table.reason("the morale test was the action of {name}", name=field.name(deed.model)),)


def _hurt(before: Battlefield, field: Battlefield) -> bool:
    return any(model.hit_points_lost > before.model(model.id).hit_points_lost for model in field.models)


def _moves(deed: Deed) -> bool:
    return deed.action == "move"


def _player(field: Battlefield, deed: Deed) -> str:
    return reactions.active(field, deed) or NPC


def _cites(field: Battlefield, deed: Deed, step: str, lists: dict[str, str]) -> tuple[str, ...]:
    """Give the units of a step: that of the procedure, and those of the lists that the deed goes by."""
    of = doing.row(field, deed)
    combat = of.then if isinstance(of, Movement) else deed.action
    kinds = (
        *(("move",) if _moves(deed) else ()),
        *(("melee",) if combat == "strike" else ()),
        *(("ranged",) if combat == "shoot" else ()),
    )
    return (step, *(lists[kind] for kind in kinds if kind in lists))
