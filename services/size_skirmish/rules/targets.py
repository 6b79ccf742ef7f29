"""Targets: who may be attacked at all, whatever the distance and the weapon."""

from collections.abc import Iterator

from arbiter.rule import Reason
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.size_skirmish.actions import Violations
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.scene import NPC


def target_violations(table: Table, field: Battlefield, attacker: str, target: str) -> Violations:
    """Return every violation of one model attacking another, wherever they stand."""
    return opponent(table, field, attacker, target) or npc(table, field, target)


@violations_rule("targets.opponent", cites=("melee/ends-eliminated", "ranged/announced"))
def opponent(table: Table, field: Battlefield, attacker: str, target: str) -> Iterator[Reason]:
    """Decide whether a model can be a target of another: an opponent in play, as the text has it; NPCs have no side."""
    model = field.unit(target)
    if not in_play(model):
        yield table.reason("{name} is not in play", name=field.name(target))
    elif model.side == field.unit(attacker).side != NPC:
        yield table.reason("{name} is on the same side", name=field.name(target))


@violations_rule("targets.npc", cites=("npc/active-killed", "npc/passive-not-attacked"))
def npc(table: Table, field: Battlefield, target: str) -> Iterator[Reason]:
    """Decide whether an NPC may be attacked: an active one may, a passive one not.

    Whether NPCs of the scenario count as active is `scenario-npc-attacked`.
    """
    kind = field.unit(target).npc
    if kind is None:
        return
    name = field.name(target)
    if not field.book.npcs[kind].attackable:
        cites = "npc/passive-not-attacked"
        yield table.reason("{name} is a passive NPC and cannot be attacked", cites=cites, name=name)
    elif kind == "scenario" and table.read("scenario-npc-attacked") == "no":
        yield table.reason("{name} is a scenario NPC and cannot be attacked", name=name)
    else:
        table.find("{name} is an NPC that may be attacked and killed", cites="npc/active-killed", name=name)
