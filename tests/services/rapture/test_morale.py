"""Escape, flight and rescue, and squads that lose models: boundaries by hand, and laws."""

from math import dist
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from services.rapture.battlefield import Battlefield
from services.rapture.checks import checked
from services.rapture.placing import Placed
from services.rapture.rules import boxes, escape, preparation, squads
from tests.effort import cases
from tests.services.rapture.field import box, field_of, scene, table, unit, walled, with_unit


def alone(x: float, y: float, side: str = "red", edge: str = "west", **rest: Any) -> dict[str, Any]:
    """Give a table with one unit that flees towards an edge, MOV 12 and 3 cm across."""
    scene_json = scene(units=[unit("ada", [[x, y]], side, mp_crossed=6, escaping=True, **rest)])
    return scene_json | {"sides": [{"id": "red", "edge": edge}, {"id": "blue", "edge": "east"}]}


@pytest.mark.parametrize(
    ("edge", "place"), [("west", (28, 40)), ("east", (52, 40)), ("south", (40, 28)), ("north", (40, 52))]
)
def test_it_flees_towards_its_own_edge(edge: str, place: tuple[float, float]) -> None:
    after = escape.flight(table(), field_of(alone(40, 40, edge=edge)), "ada")
    assert after.unit("ada").models == (place,)


@pytest.mark.parametrize(
    ("x", "crossed", "fled"),
    [
        (13.5, "any-part", False),
        (13.499, "any-part", True),
        (13.499, "whole-base", False),
        (10.5, "whole-base", True),
        (10.501, "whole-base", False),
    ],
)
def test_the_edge_is_crossed_by_a_thousandth(x: float, crossed: str, fled: bool) -> None:
    after = escape.flight(table(edge_crossed=crossed), field_of(alone(x, 40)), "ada")
    assert after.unit("ada").disabled == ("fled" if fled else None)
    assert after.unit("ada").models == (() if fled else ((1.5, 40),))


def test_the_reading_of_the_edge_is_asked_only_where_it_matters() -> None:
    at_table = table()
    escape.flight(at_table, field_of(alone(40, 40)), "ada")
    assert not {"edge-crossed", "flight-way", "flight-through-models"} & set(at_table.read_ids)


def test_it_keeps_clear_of_opponents_and_leaves_their_contact_freely() -> None:
    scene = alone(40, 40)
    scene["units"] += [unit("bob", [[36.5, 40]], "blue", "gate-breaker")]
    after = escape.flight(table(), field_of(scene), "ada")
    (at,) = after.unit("ada").models
    assert at[0] < 36
    assert dist(at, (36.5, 40)) > 3.5


def test_shut_in_it_goes_as_far_as_it_can() -> None:
    walls = (box("w", 30, 30, 31, 50), box("e", 49, 30, 50, 50), box("s", 31, 30, 49, 31), box("n", 31, 49, 49, 50))
    scene = alone(40, 40) | {"board": {"pieces": list(walls)}}
    after = escape.flight(table(), field_of(scene), "ada")
    assert after.unit("ada").models == ((32.5, 40),)


def test_without_movement_nobody_flees() -> None:
    card = {"id": "rooted", "kind": "hero", "ccs": 4, "att": 1, "mov_cm": 0, "hp": [{}], "mp": [{"escape": True}]}
    scene_json = scene(units=[unit("ada", [[1.5, 40]], profile="rooted")], profiles={"units": [card]})
    after = escape.cross_morale(table(), field_of(scene_json), "ada", 1)
    assert (after.unit("ada").escaping, after.unit("ada").models) == (True, ((1.5, 40),))


def test_a_leader_across_the_edge_takes_the_band_with_it() -> None:
    scene = with_unit("fay", models=[[80, 10]])
    for place, id_ in (([80, 12.75], "una"), ([80, 7.25], "vic")):
        scene["units"] = [{**row, "models": [place]} if row["id"] == id_ else row for row in scene["units"]]
    after = escape.cross_morale(table(), field_of(scene), "fay", 5)
    assert [after.unit(id_).disabled for id_ in ("fay", "una", "vic")] == ["fled", "casualty", "casualty"]


def test_models_of_a_squad_that_are_across_are_gone() -> None:
    scene = with_unit("rob", models=[[10, 80], [14, 80], [28, 80]], mp_crossed=3, escaping=True)
    after = escape.flight(table(), field_of(scene), "rob")
    assert after.unit("rob").models == ((10, 80),)


def test_an_activation_ends_with_the_escape() -> None:
    field = field_of(
        scene(active="ada", turn="red")
        | {"units": [unit("ada", [[40, 40]]), unit("bob", [[80, 40]], "blue", "gate-breaker")]}
    )
    over = escape.cross_morale(table(), field, "ada", 6)
    assert (over.scene.active, over.unit("ada").activated, over.scene.turn) == (None, True, "blue")
    on = escape.cross_morale(table(escape_in_activation="goes-on"), field, "ada", 6)
    assert (on.scene.active, on.unit("ada").activated) == ("ada", False)


def come_from_afar(field: Battlefield, id_: str, **options: str) -> Battlefield:
    """Give the battlefield after a unit has come to where it stands from the far corner."""
    before = field.put(replace(field.unit(id_), models=((85.0, 85.0),)))
    return preparation.formations(table(**options), before, (Placed(id_, field.unit(id_).models),))


def test_only_contact_that_comes_about_saves() -> None:
    """Who stood beside it before, an opponent, and one that escapes itself save nobody."""
    marked: dict[str, Any] = {"mp_crossed": 6, "escaping": True}
    scene_json = scene(
        units=[
            unit("ada", [[40, 40]], **marked),
            unit("eve", [[40, 43]]),
            unit("dan", [[40, 37]], **marked),
            unit("bob", [[43.5, 40]], "blue", "gate-breaker"),
        ]
    )
    field = field_of(scene_json)
    stays = Placed("eve", field.unit("eve").models)
    assert preparation.formations(table(), field, (stays,)).unit("ada").escaping
    assert come_from_afar(field, "dan").unit("ada").escaping
    assert come_from_afar(field, "bob").unit("ada").escaping
    saved = come_from_afar(field, "eve")
    assert (saved.unit("ada").escaping, saved.unit("ada").mp_crossed, saved.unit("dan").escaping) == (False, 5, True)


def test_whoever_is_saved_has_been_activated_only_if_read_so_or_already() -> None:
    for option, before, after in (("open", False, False), ("next-round", False, True), ("open", True, True)):
        marked: dict[str, Any] = {"mp_crossed": 6, "escaping": True, "activated": before}
        field = field_of(scene(units=[unit("ada", [[40, 40]], **marked), unit("eve", [[40, 43]])]))
        assert come_from_afar(field, "eve", rescued_activation=option).unit("ada").activated == after


@pytest.mark.parametrize(("crossed", "kept"), [(0, 3), (1, 2), (2, 1)])
def test_models_go_as_hp_go(crossed: int, kept: int) -> None:
    """Three models and three HP; the first that may be picked goes."""
    field = field_of(with_unit("gus", hp_crossed=crossed))
    after = squads.remove_models(table(squad_casualties="share"), field, "gus")
    assert len(after.unit("gus").models) == kept
    assert squads.remove_models(table(), field, "gus").unit("gus").models == field.unit("gus").models


@pytest.mark.parametrize(
    ("models", "alone_"),
    [
        ([[60, 10], [62.5, 10], [65, 10]], 0),
        ([[60, 10], [65, 10], [62.5, 10]], 0),
        ([[60, 10], [62.52, 10], [65.02, 10]], 2),
        ([[60, 10], [62.5, 10], [80, 10]], 1),
    ],
)
def test_a_formation_of_contact_is_a_chain(models: list[list[float]], alone_: int) -> None:
    field = field_of(with_unit("gus", models=models))
    assert len(squads.formation_violations(table(formation="contact"), field, "gus")) == alone_
    assert not squads.formation_violations(table(), field, "gus")


corner = st.tuples(st.integers(5, 70), st.integers(5, 70), st.integers(2, 20), st.integers(2, 20))


@given(
    huts=st.lists(corner, max_size=4),
    who=st.sampled_from(("fay", "gus", "rob", "una")),
    way=st.sampled_from(("round", "straight")),
    models=st.sampled_from(("around", "through")),
    flight=st.sampled_from(("flees", "stays")),
)
@settings(max_examples=cases(40), deadline=None)
def test_a_flight_leaves_a_sound_scene_and_is_no_longer_than_mov(
    huts: list[tuple[int, int, int, int]], who: str, way: str, models: str, flight: str
) -> None:
    pieces = [box(f"hut{number}", x, y, x + w, y + d) for number, (x, y, w, d) in enumerate(huts)]
    field = field_of(walled(*pieces))
    at_table = table(flight_way=way, flight_through_models=models, apprentice_flight=flight)
    after = escape.cross_morale(at_table, field, who, 20)
    checked(after.scene)
    if after.unit(who).disabled is None:
        far = boxes.values(table(), after, who).mov / 1000
        pairs = zip(field.unit(who).models, after.unit(who).models, strict=False)
        assert all(dist(one, other) <= far + 0.02 for one, other in pairs)


@given(x=st.integers(15, 885), y=st.integers(15, 885), edge=st.sampled_from(("north", "east", "south", "west")))
@settings(max_examples=cases(25), deadline=None)
def test_every_flight_over_open_ground_ends_off_the_battlefield(x: int, y: int, edge: str) -> None:
    """At 12 cm each time the 90 cm of the battlefield are crossed after eight times at most."""
    field = field_of(alone(x / 10, y / 10, edge=edge))
    for _ in range(8):
        field = escape.flight(table(), field, "ada")
    assert field.unit("ada").disabled == "fled"
