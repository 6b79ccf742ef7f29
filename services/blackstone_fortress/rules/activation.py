"""An explorer's activation from beginning to end: standing up, and at the end overwatch, inspiration and the card."""

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import inspiration, overwatch, turn, unique_actions, wounds
from services.blackstone_fortress.rules.initiative import sharing_card
from services.blackstone_fortress.rules.payments import card_of


def begin(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Give the battlefield once an explorer's activation has begun: it stands up, and its barrier falls.

    An activation that has begun already is left as it is.
    """
    field = turn.begin_phase(table, field, "activation")
    field = wounds.stand_up(table, field, explorer_id)
    return unique_actions.lower_barrier(table, field, explorer_id)


@rule("activation.end", cites="explorer-action/end", neutral=unchanged)
def end(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """End an explorer's activation: dice are kept for overwatch, inspiration is rolled for, the card turns.

    Miniatures that share a card end their activation together.
    """
    explorer = field.explorer(explorer_id)
    table.find("{name} takes no more actions and its activation ends", name=field.name(explorer))
    field = overwatch.save_dice(table, field, explorer_id)
    for one in sharing_card(field, explorer):
        if one.id == explorer_id or one.slain:
            field = inspiration.rolled(table, field, one.id)[0]
    return turn.card_down(table, field, card_of(explorer))
