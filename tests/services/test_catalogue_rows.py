"""Rows of the catalogue as a designer copies them: pasted whole into `scene.profiles`, they decide the same."""

from typing import Any

import pytest

from api.schemas import codec
from api.schemas.bodies import ask_type
from arbiter import registry
from arbiter.game import Arbiter
from tests.services.asking import examples

TABLES = {
    "blackstone-fortress": {
        "explorers": ("explorers",),
        "hostiles": ("hostiles",),
        "weapons": ("weapons",),
        "behaviours": ("behaviours",),
    },
    "rapture": {
        "units": ("profiles",),
        "abilities": ("abilities",),
        "missions": ("missions",),
        "statuses": ("statuses",),
    },
    "size-skirmish": {
        "models": ("profiles",),
        "sizes": ("sizes",),
        "weapons": ("weapons",),
        "abilities": ("abilities",),
    },
    "stargrave": {"figures": ("soldiers", "creatures", "officers"), "weapons": ("weapons",)},
    "warleague": {
        "units": ("units",),
        "weapons": ("weapons",),
        "items": ("items",),
        "abilities": ("abilities",),
        "traps": ("traps",),
    },
}
"""Where a scene of each game takes which tables of the catalogue."""

LENGTH = {"blackstone-fortress": "turns", "stargrave": "turns"}


def _with_rows(game: Arbiter, body: dict[str, Any]) -> dict[str, Any]:
    """Give a body whose scene brings every row of the catalogue beside its own."""
    scene = body["case"]["scene"]
    profiles = dict(scene.get("profiles", {}))
    for member, tables in TABLES[game.name].items():
        own = profiles.get(member, [])
        known = {row["id"] for row in own}
        rows = (row for table in tables for row in game.catalog[table])
        profiles[member] = [*own, *(row for row in rows if row["id"] not in known)]
    return {**body, "case": {**body["case"], "scene": {**scene, "profiles": profiles}}}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_rows_of_the_catalogue_pasted_whole_decide_the_same(name: str) -> None:
    game = registry.game(name)
    kind = ask_type(game.question("battle"))
    posted = [each for each in examples(game) if each.question == "battle"][-1].ready_body()
    body = {**posted, "case": {**posted["case"], LENGTH.get(name, "rounds"): 1}}
    plain, pasted = (
        game.ask("battle", codec.decode_object(kind, each), seed="pasted") for each in (body, _with_rows(game, body))
    )
    assert pasted.answer == plain.answer
    assert pasted.throws == plain.throws
