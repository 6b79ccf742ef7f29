"""Answers to GET go out with gzip: the same bytes, the same tag but weak; and nothing else does."""

import gzip

import pytest
from flask.testing import FlaskClient

from api.web.compression import LEAST_BYTES
from tests.api.posting import ATTACK, ask, attack

GZIP = {"Accept-Encoding": "gzip"}
BODY = attack(dice={"seed": 1})
TEXTS = {
    "/docs": "text/html",
    "/docs/stargrave/shoot": "text/html",
    "/docs/stargrave/line-of-sight.svg": "image/svg+xml",
    "/docs/files/docs.css": "text/css",
    "/docs/files/openapi-explorer.min.js": "text/javascript",
    "/openapi.json": "application/json",
    "/openapi/stargrave.yaml": "application/yaml",
    "/v1/games/stargrave/readings": "application/json",
    "/v1/games/stargrave/questions/shoot/examples": "application/json",
    "/table/main.js": "text/javascript",
    "/table/scenes/stargrave.svg": "image/svg+xml",
}


@pytest.fixture
def link(client: FlaskClient) -> str:
    return ask(client, ATTACK, BODY).headers["Content-Location"]


@pytest.mark.parametrize(("path", "form"), TEXTS.items())
def test_a_text_goes_out_with_gzip_to_who_takes_it(client: FlaskClient, path: str, form: str) -> None:
    plain, packed = client.get(path), client.get(path, headers=GZIP)
    assert plain.status_code == packed.status_code == 200
    assert plain.mimetype == packed.mimetype == form
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data)
    assert "Accept-Encoding" in plain.vary
    assert "Accept-Encoding" in packed.vary


@pytest.mark.parametrize("path", [path for path in TEXTS if not path.startswith("/v1/")])
def test_the_tag_of_a_compressed_text_is_weak_and_still_counts(client: FlaskClient, path: str) -> None:
    plain, packed = client.get(path), client.get(path, headers=GZIP)
    assert packed.headers["ETag"] == f"W/{plain.headers['ETag']}"
    for tag in (plain.headers["ETag"], packed.headers["ETag"]):
        for accepted in ({}, GZIP):
            again = client.get(path, headers={**accepted, "If-None-Match": tag})
            assert (again.status_code, again.data) == (304, b"")
            assert "Accept-Encoding" in again.vary


def test_a_permalink_goes_out_with_gzip_in_every_form_that_is_text(client: FlaskClient, link: str) -> None:
    for form in ("application/json", "text/html", "image/svg+xml"):
        plain, packed = (client.get(link, headers={"Accept": form, **more}) for more in ({}, GZIP))
        assert packed.headers["Content-Encoding"] == "gzip", form
        assert gzip.decompress(packed.data) == plain.data
        tag = packed.headers["ETag"]
        assert tag == f"W/{plain.headers['ETag']}"
        assert client.get(link, headers={"Accept": form, **GZIP, "If-None-Match": tag}).status_code == 304
        # RFC 9110, 13.1.1: `If-Match` compares strongly, and no weak tag ever matches.
        assert client.get(link, headers={"Accept": form, **GZIP, "If-Match": tag}).status_code == 412
        assert client.get(link, headers={"Accept": form, "If-Match": plain.headers["ETag"]}).status_code == 200


def test_head_says_what_get_would(client: FlaskClient) -> None:
    for headers in ({}, GZIP):
        got, head = client.get("/docs", headers=headers), client.head("/docs", headers=headers)
        assert head.data == b""
        for name in ("Content-Length", "Content-Encoding", "ETag", "Vary"):
            assert head.headers.get(name) == got.headers.get(name)


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "gzip;q=0, *", "deflate, zstd"])
def test_who_does_not_take_gzip_gets_none(client: FlaskClient, accepted: str) -> None:
    assert "Content-Encoding" not in client.get("/docs", headers={"Accept-Encoding": accepted}).headers


@pytest.mark.parametrize("accepted", ["gzip", "GZIP", "br, gzip;q=0.5", "*", "identity;q=0.5, gzip"])
def test_who_takes_it_in_other_words_gets_it(client: FlaskClient, accepted: str) -> None:
    assert client.get("/docs", headers={"Accept-Encoding": accepted}).headers["Content-Encoding"] == "gzip"


def test_what_is_short_or_no_text_or_refused_stays_as_it_is(client: FlaskClient, link: str) -> None:
    for path, status in (("/healthz", 200), (f"{link}.png", 200), ("/v1/games/chess", 404)):
        answer = client.get(path, headers=GZIP)
        assert answer.status_code == status
        assert "Content-Encoding" not in answer.headers, path
    assert len(client.get("/healthz").data) < LEAST_BYTES < len(client.get(f"{link}.png").data)


@pytest.mark.parametrize("method", ["POST", "QUERY"])
def test_answers_to_questions_are_not_compressed_and_their_tags_are_strong(client: FlaskClient, method: str) -> None:
    answer = client.open(ATTACK, method=method, json=BODY, headers=GZIP)
    assert answer.status_code == 200
    assert len(answer.data) > LEAST_BYTES
    assert "Content-Encoding" not in answer.headers
    assert not answer.headers["ETag"].startswith("W/")
