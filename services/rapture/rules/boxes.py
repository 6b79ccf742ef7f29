"""The bars of a card: boxes crossed out and restored, what they change, and what follows from the last one.

Rules that take the book and a unit need no battlefield, so that a law walks them over units alone. Crossing out MP
is in `escape`, as the last one may begin an escape.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from arbiter.geometry.plane.shapes import PER_UNIT, thousandths
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.rapture.battlefield import Battlefield, unit_name
from services.rapture.book import Book
from services.rapture.profiles import Ability, Box, Changes, Profile
from services.rapture.scene import Unit

Bar = Literal["hp", "mp"]

_FIELDS = Changes.__struct_fields__
_NOTHING = Changes()


class Values(Value, frozen=True):
    """The current values of a unit; `mov` and `range` in thousandths of a centimetre.

    `mms` and `range` are null without a ranged weapon. Difficulties may lie beyond the faces of a die. `ap` and `rp`
    are what a refill gives.
    """

    ccs: int
    mms: int | None
    att: int
    rof: int
    tec: int
    def_: int
    ini: int
    mov: int
    range: int | None
    ap: int
    rp: int


def values(table: Table, field: Battlefield, unit_id: str) -> Values:
    """Give the current values of a unit."""
    return table.once(values_of, field.book, field.unit(unit_id))


def left(field: Battlefield, unit_id: str, bar: Bar) -> int:
    """Give the number of boxes of a bar that are not crossed out."""
    return _left(field.book, field.unit(unit_id), bar)


def points(table: Table, field: Battlefield, unit_id: str) -> tuple[int, int]:
    """Give the AP and RP of a unit: those of the scene, or else all that its card gives now."""
    unit = field.unit(unit_id)
    now = values(table, field, unit_id)
    return now.ap if unit.ap is None else unit.ap, now.rp if unit.rp is None else unit.rp


def lost(before: Battlefield, after: Battlefield) -> dict[str, int]:
    """Give the boxes of HP and MP that each side has lost, in the order of the scene: what answers with a worth count.

    A disabled unit has lost all that it had left; restored boxes count as negative losses.
    """

    def all_left(field: Battlefield, unit_id: str) -> int:
        disabled = field.unit(unit_id).disabled is not None
        return 0 if disabled else left(field, unit_id, "hp") + left(field, unit_id, "mp")

    losses = {side.id: 0 for side in before.scene.all_sides}
    for unit in before.units:
        if after.unit(unit.id) != unit:
            losses[unit.side] += all_left(before, unit.id) - all_left(after, unit.id)
    return losses


@rule(
    "boxes.values_of",
    cites=("health/box-effects", "morale/box-effects"),
    neutral=lambda book, unit: with_changes(book.profiles[unit.profile], ()),
)
def values_of(table: Table, book: Book, unit: Unit) -> Values:
    """Decide the current values of a unit: those of its card with all changes.

    Changes come from crossed boxes, passive and triggered abilities, lasting effects and an ascension. No number of
    dice, points or centimetres falls below 0.
    """
    profile = book.profiles[unit.profile]
    changes: list[Changes] = [
        *active_boxes(table, book, unit, "hp"),
        *active_boxes(table, book, unit, "mp"),
        *triggered_changes(table, book, unit),
        *passive_changes(table, book, unit),
        *(book.abilities[effect.ability].modifiers for effect in unit.effects),
        *((profile.ascended,) if unit.ascended else ()),
        unit.changes,
    ]
    now = with_changes(profile, changes)
    table.explain(_find_changes, book, unit, now)
    return now


def _find_changes(table: Table, book: Book, unit: Unit, now: Values) -> None:
    """Say which values differ from the card."""
    card, parts = with_changes(book.profiles[unit.profile], ()), []
    for name in Values.__struct_fields__:
        was, is_ = getattr(card, name), getattr(now, name)
        if was != is_ and name in ("mov", "range"):
            label = "range" if name == "range" else "MOV"
            parts.append(f"{label} {is_ / PER_UNIT:g} cm instead of {was / PER_UNIT:g} cm")
        elif was != is_:
            parts.append(f"{name.rstrip('_').upper()} {is_} instead of {was}")
    if parts:
        cites = _causes(table, book, unit)
        table.find("{unit} now: {changes}", cites=cites, unit=unit_name(book, unit), changes=Listing(parts))


def _causes(table: Table, book: Book, unit: Unit) -> tuple[str, ...]:
    """Give the passages by which the values of a unit differ from its card; what players add themselves has none."""
    causes = {
        "health/box-effects": active_boxes(table, book, unit, "hp"),
        "morale/box-effects": active_boxes(table, book, unit, "mp"),
        "action/ability": unit.effects,
        "preparation/ascensions": unit.ascended,
    }
    return tuple(passage for passage, there in causes.items() if there)


def active_boxes(table: Table, book: Book, unit: Unit, bar: Bar) -> tuple[Box, ...]:
    """Give the crossed boxes of a bar that apply: all with an effect, or only the latest (`boxes-add-up`)."""
    crossed = _crossed(book, unit, bar)
    marked = tuple(box for box in crossed if box.ability is not None or any(getattr(box, name) for name in _FIELDS))
    if len(marked) > 1 and table.read("boxes-add-up") == "latest":
        return marked[-1:]
    return marked


@rule("boxes.triggered_changes", cites="ability/box", neutral=())
def triggered_changes(table: Table, book: Book, unit: Unit) -> tuple[Changes, ...]:
    """Decide what the abilities triggered by crossed boxes add to values; their duration is `box-abilities`."""
    active = (*active_boxes(table, book, unit, "hp"), *active_boxes(table, book, unit, "mp"))
    abilities = _changing(book.abilities[box.ability] for box in active if box.ability is not None)
    return () if abilities and table.read("box-abilities") == "once" else _modifiers(table, book, unit, abilities)


@rule("boxes.passive_changes", cites="ability/passive", neutral=())
def passive_changes(table: Table, book: Book, unit: Unit) -> tuple[Changes, ...]:
    """Decide what passive abilities add to values: they always apply."""
    own = [book.abilities[id_] for id_ in book.profiles[unit.profile].abilities]
    return _modifiers(table, book, unit, _changing(ability for ability in own if ability.when == "passive"))


def _changing(abilities: Iterable[Ability]) -> list[Ability]:
    return [ability for ability in abilities if ability.modifiers != _NOTHING]


def _modifiers(table: Table, book: Book, unit: Unit, abilities: list[Ability]) -> tuple[Changes, ...]:
    """Give what abilities add to values, and say so if there are any."""
    if abilities:
        names = Listing(ability.name or ability.id for ability in abilities)
        table.find("The values of {unit} change because of {abilities}", abilities=names, unit=unit_name(book, unit))
    return tuple(ability.modifiers for ability in abilities)


def with_changes(profile: Profile, changes: list[Changes] | tuple[Changes, ...]) -> Values:
    """Give the values of a card with changes added."""
    plus = {name: sum(getattr(change, name) for change in changes) for name in _FIELDS}
    reach = None if profile.range_cm is None else thousandths(profile.range_cm) + plus["range"] * PER_UNIT
    return Values(
        ccs=profile.ccs + plus["ccs"],
        mms=None if profile.mms is None else profile.mms + plus["mms"],
        att=max(0, profile.att + plus["att"]),
        rof=max(0, profile.rof + plus["rof"]),
        tec=max(0, profile.tec + plus["tec"]),
        def_=max(0, profile.def_ + plus["def_"]),
        ini=profile.ini + plus["ini"],
        mov=max(0, thousandths(profile.mov_cm) + plus["mov"] * PER_UNIT),
        range=None if reach is None else max(0, reach),
        ap=max(0, profile.ap + plus["ap"]),
        rp=max(0, profile.rp + plus["rp"]),
    )


def cross_health(table: Table, field: Battlefield, unit_id: str, wounds: int, side: str | None) -> Battlefield:
    """Give the battlefield after wounds; a unit without HP is a casualty. `side` has dealt them, or None."""
    unit = field.unit(unit_id)
    if wounds <= 0 or unit.disabled is not None:
        return field
    return remove_casualty(table, field.put(lose_health(table, field.book, unit, wounds)), unit_id, side)


def restore(table: Table, field: Battlefield, unit_id: str, bar: Bar, many: int) -> Battlefield:
    """Give the battlefield after boxes of a bar are restored, at most those crossed out."""
    unit = field.unit(unit_id)
    return field if unit.disabled is not None else field.put(regain(table, field.book, unit, bar, many))


@rule("boxes.lose_health", cites=("health/boxes", "attack/crossed-out"), neutral=lambda book, unit, wounds: unit)
def lose_health(table: Table, book: Book, unit: Unit, wounds: int) -> Unit:
    """Decide which HP are crossed out: the next boxes of the bar, one for each wound, while there are any."""
    return _cross(table, book, unit, "hp", wounds)


@rule("boxes.lose_morale", cites="morale/boxes", neutral=lambda book, unit, points: unit)
def lose_morale(table: Table, book: Book, unit: Unit, points: int) -> Unit:
    """Decide which MP are crossed out: the next boxes of the bar, while there are any."""
    if not _left(book, unit, "mp"):
        table.find("{unit} has no MP left to lose", unit=unit_name(book, unit))
    return _cross(table, book, unit, "mp", points)


@rule("boxes.regain", cites=("health/boxes", "morale/boxes"), neutral=lambda book, unit, bar, many: unit)
def regain(table: Table, book: Book, unit: Unit, bar: Bar, many: int) -> Unit:
    """Decide which boxes are restored: the latest crossed out first; their changes end."""
    before = len(_crossed(book, unit, bar))
    back = min(max(many, 0), before)
    if not back:
        return unit
    after = adjust_points(table, book, unit, _with(unit, bar, before - back))
    now, text = _left(book, after, bar), "{unit} regains {back} {bar} and has {left}"
    table.find(text, unit=unit_name(book, unit), back=back, bar=bar.upper(), left=now)
    table.event("restored", unit=unit.id, bar=bar, boxes=back, left=now)
    return after


@rule("boxes.remove_casualty", cites="health/casualty", neutral=unchanged)
def remove_casualty(table: Table, field: Battlefield, unit_id: str, side: str | None) -> Battlefield:
    """Decide whether a unit is a casualty: without HP it is removed from the battlefield."""
    if left(field, unit_id, "hp"):
        return field
    table.find("{unit} has no HP left and is a casualty", unit=field.name(unit_id))
    return disable(table, field, unit_id, "casualty", side)


def disable(
    table: Table, field: Battlefield, unit_id: str, how: Literal["casualty", "fled"], side: str | None
) -> Battlefield:
    """Give the battlefield after a unit is removed as a casualty or as fled, with its apprentices."""
    off = replace(field.unit(unit_id), models=(), disabled=how, disabled_by=side)
    table.event(how, unit=unit_id, by=side)
    after = field.put(off)
    if field.scene.active == unit_id:
        # Its activation is over, and the turn goes on, unless the band it belongs to is still acting.
        after = after.with_(active=None, turn=field.scene.turn if off.leader else field.after(off.side))
    return disable_apprentices(table, after, unit_id, side)


@rule("boxes.disable_apprentices", cites="kinds/leader-disabled", neutral=unchanged)
def disable_apprentices(table: Table, field: Battlefield, unit_id: str, side: str | None) -> Battlefield:
    """Decide what happens to the apprentices of a disabled leader: all are casualties."""
    for apprentice in field.apprentices(unit_id):
        table.find("{unit} is a casualty together with its leader", unit=field.name(apprentice.id))
        field = disable(table, field, apprentice.id, "casualty", side)
    return field


def _cross(table: Table, book: Book, unit: Unit, bar: Bar, many: int) -> Unit:
    done = len(_crossed(book, unit, bar))
    now = min(max(many, 0), _left(book, unit, bar))
    if not now:
        return unit
    after = adjust_points(table, book, unit, _with(unit, bar, done + now))
    rest, name = _left(book, after, bar), unit_name(book, unit)
    table.find("{unit} loses {many} {bar} and has {left} left", many=now, bar=bar.upper(), unit=name, left=rest)
    table.event("crossed-out", unit=unit.id, bar=bar, boxes=now, left=rest)
    for box in _bar(book, unit, bar)[done : done + now]:
        if box.ability is not None:
            table.event("set-off", unit=unit.id, ability=box.ability)
    return after


def adjust_points(table: Table, book: Book, before: Unit, after: Unit) -> Unit:
    """Give a unit with its points at hand after boxes or effects change its AP or RP (`points-boxes`)."""
    with table.without_findings():
        old, new = table.once(values_of, book, before), table.once(values_of, book, after)
    if (old.ap, old.rp) == (new.ap, new.rp):
        return after
    if table.read("points-boxes") == "next-fill":
        ap, rp = (old.ap if before.ap is None else before.ap), (old.rp if before.rp is None else before.rp)
        return replace(after, ap=ap, rp=rp)
    # What boxes take beyond the points at hand is owed, so that restored boxes give back no point that was spent.
    if before.ap is not None:
        ap = before.ap - before.ap_owed + new.ap - old.ap
        after = replace(after, ap=max(0, ap), ap_owed=max(0, -ap))
    if before.rp is not None:
        rp = before.rp - before.rp_owed + new.rp - old.rp
        after = replace(after, rp=max(0, rp), rp_owed=max(0, -rp))
    return after


def _bar(book: Book, unit: Unit, bar: Bar) -> tuple[Box, ...]:
    profile = book.profiles[unit.profile]
    return profile.hp if bar == "hp" else profile.mp


def _crossed(book: Book, unit: Unit, bar: Bar) -> tuple[Box, ...]:
    return _bar(book, unit, bar)[: unit.hp_crossed if bar == "hp" else unit.mp_crossed]


def _left(book: Book, unit: Unit, bar: Bar) -> int:
    return len(_bar(book, unit, bar)) - (unit.hp_crossed if bar == "hp" else unit.mp_crossed)


def _with(unit: Unit, bar: Bar, crossed: int) -> Unit:
    return replace(unit, hp_crossed=crossed) if bar == "hp" else replace(unit, mp_crossed=crossed)
