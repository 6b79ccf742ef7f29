"""Work: the computation of a job, split into chunks that add up, without queue or store.

A simulation's chunks are ranges of its games; a ruling or odds is one chunk. Celery workers and the command line's
processes use the same functions. A process decodes a body once for all of its chunks.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from math import ceil
from typing import Any, Literal, cast

import msgspec
from msgspec.structs import replace

from arbiter import registry
from arbiter.game import ENGINE, Arbiter
from arbiter.json import encode, read_custom, to_builtins
from arbiter.odds.exact import Budget, PathBudgetExceeded
from arbiter.question import Ask, AskOdds, Question
from arbiter.simulation import statistics
from arbiter.simulation.memo_table import MOST_REMEMBERED, Experience, collector_at_rest
from arbiter.simulation.simulate import Player, PointCount, Simulate, add_up, game_seed, played
from arbiter.simulation.sweep import axes, body_with, grid, reference_of
from arbiter.value import Value

Kind = Literal["ruling", "odds", "simulation"]

CHUNK_MS = 250.0
"""The estimated time of a chunk: long compared with the queue's overhead, short for work that waits for a worker."""

USUAL_CHUNKS, LONG_CHUNK_MS, MOST_CHUNKS = 1_024, 4_000.0, 16_384
"""Chunks of one job: beyond the usual number they become longer, up to the longest time, and then more numerous. So an
hour of work has sixteen chunks for each of 64 cores, and longer work as many for each of a thousand."""

GAME_MS = 0.5
"""The assumed time of one game of a question without an estimate."""

LAW_PATHS = 2_000
"""Paths that the law of a simulation may walk at one point."""

LAW_STEPS = 20_000
"""Dice, choices and rules on those paths: a tenth of a second of one core. It is a count and not a time, so that the
result is the same on every machine."""

MOST_SAMPLES, MOST_SAMPLE_BYTES = 100, 100_000
"""Games whose answers a process keeps for a job, and the longest answer, so that they need not be replayed."""

OnProgress = Callable[[int], None]
"""Called at intervals with the number of finished games of a chunk; an exception from it ends the chunk."""


class Work(Value, frozen=True):
    """The computation of a job: a question's ruling, its odds, or a simulation of it.

    `body` is the posted body, as JSON text. `seed` is for a ruling whose body names no dice; it is drawn when the work
    is submitted, so that the work has one result.
    """

    kind: Kind
    game: str
    question: str
    body: str
    seed: str = ""

    @property
    def total(self) -> int:
        """The number of games over all points; a ruling and odds count as one."""
        if self.kind != "simulation":
            return 1
        ask: Simulate[Any] = _decode(self)
        return ask.count * len(grid(ask.vary)) * (1 + ask.mirror)


def identify(work: Work, caller: str) -> str:
    """Give the id of a caller's job: a digest of everything that its result depends on, the same for equal work.

    Bodies that differ only in order, spaces or spelled-out defaults are equal. Two callers never share a job, so that
    neither can see the other's questions, or end their job.
    """
    game = registry.alone(work.game)
    body = to_builtins(_normalise(_decode(work)))
    whole = [work.kind, work.game, game.edition, ENGINE, work.question, work.seed, body, caller]
    return blake2b(msgspec.json.encode(whole, order="deterministic"), digest_size=16).hexdigest()


def _normalise(body: Any) -> Any:
    """Give a body with its seed as text, and without policies that are the default."""
    if isinstance(body, Ask):
        return body
    policies = dict(body.policies)
    if policies.get("*") == "first":
        del policies["*"]
    return replace(body, policies=policies, **({"seed": str(body.seed)} if isinstance(body, Simulate) else {}))


def split(work: Work, estimated_ms: float) -> tuple[range, ...]:
    """Split the work into ranges of games; a ruling and odds are one chunk."""
    if work.kind != "simulation":
        return (range(1),)
    count = _decode(work).count
    usual, long = min(USUAL_CHUNKS, ceil(estimated_ms / CHUNK_MS)), ceil(estimated_ms / LONG_CHUNK_MS)
    chunks = max(1, min(MOST_CHUNKS, count, max(usual, long)))
    size = ceil(count / chunks)
    return tuple(range(start, min(start + size, count)) for start in range(0, count, size))


def compute(work: Work, games: range, path_budget: int, on_progress: OnProgress) -> bytes:
    """Run one chunk of the work: the answer of a ruling or odds, or the counts of these games of a simulation.

    Raises `Faults` for an impossible body, `PathBudgetExceeded` for odds with too many paths.
    """
    if work.kind == "simulation":
        return encode(count_games(work, games, on_progress))
    game = registry.alone(work.game)
    if work.kind == "odds":
        odds: AskOdds[Any] = _decode(work)
        if odds.vary:
            return encode(game.odds_table(work.question, odds, _asks(work), path_budget))
        return encode(game.odds(work.question, odds, path_budget))

    def posted() -> Any:
        return msgspec.json.decode(work.body)["case"]["scene"]

    return encode(game.ask(work.question, _decode(work), seed=work.seed, posted=posted))


def count_games(work: Work, games: range, on_progress: OnProgress) -> tuple[PointCount, ...]:
    """Play these games of a simulation and count them; after `Enough` from `on_progress`, only the finished ones."""
    ask: Simulate[Any] = _decode(work)
    samples = _samples(work)

    def sample(index: int, answer: Any) -> None:
        if len(samples) < MOST_SAMPLES and (len(text := encode(answer)) <= MOST_SAMPLE_BYTES):
            samples[index] = text

    with collector_at_rest():
        return played(
            _players(work),
            ask.seed,
            games,
            on_progress,
            reference=reference_of(ask.vary, ask.reference),
            sample=None if ask.vary else sample,
        )


def count_more(work: Work, games: range, before: bytes | None, on_progress: OnProgress) -> tuple[bytes, int]:
    """Count a chunk's games after those counted before; give all counts, and the number of games left."""
    earlier = () if before is None else (msgspec.json.decode(before, type=tuple[PointCount, ...]),)
    variants = 2 if _decode(work).mirror else 1
    done = sum(counted[0].games for counted in earlier) // variants
    counted = add_up([*earlier, count_games(work, games[done:], on_progress)])
    return encode(counted), len(games) - counted[0].games // variants


def counted_games(counts: bytes) -> int:
    """Give the number of games of all points in a count."""
    return sum(point.games for point in msgspec.json.decode(counts, type=tuple[PointCount, ...]))


def result(work: Work, done: Iterable[bytes]) -> bytes:
    """Give the result of the work from the results of its chunks, in any order."""
    if work.kind != "simulation":
        (whole,) = done
        return whole
    counted = add_up(msgspec.json.decode(chunk, type=tuple[PointCount, ...]) for chunk in done)
    return encode(_summary(work, counted))


def _summary(work: Work, counted: Sequence[PointCount]) -> statistics.Simulated[Any]:
    game = registry.alone(work.game)
    question = game.question(work.question)
    ask = _decode(work)
    asks = _asks(work)
    laws = [_laws(game, question, each) for each in asks]
    points = tuple(
        statistics.point(dict(zip(ask.vary, values, strict=True)), at_point, of_point, law)
        for values, at_point, (law, of_point) in zip(grid(ask.vary), counted, laws, strict=True)
    )
    kinds = {law for law, _ in laws}
    reference = points[reference_of(ask.vary, ask.reference)].values if ask.vary else {}
    return statistics.Simulated(
        game.name,
        game.edition,
        ENGINE,
        question.name,
        ask.count,
        str(ask.seed),
        statistics.CONFIDENCE,
        {"*": "first", **ask.policies},
        ask.readings,
        axes(ask.vary),
        points,
        kinds.pop() if len(kinds) == 1 else "partly",
        question.ranked_by,
        () if ask.vary else _sample_games(work, counted[0]),
        reference,
        ask.mirror,
    )


def _laws(
    game: Arbiter, question: Question[Any, Any, Any], ask: Simulate[Any]
) -> tuple[statistics.Law, statistics.Laws]:
    """Give the law at a point, if it can be walked; for mirrored games the mean of both."""
    if question.cost is not None:
        return "heavy", {}
    budget = Budget(LAW_PATHS, LAW_STEPS)
    try:
        laws = [game.metric_laws(question.name, ask, budget)]
        if ask.mirror:
            other = replace(ask, case=game.mirrored(question.name, ask.case).case)
            laws.append(game.metric_laws(question.name, other, budget))
    except PathBudgetExceeded:
        return "too-many-paths", {}
    mean: dict[str, dict[str, Fraction]] = {}
    for of_metrics in laws:
        for metric, masses in of_metrics.items():
            of_metric = mean.setdefault(metric, {})
            for key, mass in masses.items():
                of_metric[key] = of_metric.get(key, Fraction(0)) + mass / len(laws)
    return "beside", mean


def _sample_games(work: Work, counted: PointCount) -> tuple[statistics.SampleGame[Any], ...]:
    """Give the sample games: as this process has played them, or replayed."""
    ask, known = _decode(work), _samples(work)
    picked = statistics.pick_samples(counted.ranks)
    for index in picked.values():
        if index not in known:
            ((play, *_), *_) = _players(work)
            known[index] = encode(play(game_seed(ask.seed, index)).answer)
    return tuple(
        statistics.SampleGame(which, index, game_seed(ask.seed, index), msgspec.Raw(known[index]))
        for which, index in picked.items()
    )


@lru_cache(maxsize=4)
def _samples(work: Work) -> dict[int, bytes]:
    """Keep the answers of this process's games that may become sample games, by number."""
    return {}


def _read(work: Work, body: Any) -> Any:
    kind = {"ruling": Ask, "odds": AskOdds, "simulation": Simulate}[work.kind]
    case = registry.alone(work.game).question(work.question).case
    return msgspec.convert(body, cast(Any, kind)[case], dec_hook=read_custom)


@lru_cache(maxsize=8)
def _decode(work: Work) -> Any:
    return _read(work, msgspec.json.decode(work.body))


@lru_cache(maxsize=4)
def _asks(work: Work) -> tuple[Any, ...]:
    """Read the body at every point of a sweep; raises `Faults` with the values of an impossible point."""
    body, ask = msgspec.json.decode(work.body), _decode(work)
    return tuple(_read(work, body_with(body, tuple(ask.vary), values)) for values in grid(ask.vary))


@lru_cache(maxsize=4)
def _players(work: Work) -> tuple[tuple[Player, ...], ...]:
    game = registry.alone(work.game)
    asks = _asks(work)
    # The memory of one point serves the next; points with other readings decide differently, and share the capacity.
    different = {msgspec.json.encode(ask.readings, order="deterministic") for ask in asks}
    shared = {readings: Experience(max(1, MOST_REMEMBERED // len(different))) for readings in different}
    return tuple(
        tuple(
            game.player(
                work.question, ask, shared[msgspec.json.encode(ask.readings, order="deterministic")], mirrored=mirrored
            )
            for mirrored in ((False, True) if ask.mirror else (False,))
        )
        for ask in asks
    )
