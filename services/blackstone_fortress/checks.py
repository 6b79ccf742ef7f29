"""What makes a posted scene impossible: every fault at its place, before any rule looks at it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Protocol, TypeVar

from arbiter.caching import SCENES_AT_HAND, of_the_same
from arbiter.fault import Fault, Faults, gather
from arbiter.skirmish.cases import CaseState
from arbiter.skirmish.faults import SCENE, case_pointer, unknown_id, unknown_ids
from arbiter.sources.ledger import Reading, load_readings
from services.blackstone_fortress.battlefield import Battlefield, Unit, prepare
from services.blackstone_fortress.board_checks import CheckedBoard, check_board, on_board, repeats
from services.blackstone_fortress.board_checks import fault as fault
from services.blackstone_fortress.book import Book, disputed_fit, fits, table
from services.blackstone_fortress.profiles import BehaviourTable, Profiles, Weapon
from services.blackstone_fortress.scene import Explorer, Hex, Hostile, Scene

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


def one_of(ids: Iterable[object], nothing: str = "") -> str:
    """Say what can stand in the place of an id that cannot; `nothing` says what there would be, if there is nothing."""
    return "one of " + (", ".join(map(str, ids)) or nothing)


def id_faults(kind: str, id_: str, where: str, ids: Sequence[str]) -> Iterator[Fault]:
    """Find fault with an id in a case that is none of `ids`."""
    yield from unknown_id(kind, id_, case_pointer(where), ids)


def standing(
    field: Battlefield, kind: str, id_: str, where: str, among: Sequence[Unit] | None = None
) -> Iterator[Fault]:
    """Find fault with an id in a case that names nobody who stands on the battlefield, or nobody `among` some."""
    everyone: tuple[Unit, ...] = (*field.explorers, *field.hostiles)
    ids = [unit.id for unit in (everyone if among is None else among)]
    if id_ not in field.units or field.units[id_].hex is not None:
        yield from id_faults(kind, id_, where, ids)
        return
    message, asked = f"{id_} is not on the battlefield", one_of(ids, "those there, but nobody is")
    yield fault(where, "not-on-the-battlefield", message, id_, asked, "give it a hex in the scene")


def _faults(scene: Scene) -> Iterator[Fault]:
    ground = check_board(scene.board)
    yield from ground.faults
    if scene.profiles != Profiles():
        yield from _profiles(scene.profiles)
    book = Book.of(scene.profiles)
    yield from _ids(scene)
    for index, explorer in enumerate(scene.explorers):
        yield from _explorer(scene, ground, book, f"explorers/{index}", explorer)
    for index, hostile in enumerate(scene.hostiles):
        yield from _hostile(ground, book, f"hostiles/{index}", hostile)
    yield from _crowds(scene, book)
    yield from _markers(scene, ground)
    yield from _turn(scene)


def _profiles(profiles: Profiles) -> Iterator[Fault]:
    book = Book.of(profiles)
    for index, card in enumerate(profiles.hostiles):
        where = f"{SCENE}/profiles/hostiles/{index}"
        yield from unknown_id("behaviour table", card.behaviour, f"{where}/behaviour", book.behaviours)
        yield from unknown_ids("weapon", card.weapons, f"{where}/weapons", book.weapons)
    for index, weapon in enumerate(profiles.weapons):
        yield from _every_state(book, index, weapon)
    for index, behaviour in enumerate(profiles.behaviours):
        yield from _behaviour(f"profiles/behaviours/{index}", behaviour)


def _behaviour(where: str, behaviour: BehaviourTable) -> Iterator[Fault]:
    actions = [row["id"] for row in table("hostile_actions")]
    columns = [column.id for column in behaviour.columns]
    rolls = Counter(roll for row in behaviour.rows for roll in range(row.rolls[0], row.rolls[1] + 1))
    if wrong := [roll for roll in range(1, 21) if rolls[roll] != 1]:
        message = f"the rolls {wrong} stand in no row, or in more than one"
        yield fault(f"scene/{where}/rows", "bands", message, wrong, "every roll from 1 to 20 in one row")
    for place, row in enumerate(behaviour.rows):
        path = f"scene/{where}/rows/{place}/actions"
        if len(row.actions) != len(columns):
            message = f"{len(row.actions)} actions for {len(columns)} columns"
            yield fault(path, "columns", message, list(row.actions), "one action for each column")
        yield from unknown_ids("hostile action", row.actions, case_pointer(path), actions)
    options = {reading.id: [option.id for option in reading.options] for reading in _readings()}
    for place, cell in enumerate(behaviour.disputed):
        for name, value, ids in (
            ("reading", cell.reading, list(options)),
            ("option", cell.option, options.get(cell.reading, [cell.option])),
            ("column", cell.column, columns),
            ("action", cell.action, actions),
        ):
            yield from unknown_id(name, value, f"{SCENE}/{where}/disputed/{place}/{name}", ids)
    if columns[-1] != "other":
        asked = "`other` as the last column, so that some column always applies"
        yield fault(f"scene/{where}/columns", "no-other", "the last column is not `other`", columns[-1], asked)


@cache
def _readings() -> tuple[Reading, ...]:
    return tuple(load_readings(Path(__file__).parent / "readings.yaml").by_id.values())


def _every_state(book: Book, index: int, weapon: Weapon) -> Iterator[Fault]:
    """Find the states of threat and empowering for which a weapon's family has no row that is not overcharged."""
    family = weapon.family or weapon.id
    missing = [
        {"threat": threat, "empowered": empowered, "overcharged": False}
        for threat, empowered in product(range(4), (False, True))
        if not any(row.holds(threat, empowered, overcharged=False) for row in book.weapons[family])
    ]
    if missing:
        message = f"the weapon {family} has no row for {len(missing)} states"
        asked = "rows not overcharged that cover threat 0 to 3, empowered or not; null covers any"
        yield fault(f"scene/profiles/weapons/{index}", "no-row-for-a-state", message, missing[0], asked)


def _ids(scene: Scene) -> Iterator[Fault]:
    rows = [(f"explorers/{index}", unit.id) for index, unit in enumerate(scene.explorers)]
    rows += [(f"hostiles/{index}", unit.id) for index, unit in enumerate(scene.hostiles)]
    seen: dict[str, str] = {}
    for where, id_ in rows:
        if id_ in seen:
            message = f"{id_!r} is also {SCENE}/{seen[id_]}: a unit cannot be in two places"
            yield fault(f"scene/{where}/id", "unit-twice", message, id_, "an id of its own for every unit")
        seen.setdefault(id_, where)
    groups = {hostile.group for hostile in scene.hostiles}
    for index, explorer in enumerate(scene.explorers):
        if (card := explorer.card or explorer.id) in groups:
            message = f"{card!r} names an explorer's initiative card and a hostile group"
            yield fault(f"scene/explorers/{index}", "card-twice", message, explorer.id)


def _explorer(scene: Scene, ground: CheckedBoard, book: Book, where: str, explorer: Explorer) -> Iterator[Fault]:
    path = f"{SCENE}/{where}"
    if explorer.profile not in book.explorers:
        yield from unknown_id("explorer profile", explorer.profile, f"{path}/profile", book.explorers)
        return
    yield from _place(ground, where, explorer, "is out of action" if explorer.out_of_action else "")
    spaces = book.explorers[explorer.profile].spaces
    filled = explorer.wounds + explorer.grievous
    if filled > spaces:
        message = f"{filled} wounds and grievous wounds do not fit on {spaces} spaces"
        asked, hint = f"at most {spaces} together", "an explorer who suffers one more is out of action"
        yield fault(f"scene/{where}/wounds", "too-many-wounds", message, filled, asked, hint)
    elif len(dice := (*explorer.activation, *explorer.overwatch)) > spaces:
        message = f"{len(dice)} dice do not fit on {spaces} spaces"
        yield fault(f"scene/{where}/activation", "too-many-dice", message, list(dice), f"at most {spaces} dice")
    if explorer.player is not None:
        yield from unknown_id("player", explorer.player, f"{path}/player", scene.players)
    if explorer.slain:
        hostiles = sorted({hostile.id for hostile in scene.hostiles})
        yield from unknown_ids("hostile", explorer.slain, f"{path}/slain", hostiles)


def _hostile(ground: CheckedBoard, book: Book, where: str, hostile: Hostile) -> Iterator[Fault]:
    path = f"{SCENE}/{where}"
    card = book.hostiles.get(hostile.profile)
    if card is None:
        yield from unknown_id("hostile profile", hostile.profile, f"{path}/profile", book.hostiles)
        return
    yield from _place(ground, where, hostile, "is slain" if hostile.slain else "")
    if hostile.weapon is not None:
        yield from unknown_id("weapon", hostile.weapon, f"{path}/weapon", card.weapons)
    damage = hostile.wounds + 3 * hostile.grievous
    if damage >= card.wounds and not hostile.slain:
        message = f"{hostile.id} has {damage} damage and a Wounds value of {card.wounds}"
        hint = "set `slain` and leave out the hex, or take counters off"
        yield fault(f"scene/{where}/wounds", "should-be-slain", message, damage, f"less than {card.wounds}", hint)


def _place(ground: CheckedBoard, where: str, unit: Unit, gone: str) -> Iterator[Fault]:
    """Find a unit in a hex that it cannot stand in; `gone` says why it cannot stand in any."""
    hex_ = unit.hex
    if hex_ is None:
        return
    if hex_ not in ground.hexes:
        yield from on_board(ground.hexes, f"{where}/hex", hex_, unit.id)
    elif hex_ not in ground.open:
        message = f"{unit.id} stands in the obstruction at {list(hex_)}"
        yield fault(f"scene/{where}/hex", "in-obstruction", message, hex_, "an open hex")
    if gone:
        message = f"{unit.id} {gone} and stands in {list(hex_)}"
        yield fault(f"scene/{where}/hex", "not-on-the-battlefield", message, hex_, "no hex (null)")


def _crowds(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find hexes that hold more than their limits, or explorers and hostiles together."""
    crowds: dict[Hex, list[tuple[str, int, Unit]]] = {}
    for side in ("explorers", "hostiles"):
        for index, unit in enumerate(getattr(scene, side)):
            if unit.hex is not None and unit.profile in getattr(book, side):
                crowds.setdefault(unit.hex, []).append((side, index, unit))
    for hex_, crowd in crowds.items():
        kinds = tuple(book.kind(unit) for _, _, unit in crowd)
        if len({side for side, _, _ in crowd}) == 2:
            code, message = "enemies-in-one-hex", "explorers and hostiles share"
        elif len(crowd) > 1 and not (fits(kinds) or disputed_fit(kinds)):
            code, message = "hex-limit", "more than its limit stand in"
        else:
            continue
        side, index, _ = crowd[-1]
        yield fault(
            f"scene/{side}/{index}/hex",
            code,
            f"{message} {list(hex_)}: " + ", ".join(unit.id for _, _, unit in crowd),
            hex_,
            "3 small hostiles, or 1 large and 2 small, or 2 large, or 1 huge, or 2 explorers (both Twins count as one)",
        )


def _markers(scene: Scene, ground: CheckedBoard) -> Iterator[Fault]:
    for index, marker in enumerate(scene.discoveries):
        where = f"discoveries/{index}/hex"
        if marker.hex is not None:
            yield from on_board(ground.hexes, where, marker.hex, f"discovery {marker.id}")
        elif not scene.is_partial:
            message = f"discovery {marker.id} lies nowhere"
            yield fault(f"scene/{where}", "no-hex", message, None, "a hex of the board")
    for index, id_ in repeats([marker.id for marker in scene.discoveries]):
        yield fault(f"scene/discoveries/{index}/id", "repeated-id", f"two discovery markers are called {id_}", id_)
    yield from unknown_ids("twist", scene.twists, f"{SCENE}/twists", [row["id"] for row in table("twists")])


def _turn(scene: Scene) -> Iterator[Fault]:
    turn, path = scene.turn, f"{SCENE}/turn"
    cards = {explorer.card or explorer.id for explorer in scene.explorers} | {h.group for h in scene.hostiles}
    yield from unknown_ids("initiative card", turn.track, f"{path}/track", sorted(cards))
    if (dice := len(turn.destiny) + len(turn.discarded_destiny)) > DESTINY_DICE:
        message, asked = f"{dice} destiny dice are available or discarded", f"at most {DESTINY_DICE} together"
        yield fault("scene/turn/destiny", "too-many-destiny-dice", message, dice, asked)
    for index, card in repeats(turn.track):
        yield fault(f"scene/turn/track/{index}", "repeated-card", f"the card {card} lies on the track twice", card)
    yield from unknown_ids("explorer", turn.covered, f"{path}/covered", [one.id for one in scene.explorers])
    for name in ("leader", "hostile_player"):
        player = getattr(scene, name)
        if player is not None:
            yield from unknown_id("player", player, f"{SCENE}/{name}", scene.players)
    if scene.leader is not None and scene.leader == scene.hostile_player:
        yield fault("scene/leader", "leader-plays-hostiles", "the hostile player cannot be the leader", scene.leader)


class _Posted(Protocol):
    """A case with a scene."""

    @property
    def scene(self) -> Scene: ...


C = TypeVar("C", bound=_Posted)

State = CaseState[Battlefield, C]


def checked_case(case: C, *checks: Callable[[Battlefield, C], Iterator[Fault]]) -> Battlefield:
    """Give the battlefield of a case; raises `Faults` with everything that is impossible about scene and case."""
    faults, field = _inspect(case.scene)
    if field is not None:
        gather(*(partial(check, field, case) for check in checks))
        return field

    def unsound() -> Iterator[Fault]:
        yield from faults
        as_posted = prepare(case.scene)
        gather(*(partial(check, as_posted, case) for check in checks))

    gather(unsound)
    raise Faults(faults)


def checking(*checks: Callable[[Battlefield, C], Iterator[Fault]]) -> Callable[[C], State[C]]:
    """Give what prepares a case that is checked so; it raises `Faults`."""
    return lambda case: CaseState(checked_case(case, *checks), case)
