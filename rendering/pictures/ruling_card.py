"""The text on the card of a ruling, or of odds: who and whom, the outcome in a few words, dice, reasons, chances."""

from collections.abc import Iterable, Mapping
from typing import Any

from arbiter.drawing import NEUTRAL, Bar, Die, Drawing, Line, Unit
from arbiter.ruling import Chance, Finding, Marginal, Odds, Roll, Ruling
from rendering import text as rendering_text
from rendering.pictures.card import MOST_BARS, Card, Reason
from rendering.pictures.scenes import sentence

COUNTED = {"damage": "damage", "wounds": "wounds", "hits": "hits"}
"""Numbers of an answer that state the outcome, the most informative first; one is enough."""

HAPPENED = {
    "grievous": "grievously wounded",
    "slain": "slain",
    "stunned": "stunned",
    "felled": "felled",
    "out": "out of action",
    "dead": "dead",
    "jammed": "jammed",
    "escaping": "escaping",
    "out_of_game": "out of the game",
}
"""Members of an answer that state further results, if they are true, not 0 and not empty."""

SIGHT = {
    "seen": ("Seen", "yes"),
    "cover": ("Seen, in cover", "part"),
    "blocked": ("Not seen", "no"),
    "aimed": ("Not decided", "dim"),
}

SETTLED = {"success": ("success", "failed"), "sees": ("seen", "not seen"), "done": ("done", "not done")}
LAST_REASONS = 3
COVER = "cover"


def of_ruling(
    game_title: str, made: Ruling[Any], drawing: Drawing | None, law: Odds[Any] | None = None, foot: str = ""
) -> Card:
    """Give the text on the card of a ruling; `law` are its odds, if they are known."""
    said, tone = outcome(made, drawing)
    where = {each.id: each.where for each in made.citations}
    steps: Iterable[Any] = made.reasons or _distinct(made.findings)
    return Card(
        f"{game_title} · {made.question.replace('-', ' ')}",
        who(drawing) or (sentence(drawing, made) if drawing is not None else ""),
        said,
        tone,
        tuple(_dice(made, _units(drawing))),
        tuple(Reason(step.text, _sources(step.cites, where)) for step in _telling_steps(list(steps))),
        () if law is None else tuple(bars(law, made.answer)),
        foot,
    )


def of_odds(game_title: str, law: Odds[Any], drawing: Drawing | None, foot: str = "") -> Card:
    """Give the text on the card of odds."""
    chosen = _telling(law)
    mean = None if chosen is None else chosen.mean
    said = (
        "Forbidden" if not law.allowed else "Odds" if mean is None or chosen is None else f"{mean:.3g} {chosen.field}"
    )
    reasons = tuple(Reason(reason.text, ", ".join(reason.cites)) for reason in law.reasons[:LAST_REASONS])
    above = f"{game_title} · odds of {law.question.replace('-', ' ')}"
    return Card(
        above, who(drawing), said, "no" if not law.allowed else "ink", (), reasons, tuple(bars(law, None)), foot
    )


def who(drawing: Drawing | None) -> str:
    """Say who acts on whom, by the names of their cards; empty if no unit acts."""
    units = _units(drawing)
    plain = [unit.name.removesuffix(f" ({unit.id})") for unit in units if unit.asks or unit.verdict is not None]
    alike = len(set(plain)) < len({unit.id for unit in units if unit.asks or unit.verdict is not None})
    names = {unit.id: unit.name if alike else unit.name.removesuffix(f" ({unit.id})") for unit in units}
    actors = dict.fromkeys(names[unit.id] for unit in units if unit.asks)
    targets = list(dict.fromkeys(names[unit.id] for unit in units if unit.verdict is not None))
    if not actors:
        return ""
    whom = targets[0] if len(targets) == 1 else f"{len(targets)} others" if targets else ""
    return f"{', '.join(actors)} → {whom}" if whom else ", ".join(actors)


def _units(drawing: Drawing | None) -> list[Unit]:
    return [] if drawing is None else [mark for mark in drawing.marks if isinstance(mark, Unit)]


def outcome(made: Ruling[Any], drawing: Drawing | None) -> tuple[str, str]:
    """Give the outcome of a question in a few words, and its colour."""
    if not made.allowed:
        return "Forbidden", "no"
    if made.status != "ruled":
        return _open(made), "part"
    if made.question == "line-of-sight" and drawing is not None:
        return _seen([mark for mark in drawing.marks if isinstance(mark, Line)])
    answer: Any = made.answer if isinstance(made.answer, dict) else {}
    words = [
        f"{answer[name]} {word}" if answer[name] else f"no {word}"
        for name, word in COUNTED.items()
        if isinstance(answer.get(name), int) and not isinstance(answer.get(name), bool)
    ][:1]
    words += [word for name, word in HAPPENED.items() if answer.get(name)]
    words += [
        (yes if answer[name] else no) for name, (yes, no) in SETTLED.items() if isinstance(answer.get(name), bool)
    ]
    if not words:
        return ("Where it may go" if made.question == "moves" else "Ruled"), "yes"
    said = ", ".join(words)
    good = not said.startswith("no ") and "failed" not in words and "not seen" not in words
    return f"{said[:1].upper()}{said[1:]}", "yes" if good else "dim"


def _open(made: Ruling[Any]) -> str:
    """Say what a player has to do before the ruling can continue."""
    choice = made.needs.choice if made.needs is not None else None
    if choice is not None:
        return f"{choice.who[:1].upper()}{choice.who[1:]} to choose"
    return "Roll the dice" if made.status == "needs_dice" else "Look at the table"


def _seen(lines: list[Line]) -> tuple[str, str]:
    if len(lines) == 1:
        verdict = lines[0].verdict
        return SIGHT[verdict]
    seen = sum(line.verdict != "blocked" for line in lines)
    return f"{seen} of {len(lines)} seen", "yes" if seen else "no"


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Give the findings without repetitions."""
    return list({finding.text: finding for finding in findings}.values())


def _telling_steps(steps: list[Any]) -> list[Any]:
    """Give the final steps, and before them the last one about cover, which players ask about most."""
    last = steps[-LAST_REASONS:]
    covered = [step for step in steps[:-LAST_REASONS] if COVER in step.text.lower()][-1:]
    return covered + last[len(covered) :]


def _sources(cites: Iterable[str], where: Mapping[str, str]) -> str:
    return "; ".join(dict.fromkeys(where.get(cite, cite) for cite in cites))


def _dice(made: Ruling[Any], units: list[Unit]) -> Iterable[Die]:
    """Give the rolls as dice, those of the acting unit first; the throws if the ruling explains no roll."""
    sides = {unit.id: unit.side for unit in units}
    acting = [unit.id for unit in units if unit.asks]
    rolls = [roll for roll in made.rolls if roll.faces]
    if rolls:
        asking = acting[0] if acting else ""
        for roll in sorted(rolls, key=lambda roll: not roll.label.startswith(f"{asking}:")):
            side = sides.get(roll.label.partition(":")[0], NEUTRAL)
            yield Die(" ".join(str(face) for face in roll.kept or roll.faces), side, roll.label, _sum(roll))
        return
    by_label: dict[str, list[str]] = {}
    for throw in made.throws:
        by_label.setdefault(throw.label, []).append(str(throw.face))
    for label, faces in by_label.items():
        yield Die(" ".join(faces), sides.get(label.partition(":")[0], NEUTRAL), label)


def _sum(roll: Roll) -> str:
    """Write how a roll is read: the sum, the number it needs, or the number of dice that count."""
    said = " + ".join([*(str(face) for face in roll.kept), *(f"{each.value}" for each in roll.modifiers)])
    said = said.replace("+ -", "\N{MINUS SIGN} ")
    total = "" if roll.total is None else f"{said} = {roll.total}" if roll.modifiers else str(roll.total)
    against = "" if roll.against is None else f" against {roll.against}"
    needed = "" if roll.needed is None else f" needs {roll.needed}{' or less' if roll.most else '+'}"
    successes = "" if roll.successes is None else f"{roll.successes} count"
    return ", ".join(part.strip() for part in (total + against, needed, successes) if part.strip()) or roll.outcome


def bars(law: Odds[Any], answer: Any) -> Iterable[Bar]:
    """Give the chances of the most informative member of the answer: of its values, or of ranges of many numbers."""
    chosen = _telling(law)
    if chosen is None:
        return
    came = answer.get(chosen.field) if isinstance(answer, dict) else None
    for label, values in _ranges(chosen):
        chance = sum(each.probability for each in values)
        here = isinstance(answer, dict) and any(each.answer == came for each in values)
        yield Bar(label, chance, "seen" if here else None, here)


def _ranges(chosen: Marginal) -> Iterable[tuple[str, list[Chance[Any]]]]:
    """Divide the values of a member into few groups: each by itself, or none and about equally likely ranges."""
    word = chosen.field.replace("_", " ")
    numbers = [each for each in chosen.values if isinstance(each.answer, int) and not isinstance(each.answer, bool)]
    if len(numbers) < len(chosen.values) or len(numbers) <= MOST_BARS:
        likeliest = sorted(chosen.values, key=lambda each: -each.probability)[:MOST_BARS]
        if len(numbers) == len(chosen.values):
            likeliest.sort(key=lambda each: each.answer)
        for each in likeliest:
            yield f"{word}: {rendering_text.short(each.answer)}", [each]
        return
    numbers.sort(key=lambda each: each.answer)
    if zero := [each for each in numbers if not each.answer]:
        yield f"no {word}", zero
    rest = [each for each in numbers if each.answer]
    parts = MOST_BARS - bool(zero)
    share = sum(each.probability for each in rest) / parts
    part: list[Chance[Any]] = []
    for index, each in enumerate(rest):
        part.append(each)
        last = index == len(rest) - 1
        if last or (parts > 1 and sum(one.probability for one in part) >= share):
            ends = f"{part[0].answer}" if len(part) == 1 else f"{part[0].answer} to {part[-1].answer}"
            yield f"{ends} {word}", part
            part, parts = [], parts - 1


def _telling(law: Odds[Any]) -> Marginal | None:
    several = [each for each in law.marginals if len(each.values) > 1]
    named = {each.field: each for each in several}
    return next((named[name] for name in (*COUNTED, *SETTLED) if name in named), several[0] if several else None)
