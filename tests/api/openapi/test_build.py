"""The contract: whole, sound, the same every time, and true of the running service."""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from api import create_app
from api.caching.board_library import board_type
from api.openapi.build import Contract
from api.problems.catalogue import KINDS
from api.schemas.canonical_json import canonical
from api.settings import Settings
from arbiter.sources.catalogue import catalogue_of
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack
from upkeep.contract import main, write

Document = dict[str, Any]

FREE = {"/healthz", "/readyz", "/metrics", "/problems", "/problems/{slug}"}
"""Paths that ask nobody for a key."""

JOBS = MemoryJobs(prompt=True, path_budget=2_000)
"""Jobs are done as soon as they are handed in; a law that an example shows has at most so many paths."""

KEY = "A" * 43
"""A key, and a secret of epochs: 32 bytes of nothing."""


PEOPLE = ("/table", "/front/", "/docs", "/favicon.ico")
"""Pages for people and their parts, which are no operations."""


@pytest.fixture(scope="module")
def app() -> Flask:
    settings = Settings(log_level="error", signing_key=KEY, epoch_secret=KEY, rate_limits=False)
    return create_app(settings, GAMES, JOBS)


@pytest.fixture(scope="module")
def contract(app: Flask) -> Document:
    document: Document = json.loads(app.test_client().get("/openapi.json").data)
    return document


def operations(contract: Document) -> Iterator[tuple[str, str, Document]]:
    """List the path, the method and the operation of each."""
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def filled(contract: Document, client: FlaskClient, path: str) -> str:
    """Give a path with something that is there in each of its places."""
    parameters = contract["components"]["parameters"]
    examples = {name: given["example"] for name, given in parameters.items() if given["in"] == "path"}
    if "{job}" in path:
        taken = ask(client, f"{ATTACK}/simulations", attack(count=10))
        examples["job"] = json.loads(taken.data)["id"]
    if path.endswith("/boards/{digest}"):
        game = GAMES[path.split("/")[3]]
        scenes = (each.case.get("scene", {}) for found in catalogue_of(game).examples.values() for each in found)
        board = next((scene["board"] for scene in scenes if "board" in scene), {})
        examples["digest"] = sha256(canonical(board)).hexdigest()
        assert client.put(path.format(**examples), json=board).status_code in {200, 201}
    elif "{digest}" in path:
        examples["digest"] = ask(client, ATTACK, attack()).headers["Content-Location"].rpartition("/")[2]
    return path.format(**examples)


def validator(contract: Document, schema: Document) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": contract["components"]})


def json_of(described: Document) -> Document:
    schema: Document = described["content"]["application/json"]["schema"]
    return schema


def test_it_is_openapi(contract: Document) -> None:
    OpenAPIV31SpecValidator(contract).validate()
    assert contract["openapi"] == "3.1.0"
    assert contract["servers"]
    assert contract["info"]["license"]


def test_every_question_of_every_game_has_its_path(contract: Document) -> None:
    posted = {path for path, method, _ in operations(contract) if method == "post"}
    questions = {f"/v1/games/{game.name}/{name}" for game in GAMES.values() for name in game.questions}
    of_games = {f"/v1/games/{name}/{{question}}/{kind}" for name in GAMES for kind in ("odds", "simulations")}
    pictures = {f"/v1/games/{name}/picture" for name in GAMES}
    assert posted == questions | of_games | pictures | {"/v1/boards/import", "/v1/batch"}


def test_odds_and_simulations_are_of_the_questions_with_dice(contract: Document) -> None:
    for game in GAMES.values():
        for kind in ("odds", "simulations"):
            question = contract["paths"][f"/v1/games/{game.name}/{{question}}/{kind}"]["post"]["parameters"][0]
            _, _, _, name = question["schema"]["$ref"].split("/")
            with_dice = [each for each, found in game.questions.items() if found.dice]
            assert contract["components"]["schemas"][name]["enum"] == with_dice


def test_every_path_of_the_service_is_in_it(contract: Document, app: Flask) -> None:
    """Every route has a path in the contract, and every operation of the contract is routed."""
    for rule in app.url_map.iter_rules():
        # RFC 9116 says what a security.txt is.
        if not rule.rule.startswith(PEOPLE) and rule.rule != "/.well-known/security.txt":
            pattern = re.sub("<[^:>]+>", "[^/]+", re.sub("<path:[^>]+>", ".+", rule.rule))
            assert [path for path in contract["paths"] if re.fullmatch(pattern, path)], rule.rule
    routes = app.url_map.bind("localhost")
    for path, method, _ in operations(contract):
        endpoint, _ = routes.match(re.sub("{[^}]+}", "attack", path), method.upper())
        assert endpoint, path


def test_names_of_operations_are_short_and_unique(contract: Document) -> None:
    names = [operation["operationId"] for _, _, operation in operations(contract)]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() and "_" not in name for name in names)
    assert {"stargraveAttack", "stargraveOdds", "stargraveSimulation", "stargravePutBoard"} <= set(names)


def schemas_in(part: Any) -> Iterator[Document]:
    match part:
        case dict():
            yield part
            for each in part.values():
                yield from schemas_in(each)
        case list():
            for each in part:
                yield from schemas_in(each)


def test_it_keeps_to_what_generators_take(contract: Document) -> None:
    """No word that makes a generator fail, or fill in what nobody wrote; no component without use."""
    written = json.dumps(contract)
    for section in ("schemas", "responses", "headers", "parameters", "links"):
        for name in contract["components"][section]:
            assert f'"#/components/{section}/{name}"' in written, name
    for name, schema in contract["components"]["schemas"].items():
        for part in schemas_in(schema):
            assert "default" not in part or "default" in schema.get("properties", {}), name
            if "prefixItems" in part:
                assert "items" not in part, name
                assert part["minItems"] == part["maxItems"] == len(part["prefixItems"]), name
            assert None not in part.get("enum", ()), name
            assert part is schema or "enum" not in part, f"{name} holds a choice of values without a name"
    for path, _, operation in operations(contract):
        assert "default" in operation["responses"], path
        for status, answer in operation["responses"].items():
            forms = [form for form in answer.get("content", ()) if "json" in form]
            assert len(forms) <= 1, (path, status)
        assert "example" not in json.dumps(operation.get("requestBody", {})), path


SHORT_FORM = "/v1/games/{game}/{question}"
SHORT = "/v1/games/stargrave/shoot?shooter=recruit:carbine&target=trooper&assume=usual"
"""The path of short forms, and one of them: few questions have any."""


def test_every_page_answers_as_it_is_described(contract: Document, client: FlaskClient) -> None:
    for path, method, operation in operations(contract):
        if method != "get":
            continue
        parameters = (each for each in operation.get("parameters", ()) if each.get("in") == "query")
        query = {each["name"]: "who goes first" for each in parameters if each["required"]}
        where = SHORT if path == SHORT_FORM else filled(contract, client, path)
        with client.get(where, query_string=query or None) as answer:
            assert answer.status_code == 200, path
            content = operation["responses"]["200"]["content"]
            assert answer.mimetype == next(iter(content)), path
            if answer.mimetype == "application/json":
                validator(contract, content["application/json"]["schema"]).validate(json.loads(answer.data))


def test_a_look_up_in_one_game_answers_as_it_is_described(contract: Document, client: FlaskClient) -> None:
    schema = json_of(contract["paths"]["/v1/games/{game}/rules"]["get"]["responses"]["200"])
    for game in GAMES.values():
        answer = client.get(f"/v1/games/{game.name}/rules?q=who+goes+first")
        validator(contract, schema).validate(json.loads(answer.data))


def test_every_example_is_asked_and_answered_as_the_contract_describes(contract: Document, client: FlaskClient) -> None:
    """The first worked example of every question is posted, and one of each game for its odds and simulations, whose
    envelope is the same for all."""
    for game in GAMES.values():
        with_dice = next(name for name, question in game.questions.items() if question.dice)
        for name, examples in catalogue_of(game).examples.items():
            bodies = {f"/{name}": examples[0].ready_body()}
            if name == with_dice:
                # Without a board a question may want facts, which no simulation can be asked for.
                whole = [
                    each
                    for each in examples
                    if "given" not in each.case and each.expect.get("status", "ruled") == "ruled"
                ]
                least = min(whole, key=lambda each: len(json.dumps(each.case)))
                bodies["/{question}/odds"] = {**examples[0].odds_body(), "heads": 25}
                bodies["/{question}/simulations"] = {**least.odds_body(), "count": 10, "seed": 1}
            for path, body in bodies.items():
                described = contract["paths"][f"/v1/games/{game.name}{path}"]["post"]
                validator(contract, json_of(described["requestBody"])).validate(body)
                where = f"/v1/games/{game.name}{path.format(question=name)}"
                answer = ask(client, where, body, headers={"Prefer": "wait=1"})
                assert answer.status_code == 200, (where, answer.data)
                validator(contract, json_of(described["responses"]["200"])).validate(json.loads(answer.data))


def test_the_three_kinds_of_ruling_are_told_apart(contract: Document, client: FlaskClient) -> None:
    ruling = validator(contract, json_of(contract["paths"][ATTACK]["post"]["responses"]["200"]))
    ruled = json.loads(ask(client, ATTACK, attack(policies={"*": "first"})).data)
    unrolled = json.loads(ask(client, ATTACK, attack(dice={"hand": {}})).data)
    assert (ruled["status"], unrolled["status"]) == ("ruled", "needs_dice")
    for sound, other in ((ruled, unrolled), (unrolled, ruled)):
        ruling.validate(sound)
        assert not ruling.is_valid({**sound, "status": other["status"]})
        assert not ruling.is_valid({**sound, "needs": other["needs"]})
        assert not ruling.is_valid({**sound, "more": 1})


def test_every_question_answers_with_a_job_as_it_is_described(contract: Document, client: FlaskClient) -> None:
    taken = contract["components"]["responses"]["AcceptedJob"]
    for path, template in (
        ("attack", "attack"),
        ("attack/odds", "{question}/odds"),
        ("attack/simulations", "{question}/simulations"),
    ):
        operation = contract["paths"][f"/v1/games/{TEMPLATE.name}/{template}"]["post"]
        assert operation["responses"]["202"] == {"$ref": "#/components/responses/AcceptedJob"}
        named = {each["$ref"].rpartition("/")[2] for each in operation["parameters"] if "$ref" in each}
        assert named == {"Prefer", "IdempotencyKey"} | ({"IfNoneMatch"} if "simulations" not in path else set())
        answer = ask(client, f"/v1/games/{TEMPLATE.name}/{path}", attack(), headers={"Prefer": "respond-async"})
        assert answer.status_code == 202
        validator(contract, json_of(taken)).validate(json.loads(answer.data))
        assert {"Location", "Preference-Applied"} <= set(answer.headers.keys()) & taken["headers"].keys()


def test_a_dismissal_answers_as_it_is_described(contract: Document, client: FlaskClient) -> None:
    path = "/v1/jobs/{job}"
    answer = client.delete(filled(contract, client, path))
    described = contract["paths"][path]["delete"]["responses"]["200"]
    validator(contract, json_of(described)).validate(json.loads(answer.data))


def test_the_forms_of_a_result_are_those_that_are_described(contract: Document, client: FlaskClient) -> None:
    path = "/v1/jobs/{job}/result"
    forms = contract["paths"][path]["get"]["responses"]["200"]["content"]
    assert set(forms) == {"application/json", "text/csv"}
    for form in forms:
        assert client.get(filled(contract, client, path), headers={"Accept": form}).mimetype == form


def test_the_schema_refuses_what_the_service_refuses(contract: Document, client: FlaskClient) -> None:
    schema = validator(contract, json_of(contract["paths"][ATTACK]["post"]["requestBody"]))
    sound = attack()
    assert schema.is_valid(sound)
    for broken in (
        {**sound, "extra": 1},
        {**sound, "dice": {"seed": ""}},
        {**sound, "dice": {"seed": True}},
        {**sound, "case": {**sound["case"], "attacker": ""}},
        {**sound, "case": {**sound["case"], "scene": {**sound["case"]["scene"], "radius_hexes": 21}}},
        {**sound, "case": {**sound["case"], "scene": {**sound["case"]["scene"], "rocks": [[0]]}}},
        {**sound, "case": {**sound["case"], "scene": {**sound["case"]["scene"], "rocks": [[0, 0, 0]]}}},
    ):
        assert not schema.is_valid(broken), broken
        assert ask(client, ATTACK, broken).status_code == 422, broken


def test_a_board_stands_in_a_scene_whole_or_by_its_digest(contract: Document) -> None:
    for game in GAMES.values():
        kind = board_type(game)
        if kind is None:
            continue
        (name,) = [
            each
            for each in contract["components"]["schemas"]
            if each.endswith("BoardOrRef") and each.startswith(game.name.title().replace("-", ""))
        ]
        schema = validator(contract, {"$ref": f"#/components/schemas/{name}"})
        reference = {"ref": f"sha256:{'0' * 64}"}
        assert schema.is_valid(reference)
        assert not schema.is_valid({"ref": "0" * 64})
        needed = {field: None for field in kind.__struct_fields__ if field not in kind.__struct_defaults__}
        assert not schema.is_valid({**reference, **needed, "more": 1})
        scenes = (each.case.get("scene", {}) for found in catalogue_of(game).examples.values() for each in found)
        board = next((scene["board"] for scene in scenes if "board" in scene), {})
        assert schema.is_valid(board)
        assert not schema.is_valid({**board, **reference}) or not board


def test_every_operation_answers_whatever_else_with_a_problem(contract: Document, client: FlaskClient) -> None:
    for path, _, operation in operations(contract):
        assert operation["responses"]["default"] == {"$ref": "#/components/responses/Problem"}, path
        # Every caller is identified everywhere but on pages about the service's health.
        assert (operation.get("security") == []) == (path in FREE), path
        others = {status for status in operation["responses"] if status[0] in "45"}
        assert others == ({"503"} if path == "/readyz" else set()), path
    described = contract["components"]["responses"]["Problem"]
    assert list(described["content"]) == ["application/problem+json"]
    assert "/problems" in described["description"]
    schema = validator(contract, described["content"]["application/problem+json"]["schema"])
    for answer in (
        client.get("/v1/games/chess"),
        client.get(ATTACK),
        ask(client, ATTACK, {"case": {"scene": 1}}),
        ask(client, ATTACK, b"{"),
        client.get("/v1/jobs/0"),
    ):
        assert answer.status_code >= 400
        schema.validate(json.loads(answer.data))
    assert len(json.loads(client.get("/problems").data)) == len(KINDS)


def test_a_caller_may_have_a_key_and_where_it_is_needed_must(contract: Document) -> None:
    scheme = contract["components"]["securitySchemes"]["key"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert contract["security"] == [{}, {"key": []}]
    closed = Contract({}, Settings(anonymous=False, key_peppers=("p" * 32,))).document
    assert closed["security"] == [{"key": []}]


def test_limits_are_named(contract: Document) -> None:
    settings = Settings()
    for most in (settings.max_body_bytes, settings.max_depth, settings.path_budget):
        assert f"{most:,}" in contract["info"]["description"]


def test_the_contract_of_one_game_is_complete_in_itself(contract: Document, client: FlaskClient) -> None:
    for name in GAMES:
        answer = client.get(f"/v1/games/{name}/openapi.json")
        found = json.loads(answer.data)
        used = {target for part in schemas_in(found) if isinstance(target := part.get("$ref"), str)}
        for target in used:
            _, section, kind, each = target.split("/")
            assert each in found[section][kind], target
        others = [f"/v1/games/{other}/" for other in GAMES if other != name]
        assert not [path for path in found["paths"] if path.startswith(tuple(others))]
        for path, method, operation in operations(found):
            assert operation["operationId"] == contract["paths"][path][method]["operationId"]
    assert client.get("/v1/games/chess/openapi.json").status_code == 404
    assert client.get("/openapi/chess.yaml").status_code == 404


def resolved(files: dict[str, Document], file: str, part: Any) -> Any:
    """Give a part of a file with its references as they are in one document."""
    match part:
        case {"$ref": str(target), **rest}:
            there, _, pointer = target.partition("#")
            if pointer.startswith("/paths/"):
                found = files[there]["paths"][pointer.removeprefix("/paths/").replace("~1", "/")]
                return resolved(files, there, found)
            name = (Path(file).parent / there).as_posix().removeprefix("openapi/../") if there else file
            _, section, kind, each = pointer.split("/")
            assert each in files[name][section][kind], target
            return {"$ref": f"#{pointer}", **{word: resolved(files, file, value) for word, value in rest.items()}}
        case {"propertyName": tag, "mapping": mapping}:
            return {"propertyName": tag, "mapping": {key: f"#{to.partition('#')[2]}" for key, to in mapping.items()}}
        case dict():
            return {word: resolved(files, file, value) for word, value in part.items()}
        case list():
            return [resolved(files, file, each) for each in part]
    return part


def test_the_files_together_are_the_whole(contract: Document, client: FlaskClient) -> None:
    names = ["openapi.yaml", *(f"openapi/{name}.yaml" for name in GAMES)]
    answers = {name: client.get(f"/{name}") for name in names}
    assert {answer.mimetype for answer in answers.values()} == {"application/yaml"}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    files = {name: yaml.load(answer.data, Loader=loader) for name, answer in answers.items()}
    assert not [name for name, answer in answers.items() if b"&id0" in answer.data], "no anchors"
    root = {**files["openapi.yaml"]}
    found = resolved(files, "openapi.yaml", {"paths": root["paths"]})["paths"]
    schemas = {
        each: resolved(files, name, schema)
        for name in names
        for each, schema in files[name]["components"]["schemas"].items()
    }
    assert found == contract["paths"]
    assert schemas == contract["components"]["schemas"]
    assert {**root, "paths": 0, "components": 0} == {**contract, "paths": 0, "components": 0}


def test_it_is_the_same_every_time() -> None:
    games = {TEMPLATE.name: TEMPLATE}
    assert Contract(games, Settings()).files == Contract(games, Settings()).files


def test_without_any_game_it_is_still_sound() -> None:
    OpenAPIV31SpecValidator(Contract({}, Settings()).document).validate()


def test_what_is_stale_is_named_and_written_anew(tmp_path: Path) -> None:
    files = {"openapi.yaml": b"root", "openapi/chess.yaml": b"a game"}
    assert write(files, tmp_path, check=True) == ["openapi.yaml", "openapi/chess.yaml"]
    assert list(tmp_path.iterdir()) == [], "a check writes nothing"
    write(files, tmp_path)
    assert write(files, tmp_path, check=True) == []
    assert (tmp_path / "openapi" / "chess.yaml").read_bytes() == b"a game"
    (tmp_path / "openapi" / "gone.yaml").write_bytes(b"a game that is gone")
    (tmp_path / "openapi.yaml").write_bytes(b"another root")
    assert write(files, tmp_path, check=True) == ["openapi.yaml", "openapi/gone.yaml"]
    write(files, tmp_path)
    assert write(files, tmp_path, check=True) == []


def test_a_check_of_what_is_stale_names_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arbiter.registry.games", dict)
    assert main(["--check"]) == 1
    assert "python -m upkeep.contract" in capsys.readouterr().err
