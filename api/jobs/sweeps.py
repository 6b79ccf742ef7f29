"""Simulations as they are posted: the body at every point of its sweep, read, prepared and weighed before any work."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple, cast

import msgspec

from api.schemas import codec
from api.schemas.bodies import Simulation, simulation_type
from api.schemas.field_errors import shorten
from arbiter.fault import Fault, Faults, pointer
from arbiter.game import Arbiter
from arbiter.question import AskOdds, Question
from arbiter.simulation.simulate import MOST_POINTS, Player, Simulate, game_seed, grid, varied
from workers.jobs.work import GAME_MS
from workers.webhooks.callback import Callback

Asking = Question[Any, Any, Any]

DEEPEST_VARIED = 200
"""How deep a value may nest that takes the place of another: copying it takes two steps for each level."""

LEAST_PATHS = 100
"""Paths that odds of whole games have at least, each of which takes as long as a game; they have many more."""

SHOWN_CHARACTERS = 40
"""Characters of a value that is named in a fault."""


class ParsedSimulation(NamedTuple):
    """A simulation that can be done: its body without the callback, the callback, and what it takes on one core."""

    body: str
    callback: Callback | None
    estimate_ms: float


class _Point(NamedTuple):
    """A point of a sweep: what plays its games, at what cost each."""

    player: Player
    game_ms: float


def game_ms(question: Asking, case: Any) -> float:
    """Estimate what one game of a question takes on one core; raises `Faults` for an impossible case."""
    return GAME_MS if question.cost is None else question.cost(question.prepare(case))


def odds_ms(question: Asking, ask: AskOdds[Any]) -> float:
    """Estimate the least that odds of a question take on one core; raises `Faults` for an impossible case.

    Of all but whole games, only the walk itself says how many paths there are.
    """
    paths = 1 if question.told_by is None else min(LEAST_PATHS, ask.heads or LEAST_PATHS)
    return paths * game_ms(question, ask.case)


def read(
    game: Arbiter, question: Asking, posted: bytes, deepest: int, charge: Callable[[int], object] = lambda points: None
) -> ParsedSimulation:
    """Read a posted simulation; raises `Faults` with everything that is wrong with it, at any point of its sweep.

    `charge` is called with the number of points before they are read.
    """
    ask: Simulation[Any] = codec.decode(simulation_type(question), posted, deepest=min(deepest, DEEPEST_VARIED))
    count = prod(len(values) for values in ask.vary.values())
    if count > MOST_POINTS:
        raise Faults.one(
            pointer("vary"),
            "too-many-points",
            f"the sweep has {count:,} points",
            seen=count,
            expected=f"at most {MOST_POINTS} combinations of values",
            hint="take fewer values, or sweep in parts",
        )
    charge(count)
    body = {name: part for name, part in msgspec.json.decode(posted).items() if name != "callback"}
    points = _points(game, question, ask, body)
    _check_metrics(question, ask, points)
    text = msgspec.json.encode(body).decode()
    return ParsedSimulation(text, ask.callback, sum(ask.count * point.game_ms for point in points))


def _points(game: Arbiter, question: Asking, ask: Simulation[Any], body: Mapping[str, Any]) -> list[_Point]:
    """Read the body at every point; the faults of all points are reported together, each once."""
    body_type, points = cast(Any, Simulate)[question.case], []
    found: dict[bytes, tuple[Fault, list[tuple[int, ...]]]] = {}
    picks = grid({place: range(len(values)) for place, values in ask.vary.items()})
    for picked in picks:
        values = [options[index] for options, index in zip(ask.vary.values(), picked, strict=True)]
        try:
            at_point = codec.decode_object(body_type, varied(body, tuple(ask.vary), values))
            # What the question counts is not known before a game is played, so that every metric is kept for now.
            player = game.player(question.name, msgspec.structs.replace(at_point, metrics=()))
            points.append(_Point(player, game_ms(question, at_point.case)))
        except Faults as faults:
            for fault in faults.faults:
                fault = _at_its_value(fault, ask.vary, picked)
                found.setdefault(codec.encode(fault), (fault, []))[1].append(picked)
            if len(found) > codec.MOST_FAULTS:
                break
    if found:
        raise Faults(_described(fault, ask.vary, at, len(picks)) for fault, at in found.values())
    return points


def _at_its_value(fault: Fault, vary: Mapping[str, Sequence[Any]], picked: tuple[int, ...]) -> Fault:
    """Move a fault of what was put in by the sweep to the value that was put in."""
    for place, index in zip(vary, picked, strict=True):
        if fault.pointer == place or fault.pointer.startswith(f"{place}/"):
            rest = fault.pointer.removeprefix(place)
            return msgspec.structs.replace(fault, pointer=pointer("vary", place, index) + rest)
    return fault


def _described(fault: Fault, vary: Mapping[str, Sequence[Any]], picks: Sequence[tuple[int, ...]], points: int) -> Fault:
    """Say of a fault that is not at all points with which values it came up first."""
    # What is wrong everywhere is the body's own fault, and so is what names its place below `vary` already.
    if len(picks) == points or fault.pointer.startswith("/vary"):
        return fault
    values = ", ".join(
        f"{place} is {shorten(msgspec.json.encode(options[index]).decode(), SHOWN_CHARACTERS)}"
        for (place, options), index in zip(vary.items(), picks[0], strict=True)
    )
    others = f" (and at {len(picks) - 1} more of {points} points)" if len(picks) > 1 else ""
    where = pointer("vary") if len(vary) > 1 else pointer("vary", *vary, picks[0][0])
    message = f"{fault.pointer or '/'}: {fault.message}, where {values}{others}"
    return msgspec.structs.replace(fault, pointer=where, message=message)


def _check_metrics(question: Asking, ask: Simulate[Any], points: Sequence[_Point]) -> None:
    """Refuse names that nothing is counted under, as far as the first game of each point tells."""
    if not ask.metrics:
        return
    requested, available = set(ask.metrics), set[str]()
    for counted in _first_games(ask, points):
        if counted is None:
            return  # a game without an answer counts nothing and so cannot tell
        available |= counted.keys()
        if requested <= available:
            return
    names = ", ".join(sorted(available)[:100])
    raise Faults(
        Fault(
            pointer("metrics", index),
            "unknown-metric",
            f"{question.name!r} counts nothing under this name",
            seen=name,
            expected=f"one of {names}",
        )
        for index, name in enumerate(ask.metrics)
        if name not in available
    )


MOST_TRIED_MS = 1_000.0
"""What may be played to see which metrics there are."""


def _first_games(ask: Simulate[Any], points: Sequence[_Point]) -> Iterator[Mapping[str, Any] | None]:
    """Play the first game of each point; None for one that tells nothing, or that would take too long to play."""
    left = MOST_TRIED_MS
    for point in points:
        left -= point.game_ms
        game = point.player(game_seed(ask.seed, 0)) if left >= 0 else None
        yield None if game is None or game.answer is None else game.counted
