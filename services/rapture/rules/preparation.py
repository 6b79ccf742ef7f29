"""The preparation phase, step by step: points, formations, refill, escape movements, ascensions, combat value."""

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.text import Listing
from services.rapture.battlefield import Battlefield
from services.rapture.placing import Placed, put
from services.rapture.rules import abilities, bands, boxes, contest, ending, escape, missions, rescue, squads

STEPS = 6


@rule(
    "preparation.steps", cites=("rounds/phases", "preparation/steps"), neutral=lambda field, placed=(), given=(): field
)
def steps(
    table: Table, field: Battlefield, placed: tuple[Placed, ...] = (), given: tuple[tuple[str, int], ...] = ()
) -> Battlefield:
    """Decide the result of the preparation phase: its six steps in order, from the step of the scene.

    When the escape movements leave a side without an operational unit, the game ends with them (`end-checked`).
    `placed` are the formations; `given` are victory points by side that replace the count of missions.
    """
    for step in range(field.scene.step or 1, STEPS + 1):
        table.find("Step {step} of {steps}", cites="preparation/steps", step=step, steps=STEPS)
        table.event("step", phase="preparation", step=step)
        match step:
            case 1:
                field = award_points(table, field, "preparation", given)
            case 2:
                field = formations(table, field, placed)
            case 3:
                field = refill(table, field)
            case 4:
                field = escape_moves(table, field)
                if ending.over(table, field):
                    table.event("game-over", round=field.scene.round)
                    return field.with_(phase="over", step=None, active=None, turn=None)
            case 5:
                field = ascensions(table, field)
            case _:
                order_ = order(table, field)
                field = field.with_(order=order_, turn=order_[0])
    table.find("The preparation phase ends and the activation phase begins", cites="rounds/phases")
    return field.with_(phase="activation", step=None, active=None)


@rule("preparation.violations", cites="rounds/phases", neutral=())
def violations(table: Table, field: Battlefield) -> tuple[Reason, ...]:
    """Decide why the preparation phase cannot be played: the round is in another phase."""
    if field.scene.phase == "preparation":
        return ()
    text = "This is the {phase} phase of round {round}"
    return (table.reason(text, phase=field.scene.phase, round=field.scene.round),)


def award_points(
    table: Table, field: Battlefield, when: missions.When, given: tuple[tuple[str, int], ...]
) -> Battlefield:
    """Give the battlefield with the victory points of missions in a phase."""
    overrides = dict(given)
    sides = []
    for side in field.scene.all_sides:
        more = overrides[side.id] if side.id in overrides else missions.points(table, field, side.id, when)
        if more:
            table.event("victory-points", side=side.id, points=more)
        sides.append(replace(side, victory_points=side.victory_points + more) if more else side)
    return field.with_(sides=tuple(sides))


# Formations


@rule("preparation.formations", cites="preparation/formations", neutral=lambda field, placed: field)
def formations(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> Battlefield:
    """Decide where squads and bands stand: where their players place them in formation."""
    for row in placed:
        table.find("{unit} takes up its formation", unit=field.name(row.unit))
        table.event("placed", unit=row.unit, models=row.models)
    return rescue.after_placing(table, field, put(field, placed), [row.unit for row in placed])


@rule("preparation.formation_violations", cites="preparation/formations", neutral=())
def formation_violations(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> tuple[Reason, ...]:
    """Decide why formations are not allowed: the unit is a single model, or models are out of formation."""
    reasons = []
    for row in placed:
        unit = field.unit(row.unit)
        if field.profile(unit).kind in ("hero", "leader"):
            text = "{unit} is a single model and takes up no formation"
            reasons.append(table.reason(text, unit=field.name(unit.id)))
    after = put(field, placed)
    for unit in after.units:
        kind = after.profile(unit).kind
        if kind == "squad":
            reasons += squads.formation_violations(table, after, unit.id)
        elif kind == "leader":
            reasons += bands.contact_violations(table, after, unit.id)
    return tuple(reasons)


# Refill, escape movements, ascensions


@rule("preparation.refill", cites="preparation/refill", neutral=lambda field: field)
def refill(table: Table, field: Battlefield) -> Battlefield:
    """Decide what a refill does: every unit has all AP and RP that its card gives now.

    Whether charges are refilled too is the reading `charges-refill`.
    """
    table.find("All units refill their AP and RP")
    field = field.put(*(replace(unit, ap=None, rp=None, ap_owed=0, rp_owed=0) for unit in field.units))
    spent = tuple(unit for unit in field.units if unit.charges_left)
    if spent and table.read("charges-refill") == "preparation":
        for unit in spent:
            field = abilities.refill(table, field, unit.id)
    return field


@rule("preparation.escape_moves", cites=("preparation/escape-moves", "escape/repeated"), neutral=lambda field: field)
def escape_moves(table: Table, field: Battlefield) -> Battlefield:
    """Decide which units continue to flee: all with an Escape Marker, in the order of `flight-order`."""
    fleeing = tuple(unit.id for unit in field.units if unit.escaping)
    seen = field.measures(*fleeing)
    nearest = tuple(sorted(fleeing, key=lambda id_: escape.way_left(field, id_))) if seen else fleeing
    order_ = nearest if nearest == fleeing or table.read("flight-order") == "nearest" else fleeing
    for id_ in order_:
        if field.unit(id_).escaping:
            table.find("{unit} continues to flee", unit=field.name(id_))
            field = escape.flight(table, field, id_)
    return field


@rule("preparation.ascensions", cites="preparation/ascensions", neutral=lambda field: field)
def ascensions(table: Table, field: Battlefield) -> Battlefield:
    """Decide which units ascend: one die for each card with an ascension number, once per game (`ascension`)."""
    candidates = tuple(unit for unit in field.units if field.profile(unit).ascends_at is not None and not unit.ascended)
    if not candidates or table.read("ascension") == "left-out":
        return field
    for unit in candidates:
        least = field.profile(unit).ascends_at or 0
        if table.call(abilities.test_passes, f"{unit.id}: ascension", least):
            table.find("{unit} ascends on {least}+", unit=field.name(unit.id), least=least)
            table.event("ascended", unit=unit.id)
            field = field.put(replace(unit, ascended=True))
        else:
            table.find("{unit} does not ascend; it needs {least}+", unit=field.name(unit.id), least=least)
    return field


# Combat value


@rule(
    "preparation.combat_value",
    cites=("preparation/combat-value", "combat-value/sum", "combat-value/escaping"),
    neutral=0,
)
def combat_value(table: Table, field: Battlefield, side: str) -> int:
    """Decide the combat value of a side: the INI of its units on the battlefield that are not escaping.

    Whether apprentices count is the reading `band-ini`.
    """
    counted = counted_units(field, side)
    ini = {unit: boxes.values(table, field, unit).ini for unit in counted}
    heads = tuple(unit for unit in counted if field.unit(unit).leader is None)
    if sum(ini[unit] for unit in heads) != sum(ini.values()) and table.read("band-ini") == "leader":
        counted = heads
    value = sum(ini[unit] for unit in counted)
    table.find("The combat value of {side} is {value}", side=side, value=value)
    return value


def counted_units(field: Battlefield, side: str) -> tuple[str, ...]:
    """Give the units that count towards the combat value of a side."""
    return tuple(unit.id for unit in field.units if unit.side == side and not unit.escaping)


@rule(
    "preparation.order",
    cites=("preparation/activation-order", "combat-value/first"),
    neutral=lambda field: tuple(side.id for side in field.scene.all_sides),
)
def order(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Decide the order of activation: the highest combat value first.

    Ties are `combat-value-tie`; the order after the first of three or four sides is `activation-order`.
    """
    sides = tuple(side.id for side in field.scene.all_sides)
    values = {side: combat_value(table, field, side) for side in sides}
    groups = [
        tuple(side for side in sides if values[side] == value) for value in sorted({*values.values()}, reverse=True)
    ]
    first, *rest = groups
    leading = _order_of_equals(table, field, first)
    if len(sides) > 2 and table.read("activation-order") == "seats":
        start = sides.index(leading[0])
        order_ = (*sides[start:], *sides[:start])
    else:
        order_ = (*leading, *(side for group in rest for side in _order_of_equals(table, field, group)))
    table.find("Order of activation: {order}", order=Listing(order_))
    table.event("order", sides=order_)
    return order_


def _order_of_equals(table: Table, field: Battlefield, equal: tuple[str, ...]) -> tuple[str, ...]:
    """Give sides of the same combat value in their order."""
    if len(equal) == 1:
        return equal
    before = field.scene.first_last_round
    if before is not None and before in equal and table.read("combat-value-tie") == "other":
        others = tuple(side for side in equal if side != before)
        table.find("{side} went first last round and goes after the sides that tie with it", side=before)
        return (*_roll_off(table, others), before)
    return _roll_off(table, equal)


def _roll_off(table: Table, equal: tuple[str, ...]) -> tuple[str, ...]:
    return equal if len(equal) == 1 else contest.ranking(table, equal, "combat value")
