"""How well look-ups find what players ask: `make lookup` prints recall and time for each game and set of questions.

The sets are what is indexed (`asked`), paraphrases that are not (`held_out`), and, where a game has them, questions of
somebody who knew the text alone (`players` to `players_six`).
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import msgspec

from arbiter import registry
from arbiter.fault import UnknownName
from arbiter.game import Arbiter
from arbiter.sources.catalogue import GameCatalogue, catalogue_of
from arbiter.sources.yaml_file import load_yaml
from arbiter.value import Value

ROOT = Path(__file__).parent.parent

SETS = ("held_out", "players", "players_two", "players_three", "players_four", "players_five", "players_six")
"""Files of questions beside a game's tests."""

DEEPEST = 10
"""Places of a ranking that are looked at."""


class Question(Value, frozen=True):
    """A question of a player, and the units and readings that a referee accepts as its answer.

    `after` says in a sentence what the player wants to know.
    """

    q: str
    accepts: tuple[str, ...]
    kind: str = ""
    after: str = ""


class Found(Value, frozen=True):
    """A question, the place of the first accepted answer (0 for none), and whether there was any.

    With the words that the glossary names as absent, and the seconds that it took.
    """

    question: Question
    place: int
    empty: bool
    absent: tuple[str, ...]
    seconds: float


class Figures(Value, frozen=True):
    """What look-ups of a set of questions come to, as parts of 1; times in milliseconds."""

    questions: int
    first: float
    in_three: float
    in_ten: float
    reciprocal_rank: float
    empty: int
    median_ms: float
    slowest_ms: float


def sets_of(catalogue: GameCatalogue) -> Iterator[tuple[str, tuple[Question, ...]]]:
    """Give the sets of questions of a game by their names, those that are indexed first."""
    yield "asked", tuple(Question(q, (id_,)) for id_, each in catalogue.questions.items() for q in each.asked)
    for name in SETS:
        path = ROOT / "tests" / "services" / catalogue.game.folder.name / f"{name}.yaml"
        if path.is_file():
            yield name, msgspec.convert(load_yaml(path), tuple[Question, ...])


def find(catalogue: GameCatalogue, questions: Iterable[Question]) -> Iterator[Found]:
    """Look every question up, and give where the first accepted answer stands."""
    for question in questions:
        before = perf_counter()
        matches = catalogue.lookup.search(question.q, DEEPEST)
        seconds = perf_counter() - before
        ids = [match.entry.id for match in matches.entries]
        absent = tuple(word for each in matches.absent for word in each.words)
        place = next((place for place, id_ in enumerate(ids, 1) if id_ in question.accepts), 0)
        yield Found(question, place, not ids, absent, seconds)


def figures(found: Sequence[Found]) -> Figures:
    """Give recall at 1, 3 and 10, the mean reciprocal rank, how many were empty, and times."""
    count = len(found)
    times = sorted(1_000 * each.seconds for each in found)
    return Figures(
        questions=count,
        first=sum(each.place == 1 for each in found) / count,
        in_three=sum(1 <= each.place <= 3 for each in found) / count,
        in_ten=sum(each.place >= 1 for each in found) / count,
        reciprocal_rank=sum(1 / each.place for each in found if each.place) / count,
        empty=sum(each.empty for each in found),
        median_ms=median(times),
        slowest_ms=times[min(count - 1, int(0.99 * count))],
    )


def report(games: Iterable[Arbiter], *, misses: bool = False) -> Iterator[str]:
    """Give the table of figures, a line for each game and set; with `misses` also what is not among the first three."""
    yield "game                 set             n  first   in 3  in 10    MRR empty     ms    99%"
    every: dict[str, list[Found]] = {}
    for game in games:
        catalogue = catalogue_of(game)
        catalogue.lookup.search("warm up")
        for name, questions in sets_of(catalogue):
            found = list(find(catalogue, questions))
            every.setdefault(name, []).extend(found)
            yield _row(game.name, name, figures(found))
            if misses:
                yield from (
                    f"    {each.place or '-':>2} {each.question.q}" for each in found if not 1 <= each.place <= 3
                )
    yield from (_row("all", name, figures(found)) for name, found in every.items())


def _row(game: str, name: str, each: Figures) -> str:
    return (
        f"{game:20} {name:11} {each.questions:5} {each.first:6.1%} {each.in_three:6.1%} {each.in_ten:6.1%} "
        f"{each.reciprocal_rank:6.3f} {each.empty:5} {each.median_ms:6.2f} {each.slowest_ms:6.2f}"
    )


def main(arguments: Sequence[str]) -> int:
    """Print the table for every game, or those that are named; `--misses` lists what was not found, too."""
    names = [name for name in arguments if name != "--misses"]
    try:
        games = [registry.game(name) for name in names] or list(registry.games().values())
    except UnknownName as wrong:
        print(wrong, file=sys.stderr)
        return 2
    for line in report(games, misses="--misses" in arguments):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
