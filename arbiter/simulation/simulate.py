"""Simulations: one question played many times, each game from a seed of its own, and what is counted of them.

Game number i of a simulation draws its dice from the seed `{seed}/{i}`, at every point of a sweep the same, so that
points differ by what is varied and not by luck. A game depends on nothing else: counts of any pieces of a simulation
add up to the counts of the whole, in any order, and each game can be asked again as a single question.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import add
from typing import Annotated, Any, Generic, NamedTuple, TypeGuard, TypeVar

import msgspec
from msgspec import Meta

from arbiter.question import Counted, Name
from arbiter.simulation.sweep import Vary
from arbiter.simulation.sweep import grid as grid
from arbiter.simulation.sweep import varied as varied
from arbiter.value import Value

C = TypeVar("C")

MOST_GAMES = 1_000_000
"""Games of one simulation."""

SimulationSeed = Annotated[str, Meta(min_length=1, max_length=48)] | Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Simulate(Value, Generic[C], frozen=True):
    """A question to be played `count` times: the case, and how choices and unclear passages are settled.

    `metrics` names what is counted, by default everything that the question counts. With `vary`, a sweep: JSON
    Pointers into this body (below `/case`, `/policies` or `/readings`), each with the values to take there; every
    combination is a point, and each point plays the same `count` games from the same seeds.
    """

    case: C
    count: Annotated[int, Meta(ge=1, le=MOST_GAMES)] = 1_000
    seed: SimulationSeed = 0
    policies: Annotated[dict[Name, Name], Meta(max_length=20)] = {}
    readings: Annotated[dict[Name, Name], Meta(max_length=100)] = {}
    metrics: Annotated[tuple[Name, ...], Meta(max_length=200)] = ()
    vary: Vary = {}


class Shift(NamedTuple):
    """What pairs of games add up to: the differences, their squares, and the games of this point among them.

    Of a class these are the pairs in which the game of this point has the value, of numbers all pairs.
    """

    total: int
    squares: int
    games: int


class PointCount(Value, frozen=True):
    """What was counted at one point: how often each metric had each value.

    `counts` is keyed by metric and by the value as JSON; `forbidden` games have no values. `firsts` gives the lowest
    game of each value of the metric that games are told by. Against the point of reference, over the `paired` games
    that have values at both: `shifts` holds, for each metric that both points count, what its pairs of games add up to;
    from number to number under an empty key, else for each of the two values as a class.
    """

    games: int
    forbidden: int
    counts: dict[str, dict[str, int]]
    firsts: dict[str, int]
    paired: int
    shifts: dict[str, dict[str, Shift]]


class Game(Value, frozen=True):
    """One game as it was played: its answer, or None where the book forbids it, and what is counted of it."""

    answer: Any
    counted: dict[str, Counted]


Player = Callable[[str], Game]
"""Plays one game of a point from a seed."""


def game_seed(seed: str | int, index: int) -> str:
    """Give the seed of game number `index`: asked with it as `dice.seed`, the single question gives that very game."""
    return f"{seed}/{index}"


def played(
    players: Sequence[Player],
    seed: str | int,
    games: range,
    told_by: str | None,
    between: Callable[[int], None],
    reference: int = 0,
) -> tuple[PointCount, ...]:
    """Play these games at every point and count them.

    Each point is compared with the one of index `reference`. `between` is called after each game of a point, with how
    many games of all points are over; whatever it raises ends the count.
    """
    points = [_Point() for _ in players]
    over = 0
    for index in games:
        own_seed = game_seed(seed, index)
        at_points: list[Game] = []
        for player in players:
            at_points.append(player(own_seed))
            over += 1
            between(over)
        base = at_points[reference]
        for point, game in zip(points, at_points, strict=True):
            point.count(game, base, index, told_by)
    return tuple(point.counted() for point in points)


class _Point:
    """The counts of one point while they grow."""

    def __init__(self) -> None:
        self.games = self.forbidden = self.paired = 0
        self.counts: dict[str, dict[str, int]] = {}
        self.firsts: dict[str, int] = {}
        self.shifts: dict[str, dict[str, Shift]] = {}

    def count(self, game: Game, base: Game, index: int, told_by: str | None) -> None:
        self.games += 1
        if game.answer is None:
            self.forbidden += 1
            return
        for metric, value in game.counted.items():
            of_metric = self.counts.setdefault(metric, {})
            key = as_key(value)
            of_metric[key] = of_metric.get(key, 0) + 1
        if told_by is not None and told_by in game.counted:
            self.firsts.setdefault(as_key(game.counted[told_by]), index)
        if base is not game and base.answer is not None:
            self.paired += 1
            for metric, value in game.counted.items():
                if metric in base.counted:
                    self._compare(metric, value, base.counted[metric])

    def _compare(self, metric: str, value: Counted, before: Counted) -> None:
        shifts = self.shifts.setdefault(metric, {})
        if is_number(value) and is_number(before):
            by = value - before
            _shift(shifts, "", Shift(by, by * by, 1))
            return
        changed = value != before or type(value) is not type(before)
        _shift(shifts, as_key(value), Shift(changed, changed, 1))
        if changed:
            _shift(shifts, as_key(before), Shift(-1, 1, 0))

    def counted(self) -> PointCount:
        return PointCount(self.games, self.forbidden, self.counts, self.firsts, self.paired, self.shifts)


def _shift(shifts: dict[str, Shift], key: str, more: Shift) -> None:
    known = shifts.get(key)
    shifts[key] = more if known is None else Shift(*map(add, known, more))


def is_number(value: Counted) -> TypeGuard[int]:
    """Say whether a metric's value is a whole number; True and False are classes."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_key(value: Counted) -> str:
    """Give a metric's value as JSON, by which it is counted."""
    return msgspec.json.encode(value).decode()


def added(pieces: Iterable[tuple[PointCount, ...]]) -> tuple[PointCount, ...]:
    """Add up what was counted in the pieces of a simulation, in any order."""
    whole: list[PointCount] = []
    for piece in pieces:
        whole = [_sum(one, other) for one, other in zip(whole, piece, strict=True)] if whole else list(piece)
    return tuple(whole)


def _sum(one: PointCount, other: PointCount) -> PointCount:
    counts = {metric: dict(values) for metric, values in one.counts.items()}
    for metric, values in other.counts.items():
        of_metric = counts.setdefault(metric, {})
        for key, games in values.items():
            of_metric[key] = of_metric.get(key, 0) + games
    firsts = dict(one.firsts)
    for key, index in other.firsts.items():
        firsts[key] = min(index, firsts.get(key, index))
    shifts = {metric: dict(values) for metric, values in one.shifts.items()}
    for metric, of_other in other.shifts.items():
        mine = shifts.setdefault(metric, {})
        for key, more in of_other.items():
            _shift(mine, key, more)
    return PointCount(
        one.games + other.games, one.forbidden + other.forbidden, counts, firsts, one.paired + other.paired, shifts
    )
