"""Bodies in other encodings, of other media types, and packed: nothing but plain JSON in UTF-8 is read.

After each attack an honest question is answered.
"""

import bz2
import gzip
import json
import lzma
import zlib
from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from tests.api.posting import ATTACK, ask, attack, codes, problem
from tests.bombs import gzip_bomb, zlib_bomb

HONEST = json.dumps(attack()).encode()
NAMED = json.dumps(attack(readings={"straße": "x"}), ensure_ascii=False)


@pytest.fixture(autouse=True)
def answers_afterwards(client: FlaskClient) -> Iterator[None]:
    yield
    assert ask(client, ATTACK, HONEST).status_code == 200


ENCODED: dict[str, bytes] = {
    "UTF-16": NAMED.encode("utf-16"),
    "UTF-16, the little end first": NAMED.encode("utf-16-le"),
    "UTF-16, the big end first": NAMED.encode("utf-16-be"),
    "UTF-32": NAMED.encode("utf-32"),
    "UTF-32, the big end first": NAMED.encode("utf-32-be"),
    "Latin-1": NAMED.encode("latin-1"),
    "Windows": NAMED.encode("cp1252"),
    "EBCDIC": NAMED.encode("cp037"),
    "UTF-7": NAMED.encode("utf-7").replace(b'"', b"+ACI-"),
    "UTF-8 with a mark in front": NAMED.encode("utf-8-sig"),
    "a slash in two bytes": HONEST.replace(b'"ann"', b'"\xc0\xaf"'),
    "a nought in two bytes": HONEST.replace(b'"ann"', b'"\xc0\x80"'),
    "a slash in three bytes": HONEST.replace(b'"ann"', b'"\xe0\x80\xaf"'),
    "a slash in four bytes": HONEST.replace(b'"ann"', b'"\xf0\x80\x80\xaf"'),
    "half a pair in UTF-8": HONEST.replace(b'"ann"', b'"\xed\xa0\x80"'),
    "a pair of halves in UTF-8": HONEST.replace(b'"ann"', b'"\xed\xa0\xbd\xed\xb8\x80"'),
    "beyond the last character": HONEST.replace(b'"ann"', b'"\xf4\x90\x80\x80"'),
    "five bytes": HONEST.replace(b'"ann"', b'"\xf8\x88\x80\x80\x80"'),
    "a byte that goes on from nothing": HONEST.replace(b'"ann"', b'"\x80"'),
    "a character cut off": HONEST.replace(b'"ann"', b'"\xc3"'),
    "a byte that no text has": HONEST.replace(b'"ann"', b'"\xff"'),
    "a nought in a text": HONEST.replace(b'"ann"', b'"a\x00"'),
    "a nought between": HONEST.replace(b"{", b"{\x00", 1),
    "a line break in a text": HONEST.replace(b'"ann"', b'"a\n"'),
    "a tab in a name": HONEST.replace(b'"case"', b'"ca\tse"'),
    "a hard space between": HONEST.replace(b": ", b":\xc2\xa0", 1),
    "a mark between": HONEST.replace(b": ", b":\xef\xbb\xbf", 1),
    "a vertical tab between": HONEST.replace(b": ", b":\x0b", 1),
    "a comment": b"/* */" + HONEST,
    "a comma at the end": HONEST[:-1] + b",}",
    "two values": HONEST + HONEST,
    "a callback around it": b"f(" + HONEST + b")",
    "a guard in front": b")]}',\n" + HONEST,
    "an escape that there is not": HONEST.replace(b'"ann"', b'"\\x61nn"'),
    "an escape cut off": HONEST.replace(b'"ann"', b'"\\u00"'),
    "single marks": HONEST.replace(b'"', b"'"),
    "YAML": b"case: {}",
    "XML": b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
    "MessagePack": b"\x81\xa4case\x80",
    "a pickle": b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00}\x94.",
}


@pytest.mark.parametrize("case", ENCODED)
def test_what_is_no_json_in_utf_8_is_not_read(client: FlaskClient, case: str) -> None:
    told = problem(ask(client, ATTACK, ENCODED[case]), 422, "invalid")
    assert codes(told) == {"": "not-json"}


@pytest.mark.parametrize("half", ["\\ud800", "\\udfff", "\\ud83d\\ud83d", "\\ude00\\ud83d", "a\\ud83d", "\\ud83dx"])
@pytest.mark.parametrize("place", ['"ann"', '"seed": "s"', '"readings": {"r": "x"}'])
def test_half_a_character_is_refused_at_its_place(client: FlaskClient, half: str, place: str) -> None:
    body = json.dumps(attack(dice={"seed": "s"}, readings={"r": "x"}))
    bad = {
        '"ann"': f'"{half}"',
        '"seed": "s"': f'"seed": "{half}"',
        '"readings": {"r": "x"}': f'"readings": {{"{half}": "x"}}',
    }
    told = problem(ask(client, ATTACK, body.replace(place, bad[place], 1).encode()), 422, "invalid")
    assert set(codes(told).values()) == {"not-text"}


@pytest.mark.parametrize(
    "said", ["\\u0000", "\\u0000\\u0000ann", "\\u202e", "\\u200b", "\\ufeff", "\\ufffe", "ann\\u000a", "ann\\u0020"]
)
def test_a_text_that_only_looks_like_another_is_another(client: FlaskClient, said: str) -> None:
    """Control characters are escaped in JSON and stay what they are: no name is found by one that looks like it."""
    body = HONEST.decode().replace('"attacker": "ann"', f'"attacker": "{said}"')
    told = problem(ask(client, ATTACK, body.encode()), 422, "invalid")
    assert set(codes(told)) == {"/case/attacker"}
    assert b"\x00" not in ask(client, ATTACK, body.encode()).data


def test_a_name_is_not_its_other_composition(client: FlaskClient) -> None:
    """Nothing is normalised on the way: `é` in one character and in two are two names, as their bytes are."""
    scene = attack()
    scene["case"]["scene"]["fighters"][0]["id"] = "é"
    scene["case"]["attacker"] = "e\u0301"
    assert codes(problem(ask(client, ATTACK, scene), 422, "invalid"))


FORMS = (
    None,
    "",
    "text/plain",
    "text/json",
    "text/html",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "application/xml",
    "application/yaml",
    "application/jsonp",
    "application/json5",
    "application/x-ndjson",
    "application/problem+json",
    "application/merge-patch+json",
    "application/octet-stream",
    "application/json, text/plain",
    "text/plain, application/json",
    "application/json text/plain",
    "application /json",
    "application/json\\",
    "application",
    "json",
    "*/*",
    "application/*",
    '"application/json"',
    ";application/json",
    "application/jsоn",
)


@pytest.mark.parametrize("form", FORMS)
def test_a_body_of_another_form_is_not_read(client: FlaskClient, form: str | None) -> None:
    """A page of another origin can post the first few of them without asking whether it may."""
    said = {} if form is None else {"content_type": form.encode().decode("latin-1")}
    answer = client.post(ATTACK, data=HONEST, **said)
    problem(answer, 415, "unsupported-media-type")
    assert answer.headers["Accept"] == "application/json"


@pytest.mark.parametrize(
    "charset", ["utf-16", "latin-1", "utf-7", "x-user-defined", '"utf-8', "", "utf-8; charset=utf-16"]
)
def test_a_charset_changes_nothing_for_json_has_one(client: FlaskClient, charset: str) -> None:
    form = f"application/json; charset={charset}"
    assert client.post(ATTACK, data=HONEST, content_type=form).status_code == 200
    problem(client.post(ATTACK, data=NAMED.encode("utf-16"), content_type=form), 422, "invalid")


def test_a_form_is_never_unfolded_into_a_question(client: FlaskClient) -> None:
    """The trick by which a plain form of HTML sends what looks like JSON: it fails by its media type."""
    form = {HONEST.decode()[:-1] + ', "x": "': '"}'}
    problem(client.post(ATTACK, data=form), 415, "unsupported-media-type")
    part = client.post(ATTACK, data={"file": (__import__("io").BytesIO(HONEST), "a.json", "application/json")})
    problem(part, 415, "unsupported-media-type")


BOMB = gzip_bomb(48)

PACKED: dict[str, tuple[str, bytes]] = {
    "gzip": ("gzip", gzip.compress(HONEST)),
    "gzip, by its old name": ("x-gzip", gzip.compress(HONEST)),
    "gzip, in capitals": ("GZip", gzip.compress(HONEST)),
    "a bomb in gzip": ("gzip", BOMB),
    "a bomb in a bomb": ("gzip, gzip", gzip.compress(BOMB)),
    "deflate": ("deflate", zlib.compress(HONEST)),
    "a bomb in deflate": ("deflate", zlib_bomb(48)),
    "brotli": ("br", b"\x0b\x02\x80{}\x03"),
    "zstd": ("zstd", b"\x28\xb5\x2f\xfd\x20\x02\x11\x00\x00{}"),
    "bzip2": ("bzip2", bz2.compress(HONEST)),
    "xz": ("xz", lzma.compress(HONEST)),
    "compress": ("compress", b"\x1f\x9d\x90"),
    "a dictionary": ("dcb", b"\xffDCB"),
    "one that there is not": ("rot13", HONEST),
    "none, and then one": ("identity, gzip", gzip.compress(HONEST)),
    "plain, but said to be packed": ("gzip", HONEST),
    "a list of none": (",", HONEST),
    "all": ("*", HONEST),
}


@pytest.mark.parametrize("case", PACKED)
def test_what_is_packed_is_refused_unread(client: FlaskClient, case: str) -> None:
    coding, body = PACKED[case]
    answer = ask(client, ATTACK, body, headers={"Content-Encoding": coding})
    problem(answer, 415, "unsupported-media-type")
    assert answer.headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("case", [case for case, (coding, body) in PACKED.items() if body != HONEST])
def test_what_is_packed_and_does_not_say_so_is_no_json(client: FlaskClient, case: str) -> None:
    told = problem(ask(client, ATTACK, PACKED[case][1]), 422, "invalid")
    assert codes(told) == {"": "not-json"}


@pytest.mark.parametrize("wanted", ["gzip", "br", "deflate", "gzip;q=1.0, identity;q=0", "*;q=0", "zstd, *"])
def test_an_answer_is_never_packed_so_that_its_length_tells_nothing(client: FlaskClient, wanted: str) -> None:
    answer = ask(client, ATTACK, HONEST, headers={"Accept-Encoding": wanted})
    assert answer.status_code == 200
    assert "Content-Encoding" not in answer.headers
    json.loads(answer.data)
