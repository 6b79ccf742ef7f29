"""Simulations: one question played many times, each game from its own seed, and the counts of their metrics.

Game number i of a simulation draws its dice from the seed `{seed}/{i}`, the same at every point of a sweep, so that
points differ by the varied values and not by luck. A game depends on nothing else: the counts of the chunks of a
simulation add up to the counts of the whole, in any order, and each game can be replayed as a single question.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add
from typing import Annotated, Any, Generic, NamedTuple, TypeGuard, TypeVar

import msgspec
from msgspec import Meta

from arbiter.question import Counted, Name
from arbiter.simulation.sweep import MOST_AXES, Place, Vary
from arbiter.value import Value

C = TypeVar("C")

MOST_GAMES = 1_000_000
"""Games of one simulation."""

SimulationSeed = Annotated[str, Meta(min_length=1, max_length=48)] | Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Simulate(Value, Generic[C], frozen=True):
    """A question to play `count` times: the case, and how choices and unclear passages are decided.

    `metrics` names what is counted, by default everything that the question counts. With `vary`, a sweep: JSON Pointers
    into this body (below `/case`, `/policies` or `/readings`), each with the values to take there; every combination is
    a point, and each point plays the same `count` games from the same seeds. `reference` picks the point that all
    others are compared with, by the values at its pointers, and by the first value at each other pointer. With `mirror`
    every seed is played twice, as posted and with the positions and dice of the two sides swapped.
    """

    case: C
    count: Annotated[int, Meta(ge=1, le=MOST_GAMES)] = 1_000
    seed: SimulationSeed = 0
    policies: Annotated[dict[Name, Name], Meta(max_length=20)] = {}
    readings: Annotated[dict[Name, Name], Meta(max_length=100)] = {}
    metrics: Annotated[tuple[Name, ...], Meta(max_length=200)] = ()
    vary: Vary = {}
    reference: Annotated[dict[Place, Any], Meta(max_length=MOST_AXES)] = {}
    mirror: bool = False


class Shift(NamedTuple):
    """Sums over pairs of games: the differences, their squares, and the games of this point among them.

    For a class these are the pairs in which the game of this point has the value, for numbers all pairs.
    """

    total: int
    squares: int
    games: int


class PointCount(Value, frozen=True):
    """The counts at one point: the number of games for each value of each metric.

    `counts` is keyed by metric and by the value as JSON; `forbidden` games have no values. `ranks` gives, for each
    number that ranks sample games, the count of its games and the lowest of them. For the comparison with the point of
    reference, over the `paired` games with values at both, `shifts` has the sums over pairs for each metric that both
    points count: between numbers under an empty key, otherwise for each of the two values as a class. `mirrored` has
    the same for posted games compared with mirrored ones.
    """

    games: int
    forbidden: int
    counts: dict[str, dict[str, int]]
    ranks: dict[str, tuple[int, int]]
    paired: int
    shifts: dict[str, dict[str, Shift]]
    mirrored: dict[str, dict[str, Shift]] = {}


class Game(Value, frozen=True):
    """One played game: its answer, or None if the book forbids it, and its metrics.

    `rank` is the number by which sample games are picked, if the question has one.
    """

    answer: Any
    counted: dict[str, Counted]
    rank: int | None = None


Player = Callable[[str], Game]
"""Plays one game of a point from a seed."""


class Enough(Exception):
    """Raised between two games to end a count with the finished ones."""


def game_seed(seed: str | int, index: int) -> str:
    """Give the seed of game number `index`: with it as `dice.seed`, the single question gives the same game."""
    return f"{seed}/{index}"


def played(
    points: Sequence[Sequence[Player]],
    seed: str | int,
    games: range,
    between: Callable[[int], None],
    *,
    reference: int = 0,
    sample: Callable[[int, Any], None] | None = None,
) -> tuple[PointCount, ...]:
    """Play these games at every point and count them; a point has a player, or two that mirror each other.

    Each point is compared with the one of index `reference`. `between` is called after each game of a point, with the
    number of finished games of all points; an exception from it ends the count, and `Enough` ends it when the seed is
    finished at all points. `sample` is called with each game of the first point whose rank is new, and its answer.
    """
    counts = [_Point() for _ in points]
    over = 0
    for index in games:
        own_seed = game_seed(seed, index)
        enough = False
        at_points: list[list[Game]] = []
        for players in points:
            at_points.append([])
            for player in players:
                at_points[-1].append(player(own_seed))
                over += 1
                try:
                    between(over)
                except Enough:
                    enough = True
        base = at_points[reference]
        for number, (count, of_point) in enumerate(zip(counts, at_points, strict=True)):
            fresh = count.count(of_point, base, index)
            if fresh and number == 0 and sample is not None:
                sample(index, of_point[0].answer)
        if enough:
            break
    return tuple(count.counted() for count in counts)


class _Point:
    """The counts of one point while they grow."""

    def __init__(self) -> None:
        self.games = self.forbidden = self.paired = 0
        self.counts: dict[str, dict[str, int]] = {}
        self.ranks: dict[str, tuple[int, int]] = {}
        self.shifts: dict[str, dict[str, Shift]] = {}
        self.mirrored: dict[str, dict[str, Shift]] = {}

    def count(self, games: Sequence[Game], bases: Sequence[Game], index: int) -> bool:
        """Count the games of a seed; return whether the first is the first of its rank."""
        for game, base in zip(games, bases, strict=True):
            self.games += 1
            if game.answer is None:
                self.forbidden += 1
                continue
            for metric, value in game.counted.items():
                of_metric = self.counts.setdefault(metric, {})
                key = as_key(value)
                of_metric[key] = of_metric.get(key, 0) + 1
            if base is not game and base.answer is not None:
                self.paired += 1
                _compare(self.shifts, game, base)
        first = games[0]
        if len(games) == 2 and first.answer is not None and games[1].answer is not None:
            _compare(self.mirrored, first, games[1])
        if first.rank is None:
            return False
        key = as_key(first.rank)
        before, lowest = self.ranks.get(key, (0, index))
        self.ranks[key] = before + 1, lowest
        return not before

    def counted(self) -> PointCount:
        return PointCount(self.games, self.forbidden, self.counts, self.ranks, self.paired, self.shifts, self.mirrored)


def _compare(of_metrics: dict[str, dict[str, Shift]], game: Game, base: Game) -> None:
    for metric, value in game.counted.items():
        if metric not in base.counted:
            continue
        before, shifts = base.counted[metric], of_metrics.setdefault(metric, {})
        if is_number(value) and is_number(before):
            by = value - before
            _shift(shifts, "", Shift(by, by * by, 1))
            continue
        changed = int(value != before or type(value) is not type(before))
        _shift(shifts, as_key(value), Shift(changed, changed, 1))
        if changed:
            _shift(shifts, as_key(before), Shift(-1, 1, 0))


def _shift(shifts: dict[str, Shift], key: str, more: Shift) -> None:
    known = shifts.get(key)
    shifts[key] = more if known is None else Shift(*map(add, known, more))


def is_number(value: Counted) -> TypeGuard[int]:
    """Decide whether a metric's value is a whole number; True and False are classes."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_key(value: Counted) -> str:
    """Give a metric's value as JSON, the key of its count."""
    return msgspec.json.encode(value).decode()


def add_up(pieces: Iterable[tuple[PointCount, ...]]) -> tuple[PointCount, ...]:
    """Add up the counts of the chunks of a simulation, in any order."""
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
    ranks = dict(one.ranks)
    for key, (games, first) in other.ranks.items():
        before, lowest = ranks.get(key, (0, first))
        ranks[key] = before + games, min(lowest, first)
    return PointCount(
        one.games + other.games,
        one.forbidden + other.forbidden,
        counts,
        ranks,
        one.paired + other.paired,
        _sum_of_shifts(one.shifts, other.shifts),
        _sum_of_shifts(one.mirrored, other.mirrored),
    )


def _sum_of_shifts(
    one: Mapping[str, Mapping[str, Shift]], other: Mapping[str, Mapping[str, Shift]]
) -> dict[str, dict[str, Shift]]:
    shifts = {metric: dict(values) for metric, values in one.items()}
    for metric, of_other in other.items():
        mine = shifts.setdefault(metric, {})
        for key, more in of_other.items():
            _shift(mine, key, more)
    return shifts
