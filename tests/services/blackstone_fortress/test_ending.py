from itertools import product

import pytest
from msgspec.structs import replace

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
