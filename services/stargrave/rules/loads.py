"""Loads: what carrying a loot token costs a figure on Fight and Shoot; what it costs of Move is in `allowance`."""

from typing import Literal

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Signed
from services.stargrave.battlefield import Battlefield
from services.stargrave.book import modifier


@rule("loads.penalty", cites=("loot/physical-rolls", "loot/data-free", "traits/unburdened"), neutral=0)
def penalty(table: Table, field: Battlefield, carrier: str, stat: Literal["fight", "shoot"]) -> int:
    """Decide what a figure's load adds to its Fight or Shoot: -1 for physical loot, nothing for data loot."""
    figure = field.figure(carrier)
    if figure.carries is None:
        return 0
    values = {"name": field.name(figure), "token": figure.carries}
    if field.token(figure.carries).kind == "data":
        table.find("{name} carries {token}, data loot, without penalty", cites="loot/data-free", **values)
        return 0
    if field.has(figure, "unburdened"):
        table.find("{name} carries {token} without penalty", cites="traits/unburdened", **values)
        return 0
    more = modifier(f"carrying-{stat}")
    text = "Carrying {token} gives {name} {more} to {stat}"
    table.find(text, cites="loot/physical-rolls", more=Signed(more), stat=stat.capitalize(), **values)
    return more
