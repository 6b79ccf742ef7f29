"""Looking rules up: full-text search over our gists of units, rules and readings."""

import re
import sqlite3
from collections.abc import Sequence
from threading import Lock

from arbiter.game import Arbiter
from arbiter.value import Value


class Entry(Value, frozen=True):
    """One thing that can be looked up: a unit of the source, a rule, or a reading."""

    id: str
    kind: str
    gist: str
    where: str
    cites: tuple[str, ...] = ()
    status: str = ""


def entries(game: Arbiter) -> tuple[Entry, ...]:
    """Give everything of a game that can be looked up, in the order of the text."""
    units = (Entry(unit.id, "unit", unit.gist, unit.where, (), unit.status) for unit in game.ledger.units.values())
    rules = (Entry(rule.id, "rule", rule.gist, f"{game.package}.rules", rule.cites) for rule in game.rules.values())
    readings = (
        Entry(reading.id, "reading", f"{reading.question} {reading.why}", "readings", reading.cites)
        for reading in game.readings.by_id.values()
    )
    return (*units, *rules, *readings)


class Lookup:
    """A full-text index over the entries of one game, in memory."""

    def __init__(self, found: Sequence[Entry]) -> None:
        self._entries = found
        self._lock = Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        self._base.execute("CREATE VIRTUAL TABLE entry USING fts5(id, gist, place, tokenize = 'porter unicode61')")
        self._base.executemany(
            "INSERT INTO entry (rowid, id, gist, place) VALUES (?, ?, ?, ?)",
            [
                (row, entry.id.replace("-", " ").replace("/", " "), entry.gist, entry.where)
                for row, entry in enumerate(found)
            ],
        )

    def search(self, text: str, most: int = 50) -> tuple[Entry, ...]:
        """Give the entries that hold every word of `text` (or words that begin so), best match first."""
        words = re.findall(r"\w+", text)
        if not words:
            return ()
        match = " ".join(f'"{word}"*' for word in words)
        with self._lock:
            rows = self._base.execute(
                "SELECT rowid FROM entry WHERE entry MATCH ? ORDER BY bm25(entry, 4.0, 2.0, 1.0), rowid LIMIT ?",
                (match, most),
            ).fetchall()
        return tuple(self._entries[row] for (row,) in rows)
