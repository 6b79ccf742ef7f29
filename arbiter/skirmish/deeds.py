"""The questions that a page asks by clicks on units: derived from the types of the cases, without a list to edit.

The games use the same few names for actors and targets (`overlay`), which identify the members of a case.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

import msgspec

from arbiter.game import Arbiter
from arbiter.question import Question
from arbiter.skirmish.overlay import ACTORS, TARGETS
from arbiter.value import Value

ASKED = ("line-of-sight", "moves", "shoot", "attack", "behaviour")
"""The questions about one or two units, in the order in which a page offers them."""

AIMED = ("shoot", "attack")
"""Questions whose target is always chosen, even if it is optional."""

WEAPONS = ("weapon", "action", "hands")
"""Members of an attack that name the weapon; a row of the answer of `targets` has the same names."""

SIDES = ("side", "crew")
"""Members of a unit that name its side."""

LIMITS = ("turns", "rounds")
"""Members of a battle that limit its length."""

LONGEST = 4
"""Turns or rounds of a battle that a page plays out."""


class Roster(Value, frozen=True):
    """A list of units in the scene, and the member that names the side of each, if there is one."""

    list: str
    side: str | None


class Deed(Value, frozen=True):
    """A question about a unit, and the members of its case that name the actor and the target.

    `several`: the target is a list of ids. `by_rules`: it is about units whose behaviour the rules decide. `weapons`
    are the members that name weapons; the rows `weapons` of the answer of `targets` give their values.
    """

    question: str
    actor: str
    target: str | None
    several: bool
    by_rules: bool
    weapons: tuple[str, ...]


class Battle(Value, frozen=True):
    """How a page plays out a battle: members of its case, and policies."""

    case: dict[str, int]
    policies: Mapping[str, str]


def rosters(game: Arbiter) -> tuple[Roster, ...]:
    """List the lists of units in a game's scenes: rows with an id and a profile."""
    scene = next((scene for question in game.questions.values() if (scene := _scene(question)) is not None), None)
    return () if scene is None else tuple(_rosters(scene))


def deeds(game: Arbiter) -> tuple[Deed, ...]:
    """List the questions about the units of a scene."""
    found = (_deed(game, game.questions[name]) for name in ASKED if name in game.questions)
    return tuple(deed for deed in found if deed is not None)


def battle(game: Arbiter, policies: Mapping[str, str] | None) -> Battle | None:
    """Give how a battle is played out, by these policies or else by the first one; None if a game has no battles."""
    question = game.questions.get("battle")
    if question is None:
        return None
    limit = {name: LONGEST for name in _members(question) if name in LIMITS}
    return Battle(limit, policies or {"*": next(iter(game.policies), "first")})


def _deed(game: Arbiter, question: Question[Any, Any, Any]) -> Deed | None:
    members = _members(question)
    actor = next((name for name in ACTORS if name in members), None)
    if actor is None or "scene" not in members:
        return None
    target = next((name for name in TARGETS if name in members), None)
    if target is not None and question.name not in AIMED and not members[target].required:
        target = None
    several = target is not None and get_origin(_plain(members[target].type)) is tuple
    weapons: tuple[str, ...] = ()
    if target is not None and "targets" in game.questions and actor in _members(game.questions["targets"]):
        weapons = tuple(name for name in WEAPONS if name in members)
    return Deed(question.name, actor, target, several, question.name == "behaviour", weapons)


def _members(question: Question[Any, Any, Any]) -> dict[str, msgspec.structs.FieldInfo]:
    return {member.name: member for member in msgspec.structs.fields(question.case)}


def _scene(question: Question[Any, Any, Any]) -> Any:
    member = _members(question).get("scene")
    return None if member is None else member.type


def _rosters(scene: Any) -> Iterator[Roster]:
    for member in msgspec.structs.fields(scene):
        of = get_args(_plain(member.type))[:1]
        if of and isinstance(of[0], type) and issubclass(of[0], msgspec.Struct):
            names = [each.name for each in msgspec.structs.fields(of[0])]
            if "id" in names and "profile" in names:
                yield Roster(member.name, next((name for name in SIDES if name in names), None))


def _plain(type_: Any) -> Any:
    """Give a type without its bounds."""
    return get_args(type_)[0] if hasattr(type_, "__metadata__") else type_
