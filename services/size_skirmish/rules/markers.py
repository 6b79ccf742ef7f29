"""Markers: who has already acted or reacted in the round.

The text gives a model one action and marks both who acts and who reacts. What a reaction uses up is the reading
`reaction-budget`.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.size_skirmish.battlefield import Battlefield


def activated(table: Table, field: Battlefield, model_id: str) -> bool:
    """Return whether a model has had its activation of the round."""
    model = field.unit(model_id)
    return model.acted or (model.reacted and table.read("reaction-budget") == "shared")


@violations_rule("markers.one_action", cites="round/one-action")
def one_action(table: Table, field: Battlefield, model_id: str) -> Iterator[Reason]:
    """Decide whether a model still has its one action of the round."""
    if activated(table, field, model_id):
        did = "acted" if field.unit(model_id).acted else "reacted"
        yield table.reason("{name} has already {did} in this round", name=field.name(model_id), did=did)


@violations_rule("markers.may_react", cites=("round/one-action", "procedure/marked"))
def may_react(table: Table, field: Battlefield, model_id: str) -> Iterator[Reason]:
    """Decide whether the markers of a model leave it a reaction."""
    model = field.unit(model_id)
    if not (model.acted or model.reacted):
        return
    budget = table.read("reaction-budget")
    if budget == "shared" or (budget == "separate" and model.reacted):
        did = "acted" if model.acted and budget == "shared" else "reacted"
        yield table.reason("{name} has already {did} in this round", name=field.name(model_id), did=did)


@rule("markers.marked", cites="procedure/marked", neutral=unchanged)
def marked(table: Table, field: Battlefield, model_id: str, reacting: tuple[str, ...]) -> Battlefield:
    """Decide who gets a marker: the acting model and all reacting models."""
    models = [replace(field.unit(model_id), acted=True)]
    models += [replace(field.unit(each), reacted=True) for each in reacting]
    names = Listing(field.name(model.id) for model in models)
    table.find("Markers are placed beside {models}", models=names)
    table.event("marked", acted=model_id, reacted=list(reacting))
    return field.put(*models)
