from fractions import Fraction

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.fault import Faults
from arbiter.odds.exact import law
from services.blackstone_fortress.profiles import ExplorerProfile, Profiles
from services.blackstone_fortress.rules import gambits
from services.blackstone_fortress.rules.gambits import Stake
from services.blackstone_fortress.rules.payments import Payment
from tests.services.blackstone_fortress.turns import ask, field_of, posted, readings, table

CARDS = ("janus", "espern", "ur-025", "twins", "group-1", "group-2")
FACES = {"d6": [0] * 4 + [1, 2], "d8": [0] * 4 + [1] * 2 + [2] * 2, "d12": [0] * 4 + [1] * 4 + [2] * 4}
RESULTS = ("failure", "success", "critical")


def agile(*dice: str):
    """A battlefield on which Janus has these agility dice."""
    field = field_of("turn-track")
    card = field.book.explorers["janus-draik"]
    other = ExplorerProfile(card.id, card.name, card.spaces, replace(card.uninspired, agility=dice))
    return type(field)(field.ground, type(field.book).of(Profiles(explorers=(other,))), field.scene, field.units)


@pytest.mark.parametrize("dice", [("d6",), ("d8",), ("d12",), ("d8", "d8"), ("d6", "d12")])
def test_the_better_of_the_agility_dice_counts(dice) -> None:
    best = icepool.map(lambda *faces: max(faces), *(icepool.Die(FACES[die]) for die in dice))
    expected = {(RESULTS[face],): Fraction(best.probability(face)) for face in best.outcomes()}
    assert law(gambits.roll, agile(*dice), "janus", readings=readings()) == expected


def test_each_of_two_agility_dice_counts_if_it_is_read_so() -> None:
    result = law(gambits.roll, agile("d8", "d8"), "janus", readings=readings(two_dice="each"))
    assert result == {
        ("failure",): Fraction(1, 4),
        ("success",): Fraction(1, 4),
        ("critical",): Fraction(1, 4),
        ("success", "success"): Fraction(1, 16),
        ("critical", "success"): Fraction(1, 8),
        ("critical", "critical"): Fraction(1, 16),
    }


def test_a_single_agility_die_is_no_matter_of_two_dice() -> None:
    of_one, of_two = table(), table()
    gambits.roll(of_one, agile("d8"), "janus")
    gambits.roll(of_two, agile("d8", "d8"), "janus")
    cited = [{unit for finding in at.findings for unit in finding.cites} for at in (of_one, of_two)]
    assert ["dice/two-dice" in units for units in cited] == [False, True]


@given(st.permutations(CARDS), st.sampled_from(["either-side", "nearest-overall"]))
def test_the_groups_of_a_success_are_the_nearest_on_both_sides(track, option) -> None:
    field = field_of("turn-track").with_turn(track=tuple(track))
    at = track.index("janus")
    left = [card for card in reversed(track[:at]) if card.startswith("group")][:1]
    right = [card for card in track[at + 1 :] if card.startswith("group")][:1]
    both = left + right
    if option == "nearest-overall" and len(both) == 2:
        least = min(abs(track.index(card) - at) for card in both)
        both = [card for card in both if abs(track.index(card) - at) == least]
    assert gambits.nearest(table(gambit_nearest=option), field, "janus") == tuple(both)


@given(st.permutations(CARDS), st.sampled_from(RESULTS), st.sampled_from(["janus", "raus"]), st.integers(0, 1))
def test_a_gambit_keeps_the_cards_and_moves_two_at_most(track, result, explorer_id, pick) -> None:
    field = field_of("turn-track").with_turn(track=tuple(track))
    groups = gambits.nearest(table(), field, explorer_id) if result == "success" else ("group-1", "group-2")
    choices = (
        {f"{explorer_id}: gambit": [groups[pick % len(groups)]]} if result != "failure" and len(groups) > 1 else {}
    )
    after = gambits.carry_out(table(choices=choices), field, explorer_id, result).scene.turn.track
    moved = [card for card, other in zip(track, after, strict=True) if card != other]
    assert sorted(after) == sorted(track)
    if result == "failure":
        assert not moved
    else:
        card = "twins" if explorer_id == "raus" else explorer_id
        assert len(moved) == 2
        assert card in moved
        assert any(other.startswith("group") for other in moved)


@given(
    st.integers(1, 3), st.booleans(), st.lists(st.sampled_from(["free-gambit-first-turn", "free-gambit-every-turn"]))
)
def test_one_gambit_is_free_in_the_first_turn_or_inspired_in_every_turn(number, inspired, used) -> None:
    field = field_of("turn-track").with_turn(number=number)
    field = field.put(replace(field.explorer("janus"), inspired=inspired, used=tuple(used)))
    free = not used and (inspired or number == 1)
    assert gambits.is_free(table(), field, "janus") == free
    assert bool(gambits.violations(table(), field, Stake("janus"))) != free
    if free:
        again = gambits.stake(table(), field, Stake("janus"))
        assert gambits.violations(table(), again, Stake("janus"))
        assert again.explorer("janus").activation == field.explorer("janus").activation


@given(st.integers(1, 6), st.booleans())
def test_any_die_on_the_card_pays_and_no_other(die, destiny) -> None:
    field = field_of("turn-track").with_turn(destiny=(1, 2, 3, 4, 5, 6))
    dice = field.explorer("janus").activation
    reasons = gambits.violations(table(), field, Stake("janus", Payment(die, destiny)))
    assert bool(reasons) == (destiny or die not in dice)
    if not reasons:
        left = gambits.stake(table(), field, Stake("janus", Payment(die))).explorer("janus").activation
        assert sorted((*left, die)) == sorted(dice)


def test_an_explorer_gambles_as_often_as_it_can_pay() -> None:
    field = field_of("turn-track").with_turn(number=2)
    for die in field.explorer("janus").activation:
        assert gambits.may_go_on(table(), field, "janus")
        field = gambits.stake(table(), field, Stake("janus", Payment(die)))
    assert not gambits.may_go_on(table(), field, "janus")


def test_faults_of_a_gambit_are_named_together() -> None:
    attempts = [{"explorer": "nobody"}, {"explorer": "janus", "destiny": True}, {"explorer": "janus", "die": 3}]
    with pytest.raises(Faults) as caught:
        ask("gambit", {"scene": posted("turn-track"), "attempts": attempts})
    assert {(fault.pointer, fault.code) for fault in caught.value.faults} == {
        ("/case/attempts/0/explorer", "unknown-explorer"),
        ("/case/attempts/1/die", "no-die"),
        ("/case/attempts", "unit-twice"),
    }
