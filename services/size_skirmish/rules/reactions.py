"""Reactions: who may react to an action, with what, and in which order.

Follows the sentences below "Action Types" and step 3 of the procedure. The passive players are those of all sides but
that of the one who acts; with an NPC acts the player who moves it, or else its scenario.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from msgspec.structs import asdict

from arbiter.candidates import Candidates
from arbiter.option import Option
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import beside, violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.size_skirmish.actions import Action, ActionContext, Violations
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.geometry import ways
from services.size_skirmish.rules import action_table, markers, melee, npc, push, view
from services.size_skirmish.scene import NPC, Model

NONE = "none"
"""The option of a model that does not react, and of a player who moves no more NPCs."""

FAR: Final = Reason("reactions.announced", "The model that acts is out of reach", ("procedure/reactions-announced",))
"""The reason against a blow at a model that it surely does not reach, told to nobody."""


NPC_REACTS_BY: Final = ("npc-reacts-by", ("passive-player", "scenario"))


def violations(table: Table, field: Battlefield, action: Action, reactor: str) -> Violations:
    """Return every violation of any reaction of a model to an action."""
    if found := passive(table, field, action, reactor):
        return found
    unfit = (*in_retreat(table, field, action, reactor), *markers.may_react(table, field, reactor))
    return (*unfit, *beside(unfit, lambda: sees(table, field, action, reactor), ()))


def _ready(table: Table, field: Battlefield, action: Action, reactor: str) -> bool:
    """Return whether a model may react if it sees what it reacts to."""
    if reactor == action.model:
        return False
    with table.without_findings():
        unfit = passive(table, field, action, reactor) or in_retreat(table, field, action, reactor)
        return not (unfit or markers.may_react(table, field, reactor))


@violations_rule("reactions.passive", cites="procedure/reactions-announced")
def passive(table: Table, field: Battlefield, action: Action, reactor: str) -> Iterator[Reason]:
    """Decide whether a model belongs to a passive player: in play, not on the acting side, and not a plain NPC."""
    model = field.unit(reactor)
    if not in_play(model):
        yield table.reason("{name} is not in play", name=field.name(reactor))
    elif model.npc is not None:
        if reactor == action.model or not npcs_react(table, field, reactor):
            text, cites = "{name} is an NPC that does not react", "reactions/scenario-npcs"
            yield table.reason(text, cites=cites, name=field.name(reactor))
    elif field.unit(action.model).npc is not None and not in_npc_phase(table, field):
        yield table.reason("Nobody may react to NPCs", cites="npc/reactions")
    elif model.side == active(table, field, action):
        yield table.reason("{name} is on the acting side", name=field.name(reactor))


@rule("reactions.npcs_react", cites="reactions/scenario-npcs", neutral=False)
def npcs_react(table: Table, field: Battlefield, reactor: str) -> bool:
    """Decide whether an NPC may react: scenario NPCs may, in the action phase."""
    kind = field.unit(reactor).npc
    may = kind is not None and field.book.npcs[kind].reacts and field.scene.phase == "action"
    if may:
        table.find("{name} is a scenario NPC and may react", name=field.name(reactor))
    return may


@rule("reactions.in_npc_phase", cites="npc/reactions", neutral=False)
def in_npc_phase(table: Table, field: Battlefield) -> bool:
    """Decide whether models may react to NPCs: they may."""
    table.find("Models may react to NPCs")
    return True


@violations_rule("reactions.in_retreat", cites=("procedure/not-in-retreat", "morale/fleeing-no-reaction"))
def in_retreat(table: Table, field: Battlefield, action: Action, reactor: str) -> Iterator[Reason]:
    """Decide whether a flight prevents a reaction: the model's own, or by a reading the one it would react to."""
    if field.unit(reactor).fleeing is not None:
        yield table.reason("{name} is fleeing", name=field.name(reactor))
    elif action.movement == "flee" and table.read("reactions-and-flight") == "to-it-too":
        text, cites = "Nobody may react to the flight of {name}", "morale/fleeing-no-reaction"
        yield table.reason(text, cites=cites, name=field.name(action.model))


@violations_rule("reactions.sees", cites="procedure/line-of-sight")
def sees(table: Table, field: Battlefield, action: Action, reactor: str) -> Iterator[Reason]:
    """Decide whether a model has the line of sight that a reaction needs.

    To whom is the reading `reaction-sees`, and whether its field of view counts is `sight-front`.
    """
    name, actor, target = field.name(reactor), field.name(action.model), action.target or reactor
    if _seen(table, field, reactor, action.model):
        table.find("{name} has a line of sight to {actor}", name=name, actor=actor)
        return
    other = target != reactor and in_play(field.unit(target)) and _seen(table, field, reactor, target)
    if other and table.read("reaction-sees") == "actor-or-target":
        table.find("{name} has a line of sight to {target}", name=name, target=field.name(target))
    else:
        yield table.reason("{name} does not see {actor}", name=name, actor=actor)


def _seen(table: Table, field: Battlefield, reactor: str, other: str) -> bool:
    return view.free(table, field, reactor, other) and view.faced(table, field, reactor, other)


@violations_rule("reactions.simple", cites="reactions/simple")
def simple(table: Table, field: Battlefield, reaction: Action) -> Iterator[Reason]:
    """Decide whether an action can be a reaction: every simple one can."""
    entry = action_table.row(field, reaction)
    if entry.reaction:
        table.find("{action} is simple and may be a reaction", action=entry.name)
    else:
        yield table.reason("{action} is complex and cannot be a reaction", action=entry.name)


class Possible:
    """The reactions with which a model that is ready could answer an action now, each looked at when it is asked for.

    They come into question in the order of the table of actions, need no place to be named, and are aimed at the model
    that acts; what else there is can be posted.
    """

    def __init__(self, table: Table, field: Battlefield, action: Action, reactor: str) -> None:
        self.table, self.field, self.action, self.reactor = table, field, action, reactor
        self.named: dict[str, Action] = {}

    def names(self, *before: str) -> Candidates[str]:
        """Return the names of the possible reactions, after some other options."""
        return Candidates(chain(before, self._listed()), lambda name: name in before or self._is_open(name))

    def by_scenario(self, reacts_by: str) -> bool:
        """Return whether the scenario of an NPC announces a reaction: the first of them, if there is any."""
        return reacts_by == "scenario" and bool(self.names())

    def _listed(self) -> Iterator[str]:
        for reaction in _thinkable(self.field, self.action, self.field.unit(self.reactor)):
            self.named[_name(reaction)] = reaction
            yield _name(reaction)

    def _is_open(self, name: str) -> bool:
        with self.table.without_findings():
            return not self.table.reasons(self._violations(self.named[name]))

    def _violations(self, reaction: Action) -> Iterator[Reason]:
        """Yield what is against a reaction, first what is found out soonest."""
        table, field, action = self.table, self.field, self.action
        if _is_far(field, action, reaction):
            yield FAR
        unfit = table.held(sees, field.layout, action, self.reactor) or action_table.npc_actions(table, field, reaction)
        if unfit:
            yield from unfit
        # A strike may wait for the exchange of blows.
        elif reaction.action != "strike" or not melee.joins(table, field, action, reaction):
            yield from action_table.violations(table, field, reaction, ActionContext(answering=action.model))

    def means(self, option: str) -> Option:
        """Return what an option means that is a reaction, or none."""
        if option == NONE:
            return Option(NONE, "no reaction")
        what, _, which = option.partition(":")
        row = asdict(self.named[option])
        values = {name: value for name, value in row.items() if value not in (None, ()) and name != "model"}
        label = what.replace("-", " ") + (f" {which}" if which else "")
        return Option(option, label, {"model": self.field.name(self.reactor), **values})


def _is_far(field: Battlefield, action: Action, reaction: Action) -> bool:
    """Return whether a blow in answer surely does not reach the model that acts from where the two stand."""
    if reaction.action == "push":
        return not push.comes_into_question(field, reaction.model, action.model)
    # Who is charged may wait until the other is there.
    if reaction.action == "strike" and action.target != reaction.model:
        return not melee.comes_into_question(field, reaction.model, action.model)
    return False


def _thinkable(field: Battlefield, action: Action, model: Model) -> Iterator[Action]:
    """Yield the candidate reactions, in the order of the table of actions."""
    id_, actor = model.id, field.unit(action.model)
    if field.measures(id_, actor.id):
        facing = ways.direction(field, id_, actor.id)
        if facing is not None and not ways.alike(facing, model.facing):
            yield Action(id_, "move", "align", facing=facing)
    in_hand = field.weapon(model)
    if in_hand is not None:
        others = (each for each in field.profile(model).weapons if each != in_hand.id)
        yield from (Action(id_, "change-weapon", weapon=each) for each in others)
    yield Action(id_, "push", target=actor.id)
    if in_hand is not None:
        yield Action(id_, "strike" if in_hand.kind == "melee" else "shoot", target=actor.id)
    fast = (each for each in model.unloaded if field.book.weapons[each].reload == "fast")
    yield from (Action(id_, "fast-reload", weapon=each) for each in fast)
    yield from (Action(id_, "item", item=item, use="use") for item in model.items)
    yield from (Action(id_, "item", item=item.id, use="pick-up") for item in field.scene.items)
    yield from (Action(id_, "item", item=item, use="drop") for item in model.items)
    yield Action(id_, "block")
    own = field.book.npc_actions
    yield from (Action(id_, each) for each in model.actions if each in own and own[each].reaction)


def _name(reaction: Action) -> str:
    """Return the name of a candidate reaction: its row or use, with the weapon or the item."""
    what, which = reaction.use or reaction.movement or reaction.action, reaction.weapon or reaction.item
    return f"{what}:{which}" if which else what


@rule("reactions.announced", cites="procedure/after-the-action", neutral=())
def announced(table: Table, field: Battlefield, action: Action) -> tuple[Action, ...]:
    """Decide which reactions are announced after an action: the passive players choose, one by one.

    Who decides for scenario NPCs is the reading `npc-reacts-by`.
    """
    players = passive_players(table, field, action)
    chosen: dict[str, list[Action]] = {player: [] for player in players}
    for model in field.units:
        if not _ready(table, field, action, model.id):
            continue
        possible = Possible(table, field, action, model.id)
        if model.npc is not None and settled(table, possible.by_scenario, NPC_REACTS_BY):
            chosen[players[0]].append(possible.named[possible.names()[0]])
            continue
        player = players[0] if model.side == NPC else model.side
        about, means = (field, action), possible.means
        choice = table.choose(player, f"{model.id}: reaction", possible.names(NONE), about=about, means=means)
        if choice != NONE:
            chosen[player].append(possible.named[choice])
    result = tuple(reaction for player, own in chosen.items() for reaction in ordered(table, field, player, tuple(own)))
    names = Listing(field.name(reaction.model) for reaction in result)
    table.find("Models that react: {names}" if result else "Nobody reacts", names=names)
    return result


@rule("reactions.ordered", cites="reactions/order", neutral=lambda field, player, reactions: reactions)
def ordered(table: Table, field: Battlefield, player: str, reactions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Decide in which order a player's reactions are carried out: the player chooses."""
    left, result = {reaction.model: reaction for reaction in reactions}, []
    while left:
        label = f"{player}: next reaction"
        result.append(left.pop(table.choose(player, label, tuple(left), about=field, means=field.option)))
    if len(result) > 1:
        names = Listing(field.name(reaction.model) for reaction in result)
        table.find("{player}, order of reactions: {names}", player=player, names=names)
    return tuple(result)


def active(table: Table, field: Battlefield, action: Action) -> str | None:
    """Return the acting side; for an NPC the player who moves it, or None when its scenario decides for it."""
    model = field.unit(action.model)
    if model.npc is None:
        return model.side
    with table.without_findings():
        return npc.mover(table, field) if npc.by_players(table, field, model.id) else None


def passive_players(table: Table, field: Battlefield, action: Action) -> tuple[str, ...]:
    """Return the players of all other sides, first the one whose turn comes next."""
    by = active(table, field, action)
    return tuple(side.id for side in field.scene.sides) if by is None else field.after(by)[:-1]
