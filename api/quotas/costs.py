"""Costs: how many units a request takes from its caller's quota, so that a battle costs more than a look-up.

A unit of work pays for ten milliseconds of one core. A request is charged in steps: first by its view (`@charged`) and
its `Content-Length`, before the body is read; then by the estimate, before the work. Odds are charged while they are
walked, and rulings without an estimate when they are decided, by the time that they took.
"""

from arbiter.value import Value

UNIT_MS = 10.0
"""Estimated milliseconds of one core that cost a unit."""

UNIT_BYTES = 262_144
"""Bytes of a body that cost a unit to read; most bodies are shorter and cost nothing."""

UNIT_POINTS = 5
"""Points of a sweep that cost a unit to read and prepare."""

LOOKUP, RULING, ODDS, SIMULATION, BOARD, BAD_KEY, PICTURE, PNG = 1, 1, 5, 5, 5, 5, 1, 15
"""The cost of each before its body is read; a refused key is charged to its address, because it may be a guess."""

RULING_LATER, ODDS_LATER = 5, 100
"""The additional cost of a ruling or of odds that become a job; as a job a law may walk many more paths."""


class Cost(Value, frozen=True):
    """A cost: its name, the units, and what they pay for; `per` is what is counted, if it is not a request.

    A request costs the sum of all that apply, but never more than half of its caller's quota.
    """

    name: str
    units: int
    per: str
    gist: str


TABLE = (
    Cost("look-up", LOOKUP, "request", "Every look-up: games, rules, data, jobs, results, and unknown paths."),
    Cost("ruling", RULING, "request", "A question that is decided once."),
    Cost("odds", ODDS, "request", "The law of a question, or the counts of a crowd of games."),
    Cost("simulation", SIMULATION, "request", "A question that is played many times, or a sweep."),
    Cost("ruling-later", RULING_LATER, "job", "A question that becomes a job, in addition to the ruling."),
    Cost("odds-later", ODDS_LATER, "job", "Odds that become a job, in addition to the odds."),
    Cost("board", BOARD, "request", "A board that is stored, or made from a map."),
    Cost("picture", PICTURE, "request", "A picture of a scene, or of a ruling, as SVG."),
    Cost("png", PNG, "picture", "A picture as PNG that is not in memory, in addition; a large one costs its time."),
    Cost("bad-key", BAD_KEY, "request", "A refused key; its address is charged."),
    Cost("body", 1, f"{UNIT_BYTES:,} bytes", "The body, by its declared length; without one, by the longest."),
    Cost(
        "work",
        1,
        f"{UNIT_MS:.0f} ms",
        "The estimate of a heavy question or a simulation; the time of any other question.",
    ),
    Cost("points", 1, f"{UNIT_POINTS} points", "The points of a sweep."),
    Cost("walk", 1, f"{UNIT_MS:.0f} ms", "Walking odds, by its time on one core; charged during the walk."),
)
"""Every cost; health, metrics, documentation, problems, limits and preflights are free."""
