from itertools import product

import pytest
from msgspec.structs import replace

from services.blackstone_fortress.battle import fight
from services.blackstone_fortress.rules import ending
from services.blackstone_fortress.scene import EscapeChamber
from tests.services.blackstone_fortress.turns import field_of, table

INSIDE, OUTSIDE, GONE = "inside", "outside", "out of action"


def standing(places, *, chamber=True, slain=False):
    """The corridor with its three explorers in these places."""
    field = field_of("events-corridor")
    if chamber:
        field = field.with_board(escape_chamber=EscapeChamber("gate", ((0, 0), (0, 1))))
    hexes = {INSIDE: (0, 1), OUTSIDE: (4, 0), GONE: None}
    field = field.put(
        *(
            replace(explorer, hex=hexes[place] if place != INSIDE or index < 2 else (0, 0), out_of_action=place == GONE)
            for index, (explorer, place) in enumerate(zip(field.scene.explorers, places, strict=True))
        )
    )
    if slain:
        field = field.put(*(replace(hostile, hex=None, slain=True) for hostile in field.scene.hostiles))
    return field


@pytest.mark.parametrize("places", list(product((INSIDE, OUTSIDE, GONE), repeat=3)))
def test_the_combat_ends_with_all_out_or_all_others_aboard(places) -> None:
    fit = [place for place in places if place != GONE]
    left = not fit or all(place == INSIDE for place in fit)
    expected = "on" if not left else "escaped" if fit else "defeat"
    assert ending.outcome(table(), standing(places)) == expected
    strict = expected if expected != "escaped" or GONE not in places else "on"
    assert ending.outcome(table(end_aboard="everyone"), standing(places)) == strict


@pytest.mark.parametrize("places", list(product((OUTSIDE, GONE), repeat=3)))
def test_without_an_escape_chamber_nobody_escapes(places) -> None:
    field = standing(places, chamber=False)
    assert ending.outcome(table(), field) == ("defeat" if set(places) == {GONE} else "on")


def test_an_explorer_who_has_not_come_onto_the_battlefield_is_not_aboard() -> None:
    field = standing((INSIDE, INSIDE, INSIDE))
    assert ending.outcome(table(), field) == "escaped"
    away = field.put(replace(field.explorer("janus"), hex=None))
    assert ending.outcome(table(), away) == "on"


def test_slain_hostiles_end_the_combat_only_by_the_reading() -> None:
    field = standing((OUTSIDE, OUTSIDE, OUTSIDE), slain=True)
    assert ending.outcome(table(), field) == "on"
    assert ending.outcome(table(end_by_victory="ends"), field) == "victory"
    assert ending.outcome(table(end_by_victory="ends"), standing((OUTSIDE, OUTSIDE, OUTSIDE))) == "on"
    none_at_all = field.with_(hostiles=())
    assert ending.outcome(table(end_by_victory="ends"), none_at_all) == "on"


def test_outside_the_event_phase_it_ends_only_by_the_reading() -> None:
    field = standing((INSIDE, INSIDE, INSIDE))
    assert ending.at_once(table(), field) == "on"
    assert ending.at_once(table(end_timing="at-once"), field) == "escaped"
    assert ending.checked(table(), field) == "escaped"
    assert ending.at_once(table(end_timing="at-once"), standing((INSIDE, INSIDE, OUTSIDE))) == "on"


def test_the_reading_is_consulted_only_where_it_matters() -> None:
    at = table()
    ending.outcome(at, standing((INSIDE, INSIDE, OUTSIDE)))
    ending.at_once(at, standing((INSIDE, OUTSIDE, GONE)))
    assert at.read_ids == {}


def test_what_the_combat_leaves_behind() -> None:
    field = standing((INSIDE, INSIDE, GONE)).with_(twists=("short-range",), threat=2)
    field = field.put(replace(field.explorer("janus"), wounds=2, marks=("barrier",)))
    after = ending.cleared(table(), field, "escaped").scene
    assert (after.hostiles, after.discoveries, after.board.portals, after.twists, after.threat) == ((), (), (), (), 0)
    assert (after.board.escape_chamber, after.board.hexes) == (
        field.scene.board.escape_chamber,
        field.scene.board.hexes,
    )
    assert [(one.hex, one.wounds, one.marks) for one in after.explorers] == [
        ((0, 1), 2, ()),
        ((0, 1), 0, ()),
        (None, 0, ()),
    ]


@pytest.mark.parametrize(("reading", "leader"), [("stays", "cat"), ("passes", "ann")])
def test_the_leader_after_the_combat_is_a_reading(reading, leader) -> None:
    # cat sits left of ben and right of dan, who plays the hostiles and is passed over
    field = standing((INSIDE, INSIDE, INSIDE))
    assert ending.cleared(table(leader_after_combat=reading), field, "escaped").scene.leader == leader
    alone = field.with_(players=("cat",), hostile_player=None)
    at = table(leader_after_combat=reading)
    assert ending.cleared(at, alone, "escaped").scene.leader == "cat"
    assert at.read_ids == {}


@pytest.mark.parametrize(("timing", "cards"), [("event-phase", 4), ("at-once", 1)])
def test_in_a_battle_too_the_timing_of_the_end_is_a_reading(timing, cards) -> None:
    field = standing((INSIDE, INSIDE, INSIDE))
    # the cards of three explorers and of the group of which somebody stands; the cultists' last one is slain
    field = field.with_(hostiles=tuple(hostile for hostile in field.scene.hostiles if hostile.group == "group-1"))
    _, result = fight(table(end_timing=timing), field, 3)
    assert (result.outcome, result.turns) == ("escaped", 1)
    lines = [line.split(":")[0].strip() for line in result.transcript]
    assert sum(line in ("janus", "espern", "ur-025", "group-1") for line in lines) == cards
