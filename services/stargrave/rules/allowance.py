"""How far a figure may move: its Move and what adds to it or takes from it, a second Move, running, a Power Move.

Follows "Movement", the notes of the list of weapons, and what loot costs its carrier. Lengths are thousandths of an
inch.
"""

from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.rules.lengths import inches
from services.stargrave.scene import OFFICERS

RUN = 3 * PER_UNIT
POWER_MOVE = 3 * PER_UNIT


@rule("allowance.move", cites="movement/move-stat", neutral=0)
def move(table: Table, field: Battlefield, mover: str) -> int:
    """Decide how far a figure may move with a Move action.

    That is its Move with what powers add, less what its weapons and armour cost, and half of it for a carrier of
    physical loot. Whether it is halved before or after the other penalties is the reading `carrying-halves`.
    """
    figure = field.figure(mover)
    stat = PER_UNIT * (field.profile(figure).move_in + sum(spell.move for spell in figure.spells))
    penalty = weapons(table, field, mover) + armour(table, field, mover)
    left = max(0, stat - penalty)
    if halved(table, field, mover):
        lefts = {"after": left // 2, "before": max(0, stat // 2 - penalty)}
        left = settled(table, lambda option: lefts[option], ("carrying-halves", ("after", "before")))
    table.find("{figure} may move {inches}", figure=field.name(figure), inches=inches(left))
    return left


@rule(
    "allowance.weapons",
    cites=("weapons/flame-thrower-move", "weapons/flame-thrower-exception", "weapons/rapid-fire-move"),
    neutral=0,
)
def weapons(table: Table, field: Battlefield, mover: str) -> int:
    """Decide how much Move a figure's weapons cost it.

    Heavy and combat armour lift the loss for rapid fire; whether they do for flames is the reading `flame-move`.
    """
    figure = field.figure(mover)
    worn = set(field.profile(figure).worn)
    lost = 0
    for weapon in field.weapons(figure):
        if not weapon.move_in:
            continue
        cites: tuple[str, ...] = ("weapons/rapid-fire-move",)
        excused = bool(worn & set(weapon.move_excused_by))
        if weapon.kind == "flame":
            cites = ("weapons/flame-thrower-move", *(("weapons/flame-thrower-exception",) if excused else ()))
            excused = excused and table.read("flame-move") == "lifted"
        if excused:
            text = "The armour of {figure} cancels the Move penalty of the {weapon}"
            table.find(text, cites=cites, figure=field.name(figure), weapon=weapon.name)
        else:
            cost = -PER_UNIT * weapon.move_in
            lost += cost
            text = "The {weapon} costs {figure} {inches} of Move"
            table.find(text, cites=cites, weapon=weapon.name, figure=field.name(figure), inches=inches(cost))
    return lost


@rule("allowance.armour", cites="armour/heavy-move", neutral=0)
def armour(table: Table, field: Battlefield, mover: str) -> int:
    """Decide how much Move armour costs a figure; the Move of soldiers and creatures counts what they wear already."""
    figure = field.figure(mover)
    if figure.role not in OFFICERS:
        return 0
    lost = -PER_UNIT * sum(field.book.armour[item].move_in for item in field.profile(figure).worn)
    if lost:
        table.find("The armour of {figure} costs {inches} of Move", figure=field.name(figure), inches=inches(lost))
    return lost


@rule("allowance.halved", cites=("loot/physical-move", "loot/data-free", "traits/unburdened"), neutral=False)
def halved(table: Table, field: Battlefield, mover: str) -> bool:
    """Decide whether what a figure carries halves its Move: a physical token does, unless it is unburdened."""
    figure = field.figure(mover)
    if figure.carries is None:
        return False
    values = {"figure": field.name(figure), "token": figure.carries}
    if field.token(figure.carries).kind == "data":
        table.find("{figure} carries {token}, data loot, without penalty", cites="loot/data-free", **values)
        return False
    if field.has(figure, "unburdened"):
        table.find("{figure} carries {token} without penalty", cites="traits/unburdened", **values)
        return False
    table.find("Carrying {token} halves the Move of {figure}", cites="loot/physical-move", **values)
    return True


@rule("allowance.second_move", cites="actions/second-move", neutral=0)
def second_move(table: Table, field: Battlefield, mover: str) -> int:
    """Decide how far a figure may go with a second Move: half as far.

    Of which Move it is half is the reading `second-move-of`, and how half inches count is `second-move-rounding`.
    """
    figure = field.figure(mover)
    wholes = {"final": move(table, field, mover), "profile": PER_UNIT * field.profile(figure).move_in}

    def half(of: str, rounding: str) -> int:
        length = wholes[of] // 2
        return length if rounding == "exact" else length // PER_UNIT * PER_UNIT

    readings = ("second-move-of", ("final", "profile")), ("second-move-rounding", ("exact", "down"))
    allowed = settled(table, half, *readings)
    table.find("A second Move of {figure} covers {inches}", figure=field.name(figure), inches=inches(allowed))
    return allowed


@rule("allowance.run", cites="movement/run-distance", neutral=0)
def run(table: Table, field: Battlefield, mover: str) -> int:
    """Decide how far a figure may run, whatever penalties it has to its movement."""
    table.find("{figure} may run {inches}", figure=field.name(mover), inches=inches(RUN))
    return RUN


@rule("allowance.run_violations", cites=("movement/run-first-action", "movement/run-ends"), neutral=())
def run_violations(table: Table, field: Battlefield, mover: str, first_action: bool) -> Reasons:
    """Decide whether a figure may run now: running is a first action and ends the activation; lists the violations."""
    name = field.name(mover)
    if first_action:
        table.find("Running ends the activation of {figure}", cites="movement/run-ends", figure=name)
        return ()
    return (table.reason("{figure} may run only as its first action", cites="movement/run-first-action", figure=name),)


@rule("allowance.run_over_ground", cites="movement/terrain-is-a-penalty", neutral=False)
def run_over_ground(table: Table) -> bool:
    """Decide whether running disregards what the ground costs, too: the reading `run-penalties`."""
    free = table.read("run-penalties") == "all"
    text = "The ground still costs double when running"
    table.find("Rough ground and climbing cost nothing extra when running" if free else text)
    return free


@rule(
    "allowance.power_move",
    cites=("powers/power-move", "powers/power-move-when", "actions/power-move-included"),
    neutral=0,
)
def power_move(table: Table, field: Battlefield, mover: str) -> int:
    """Decide how far a figure may move in the action of activating a power, before or after the attempt."""
    text = "{figure} may move {inches} before or after its attempt, in the same action"
    table.find(text, figure=field.name(mover), inches=inches(POWER_MOVE))
    return POWER_MOVE
