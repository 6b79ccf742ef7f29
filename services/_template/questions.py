"""What the arbiter can be asked: the case and the answer of each question, and what makes a posted case impossible."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, Faults
from arbiter.skirmish.faults import SCENE, case_pointer, repeated_ids, unknown_id
from arbiter.value import Value
from services._template.ground import Hex
from services._template.scene import PROFILES, Id, Move, Scene, Shot, Side, Sight


class MovesCase(Value, frozen=True):
    """Which `fighter` wants to move, and the table it stands on."""

    scene: Scene
    fighter: Id


class MovesAnswer(Value, frozen=True):
    """The hexes where its move may end, nearest first; it may also stay."""

    hexes: tuple[Hex, ...]


class SightCase(Value, frozen=True):
    """Who looks (`viewer`) at whom (`target`), and the table they stand on."""

    scene: Scene
    viewer: Id
    target: Id


class SightAnswer(Value, frozen=True):
    """Whether the one sees the other."""

    sees: bool


class AttackCase(Value, frozen=True):
    """Who shoots (`attacker`) at whom (`target`), and the table they stand on."""

    scene: Scene
    attacker: Id
    target: Id


class AttackAnswer(Value, frozen=True):
    """What came of it: shots that hit, hits that were dodged, wounds that were neither dodged nor saved."""

    hits: int
    dodged: int
    wounds: int
    slain: bool


class BattleCase(Value, frozen=True):
    """The table at the beginning of a round, and how many rounds are played at most."""

    scene: Scene
    rounds: Annotated[int, Meta(ge=1, le=50)] = 10


class BattleAnswer(Value, frozen=True):
    """How it ended: the side that is alone on the table, if one is, after how many rounds, and who still stands."""

    winner: Side | None
    rounds: int
    standing: tuple[Id, ...]


def prepare_moves(case: MovesCase) -> Move:
    """Give the fighter that is about to move; raises `Faults` with everything impossible about the case."""
    _refuse(*_impossible(case.scene), *_missing(case.scene, fighter=case.fighter))
    return Move(case.scene, case.scene.fighter(case.fighter))


def prepare_sight(case: SightCase) -> Sight:
    """Give the fighter that looks and the other; raises `Faults` with everything impossible about the case."""
    _refuse(*_impossible(case.scene), *_missing(case.scene, viewer=case.viewer, target=case.target))
    return Sight(case.scene, case.scene.fighter(case.viewer), case.scene.fighter(case.target))


def prepare_attack(case: AttackCase) -> Shot:
    """Give the shot that is about to be fired; raises `Faults` with everything impossible about the case."""
    _refuse(*_impossible(case.scene), *_missing(case.scene, attacker=case.attacker, target=case.target))
    return Shot(case.scene, case.scene.fighter(case.attacker), case.scene.fighter(case.target))


def prepare_battle(case: BattleCase) -> BattleCase:
    """Give the battle as it is about to begin; raises `Faults` with everything impossible about the case."""
    refuse_impossible(case.scene)
    return case


def refuse_impossible(scene: Scene) -> None:
    """Raise `Faults` with everything impossible about a scene."""
    _refuse(*_impossible(scene))


def _refuse(*faults: Fault) -> None:
    if faults:
        raise Faults(faults)


def _impossible(scene: Scene) -> Iterator[Fault]:
    taken: dict[Hex, str] = {}
    yield from repeated_ids(scene.fighters, f"{SCENE}/fighters", "fighter")
    for index, fighter in enumerate(scene.fighters):
        here = f"{SCENE}/fighters/{index}"
        yield from unknown_id("profile", fighter.profile, f"{here}/profile", PROFILES)
        if fighter.profile in PROFILES and fighter.wounds_lost >= fighter.numbers.wounds:
            yield Fault(
                f"{here}/wounds_lost",
                "slain-already",
                f"{fighter.id} has lost all its wounds",
                seen=fighter.wounds_lost,
                expected=f"less than {fighter.numbers.wounds}",
                hint="take fighters that are slain off the table",
            )
        if not scene.holds(fighter.hex):
            yield Fault(
                f"{here}/hex",
                "off-board",
                f"{fighter.id} stands outside the board",
                seen=fighter.hex,
                expected=scene.extent,
            )
        if scene.is_rock(fighter.hex):
            yield Fault(f"{here}/hex", "taken-hex", "a rock is in that hex", seen=fighter.hex)
        if fighter.hex in taken:
            yield Fault(f"{here}/hex", "taken-hex", f"{taken[fighter.hex]} is in that hex already", seen=fighter.hex)
        taken.setdefault(fighter.hex, fighter.id)


def _missing(scene: Scene, **named: str) -> Iterator[Fault]:
    ids = [fighter.id for fighter in scene.fighters]
    for role, id_ in named.items():
        yield from unknown_id("fighter", id_, case_pointer(role), ids)
