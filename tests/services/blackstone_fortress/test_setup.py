from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from arbiter.fault import Faults
from services.blackstone_fortress.book import EncounterCard, Entry, Member, encounter_cards, fits, table
from services.blackstone_fortress.rules import encounters
from tests.effort import cases
from tests.services.blackstone_fortress.turns import ask, posted

SIZES = {row["id"]: row["size"] for row in table("hostiles")}

members = st.builds(Member, st.sampled_from(sorted(SIZES)), st.integers(1, 5))
groups = st.lists(members, min_size=1, max_size=3, unique_by=lambda member: member.hostile).map(tuple)
entries = st.one_of(
    st.builds(Entry, groups), st.builds(Entry, st.just(()), st.sampled_from(["no-cover", "short-range"]))
)
cards = st.builds(
    EncounterCard, st.sampled_from(["red", "green", "blue", "grey"]), st.tuples(entries, entries, entries, entries)
)
decks = st.lists(cards, min_size=2, max_size=4, unique_by=lambda card: card.id)


@settings(max_examples=cases(40))
@given(
    decks, st.integers(0, 99), st.sampled_from(["one-group", "by-kind"]), st.sampled_from(["dropped", "further-out"])
)
def test_every_hostile_of_the_entries_drawn_is_deployed_or_left_out(deck, seed, mixed, overflow) -> None:
    scene = posted("setup-hall")
    case = {"scene": scene, "arrival": "arrival-chamber", "hexes": [[0, 0], [0, 1]], "deck": to_builtins(deck)}
    readings = {"encounter-mixed-group": mixed, "deploy-overflow": overflow}
    answer = ask("setup", case, dice={"seed": seed}, readings=readings).answer
    by_id = {card.id: card for card in deck}
    assert [encounter.marker for encounter in answer.encounters] == ["d1", "d2"]
    assert len({encounter.card for encounter in answer.encounters}) == 2
    entries = [by_id[encounter.card].entries[number] for number, encounter in enumerate(answer.encounters)]
    expected = sum(member.count for entry in entries for member in entry.group)
    assert len(answer.hostiles) + len(answer.left_out) == expected
    kinds = [max(1, len(entry.group)) if mixed == "by-kind" else 1 for entry in entries]
    assert [len(encounter.groups) for encounter in answer.encounters] == [
        0 if entry.twist else kind for entry, kind in zip(entries, kinds, strict=True)
    ]
    assert [encounter.twist for encounter in answer.encounters] == [entry.twist for entry in entries]
    all_groups = [group for encounter in answer.encounters for group in encounter.groups]
    assert list(answer.initiative_deck) == ["janus", "espern", "ur-025", *all_groups]
    assert len({unit.unit for unit in answer.hostiles}) == len(answer.hostiles)


@pytest.mark.parametrize("explorers", range(1, 7))
def test_ambush_hexes_take_two_explorers_each(explorers) -> None:
    scene = posted("setup-hall")
    names = ["janus-draik", "espern-locarno", "ur-025", "pious-vorne", "dahyak-grekh", "taddeus-the-purifier"]
    scene["explorers"] = [{"id": name, "profile": name} for name in names[:explorers]]
    scene["discoveries"] = []
    ruling = ask("setup", {"scene": scene, "arrival": "ambush", "hexes": [[1, 0], [2, 2]]})
    assert ruling.allowed == (explorers <= 4)
    if ruling.allowed:
        crowds = Counter(place.hex for place in ruling.answer.explorers)
        assert max(crowds.values()) <= 2
        assert all(fits(("explorer",) * crowd) for crowd in crowds.values())
    else:
        assert [reason.cites for reason in ruling.reasons] == [("battlefield/ambush-hexes",)]


def test_the_shipped_deck_holds_every_card_with_four_entries() -> None:
    rows = table("encounters")
    deck = encounters.deck_of(encounter_cards())
    assert Counter(deck) == {row["id"]: row["copies"] for row in rows}
    assert all(len(card.entries) == 4 for card in encounter_cards())


@given(st.lists(st.sampled_from(["red", "green"]), max_size=6))
def test_cards_that_are_gone_are_not_in_the_deck(gone) -> None:
    entry = Entry(twist="no-cover")
    deck = (EncounterCard("red", (entry,) * 4, copies=3), EncounterCard("green", (entry,) * 4, copies=2))
    left = Counter(encounters.deck_of(encounters.without(deck, gone)))
    assert left["red"] == max(0, 3 - gone.count("red"))
    assert left["green"] == max(0, 2 - gone.count("green"))


def test_two_markers_of_one_number_bring_two_groups() -> None:
    scene = posted("setup-hall")
    scene["discoveries"][0]["number"] = 1
    entry = {"group": [{"hostile": "traitor-guardsman", "count": 1}]}
    deck = [{"id": "guards", "copies": 2, "entries": [entry] * 4}]
    case = {"scene": scene, "arrival": "arrival-chamber", "hexes": [[0, 0], [0, 1]], "deck": deck}
    answer = ask("setup", case, dice={"hand": {"hostiles: encounter card": ["guards", "guards"]}}).answer
    assert [encounter.groups for encounter in answer.encounters] == [("group-1",), ("group-1-2",)]
    assert [place.unit for place in answer.hostiles] == ["group-1-1", "group-1-2-1"]


def test_every_fault_of_a_setup_is_named_at_its_place() -> None:
    scene = posted("setup-hall")
    scene["explorers"][0] |= {"out_of_action": True, "wounds": 4}
    twist = {"twist": "no-cover"}
    case = {
        "scene": scene,
        "arrival": "ambush",
        "hexes": [[9, 9]],
        "places": [
            {"unit": "nobody", "hex": [0, 0]},
            {"unit": "janus", "hex": [0, 0]},
            {"unit": "espern", "hex": [0, 0]},
            {"unit": "espern", "hex": [0, 9]},
        ],
        "deck": [
            {
                "id": "odd",
                "entries": [
                    {"twist": "nonsense"},
                    {"twist": "no-cover", "group": [{"hostile": "dragon", "count": 1}]},
                    twist,
                    twist,
                ],
            }
        ],
    }
    with pytest.raises(Faults) as caught:
        ask("setup", case)
    assert {(fault.pointer, fault.code) for fault in caught.value.faults} == {
        ("/case/hexes/0", "off-board"),
        ("/case/places/0/unit", "unknown-explorer"),
        ("/case/places/1/unit", "not-on-the-battlefield"),
        ("/case/places/2/unit", "unit-twice"),
        ("/case/places/3/unit", "unit-twice"),
        ("/case/places/3/hex", "off-board"),
        ("/case/deck/0/entries/0/twist", "unknown-twist"),
        ("/case/deck/0/entries/1", "group-and-twist"),
        ("/case/deck/0/entries/1/group/0/hostile", "unknown-hostile-profile"),
        ("/case/deck", "too-few-cards"),
    }


def test_more_hostiles_than_a_scene_can_hold_are_a_fault() -> None:
    scene = posted("setup-hall")
    entry = {"group": [{"hostile": "traitor-guardsman", "count": 20}]}
    scene["discoveries"] = [{"id": f"d{n}", "number": 1, "hex": [n, 0]} for n in range(5)]
    deck = [{"id": "horde", "copies": 5, "entries": [entry] * 4}]
    with pytest.raises(Faults) as caught:
        ask("setup", {"scene": scene, "arrival": "ambush", "hexes": [[0, 2]], "deck": deck})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [
        ("/case/scene/discoveries", "too-many-hostiles")
    ]
