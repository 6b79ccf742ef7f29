"""The turn: its phases, who activates in each and in which order, and who activates together with a leader.

Follows "Turn Order".
"""

from collections.abc import Iterator
from itertools import pairwise

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import beside, violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.stargrave.battlefield import Battlefield, Ids
from services.stargrave.rules import power_figures, power_places, sight, wards
from services.stargrave.rules.lengths import in_inches
from services.stargrave.scene import OFFICERS, Figure, Phase, Place

PHASES: tuple[Phase, ...] = ("captain", "first-mate", "soldier", "creature")

MOST_COMPANIONS = 3
NEAR = 3.0
"""Inches within which companions have to be."""

GUIDANCE = "remote-guidance"


@rule("turn.phases", cites="turn-order/phases", neutral=())
def phases(table: Table) -> tuple[Phase, ...]:
    """Decide which phases a turn has after initiative, in their order."""
    table.find("The phases are {phases}", phases=Listing(map(_worded, PHASES)))
    return PHASES


def next_phase(table: Table, phase: Phase) -> Phase | None:
    """Give the phase that follows, or none after the last."""
    following: tuple[Phase, ...] = ("initiative", *phases(table))
    return dict(pairwise(following)).get(phase)


def ready(table: Table, field: Battlefield, crew: str, phase: Phase) -> Ids:
    """Give the figures of a crew that may activate in one of its phases, and have not done so yet."""
    return {"captain": captain_phase, "first-mate": first_mate_phase, "soldier": soldier_phase}[phase](
        table, field, crew
    )


@rule("turn.captain_phase", cites="turn-order/captain-phase", neutral=())
def captain_phase(table: Table, field: Battlefield, crew: str) -> Ids:
    """Decide who may lead in a crew's captain phase: its captain, who has not activated yet."""
    return _ready(table, field, crew, "captain")


@rule("turn.first_mate_phase", cites="turn-order/first-mate-phase", neutral=())
def first_mate_phase(table: Table, field: Battlefield, crew: str) -> Ids:
    """Decide who may lead in a crew's first mate phase: its first mate, who has not activated yet."""
    return _ready(table, field, crew, "first-mate")


@rule("turn.soldier_phase", cites="turn-order/soldier-phase", neutral=())
def soldier_phase(table: Table, field: Battlefield, crew: str) -> Ids:
    """Decide who may activate in a crew's soldier phase: its soldiers who have not activated in this turn."""
    return _ready(table, field, crew, "soldier")


def _ready(table: Table, field: Battlefield, crew: str, role: str) -> Ids:
    ready = tuple(figure for figure in field.figures if figure.crew == crew and figure.role == role)
    for figure in ready:
        text = "{name} has already activated" if figure.activated else "{name} may activate"
        table.find(text, name=field.name(figure))
    return tuple(figure.id for figure in ready if not figure.activated)


@rule("turn.creature_phase", cites=("turn-order/creature-phase", "turn-order/uncontrolled"), neutral=())
def creature_phase(table: Table, field: Battlefield, first: str) -> Ids:
    """Decide which creatures activate in the creature phase, in order: all that nobody controls.

    `first` is the player with initiative, who picks the order by one option of the reading `creature-order`.
    """
    waiting = [figure.id for figure in field.figures if figure.crew is None and not figure.activated]
    if len(waiting) > 1 and table.read("creature-order") == "initiative":
        order = []
        while waiting:
            order.append(table.choose(first, "creatures: next", tuple(waiting), about=field, means=field.option))
            waiting.remove(order[-1])
        waiting = order
    for id_ in waiting:
        table.find("{name} is uncontrolled and activates", name=field.name(id_))
    return tuple(waiting)


@rule("turn.measured", cites=("turn-order/captain-near", "turn-order/first-mate-near"), neutral=lambda field, *_: field)
def measured(table: Table, field: Battlefield, leader: str, began_at: Place | None) -> Battlefield:
    """Decide on which battlefield companions are measured whose leader has moved since it began at some place.

    That is the reading `companions-measured`.
    """
    figure = field.figure(leader)
    if began_at is None or began_at == figure.at or table.read("companions-measured") == "own-turn":
        return field
    table.find("Companions are measured from where {name} began", cites=_of(figure)["near"], name=field.name(figure))
    return field.put(replace(figure, at=began_at)) if field.measures(leader) else field


@violations_rule(
    "turn.companion_violations",
    cites=(
        "turn-order/captain-near",
        "turn-order/captain-in-sight",
        "turn-order/first-mate-near",
        "turn-order/first-mate-in-sight",
    ),
)
def companion_violations(table: Table, field: Battlefield, leader: str, companion: str) -> Iterator[Reason]:
    """Decide whether a figure may activate together with a leader; lists the violations.

    It has to be a soldier of the same crew that has not activated, within 3 inches of the leader and in its sight.
    """
    leading, figure = field.figure(leader), field.figure(companion)
    cites = _of(leading)
    names = {"name": field.name(figure), "leader": field.name(leading)}
    barred = []
    if figure.crew != leading.crew or figure.role != "soldier":
        text = "{name} is not a soldier in the crew of {leader}"
        barred.append(table.reason(text, cites=cites["companions"], **names))
    if figure.activated:
        barred.append(table.reason("{name} has already activated", cites="turn-order/soldier-phase", **names))
    yield from barred
    if figure.at is None or figure.health == 0:
        yield table.reason("{name} is not in play", cites=cites["companions"], **names)
    elif not guided(table, field, leader, companion):
        yield from beside(barred, lambda: tuple(_away(table, field, leader, companion)), ())


def _away(table: Table, field: Battlefield, leader: str, companion: str) -> Iterator[Reason]:
    """Find why a soldier is not with a leader: that it is too far away, or out of its sight."""
    cites = _of(field.figure(leader))
    names = {"name": field.name(companion), "leader": field.name(leader)}
    if sight.within(table, field, leader, companion, NEAR):
        table.find("{name} is within {near} of {leader}", cites=cites["near"], near=in_inches(NEAR), **names)
    else:
        text = "{name} is not within {near} of {leader}"
        yield table.reason(text, cites=cites["near"], near=in_inches(NEAR), **names)
    if sight.sees(table, field, leader, companion):
        table.find("{leader} sees {name}", cites=cites["in-sight"], **names)
    else:
        yield table.reason("{leader} does not see {name}", cites=cites["in-sight"], **names)


@rule("turn.guided", cites="power/remote-guidance", neutral=False)
def guided(table: Table, field: Battlefield, leader: str, companion: str) -> bool:
    """Decide whether a soldier joins a leader from anywhere: by Remote Guidance of a leader who knows that power."""
    knows = any(power.id == GUIDANCE for power in field.profile(field.figure(leader)).powers)
    if not (knows and wards.under(field.figure(companion), GUIDANCE)):
        return False
    table.find("{name} is guided from afar", name=field.name(companion))
    return True


@violations_rule(
    "turn.group_violations",
    cites=("turn-order/captain-companions", "turn-order/first-mate-companions", "turn-order/soldier-phase"),
)
def group_violations(table: Table, field: Battlefield, leader: str, ids: Ids) -> Iterator[Reason]:
    """Decide whether so many may activate together with a leader: three at most; lists the violations.

    A soldier leads nobody, and activates alone in the soldier phase.
    """
    leading, name, count = field.figure(leader), field.name(leader), len(ids)
    cites = _of(leading)["companions"]
    if leading.role == "soldier" and not ids:
        table.find("{leader} activates alone in the soldier phase", cites="turn-order/soldier-phase", leader=name)
    elif leading.role not in OFFICERS:
        yield table.reason("{leader} is neither captain nor first mate", cites=cites, leader=name)
    elif count > MOST_COMPANIONS:
        text = "At most {most} soldiers activate with {leader}, not {count}"
        yield table.reason(text, cites=cites, most=MOST_COMPANIONS, leader=name, count=count)
    elif ids:
        text = "{leader} activates with {count} of at most {most} companions"
        table.find(text, cites=cites, count=count, most=MOST_COMPANIONS, leader=name)


@violations_rule(
    "turn.in_phase", cites=("turn-order/captain-phase", "turn-order/first-mate-phase", "turn-order/soldier-phase")
)
def in_phase(table: Table, field: Battlefield, leader: str, called: bool) -> Iterator[Reason]:
    """Decide whether a figure activates in its own phase, where the scene says which phase it is.

    Whoever is `called` by Command activates in any.
    """
    figure, phase = field.figure(leader), field.scene.turn.phase
    if phase in (None, "initiative", figure.role) or figure.role == "creature":
        return
    name = field.name(figure)
    if called:
        table.find("Command calls {name}, who activates in any phase", cites="power/command", name=name)
    else:
        text = "{name} activates in the {own} phase, but this is the {phase} phase"
        cites = f"turn-order/{figure.role}-phase"
        yield table.reason(text, cites=cites, name=name, own=_worded(figure.role), phase=_worded(phase))


def _worded(phase: str) -> str:
    return phase.replace("-", " ")


def _of(leader: Figure) -> dict[str, str]:
    who = "first-mate" if leader.role == "first-mate" else "captain"
    return {part: f"turn-order/{who}-{part}" for part in ("companions", "near", "in-sight")}


def over(table: Table, field: Battlefield) -> Battlefield:
    """Give the battlefield at the end of a turn: nobody has activated in the next one, and nobody has initiative.

    Whether somebody is still better protected who activated stunned is the reading `stunned-defence`.
    """
    field = power_places.fading(table, power_figures.pulse_over(table, field))
    lasting = any(figure.was_stunned for figure in field.figures) and table.read("stunned-defence") == "next-activation"
    number, figures = field.scene.turn.number, field.scene.figures
    table.event("turn-over", number=number)
    fresh = (replace(each, activated=False, was_stunned=each.was_stunned and lasting) for each in figures)
    return field.put(*fresh).with_turn(number=number + 1, phase="initiative", order=())
