"""The contract: whole, sound, the same every time, and true of the running service."""

import json
from typing import Any

import pytest
import yaml
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from api import create_app
from api.openapi import build as contract_module
from api.openapi.build import Contract, main
from api.openapi.questions import MOST_COUNTED_SHOWN, MOST_SHOWN
from api.problems.catalogue import KINDS
from api.settings import Settings
from arbiter.game import Arbiter
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack

Document = dict[str, Any]


FREE = {"/healthz", "/readyz", "/metrics", "/problems", "/problems/{slug}"}
IMPORT = "/v1/boards/import"
"""The one path to which no question is posted."""

JOBS = MemoryJobs(prompt=True, path_budget=2_000)
"""Jobs are done as soon as they are handed in; a law that an example shows has at most so many paths."""

KEY = "A" * 43
"""A key, and a secret of epochs: 32 bytes of nothing."""


@pytest.fixture(scope="module")
def app() -> Flask:
    settings = Settings(log_level="error", signing_key=KEY, epoch_secret=KEY, rate_limits=False)
    return create_app(settings, GAMES, JOBS)


@pytest.fixture(scope="module")
def contract(app: Flask) -> Document:
    document: Document = json.loads(app.test_client().get("/openapi.json").data)
    return document


def questions_of(game: Arbiter) -> dict[str, bool]:
    return {name: question.dice for name, question in game.questions.items()}


def filled(contract: Document, client: FlaskClient, path: str) -> str:
    parameters = contract["components"]["parameters"]
    examples = {name: given["example"] for name, given in parameters.items() if given["in"] == "path"}
    if "{job}" in path:
        taken = ask(client, f"{ATTACK}/simulations", attack(count=10))
        examples["job"] = json.loads(taken.data)["id"]
    if "{digest}" in path:
        if "put" in contract["paths"][path]:
            put = contract["paths"][path]["put"]
            examples |= {each["name"]: each["example"] for each in put["parameters"]}
            board = put["requestBody"]["content"]["application/json"]["examples"]["first"]["value"]
            assert client.put(path.format(**examples), json=board).status_code in {200, 201}
        else:
            examples["digest"] = ask(client, ATTACK, attack()).headers["Content-Location"].rpartition("/")[2]
    return path.format(**examples)


def validator(contract: Document, schema: Document) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": contract["components"]})


def test_it_is_openapi(contract: Document) -> None:
    OpenAPIV31SpecValidator(contract).validate()
    assert contract["openapi"] == "3.1.0"


def test_every_question_of_every_game_has_its_path(contract: Document) -> None:
    posted = {path for path, item in contract["paths"].items() if "post" in item} - {IMPORT, "/v1/batch"}
    assert posted == {
        f"/v1/games/{game.name}/{name}{kind}"
        for game in GAMES.values()
        for name, dice in questions_of(game).items()
        for kind in (["", "/odds", "/simulations"] if dice else [""])
    }


def test_every_path_of_the_service_is_in_it(contract: Document, app: Flask) -> None:
    said = {path.replace("{", "<").replace("}", ">") for path in contract["paths"]}
    served = {rule.rule.replace("path:", "").replace("id_", "id") for rule in app.url_map.iter_rules()}
    not_said = {path for path in served - said if not path.startswith("/docs/")}
    # Paths that only say why there is nothing.
    assert not_said == {
        f"/v1/games/{game.name}/{name}/{kind}"
        for game in GAMES.values()
        for name, dice in questions_of(game).items()
        for kind in ("odds", "simulations")
        if not dice
    }
    assert said <= served


def test_names_of_operations_are_unique(contract: Document) -> None:
    names = [operation["operationId"] for item in contract["paths"].values() for operation in item.values()]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() for name in names)


def test_every_page_answers_as_it_is_said_to(contract: Document, client: FlaskClient) -> None:
    for path, item in contract["paths"].items():
        if "get" not in item:
            continue
        answer = client.get(filled(contract, client, path))
        assert answer.status_code == 200, path
        content = item["get"]["responses"]["200"]["content"]
        assert answer.mimetype == next(iter(content)), path
        if answer.mimetype == "application/json":
            validator(contract, content["application/json"]["schema"]).validate(json.loads(answer.data))


def test_every_example_is_what_the_service_says(contract: Document, client: FlaskClient) -> None:
    for path, item in contract["paths"].items():
        if "post" not in item:
            continue
        asked = item["post"]["requestBody"]["content"]["application/json"]
        given = item["post"]["responses"]["200"]["content"]["application/json"]
        body = asked["examples"]["first"]["value"]
        validator(contract, asked["schema"]).validate(body)
        needed = {
            each["name"]: each["example"]
            for each in item["post"]["parameters"]
            if isinstance(each, dict) and each.get("required")
        }
        answer = ask(client, path, body, headers={"Prefer": "wait=1"}, query_string=needed)
        assert answer.status_code == 200, path
        said = json.loads(answer.data)
        validator(contract, given["schema"]).validate(said)
        if "examples" in given:
            assert said == given["examples"]["first"]["value"], path
        elif path.endswith("/simulations"):
            unknown_to_workers = TEMPLATE.name in path
            long = said["law"] == "too-many-paths" or len(answer.data) > MOST_COUNTED_SHOWN
            assert long or unknown_to_workers, path
        else:
            assert len(answer.data) > MOST_SHOWN, path


def test_every_question_answers_with_a_job_as_it_is_said_to(contract: Document, client: FlaskClient) -> None:
    taken = contract["components"]["responses"]["ClaimedChunk"]
    for path in (ATTACK, f"{ATTACK}/odds", f"{ATTACK}/simulations"):
        operation = contract["paths"][path]["post"]
        assert operation["responses"]["202"] == {"$ref": "#/components/responses/Taken"}
        named = {reference["$ref"].rpartition("/")[2] for reference in operation["parameters"]}
        assert named == {"Prefer", "IdempotencyKey"} | ({"IfNoneMatch"} if "simulations" not in path else set())
        answer = ask(client, path, attack(), headers={"Prefer": "respond-async"})
        assert answer.status_code == 202
        validator(contract, taken["content"]["application/json"]["schema"]).validate(json.loads(answer.data))
        assert {"Location", "Preference-Applied"} <= set(answer.headers.keys()) & taken["headers"].keys()


def test_a_dismissal_answers_as_it_is_said_to(contract: Document, client: FlaskClient) -> None:
    path = "/v1/jobs/{job}"
    answer = client.delete(filled(contract, client, path))
    content = contract["paths"][path]["delete"]["responses"]["200"]["content"]
    validator(contract, content["application/json"]["schema"]).validate(json.loads(answer.data))


def test_the_forms_of_a_result_are_those_that_are_said(contract: Document, client: FlaskClient) -> None:
    path = "/v1/jobs/{job}/result"
    forms = contract["paths"][path]["get"]["responses"]["200"]["content"]
    assert set(forms) == {"application/json", "text/csv"}
    for form in forms:
        assert client.get(filled(contract, client, path), headers={"Accept": form}).mimetype == form


def test_the_schema_refuses_what_the_service_refuses(contract: Document, client: FlaskClient) -> None:
    asked = contract["paths"][ATTACK]["post"]["requestBody"]["content"]["application/json"]
    sound = asked["examples"]["first"]["value"]
    schema = validator(contract, asked["schema"])
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


def test_every_kind_of_problem_is_declared_with_a_sound_example(contract: Document) -> None:
    declared = dict(contract["components"]["responses"])
    del declared["ClaimedChunk"]
    examples = {
        example["value"]["type"]
        for response in declared.values()
        for example in response["content"]["application/problem+json"]["examples"].values()
    }
    assert examples == {kind.path for kind in KINDS.values()}
    for response in declared.values():
        (content,) = response["content"].items()
        assert content[0] == "application/problem+json"
        for example in content[1]["examples"].values():
            validator(contract, content[1]["schema"]).validate(example["value"])


def test_every_operation_says_how_it_may_be_refused(contract: Document) -> None:
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            statuses = set(operation["responses"])
            posted = {"200", "400", "401", "403", "406", "413", "415", "422", "429", "500", "503"}
            if path == IMPORT:
                assert statuses == posted | {"404"}
            elif path.endswith("/boards/{digest}"):
                assert {"200", "400", "401", "403", "404", "406", "422", "429", "500", "503"} <= statuses
            elif path == "/v1/batch":
                assert statuses == posted
            elif method == "post":
                refused = {"400", "401", "403", "406", "409", "410", "413", "415", "422", "429", "500", "503"}
                held = set() if path.endswith("/simulations") else {"412"}
                assert {"200", "202"} | refused | held == statuses, path
            else:
                assert {"200", "500"} <= statuses, path
                assert ("429" in statuses) == (path.startswith("/v1/") and path != "/v1/limits"), path
                assert ("404" in statuses) == ("{" in path), path
                # Who asks is looked up everywhere but on pages that tell of the service's health.
                asks_nobody = path in FREE
                assert (operation.get("security") == []) == asks_nobody, path
                assert "400" in statuses, path
                assert ("401" in statuses) == ("403" in statuses) == (not asks_nobody), path
                assert ("503" in statuses) == (not asks_nobody or path == "/readyz"), path


def test_who_asks_may_have_a_key_and_where_it_is_needed_must(contract: Document) -> None:
    scheme = contract["components"]["securitySchemes"]["key"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert contract["security"] == [{}, {"key": []}]
    closed = Contract({}, Settings(anonymous=False, key_peppers=("p" * 32,))).document
    assert closed["security"] == [{"key": []}]


def test_limits_are_named(contract: Document) -> None:
    settings = Settings()
    for most in (settings.max_body_bytes, settings.max_depth, settings.path_budget):
        assert f"{most:,}" in contract["info"]["description"]


def test_both_forms_say_the_same(contract: Document, client: FlaskClient) -> None:
    answer = client.get("/openapi.yaml")
    assert answer.mimetype == "application/yaml"
    assert yaml.load(answer.data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) == contract
    assert b"&id0" not in answer.data, "no anchors"


def test_it_is_the_same_every_time() -> None:
    games = {TEMPLATE.name: TEMPLATE}
    assert Contract(games, Settings()).as_yaml == Contract(games, Settings()).as_yaml


def test_without_any_game_it_is_still_sound() -> None:
    OpenAPIV31SpecValidator(Contract({}, Settings()).document).validate()


def test_one_command_writes_it_and_another_word_checks_it(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "openapi.yaml"
    monkeypatch.setattr(contract_module, "FILE", file)
    monkeypatch.setattr("arbiter.registry.games", dict)
    assert main(["--check"]) == 1
    assert "python -m api.openapi.build" in capsys.readouterr().err
    assert not file.exists(), "a check writes nothing"
    assert main([]) == 0
    assert main(["--check"]) == 0
    file.write_text(file.read_text() + "\n")
    assert main(["--check"]) == 1
