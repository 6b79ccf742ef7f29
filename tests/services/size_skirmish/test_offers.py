"""What models are offered in whole games, and where they go."""

from math import dist
from typing import Any

import pytest

from arbiter.skirmish.plane import point
from arbiter.table import first
from services.size_skirmish import advance
from services.size_skirmish.actions import Action
from services.size_skirmish.offers import offers
from services.size_skirmish.rules import procedure
from tests.services.size_skirmish.field import field_of
from tests.services.size_skirmish.yards import table_of, with_models, yard


def offered(scene: dict[str, Any], id_: str) -> dict[str, tuple[str | None, ...]]:
    """Return the open actions of a model, each with its targets; None where it needs none."""
    table, field = table_of(first, first), field_of(scene)
    return {name: tuple(offer.aims) for name, offer in offers(table, field, id_) if offer.aims}


def test_an_archer_shoots_at_whom_it_sees_or_goes_somewhere() -> None:
    found = offered(with_models(wes={"at": [12, 6]}), "ari")
    # The house hides the giant and the hound; who stands on the stage is seen.
    assert found["shoot"] == ("wes", "lil", "tom")
    assert set(found) == {"shoot", "block", "walk", "march", "run", "run-and-shoot"}
    assert found["march"] == ("wes", "lil", "yan", "item:lamp", "piece:crates", "piece:stage")


def test_who_may_be_charged_is_who_can_be_struck_then() -> None:
    # B 6: twice 6 and a reach of 2.5 reach the warden from 4 to 18, but not the thief at 20.5.
    scene = with_models(oda={"at": [4, 2]}, wes={"at": [18, 2]}, lil={"at": [20.5, 2]})
    assert offered(scene, "oda")["attack"] == ("wes",)


def test_who_is_in_melee_strikes_or_leaves_it() -> None:
    scene = with_models(yard(melees=[{"one": "oda", "other": "wes"}]), wes={"at": [5.25, 5]})
    assert set(offered(scene, "oda")) == {"push", "strike", "block", "disengage"}


def test_another_weapon_is_offered_where_it_reaches_somebody_whom_the_one_in_hand_does_not() -> None:
    scene = with_models(ari={"in_hand": "needle"}, wes={"at": [10, 8]})
    assert "change-weapon:hunting-bow" in offered(scene, "ari")
    assert "change-weapon:needle" not in offered(with_models(wes={"at": [10, 8]}), "ari")


def test_reloads_items_and_friends_in_flight_are_offered() -> None:
    scene = with_models(
        tik={"in_hand": "sling", "unloaded": ["sling"], "at": [14, 15]},
        oda={"fleeing": {"direction": [-1, 0]}, "at": [14, 5]},
    )
    found = offered(scene, "tik")
    assert {"fast-reload:sling", "pick-up:lamp"} <= set(found)
    assert offered(with_models(scene, ari={"at": [9, 5]}), "ari")["restore-morale"] == ("oda",)


def test_npcs_move_or_do_what_their_scenario_gives_them() -> None:
    assert set(offered(yard(), "mia")) == {"align", "walk", "march", "run"}
    # Who faces north has only the giant in front of it. From the stage one comes down by its brink.
    found = offered(yard(), "tom")
    assert found["shoot"] == ("yan",)
    assert set(found) == {"shoot", "block", "align", "walk", "march", "run"}
    assert found["march"] == ("brink",)


def test_what_a_scenario_names_twice_is_offered_once() -> None:
    scene = with_models(yard(profiles={"npc_actions": [{"id": "howl"}]}), rex={"actions": ["howl", "howl"]})
    names = [name for name, _ in offers(table_of(first, first), field_of(scene), "rex")]
    assert names.count("howl") == 1


def test_who_flees_is_pursued() -> None:
    assert offered(with_models(lil={"fleeing": {"direction": [1, 0]}}), "oda")["pursue"] == ("lil",)


def test_every_offer_is_a_deed_that_can_be_done() -> None:
    scene = with_models(
        yard(phase="action"),
        wes={"at": [12, 6]},
        tik={"at": [5.625, 18]},
        oda={"at": [14.25, 5.5]},
        lil={"at": [20, 5]},
    )
    field, table = field_of(scene), table_of(first, first)
    seen = set()
    for model in field.units:
        if model.npc is None:
            for name, offer in offers(table, field, model.id):
                for aim in offer.aims:
                    found = offer.made(aim)
                    seen.add(name.partition(":")[0])
                    assert found is None or advance.can(table, field, found)
                    assert found is not None or aim is not None
    assert {"shoot", "attack", "climb", "march", "run", "walk", "block"} <= seen


# Where models go


def gone(scene: dict[str, Any], id_: str, movement: str, goal: str) -> Action | None:
    return advance.towards(table_of(first, first), field_of(scene), id_, movement, goal)


def test_a_march_towards_somebody_goes_as_far_as_it_lasts_and_faces_the_nearest() -> None:
    found = gone(with_models(oda={"at": [4, 2]}, lil={"at": [20, 2]}), "oda", "march", "lil")
    assert found is not None
    assert found.goal == (15.998, 2)
    assert found.facing is not None
    assert found.facing[0] > 0


def test_a_walk_to_an_item_or_beside_a_piece_ends_there() -> None:
    # The lamp is 3 away; the stage begins at 6, and the imp is 0.75 across.
    item = gone(with_models(tik={"at": [11, 15]}), "tik", "walk", "item:lamp")
    piece = gone(with_models(tik={"at": [3, 18]}), "tik", "walk", "piece:stage")
    assert item is not None
    assert dist(item.goal or (0, 0), (14, 15)) < 0.01
    assert piece is not None
    assert piece.goal == (5.625, 18)


def test_nobody_goes_where_no_way_leads_or_where_it_stands_already() -> None:
    assert gone(with_models(tik={"at": [14, 15]}), "tik", "walk", "item:lamp") is None
    assert gone(with_models(wes={"at": [5.25, 5]}), "oda", "walk", "wes") is None


def test_a_model_climbs_up_at_the_side_of_a_piece_and_down_at_its_brink() -> None:
    table = table_of(first, first)
    below, above = (
        field_of(with_models(tik={"at": [x, 18], "height_above": up})) for x, up in ((5.625, 0), (6.375, 2.5))
    )
    assert advance.climbable(below, "tik") == ("stage",)
    up = advance.climb(table, below, "tik", "stage")
    assert up is not None
    assert up.way == ((6.375, 18),)
    assert advance.climb(table, below, "tik", advance.DOWN) is None
    assert advance.climbable(above, "tik") == (advance.DOWN,)
    down = advance.climb(table, above, "tik", advance.DOWN)
    assert down is not None
    assert down.way[0][0] == pytest.approx(5.625, abs=0.01)


def test_who_leaves_a_melee_goes_straight_away_if_it_can() -> None:
    scene = with_models(yard(melees=[{"one": "tik", "other": "wes"}]), tik={"at": [12, 15]}, wes={"at": [12.875, 15]})
    found = advance.away(table_of(first, first), field_of(scene), "tik")
    assert found is not None
    assert found.goal == (6.002, 15)


def test_what_is_picked_is_carried_out() -> None:
    scene = with_models(yard(phase="action"), lil={"at": [13, 5]})
    field, table = field_of(scene), table_of(first, first)
    charge = advance.up_to(table, field, "oda", "attack", "lil")
    assert charge is not None
    assert charge.goal is not None
    # Into contact: 0.75 and 0.4 from the middle of the other.
    assert dist(point(charge.goal), (13_000, 5_000)) == pytest.approx(1150, abs=10)
    after, carried = procedure.carry_out(table, field, charge, ())
    assert carried.outcome.done
    assert after.opponents("oda") == ("lil",)
