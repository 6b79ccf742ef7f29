"""Events as sentences: numbers agree, what is not there is left out, and who has a name is called by it."""

from typing import Any

import pytest

from arbiter.registry import game
from arbiter.ruling import Effects, Event, PatchStep
from rendering.events import event_lines

SCENE = {"figures": [{"id": "rob", "profile": "trooper"}, {"id": "kel", "profile": "sentry"}, {"id": "cy"}]}


def said(name: str, **values: Any) -> str:
    (line,) = event_lines(game("stargrave"), SCENE, Effects((Event(name, values),)))
    return line


@pytest.mark.parametrize(
    ("line", "name", "values"),
    [
        (
            "Trooper (rob) takes 7 damage from Sentry (kel), with 0 Health left",
            "damaged",
            {"figure": "rob", "damage": 7, "left": 0, "by": "kel"},
        ),
        ("cy takes 7 damage, with 1 Health left", "damaged", {"figure": "cy", "damage": 7, "left": 1, "by": None}),
        ("Trooper (rob) falls 1 inch", "fell", {"figure": "rob", "inches": 1.0, "damage": 0}),
        ("Trooper (rob) falls 4.5 inches and takes 6 damage", "fell", {"figure": "rob", "inches": 4.5, "damage": 6}),
        ("The Carbine of Sentry (kel) jams", "jammed", {"figure": "kel", "weapon": "carbine"}),
        ("A wall stands between (8, 3) and (8, 7.5)", "wall", {"id": "w", "ends": ((8.0, 3.0), (8.0, 7.5))}),
        ("Trooper (rob) moves", "moved", {"figure": "rob", "start": None, "end": None, "elevation_in": 0.0}),
        ("new-event: figure Trooper (rob), points 2", "new-event", {"figure": "rob", "points": 2}),
    ],
)
def test_an_event_is_a_sentence(line: str, name: str, values: dict[str, Any]) -> None:
    assert said(name, **values) == line


def test_who_comes_into_the_scene_with_the_patch_has_a_name_too() -> None:
    new = PatchStep("add", "/figures/-", {"id": "late", "profile": "trooper"})
    effects = Effects((Event("called", {"figure": "late"}),), (new,))
    assert list(event_lines(game("stargrave"), SCENE, effects)) == ["Trooper (late) comes onto the table"]
