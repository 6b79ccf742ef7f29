"""What makes a posted scene, with its cards, impossible: every fault at its place, before any rule is used."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from arbiter.caching import SCENES_AT_HAND, by_board
from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.near import gap
from arbiter.nowhere import NOWHERE, PlaceNeeded
from arbiter.skirmish import cases
from arbiter.skirmish.cases import CaseState
from arbiter.skirmish.faults import SCENE, repeated_ids, unknown_id, unknown_ids
from arbiter.skirmish.fields import Id
from arbiter.skirmish.plane import off_table, standing_faults, table_faults
from arbiter.skirmish.validation import Validator
from services.size_skirmish.battlefield import Battlefield, card, in_play, placed, prepare
from services.size_skirmish.book import Book
from services.size_skirmish.ground import Ground, as_piece, solid
from services.size_skirmish.scene import NPC, Board, Model, Profile, Profiles, Scene, Weapon

C = TypeVar("C")

CARDS = {"sizes": "size", "models": "profile", "weapons": "weapon", "abilities": "ability", "npc_actions": "action"}
"""The lists of cards that a scene brings along, and what a row of each is."""


@lru_cache(maxsize=SCENES_AT_HAND)
def _faults(scene: Scene) -> tuple[Fault, ...]:
    """Check a scene once: it comes a second time with the ruling that is drawn on it."""
    return tuple(_of_scene(scene))


def _of_scene(scene: Scene) -> Iterator[Fault]:
    yield from _board(scene.board)
    book = Book.of(scene.profiles)
    yield from _cards(scene.profiles, book)
    if not scene.sides:
        yield Fault(f"{SCENE}/sides", "sides", "nobody plays: there are neither sides nor models of one", [], "a side")
    yield from repeated_ids(scene.sides, f"{SCENE}/sides", "side")
    yield from repeated_ids(scene.models, f"{SCENE}/models", "model")
    for index, side in enumerate(scene.sides):
        if side.id == NPC:
            message = f"{NPC!r} is reserved for NPCs and cannot be a side"
            yield Fault(f"{SCENE}/sides/{index}/id", "npc", message, side.id, "another id")
    for index, model in enumerate(scene.models):
        yield from _model(model, scene, book, f"{SCENE}/models/{index}")
    yield from _items(scene)
    yield from _standing(scene, book)
    yield from _melees(scene)
    for member in ("starting", "scenario_starts", "turn"):
        if (id_ := getattr(scene, member)) is not None:
            yield from unknown_id("side", id_, f"{SCENE}/{member}", [side.id for side in scene.sides])


@by_board
def _board(board: Board) -> tuple[Fault, ...]:
    """Check a board once: the same board comes with one question after the other."""
    return table_faults(board.width, board.depth, map(as_piece, board.pieces), ("width", "depth"))


def _cards(own: Profiles, book: Book) -> Iterator[Fault]:
    """Find what is impossible about the cards that a scene brings along."""
    for name, kind in CARDS.items():
        yield from repeated_ids(getattr(own, name), f"{SCENE}/profiles/{name}", kind)
    for index, profile in enumerate(own.models):
        yield from _profile(profile, book, f"{SCENE}/profiles/models/{index}")
    for index, weapon in enumerate(own.weapons):
        yield from _weapon(weapon, f"{SCENE}/profiles/weapons/{index}")
    for index, action in enumerate(own.npc_actions):
        if action.id in book.actions or action.id in book.movements:
            where, message = f"{SCENE}/profiles/npc_actions/{index}/id", f"{action.id} is an action of the text"
            yield Fault(where, "repeated-id", message, action.id, "an id of its own")


def _profile(profile: Profile, book: Book, here: str) -> Iterator[Fault]:
    yield from unknown_ids("weapon", profile.weapons, f"{here}/weapons", book.weapons)
    yield from unknown_ids("ability", profile.abilities, f"{here}/abilities", book.abilities)


def _weapon(weapon: Weapon, here: str) -> Iterator[Fault]:
    melee = weapon.kind == "melee"
    if melee != (weapon.reach is not None):
        message, expected = "a melee weapon has a reach, and a ranged weapon has none", "a length" if melee else "null"
        yield Fault(f"{here}/reach", "reach", message, weapon.reach, expected)
    if melee == bool(weapon.bands):
        message = "a ranged weapon has range bands, and a melee weapon has none"
        expected = "nothing" if melee else "at least one band"
        yield Fault(f"{here}/bands", "bands", message, len(weapon.bands), expected)
    if melee and weapon.reload != "none":
        yield Fault(f"{here}/reload", "reload", "a melee weapon is not reloaded", weapon.reload, "none")
    ends = [band.up_to for band in weapon.bands]
    if any(far <= near for near, far in pairwise(ends)):
        message = "range bands must be listed from the nearest to the farthest"
        yield Fault(f"{here}/bands", "bands", message, ends, "each `up_to` larger than the one before")


def _model(model: Model, scene: Scene, book: Book, here: str) -> Iterator[Fault]:
    """Find what is impossible about a model by itself."""
    yield from unknown_id("side", model.side, f"{here}/side", [*(side.id for side in scene.sides), NPC])
    yield from unknown_id("profile", model.profile, f"{here}/profile", book.profiles)
    if model.fleeing is not None:
        if model.fleeing.cause is not None:
            ids = [each.id for each in scene.models if each.id != model.id]
            yield from unknown_id("model", model.fleeing.cause, f"{here}/fleeing/cause", ids)
        where, message = f"{here}/fleeing/direction", f"{model.id} flees nowhere"
        if model.fleeing.direction in (None, NOWHERE) and not scene.is_partial:
            yield Fault(where, "direction", message, None, "a vector, or degrees")
        if model.fleeing.direction == (0, 0):
            yield Fault(where, "direction", message, [0, 0], "a vector that is not nothing")
    if model.facing == (0, 0):
        yield Fault(f"{here}/facing", "facing", f"{model.id} faces nowhere", [0, 0], "a vector that is not nothing")
    yield from _npc(model, book, here)
    if model.out is not None and model.at is not None:
        yield Fault(f"{here}/at", "out", f"{model.id} is out but stands on the battlefield", list(model.at), "null")
    if model.profile in book.profiles:
        own = card(book, model)
        yield from _profile(own, book, f"{here}/own")
        yield from _carded(model, own, book, here)


def _npc(model: Model, book: Book, here: str) -> Iterator[Fault]:
    if (model.side == NPC) != (model.npc is not None):
        message = f"an NPC has the side {NPC!r} and a kind; other models have neither"
        expected = f"one of {', '.join(book.npcs)}" if model.side == NPC else f"null, or the side {NPC!r}"
        yield Fault(f"{here}/npc", "npc", message, model.npc, expected)
    if model.side != NPC and model.actions:
        message = f"{model.id} is not an NPC and cannot have NPC actions"
        yield Fault(f"{here}/actions", "npc", message, list(model.actions), "nothing")
    every = {**book.actions, **book.movements, **book.npc_actions}
    yield from unknown_ids("action", model.actions, f"{here}/actions", every)


def _carded(model: Model, profile: Profile, book: Book, here: str) -> Iterator[Fault]:
    """Find what does not fit the card of a model: its hit points and its weapons."""
    lost, points, where = model.hit_points_lost, profile.hit_points, f"{here}/hit_points_lost"
    if lost > points:
        message = f"{model.id} has lost more hit points than its profile has"
        yield Fault(where, "hit-points", message, lost, f"at most {points}")
    elif lost == points and model.out is None and model.npc in (None, "active"):
        message = f"{model.id} has no hit points left but is not out"
        hint = "send it without a place, and `out` as eliminated"
        yield Fault(where, "no-hit-points", message, lost, f"less than {points}", hint)
    if model.losses_restored > lost:
        message, where = f"{model.id} has not lost so many hit points", f"{here}/losses_restored"
        yield Fault(where, "hit-points", message, model.losses_restored, f"at most {lost}")
    if model.in_hand is not None:
        yield from unknown_id("weapon", model.in_hand, f"{here}/in_hand", profile.weapons)
    for index, id_ in enumerate(model.unloaded):
        where = f"{here}/unloaded/{index}"
        yield from unknown_id("weapon", id_, where, profile.weapons)
        if id_ in profile.weapons and id_ in book.weapons and book.weapons[id_].reload == "none":
            yield Fault(where, "reload", f"{id_} needs no reload and cannot be unloaded", id_, "a weapon with a reload")
        if id_ in model.unloaded[:index]:
            yield Fault(where, "repeated-id", f"{id_} appears twice", id_, "each weapon once")


def _items(scene: Scene) -> Iterator[Fault]:
    """Find items that lie off the battlefield, and items that are in two places."""
    seen: set[str] = set()
    lying = [(item.id, f"items/{index}/id") for index, item in enumerate(scene.items)]
    models = enumerate(scene.models)
    carried = [(id_, f"models/{at}/items/{number}") for at, model in models for number, id_ in enumerate(model.items)]
    for id_, where in (*lying, *carried):
        if id_ in seen:
            message = f"the item {id_!r} is in two places"
            yield Fault(f"{SCENE}/{where}", "repeated-id", message, id_, "an id of its own")
        seen.add(id_)
    size = scene.board.width, scene.board.depth
    for index, item in enumerate(scene.items):
        if item.at in (None, NOWHERE):
            if not scene.is_partial:
                yield Fault(f"{SCENE}/items/{index}/at", "place", f"{item.id} lies nowhere", None, "a place")
            continue
        yield from off_table(f"the item {item.id}", item.at, size, f"{SCENE}/items/{index}/at")


def _standing(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find models that overlap, are off the battlefield, in impassable terrain, or in the air.

    Overlaps of less than the tolerance are allowed.
    """
    places, bodies = [], []
    if scene.is_partial:
        return
    ground = Ground.of(scene.board)
    for index, model in enumerate(scene.models):
        if in_play(model) and model.profile in book.profiles and model.facing != (0, 0):
            body, here = solid(model, book.sizes[card(book, model).size], ground.slack), f"{SCENE}/models/{index}"
            places.append(f"{here}/at")
            bodies.append(body)
            yield from _footing(model, body, ground, here)
    yield from standing_faults(bodies, places, (scene.board.width, scene.board.depth), f"{SCENE}/models")


def _footing(model: Model, body: shapes.Figure, ground: Ground, here: str) -> Iterator[Fault]:
    """Find a model inside a piece, or above the table without anything to climb."""
    near = ground.beside.along(body.radius + body.slack, (body.at,))
    for piece in near:
        if piece.height > body.elevation and shapes.whereabouts(body.at, piece.outline) == "inside":
            on_top = piece.climbable
            yield Fault(
                f"{here}/height_above" if on_top else f"{here}/at",
                "in-impassable",
                f"{model.id} stands in {piece.id}, which is impassable",
                model.height_above if on_top else model.at,
                f"at least {shapes.units(piece.height):f}" if on_top else "a place outside of it",
            )
    if not body.elevation:
        return
    beside = (piece for piece in near if piece.climbable and gap(body.at, piece.outline) <= body.radius + body.slack)
    if body.elevation > max((piece.height for piece in beside), default=0):
        message = f"{model.id} is above the table with nothing under it"
        expected = "at most the height of a piece that it stands on or climbs"
        yield Fault(f"{here}/height_above", "height-above", message, model.height_above, expected)


def _melees(scene: Scene) -> Iterator[Fault]:
    """Find melees of models that are not in play or on one side, and repeated melees."""
    by_id = {model.id: model for model in placed(scene).models}
    seen: set[frozenset[str]] = set()
    for index, melee in enumerate(scene.melees):
        here = f"{SCENE}/melees/{index}"
        for member, id_ in (("one", melee.one), ("other", melee.other)):
            yield from unknown_id("model", id_, f"{here}/{member}", by_id)
            if id_ in by_id and not in_play(by_id[id_]):
                yield Fault(f"{here}/{member}", "not-in-play", f"{id_} is not in play", id_, "a model in play")
        pair = frozenset((melee.one, melee.other))
        if pair in seen:
            yield Fault(here, "repeated-melee", "this melee appears twice", sorted(pair), "each pair once")
        seen.add(pair)
        sides = [by_id[id_].side for id_ in (melee.one, melee.other) if id_ in by_id]
        if len(sides) == 2 and sides[0] == sides[1]:
            message = f"{melee.one} and {melee.other} are on the same side"
            yield Fault(here, "one-side", message, [melee.one, melee.other], "models of two sides")


def on_board(scene: Scene) -> Scene:
    """Return the scene of a question that nothing but a board answers; raises `Faults` without one."""
    if scene.is_partial:
        raise PlaceNeeded
    return scene


VALIDATOR: Validator[Scene, Battlefield] = Validator(
    _faults,
    lru_cache(maxsize=SCENES_AT_HAND)(prepare),
    {
        "model": lambda scene: [model.id for model in scene.models],
        "side": lambda scene: [side.id for side in scene.sides],
        "item": lambda scene: [item.id for item in scene.items],
    },
    playing=lambda scene: [model.id for model in placed(scene).models if in_play(model)],
    unit="model",
    absence="is not on the battlefield, or is out",
)
checked, checked_case, on_battlefield = VALIDATOR.scene, VALIDATOR.case, VALIDATOR.in_play


class ModelCase(FactCase, frozen=True):
    """A case about one `model` in play."""

    scene: Scene
    model: Id


def prepared(
    *members: str, faults: Callable[[Battlefield, C], Iterable[Fault]] = lambda *_: ()
) -> Callable[[C], CaseState[Battlefield, C]]:
    """Let cases be prepared whose members name models in play, or the side that has acted; that raises `Faults`.

    Then `faults` finds what else is impossible about a case.
    """
    return cases.prepared(VALIDATOR, "model", {"acted": "side"}, members, True, faults)
