"""What questions and answers add to pictures: points of lines by hand, and which event draws what."""

from typing import Any, NamedTuple

import pytest

from arbiter.drawing import Area, Label, Line, Shown, Unit, Way, hex_point, letters
from arbiter.skirmish.overlay import Overlay, reasons, spread

SQUARE = ((2.0, 2.0), (4.0, 2.0), (4.0, 4.0), (2.0, 4.0))


class Case(NamedTuple):
    attacker: str
    target: str


def overlay() -> Overlay:
    units = (
        Unit("ann", "Ann", 0, "An", (0.0, 0.0), "/units/0/at"),
        Unit("bob", "Bob", 1, "Bo", (6.0, 0.0), "/units/1/at"),
        Unit("gus", "Gus", 1, "Gu", (0.0, 6.0), "/units/2/models/0", squad="gus"),
        Unit("gus", "Gus", 1, "Gu", (2.0, 6.0), "/units/2/models/1", squad="gus"),
    )
    return Overlay(units, lambda at: (float(at[0]), float(at[1])))


def event(name: str, **values: Any) -> dict[str, Any]:
    return {"name": name, "values": values}


def test_who_acts_and_on_whom_is_read_off_the_case() -> None:
    drawn = overlay()
    drawn.about(Shown("attack", Case("ann", "bob"), "an answer"))
    units = {unit.id: unit for unit in drawn.drawn() if isinstance(unit, Unit)}
    assert units["ann"].asks
    assert (units["bob"].asks, units["bob"].verdict) == (False, "seen")
    assert units["gus"].verdict is None


def test_a_target_without_an_answer_is_aimed_at() -> None:
    drawn = overlay()
    drawn.about(Shown("attack", Case("ann", "bob"), None))
    (line,) = [mark for mark in drawn.marks if isinstance(mark, Line)]
    assert (line.end, line.verdict) == ((6.0, 0.0), "aimed")
    assert {unit.verdict for unit in drawn.drawn() if isinstance(unit, Unit) and unit.id == "bob"} == {"aimed"}


def test_the_verdict_of_a_line_is_that_of_its_target() -> None:
    drawn = overlay()
    shown = Shown("attack", Case("ann", "bob"), "an answer", verdict="Ruled")
    drawn.about(shown)
    drawn.aim(shown, lambda _: "cover")
    (line,) = [mark for mark in drawn.marks if isinstance(mark, Line)]
    assert (line.start, line.end, line.verdict) == ((0.0, 0.0), (6.0, 0.0), "cover")
    assert {unit.verdict for unit in drawn.drawn() if isinstance(unit, Unit) and unit.id == "bob"} == {"cover"}


def test_steps_of_one_unit_are_one_way() -> None:
    drawn = overlay()
    drawn.happened([event("moved", unit="ann", to=[1, 0]), event("moved", unit="ann", to=[1, 1])])
    (way,) = [mark for mark in drawn.marks if isinstance(mark, Way)]
    assert way.points == ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))


def test_a_way_that_an_answer_has_is_not_drawn_again_by_its_events() -> None:
    drawn = overlay()
    drawn.walked("ann", [[0, 0], [3, 1], [4, 0]])
    drawn.happened([event("moved", unit="ann", to=[4, 0]), event("moved", unit="bob", to=[7, 0])])
    ways = [mark.points for mark in drawn.marks if isinstance(mark, Way)]
    assert ways == [((0.0, 0.0), (3.0, 1.0), (4.0, 0.0)), ((6.0, 0.0), (7.0, 0.0))]


def test_a_squad_goes_from_middle_to_middle() -> None:
    drawn = overlay()
    drawn.happened([event("moved", unit="gus", models=[[0, 8], [2, 8]])])
    (way,) = [mark for mark in drawn.marks if isinstance(mark, Way)]
    assert way.points == ((1.0, 6.0), (1.0, 8.0))


GONE = ("slain", "killed", "out", "eliminated", "out-of-action")
"""The words of five games for one who is gone."""


@pytest.mark.parametrize("name", GONE)
def test_every_word_for_one_who_is_gone_is_written_beside_it(name: str) -> None:
    drawn = overlay()
    drawn.happened([event("damaged", figure="bob", damage=3), event(name, figure="bob")])
    (label,) = [mark for mark in drawn.marks if isinstance(mark, Label)]
    assert label.at == (6.0, 0.0)
    assert label.text in ("\N{MINUS SIGN}3, slain", "\N{MINUS SIGN}3, out of action")


def test_an_area_has_its_holes() -> None:
    drawn = overlay()
    hole = [[1, 1], [2, 1], [2, 2], [1, 2]]
    drawn.area([{"outside": [[0, 0], [4, 0], [4, 4], [0, 4]], "holes": [hole]}], "reach", "reach")
    (area,) = [mark for mark in drawn.marks if isinstance(mark, Area)]
    assert [len(ring) for ring in area.rings] == [4, 4]
    drawn.area([], "reach", "reach")
    assert len(drawn.marks) == 1


def test_reasons_are_told_with_or_without_their_sources() -> None:
    assert reasons(["too far", {"text": "not seen", "cites": ["x"]}]) == "too far; not seen"


def test_units_in_one_cell_stand_apart() -> None:
    for count in (2, 3, 4):
        places = [spread((0.0, 0.0), index, count) for index in range(count)]
        assert len(set(places)) == count
    assert spread((1.0, 2.0), 0, 1) == (1.0, 2.0)


def test_neighbouring_hexes_are_one_apart_whatever_their_tops() -> None:
    for flat in (False, True):
        x, y = hex_point(0, 0, flat=flat)
        for q, r in ((1, 0), (0, 1), (1, -1), (-1, 0), (0, -1), (-1, 1)):
            nx, ny = hex_point(q, r, flat=flat)
            assert (nx - x) ** 2 + (ny - y) ** 2 == pytest.approx(1)


def test_letters_are_two_and_tell_units_apart() -> None:
    assert letters("guard-4", ()) == "G4"
    assert letters("espern", ()) == "Es"
    assert letters("espen", ("Es",)) == "Ep"
    assert letters("--", ()) == "?"
    taken: list[str] = []
    for _ in range(20):
        taken.append(letters("guard-4", taken))
    assert len(set(taken)) == 20
