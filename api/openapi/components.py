"""The schemas of the contract: those of our types, and the envelope that every question puts around its own.

A question has three: the posted body (`StargraveAttackAsk`), the ruling with its answer (`StargraveAttackRuled`), and
the kinds of ruling that `status` distinguishes (`StargraveAttackRuling`). Odds and simulations have the same envelope
for every question, with untyped cases and answers.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast, get_type_hints

from api.caching.board_library import BoardRef, board_type
from api.openapi.operations import SHARED, Schema, reference, type_reference
from api.problems.handlers import Problem
from api.schemas.bodies import Simulation
from api.schemas.json_schema import component_name, json_schema
from arbiter.game import Arbiter
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from arbiter.simulation.statistics import Simulated
from rendering.type_tables import sentence_about

_GENERIC = tuple(cast(Any, kind)[Any] for kind in (Ask, AskOdds, Simulation, Ruling, Odds, Simulated))

_COMMON = {
    "choices": "Choices",
    "policies": "Policies",
    "readings": "ReadingOptions",
    "include": "IncludedParts",
    "surplus": "Surplus",
}
"""Members that questions of every kind may have, with the names of their schemas."""


def envelope_name(game: Arbiter, question: str, envelope: str) -> str:
    """Name the envelope of a question's case or answer."""
    return f"{prefix(game)}{title(question)}{envelope}"


def owner(name: str, games: Iterable[Arbiter]) -> str | None:
    """Name the game to which a schema belongs; None for a shared schema."""
    return next((game.name for game in games if name.startswith(prefix(game))), None)


def prefix(game: Arbiter) -> str:
    """Give the prefix of the names of a game's schemas."""
    return title(game.name)


def title(name: str) -> str:
    """Write the name of a game or question as in the name of a schema."""
    return name.title().replace("-", "")


def schemas(games: Mapping[str, Arbiter], answers: Iterable[Any]) -> dict[str, Schema]:
    """Give every schema by name: those of the games, and of the other answers."""
    boards = [kind for kind in map(board_type, games.values()) if kind is not None]
    cases = [
        kind
        for game in games.values()
        for question in game.questions.values()
        for kind in (question.case, question.answer)
    ]
    others = [BoardRef, *boards, Problem, *answers]
    components, written = json_schema([*cases, *_GENERIC, *others])
    for member, name in _COMMON.items():
        about = sentence_about(member, components["Ask"]["description"])
        components[name] = {**components["Ask"]["properties"][member], "description": about}
        for kind in ("Ask", "AskOdds", "Simulation"):
            if member in components[kind]["properties"]:
                components[kind]["properties"][member] = reference(name)
    for kind in ("AskOdds", "Simulation"):
        components[kind]["properties"]["case"] = {"type": "object", "description": "The case, as for a ruling."}
    _share_facts(components)
    common = components.pop("Ask")
    components |= {"RulingBase": _ruling_base(components.pop("Ruling")), **SHARED["schemas"]}
    pairs = iter(written)
    for game in games.values():
        for name in game.questions:
            case, answer = next(pairs), next(pairs)
            components |= _envelopes(game, name, common, case, answer)
        with_dice = [name for name, question in game.questions.items() if question.dice]
        if with_dice:
            components[f"{prefix(game)}QuestionWithDice"] = {"type": "string", "enum": with_dice}
        _name_boards(game, components)
    if games:
        components["GameName"] = {"type": "string", "enum": list(games)}
    return components


def _share_facts(components: dict[str, Schema]) -> None:
    """Describe the facts that players may give once; every case that has them refers to it."""
    names = {"given": "GivenFacts", "given_wins": "GivenWins", "assume": "AssumedFacts"}
    for schema in list(components.values()):
        properties = schema.get("properties", {})
        if names.keys() <= properties.keys():
            for member, name in names.items():
                components[name] = properties[member]
                properties[member] = reference(name)


def _ruling_base(whole: Schema) -> Schema:
    """Describe the members that all rulings have, whatever their status."""
    told_apart = ("status", "answer", "needs")
    common = {name: part for name, part in whole["properties"].items() if name not in told_apart}
    return {"description": whole["description"], "type": "object", "properties": common, "required": list(common)}


def _envelopes(game: Arbiter, question: str, common: Schema, case: Schema, answer: Schema) -> dict[str, Schema]:
    ruled = envelope_name(game, question, "Ruled")
    kinds = {
        "ruled": ruled,
        "needs_dice": "RulingNeedsDice",
        "needs_choice": "RulingNeedsChoice",
        "needs_fact": "RulingNeedsFact",
    }
    kinds_by_status = {status: reference(name)["$ref"] for status, name in kinds.items()}
    own = {
        "status": {"type": "string", "const": "ruled"},
        "answer": {"anyOf": [answer, {"type": "null"}]},
        "needs": {"type": "null"},
    }
    return {
        envelope_name(game, question, "Ask"): {
            **{word: part for word, part in common.items() if word != "description"},
            "properties": {**common["properties"], "case": case},
        },
        ruled: {
            "allOf": [reference("RulingBase"), {"type": "object", "properties": own, "required": list(own)}],
            "unevaluatedProperties": False,
        },
        envelope_name(game, question, "Ruling"): {
            "oneOf": [reference(name) for name in kinds.values()],
            "discriminator": {"propertyName": "status", "mapping": kinds_by_status},
        },
    }


def _name_boards(game: Arbiter, components: dict[str, Schema]) -> None:
    """Let scenes refer to boards by digest: one schema for both, which generators need not distinguish."""
    kind = board_type(game)
    if kind is None:
        return
    board, name = components[component_name(kind)], f"{prefix(game)}BoardOrRef"
    needed = board.get("required", [])
    components[name] = {
        "description": "A board, or with only `ref` the digest of a stored one.",
        "type": "object",
        "properties": {**board["properties"], **components[BoardRef.__name__]["properties"]},
        "additionalProperties": False,
        "if": {"properties": {"ref": {}}, "required": ["ref"]},
        "then": {"maxProperties": 1},
        **({"else": {"properties": {member: {} for member in needed}, "required": needed}} if needed else {}),
    }
    scenes = {get_type_hints(question.case).get("scene") for question in game.questions.values()} - {None}
    for scene in scenes:
        properties = components[component_name(scene)]["properties"]
        if properties.get("board", {}).get("$ref") == type_reference(kind)["$ref"]:
            properties["board"] = {**properties["board"], **reference(name)}


def references(node: Any) -> Iterator[str]:
    """List the references in a part of the contract."""
    match node:
        case {"$ref": str(target), **rest}:
            yield target
            yield from references(rest)
        case dict():
            for part in node.values():
                yield from references(part)
        case list() | tuple():
            for part in node:
                yield from references(part)


def reachable(parts: Any, components: Mapping[str, Mapping[str, Schema]]) -> set[tuple[str, str]]:
    """Name the components that parts of the contract reach by references, by section and name."""
    reached: set[tuple[str, str]] = set()
    waiting = list(references(parts))
    while waiting:
        _, _, section, name = waiting.pop().split("/")
        if (section, name) not in reached:
            reached.add((section, name))
            waiting += references(components[section][name])
    return reached


def finish(paths: Mapping[str, Any], components: dict[str, dict[str, Schema]]) -> None:
    """Drop unused components, and mark every member of answers as required."""
    used = reachable(paths, components)
    bodies = [
        operation["requestBody"]
        for by_method in paths.values()
        for operation in by_method.values()
        if "requestBody" in operation
    ]
    posted = reachable(bodies, components)
    for section, parts in components.items():
        if section != "securitySchemes":
            components[section] = {name: part for name, part in sorted(parts.items()) if (section, name) in used}
    for name, schema in components["schemas"].items():
        if "properties" in schema and ("schemas", name) not in posted | {("schemas", "Problem")}:
            schema["required"] = list(schema["properties"])
