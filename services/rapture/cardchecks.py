"""What makes a posted card or the record of a unit impossible, each by itself."""

from collections.abc import Iterator

from arbiter.fault import Fault
from arbiter.skirmish.faults import SCENE, repeated_ids, unknown_id, unknown_ids
from services.rapture.book import Book
from services.rapture.profiles import Ability, Changes, Profile, Profiles
from services.rapture.scene import Scene, Unit


def profile_faults(own: Profiles, book: Book) -> Iterator[Fault]:
    """Find what is impossible about the cards of a scene."""
    for name, rows, kind in (
        ("units", own.units, "profile"),
        ("abilities", own.abilities, "ability"),
        ("missions", own.missions, "mission"),
        ("statuses", own.statuses, "status"),
    ):
        yield from repeated_ids(rows, f"{SCENE}/profiles/{name}", kind)
    for index, profile in enumerate(own.units):
        yield from _profile_faults(profile, book, f"{SCENE}/profiles/units/{index}")
    for index, ability in enumerate(own.abilities):
        yield from _ability_faults(ability, book, f"{SCENE}/profiles/abilities/{index}")
    for index, mission in enumerate(own.missions):
        if mission.ability is not None:
            yield from unknown_id(
                "ability", mission.ability, f"{SCENE}/profiles/missions/{index}/ability", book.abilities
            )


def _profile_faults(profile: Profile, book: Book, here: str) -> Iterator[Fault]:
    kind = book.unit_kinds[profile.kind]
    most = kind.most_models
    if profile.models < kind.least_models or (most is not None and profile.models > most):
        expected = f"{kind.least_models}" if most == kind.least_models else f"at least {kind.least_models}"
        yield Fault(
            f"{here}/models",
            "models",
            f"a card of the kind {profile.kind} cannot have {profile.models} models",
            profile.models,
            expected,
        )
    if (profile.mms is None) != (profile.range_cm is None):
        yield Fault(
            f"{here}/mms",
            "ranged-weapon",
            "a ranged weapon needs both MMS and range",
            profile.mms,
            "mms and range_cm, or neither",
        )
    yield from unknown_ids("ability", profile.abilities, f"{here}/abilities", book.abilities)
    yield from unknown_ids("profile", profile.apprentices, f"{here}/apprentices", book.profiles)
    for bar, row in (("hp", profile.hp), ("mp", profile.mp)):
        for index, box in enumerate(row):
            if box.ability is not None:
                yield from unknown_id("ability", box.ability, f"{here}/{bar}/{index}/ability", book.abilities)


def _ability_faults(ability: Ability, book: Book, here: str) -> Iterator[Fault]:
    if (ability.test == "number") != (ability.difficulty is not None):
        yield Fault(
            f"{here}/difficulty",
            "difficulty",
            "only a test against a number has a difficulty",
            ability.difficulty,
            "a difficulty with the test `number`, else null",
        )
    if ability.status is not None:
        yield from unknown_id("status", ability.status, f"{here}/status", book.statuses)


def unit_faults(unit: Unit, scene: Scene, book: Book, here: str) -> Iterator[Fault]:
    """Find what is impossible about a unit by itself."""
    sides = [side.id for side in scene.all_sides]
    yield from unknown_id("side", unit.side, f"{here}/side", sides)
    yield from unknown_id("profile", unit.profile, f"{here}/profile", book.profiles)
    yield from _id_faults(unit, book, here)
    yield from _disabled_faults(unit, sides, here)
    profile = book.profiles.get(unit.profile)
    if profile is None:
        return
    if len(unit.models) > profile.models:
        yield Fault(
            f"{here}/models",
            "models",
            f"{unit.id} has more models than its card",
            len(unit.models),
            f"at most {profile.models}",
        )
    for bar, crossed, boxes in (("hp", unit.hp_crossed, profile.hp), ("mp", unit.mp_crossed, profile.mp)):
        if crossed > len(boxes):
            yield Fault(
                f"{here}/{bar}_crossed",
                "boxes",
                f"{unit.id} has more {bar.upper()} crossed out than there are",
                crossed,
                f"at most {len(boxes)}",
            )
    if unit.hp_crossed == len(profile.hp) and unit.disabled is None:
        yield Fault(
            f"{here}/hp_crossed",
            "no-health",
            f"{unit.id} has no HP left, but is not disabled",
            unit.hp_crossed,
            f"less than {len(profile.hp)}",
            "send it without models, and `disabled` as casualty",
        )
    yield from _point_faults(unit, profile, book, here)


def _id_faults(unit: Unit, book: Book, here: str) -> Iterator[Fault]:
    """Find ids in the record of a unit that name nothing, and statuses that are read off the table."""
    either = {*book.actions, *book.abilities}
    for member, tally, among, kind in (
        ("used", unit.used, either, "action"),
        ("used_match", unit.used_match, book.abilities, "ability"),
        ("charges_left", unit.charges_left, book.abilities, "ability"),
        ("successes", unit.successes, book.abilities, "ability"),
    ):
        for index, row in enumerate(tally):
            yield from unknown_id(kind, row.id, f"{here}/{member}/{index}/id", among)
        if len({row.id for row in tally}) < len(tally):
            yield Fault(
                f"{here}/{member}",
                "counted-twice",
                f"{unit.id} counts the same thing twice",
                [row.id for row in tally],
                "each id once",
            )
    for index, effect in enumerate(unit.effects):
        yield from unknown_id("ability", effect.ability, f"{here}/effects/{index}/ability", book.abilities)
    settable = [id_ for id_, status in book.statuses.items() if not status.derived]
    # Shelter and escape have members of their own.
    own = [id_ for id_ in settable if id_ not in ("sheltered", "escaping")]
    yield from unknown_ids("status", unit.statuses, f"{here}/statuses", own)
    for index, row in enumerate(unit.charges_left):
        ability = book.abilities.get(row.id)
        if ability is not None and row.times > (ability.charges or 0):
            yield Fault(
                f"{here}/charges_left/{index}/times",
                "charges",
                f"{row.id} has more charges left than it has",
                row.times,
                f"at most {ability.charges or 0}",
            )


def _disabled_faults(unit: Unit, sides: list[str], here: str) -> Iterator[Fault]:
    if unit.disabled is not None and unit.models:
        yield Fault(
            f"{here}/models",
            "disabled",
            f"{unit.id} is disabled, but has models on the battlefield",
            len(unit.models),
            "no models",
        )
    if unit.disabled_by is not None:
        yield from unknown_id("side", unit.disabled_by, f"{here}/disabled_by", sides)
        if unit.disabled is None:
            yield Fault(
                f"{here}/disabled_by",
                "disabled",
                f"{unit.id} is not disabled, so no side has disabled it",
                unit.disabled_by,
                "null, or `disabled` as well",
            )


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
            yield Fault(
                f"{here}/{member}",
                "points",
                f"{unit.id} has more {member.upper()} than its card and its effects give",
                at_hand,
                f"at most {most}",
            )
