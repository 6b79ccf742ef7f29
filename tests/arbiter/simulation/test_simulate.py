"""Simulations: every game is a single question, pieces add up, points are compared game by game, places are found."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.question import Ask, Counted
from arbiter.simulation.simulate import (
    MOST_GAMES,
    Enough,
    Game,
    Player,
    PointCount,
    Shift,
    Simulate,
    add_up,
    as_key,
    game_seed,
    is_number,
    played,
)
from arbiter.simulation.sweep import MOST_AXES, MOST_POINTS
from services._template.arbiter import ARBITER
from services._template.questions import AttackCase
from tests.arbiter.test_asking import CLEARING

ATTACK = {"scene": CLEARING, "attacker": "gus", "target": "rob"}
GAMES = 60


def player(**body: Any) -> Player:
    return ARBITER.player("attack", msgspec.convert({"case": ATTACK, **body}, Simulate[AttackCase]))


def single(seed: str, **body: Any) -> Any:
    posted = {"case": ATTACK, "dice": {"seed": seed}, **body}
    return ARBITER.ask("attack", msgspec.convert(posted, Ask[AttackCase]), seed="never used")


def no_word(over: int) -> None:
    pass


def counts(players: Sequence[Player], games: range, ranked_by: str | None = None) -> tuple[PointCount, ...]:
    def numbered(each: Player) -> Player:
        def play(seed: str) -> Game:
            game = each(seed)
            number = game.counted.get(ranked_by) if ranked_by is not None else None
            return msgspec.structs.replace(game, rank=number if is_number(number) else None)

        return play

    return played([[numbered(each)] for each in players], 7, games, no_word)


def scripted(*games: dict[str, Counted] | None) -> Player:
    """Play games that are written down; None is a game that the book forbids."""

    def play(seed: str) -> Game:
        counted = games[int(seed.split("/")[1])]
        return Game(None, {}) if counted is None else Game("an answer", counted)

    return play


# Every game is a single question


def test_the_counts_are_those_of_single_questions_asked_one_by_one() -> None:
    bold = {"policies": {"*": "bold"}}
    (counted,) = counts([player(**bold)], range(GAMES), "wounds")
    answers = [msgspec.to_builtins(single(f"7/{index}", **bold).answer) for index in range(GAMES)]
    assert counted.games == GAMES
    assert counted.forbidden == 0
    for metric in ("hits", "dodged", "wounds"):
        assert counted.counts[metric] == Counter(str(answer[metric]) for answer in answers)
    assert counted.counts["slain"] == Counter(str(answer["slain"]).lower() for answer in answers)
    wounds = [str(answer["wounds"]) for answer in answers]
    assert counted.ranks == {number: (wounds.count(number), wounds.index(number)) for number in set(wounds)}


def test_choices_are_the_first_of_the_book_unless_a_policy_is_named() -> None:
    (first,) = counts([player()], range(GAMES))
    (bold,) = counts([player(policies={"blue": "bold"})], range(GAMES))
    assert first.counts["dodged"] == {"0": GAMES}, "to stand is the first option"
    assert bold.counts["dodged"].keys() == {"0", "1"}


def test_metrics_that_are_named_are_counted_alone() -> None:
    (counted,) = counts([player(metrics=["hits", "slain"])], range(5))
    assert counted.counts.keys() == {"hits", "slain"}


def test_forbidden_games_are_counted_and_have_no_values() -> None:
    friend = {**ATTACK, "target": "gus"}
    (forbidden,) = counts([player(case=friend)], range(5), "hits")
    assert forbidden == PointCount(5, 5, {}, {}, 0, {})
    allowed, banned = counts([player(), player(case=friend)], range(5), "hits")
    assert (allowed.forbidden, banned.forbidden, banned.paired) == (0, 5, 0)
    banned, allowed = counts([player(case=friend), player()], range(5), "hits")
    assert (allowed.paired, allowed.shifts) == (0, {}), "there is nothing to compare with"
    banned, allowed = played([[player(case=friend)], [player()]], 7, range(5), no_word, reference=1)
    assert (banned.paired, allowed.paired, allowed.shifts) == (0, 0, {}), "the point of reference is the second"
    mixed = counts([scripted({"a": 1}, None, {"a": 2}), scripted(None, {"a": 1}, {"a": 5})], range(3))[1]
    assert (mixed.games, mixed.forbidden, mixed.paired, mixed.shifts) == (3, 1, 1, {"a": {"": (3, 9, 1)}})


def test_what_is_impossible_is_told_before_any_game() -> None:
    with pytest.raises(Faults, match="no policy 'wild'"):
        player(policies={"*": "wild"})
    with pytest.raises(Faults, match="no fighter 'zoe'"):
        player(case={**ATTACK, "target": "zoe"})


def test_whoever_listens_hears_of_every_game_and_may_end_it() -> None:
    on_event: list[int] = []
    played([[player()], [player()]], 7, range(3, 6), on_event.append)
    assert on_event == [1, 2, 3, 4, 5, 6]

    class Enough(Exception):
        pass

    def stop(over: int) -> None:
        if over == 2:
            raise Enough

    with pytest.raises(Enough):
        played([[player()]], 7, range(GAMES), stop)


@pytest.mark.parametrize("index", [0, 7, MOST_GAMES - 1])
def test_the_longest_seed_of_a_simulation_is_a_seed_of_a_question(index: int) -> None:
    for seed in ("s" * 48, 2**63 - 1, 0):
        msgspec.convert({"case": 0, "seed": seed}, Simulate[int])
        msgspec.convert({"case": 0, "dice": {"seed": game_seed(seed, index)}}, Ask[int])


@pytest.mark.parametrize(
    "body",
    [
        {"count": 0},
        {"count": MOST_GAMES + 1},
        {"count": 1.5},
        {"seed": ""},
        {"seed": -1},
        {"seed": "s" * 49},
        {"vary": {"/case/x": []}},
        {"vary": {f"/case/{each}": [1] for each in range(MOST_AXES + 1)}},
        {"vary": {"/case/x": list(range(MOST_POINTS + 1))}},
        {"vary": {"/": [1]}},
        {"games": 3},
    ],
)
def test_bodies_are_held_to_their_bounds(body: dict[str, Any]) -> None:
    msgspec.convert({"case": 0}, Simulate[int])
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"case": 0, **body}, Simulate[int])


# Pieces add up

PLAYERS = (player(), player(policies={"*": "bold"}), player(case={**ATTACK, "target": "gus"}), player(metrics=["hits"]))
WHOLE = counts(PLAYERS, range(GAMES), "hits")


@given(st.sets(st.integers(1, GAMES - 1)), st.randoms(use_true_random=False))
def test_any_cutting_in_any_order_counts_the_same(cuts: set[int], shuffler: Any) -> None:
    ends = [0, *sorted(cuts), GAMES]
    pieces = [counts(PLAYERS, range(*ends[i : i + 2]), "hits") for i in range(len(ends) - 1)]
    shuffler.shuffle(pieces)
    assert add_up(pieces) == WHOLE


_FEW = st.integers(0, 9)
_OF_METRIC = st.dictionaries(st.sampled_from(["1", "2", '"won"', "null"]), _FEW)
_SHIFTS = st.dictionaries(st.sampled_from(["", "true", "1"]), st.builds(Shift, st.integers(-9, 9), _FEW, _FEW))
_METRICS = st.sampled_from(["hits", "slain"])
POINTS = st.builds(
    PointCount,
    _FEW,
    _FEW,
    st.dictionaries(_METRICS, _OF_METRIC),
    st.dictionaries(st.sampled_from(["1", "2"]), st.tuples(_FEW, _FEW)),
    _FEW,
    st.dictionaries(_METRICS, _SHIFTS),
    st.dictionaries(_METRICS, _SHIFTS),
)
PIECES = st.tuples(POINTS, POINTS)


@given(PIECES, PIECES, PIECES)
def test_adding_up_is_associative_and_commutative_and_changes_no_piece(one: Any, other: Any, third: Any) -> None:
    before = msgspec.json.encode([one, other, third])
    assert add_up([one, other]) == add_up([other, one])
    assert add_up([add_up([one, other]), third]) == add_up([one, add_up([other, third])]) == add_up([one, other, third])
    assert add_up([one]) == one
    assert msgspec.json.encode([one, other, third]) == before


# Points are compared game by game

_VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["won", "lost"])
_GAMES = st.lists(
    st.tuples(*[st.none() | st.dictionaries(st.sampled_from(["m", "n"]), _VALUES)] * 2), min_size=1, max_size=8
)


@given(_GAMES)
def test_differences_are_those_of_each_pair_of_games(pairs: list[Any]) -> None:
    base, point = ([pair[side] for pair in pairs] for side in (0, 1))
    counted = counts([scripted(*base), scripted(*point)], range(len(pairs)))[1]
    both = [(before, now) for before, now in pairs if before is not None and now is not None]
    assert counted.paired == len(both)
    for metric in ("m", "n"):
        of_metric = [(before[metric], now[metric]) for before, now in both if metric in before and metric in now]
        numbers = [now - before for before, now in of_metric if is_number(now) and is_number(before)]
        told = counted.shifts.get(metric, {})
        assert told.get("", (0, 0, 0)) == (sum(numbers), sum(by * by for by in numbers), len(numbers))
        # A class is gained where only the later game has it, and lost where only the earlier one has.
        keys = {as_key(value) for pair in of_metric for value in pair}
        for key in keys:
            classes = [
                (as_key(now) == key, as_key(before) == key)
                for before, now in of_metric
                if not (is_number(now) and is_number(before))
            ]
            by = [now - before for now, before in classes]
            expected = (sum(by), sum(each * each for each in by), sum(now for now, _ in classes))
            assert told.get(key, (0, 0, 0)) == expected, key
        assert told.keys() <= keys | {""}


def test_the_point_of_reference_is_compared_with_nothing() -> None:
    base, same = counts([player(metrics=["hits"])] * 2, range(GAMES))
    assert (base.paired, base.shifts) == (0, {})
    assert (same.paired, same.shifts) == (GAMES, {"hits": {"": (0, 0, GAMES)}})
    one, other = ([{"n": number} for number in numbers] for numbers in ((1, 4), (3, 3)))
    points = played([[scripted(*one)], [scripted(*other)]], 7, range(2), no_word, reference=1)
    assert [point.shifts for point in points] == [{"n": {"": (-1, 5, 2)}}, {}]


@pytest.mark.parametrize(
    ("value", "key", "number"),
    [(1, "1", True), (True, "true", False), (None, "null", False), ("1", '"1"', False), (0, "0", True)],
)
def test_one_and_yes_are_not_the_same(value: Counted, key: str, number: bool) -> None:
    assert (as_key(value), is_number(value)) == (key, number)


# Enough, and mirrored games


@pytest.mark.parametrize(("over", "games"), [(1, 1), (3, 1), (4, 1), (5, 2), (8, 2)])
def test_whoever_has_enough_gets_whole_seeds_alone(over: int, games: int) -> None:
    """Four games belong to a seed: two that mirror each other, at two points."""

    def enough(so_many: int) -> None:
        if so_many == over:
            raise Enough

    points = [[player(), player()], [player(), player(policies={"*": "bold"})]]
    counted = played(points, 7, range(GAMES), enough)
    assert [each.games for each in counted] == [2 * games, 2 * games]


def test_mirrored_games_are_counted_together_and_compared_with_those_as_posted() -> None:
    posted, other = ([{"n": n, "won": won} for n, won in rows] for rows in (((1, "a"), (4, "b")), ((3, "a"), (3, "a"))))
    (counted,) = played([[scripted(*posted), scripted(*other)]], 7, range(2), no_word)
    assert (counted.games, counted.counts) == (4, {"n": {"1": 1, "3": 2, "4": 1}, "won": {'"a"': 3, '"b"': 1}})
    assert counted.mirrored == {"n": {"": (-1, 5, 2)}, "won": {'"a"': (-1, 1, 1), '"b"': (1, 1, 1)}}
