"""The effects of a ruling: the events of its rules, and the patch from the scene before to the one after."""

from collections.abc import Callable
from typing import Any

from arbiter import json_patch
from arbiter.question import Decided
from arbiter.ruling import Effects
from arbiter.table import OneTable

NOTHING = Effects()


def effects_of(table: OneTable, case: Any, decided: Decided[Any] | None, posted: Callable[[], Any] | None) -> Effects:
    """Give the effects of a decision; a forbidden or unfinished one has changed nothing."""
    if decided is None:
        return NOTHING
    events = tuple(table.events)
    if decided.after is None or decided.after == case.scene:
        return Effects(events) if events else NOTHING
    return Effects(events, json_patch.of_scenes(case.scene, decided.after, posted))
