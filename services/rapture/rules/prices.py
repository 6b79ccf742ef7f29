"""Prices: AP and RP, which unit pays them, and whether it has enough."""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.rules import boxes


class Price(Value, frozen=True):
    """A price in points: `mp` and `lp` are boxes."""

    ap: int = 0
    rp: int = 0
    lp: int = 0
    mp: int = 0


@rule("prices.payer", cites="kinds/apprentice-actions", neutral=lambda field, unit_id: unit_id)
def payer(table: Table, field: Battlefield, unit_id: str) -> str:
    """Decide whose AP and RP a unit spends: its own; for an apprentice that is the reading `band-points`."""
    leader = field.unit(unit_id).leader
    if leader is None or field.unit(leader).disabled is not None or table.read("band-points") == "own":
        return unit_id
    table.find("{unit} spends the points of {leader}", unit=field.name(unit_id), leader=field.name(leader))
    return leader


@violations_rule("prices.violations", cites=("profile/action-points", "profile/reaction-points"))
def violations(table: Table, field: Battlefield, unit_id: str, price: Price) -> Iterator[Reason]:
    """Decide why a unit cannot pay AP and RP: it has too few."""
    if not (price.ap or price.rp):
        return
    payer_id, text = payer(table, field, unit_id), "{unit} has {has} {kind} and needs {asks}"
    ap, rp = boxes.points(table, field, payer_id)
    for kind, has, asks, cites in ("AP", ap, price.ap, "action-points"), ("RP", rp, price.rp, "reaction-points"):
        if has < asks:
            words = {"unit": field.name(payer_id), "has": has, "kind": kind, "asks": asks}
            yield table.reason(text, cites=f"profile/{cites}", **words)


@rule("prices.spend", cites=("profile/action-points", "profile/reaction-points"), neutral=unchanged)
def spend(table: Table, field: Battlefield, unit_id: str, price: Price) -> Battlefield:
    """Decide the AP and RP left after a payment: never less than 0."""
    if not (price.ap or price.rp):
        return field
    payer_id = payer(table, field, unit_id)
    had = boxes.points(table, field, payer_id)
    ap, rp = max(0, had[0] - price.ap), max(0, had[1] - price.rp)
    text = "{unit} pays {price} and has {ap} AP and {rp} RP left"
    table.find(text, unit=field.name(payer_id), price=describe(price), ap=ap, rp=rp)
    table.event("paid", unit=payer_id, ap=had[0] - ap, rp=had[1] - rp)
    return field.put(replace(field.unit(payer_id), ap=ap, rp=rp))


def describe(price: Price) -> str:
    """Give a price in words."""
    parts = ((price.ap, "AP"), (price.rp, "RP"), (price.lp, "LP"), (price.mp, "MP"))
    return format(Listing(f"{many} {kind}" for many, kind in parts if many)) or "nothing"
