"""Sight: who sees whom."""

from arbiter.question import Decided
from arbiter.rule import rule
from arbiter.table import Table
from services._template.questions import SightAnswer
from services._template.scene import Sight


@rule("sight.line", cites="sight/line", neutral=True)
def line(table: Table, sight: Sight) -> bool:
    """Decide whether a fighter sees another: rocks hide what stands behind them, fighters hide nobody."""
    viewer, target = sight.viewer, sight.target
    sees = sight.scene.sees(viewer.hex, target.hex)
    table.find(
        "{viewer} {outcome} {target}",
        viewer=viewer.name,
        outcome="sees" if sees else "does not see",
        target=target.name,
    )
    return sees


def line_of_sight(table: Table, sight: Sight) -> Decided[SightAnswer]:
    """Answer the question `line-of-sight`."""
    return Decided(SightAnswer(line(table, sight)))
