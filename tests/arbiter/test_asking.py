"""Asking an arbiter: the conversation about dice and choices, replays, and every fault at its place."""

from typing import Any

import jsonpatch
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.json import encode
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Ruling
from services._template.arbiter import ARBITER
from services._template.questions import AttackCase, BattleCase

CLEARING = {
    "radius_hexes": 4,
    "fighters": [
        {"id": "gus", "side": "red", "profile": "gunner", "hex": [-2, 0]},
        {"id": "rob", "side": "blue", "profile": "scout", "hex": [0, 0]},
        {"id": "sue", "side": "blue", "profile": "marksman", "hex": [1, 1]},
    ],
}
CASES: dict[str, Any] = {
    "attack": ({"scene": CLEARING, "attacker": "gus", "target": "rob"}, AttackCase),
    "battle": ({"scene": CLEARING, "rounds": 2}, BattleCase),
}


def ask(name: str = "attack", *, fresh: str = "fresh", **body: Any) -> Ruling[Any]:
    case, type_ = CASES[name]
    posted = {"case": case, **body}
    # Through JSON and back, as a client would send it.
    asked = msgspec.json.decode(msgspec.json.encode(posted), type=Ask[type_])
    return ARBITER.ask(name, asked, seed=fresh, posted=lambda: posted["case"]["scene"])


def faults(name: str = "attack", **body: Any) -> list[tuple[str, str]]:
    with pytest.raises(Faults) as caught:
        ask(name, **body)
    return [(fault.pointer, fault.code) for fault in caught.value.faults]


# Seeds


def test_a_seed_is_in_the_ruling_only_where_it_was_used() -> None:
    everyone = {"policies": {"*": "first"}}
    assert ask(dice={"seed": 7}, **everyone).seed == "7"
    assert ask(dice={"seed": "7"}, **everyone) == ask(dice={"seed": 7}, **everyone)
    assert ask(fresh="picked", **everyone).seed == "picked"
    assert ask(dice={"seed": 7, "hand": {"to hit": [1, 1, 1]}}, **everyone).seed is None
    assert ask(dice={"seed": 7, "hand": {"to hit": [6, 1, 1]}}, **everyone).seed == "7"


# The conversation


def conversation(name: str, seed: int, policies: dict[str, str]) -> tuple[Ruling[Any], int]:
    """Roll by hand what is asked for, as the seed would; choose what the policies would; until it is ruled."""
    seeded = ask(name, dice={"seed": seed}, policies=policies)
    faces: dict[str, list[Any]] = {}
    for throw in seeded.throws:
        faces.setdefault(throw.label, []).append(throw.face)
    options: dict[str, list[Any]] = {}
    for made in seeded.choices:
        options.setdefault(made.label, []).append(made.option.id)
    hand: dict[str, list[Any]] = {}
    choices: dict[str, list[Any]] = {}
    for asked in range(1000):
        ruling = ask(name, dice={"hand": hand}, choices=choices)
        if ruling.status == "ruled":
            return ruling, asked
        assert ruling.answer is None
        assert ruling.effects.patch == ruling.effects.events == ()
        needs = ruling.needs
        assert needs is not None
        if ruling.status == "needs_dice":
            assert needs.choice is None
            wanted = needs.dice
            begun = hand.setdefault(wanted.label, [])
            assert 0 < wanted.count <= len(faces[wanted.label]) - len(begun)
            more = faces[wanted.label][len(begun) : len(begun) + wanted.count]
            assert set(more) <= set(wanted.faces)
            begun += more
        else:
            assert needs.dice is None
            wanted = needs.choice
            begun = choices.setdefault(wanted.label, [])
            option = options[wanted.label][len(begun)]
            assert option in [each.id for each in wanted.options]
            begun.append(option)
    raise AssertionError("the conversation has no end")


@given(
    seed=st.integers(0, 10_000), policy=st.sampled_from(["first", "bold"]), name=st.sampled_from(["attack", "battle"])
)
def test_asked_for_step_by_step_a_ruling_is_the_seeded_one(seed: int, policy: str, name: str) -> None:
    policies = {"*": policy}
    ruling, _ = conversation(name, seed, policies)
    seeded = ask(name, dice={"seed": seed}, policies=policies)
    assert ruling.answer == seeded.answer
    assert ruling.findings == seeded.findings
    assert ruling.effects == seeded.effects
    assert ruling.citations == seeded.citations
    faces = [(throw.label, throw.index, throw.die, throw.face) for throw in ruling.throws]
    assert faces == [(throw.label, throw.index, throw.die, throw.face) for throw in seeded.throws]
    assert all(throw.origin == "handed" for throw in ruling.throws)
    assert [made.option for made in ruling.choices] == [made.option for made in seeded.choices]
    assert all(made.origin == "player" for made in ruling.choices)


def test_an_empty_hand_means_dice_of_ones_own() -> None:
    ruling = ask(dice={"hand": {}})
    assert ruling.status == "needs_dice"
    assert (ruling.needs.dice.label, ruling.needs.dice.count) == ("to hit", 1)


def test_dice_of_a_pool_are_asked_for_together() -> None:
    ruling = ask(dice={"hand": {"to hit": [6, 6, 6]}}, policies={"*": "first"})
    assert (ruling.needs.dice.label, ruling.needs.dice.die, ruling.needs.dice.count) == ("save", "d6", 3)
    assert [finding.rule for finding in ruling.findings][:2] == ["shooting.may_shoot", "shooting.to_hit"]


def test_a_choice_is_asked_for_with_what_its_options_mean() -> None:
    choice = ask(dice={"hand": {"to hit": [6, 1, 1]}}).needs.choice
    assert (choice.who, choice.label) == ("blue", "dodge of rob")
    stand, dodge = choice.options
    assert (stand.id, stand.label, stand.values) == ("stand", "take every hit", {})
    assert (dodge.id, dodge.values["fighter"].unit) == ("dodge", "rob")
    assert dodge.label.startswith("roll: 4 or more")


# Replays


@given(
    seed=st.integers(0, 1000),
    hand=st.dictionaries(
        st.sampled_from(["to hit", "save", "dodge"]), st.lists(st.integers(1, 6), max_size=1), max_size=3
    ),
    choices=st.sampled_from([{}, {"dodge of rob": ["dodge"]}, {"dodge of rob": ["stand"]}]),
    policies=st.sampled_from([{}, {"blue": "bold"}, {"*": "first"}]),
    seeded=st.booleans(),
)
def test_every_ruling_replays_to_itself(seed, hand, choices, policies, seeded) -> None:
    """Whatever its dice were, and however far it came: ruled, forbidden, or waiting."""
    dice = {"hand": hand, **({"seed": seed} if seeded else {})}
    try:
        ruling = ask(dice=dice, choices=choices, policies=policies)
    except Faults:
        return  # more was handed or said than is asked for
    again = {"seed": ruling.seed, "throws": msgspec.to_builtins(ruling.throws)}
    replayed = ask(dice=again, choices=choices, policies=policies)
    assert encode(replayed) == encode(ruling)


# Faults


def test_left_over_dice_and_choices_are_faults_at_the_first_that_is_too_many() -> None:
    body = {
        "dice": {"hand": {"to hit": [6, 1, 1, 4, 4], "a/b~c": [1], "save": [5]}},
        "choices": {"dodge of rob": ["stand", "dodge"], "dodge of gus": ["stand"]},
    }
    assert faults(**body) == [
        ("/dice/hand/to hit/3", "left-over-die"),
        ("/dice/hand/a~1b~0c/0", "left-over-die"),
        ("/choices/dodge of rob/1", "left-over-choice"),
        ("/choices/dodge of gus/0", "left-over-choice"),
    ]


def test_a_left_over_die_or_choice_is_counted_as_one() -> None:
    choices = {"dodge of rob": ["stand"], "dodge of gus": ["stand"]}
    with pytest.raises(Faults) as caught:
        ask(dice={"hand": {"to hit": [1, 1, 1], "save": [5]}}, choices=choices)
    told = {fault.pointer: fault.message for fault in caught.value.faults}
    assert told["/dice/hand/save/0"] == "the request hands 1 die for 'save', but the rules roll 0"
    assert told["/choices/dodge of gus/0"] == "the request gives 1 choice for 'dodge of gus', but the rules ask for 0"


def test_left_over_throws_are_faults_at_their_place() -> None:
    throws = msgspec.to_builtins(ask(dice={"seed": 3}, policies={"*": "first"}).throws)
    more = [{"label": "idle", "index": 0, "die": "d6", "face": 1, "origin": "handed"}, *throws, throws[0]]
    found = faults(dice={"seed": 3, "throws": more}, policies={"*": "first"})
    assert ("/dice/throws/0", "left-over-die") in found
    assert all(code == "left-over-die" for _, code in found)
    assert len(found) == 2, "the throw that stands there twice is too many once"


@pytest.mark.parametrize("face", [0, 7, "hit"])
def test_a_wrong_face_is_a_fault_at_its_place(face: int | str) -> None:
    assert faults(dice={"hand": {"to hit": [6, face, 1]}}) == [("/dice/hand/to hit/1", "wrong-face")]


def test_a_throw_that_cannot_be_is_a_fault_at_its_place() -> None:
    def throw(index: int, **changes: Any) -> dict[str, Any]:
        return {"label": "to hit", "index": index, "die": "d6", "face": 1, "origin": "handed", **changes}

    assert faults(dice={"throws": [throw(0), throw(1, face=9)]}) == [("/dice/throws/1/face", "wrong-face")]
    assert faults(dice={"throws": [throw(0), throw(1, die="d8")]}) == [("/dice/throws/1/die", "wrong-face")]
    assert faults(dice={"throws": [throw(0, origin="seed")]}) == [("/dice/throws/0/face", "wrong-face")]


def test_hand_and_throws_exclude_each_other() -> None:
    assert faults(dice={"hand": {}, "throws": []}) == [("/dice", "hand-and-throws")]


def test_an_option_that_is_none_is_a_fault_at_its_place() -> None:
    body = {"dice": {"hand": {"to hit": [6, 1, 1]}}, "choices": {"dodge of rob": ["hide"]}}
    assert faults(**body) == [("/choices/dodge of rob/0", "no-such-option")]


def test_unknown_readings_options_and_policies_are_faults() -> None:
    assert faults(readings={"nope": "x", "natural-one": "perhaps"}) == [
        ("/readings/nope", "unknown-reading"),
        ("/readings/natural-one", "unknown-option"),
    ]
    assert faults(policies={"red": "wild", "*": "first"}) == [("/policies/red", "unknown-policy")]


@pytest.mark.parametrize(
    ("body", "code", "hint"),
    [
        ({"readings": {"natural-ones": "misses"}}, "unknown-reading", "did you mean 'natural-one'?"),
        ({"readings": {"natural-one": "miss"}}, "unknown-option", "did you mean 'misses'?"),
        ({"policies": {"red": "bald"}}, "unknown-policy", "did you mean 'bold'?"),
        ({"policies": {"reds": "bold"}}, "unknown-player", "did you mean 'red'?"),
        ({"policies": {"nobody": "bold"}}, "unknown-player", ""),
    ],
)
def test_a_misspelt_name_is_a_fault_with_the_nearest_names(body: dict[str, Any], code: str, hint: str) -> None:
    with pytest.raises(Faults) as caught:
        ask(**body)
    (fault,) = caught.value.faults
    assert (fault.code, fault.hint) == (code, hint)
    with pytest.raises(Faults, match=fault.message):
        ARBITER.odds("attack", msgspec.convert({"case": CASES["attack"][0], **body}, AskOdds[AttackCase]), 1_000)


def test_faults_of_readings_policies_dice_and_the_case_come_at_once() -> None:
    case = {**CASES["attack"][0], "attacker": "nobody"}
    body = {"case": case, "readings": {"nope": "x"}, "policies": {"red": "wild"}}
    expected = {"/readings/nope", "/policies/red", "/case/attacker"}
    asked = msgspec.convert({**body, "dice": {"hand": {}, "throws": []}}, Ask[AttackCase])
    with pytest.raises(Faults) as caught:
        ARBITER.ask("attack", asked, seed="x")
    assert {fault.pointer for fault in caught.value.faults} == {*expected, "/dice"}
    with pytest.raises(Faults) as caught:
        ARBITER.odds("attack", msgspec.convert(body, AskOdds[AttackCase]), 1_000)
    assert {fault.pointer for fault in caught.value.faults} == expected


# What a ruling says


def test_what_the_book_forbids_is_a_ruling_with_reasons_and_changes_nothing() -> None:
    case = {**CASES["attack"][0], "target": "gus"}
    asked = msgspec.convert({"case": case, "dice": {"hand": {}}}, Ask[AttackCase])
    ruling = ARBITER.ask("attack", asked, seed="x")
    assert (ruling.status, ruling.allowed, ruling.answer, ruling.throws) == ("ruled", False, None, ())
    assert [reason.cites for reason in ruling.reasons] == [("shooting/enemy",)]
    assert [citation.id for citation in ruling.citations] == ["shooting/enemy"]
    assert ruling.effects.events == ruling.effects.patch == ()


def test_a_ruling_cites_each_unit_once_with_its_place_and_gist() -> None:
    ruling = ask(dice={"hand": {"to hit": [6, 6, 6], "save": [1, 1, 1]}}, policies={"*": "first"})
    ids = [citation.id for citation in ruling.citations]
    assert len(ids) == len(set(ids))
    assert {"shooting/to-hit", "shooting/slain"} <= set(ids)
    assert "shooting/dodge" not in ids
    for citation in ruling.citations:
        assert citation.gist == ARBITER.ledger[citation.id].gist
        assert citation.where.startswith("rules, ")


def test_a_reading_is_named_where_it_mattered_and_cited() -> None:
    close = {**CLEARING, "fighters": [*CLEARING["fighters"][:2], {**CLEARING["fighters"][2], "hex": [-1, 0]}]}
    case = {"scene": close, "attacker": "sue", "target": "gus"}
    body = {"case": case, "dice": {"hand": {"to hit": [1]}}, "readings": {"natural-one": "misses"}}
    ruling = ARBITER.ask("attack", msgspec.convert(body, Ask[AttackCase]), seed="x")
    (used,) = ruling.readings
    assert (used.id, used.option, used.default) == ("natural-one", "misses", "misses")
    assert "shooting/natural-one" in [citation.id for citation in ruling.citations]
    assert ask(dice={"hand": {"to hit": [2, 2, 2]}}).readings == ()


def test_the_patch_fits_the_scene_as_it_was_posted() -> None:
    ruling = ask(dice={"hand": {"to hit": [6, 1, 1], "save": [6], "dodge": [1]}}, choices={"dodge of rob": ["dodge"]})
    patch = [*msgspec.to_builtins(ruling.effects.patch)]
    after = jsonpatch.apply_patch(CLEARING, patch)
    assert after["fighters"][1] == {**CLEARING["fighters"][1], "dodged": True}
    assert after["fighters"][0] == CLEARING["fighters"][0]
