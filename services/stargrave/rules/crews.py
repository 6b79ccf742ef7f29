"""Crews: the members, their cost and their profiles; all violations at once.

The officers are decided in `officers`, what members carry in `kit`. A crew is built between games: no dice.
"""

from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from arbiter.rule import Forbidden, rule
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.text import Quantity, UnitName
from arbiter.value import Value
from services.stargrave.battlefield import Ids, Reasons
from services.stargrave.book import Book, row, with_built_in
from services.stargrave.book import table as rows
from services.stargrave.profiles import Profile
from services.stargrave.rules import after_game, kit, officers
from services.stargrave.rules.officers import Office, Officer
from services.stargrave.scene import Role

MOST_SOLDIERS = 8
MOST_SPECIALISTS = 4
IN_EXTRA_QUARTERS = 1
CREDITS = 400


class Hired(Value, frozen=True):
    """A soldier of a crew: its `kind`, and the `gear` it has beside that of its kind."""

    id: Id
    kind: Id
    gear: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()


class Crew(Value, frozen=True, kw_only=True):
    """A crew as a player builds it. `credits` is what there was to spend, None for what a new crew has."""

    captain: Officer | None = None
    first_mate: Officer | None = None
    soldiers: Annotated[tuple[Hired, ...], Meta(max_length=30)] = ()
    extra_quarters: Annotated[bool, Meta(description="Whether the ship has extra quarters.")] = False
    credits: Annotated[int, Meta(ge=0, le=100_000, description="What there was to spend on the soldiers.")] | None = (
        None
    )


class Member(Value, frozen=True):
    """A member of a lawful crew, with a profile that a scene can bring along; soldiers have no level.

    `gear_known` is false for soldiers whose usual gear no source lists.
    """

    id: Id
    role: Role
    level: int | None
    slots_filled: int
    slots: int
    gear_known: bool
    profile: Profile


class CrewAnswer(Value, frozen=True):
    """A lawful crew: its members with profiles that a scene can bring along, and its credits."""

    members: tuple[Member, ...]
    specialists: int
    credits_spent: int
    credits_left: int
    upkeep_credits: Annotated[int, Meta(description="What armour costs before every game.")]


def build(table: Table, book: Book, own: frozenset[str], crew: Crew) -> CrewAnswer:
    """Decide whether a crew is lawful, and give it with everything worked out; raises `Forbidden` with every reason.

    `own` are the kinds of soldier whose profile the scene brings along.
    """
    reasons = [*size(table, crew), *too_many_specialists(table, crew)]
    members = []
    leaders: dict[Office, Officer | None] = {"captain": crew.captain, "first-mate": crew.first_mate}
    for office, officer in leaders.items():
        if officer is not None:
            member, violations = _officer(table, book, office, officer)
            members.append(member)
            reasons += violations
    if crew.captain is not None and crew.first_mate is not None:
        captain, mate = officers.level("captain", crew.captain), officers.level("first-mate", crew.first_mate)
        reasons += after_game.gap(table, captain, mate)
    for hired in crew.soldiers:
        member, violations = _soldier(table, book, own, hired)
        members.append(member)
        reasons += violations
    spent = cost(table, crew)
    left, too_dear = purse(table, spent, crew.credits)
    reasons += too_dear
    if reasons:
        raise Forbidden(*reasons)
    return CrewAnswer(tuple(members), _specialists(crew), spent, left, upkeep(table, book, tuple(members)))


@rule("crews.size", cites="crew/size", neutral=())
def size(table: Table, crew: Crew) -> Reasons:
    """Decide why the crew is none: it has a captain, a first mate and up to eight soldiers."""
    leaders = {"captain": crew.captain, "first mate": crew.first_mate}
    reasons = [table.reason("The crew has no {who}", who=who) for who, officer in leaders.items() if officer is None]
    if (soldiers := len(crew.soldiers)) > MOST_SOLDIERS:
        text = "The crew has {soldiers}, but may have {most}"
        reasons.append(table.reason(text, soldiers=Quantity(soldiers, "soldier"), most=MOST_SOLDIERS))
    if not reasons:
        table.find("The crew has a captain, a first mate and {soldiers}", soldiers=Quantity(soldiers, "soldier"))
    return tuple(reasons)


@rule("crews.too_many_specialists", cites=("crew/specialists", "crew/extra-quarters"), neutral=())
def too_many_specialists(table: Table, crew: Crew) -> Reasons:
    """Decide why there are too many specialists: four soldiers may be, and five with extra quarters on the ship."""
    most = MOST_SPECIALISTS + IN_EXTRA_QUARTERS * crew.extra_quarters
    cites = ("crew/specialists", "crew/extra-quarters") if crew.extra_quarters else "crew/specialists"
    count = _specialists(crew)
    values: dict[str, Any] = {"specialists": Quantity(count, "specialist"), "most": most}
    if count > most:
        return (table.reason("The crew has {specialists}, but may have {most}", cites=cites, **values),)
    table.find("The crew has {specialists}, and may have {most}", cites=cites, **values)
    return ()


def _specialists(crew: Crew) -> int:
    return sum(bool(row("soldiers", hired.kind)["specialist"]) for hired in crew.soldiers)


@rule("crews.cost", cites="crew/credits", neutral=0)
def cost(table: Table, crew: Crew) -> int:
    """Decide what the soldiers cost together, in credits."""
    total = sum(int(row("soldiers", hired.kind)["cost_credits"]) for hired in crew.soldiers)
    table.find("The soldiers cost {total} credits", total=total)
    return total


@rule(
    "crews.purse",
    cites="crew/credits",
    neutral=lambda spent, had: (max(0, (CREDITS if had is None else had) - spent), ()),
)
def purse(table: Table, spent: int, had: int | None) -> tuple[int, Reasons]:
    """Decide what is left of the credits there were, and why they are too few; a new crew has 400."""
    had = CREDITS if had is None else had
    values: dict[str, Any] = {"spent": spent, "had": had, "left": had - spent}
    if spent > had:
        return 0, (table.reason("The soldiers cost {spent} credits, but the crew has {had}", **values),)
    table.find("{left} of {had} credits are left", **values)
    return had - spent, ()


@rule("crews.upkeep", cites="armour/combat", neutral=0)
def upkeep(table: Table, book: Book, members: tuple[Member, ...]) -> int:
    """Decide what the crew pays before every game for what its members wear."""
    total = 0
    for member in members:
        for id_ in member.profile.worn:
            armour, who = book.armour[id_], UnitName(member.id, member.profile.name)
            if price := armour.upkeep_credits:
                text = "The {armour} of {who} costs {price} credits before every game"
                table.find(text, armour=armour.name, who=who, price=price)
                total += price
    return total


@rule(
    "crews.soldier_profile",
    cites="soldier/armour-included",
    neutral=lambda book, own, hired: _added_again(book, book.profiles[hired.kind], hired),
)
def soldier_profile(table: Table, book: Book, own: frozenset[str], hired: Hired) -> Profile:
    """Decide the profile of a soldier: that of its kind, with more Armour for what it wears beside.

    Where sources disagree on a number, readings settle it. Its Move counts what it wears, too.
    """
    profile = book.profiles[hired.kind]
    if hired.kind not in own:
        settled = officers.resolved_row(table, row("soldiers", hired.kind))
        profile = replace(profile, fight=settled["fight"], shoot=settled["shoot"])
    named = UnitName(hired.id, profile.name)
    beside = tuple(id_ for id_ in hired.gear if id_ in book.armour)
    move, armour = profile.move_in, profile.armour
    if beside:
        move += sum(book.armour[id_].move_in for id_ in beside)
        before = max((book.armour[id_].armour for id_ in profile.worn), default=0)
        armour += kit.protection(table, book, named, (*profile.worn, *beside)) - before
    table.find("{who}: Armour {armour} and Move {move} with all that it wears", who=named, armour=armour, move=move)
    return replace(profile, id=hired.id, move_in=move, armour=armour)


def _added_again(book: Book, profile: Profile, hired: Hired) -> Profile:
    worn = sum(book.armour[id_].armour for id_ in (*profile.worn, *hired.gear) if id_ in book.armour)
    return replace(profile, id=hired.id, armour=profile.armour + worn)


def _soldier(table: Table, book: Book, own: frozenset[str], hired: Hired) -> tuple[Member, Reasons]:
    kind = row("soldiers", hired.kind)
    who = UnitName(hired.id, kind["name"])
    profile = soldier_profile(table, book, own, hired)
    listed = (*profile.weapons, *profile.worn, *profile.gear)
    more = kit.grenades(table, who, hired.gear, False)
    filled = kit.slots(table, book, who, more, False, kind["gear_slots"])
    everything = with_built_in((*listed, *more), book.armour)
    reasons = (
        *kit.too_much(table, who, filled, kind["gear_slots"]),
        *kit.soldiers_knife(table, who, listed, more),
        *kit.barred(table, book, who, everything),
    )
    gear_known, profile = hired.kind in own or bool(kind["gear_known"]), _equipped(book, profile, everything)
    return Member(hired.id, "soldier", None, filled, kind["gear_slots"], gear_known, profile), reasons


def _officer(table: Table, book: Book, office: Office, officer: Officer) -> tuple[Member, Reasons]:
    who = officers.title(office, officer)
    base = row("officers", office)
    grown, wrong_growth = officers.growth(table, office, officer)
    stats = officers.stats(table, office, officer, grown)
    items = kit.grenades(table, who, officer.gear, True)
    filled = kit.slots(table, book, who, items, True, base["gear_slots"])
    # What armour has built in takes no slots of its own.
    everything = with_built_in(items, book.armour)
    worn = kit.protection(table, book, who, everything)
    reasons = (
        *officers.wrong_increases(table, office, officer),
        *officers.wrong_powers(table, office, officer),
        *officers.wrongly_lowered(table, office, officer),
        *wrong_growth,
        *officers.too_high(table, office, officer, stats, worn),
        *kit.too_much(table, who, filled, base["gear_slots"]),
        *kit.barred(table, book, who, everything),
    )
    move, fight, shoot, armour, will, health = (number for _, number in stats)
    powers = officers.powers(table, office, officer, grown)
    numbers = (move, fight, shoot, armour + worn, will, health)
    profile = _equipped(book, Profile(officer.id, officer.name or base["name"], *numbers, powers=powers), everything)
    level = officers.level(office, officer)
    return Member(officer.id, office, level, filled, base["gear_slots"], True, profile), reasons


def _equipped(book: Book, profile: Profile, items: Ids) -> Profile:
    return replace(
        profile,
        weapons=tuple(id_ for id_ in items if id_ in book.weapons),
        worn=tuple(id_ for id_ in items if id_ in book.armour),
        gear=tuple(id_ for id_ in items if id_ in book.gear),
    )


def kinds() -> Ids:
    """List the kinds of soldier that can be hired."""
    return tuple(each["id"] for each in rows("soldiers"))
