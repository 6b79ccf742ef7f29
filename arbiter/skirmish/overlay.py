"""The additions of a question and its answer to the picture of a skirmish: actor, targets, lines, routes and labels.

The games use the same few names for the same values, in their cases and in their events, so that one table tells for
all of them which name is an actor, a target, a position, or the loss of a unit.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from arbiter.drawing import Area, Contact, Label, Line, Mark, Point, Shown, Unit, Verdict, Way

ACTORS = (
    "observer",
    "viewer",
    "attacker",
    "shooter",
    "thrower",
    "fighter",
    "unit",
    "model",
    "figure",
    "explorer",
    "hostile",
    "creature",
    "user",
    "medic",
    "rescuer",
    "leader",
)
"""Members of a case that name the actor; `by` is one if another unit is the target."""

TARGETS = ("target", "targets", "patient", "opponent", "escaping", "other", "touched")
"""Members of a case that name targets."""

UNITS = ("unit", "model", "figure", "fighter")
"""Members of an event that name its unit."""

PLACES = ("way", "end", "to", "at", "hex", "models")
"""Members of an event that give the unit's new position; a route gives it step by step."""

AIMED: Mapping[Verdict, str] = {
    "seen": "target",
    "cover": "target, in cover",
    "blocked": "no target",
    "aimed": "target",
}
"""The meaning of a line to a target that is not a line of sight."""

MOVED = frozenset({"moved", "thrown", "pushed", "fell", "fled", "deployed", "placed", "risen"})
"""Events that move a unit, or put it on the board."""

WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "wounded": lambda values: _count_text(values.get("wounds", 0) + values.get("grievous", 0), "wound"),
    "damaged": lambda values: f"\N{MINUS SIGN}{values.get('damage', values.get('points', 0))}",
    "suffered": lambda values: f"\N{MINUS SIGN}{values.get('damage', 0)}",
    "crossed-out": lambda values: f"\N{MINUS SIGN}{values.get('boxes', 0)} {values.get('bar', '')}".rstrip(),
    "healed": lambda values: "healed",
    "missed": lambda values: "missed",
    "stunned": lambda values: "stunned",
    **dict.fromkeys(("slain", "eliminated"), lambda values: "slain"),
    **dict.fromkeys(("out", "killed", "out-of-action", "casualty", "downed"), lambda values: "out of action"),
    "escaping": lambda values: "escaping",
    "flees": lambda values: "flees",
}
"""The label of an event next to its unit; it has every name for the loss of a unit."""


def _count_text(many: int, what: str) -> str:
    return f"{many} {what}{'' if many == 1 else 's'}"


MOST_NAMED = 3
"""Pieces in the way that a sentence names."""


class Overlay:
    """Gathers the additions to a scene's units: marks, the acting unit and targets.

    `place` gives the point of a position in the scene's form.
    """

    def __init__(self, units: Iterable[Unit], place: Callable[[Any], Point]) -> None:
        self.units = list(units)
        self.place = place
        self.marks: list[Mark] = []
        self.verdicts: dict[str, Verdict] = {}
        self.targets: list[str] = []
        self.asking: set[str] = set()
        self.undecided = False
        self._walked: set[str] = set()
        self._at: dict[str, Point] = {}
        self.names: dict[str, str] = {}
        for id_, models in self._grouped().items():
            self._at[id_] = _middle([model.at for model in models])
            self.names[id_] = models[0].name

    def _grouped(self) -> dict[str, list[Unit]]:
        found: dict[str, list[Unit]] = {}
        for unit in self.units:
            found.setdefault(unit.id, []).append(unit)
        return found

    def at(self, who: Any) -> Point | None:
        """Give the point of a unit, by id, or of a position; None for a unit that is not on the board."""
        if isinstance(who, str):
            return self._at.get(who)
        return None if who is None else self.place(who)

    def name(self, who: Any) -> str:
        """Give the name of a unit, or of a position."""
        return self.names.get(who, who) if isinstance(who, str) else ", ".join(f"{part:g}" for part in who)

    def ask(self, *ids: Any) -> None:
        """Mark the acting units of the question."""
        self.asking.update(id_ for id_ in ids if isinstance(id_, str) and id_ in self._at)

    def judge(self, id_: Any, verdict: Verdict) -> None:
        """Mark how a unit is seen; of several lines to it, the first counts."""
        if isinstance(id_, str) and id_ not in self.asking:
            self.verdicts.setdefault(id_, verdict)

    def line(
        self,
        start: Any,
        end: Any,
        verdict: Verdict,
        title: str,
        contacts: Sequence[Contact] = (),
        text: str = "",
        legend: str = "",
    ) -> None:
        """Draw a line between two units or positions; nothing if one of them is not on the board."""
        a, b = self.at(start), self.at(end)
        if a is not None and b is not None and a != b:
            self.judge(end, verdict)
            self.marks.append(Line(a, b, verdict, title, tuple(contacts), legend, text))

    def sight(
        self,
        start: Any,
        end: Any,
        whom: Any,
        verdict: Verdict,
        how: str,
        contacts: Sequence[Contact] = (),
        text: str = "",
        legend: str = "",
    ) -> None:
        """Draw a line of sight to a unit, or to a position; `how` gives its result and the reason."""
        a, b = self.at(start), self.at(end)
        self.judge(whom, verdict)
        if a is not None and b is not None and a != b:
            about = whom if isinstance(whom, str) else ""
            title = f"{self.name(whom)}: {how}"
            self.marks.append(Line(a, b, verdict, title, tuple(contacts), legend, text, about, how))

    def way(self, points: Iterable[Point], title: str, legend: str = "way") -> None:
        """Draw a route."""
        ring = tuple(points)
        if len(ring) > 1 and len(set(ring)) > 1:
            self.marks.append(Way(ring, title, legend))

    def walked(self, id_: str, places: Iterable[Any]) -> None:
        """Draw the way that a unit has gone; the events of its moves draw nothing more."""
        self._walked.add(id_)
        self.way(map(self.place, places), f"the way of {self.name(id_)}")

    def area(self, polygons: Iterable[Mapping[str, Any]], title: str, legend: str) -> None:
        """Draw an area in the form of answers: polygons with an outline and holes."""
        rings = tuple(
            tuple((float(x), float(y)) for x, y in ring)
            for polygon in polygons
            for ring in (polygon["outside"], *polygon.get("holes", ()))
        )
        if rings:
            self.marks.append(Area(rings, title, legend))

    def about(self, shown: Shown) -> None:
        """Mark the acting unit and the targets, by the names that cases use for them."""
        case = getattr(shown.case, "deed", shown.case)
        self.ask(*named(case, ACTORS))
        if not self.asking:
            self.ask(*named(shown.case, ("by",)))
        self.targets += named(case, TARGETS)
        self.undecided = shown.answer is None
        if self.undecided:
            self.aim(shown, lambda _: "aimed")

    def aim(self, shown: Shown, verdict: Callable[[str], Verdict]) -> None:
        """Draw a line from the acting unit to each target, with its result."""
        case = getattr(shown.case, "deed", shown.case)
        actor = next(iter(named(case, ACTORS)), None)
        if actor is None:
            return
        came = f": {shown.verdict.lower()}" if shown.verdict else ""
        for id_ in named(case, TARGETS):
            how = verdict(id_)
            title = f"{self.name(actor)} and {self.name(id_)}{came}"
            self.line(actor, id_, how, title, legend=AIMED[how])

    def happened(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Draw the events: the routes of units that moved, and a label next to units with other events."""
        ways: dict[str, list[Point]] = {}
        words: dict[str, list[str]] = {}
        for event in events:
            name, values = event["name"], event["values"]
            id_ = next((values[member] for member in UNITS if isinstance(values.get(member), str)), None)
            if id_ is None or (name == "moved" and id_ in self._walked):
                continue
            if name in MOVED:
                start = self.at(id_)
                chain = ways.setdefault(id_, [] if start is None else [start])
                chain += self._where(values)
            elif name in WORDS:
                words.setdefault(id_, []).append(WORDS[name](values))
        for id_, chain in ways.items():
            self.way(chain, f"{self.name(id_)} goes there")
            if chain and id_ not in self._at:
                self.marks.append(Label(chain[-1], id_))
        for id_, notes in words.items():
            at = ways.get(id_, [])[-1:] or [self._at[id_]] if id_ in self._at or id_ in ways else []
            if at:
                text = ", ".join(dict.fromkeys(word for word in notes if word))
                self.marks.append(Label((at[0][0], at[0][1]), text))

    def _where(self, values: Mapping[str, Any]) -> list[Point]:
        for member in PLACES:
            where = values.get(member)
            if where is not None and where != []:
                if member == "way":
                    return [self.place(each) for each in where]
                return [_middle([self.place(each) for each in where])] if member == "models" else [self.place(where)]
        return []

    def drawn(self) -> tuple[Mark, ...]:
        """Give the units, with the acting unit and targets marked, and all additions."""
        for id_ in self.targets:
            self.judge(id_, "aimed" if self.undecided else "seen")
        units = [
            replace(unit, asks=unit.id in self.asking, verdict=self.verdicts.get(unit.id))
            if unit.id in self.asking or unit.id in self.verdicts
            else unit
            for unit in self.units
        ]
        return (*units, *self.marks)


def named(case: Any, members: Iterable[str]) -> Iterator[str]:
    """Give the ids in some members of a case."""
    for member in members:
        value = getattr(case, member, None)
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from (each for each in value if isinstance(each, str))


def touch_points(contacts: Iterable[Mapping[str, Any]], verdict: Verdict) -> list[Contact]:
    """Give the first points of a line's contacts, from an answer, with their meaning for a verdict."""
    kind: Literal["blocks", "cover"] = "blocks" if verdict == "blocked" else "cover"
    says = {"blocks": "blocks the line", "cover": "is cover or stands between", "touched": "does not count"}
    return [
        Contact((met["at"][0][0], met["at"][0][1]), kind, f"{met['id']} {says[kind]}")
        if met["counts"]
        else Contact((met["at"][0][0], met["at"][0][1]), "touched", f"{met['id']} {says['touched']}")
        for met in contacts
    ]


def in_the_way(contacts: Iterable[Mapping[str, Any]]) -> str:
    """Name the contacts of a line that count, in a few words."""
    names = list(dict.fromkeys(met["id"].partition("#")[0] for met in contacts if met["counts"]))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _middle(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


CROWDED = 0.18
"""The radius of a unit that shares its cell, in cells."""


def spread(centre: Point, index: int, count: int) -> Point:
    """Give the point of one of several units in a cell."""
    if count == 1:
        return centre
    steps = ((-0.21, 0.0), (0.21, 0.0)) if count == 2 else ((-0.22, -0.12), (0.22, -0.12), (0.0, 0.2), (0.0, -0.3))
    dx, dy = steps[index % len(steps)]
    return centre[0] + dx, centre[1] + dy


def reasons(why_not: Iterable[str | Mapping[str, Any]]) -> str:
    """Give the reasons of an answer in words, with or without their sources."""
    return "; ".join(each if isinstance(each, str) else each["text"] for each in why_not)
