"""Dice of one path: what a seed holds for a label and an index, what hands give, what a replay is held to."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.dice import D6, D20, Die, numbered
from arbiter.dice_sources import DiceNeeded, HandedDice, ReplayedDice, SeededDice, WrongFace
from arbiter.ruling import Throw
from arbiter.table import Chooser, OneTable

LABELS = st.text(max_size=12)
SYMBOLS = Die("symbols", ("miss", "miss", "hit"))


def seat(dice) -> OneTable:
    return OneTable(dice, Chooser({}, {}), {})


@given(seed=st.text(max_size=20), rolled=st.lists(st.tuples(LABELS, st.sampled_from([D6, D20, SYMBOLS])), max_size=30))
def test_dice_of_another_label_leave_a_face_as_it_was(seed: str, rolled: list[tuple[str, Die]]) -> None:
    """Whatever is rolled before, between or after: the how-manieth die of a label shows the same face."""
    table, again = seat(SeededDice(seed)), SeededDice(seed)
    times: Counter[str] = Counter()
    for label, die in rolled:
        assert table.roll(die, label) == again.draw(die, label, times[label])
        times[label] += 1


def test_faces_of_one_label_do_not_depend_on_how_they_are_rolled() -> None:
    singly, together = seat(SeededDice("x")), seat(SeededDice("x"))
    assert sorted(singly.roll(D6, "a") for _ in range(9)) == list(together.pool(9, D6, "a"))


def test_a_seed_keeps_its_faces() -> None:
    """Rulings that were given stay checkable: this is the draw as it is documented, worked out here by itself."""
    from hashlib import blake2b

    key = blake2b(b"7", digest_size=32).digest()
    for index in range(20):
        word = int.from_bytes(blake2b(f"to hit\x1f{index}\x1f0".encode(), key=key, digest_size=8).digest(), "big")
        assert SeededDice("7").draw(D6, "to hit", index) == word % 6 + 1


@pytest.mark.parametrize("die", [numbered(2), D6, numbered(7), numbered(12), D20])
def test_faces_are_equally_likely(die: Die) -> None:
    rolls = 1000 * len(die.faces)
    for draw in (
        [SeededDice("fair").draw(die, "label", index) for index in range(rolls)],
        [SeededDice("fair").draw(die, f"label {index}", 0) for index in range(rolls)],
        [SeededDice(str(index)).draw(die, "label", 0) for index in range(rolls)],
    ):
        counted = Counter(draw)
        assert set(counted) == set(die.faces)
        statistic = sum((often - 1000) ** 2 / 1000 for often in counted.values())
        free = len(die.faces) - 1
        assert statistic < free + 5 * (2 * free) ** 0.5 + 5


def test_neighbouring_labels_indices_and_seeds_have_nothing_to_do_with_each_other() -> None:
    pairs = Counter((SeededDice(str(n)).draw(D6, "a", 0), SeededDice(str(n)).draw(D6, "a", 1)) for n in range(36 * 200))
    pairs_of_labels = Counter(
        (SeededDice(str(n)).draw(D6, "a", 0), SeededDice(str(n)).draw(D6, "b", 0)) for n in range(36 * 200)
    )
    for counted in (pairs, pairs_of_labels):
        assert sum((counted[a, b] - 200) ** 2 / 200 for a in D6.faces for b in D6.faces) < 35 + 5 * 70**0.5


def test_faces_that_repeat_on_a_die_are_likelier() -> None:
    counted = Counter(SeededDice("x").draw(SYMBOLS, "a", index) for index in range(9000))
    assert abs(counted["miss"] - 6000) < 5 * (9000 * 2 / 9) ** 0.5


def test_a_hand_goes_before_the_seed() -> None:
    table = seat(HandedDice({"a": [6]}, SeededDice("x")))
    assert table.pool(2, D6, "a") == tuple(sorted((6, SeededDice("x").draw(D6, "a", 1))))
    assert [throw.origin for throw in table.throws] == ["handed", "seed"]


def test_what_is_missing_in_a_hand_is_asked_for_all_at_once() -> None:
    table = seat(HandedDice({"a": [6, 1]}))
    with pytest.raises(DiceNeeded) as caught:
        table.pool(5, D6, "a")
    needs = caught.value.needs
    assert (needs.label, needs.die, needs.count, needs.faces) == ("a", "d6", 3, (1, 2, 3, 4, 5, 6))
    assert [throw.face for throw in table.throws] == [6, 1]


@pytest.mark.parametrize("face", [0, 7, -1, "6", "hit"])
def test_a_face_that_is_not_on_the_die_is_wrong(face: int | str) -> None:
    with pytest.raises(WrongFace, match="is no face of a d6"):
        seat(HandedDice({"a": [face]})).roll(D6, "a")
    with pytest.raises(WrongFace, match="is no face of a d6"):
        seat(ReplayedDice([Throw("a", 0, "d6", face, "handed")], None)).roll(D6, "a")


def test_what_is_left_in_a_hand_is_told_by_label() -> None:
    dice = HandedDice({"a": [1, 2, 3], "b": [1], "idle": [4], "empty": []})
    table = seat(dice)
    table.pool(2, D6, "a")
    table.roll(D6, "b")
    assert dice.left_over() == {"a": 2, "idle": 0}


def test_a_replay_is_held_to_its_seed() -> None:
    true = SeededDice("x").draw(D6, "a", 0)
    false = true % 6 + 1
    assert seat(ReplayedDice([Throw("a", 0, "d6", true, "seed")], SeededDice("x"))).roll(D6, "a") == true
    with pytest.raises(WrongFace, match="is not what the seed gives"):
        seat(ReplayedDice([Throw("a", 0, "d6", false, "seed")], SeededDice("x"))).roll(D6, "a")
    with pytest.raises(WrongFace, match="no seed is given"):
        seat(ReplayedDice([Throw("a", 0, "d6", true, "seed")], None)).roll(D6, "a")
    # A face that somebody rolled by hand may be any.
    assert seat(ReplayedDice([Throw("a", 0, "d6", false, "handed")], SeededDice("x"))).roll(D6, "a") == false


def test_a_replay_asks_for_what_it_lacks_or_draws_it() -> None:
    said = [Throw("a", 0, "d6", 2, "handed")]
    with pytest.raises(DiceNeeded) as caught:
        seat(ReplayedDice(said, None)).pool(3, D6, "a")
    assert caught.value.needs.count == 2
    assert seat(ReplayedDice(said, SeededDice("x"))).pool(2, D6, "a") == tuple(
        sorted((2, SeededDice("x").draw(D6, "a", 1)))
    )


def test_a_throw_of_another_die_is_wrong() -> None:
    with pytest.raises(WrongFace, match="is of a d20, but a d6 is rolled"):
        seat(ReplayedDice([Throw("a", 0, "d20", 3, "handed")], None)).roll(D6, "a")


def test_throws_that_nobody_asks_for_or_that_stand_twice_are_left_over() -> None:
    said = [Throw("a", 0, "d6", 2, "handed"), Throw("b", 0, "d6", 1, "handed"), Throw("a", 0, "d6", 3, "handed")]
    dice = ReplayedDice(said, None)
    seat(dice).roll(D6, "a")
    assert dice.left_over() == (0, 1)
