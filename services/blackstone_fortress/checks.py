"""What makes a posted scene impossible: every fault at its place, before any rule looks at it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path

from arbiter.caching import SCENES_AT_HAND, of_the_same
from arbiter.fault import Fault, Faults, gather, pointer
from arbiter.skirmish.faults import case_pointer, unknown_id
from arbiter.sources.ledger import Reading, load_readings
from services.blackstone_fortress.battlefield import Battlefield, Unit, prepare
from services.blackstone_fortress.board_checks import SCENE, CheckedBoard, check_board, on_board, repeats, scene_fault
from services.blackstone_fortress.book import Book, could_fit, table
from services.blackstone_fortress.profiles import Profiles, Weapon
from services.blackstone_fortress.scene import Explorer, Hex, Scene

DESTINY_DICE = 5


def checked(scene: Scene) -> Battlefield:
    """Give the battlefield of a scene; raises `Faults` with everything that is impossible about it."""
    faults, field = _inspect(scene)
    if field is None:
        raise Faults(faults)
    return field


@of_the_same(SCENES_AT_HAND)
def _inspect(scene: Scene) -> tuple[tuple[Fault, ...], Battlefield | None]:
    """Check a scene once: many questions may be about the very same scene."""
    faults = tuple(_faults(scene))
    return faults, None if faults else prepare(scene)


def id_faults(field: Battlefield, kind: str, id_: str, where: str, ids: Sequence[str]) -> Iterator[Fault]:
    """Find fault with an id in a case that is none of `ids`."""
    yield from unknown_id(kind, id_, case_pointer(where), ids)


def standing(
    field: Battlefield, kind: str, id_: str, where: str, among: Sequence[Unit] | None = None
) -> Iterator[Fault]:
    """Find fault with an id in a case that names nobody who stands on the battlefield, or nobody `among` some."""
    everyone: tuple[Unit, ...] = (*field.explorers, *field.hostiles)
    ids = [unit.id for unit in (everyone if among is None else among)]
    if id_ not in field.units or field.units[id_].hex is not None:
        yield from id_faults(field, kind, id_, where, ids)
        return
    message, expected = f"{id_} is not on the battlefield", "one of " + (", ".join(ids) or "those there, but nobody is")
    yield Fault(case_pointer(where), "not-on-the-battlefield", message, id_, expected, "give it a hex in the scene")


def _faults(scene: Scene) -> Iterator[Fault]:
    ground = check_board(scene.board)
    yield from ground.faults
    if scene.profiles != Profiles():
        yield from _profiles(scene.profiles)
    book = Book.of(scene.profiles)
    yield from _ids(scene)
    for index, explorer in enumerate(scene.explorers):
        yield from _explorer(scene, ground, book, index, explorer)
    yield from _hostiles(scene, ground, book)
    yield from _crowds(scene, book)
    yield from _markers(scene, ground)
    yield from _turn(scene)


def _profiles(profiles: Profiles) -> Iterator[Fault]:
    book = Book.of(profiles)
    for index, card in enumerate(profiles.hostiles):
        if card.behaviour not in book.behaviours:
            yield from _unknown(
                ("profiles", "hostiles", index, "behaviour"), "behaviour table", card.behaviour, book.behaviours
            )
        for place, weapon in enumerate(card.weapons):
            if weapon not in book.weapons:
                yield from _unknown(("profiles", "hostiles", index, "weapons", place), "weapon", weapon, book.weapons)
    for index, weapon_row in enumerate(profiles.weapons):
        yield from _every_state(book, index, weapon_row)
    actions = [row["id"] for row in table("hostile_actions")]
    for index, behaviour in enumerate(profiles.behaviours):
        rolls = Counter(roll for row in behaviour.rows for roll in range(row.rolls[0], row.rolls[1] + 1))
        wrong = [roll for roll in range(1, 21) if rolls[roll] != 1]
        if wrong:
            yield scene_fault(
                ("profiles", "behaviours", index, "rows"),
                "bands",
                f"the rolls {wrong} stand in no row, or in more than one",
                wrong,
                "every roll from 1 to 20 in one row",
            )
        for place, row in enumerate(behaviour.rows):
            if len(row.actions) != len(behaviour.columns):
                yield scene_fault(
                    ("profiles", "behaviours", index, "rows", place, "actions"),
                    "columns",
                    f"{len(row.actions)} actions for {len(behaviour.columns)} columns",
                    list(row.actions),
                    "one action for each column",
                )
            for cell, action in enumerate(row.actions):
                if action not in actions:
                    path = ("profiles", "behaviours", index, "rows", place, "actions", cell)
                    yield from _unknown(path, "hostile action", action, actions)
        for place, cell_ in enumerate(behaviour.disputed):
            disputed = ("profiles", "behaviours", index, "disputed", place)
            options = {reading.id: [option.id for option in reading.options] for reading in _readings()}
            columns = [column.id for column in behaviour.columns]
            for name, value, ids in (
                ("reading", cell_.reading, list(options)),
                ("option", cell_.option, options.get(cell_.reading, [cell_.option])),
                ("column", cell_.column, columns),
                ("action", cell_.action, actions),
            ):
                if value not in ids:
                    yield from _unknown((*disputed, name), name, value, ids)
        if behaviour.columns[-1].id != "other":
            yield scene_fault(
                ("profiles", "behaviours", index, "columns"),
                "no-other",
                "the last column is not `other`",
                behaviour.columns[-1].id,
                "`other` as the last column, so that some column always applies",
            )


@cache
def _readings() -> tuple[Reading, ...]:
    return tuple(load_readings(Path(__file__).parent / "readings.yaml").by_id.values())


def _every_state(book: Book, index: int, weapon: Weapon) -> Iterator[Fault]:
    """Find the states of threat and empowering for which a weapon's family has no row that is not overcharged."""
    rows = book.weapons[weapon.family or weapon.id]
    missing = [
        {"threat": threat, "empowered": empowered, "overcharged": False}
        for threat, empowered in product(range(4), (False, True))
        if not any(row.holds(threat, empowered, overcharged=False) for row in rows)
    ]
    if missing:
        yield scene_fault(
            ("profiles", "weapons", index),
            "no-row-for-a-state",
            f"the weapon {weapon.family or weapon.id} has no row for {len(missing)} states",
            missing[0],
            "rows not overcharged that cover threat 0 to 3, empowered or not; null covers any",
        )


def _unknown(path: tuple[str | int, ...], kind: str, id_: str, ids: Collection[str]) -> Iterator[Fault]:
    yield from unknown_id(kind, id_, pointer(*SCENE, *path), ids)


def _ids(scene: Scene) -> Iterator[Fault]:
    rows = [("explorers", i, unit.id) for i, unit in enumerate(scene.explorers)]
    rows += [("hostiles", i, unit.id) for i, unit in enumerate(scene.hostiles)]
    seen: dict[str, tuple[str, int]] = {}
    for name, index, id_ in rows if len({id_ for _, _, id_ in rows}) < len(rows) else ():
        if id_ in seen:
            other = pointer(*SCENE, *seen[id_])
            yield scene_fault(
                (name, index, "id"),
                "unit-twice",
                f"{id_!r} is also {other}: a unit cannot be in two places",
                id_,
                "an id of its own for every unit",
            )
        seen.setdefault(id_, (name, index))
    groups = {hostile.group for hostile in scene.hostiles}
    for index, explorer in enumerate(scene.explorers):
        if (explorer.card or explorer.id) in groups:
            yield scene_fault(
                ("explorers", index),
                "card-twice",
                f"{explorer.card or explorer.id!r} names an explorer's initiative card and a hostile group",
                explorer.id,
            )


def _explorer(scene: Scene, ground: CheckedBoard, book: Book, index: int, explorer: Explorer) -> Iterator[Fault]:
    path = ("explorers", index)
    if explorer.profile not in book.explorers:
        yield from _unknown((*path, "profile"), "explorer profile", explorer.profile, book.explorers)
        return
    yield from _place(ground, (*path, "hex"), explorer.id, explorer.hex)
    if explorer.out_of_action and explorer.hex is not None:
        yield __off_board_fault((*path, "hex"), f"{explorer.id} is out of action", explorer.hex)
    spaces = book.explorers[explorer.profile].spaces
    filled = explorer.wounds + explorer.grievous
    if filled > spaces:
        yield scene_fault(
            (*path, "wounds"),
            "too-many-wounds",
            f"{filled} wounds and grievous wounds do not fit on {spaces} spaces",
            filled,
            f"at most {spaces} together",
            "an explorer who suffers one more is out of action",
        )
    elif (dice := len(explorer.activation) + len(explorer.overwatch)) > spaces:
        yield scene_fault(
            (*path, "activation"),
            "too-many-dice",
            f"{dice} dice do not fit on {spaces} spaces",
            [*explorer.activation, *explorer.overwatch],
            f"at most {spaces} dice",
        )
    if explorer.player is not None and explorer.player not in scene.players:
        yield from _unknown((*path, "player"), "player", explorer.player, scene.players)
    hostiles = {hostile.id for hostile in scene.hostiles} if explorer.slain else ()
    for place, id_ in enumerate(explorer.slain):
        if id_ not in hostiles:
            yield from _unknown((*path, "slain", place), "hostile", id_, sorted(hostiles))


def _hostiles(scene: Scene, ground: CheckedBoard, book: Book) -> Iterator[Fault]:
    for index, hostile in enumerate(scene.hostiles):
        path = ("hostiles", index)
        card = book.hostiles.get(hostile.profile)
        if card is None:
            yield from _unknown((*path, "profile"), "hostile profile", hostile.profile, book.hostiles)
            continue
        if hostile.hex not in ground.open:
            yield from _place(ground, (*path, "hex"), hostile.id, hostile.hex)
        if hostile.slain and hostile.hex is not None:
            yield __off_board_fault((*path, "hex"), f"{hostile.id} is slain", hostile.hex)
        if hostile.weapon is not None and hostile.weapon not in card.weapons:
            yield from _unknown((*path, "weapon"), "weapon", hostile.weapon, card.weapons)
        damage = hostile.wounds + 3 * hostile.grievous
        if damage >= card.wounds and not hostile.slain:
            yield scene_fault(
                (*path, "wounds"),
                "should-be-slain",
                f"{hostile.id} has {damage} damage and a Wounds value of {card.wounds}",
                damage,
                f"less than {card.wounds}",
                "set `slain` and leave out the hex, or take counters off",
            )


def _place(ground: CheckedBoard, path: tuple[str | int, ...], id_: str, hex_: Hex | None) -> Iterator[Fault]:
    if hex_ is None or hex_ in ground.open:
        return
    if hex_ not in ground.hexes:
        yield from on_board(ground.hexes, path, hex_, id_)
    else:
        yield scene_fault(
            path, "in-obstruction", f"{id_} stands in the obstruction at {list(hex_)}", hex_, "an open hex"
        )


def __off_board_fault(path: tuple[str | int, ...], name: str, hex_: Hex) -> Fault:
    return scene_fault(path, "not-on-the-battlefield", f"{name} and stands in {list(hex_)}", hex_, "no hex (null)")


def _crowds(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find hexes that hold more than their limits, or explorers and hostiles together."""
    standing = [unit.hex for side in (scene.explorers, scene.hostiles) for unit in side if unit.hex is not None]
    if len(set(standing)) == len(standing):
        return  # whoever stands alone fits into any hex
    crowds: dict[Hex, list[tuple[str, int, str, str]]] = {}
    for index, explorer in enumerate(scene.explorers):
        if explorer.hex is not None and explorer.profile in book.explorers:
            twin = "twins-duo" in book.explorers[explorer.profile].uninspired.rules
            crowds.setdefault(explorer.hex, []).append(
                ("explorers", index, explorer.id, "twin" if twin else "explorer")
            )
    for index, hostile in enumerate(scene.hostiles):
        if hostile.hex is not None and hostile.profile in book.hostiles:
            size = book.hostiles[hostile.profile].size
            crowds.setdefault(hostile.hex, []).append(("hostiles", index, hostile.id, size))
    for hex_, crowd in crowds.items():
        if len({side for side, _, _, _ in crowd}) == 2:
            code, message = "enemies-in-one-hex", "explorers and hostiles share"
        elif not could_fit(tuple(kind for _, _, _, kind in crowd)):
            code, message = "hex-limit", "more than its limit stand in"
        else:
            continue
        side, index, _, _ = crowd[-1]
        yield scene_fault(
            (side, index, "hex"),
            code,
            f"{message} {list(hex_)}: " + ", ".join(id_ for _, _, id_, _ in crowd),
            hex_,
            "3 small hostiles, or 1 large and 2 small, or 2 large, or 1 huge, or 2 explorers (both Twins count as one)",
        )


def _markers(scene: Scene, ground: CheckedBoard) -> Iterator[Fault]:
    for index, marker in enumerate(scene.discoveries):
        where = ("discoveries", index, "hex")
        if marker.hex is not None:
            yield from on_board(ground.hexes, where, marker.hex, f"discovery {marker.id}")
        elif not scene.is_partial:
            yield scene_fault(where, "no-hex", f"discovery {marker.id} lies nowhere", None, "a hex of the board")
    for index, id_ in repeats([marker.id for marker in scene.discoveries]):
        yield scene_fault(("discoveries", index, "id"), "repeated-id", f"two discovery markers are called {id_}", id_)
    kinds = [row["id"] for row in table("twists")]
    for index, twist in enumerate(scene.twists):
        if twist not in kinds:
            yield from _unknown(("twists", index), "twist", twist, kinds)


def _turn(scene: Scene) -> Iterator[Fault]:
    cards = {explorer.card or explorer.id for explorer in scene.explorers} | {h.group for h in scene.hostiles}
    for index, card in enumerate(scene.turn.track):
        if card not in cards:
            yield from _unknown(("turn", "track", index), "initiative card", card, sorted(cards))
    if (dice := len(scene.turn.destiny) + len(scene.turn.discarded_destiny)) > DESTINY_DICE:
        yield scene_fault(
            ("turn", "destiny"),
            "too-many-destiny-dice",
            f"{dice} destiny dice are available or discarded",
            dice,
            f"at most {DESTINY_DICE} together",
        )
    for index, card in repeats(scene.turn.track):
        yield scene_fault(("turn", "track", index), "repeated-card", f"the card {card} lies on the track twice", card)
    explorers = [explorer.id for explorer in scene.explorers]
    for index, id_ in enumerate(scene.turn.covered):
        if id_ not in explorers:
            yield from _unknown(("turn", "covered", index), "explorer", id_, explorers)
    for name in ("leader", "hostile_player"):
        player = getattr(scene, name)
        if player is not None and player not in scene.players:
            yield from _unknown((name,), "player", player, scene.players)
    if scene.leader is not None and scene.leader == scene.hostile_player:
        yield scene_fault(("leader",), "leader-plays-hostiles", "the hostile player cannot be the leader", scene.leader)


Check = Callable[[Battlefield], Iterator[Fault]]


def checked_case(scene: Scene, *checks: Check) -> Battlefield:
    """Give the battlefield of a case; raises `Faults` with everything that is impossible about scene and case."""
    faults, field = _inspect(scene)
    if field is not None:
        gather(*(partial(check, field) for check in checks))
        return field

    def unsound() -> Iterator[Fault]:
        yield from faults
        as_posted = prepare(scene)
        gather(*(partial(check, as_posted) for check in checks))

    gather(unsound)
    raise Faults(faults)
