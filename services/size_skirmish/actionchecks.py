"""What makes a posted deed impossible: names that are none, and members that it lacks or has no use for."""

from collections.abc import Iterator

from arbiter.fault import Fault, Faults, pointer
from services.size_skirmish.actions import Deed
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.cardchecks import known
from services.size_skirmish.checks import checked
from services.size_skirmish.scene import Scene

NEEDS = {
    "move": ("movement",),
    "change-weapon": ("weapon",),
    "push": ("target",),
    "strike": ("target",),
    "shoot": ("target",),
    "item": ("item", "use"),
    "pass-item": ("item", "target"),
}
"""The members that an action has to name."""

MOVES = {"align": ("facing",), "attack": ("target",), "run-and-shoot": ("target",), "pursue": ("target",)}
"""The members that a movement has to name."""

ONLY = {"movement": ("move",), "use": ("item",), "item": ("item", "pass-item")}
"""The members that only some actions have a use for."""


def announced(
    scene: Scene, deed: Deed, reactions: tuple[Deed, ...] | None = None, at: str = "deed", actor: str = "model"
) -> Battlefield:
    """Give the battlefield of a case in which a deed is announced, and reactions to it; raises `Faults`.

    `at` is the member of the case in which the deed stands, empty where its members are those of the case; `actor` is
    the member that names who acts.
    """
    posted = [(at, deed), *((f"reactions/{index}", each) for index, each in enumerate(reactions or ()))]
    field = on_table(scene, *posted, actor=actor)
    seen = {deed.model}
    faults = []
    for index, each in enumerate(reactions or ()):
        if each.model in seen:
            faults.append(
                Fault(pointer("case", "reactions", index, "model"), "repeated-id",
                      f"{each.model} acts or reacts already", each.model, "each model once")
            )  # fmt: skip
        if each.closing != "stay":
            faults.append(
                Fault(pointer("case", "reactions", index, "closing"), "idle-member",
                      f"{each.model} strikes in answer, from where it stands", each.closing, "`stay`, or no `closing`")
            )  # fmt: skip
        seen.add(each.model)
    if faults:
        raise Faults(faults)
    return field


def on_table(scene: Scene, *posted: tuple[str, Deed], actor: str = "model") -> Battlefield:
    """Give the battlefield of a case that names deeds, each with the member in which it stands; raises `Faults`.

    `actor` is the member that names who does the first of them.
    """
    field = checked(scene)
    faults = [
        fault
        for index, (member, deed) in enumerate(posted)
        for fault in deed_faults(
            field, deed, pointer("case", *(part for part in member.split("/") if part)), "model" if index else actor
        )
    ]
    if faults:
        raise Faults(faults)
    return field


def deed_faults(field: Battlefield, deed: Deed, here: str, actor: str = "model") -> Iterator[Fault]:
    """Find what is impossible about a deed by itself; `actor` is the member that names who does it."""
    yield from _model(field, deed.model, f"{here}/{actor}")
    yield from known("action", deed.action, f"{here}/action", field.book.actions)
    if deed.movement is not None:
        yield from known("movement", deed.movement, f"{here}/movement", field.book.movements)
    if deed.target is not None:
        yield from _model(field, deed.target, f"{here}/target")
        if deed.target == deed.model:
            yield Fault(
                f"{here}/target", "itself", "a model does nothing to itself", deed.target, "another model",
            )  # fmt: skip
    if deed.weapon is not None:
        yield from known("weapon", deed.weapon, f"{here}/weapon", field.book.weapons)
    if deed.item is not None:
        carried = [item for model in field.scene.models for item in model.items]
        yield from known("item", deed.item, f"{here}/item", [*(item.id for item in field.scene.items), *carried])
    yield from _members(deed, here)
    yield from _places(field, deed, here)


def _model(field: Battlefield, id_: str, where: str) -> Iterator[Fault]:
    """Find a model that is none, or is not in play."""
    if id_ not in field.by_id:
        yield from known("model", id_, where, field.by_id)
    elif not in_play(field.model(id_)):
        yield Fault(
            where, "not-in-play", f"{id_} is not on the battlefield, or is out", id_, "a model in play",
        )  # fmt: skip


def _members(deed: Deed, here: str) -> Iterator[Fault]:
    """Find members that a deed lacks, and those that mean nothing for it."""
    for member in (*NEEDS.get(deed.action, ()), *MOVES.get(deed.movement or "", ())):
        if getattr(deed, member) is None:
            yield Fault(
                f"{here}/{member}", "missing-member", f"{deed.movement or deed.action} needs a {member}", None,
                f"a {member}",
            )  # fmt: skip
    if deed.closing != "stay" and deed.action != "strike" and deed.movement != "attack":
        yield Fault(
            f"{here}/closing", "idle-member", f"{deed.movement or deed.action} has no blows to close for", deed.closing,
            "`stay`, or no `closing`",
        )  # fmt: skip
    for member, actions in ONLY.items():
        if getattr(deed, member) is not None and deed.action not in actions:
            yield Fault(
                f"{here}/{member}", "idle-member", f"{deed.action} has no {member}", getattr(deed, member), "null",
            )  # fmt: skip


def _places(field: Battlefield, deed: Deed, here: str) -> Iterator[Fault]:
    """Find directions that lead nowhere, and places off the battlefield."""
    for member in ("turned", "facing"):
        if getattr(deed, member) == (0, 0):
            yield Fault(
                f"{here}/{member}", "facing", f"{deed.model} faces nowhere", [0, 0], "a vector that is not nothing",
            )  # fmt: skip
    board = field.scene.board
    places = [(f"way/{index}", at) for index, at in enumerate(deed.way)]
    if deed.goal is not None:
        places.append(("goal", deed.goal))
    for member, at in places:
        if at[0] > board.width or at[1] > board.depth:
            yield Fault(
                f"{here}/{member}", "off-the-table", "the way leaves the battlefield", list(at),
                f"inside {board.width:g} by {board.depth:g}",
            )  # fmt: skip
    if deed.way and deed.goal is not None:
        yield Fault(
            f"{here}/goal", "idle-member", "a movement has a way or a goal", list(deed.goal), "null, or no `way`",
        )  # fmt: skip
