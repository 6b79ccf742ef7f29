"""The preparation phase, step by step: points, formations, refill, escape movements, ascensions, combat value."""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.rapture.battlefield import Battlefield
from services.rapture.placing import Placed, put
from services.rapture.rules import abilities, bands, boxes, contest, ending, escape, missions, rescue, squads
from services.rapture.scene import MissionPoints, phase_words

STEPS = 6


@rule("preparation.steps", cites=("rounds/phases", "preparation/steps"), neutral=unchanged)
def steps(
    table: Table, field: Battlefield, placed: tuple[Placed, ...] = (), given: tuple[MissionPoints, ...] = ()
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


@violations_rule("preparation.violations", cites="rounds/phases")
def violations(table: Table, field: Battlefield) -> Iterator[Reason]:
    """Decide why the preparation phase cannot be played: the round is in another phase."""
    if field.scene.phase != "preparation":
        text = "This is {phase}, in round {round}"
        yield table.reason(text, phase=phase_words(field.scene.phase), round=field.scene.round)


def award_points(
    table: Table, field: Battlefield, when: missions.When, given: tuple[MissionPoints, ...]
) -> Battlefield:
    """Give the battlefield with the victory points of missions in a phase."""
    overrides, sides = {row.side: row.points for row in given}, []
    for side in field.scene.all_sides:
        more = overrides[side.id] if side.id in overrides else missions.points(table, field, side.id, when)
        if more:
            table.event("victory-points", side=side.id, points=more)
        sides.append(replace(side, victory_points=side.victory_points + more) if more else side)
    return field.with_(sides=tuple(sides))


@rule("preparation.formations", cites="preparation/formations", neutral=unchanged)
def formations(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> Battlefield:
    """Decide where squads and bands stand: where their players place them in formation."""
    return rescue.after_placing(table, field, placed, "{unit} takes up its formation")


@violations_rule("preparation.formation_violations", cites="preparation/formations")
def formation_violations(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> Iterator[Reason]:
    """Decide why formations are not allowed: the unit is a single model, or models are out of formation."""
    for row in placed:
        if field.profile(field.unit(row.unit)).kind in ("hero", "leader"):
            yield table.reason("{unit} is a single model and takes up no formation", unit=field.name(row.unit))
    after = put(field, placed)
    for unit in after.units:
        kind = after.profile(unit).kind
        if kind == "squad":
            yield from squads.formation_violations(table, after, unit.id)
        elif kind == "leader":
            yield from bands.contact_violations(table, after, unit.id)


@rule("preparation.refill", cites="preparation/refill", neutral=unchanged)
def refill(table: Table, field: Battlefield) -> Battlefield:
    """Decide what a refill does: every unit has all AP and RP that its card gives now.

    Whether charges are refilled too is the reading `charges-refill`.
    """
    table.find("All units refill their AP and RP")
    field = field.put(*(replace(unit, ap=None, rp=None, ap_owed=0, rp_owed=0) for unit in field.units))
    spent = [unit.id for unit in field.units if unit.charges_left]
    if spent and table.read("charges-refill") == "preparation":
        for id_ in spent:
            field = abilities.refill(table, field, id_)
    return field


@rule("preparation.escape_moves", cites=("preparation/escape-moves", "escape/repeated"), neutral=unchanged)
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


@rule("preparation.ascensions", cites="preparation/ascensions", neutral=unchanged)
def ascensions(table: Table, field: Battlefield) -> Battlefield:
    """Decide which units ascend: one die for each card with an ascension number, once per game (`ascension`)."""
    every = [(unit, field.profile(unit).ascends_at) for unit in field.units if not unit.ascended]
    candidates = [(unit, least) for unit, least in every if least is not None]
    if not candidates or table.read("ascension") == "left-out":
        return field
    for unit, least in candidates:
        if table.call(abilities.test_passes, f"{unit.id}: ascension", least):
            table.find("{unit} ascends on {least}+", unit=field.name(unit.id), least=least)
            table.event("ascended", unit=unit.id)
            field = field.put(replace(unit, ascended=True))
        else:
            table.find("{unit} does not ascend; it needs {least}+", unit=field.name(unit.id), least=least)
    return field


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
    highest_first = sorted({*values.values()}, reverse=True)
    first, *rest = [tuple(side for side in sides if values[side] == value) for value in highest_first]
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
    before = field.scene.first_last_round
    others = tuple(side for side in equal if side != before)
    if before is not None and 0 < len(others) < len(equal) and table.read("combat-value-tie") == "other":
        table.find("{side} went first last round and goes after the sides that tie with it", side=before)
        return (*contest.ranking(table, others, "combat value"), before)
    return contest.ranking(table, equal, "combat value")
