"""What makes a single posted card or model impossible."""

from collections.abc import Iterator
from itertools import pairwise

from arbiter.fault import Fault
from arbiter.nowhere import NOWHERE
from arbiter.skirmish.faults import SCENE, repeated_ids, unknown_id, unknown_ids
from services.size_skirmish.battlefield import card
from services.size_skirmish.book import Book
from services.size_skirmish.profiles import Profile, Profiles, Weapon
from services.size_skirmish.scene import NPC, Model, Scene


def profile_faults(own: Profiles, book: Book) -> Iterator[Fault]:
    """Find what is impossible about the cards that a scene brings along."""
    for name, kind in (
        ("sizes", "size"),
        ("models", "profile"),
        ("weapons", "weapon"),
        ("abilities", "ability"),
        ("npc_actions", "action"),
    ):
        yield from repeated_ids(getattr(own, name), f"{SCENE}/profiles/{name}", kind)
    for index, profile in enumerate(own.models):
        yield from _profile(profile, book, f"{SCENE}/profiles/models/{index}")
    for index, weapon in enumerate(own.weapons):
        yield from _weapon(weapon, f"{SCENE}/profiles/weapons/{index}")
    for index, action in enumerate(own.npc_actions):
        if action.id in book.actions or action.id in book.movements:
            yield Fault(
                f"{SCENE}/profiles/npc_actions/{index}/id",
                "repeated-id",
                f"{action.id} is an action of the text",
                action.id,
                "an id of its own",
            )


def _profile(profile: Profile, book: Book, here: str) -> Iterator[Fault]:
    yield from unknown_ids("weapon", profile.weapons, f"{here}/weapons", book.weapons)
    yield from unknown_ids("ability", profile.abilities, f"{here}/abilities", book.abilities)


def _weapon(weapon: Weapon, here: str) -> Iterator[Fault]:
    melee = weapon.kind == "melee"
    if melee != (weapon.reach is not None):
        yield Fault(
            f"{here}/reach",
            "reach",
            "a melee weapon has a reach, and a ranged weapon has none",
            weapon.reach,
            "a length" if melee else "null",
        )
    if melee == bool(weapon.bands):
        yield Fault(
            f"{here}/bands",
            "bands",
            "a ranged weapon has range bands, and a melee weapon has none",
            len(weapon.bands),
            "nothing" if melee else "at least one band",
        )
    if melee and weapon.reload != "none":
        yield Fault(f"{here}/reload", "reload", "a melee weapon is not reloaded", weapon.reload, "none")
    ends = [band.up_to for band in weapon.bands]
    if any(far <= near for near, far in pairwise(ends)):
        yield Fault(
            f"{here}/bands",
            "bands",
            "range bands must be listed from the nearest to the farthest",
            ends,
            "each `up_to` larger than the one before",
        )


def model_faults(model: Model, scene: Scene, book: Book, here: str) -> Iterator[Fault]:
    """Find what is impossible about a model by itself."""
    yield from unknown_id("side", model.side, f"{here}/side", [*(side.id for side in scene.sides), NPC])
    yield from unknown_id("profile", model.profile, f"{here}/profile", book.profiles)
    if model.fleeing is not None:
        if model.fleeing.cause is not None:
            ids = [each.id for each in scene.models if each.id != model.id]
            yield from unknown_id("model", model.fleeing.cause, f"{here}/fleeing/cause", ids)
        if model.fleeing.direction in (None, NOWHERE) and not scene.is_partial:
            yield Fault(
                f"{here}/fleeing/direction", "direction", f"{model.id} flees nowhere", None, "a vector, or degrees"
            )
        if model.fleeing.direction == (0, 0):
            yield Fault(
                f"{here}/fleeing/direction",
                "direction",
                f"{model.id} flees nowhere",
                [0, 0],
                "a vector that is not nothing",
            )
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
        yield Fault(
            f"{here}/npc",
            "npc",
            f"an NPC has the side {NPC!r} and a kind; other models have neither",
            model.npc,
            f"one of {', '.join(book.npcs)}" if model.side == NPC else f"null, or the side {NPC!r}",
        )
    if model.side != NPC and model.actions:
        yield Fault(
            f"{here}/actions",
            "npc",
            f"{model.id} is not an NPC and cannot have NPC actions",
            list(model.actions),
            "nothing",
        )
    yield from unknown_ids(
        "action", model.actions, f"{here}/actions", {**book.actions, **book.movements, **book.npc_actions}
    )


def _carded(model: Model, profile: Profile, book: Book, here: str) -> Iterator[Fault]:
    """Find what does not fit the card of a model: its hit points and its weapons."""
    if model.hit_points_lost > profile.hit_points:
        yield Fault(
            f"{here}/hit_points_lost",
            "hit-points",
            f"{model.id} has lost more hit points than its profile has",
            model.hit_points_lost,
            f"at most {profile.hit_points}",
        )
    elif model.hit_points_lost == profile.hit_points and model.out is None and model.npc in (None, "active"):
        yield Fault(
            f"{here}/hit_points_lost",
            "no-hit-points",
            f"{model.id} has no hit points left but is not out",
            model.hit_points_lost,
            f"less than {profile.hit_points}",
            "send it without a place, and `out` as eliminated",
        )
    if model.losses_restored > model.hit_points_lost:
        yield Fault(
            f"{here}/losses_restored",
            "hit-points",
            f"{model.id} has not lost so many hit points",
            model.losses_restored,
            f"at most {model.hit_points_lost}",
        )
    if model.in_hand is not None:
        yield from unknown_id("weapon", model.in_hand, f"{here}/in_hand", profile.weapons)
    for index, id_ in enumerate(model.unloaded):
        where = f"{here}/unloaded/{index}"
        yield from unknown_id("weapon", id_, where, profile.weapons)
        if id_ in profile.weapons and id_ in book.weapons and book.weapons[id_].reload == "none":
            yield Fault(where, "reload", f"{id_} needs no reload and cannot be unloaded", id_, "a weapon with a reload")
        if id_ in model.unloaded[:index]:
            yield Fault(where, "repeated-id", f"{id_} appears twice", id_, "each weapon once")
