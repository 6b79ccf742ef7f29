from itertools import pairwise, product
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.geometry.hex.coordinates import distance, to_offset
from arbiter.question import Ask
from arbiter.ruling import Ruling
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.questions import maps
from services.blackstone_fortress.scene import Hex
from tests.effort import cases
from tests.services.blackstone_fortress.skirmishes import Plain, around, field_from, scenes
from tests.services.blackstone_fortress.tabletop import block, field_of, guard, janus, scene


def ask(question: str, posted: dict[str, Any], unit: str, **rest: Any) -> Ruling[Any]:
    wanted = ARBITER.question(question)
    body = {"case": {"scene": posted, "unit": unit, **rest.pop("case", {}), **rest}}
    return ARBITER.ask(question, msgspec.convert(body, Ask[wanted.case]), seed="test")


def put(posted: dict[str, Any], unit: str, hex_: Hex) -> dict[str, Any]:
    """Give the scene with a unit in another hex."""
    return {
        **posted,
        **{
            side: [{**one, "hex": hex_} if one["id"] == unit else one for one in posted[side]]
            for side in ("explorers", "hostiles")
        },
    }


def by_single_moves(posted: dict[str, Any], unit: str, start: Hex, most: int) -> dict[Hex, tuple[int, int]]:
    """Find how many moves, and hexes, every hex takes, by asking `moves` from every hex again and again."""
    best = {start: (0, 0)}
    for move in range(most):
        for hex_ in [one for one, (moves, _) in best.items() if moves == move]:
            for end in ask("moves", put(posted, unit, hex_), unit).answer.ends:
                way = (move + 1, best[hex_][1] + end.hexes)
                if way < best.get(end.hex, (most + 1, 0)):
                    best[end.hex] = way
    return best


@st.composite
def skirmishes(draw: Any) -> dict[str, Any]:
    """Draw a skirmish, half of the time with the gaps of its board filled up, so that ways are long and many."""
    posted = draw(scenes())
    if draw(st.booleans()):
        hexes = posted["board"]["hexes"]
        posted["board"]["hexes"] = [*hexes, *(hex_ for hex_ in product(range(6), range(5)) if hex_ not in hexes)]
    return posted


def standing(posted: dict[str, Any], data: Any) -> tuple[str, Hex]:
    field = field_from(posted)
    unit = data.draw(st.sampled_from([*field.explorers, *field.hostiles]))
    return unit.id, unit.hex


@settings(max_examples=cases(60))
@given(skirmishes(), st.booleans(), st.integers(1, 4), st.data())
def test_a_route_is_as_short_as_asking_for_single_moves_again_and_again_finds(
    posted: dict[str, Any], broken: bool, most: int, data: Any
) -> None:
    unit, start = standing(posted, data)
    if broken:
        posted["twists"] = ["cover-entry-cost"]
    best = by_single_moves(posted, unit, start, most)
    for hex_ in posted["board"]["hexes"]:
        answer = ask("routes", posted, unit, to=[hex_], activations=most).answer
        assert answer.reachable == (hex_ in best)
        if answer.reachable:
            assert (answer.moves, answer.hexes_in_all) == best[hex_]
            assert answer.end == hex_
            assert answer.hexes_in_all >= distance(start, hex_)
            assert answer.not_there == ()
        else:
            (why,) = answer.not_there
            assert why.hex == hex_
            assert why.reasons


@settings(max_examples=cases(60))
@given(skirmishes(), st.booleans(), st.data())
def test_every_move_of_a_route_is_legal_from_where_the_one_before_has_ended(
    posted: dict[str, Any], broken: bool, data: Any
) -> None:
    unit, here = standing(posted, data)
    if broken:
        posted["twists"] = ["cover-entry-cost"]
    to = data.draw(st.sampled_from(posted["board"]["hexes"]))
    answer = ask("routes", posted, unit, to=[to]).answer
    for leg in answer.legs:
        moved = ask("moves", put(posted, unit, here), unit, way=leg.way)
        assert moved.allowed
        assert moved.answer.moved_to == leg.end
        here = leg.end
        assert leg.halts == any(
            near in Plain(field_from(posted), field_unit(posted, unit)).enemies for near in around(here)
        )
    if answer.reachable:
        assert here == to
        assert sum(leg.hexes for leg in answer.legs) == answer.hexes_in_all


def field_unit(posted: dict[str, Any], unit: str) -> Any:
    return field_from(posted).units[unit]


@settings(max_examples=cases(60))
@given(skirmishes(), st.data())
def test_alternatives_are_all_the_walks_that_take_as_few_moves_and_hexes(posted: dict[str, Any], data: Any) -> None:
    unit, start = standing(posted, data)
    to = data.draw(st.lists(st.sampled_from(posted["board"]["hexes"]), min_size=1, max_size=4, unique=True))
    answer = ask("routes", posted, unit, to=to, activations=3).answer
    if not answer.reachable:
        return
    # Every plan of moves is walked: how many lead to a hex in so many hexes, after each move.
    plans = {(start, 0): 1}
    for _ in range(answer.moves):
        after: dict[tuple[Hex, int], int] = {}
        for (hex_, spent), count in plans.items():
            field = field_from(put(posted, unit, hex_))
            plain = Plain(field, field.units[unit])
            for walk in plain.walks(answer.hexes):
                if walk and plain.has_room(walk[-1]):
                    key = (walk[-1], spent + len(walk))
                    after[key] = after.get(key, 0) + count
        plans = after
    ends = [hex_ for hex_ in to if (hex_, answer.hexes_in_all) in plans]
    assert sorted([answer.end, *answer.other_ends]) == sorted(ends)
    assert (
        answer.alternatives + 1 == sum(plans.get((hex_, answer.hexes_in_all), 0) for hex_ in ends) or not answer.moves
    )


@settings(max_examples=cases(60))
@given(skirmishes(), st.data())
def test_the_end_of_a_route_to_a_view_is_the_soonest_hex_with_a_free_line(posted: dict[str, Any], data: Any) -> None:
    unit, start = standing(posted, data)
    target = data.draw(st.sampled_from(posted["board"]["hexes"]))
    answer = ask("routes", posted, unit, sight_of=list(target), activations=3).answer
    best = by_single_moves(posted, unit, start, 3)
    lines = ARBITER.ask(
        "line-of-sight",
        msgspec.convert(
            {"case": {"scene": posted, "observer": target, "targets": list(best)}},
            Ask[ARBITER.question("line-of-sight").case],
        ),
        seed="test",
    ).answer.lines
    seeing = [line.hex for line in lines if line.visible]
    assert answer.reachable == bool(seeing)
    if seeing:
        soonest = min(best[hex_] for hex_ in seeing)
        assert (answer.moves, answer.hexes_in_all) == soonest
        assert sorted([answer.end, *answer.other_ends]) == sorted(hex_ for hex_ in seeing if best[hex_] == soonest)
        assert answer.view.target == tuple(target)
    else:
        assert answer.reasons


@pytest.mark.parametrize("scheme", ["odd-r", "even-r", "odd-q", "even-q"])
def test_a_route_is_told_in_the_coordinates_of_the_board(scheme: str) -> None:
    axial = scene([janus([0, 2])], [guard("guard-1", [3, 2])])
    plain = ask("routes", axial, "janus", to=[[6, 2]]).answer

    def there(hex_: Any) -> list[int]:
        return list(to_offset(tuple(hex_), scheme))

    offset = scene(
        [janus(there([0, 2]))],
        [guard("guard-1", there([3, 2]))],
        {"hexes": [there(hex_) for hex_ in block()], "coordinates": scheme},
    )
    answer = ask("routes", offset, "janus", to=[there([6, 2])]).answer
    assert (answer.moves, answer.hexes_in_all, answer.alternatives) == (
        plain.moves,
        plain.hexes_in_all,
        plain.alternatives,
    )
    assert answer.end == tuple(there([6, 2]))


def corridor(length: int, hostiles: list[dict[str, Any]] | None = None, **board: Any) -> dict[str, Any]:
    return scene([janus([0, 0])], hostiles or [], {"hexes": block(length, 1), **board})


def test_a_corridor_of_seven_hexes_takes_three_moves_of_two_and_its_cuts_can_be_elsewhere() -> None:
    # Five hexes in three moves of one or two: 2+2+1, 2+1+2 and 1+2+2.
    answer = ask("routes", corridor(7), "janus", to=[[5, 0]]).answer
    assert (answer.moves, answer.hexes_in_all, answer.alternatives) == (3, 5, 2)
    assert [leg.hexes for leg in answer.legs] == [2, 2, 1]


@pytest.mark.parametrize(("each", "activations"), [(1, 3), (2, 2), (3, 1), (6, 1)])
def test_moves_become_activations_by_the_dice_that_are_spent_on_them(each: int, activations: int) -> None:
    answer = ask("routes", corridor(7), "janus", to=[[5, 0]], moves_per_activation=each).answer
    assert (answer.moves, answer.activations) == (3, activations)
    assert [leg.activation for leg in answer.legs] == [move // each + 1 for move in range(3)]


def test_a_bound_of_activations_is_met_exactly_and_not_passed() -> None:
    assert ask("routes", corridor(7), "janus", to=[[4, 0]], activations=2).answer.reachable
    assert not ask("routes", corridor(7), "janus", to=[[5, 0]], activations=2).answer.reachable


def test_who_stands_there_already_needs_no_move() -> None:
    answer = ask("routes", corridor(7), "janus", to=[[0, 0]]).answer
    assert (answer.moves, answer.activations, answer.legs, answer.alternatives) == (0, 0, (), 0)


def test_a_unit_halts_beside_an_enemy_and_goes_on_in_its_next_move() -> None:
    # The Guardsman's niche at (2, 1) lies beside (2, 0) and (3, 0), so that each of them ends a move.
    niche = scene([janus([0, 0])], [guard("guard-1", [2, 1])], {"hexes": [*block(7, 1), [2, 1]]})
    answer = ask("routes", niche, "janus", to=[[4, 0]]).answer
    assert [leg.way for leg in answer.legs] == [((1, 0), (2, 0)), ((3, 0),), ((4, 0),)]
    assert [leg.halts for leg in answer.legs] == [True, True, False]


def test_two_friends_fill_a_hex_in_which_no_move_may_end() -> None:
    pair = [
        {"id": "ur-025", "profile": "ur-025", "hex": [2, 0]},
        {"id": "amallyn", "profile": "amallyn-shadowguide", "hex": [2, 0]},
    ]
    posted = corridor(7)
    posted["explorers"] += pair
    answer = ask("routes", posted, "janus", to=[[4, 0]]).answer
    assert [leg.way for leg in answer.legs] == [((1, 0),), ((2, 0), (3, 0)), ((4, 0),)]
    (why,) = ask("routes", posted, "janus", to=[[2, 0]]).answer.not_there
    assert why.reasons == ("(2, 0) has no room for Janus Draik (janus)",)


def test_two_full_hexes_in_a_row_stop_a_move_of_two_for_good() -> None:
    posted = corridor(7)
    posted["explorers"] += [
        {"id": id_, "profile": profile, "hex": hex_}
        for id_, profile, hex_ in [
            ("a", "ur-025", [1, 0]),
            ("b", "amallyn-shadowguide", [1, 0]),
            ("c", "espern-locarno", [2, 0]),
            ("d", "ur-025", [2, 0]),
        ]
    ]
    answer = ask("routes", posted, "janus", to=[[3, 0]]).answer
    assert not answer.reachable
    assert answer.not_there[0].reasons


def test_a_longer_way_is_taken_where_it_saves_a_move() -> None:
    # To the north two full hexes in a row: 1, then 3 as nobody can stop between, then 1 more. To the south 3 and 3.
    full = [("a", "ur-025", 2), ("b", "janus-draik", 2), ("c", "espern-locarno", 3), ("d", "ur-025", 3)]
    amallyn = {"id": "amallyn", "profile": "amallyn-shadowguide", "hex": [0, 0]}
    posted = scene(
        [amallyn, *({"id": id_, "profile": profile, "hex": [q, 0]} for id_, profile, q in full)],
        [],
        {
            "hexes": [*block(6, 1), [0, 1], [1, 1], [2, 1], [3, 1]],
            "walls": [[[q, 0], [q - back, 1]] for q in (1, 2, 3) for back in (0, 1)],
        },
    )
    answer = ask("routes", posted, "amallyn", to=[[5, 0]]).answer
    assert [leg.way for leg in answer.legs] == [((0, 1), (1, 1), (2, 1)), ((3, 1), (4, 0), (5, 0))]
    assert (answer.hexes_in_all, answer.alternatives) == (6, 0)
    assert ask("routes", posted, "amallyn", to=[[4, 0]]).answer.hexes_in_all == 4


def test_a_dearer_hex_is_entered_with_a_whole_move() -> None:
    # With the twist both hexes of the cover hexside (2, 0)-(3, 0) cost two: 1 | 2 | 2 | 1 + 1.
    posted = {**corridor(7, cover=[[[2, 0], [3, 0]]]), "twists": ["cover-entry-cost"]}
    answer = ask("routes", posted, "janus", to=[[5, 0]]).answer
    assert [leg.hexes for leg in answer.legs] == [1, 2, 2, 2]
    assert answer.hexes_in_all == 7


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ({}, "to-or-sight-of"),
        ({"to": [[1, 0]], "sight_of": "janus"}, "to-or-sight-of"),
        ({"to": [[9, 9]]}, "off-board"),
        ({"sight_of": [9, 9]}, "off-board"),
        ({"sight_of": "nobody"}, "unknown-unit"),
        ({"to": [[1, 0]], "moves_per_activation": 7}, "too-many-moves"),
    ],
)
def test_what_cannot_be_asked_is_told(case: dict[str, Any], code: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("routes", corridor(7), "janus", **case)
    assert [fault.code for fault in caught.value.faults] == [code]


def test_the_findings_cite_the_rules_of_movement_and_sight() -> None:
    posted = scene([janus([0, 2])], [guard("guard-1", [3, 2])], {"walls": [[[1, 2], [2, 2]]]})
    ruling = ask("routes", posted, "janus", sight_of="guard-1")
    cited = {unit for finding in ruling.findings for unit in finding.cites}
    assert {"move/up-to-move", "explorer-action/repeat", "sight/centre-to-centre", "move/halt-next-to-enemy"} <= cited


def test_a_larger_board_is_estimated_to_take_longer() -> None:
    costs = [
        maps.cost(maps.RoutesState(field_of(corridor(length)), "janus", ((1, 0),), None, 20, 1))
        for length in (2, 20, 200)
    ]
    assert all(less < more for less, more in pairwise(costs))
    assert costs[0] > 0
