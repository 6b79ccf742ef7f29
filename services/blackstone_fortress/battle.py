"""A whole combat, turn after turn, played by policies on the same rules that answer single questions.

Every die falls through the table and every decision is a choice at it, so that a combat is as replayable as an attack.
The transcript says what each activation changed.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from arbiter.candidates import Candidates
from arbiter.option import Option, optional
from arbiter.skirmish.battle import Transcript
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield, Unit, hex_option
from services.blackstone_fortress.book import encounter_cards
from services.blackstone_fortress.rules import (
    activation,
    covering_fire,
    destiny,
    ending,
    events,
    explorer_actions,
    gambits,
    hostile_activation,
    initiative,
    movement,
    overwatch,
    payments,
    turn,
    unique_actions,
    weapon_actions,
)
from services.blackstone_fortress.rules.action_rolls import Result
from services.blackstone_fortress.rules.ending import Outcome
from services.blackstone_fortress.rules.explorer_actions import Action
from services.blackstone_fortress.rules.gambits import Stake
from services.blackstone_fortress.rules.payments import Payment
from services.blackstone_fortress.scene import Explorer, Hostile

MOST_ACTIONS = 12
"""More actions than an explorer has dice for; a bound, so that every activation ends."""

END = "end"
NONE = "none"


class Loss(Value, frozen=True):
    """A unit that fell: slain, or out of action.

    `cause` is the id of the card that was active then, an explorer's or a hostile group's, or `event` and the event's
    name; `twist` and its name where a twist did it in the event phase.
    """

    unit: Id
    turn: int
    cause: str


class CombatResult(Value, frozen=True):
    """How a combat went: its outcome (`on` if the turns ran out), the turns played, and what happened, line by line.

    `losses` are in the order in which the units fell; one that came back may fall again. `starter` is whose card is
    the first, `idle_turns` counts the turns in which nothing changes.
    """

    outcome: Outcome
    turns: int
    transcript: tuple[str, ...]
    losses: tuple[Loss, ...] = ()
    starter: Literal["explorers", "hostiles"] | None = None
    idle_turns: int = 0


class CombatLog(Transcript):
    """The transcript of a combat, and every loss with its cause."""

    starter: Literal["explorers", "hostiles"] | None = None

    def __init__(self) -> None:
        super().__init__()
        self.losses: list[Loss] = []
        self._turn, self._cause, self._out = 0, "", frozenset[str]()

    def blame(self, field: Battlefield, cause: str) -> None:
        """Note the cause of the losses that follow: an activation, or an event."""
        self._turn, self._cause = field.scene.turn.number, cause
        self._out = frozenset(explorer.id for explorer in field.scene.explorers if explorer.out_of_action)

    def on_event(self, event: str, values: Mapping[str, Any]) -> None:
        """Record a loss. An explorer whose return fails was out of action before, and has not fallen again."""
        if event == "slain" or (event == "out-of-action" and values["unit"] not in self._out):
            self.losses.append(Loss(values["unit"], self._turn, self._cause))


def fight(table: Table, field: Battlefield, most_turns: int) -> tuple[Battlefield, CombatResult]:
    """Play a combat until it ends or `most_turns` are over; give the battlefield then, and how it went."""
    log = CombatLog()
    outcome: Outcome = "on"
    turns = 0
    with table.notifying(log.on_event):
        while outcome == "on" and turns < most_turns:
            turns += 1
            log.append(f"Turn {field.scene.turn.number}")
            before, field = field, prepare_turn(table, field, log)
            field = activate_all(table, field, log)
            field, outcome = end_turn(table, field, log)
            log.end_round(changes(before, field))
    return field, CombatResult(outcome, turns, tuple(log), tuple(log.losses), log.starter, log.idle_rounds)


def prepare_turn(table: Table, field: Battlefield, log: CombatLog) -> Battlefield:
    """Play the destiny and initiative phases: destiny roll, activation rolls, the deal, covering fire, gambits."""
    field, faces = destiny.phase(table, field)
    if faces:
        log.append(f"  destiny roll {_join(faces)}: {_join(field.scene.turn.destiny) or 'none'} available")
    field = initiative.steps(table, field, initiative.rollers(field), True)
    field = _covering_fire(table, field, log)
    for explorer_id in initiative.rollers(field):
        field = _gambits(table, field, explorer_id, log)
    log.append(f"  initiative: {', '.join(field.scene.turn.track)}")
    return turn.begin_phase(table, field, "activation")


def _covering_fire(table: Table, field: Battlefield, log: CombatLog) -> Battlefield:
    while True:
        named = {f"{a} and {b}": (a, b) for a, b in covering_fire.pairs(field)}
        options = Candidates((NONE, *named), partial(_may_swap, table, field, named))
        means = optional(partial(_swapped, field, named), "no covering fire", NONE)
        choice = table.choose("explorers", "covering fire", options, about=field, means=means)
        if choice == NONE:
            break
        field = covering_fire.swap(table, field, *named[choice])
        log.append(f"  covering fire: {choice} swap their cards")
    return field


def _may_swap(table: Table, field: Battlefield, pairs: Mapping[str, tuple[str, str]], option: str) -> bool:
    return option == NONE or not covering_fire.violations(table, field, *pairs[option])


def _swapped(field: Battlefield, pairs: Mapping[str, tuple[str, str]], option: str) -> Option:
    a, b = (field.name(id_) for id_ in pairs[option])
    return Option(option, f"{a} and {b} swap their cards", {"units": [a, b]})


def _may_gamble(table: Table, field: Battlefield, explorer_id: str, option: str) -> bool:
    if option == "no":
        return True
    if not gambits.may_go_on(table, field, explorer_id):
        return False
    return not gambits.violations(table, field, _stake(table, field, explorer_id))


def _stake(table: Table, field: Battlefield, explorer_id: str) -> Stake:
    """Give what a gambit is attempted with: nothing if it is free, else the lowest die."""
    free = gambits.is_free(table, field, explorer_id)
    return Stake(explorer_id, None if free else Payment(min(payments.purse(field, explorer_id).activation)))


def _attempted(table: Table, field: Battlefield, explorer_id: str, option: str) -> Option:
    stake = _stake(table, field, explorer_id)
    name, die = field.name(stake.explorer), stake.payment.die if stake.payment else None
    return Option(option, f"{name} attempts a gambit for {die or 'free'}", {"unit": name, "die": die})


def _offered(offers: Mapping[str, Action], option: str) -> Option:
    action = offers[option]
    return Option(option, f"{action.name} ({action.cost}+)", {"action": action.id, "cost": action.cost})


def _gambits(table: Table, field: Battlefield, explorer_id: str, log: CombatLog) -> Battlefield:
    """Let an explorer attempt gambits, free ones first, each paid with the lowest die."""
    while True:
        options = Candidates(("no", "yes"), partial(_may_gamble, table, field, explorer_id))
        means = optional(partial(_attempted, table, field, explorer_id), "no gambit", "no")
        if table.choose("explorers", f"{explorer_id}: gambit", options, about=field, means=means) == "no":
            break
        track = field.scene.turn.track
        field = gambits.stake(table, field, _stake(table, field, explorer_id))
        result: Result = next(iter(gambits.roll(table, field, explorer_id)), "failure")
        field = gambits.carry_out(table, field, explorer_id, result)
        moved = "moves its card" if field.scene.turn.track != track else "stays where it is"
        log.append(f"  {explorer_id} attempts a gambit: {result}, {moved}")
    return field


def activate_all(table: Table, field: Battlefield, log: CombatLog) -> Battlefield:
    """Play the activation phase: every card from left to right, explorers by their policy and groups by their dice."""
    while field.explorers and (card := turn.next_card(table, field)) is not None:
        before = field
        log.blame(field, card)
        units = turn.on_card(field, card)
        explorers = isinstance(units[0], Explorer)
        log.begin("explorers" if explorers else "hostiles")
        if explorers:
            for unit in units:
                field = _activate_explorer(table, field, unit.id)
            field = _end_activation(table, field, card)
        else:
            field, _ = hostile_activation.activate_group(table, field, card)
            field = turn.card_down(table, field, card)
        log.entry(card, changes(before, field))
        if ending.at_once(table, field) != "on":
            break
    return overwatch.clear(table, field)


def _activate_explorer(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    if field.explorer(explorer_id).out_of_action:
        return field
    field = activation.begin(table, field, explorer_id)
    for _ in range(MOST_ACTIONS):
        offers = _offers(table, field, explorer_id)
        options = Candidates((*offers, END), partial(_is_open, table, field, explorer_id, offers, {}))
        means = optional(partial(_offered, offers), "end the activation", END)
        choice = table.choose("explorers", f"{explorer_id}: action", options, about=field, means=means)
        if choice == END:
            break
        field = _act(table, field, explorer_id, offers[choice])
    return field


def _end_activation(table: Table, field: Battlefield, card: str) -> Battlefield:
    explorers = (unit for unit in turn.on_card(field, card) if isinstance(unit, Explorer))
    active = next((explorer for explorer in explorers if not explorer.out_of_action), None)
    return turn.card_down(table, field, card) if active is None else activation.end(table, field, active.id)


def _offers(table: Table, field: Battlefield, explorer_id: str) -> dict[str, Action]:
    """List the basic and weapon actions an explorer can pay for now, by option; unique ones are left out."""
    if field.explorer(explorer_id).hex is None:
        return {}
    payable = payments.payable(table, field, explorer_id)
    if not payable:
        return {}
    actions = explorer_actions.common_actions(table, field, explorer_id)
    return {_option(action): action for action in actions if action.cost in payable}


def _is_open(
    table: Table,
    field: Battlefield,
    explorer_id: str,
    offers: Mapping[str, Action],
    tested: dict[tuple[str, str], bool],
    option: str,
) -> bool:
    if option == END:
        return True
    action = offers[option]
    # What an action costs does not change whether something forbids it.
    key = action.kind, action.id
    if key not in tested:
        tested[key] = not explorer_actions.violations(table, field, explorer_id, action)
    return tested[key]


def _option(action: Action) -> str:
    return f"{action.id} {action.cost}+" if action.attacks else action.id


def _act(table: Table, field: Battlefield, explorer_id: str, action: Action) -> Battlefield:
    """Pay for an action with the lowest die that does, and carry it out."""
    dice = payments.ways(table, field, explorer_id, action.cost)
    named = {f"{'destiny' if way.destiny else 'activation'} {way.die}": way for way in dice}
    payment = payments.choose(table, field, f"{explorer_id}: die", named)
    field = payments.spend(table, field, explorer_id, (payment,))
    match action.id:
        case "move":
            return _move(table, field, explorer_id)
        case "recuperate":
            return explorer_actions.recuperate(table, field, explorer_id)
        case "search":
            return explorer_actions.search(table, field, explorer_id)
        case "summon":
            return explorer_actions.summon(table, field, explorer_id)
        case _:
            return _attack(table, field, explorer_id, action, payment.die)


def _move(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    hexes = movement.allowance(table, field, explorer_id)
    ways = movement.ways(table, field, explorer_id, hexes)
    end = table.choose("explorers", f"{explorer_id}: destination", tuple(ways), about=field, means=hex_option)
    return movement.move(table, field, explorer_id, ways[end])


def _attack(table: Table, field: Battlefield, explorer_id: str, action: Action, paid: int) -> Battlefield:
    targets = tuple(explorer_actions.targets(table, field, explorer_id, action))
    target = table.choose("explorers", f"{explorer_id}: target", targets, about=field, means=field.option)
    return weapon_actions.take_attacks(table, field, explorer_id, action.id, action.cost, (target,), paid=paid)[0]


def end_turn(table: Table, field: Battlefield, log: CombatLog) -> tuple[Battlefield, Outcome]:
    """Play the event phase: the end of the combat or the event, and the way to the next turn."""
    field = turn.begin_phase(table, field, "event")
    outcome = ending.checked(table, field)
    if outcome != "on":
        log.append(f"  the combat ends: {outcome}")
        return field, outcome
    if "event-phase-wounds" in field.scene.twists:
        log.blame(field, "twist event-phase-wounds")
        field = events.hostile_air(table, field)
    name = table.call(events.looked_up, turn.leader_name(field))
    if name is not None:
        before = field
        log.blame(field, f"event {name}")
        field = events.EVENTS[name](table, field, encounter_cards())[0]
        log.entry(f"event {name}", changes(before, field))
    field = turn.pass_leader(table, unique_actions.fall_silent(table, field))
    return turn.begin_next(table, field), "on"


def changes(before: Battlefield, after: Battlefield) -> Iterator[str]:
    """Say in words what became of each unit between two moments, and of portals and markers."""
    for id_, unit in after.units.items():
        changed = "" if unit is before.units[id_] else ", ".join(_unit_changes(before.units[id_], unit))
        if changed:
            yield f"{id_} {changed}"
    if after.scene.board.escape_chamber != before.scene.board.escape_chamber:
        yield "the escape chamber is set up"
    gone = {marker.id for marker in before.scene.discoveries} - {marker.id for marker in after.scene.discoveries}
    yield from (f"discovery {marker} is gone" for marker in sorted(gone))


def _unit_changes(old: Unit, new: Unit) -> Iterator[str]:
    if old.hex is not None and new.hex is not None and old.hex != new.hex:
        yield f"goes from {list(old.hex)} to {list(new.hex)}"
    if old.hex is None and new.hex is not None:
        yield f"comes to {list(new.hex)}"
    for counter in ("wounds", "grievous"):
        more = getattr(new, counter) - getattr(old, counter)
        if more:
            name = {"wounds": "wound", "grievous": "grievous wound"}[counter]
            yield f"{'suffers' if more > 0 else 'loses'} {abs(more)} {name}{'s' if abs(more) > 1 else ''}"
    if isinstance(new, Explorer) and isinstance(old, Explorer) and new.out_of_action and not old.out_of_action:
        yield "is out of action"
    if isinstance(new, Hostile) and isinstance(old, Hostile) and new.slain and not old.slain:
        yield "is slain"
    if new.stunned and not old.stunned:
        yield "is stunned"


def _join(faces: tuple[int, ...]) -> str:
    return ", ".join(map(str, faces))
