"""Posted simulations: the body at every point of the sweep is read, prepared and estimated before any work."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from api.schemas import codec
from api.schemas.bodies import Simulation, simulation_type
from api.schemas.sweep_points import DEEPEST_VARIED, count_points, read_points
from arbiter.fault import Fault, Faults, pointer
from arbiter.game import Arbiter
from arbiter.question import AskOdds, Question
from arbiter.simulation.simulate import Player, Simulate, game_seed
from arbiter.simulation.sweep import reference_of
from workers.jobs.work import GAME_MS
from workers.webhooks.callback import Callback

Asking = Question[Any, Any, Any]

LEAST_PATHS = 100
"""The least number of paths of odds of whole games, each as long as a game; they have many more."""

MOST_TRIED_MS = 1_000.0
"""Milliseconds that may be played to see which metrics there are."""


class ParsedSimulation(NamedTuple):
    """A valid simulation: its body without the callback, the callback, and its estimated time on one core."""

    body: str
    callback: Callback | None
    estimate_ms: float


class _Point(NamedTuple):
    """A point of a sweep: the player of its games, and the cost of each."""

    player: Player
    game_ms: float


def game_ms(question: Asking, case: Any) -> float:
    """Estimate the time of one game of a question on one core; raises `Faults` for an impossible case."""
    return GAME_MS if question.cost is None else question.cost(question.prepare(case))


def odds_ms(question: Asking, ask: AskOdds[Any]) -> float:
    """Estimate the least time of a question's odds on one core; raises `Faults` for an impossible case.

    For all questions but whole games, only the walk itself shows the number of paths.
    """
    paths = 1 if question.ranked_by is None else min(LEAST_PATHS, ask.heads or LEAST_PATHS)
    return paths * game_ms(question, ask.case)


def read(
    game: Arbiter, question: Asking, posted: bytes, deepest: int, charge: Callable[[int], object] = lambda points: None
) -> ParsedSimulation:
    """Read a posted simulation; raises `Faults` with every fault at any point of its sweep.

    `charge` is called with the number of points before they are read.
    """
    ask: Simulation[Any] = codec.decode(simulation_type(question), posted, deepest=min(deepest, DEEPEST_VARIED))
    count = count_points(ask.vary)
    reference_of(ask.vary, ask.reference)
    charge(count * (1 + ask.mirror))
    body = {name: part for name, part in msgspec.json.decode(posted).items() if name != "callback"}
    points = _points(game, question, ask, body)
    _check_metrics(question, ask, points)
    text = msgspec.json.encode(body).decode()
    return ParsedSimulation(text, ask.callback, sum(ask.count * point.game_ms for point in points))


def _points(game: Arbiter, question: Asking, ask: Simulation[Any], body: Mapping[str, Any]) -> list[_Point]:
    """Read the body at every point."""

    def point(at_point: Simulate[Any]) -> _Point:
        # The metrics of the question are not known before a game is played, so every metric is accepted for now.
        whole = msgspec.structs.replace(at_point, metrics=())
        if at_point.mirror:
            game.player(question.name, whole, mirrored=True)
        return _Point(game.player(question.name, whole), (1 + at_point.mirror) * game_ms(question, at_point.case))

    return read_points(cast(Any, Simulate)[question.case], body, ask.vary, point)


def _check_metrics(question: Asking, ask: Simulate[Any], points: Sequence[_Point]) -> None:
    """Refuse unknown metrics, as far as the first game of each point shows them."""
    if not ask.metrics:
        return
    requested, available, left_ms = set(ask.metrics), set[str](), MOST_TRIED_MS
    for point in points:
        left_ms -= point.game_ms
        game = point.player(game_seed(ask.seed, 0)) if left_ms >= 0 else None
        if game is None or game.answer is None:
            return  # a game that takes too long, or has no answer, shows no metrics
        available |= game.counted.keys()
        if requested <= available:
            return
    names = ", ".join(sorted(available)[:100])
    raise Faults(
        Fault(
            pointer("metrics", index),
            "unknown-metric",
            f"{question.name!r} has no metric of this name",
            seen=name,
            expected=f"one of {names}",
        )
        for index, name in enumerate(ask.metrics)
        if name not in available
    )
