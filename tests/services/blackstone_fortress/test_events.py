from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.fault import Faults
from arbiter.odds.exact import law
from services.blackstone_fortress.book import table as rows_of
from services.blackstone_fortress.rules import events, returns, turn
from services.blackstone_fortress.scene import Board, EscapeChamber
from tests.brute import brute_law
from tests.services.blackstone_fortress.turns import ask, field_of, posted, readings, table

BANDS = {
    "all-is-dust": [1],
    "unfulfilled-destiny": [2, 3],
    "not-dead-yet": [4, 5, 6],
    "changing-conditions": [7, 8, 9, 10],
    "escape-chamber": [11, 12, 13, 14],
    "inspiration": [15, 16, 17],
    "heroic-effort": [18, 19],
    "lucky-find": [20],
}


def test_every_roll_of_the_d20_is_one_event() -> None:
    rolls = [roll for row in rows_of("events") for roll in range(row["rolls"][0], row["rolls"][1] + 1)]
    assert rolls == list(range(1, 21))
    assert list(events.EVENTS) == [row["id"] for row in rows_of("events")]
    for event, faces in BANDS.items():
        for face in faces:
            assert events.looked_up(table(hand={"leader: event": [face]}), "the leader") == event
    result = law(events.looked_up, "the leader", readings=readings())
    assert result == {event: Fraction(len(faces), 20) for event, faces in BANDS.items()}


# All Is Dust, Inspiration


@given(
    st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=3, max_size=3), st.sampled_from(["all", "in-action"])
)
def test_inspiration_points_never_fall_below_zero(states, option) -> None:
    field = field_of("events-corridor").with_(discoveries=())
    field = field.put(
        *(
            replace(one, inspiration=points, out_of_action=out, hex=None if out else one.hex)
            for one, (points, out) in zip(field.scene.explorers, states, strict=True)
        )
    )
    after, subject = events.all_is_dust(table(dust_out_of_action=option), field, ())
    assert subject is None
    for one, (points, out) in zip(after.scene.explorers, states, strict=True):
        spared = out and option == "in-action"
        assert one.inspiration == (points if spared else max(0, points - 1))


def test_dust_takes_one_marker_and_no_point_while_markers_are_left() -> None:
    field = field_of("events-corridor")
    field = field.put(replace(field.explorer("janus"), inspiration=2))
    once, first = events.all_is_dust(table(), field, ())
    twice, second = events.all_is_dust(table(), once, ())
    assert {first, second} == {"d1", "d2"}
    assert twice.explorer("janus").inspiration == 2
    third, _ = events.all_is_dust(table(), twice, ())
    assert third.explorer("janus").inspiration == 1


# Escape Chamber


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1)), min_size=1, max_size=3))
def test_the_furthest_portal_is_the_one_that_plain_counting_finds(places) -> None:
    field = field_of("events-corridor").with_(hostiles=())
    crew = [replace(one, hex=hex_) for one, hex_ in zip(field.scene.explorers, places, strict=False)]
    field = field.with_(explorers=tuple(crew))

    def far(a, b) -> int:
        return max(abs(a[0] - b[0]), abs(a[1] - b[1]), abs(a[0] + a[1] - b[0] - b[1]))

    near = {id_: min(far(hex_, place) for place in places) for id_, hex_ in (("west", (0, 0)), ("east", (8, 0)))}
    total = {id_: sum(far(hex_, place) for place in places) for id_, hex_ in (("west", (0, 0)), ("east", (8, 0)))}
    for option, distances in (("nearest-explorer", near), ("all-explorers", total)):
        best = {id_ for id_, hexes in distances.items() if hexes == max(distances.values())}
        assert set(events.furthest_portals(table(escape_chamber_furthest=option), field)) == best


@pytest.mark.parametrize("how", ["event", "summon", "posted"])
def test_there_is_only_one_escape_chamber(how) -> None:
    field = field_of("events-corridor")
    if how == "event":
        field, subject = events.escape_chamber(table(), field, ())
        assert subject == "east"
    elif how == "summon":
        field = field.with_turn(happened=("summon",))
    else:
        field = field.with_board(escape_chamber=EscapeChamber("east"))
    again, nothing = events.escape_chamber(table(), field, ())
    assert nothing is None
    assert again.scene == field.scene


def test_the_event_without_a_portal_is_over_all_the_same() -> None:
    field = field_of("events-duel")
    after, subject = events.escape_chamber(table(), field, ())
    assert subject is None
    assert after.scene.turn.happened == ("escape-chamber",)
    assert after.scene.board == field.scene.board


# Not Dead Yet and Heroic Effort


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1)), min_size=3, max_size=3, unique=True), st.integers(0, 9)
)
def test_who_comes_back_stands_as_near_to_an_explorer_as_any_free_hex(places, pick) -> None:
    field = field_of("events-corridor")
    field = field.put(
        replace(field.hostile("guard-1"), hex=None, slain=True),
        *(replace(one, hex=hex_) for one, hex_ in zip(field.scene.explorers, places, strict=True)),
    )
    ids = ("guard-1", "guard-2", "cultist-1")
    after, subject = returns.not_dead_yet(table(choices={"leader: slain hostile": [ids[pick % 3]]}), field)
    assert subject == ids[pick % 3]
    hostile = after.hostile(subject)
    assert not hostile.slain
    assert (hostile.wounds, hostile.grievous) == (0, 0)
    free = field.ground.open - set(places)
    nearest = min(field.ground.distance(hex_, place) for hex_ in free for place in places)
    assert hostile.hex in free
    assert min(field.ground.distance(hostile.hex, place) for place in places) == nearest
    assert f"returned:{subject}" in after.scene.turn.happened


def test_with_no_free_hex_the_hostile_stays_slain() -> None:
    board = Board(hexes=((0, 0),))
    field = field_of("events-duel").with_board(hexes=board.hexes)
    field = field.put(replace(field.hostile("guard-1"), hex=None, slain=True, wounds=2))
    after, subject = returns.not_dead_yet(table(), field)
    assert subject == "guard-1"
    assert after.hostile("guard-1").slain
    assert after.scene.turn.happened == ()


@pytest.mark.parametrize("others", [((0, 0), (0, 0)), ((0, 0), (1, 1)), ((4, 0), (4, 0))])
def test_a_heroic_effort_ends_in_a_hex_that_has_room(others) -> None:
    field = field_of("events-corridor")
    field = field.put(
        replace(field.explorer("janus"), hex=None, out_of_action=True, wounds=4),
        replace(field.explorer("espern"), hex=others[0]),
        replace(field.explorer("ur-025"), hex=others[1]),
    )
    after, subject = returns.heroic_effort(table(hand={"janus: vitality": ["failure"]}), field)
    janus = after.explorer("janus")
    assert subject == "janus"
    assert janus.wounds == 4
    if others[0] == others[1]:
        assert field.ground.distance(janus.hex, others[0]) == 1
    else:
        assert janus.hex in others


# The leader and the next turn


@given(st.integers(1, 8), st.integers(0, 7), st.integers(-1, 7))
def test_the_leader_marker_goes_around_all_but_the_hostile_player(players, start, hostile) -> None:
    names = tuple(f"p{number}" for number in range(players))
    seats = [name for number, name in enumerate(names) if number != hostile]
    if not seats:
        return
    leader = seats[start % len(seats)]
    field = field_of("events-duel").with_(
        players=names, leader=leader, hostile_player=names[hostile] if 0 <= hostile < players else None
    )
    led = [leader]
    for _ in range(len(seats)):
        field = turn.pass_leader(table(), field)
        led.append(field.scene.leader)
    assert led[-1] == leader
    assert sorted(led[:-1]) == sorted(seats)
    around = seats[seats.index(leader) :] + seats[: seats.index(leader)]
    assert led[:-1] == around


def test_without_players_nobody_is_made_the_leader() -> None:
    field = field_of("events-duel").with_(players=(), leader=None)
    assert turn.pass_leader(table(), field).scene.leader is None


def test_who_plays_alone_keeps_the_leader_marker() -> None:
    at, field = table(), field_of("events-duel").with_(players=("ann",), leader="ann")
    assert turn.pass_leader(at, field).scene.leader == "ann"
    assert [finding.text for finding in at.findings] == [
        "ann keeps the leader marker: there is no other player to pass it to"
    ]
    assert not at.events


@given(st.lists(st.sampled_from(["free-gambit-every-turn", "defence-d12-aura", "free-move-and-trap-before-turn-one"])))
def test_a_new_turn_starts_afresh(used) -> None:
    field = field_of("events-corridor").with_turn(covered=("janus", "espern"), no_destiny_roll=True)
    janus = replace(
        field.explorer("janus"), activated=True, destiny_spent=2, activation=(3,), used=tuple(dict.fromkeys(used))
    )
    field = field.put(janus, replace(field.hostile("guard-1"), activated=True, reinforcement=True))
    after = turn.begin_next(table(), field)
    now, explorer, hostile = after.scene.turn, after.explorer("janus"), after.hostile("guard-1")
    assert (now.number, now.phase, now.covered, now.no_destiny_roll) == (3, "destiny", (), True)
    assert (explorer.activated, explorer.destiny_spent, explorer.activation) == (False, 0, ())
    assert set(explorer.used) == set(used) & {"free-move-and-trap-before-turn-one"}
    assert (hostile.activated, hostile.reinforcement) == (False, False)
    assert now.happened == ("returned:guard-1",)


# Hostile air


def wounded(at, field) -> tuple[int, bool]:
    after = events.hostile_air(at, field)
    return after.explorer("janus").wounds, after.hostile("guard-1").slain


def test_hostile_air_wounds_on_a_1_alone() -> None:
    field = field_of("events-duel")
    field = field.put(replace(field.hostile("guard-1"), wounds=1))
    one, rest = Fraction(1, 20), Fraction(19, 20)
    # Draik's d8 saves from the wound on 4 sides of 8.
    hurt = one * Fraction(1, 2)
    expected = {
        (0, False): (1 - hurt) * rest,
        (0, True): (1 - hurt) * one,
        (1, False): hurt * rest,
        (1, True): hurt * one,
    }
    assert law(wounded, field, readings=readings()) == expected
    assert brute_law(wounded, field, readings=readings()) == expected


# Changing Conditions


@given(st.lists(st.sampled_from(["ur-ghuls-1", "ur-ghuls-3", "traitor-guardsmen-4"]), max_size=4))
def test_a_card_that_is_gone_cannot_go_again(gone) -> None:
    copies = {"ur-ghuls-1": 1, "ur-ghuls-3": 1, "traitor-guardsmen-4": 2}
    case = {"scene": posted("events-duel"), "only": "unfulfilled-destiny", "gone": gone}
    if all(count <= copies[card] for card, count in Counter(gone).items()):
        assert ask("event", case).allowed
    else:
        with pytest.raises(Faults) as caught:
            ask("event", case)
        assert {fault.code for fault in caught.value.faults} == {"not-in-the-deck"}


def test_an_empty_encounter_deck_changes_nothing() -> None:
    entry = {"twist": "no-cover"}
    deck = [{"id": "last", "entries": [entry] * 4}]
    scene = posted("events-duel")
    case = {"scene": scene, "only": "changing-conditions", "deck": deck, "gone": ["last"]}
    ruling = ask("event", case, dice={"hand": {}})
    assert ruling.answer.picked is None
    assert ruling.effects.patch == ()


@pytest.mark.parametrize(("one", "two"), list(product([False, True], repeat=2)))
def test_the_activation_phase_goes_on_until_every_card_is_used(one, two) -> None:
    scene = posted("events-duel")
    scene["turn"] = {"number": 1, "phase": "activation", "track": ["group-1", "janus"]}
    scene["explorers"][0]["activated"] = one
    scene["hostiles"][0]["activated"] = two
    ruling = ask("event", {"scene": scene}, dice={"hand": {"leader: event": [2]}} if one and two else {})
    assert ruling.allowed == (one and two)
