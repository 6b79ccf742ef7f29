"""Small scenes for a referee's spot checks; the group of hostiles is called `guards`."""

from fractions import Fraction
from typing import Any

import msgspec

from arbiter.question import AskOdds
from arbiter.ruling import Ruling
from services.blackstone_fortress.arbiter import ARBITER
from tests.services.blackstone_fortress import turns
from tests.services.blackstone_fortress.tabletop import marginal, scene

Case = dict[str, Any]
SEATS: Case = {"players": ["ann", "ben"], "leader": "ann"}
SHELTER: Case = {"cover": [[[1, 2], [2, 2]]]}
QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)


def ur(hex_: list[int] | None, **rest: Any) -> Case:
    return {"id": "ur-025", "profile": "ur-025", "hex": hex_, **rest}


def espern(hex_: list[int] | None, **rest: Any) -> Case:
    return {"id": "espern", "profile": "espern-locarno", "hex": hex_, **rest}


def twin(id_: str, hex_: list[int] | None, **rest: Any) -> Case:
    return {"id": id_, "profile": "rein-and-raus", "card": "twins", "hex": hex_, **rest}


def foe(id_: str, profile: str, hex_: list[int] | None, **rest: Any) -> Case:
    return {"id": id_, "group": "guards", "profile": profile, "hex": hex_, **rest}


def dead(id_: str, profile: str = "traitor-guardsman") -> Case:
    return foe(id_, profile, None, slain=True)


def posted(
    explorers: list[Case], hostiles: list[Case], board: Case | None = None, turn: Case | None = None, **rest: Any
) -> Case:
    return scene(explorers, hostiles, board, turn=turn or {}, **{**SEATS, **rest})


def ask(question: str, case: Case, hand: Case | None = None, **readings: str) -> Any:
    """Ask with these dice; whoever is not said to choose takes the first option."""
    dice = {} if hand is None else {"dice": {"hand": hand}}
    chosen = {id_.replace("_", "-"): option for id_, option in readings.items()}
    return turns.ask(question, case, readings=chosen, **dice)


def chances(question: str, case: Case, field: str) -> dict[Any, Fraction]:
    wanted = ARBITER.question(question)
    decoded = msgspec.convert({"case": case}, AskOdds[wanted.case])
    return marginal(ARBITER.odds(question, decoded, 200_000), field)


def cited(ruling: Ruling[Any]) -> set[str]:
    return {id_ for reason in ruling.reasons for id_ in reason.cites}
