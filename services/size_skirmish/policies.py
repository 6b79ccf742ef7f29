"""Policies: named, deterministic ways of making the players' choices, for battles and for odds.

A policy sees the choice (who decides, what about, the options in the book's order) and what it is made on: the
battlefield, and for a reaction the action that it answers. Labels begin with who decides or acts and end in what is
decided: `blue: activation`, `ada: towards`, `bob: reaction`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist
from typing import Any

from arbiter.candidates import least
from arbiter.geometry.plane.shapes import Point
from arbiter.skirmish.plane import point
from arbiter.table import Choice, Policy, first
from services.size_skirmish.actions import Action
from services.size_skirmish.advance import ITEM, PIECE, opponents
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.offers import TOWARDS
from services.size_skirmish.rules.reactions import NONE

FAR = 12.0
"""The range from which a shooter looks for something to climb."""


@dataclass(frozen=True)
class Manner:
    """The preferences of a policy: actions, reactions to an attack on oneself, and other reactions.

    Names, those of actions in a line of words, stand for all that begin with them; what is not named is done only if
    nothing else is open. `perches` climb up to shoot, `stays` goes nowhere but to items, `moves_npcs` puts NPCs in the
    opponents' way.
    """

    acts: str
    attacked: Sequence[str]
    reacts: Sequence[str] = ()
    perches: bool = False
    stays: bool = False
    moves_npcs: bool = False


CHARGING = Manner(
    acts=(
        "attack strike pursue climb-down shoot run-and-shoot march run walk change-weapon disengage squeeze align block"
    ),
    attacked=("strike",),
)
SHOOTING = Manner(
    acts=(
        "shoot fast-reload slow-reload disengage run-and-shoot attack strike change-weapon climb align march run walk"
        " block"
    ),
    attacked=("shoot", "strike", "block"),
    reacts=("shoot",),
    perches=True,
)
GUARDING = Manner(
    acts=(
        "strike shoot restore-morale pick-up slow-reload fast-reload push change-weapon align climb-down march walk"
        " block"
    ),
    attacked=("strike", "push", "block"),
    reacts=("strike", "shoot", "push"),
    stays=True,
    moves_npcs=True,
)


def charging(choice: Choice) -> Any:
    """Close in and fight, always the weakest in reach; answer blows with blows, and nothing else; let NPCs be."""
    return _played(choice, CHARGING)


def shooting(choice: Choice) -> Any:
    """Shoot the weakest in sight, from above if there is something to climb; leave melees; shoot at all that acts."""
    return _played(choice, SHOOTING)


def guarding(choice: Choice) -> Any:
    """Stay, pick up items, help friends, react to all that comes near; put NPCs in the opponents' way."""
    return _played(choice, GUARDING)


POLICIES: Mapping[str, Policy] = {"charging": charging, "shooting": shooting, "guarding": guarding}


def _played(choice: Choice, manner: Manner) -> Any:
    who, _, decided = choice.label.partition(": ")
    if decided == "reaction":
        return _reaction(choice, who, manner)
    if not isinstance(choice.about, Battlefield):
        return first(choice)
    field: Battlefield = choice.about
    match decided:
        case "activation":
            return least(choice.options, lambda id_: _nearest(field, id_))
        case "action":
            return _preferred(choice, _acts(field, who, manner))
        case "at":
            return least(choice.options, lambda id_: _strength(field, id_))
        case "towards":
            return _goal(field, choice, who, manner)
        case "npc":
            return first(choice) if manner.moves_npcs else NONE
        case _:
            return first(choice)


def _acts(field: Battlefield, actor: str, manner: Manner) -> Sequence[str]:
    """Return the actions in order of preference; a passive NPC moves."""
    model = field.unit(actor)
    if model.npc == "passive":
        return ("walk", "march", "align")
    if manner.stays and not field.scene.items:
        return tuple(kind for kind in manner.acts.split() if kind not in TOWARDS)
    return tuple(kind for kind in manner.acts.split() if kind != "climb" or _shoots_far(field, actor))


def _reaction(choice: Choice, actor: str, manner: Manner) -> Any:
    """Choose a reaction: one way against attacks on oneself, another against the rest; none without a preference."""
    action = choice.about[1] if isinstance(choice.about, tuple) else None
    mine = not isinstance(action, Action) or action.target == actor
    return _preferred(choice, manner.attacked if mine else manner.reacts)


def _preferred(choice: Choice, order: Sequence[str]) -> Any:
    """Pick what comes first in an order of names, or of what names begin with; else what the text names first."""
    if not order:
        return first(choice)
    places = {kind: place for place, kind in enumerate(order)}
    return least(choice.options, lambda option: places.get(option.partition(":")[0], len(order)))


def _strength(field: Battlefield, id_: str) -> tuple[bool, int]:
    """Rank an opponent by the hit points left; NPCs come last."""
    model = field.unit(id_)
    return model.npc is not None, field.hit_points(model)


def _nearest(field: Battlefield, actor: str) -> float:
    """Return the distance from a model to its nearest opponent."""
    here = field.solid(actor).at
    return min((dist(here, other.at) for other in opponents(field, actor)), default=0.0)


def _goal(field: Battlefield, choice: Choice, actor: str, manner: Manner) -> str:
    """Pick where to go: to the nearest of what is preferred, else to the nearest opponent, else to what is nearest."""
    wanted: list[str] = []
    if manner.perches and _shoots_far(field, actor):
        wanted = [goal for goal in choice.options if goal.startswith(PIECE)]
    elif manner.stays and field.unit(actor).npc is None:
        wanted = [goal for goal in choice.options if goal.startswith(ITEM)]
    others = [goal for goal in choice.options if goal in field.by_id and field.unit(goal).side != choice.who]
    here = field.solid(actor).at

    def away(goal: str) -> float:
        return min((dist(here, at) for at in _there(field, goal)), default=0.0)

    return min(wanted or others or choice.options, key=away)


def _shoots_far(field: Battlefield, actor: str) -> bool:
    """Return whether a model has a weapon on its card that is better used from above."""
    weapons = (field.book.weapons[weapon] for weapon in field.profile(field.unit(actor)).weapons)
    return any(band.up_to >= FAR for weapon in weapons for band in weapon.bands)


def _there(field: Battlefield, goal: str) -> tuple[Point, ...]:
    """Return the places of a goal: that of a model or an item, the corners of a piece; none for a brink."""
    if goal in field.by_id:
        return (field.solid(goal).at,)
    if goal.startswith(PIECE):
        return field.ground.pieces[goal.removeprefix(PIECE)].outline
    return tuple(point(item.at) for item in field.scene.items if goal == f"{ITEM}{item.id}")
