"""A peer of the gateway: FastAPI with pydantic that only validates the scene of `gateway.body`."""

from typing import Annotated

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

Hex = tuple[int, int]
Side = tuple[Hex, Hex]


class Closed(BaseModel):
    """Refuses unknown fields, like the gateway's types."""

    model_config = ConfigDict(extra="forbid", strict=False)


class Board(Closed):
    """Hexes, and the objects on them and between them."""

    hexes: Annotated[list[Hex], Field(max_length=2_500)]
    walls: list[Side] = []
    cover: list[Side] = []
    obstructions: list[Hex] = []


class Unit(Closed):
    """The shared fields of explorers and hostiles."""

    id: Annotated[str, Field(min_length=1, max_length=80)]
    profile: str
    hex: Hex | None
    wounds: Annotated[int, Field(ge=0)]
    grievous: Annotated[int, Field(ge=0)]
    activated: bool


class Explorer(Unit):
    """A player's unit."""

    inspired: bool
    inspiration: Annotated[int, Field(ge=0)]
    activation: list[Annotated[int, Field(ge=1, le=6)]]


class Hostile(Unit):
    """A unit without a player."""

    group: str
    weapon: str
    slain: bool
    stunned: bool


class Scene(Closed):
    """The table."""

    board: Board
    explorers: list[Explorer]
    hostiles: list[Hostile]


class Case(Closed):
    """The observer and the targets."""

    scene: Scene
    observer: str
    targets: list[str]


class ArbiterClient(Closed):
    """The question."""

    case: Case


app = FastAPI()


@app.post("/validate")
def validate(asked: ArbiterClient) -> dict[str, str]:
    """Name the observer; the scene is valid when this is reached."""
    return {"observer": asked.case.observer}
