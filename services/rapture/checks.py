"""What makes a scene impossible: every fault with its pointer, before any rule reads it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeVar

from arbiter.caching import by_board
from arbiter.fault import Fault
from arbiter.geometry.plane.shapes import Figure, thousandths
from arbiter.skirmish import cases
from arbiter.skirmish.cases import CaseState
from arbiter.skirmish.faults import SCENE, active_faults, order_faults, repeated_ids, unknown_id, unknown_ids
from arbiter.skirmish.plane import off_table, standing_faults, table_faults
from arbiter.skirmish.validation import Validator
from services.rapture.battlefield import Battlefield, in_play, placed, prepare
from services.rapture.book import Book
from services.rapture.ground import as_piece, solids
from services.rapture.profiles import Ability, Changes, Profile, Profiles
from services.rapture.scene import Board, Scene, Unit

C = TypeVar("C")


def _faults(scene: Scene) -> Iterator[Fault]:
    scene = placed(scene)
    yield from _board_faults(scene.board)
    book = Book.of(scene.profiles)
    yield from _card_faults(scene.profiles, book)
    yield from repeated_ids(scene.sides, f"{SCENE}/sides", "side")
    yield from _side_faults(scene)
    yield from repeated_ids(scene.units, f"{SCENE}/units", "unit")
    yield from repeated_ids(scene.objectives, f"{SCENE}/objectives", "objective")
    for index, side in enumerate(scene.sides):
        if side.mission is not None:
            yield from unknown_id("mission", side.mission, f"{SCENE}/sides/{index}/mission", book.missions)
    size = scene.board.width_cm, scene.board.depth_cm
    for index, objective in enumerate(scene.objectives):
        where, name = f"{SCENE}/objectives/{index}/at", f"objective {objective.id}"
        if objective.at is not None:
            yield from off_table(name, objective.at, size, where, "cm")
        elif not scene.is_partial:
            yield Fault(where, "no-place", f"the {name} has no place", None, "a place on the board")
    for index, unit in enumerate(scene.units):
        yield from _unit_faults(unit, scene, book, f"{SCENE}/units/{index}")
    if not scene.is_partial:
        yield from _position_faults(scene, book)
    yield from _band_faults(scene, book)
    yield from _round_faults(scene)


def _side_faults(scene: Scene) -> Iterator[Fault]:
    """Find a scene without sides, and sides without an edge on a board."""
    if not scene.all_sides:
        yield Fault(f"{SCENE}/sides", "no-sides", "the scene has no side", [], "at least one side")
    for index, side in enumerate(scene.all_sides):
        if side.edge is None and not scene.is_partial:
            asked = "north, east, south or west"
            yield Fault(f"{SCENE}/sides/{index}/edge", "no-edge", f"{side.id} has no edge of its own", None, asked)


@by_board
def _board_faults(board: Board) -> tuple[Fault, ...]:
    """Validate a board once: many questions have the same board."""
    return table_faults(board.width_cm, board.depth_cm, map(as_piece, board.pieces), ("width_cm", "depth_cm"))


def _position_faults(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find models that overlap by more than the rounding of places, or are off the battlefield."""
    slack, places = thousandths(scene.board.tolerance_cm), []
    bodies: list[Figure] = []
    for index, unit in enumerate(scene.units):
        if in_play(unit) and unit.profile in book.profiles:
            bodies += solids(unit, book.profiles[unit.profile], slack)
            places += [f"{SCENE}/units/{index}/models/{number}" for number in range(len(unit.models))]
    size = scene.board.width_cm, scene.board.depth_cm
    yield from standing_faults(bodies, places, size, f"{SCENE}/units")


def _band_faults(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find apprentices without their leader, and leaders of others."""
    by_id = {unit.id: unit for unit in scene.units}
    for index, unit in enumerate(scene.units):
        here = f"{SCENE}/units/{index}"
        card, leader = book.profiles.get(unit.profile), by_id.get(unit.leader or "")
        if card is None:
            continue
        if card.kind != "apprentice":
            if unit.leader is not None:
                text = f"{unit.id} is not an apprentice and cannot have a leader"
                yield Fault(f"{here}/leader", "leader", text, unit.leader, "no leader")
            continue
        lead_card = book.profiles.get(leader.profile) if leader else None
        if leader is None or lead_card is None:
            which = "it names no leader" if unit.leader is None else f"there is no leader {unit.leader!r}"
            text = f"{unit.id} is an apprentice, but {which}"
            yield Fault(f"{here}/leader", "leader", text, unit.leader, "the id of a leader of the same side")
            continue
        if leader.side != unit.side or lead_card.kind != "leader" or unit.profile not in lead_card.apprentices:
            text = f"{unit.leader} cannot lead {unit.id}"
            asked = f"a leader of the side {unit.side} whose card names {unit.profile} among its apprentices"
            yield Fault(f"{here}/leader", "leader", text, unit.leader, asked)
        if in_play(unit) and not in_play(leader):
            text = f"{unit.id} is in play, but its leader {leader.id} is not"
            asked = "no models, as long as its leader is not in play"
            hint = "the apprentices of a leader that is disabled are casualties"
            yield Fault(f"{here}/models", "leader-not-in-play", text, len(unit.models), asked, hint)


def _round_faults(scene: Scene) -> Iterator[Fault]:
    """Find what is wrong with the round: the order of sides, the turn, and the active unit."""
    sides = [side.id for side in scene.all_sides]
    yield from order_faults(scene.order, sides, f"{SCENE}/order", "side")
    for member, id_ in (("turn", scene.turn), ("first_last_round", scene.first_last_round)):
        if id_ is not None:
            yield from unknown_id("side", id_, f"{SCENE}/{member}", sides)

    def wrong(unit: Unit) -> str | None:
        if scene.phase != "activation":
            return f"units are activated in the activation phase; this is {scene.phase!r}"
        if not in_play(unit):
            return f"{unit.id} is not in play"
        return f"{unit.id} has already been activated this round" if unit.activated else None

    asked = "a unit in play of the side whose turn it is, not activated"
    yield from active_faults(scene.active, scene.units, scene.turn, wrong, asked)


VALIDATOR = Validator(
    _faults,
    prepare,
    {
        "unit": lambda scene: [unit.id for unit in scene.units],
        "side": lambda scene: [side.id for side in scene.all_sides],
        "objective": lambda scene: [objective.id for objective in scene.objectives],
        "ability": lambda scene: Book.of(scene.profiles).abilities,
        "target": lambda scene: [*(unit.id for unit in scene.units), *(row.id for row in scene.objectives)],
    },
    playing=lambda scene: [unit.id for unit in placed(scene).units if in_play(unit)],
    absence="is not on the battlefield, or is disabled",
)
checked, checked_case, on_battlefield = VALIDATOR.scene, VALIDATOR.case, VALIDATOR.in_play


def prepared(
    *members: str,
    kinds: Mapping[str, str] = MappingProxyType({}),
    in_play: bool = True,
    wrong: Callable[[Battlefield, C], Iterable[Fault]] = lambda *_: (),
) -> Callable[[C], CaseState[Battlefield, C]]:
    """Give what prepares a case of which these members name units, or what else `kinds` says, as `cases.prepared`."""
    return cases.prepared(VALIDATOR, "unit", kinds, members, in_play, wrong)


def _card_faults(own: Profiles, book: Book) -> Iterator[Fault]:
    """Find what is impossible about the cards of a scene."""
    here = f"{SCENE}/profiles"
    yield from repeated_ids(own.units, f"{here}/units", "profile")
    yield from repeated_ids(own.abilities, f"{here}/abilities", "ability")
    yield from repeated_ids(own.missions, f"{here}/missions", "mission")
    yield from repeated_ids(own.statuses, f"{here}/statuses", "status")
    for index, profile in enumerate(own.units):
        yield from _profile_faults(profile, book, f"{here}/units/{index}")
    for index, ability in enumerate(own.abilities):
        yield from _ability_faults(ability, book, f"{here}/abilities/{index}")
    for index, mission in enumerate(own.missions):
        if mission.ability is not None:
            yield from unknown_id("ability", mission.ability, f"{here}/missions/{index}/ability", book.abilities)


def _profile_faults(profile: Profile, book: Book, here: str) -> Iterator[Fault]:
    kind = book.unit_kinds[profile.kind]
    least, most = kind.least_models, kind.most_models
    if profile.models < least or (most is not None and profile.models > most):
        text = f"a card of the kind {profile.kind} cannot have {profile.models} models"
        expected = f"{least}" if most == least else f"at least {least}"
        yield Fault(f"{here}/models", "models", text, profile.models, expected)
    if (profile.mms is None) != (profile.range_cm is None):
        text, expected = "a ranged weapon needs both MMS and range", "mms and range_cm, or neither"
        yield Fault(f"{here}/mms", "ranged-weapon", text, profile.mms, expected)
    yield from unknown_ids("ability", profile.abilities, f"{here}/abilities", book.abilities)
    yield from unknown_ids("profile", profile.apprentices, f"{here}/apprentices", book.profiles)
    for bar, row in (("hp", profile.hp), ("mp", profile.mp)):
        for index, box in enumerate(row):
            if box.ability is not None:
                yield from unknown_id("ability", box.ability, f"{here}/{bar}/{index}/ability", book.abilities)


def _ability_faults(ability: Ability, book: Book, here: str) -> Iterator[Fault]:
    if (ability.test == "number") != (ability.difficulty is not None):
        text = "only a test against a number has a difficulty"
        expected = "a difficulty with the test `number`, else null"
        yield Fault(f"{here}/difficulty", "difficulty", text, ability.difficulty, expected)
    if ability.status is not None:
        yield from unknown_id("status", ability.status, f"{here}/status", book.statuses)


def _unit_faults(unit: Unit, scene: Scene, book: Book, here: str) -> Iterator[Fault]:
    """Find what is impossible about a unit by itself."""
    sides = [side.id for side in scene.all_sides]
    yield from unknown_id("side", unit.side, f"{here}/side", sides)
    yield from unknown_id("profile", unit.profile, f"{here}/profile", book.profiles)
    yield from _id_faults(unit, book, here)
    if unit.disabled is not None and unit.models:
        text = f"{unit.id} is disabled, but has models on the battlefield"
        yield Fault(f"{here}/models", "disabled", text, len(unit.models), "no models")
    if unit.disabled_by is not None:
        yield from unknown_id("side", unit.disabled_by, f"{here}/disabled_by", sides)
        if unit.disabled is None:
            text = f"{unit.id} is not disabled, so no side has disabled it"
            yield Fault(f"{here}/disabled_by", "disabled", text, unit.disabled_by, "null, or `disabled` as well")
    profile = book.profiles.get(unit.profile)
    if profile is None:
        return
    if len(unit.models) > profile.models:
        text, expected = f"{unit.id} has more models than its card", f"at most {profile.models}"
        yield Fault(f"{here}/models", "models", text, len(unit.models), expected)
    for bar, crossed, boxes in (("hp", unit.hp_crossed, profile.hp), ("mp", unit.mp_crossed, profile.mp)):
        if crossed > len(boxes):
            text = f"{unit.id} has more {bar.upper()} crossed out than there are"
            yield Fault(f"{here}/{bar}_crossed", "boxes", text, crossed, f"at most {len(boxes)}")
    if unit.hp_crossed == len(profile.hp) and unit.disabled is None:
        text, expected = f"{unit.id} has no HP left, but is not disabled", f"less than {len(profile.hp)}"
        hint = "send it without models, and `disabled` as casualty"
        yield Fault(f"{here}/hp_crossed", "no-health", text, unit.hp_crossed, expected, hint)
    yield from _point_faults(unit, profile, book, here)


def _id_faults(unit: Unit, book: Book, here: str) -> Iterator[Fault]:
    """Find ids in the record of a unit that name nothing, and statuses that are read off the table."""
    either = (*book.actions, *book.abilities)
    for member, tally, among, kind in (
        ("used", unit.used, either, "action"),
        ("used_match", unit.used_match, book.abilities, "ability"),
        ("charges_left", unit.charges_left, book.abilities, "ability"),
        ("successes", unit.successes, book.abilities, "ability"),
    ):
        ids = [row.id for row in tally]
        for index, id_ in enumerate(ids):
            yield from unknown_id(kind, id_, f"{here}/{member}/{index}/id", among)
        if len(set(ids)) < len(ids):
            text = f"{unit.id} counts the same thing twice"
            yield Fault(f"{here}/{member}", "counted-twice", text, ids, "each id once")
    for index, effect in enumerate(unit.effects):
        yield from unknown_id("ability", effect.ability, f"{here}/effects/{index}/ability", book.abilities)
    # Shelter and escape have members of their own.
    members = "sheltered", "escaping"
    own = [id_ for id_, status in book.statuses.items() if not status.derived and id_ not in members]
    yield from unknown_ids("status", unit.statuses, f"{here}/statuses", own)
    for index, row in enumerate(unit.charges_left):
        ability = book.abilities.get(row.id)
        most = None if ability is None else ability.charges or 0
        if most is not None and row.times > most:
            text = f"{row.id} has more charges left than it has"
            yield Fault(f"{here}/charges_left/{index}/times", "charges", text, row.times, f"at most {most}")


def _point_faults(unit: Unit, profile: Profile, book: Book, here: str) -> Iterator[Fault]:
    """Find AP and RP beyond what the card gives with everything that can add to them."""
    crossed = (*profile.hp[: unit.hp_crossed], *profile.mp[: unit.mp_crossed])
    named = (*(box.ability for box in crossed), *(effect.ability for effect in unit.effects), *profile.abilities)
    changes: list[Changes] = [
        *crossed,
        *(book.abilities[id_].modifiers for id_ in named if id_ is not None and id_ in book.abilities),
        *((profile.ascended,) if unit.ascended else ()),
        unit.changes,
    ]
    for member, at_hand, card in (("ap", unit.ap, profile.ap), ("rp", unit.rp, profile.rp)):
        most = card + sum(max(0, getattr(change, member)) for change in changes)
        if at_hand is not None and at_hand > most:
            text = f"{unit.id} has more {member.upper()} than its card and its effects give"
            yield Fault(f"{here}/{member}", "points", text, at_hand, f"at most {most}")
