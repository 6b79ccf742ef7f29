"""Reading a scene of 30 KB: our decoder against hand-written marshmallow, and the cost of an invalid body."""

import json
import random
from typing import Annotated, Any, Literal

import marshmallow
import orjson
from marshmallow import fields, validate
from msgspec import Meta

from api.schemas import codec
from api.schemas.derive import schema_of
from arbiter.fault import Faults
from arbiter.value import Value
from benchmarks.measure import Row, side_by_side, table, timed

Inch = Annotated[float, Meta(ge=0, le=48)]
Name = Annotated[str, Meta(min_length=1, max_length=40)]


class Weapon(Value, frozen=True):
    name: Name
    range_in: Annotated[float, Meta(ge=0, le=60)]
    dice: Annotated[int, Meta(ge=1, le=12)]
    damage: Annotated[int, Meta(ge=0, le=20)] = 1


class Unit(Value, frozen=True):
    id: Annotated[str, Meta(min_length=1, max_length=40, pattern="^[a-z0-9-]+$")]
    side: Literal["red", "blue"]
    at: tuple[Inch, Inch]
    wounds: Annotated[int, Meta(ge=0, le=30)]
    weapons: Annotated[tuple[Weapon, ...], Meta(max_length=8)]
    conditions: Annotated[tuple[Name, ...], Meta(max_length=16)] = ()


class Piece(Value, frozen=True):
    id: Name
    kind: Literal["wall", "wood", "ruin", "hill"]
    outline: Annotated[tuple[tuple[Inch, Inch], ...], Meta(min_length=3, max_length=64)]
    height_in: Annotated[float, Meta(ge=0, le=24)]
    blocks_sight: bool


class Scene(Value, frozen=True):
    name: Name
    turn: Annotated[int, Meta(ge=1, le=99)]
    units: Annotated[tuple[Unit, ...], Meta(max_length=200)]
    terrain: Annotated[tuple[Piece, ...], Meta(max_length=400)]


class Posted(Value, frozen=True):
    """The scene with fields of any type, whose depth has to be checked."""

    case: Scene
    choices: dict[str, tuple[Any, ...]] = {}


class _Plain(marshmallow.Schema):
    class Meta:
        unknown = marshmallow.RAISE


def _inch() -> fields.Float:
    return fields.Float(required=True, validate=validate.Range(0, 48))


def _name() -> fields.String:
    return fields.String(required=True, validate=validate.Length(1, 40))


class WeaponSchema(_Plain):
    name = _name()
    range_in = fields.Float(required=True, validate=validate.Range(0, 60))
    dice = fields.Integer(required=True, strict=True, validate=validate.Range(1, 12))
    damage = fields.Integer(load_default=1, strict=True, validate=validate.Range(0, 20))


class UnitSchema(_Plain):
    id = fields.String(required=True, validate=[validate.Length(1, 40), validate.Regexp("^[a-z0-9-]+$")])
    side = fields.String(required=True, validate=validate.OneOf(["red", "blue"]))
    at = fields.Tuple((_inch(), _inch()), required=True)
    wounds = fields.Integer(required=True, strict=True, validate=validate.Range(0, 30))
    weapons = fields.List(fields.Nested(WeaponSchema), required=True, validate=validate.Length(max=8))
    conditions = fields.List(_name(), load_default=(), validate=validate.Length(max=16))


class PieceSchema(_Plain):
    id = _name()
    kind = fields.String(required=True, validate=validate.OneOf(["wall", "wood", "ruin", "hill"]))
    outline = fields.List(fields.Tuple((_inch(), _inch())), required=True, validate=validate.Length(3, 64))
    height_in = fields.Float(required=True, validate=validate.Range(0, 24))
    blocks_sight = fields.Boolean(required=True, truthy={True}, falsy={False})


class SceneSchema(_Plain):
    name = _name()
    turn = fields.Integer(required=True, strict=True, validate=validate.Range(1, 99))
    units = fields.List(fields.Nested(UnitSchema), required=True, validate=validate.Length(max=200))
    terrain = fields.List(fields.Nested(PieceSchema), required=True, validate=validate.Length(max=400))


def scene() -> dict[str, Any]:
    """Make the scene of 20 units and 100 terrain pieces, the same each time."""
    dice = random.Random(7)

    def point() -> list[float]:
        return [round(dice.uniform(0, 48), 2), round(dice.uniform(0, 48), 2)]

    weapons = [
        {"name": name, "range_in": reach, "dice": dice.randint(1, 4), "damage": 2}
        for name, reach in (("long rifle", 24.0), ("pistol", 12.0), ("great hammer", 1.5))
    ]
    units = [
        {
            "id": f"unit-{index}",
            "side": dice.choice(["red", "blue"]),
            "at": point(),
            "wounds": dice.randint(1, 12),
            "weapons": weapons,
            "conditions": ["stunned", "in cover"],
        }
        for index in range(20)
    ]
    terrain = [
        {
            "id": f"piece-{index}",
            "kind": dice.choice(["wall", "wood", "ruin", "hill"]),
            "outline": [point() for _ in range(9)],
            "height_in": round(dice.uniform(0.5, 6), 1),
            "blocks_sight": dice.random() < 0.5,
        }
        for index in range(100)
    ]
    return {"name": "a board to measure with", "turn": 3, "units": units, "terrain": terrain}


def broken(good: dict[str, Any], pieces: int) -> bytes:
    """Break this many of the terrain pieces in three ways each."""
    body = json.loads(json.dumps(good))
    for piece in body["terrain"][:pieces]:
        piece |= {"kind": "woods", "height_in": -1, "colour": "green"}
    return json.dumps(body).encode()


def refused(body: bytes) -> Faults:
    """Read an invalid body, and give its faults."""
    try:
        codec.decode(Scene, body)
    except Faults as faults:
        return faults
    raise AssertionError("the body was to be refused")


def rows() -> list[Row]:
    """Measure everything here."""
    good = scene()
    body = json.dumps(good).encode()
    posted = json.dumps({"case": good, "choices": {"target": ["unit-1", 2]}}).encode()
    one, all_bad, many = broken(good, 1), broken(good, 100), json.dumps(good | {"terrain": [{}] * 400}).encode()
    plain, derived = SceneSchema(), schema_of(Scene)()
    decoded = codec.decode(Scene, body)
    took = side_by_side(
        {
            "decode": lambda: codec.decode(Scene, body),
            "plain": lambda: plain.load(orjson.loads(body)),
            "orjson": lambda: orjson.loads(body),
            "posted": lambda: codec.decode(Posted, posted),
            "object": lambda: codec.decode_object(Scene, good),
            "derived": lambda: derived.load(good),
            "plain load": lambda: plain.load(good),
            "one": lambda: refused(one),
            "all": lambda: refused(all_bad),
            "many": lambda: refused(many),
            "encode": lambda: codec.encode(decoded),
            "orjson dumps": lambda: orjson.dumps(good),
        }
    )
    size = f"{len(body) / 1000:.0f} KB"
    marshmallow_load, dumps = "a plain marshmallow load", "orjson of plain dicts"
    return [
        timed(f"decode {size}", took["decode"], marshmallow_load, took["plain"], at_least=10),
        timed("decode with fields that hold anything", took["posted"], marshmallow_load, took["plain"], at_least=10),
        timed("decode, beside a parser without types", took["decode"], "orjson alone", took["orjson"]),
        timed("decode an object that is parsed", took["object"], marshmallow_load, took["plain load"]),
        timed("the derived schema's load", took["derived"], marshmallow_load, took["plain load"]),
        timed("a bad body, 1 of 100 pieces broken", took["one"], "that load of the good body", took["plain"]),
        timed("a bad body, 100 pieces, 300 faults", took["all"], "that load of the good body", took["plain"]),
        timed("a bad body, 400 empty pieces, 2,000 faults", took["many"], "that load of the good body", took["plain"]),
        timed("encode", took["encode"], dumps, took["orjson dumps"]),
    ]


if __name__ == "__main__":
    print(table(rows()))
