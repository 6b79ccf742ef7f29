"""The gateway under load: a sight question over a 30 KB scene, and a bare Flask view that parses the same body."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from http.client import HTTPConnection, HTTPException
from statistics import median
from typing import Any

import marshmallow
import orjson
from marshmallow import fields

from api.schemas import codec
from api.schemas.bodies import ask_type
from arbiter.registry import game
from benchmarks.http.load import Load, post
from benchmarks.http.wrk import Varied
from benchmarks.measure import Row, side_by_side, table, timed
from cli.serve import free_port

ROUNDS = 5
QUESTION = "/v1/games/blackstone-fortress/line-of-sight"

ACROSS = 50
"""Hexes across, and down, the board of the question."""

_GAP = "what is another in every question"

UNITS = 10_000_000
"""The quota of the load's caller, which is counted like any other and never spent."""


@cache
def body() -> bytes:
    """Make the question: a scene of 20 units and 100 pieces of terrain on 50 by 50 hexes, and a pair of units."""
    rng = random.Random(30)
    hexes = [(q, r) for r in range(ACROSS) for q in range(ACROSS)]
    sides = [((q, r), (q + 1, r)) for q, r in rng.sample([(q, r) for q, r in hexes if q < ACROSS - 1], 70)]
    obstructions = rng.sample(hexes, 30)
    free = [hex_ for hex_ in hexes if hex_ not in obstructions]
    places = rng.sample(free, 20)
    scene = {
        "board": {"hexes": hexes, "walls": sides[:35], "cover": sides[35:], "obstructions": obstructions},
        "explorers": [_explorer(index, hex_) for index, hex_ in enumerate(places[:4])],
        "hostiles": [_hostile(index, hex_) for index, hex_ in enumerate(places[4:])],
    }
    return json.dumps({"case": {"scene": scene, "observer": "explorer-0", "targets": ["guard-3"]}}).encode()


def moved(board: object = None) -> Varied:
    """Make the question as in play: the same board, all units in new positions, and any two of them.

    `board` replaces the board, if it is given.
    """
    asked = json.loads(body())
    scene = asked["case"]["scene"]
    names = [json.dumps(unit["id"]) for side in ("explorers", "hostiles") for unit in scene[side]]
    places = scattered(scene)
    scene["board"] = board or scene["board"]
    asked["case"] |= {"observer": _GAP, "targets": [_GAP]}
    return Varied(with_gaps(asked), (places, (2, names)))


def scattered(scene: dict[str, Any]) -> tuple[int, list[str]]:
    """Leave gaps in a scene for the positions of its units; give their number, and the values to fill them."""
    units = [unit for side in ("explorers", "hostiles") for unit in scene[side]]
    for unit in units:
        unit["hex"] = _GAP
    return len(units), [
        json.dumps(hex_) for hex_ in scene["board"]["hexes"] if hex_ not in scene["board"]["obstructions"]
    ]


def with_gaps(posted: object) -> bytes:
    """Write a body with its gaps."""
    return json.dumps(posted).encode().replace(json.dumps(_GAP).encode(), b"\0")


def _explorer(index: int, hex_: tuple[int, int]) -> dict[str, Any]:
    return {
        "id": f"explorer-{index}",
        "profile": "janus-draik",
        "hex": hex_,
        "inspired": False,
        "inspiration": 1,
        "wounds": 1,
        "grievous": 0,
        "activation": [1, 4, 6],
        "activated": False,
    }


def _hostile(index: int, hex_: tuple[int, int]) -> dict[str, Any]:
    return {
        "id": f"guard-{index}",
        "group": "group-1",
        "profile": "traitor-guardsman",
        "hex": hex_,
        "weapon": "lasgun",
        "wounds": 1,
        "grievous": 0,
        "slain": False,
        "stunned": False,
        "activated": False,
    }


@contextmanager
def served(
    app: str, *, plain: bool = False, workers: int = 2, environment: Mapping[str, str] | None = None
) -> Iterator[int]:
    """Serve a WSGI application under gunicorn with gthread workers of four threads each, and give its port.

    `plain` serves it with gunicorn's defaults, without the gateway's settings.
    """
    port = free_port()
    own = ["--worker-class", "gthread"] if plain else ["--config", "deploy/gunicorn.conf.py"]
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        *own,
        "--workers",
        str(workers),
        "--threads",
        "4",
        "--bind",
        f"127.0.0.1:{port}",
        app,
    ]
    others = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    others |= {"PORT": str(port), "ARBITER_ANONYMOUS_UNITS_PER_MINUTE": str(UNITS), **(environment or {})}
    server = subprocess.Popen(command, env=others, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, server)
        yield port
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(40)


def wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    """Wait until a server answers at the port; raises RuntimeError if it ends before."""
    for _ in range(400):
        if server.poll() is not None:
            raise RuntimeError("the server has ended")
        with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as line:
            try:
                line.request("GET", "/")
                line.getresponse()
                return
            except (OSError, HTTPException):
                time.sleep(0.1)
    raise RuntimeError("the server does not answer")


class _Unit(marshmallow.Schema):
    id = fields.String(required=True)
    profile = fields.String(required=True)
    hex = fields.Tuple((fields.Integer(strict=True), fields.Integer(strict=True)), allow_none=True)
    inspired = fields.Boolean()
    inspiration = fields.Integer(strict=True)
    wounds = fields.Integer(strict=True)
    grievous = fields.Integer(strict=True)
    activation = fields.List(fields.Integer(strict=True))
    activated = fields.Boolean()
    group = fields.String()
    weapon = fields.String()
    slain = fields.Boolean()
    stunned = fields.Boolean()


class _Hex(fields.Tuple):
    def __init__(self, **options: Any) -> None:
        super().__init__((fields.Integer(strict=True), fields.Integer(strict=True)), **options)


class _Board(marshmallow.Schema):
    hexes = fields.List(_Hex(), required=True)
    walls = fields.List(fields.Tuple((_Hex(), _Hex())))
    cover = fields.List(fields.Tuple((_Hex(), _Hex())))
    obstructions = fields.List(_Hex())


class _Scene(marshmallow.Schema):
    board = fields.Nested(_Board, required=True)
    explorers = fields.List(fields.Nested(_Unit))
    hostiles = fields.List(fields.Nested(_Unit))


class _Case(marshmallow.Schema):
    scene = fields.Nested(_Scene, required=True)
    observer = fields.String(required=True)
    targets = fields.List(fields.String())


class _Ask(marshmallow.Schema):
    case = fields.Nested(_Case, required=True)


def rows() -> list[Row]:
    """Measure decoding in the process, then throughput, gateway and peer in turn."""
    posted = body()
    wanted = ask_type(game("blackstone-fortress").question("line-of-sight"))
    schema = _Ask()
    took = side_by_side(
        {"ours": lambda: codec.decode(wanted, posted), "marshmallow": lambda: schema.load(orjson.loads(posted))}
    )
    found = [
        timed(
            f"validating that body of {len(posted) // 1000} KB",
            took["ours"],
            "a plain marshmallow load",
            took["marshmallow"],
            at_least=10,
        )
    ]
    with served("api:create_app()") as ours, served("benchmarks.http.echo:app", plain=True) as bare:
        gateway: list[Load] = []
        peer: list[Load] = []
        for _ in range(ROUNDS):
            gateway.append(post(ours, QUESTION, posted))
            peer.append(post(bare, "/echo", posted))
    ratio = median(one.rate / other.rate for one, other in zip(gateway, peer, strict=True))
    found.append(
        Row(
            "a sight question over it, two gthread workers",
            f"{median(load.rate for load in gateway):.0f} /s",
            f"{median(load.rate for load in peer):.0f} /s a bare view that parses it with orjson",
            ratio,
            "at least 0.6 of the throughput",
            ratio >= 0.6,
        )
    )
    tail = median(one.p99_ms / other.p99_ms for one, other in zip(gateway, peer, strict=True))
    found.append(
        Row(
            "its 99th percentile",
            f"{median(load.p99_ms for load in gateway):.1f} ms",
            f"{median(load.p99_ms for load in peer):.1f} ms",
            tail,
        )
    )
    return found


if __name__ == "__main__":
    print(table(rows()))
