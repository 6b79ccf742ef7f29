"""Weighing something up without a word: for the many hexes or targets of which only the outcome is told."""

from collections.abc import Iterator
from contextlib import contextmanager

from arbiter.dice_sources import HandedDice
from arbiter.simulation.memo_table import MemoTable
from arbiter.table import Chooser, OneTable, Table


@contextmanager
def quietly(table: Table) -> Iterator[Table]:
    """Give a table that keeps no findings, for rules that neither roll nor let anyone choose.

    Its readings are those of the given table, which is told in the end which of them were consulted. A table that never
    keeps findings is given back itself.
    """
    if isinstance(table, MemoTable):
        yield table
        return
    quiet = OneTable(HandedDice({}), Chooser({}, {}), table.readings, keep=False)
    quiet.rule = table.rule
    yield quiet
    for reading in quiet.read_ids:
        table.read(reading)
