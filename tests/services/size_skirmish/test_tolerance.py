"""The tolerance of the board: rounded places of bases that touch are neither impossible nor out of contact."""

from math import cos, dist, pi, sin
from typing import Any

import pytest

from arbiter.fault import Faults
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.ground import in_touch
from tests.services.size_skirmish.field import ask, field_of, scene


def loose(tolerance: float | None, **at: tuple[float, float]) -> dict[str, Any]:
    """Return a table of guards at some places, all of red but bob, on a board with a tolerance or the usual one."""
    models = [
        {"id": id_, "side": "blue" if id_ == "bob" else "red", "profile": "guard", "at": list(place)}
        for id_, place in at.items()
    ]
    return scene(models=models, board={} if tolerance is None else {"tolerance": tolerance})


def touched(field: Battlefield, id_: str) -> list[str]:
    one, *others = (field.solid(unit) for unit in field.units)
    assert one.id == id_
    return [other.id for other in others if in_touch(one, other)]


def test_a_ring_of_rounded_places_is_in_contact_by_the_tolerance() -> None:
    """Six guards around a seventh, 1 away from it, their places rounded to a tenth: (10.5, 10.9) is 1.0296 away."""
    turns = [turn * pi / 3 for turn in range(6)]
    ring = {f"b{n}": (round(10 + cos(turn), 1), round(10 + sin(turn), 1)) for n, turn in enumerate(turns)}
    assert dist((0, 0), (0.5, 0.9)) == pytest.approx(1.0296, abs=1e-4)
    assert touched(field_of(loose(None, ada=(10, 10), **ring)), "ada") == ["b0", "b3"]
    assert touched(field_of(loose(0.05, ada=(10, 10), **ring)), "ada") == list(ring)


@pytest.mark.parametrize(
    ("tolerance", "apart", "contact"),
    [(0.001, 1.001, False), (0.01, 1.001, True), (0.01, 1.01, False), (None, 1, True)],
)
def test_less_than_the_tolerance_is_contact(tolerance: float | None, apart: float, contact: bool) -> None:
    posted = loose(tolerance, ada=(10, 10), bob=(10, 10 + apart))
    assert touched(field_of(posted), "ada") == (["bob"] if contact else [])
    pushed = ask("push", {"scene": posted, "model": "ada", "target": "bob", "reactions": []}, dice={"seed": 1})
    assert pushed.allowed is contact


def test_who_stands_in_a_base_by_the_tolerance_moves_freely_and_no_deeper() -> None:
    near = {"ada": (10, 10), "bob": (10, 10.93)}
    case = {"model": "ada", "movement": "walk", "reactions": []}
    away = ask("path", {**case, "scene": loose(0.1, **near), "goal": [10, 6]})
    assert away.allowed
    assert away.answer.way == ((10, 10), (10, 6))
    assert not ask("path", {**case, "scene": loose(0.1, **near), "way": [[10, 12.5]]}).allowed
    with pytest.raises(Faults):
        ask("path", {**case, "scene": loose(None, **near), "goal": [10, 6]})
