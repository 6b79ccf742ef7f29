"""The address of the browser's table for a stored question, as `address.js` reads it."""

from typing import Any
from urllib.parse import urlencode

import msgspec

from arbiter.game import Arbiter
from arbiter.skirmish.deeds import deeds
from rendering.stored_ruling import StoredRuling

LONGEST = 30_000
"""Characters of an address that every browser and proxy accepts; a larger scene is left out."""


def table_link(game: Arbiter, stored: StoredRuling) -> str:
    """Give the address of the table with the scene of a stored question, and with the question if it has a button."""
    plain = f"/table#{urlencode({'g': game.name})}"
    body = msgspec.json.decode(stored.body)
    case = body["case"] if isinstance(body.get("case"), dict) else {}
    if "scene" not in case:
        return plain
    state: dict[str, Any] = {"g": game.name, "e": "own", "scene": case["scene"]}
    deed = next((each for each in deeds(game) if each.question == stored.question), None)
    if deed is not None and deed.actor in case:
        target = case.get(deed.target) if deed.target else None
        dice = body.get("dice") or {}
        shown = {"scene", "given", deed.actor, deed.target, *deed.weapons}
        others = {name: value for name, value in case.items() if name not in shown}
        state |= {
            "u": case[deed.actor],
            "q": deed.question,
            "t": target[0] if isinstance(target, list) and target else target,
            "p": {name: case[name] for name in deed.weapons if case.get(name) is not None},
            "s": msgspec.json.decode(stored.answer).get("seed") if stored.kind == "ruling" else None,
            "d": dice.get("hand"),
            "c": body.get("choices"),
            "f": case.get("given"),
            "r": body.get("readings"),
            "x": {deed.question: others} if others else None,
            "v": "odds" if stored.kind == "odds" else None,
        }
    written = {
        name: value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for name, value in state.items()
        if value
    }
    link = f"/table#{urlencode(written)}"
    return link if len(link) <= LONGEST else plain
