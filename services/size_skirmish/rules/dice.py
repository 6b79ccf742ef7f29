"""The dice: a 1 fails, an ability may reroll it, and a 6 adds one die."""

from arbiter.dice import D6
from arbiter.rule import rule
from arbiter.table import Table
from services.size_skirmish.book import number

FAILS, EXPLODES = number("fails"), number("explodes")

Faces = tuple[int, ...]


def judged(table: Table, id_: str, name: str, roll: str, dice: int, rerolls: bool) -> Faces:
    """Return the faces that do not fail of dice that count one by one, extra dice included.

    `roll` is what they are rolled for; `rerolls` says whether an ability lets ones be rolled again. That is always
    done: a die that has failed can only gain by it, and no die too many does harm.
    """
    standing, again = _standing(table, id_, name, roll, table.pool(dice, D6, f"{id_}: {roll}"), rerolls)
    sixes = standing.count(EXPLODES)
    if EXPLODES in again and table.read("rerolled-six") == "explodes":
        sixes += again.count(EXPLODES)
    if not sixes:
        return standing + again
    extra = exploded(table, id_, name, roll, sixes)
    anew = rerolls and FAILS in extra and table.read("extra-ones") == "rerolled"
    return standing + again + sum(_standing(table, id_, name, f"{roll} extra", extra, anew), ())


def added(table: Table, id_: str, name: str, roll: str, dice: int) -> int:
    """Return the sum of added dice. The readings for ones and sixes are `ones-in-sums` and `exploding-rolls`."""
    faces = table.pool(dice, D6, f"{id_}: {roll}")
    if EXPLODES in faces and table.read("exploding-rolls") == "all":
        faces += exploded(table, id_, name, roll, faces.count(EXPLODES))
    if FAILS in faces and table.read("ones-in-sums") == "nothing":
        faces = unfailed(table, name, roll, faces)
    table.record(*labels(id_, roll), kept=faces, total=sum(faces))
    return sum(faces)


def labels(id_: str, roll: str) -> tuple[str, ...]:
    """Return the labels of all dice of a roll: the first ones, those rolled again, extra dice, and these again."""
    label = f"{id_}: {roll}"
    return label, f"{label} again", f"{label} extra", f"{label} extra again"


@rule("dice.unfailed", cites="dice/one-fails", neutral=lambda name, roll, faces: faces)
def unfailed(table: Table, name: str, roll: str, faces: Faces) -> Faces:
    """Decide which dice do not fail at once: all but ones, whatever number is needed."""
    standing = tuple(face for face in faces if face != FAILS)
    if failed := len(faces) - len(standing):
        text = "{name}, {roll} roll: dice that fail with a 1: {failed} of {dice}"
        table.find(text, dice=len(faces), roll=roll, name=name, failed=failed)
    return standing


@rule("dice.rerolled", cites=("dice/one-rerolled", "dice/reroll-once"), neutral=())
def rerolled(table: Table, id_: str, name: str, roll: str, ones: int) -> Faces:
    """Decide the reroll of ones by an ability: once each, and another 1 stays a failure."""
    faces = table.pool(ones, D6, f"{id_}: {roll} again")
    text = "{name}, {roll} roll: each 1 is rerolled once: {faces}"
    table.find(text, ones=ones, roll=roll, name=name, faces=spelled(faces))
    return unfailed(table, name, roll, faces)


@rule("dice.exploded", cites=("dice/six-explodes", "dice/extra-die"), neutral=())
def exploded(table: Table, id_: str, name: str, roll: str, sixes: int) -> Faces:
    """Decide what sixes add: one die of the same roll each, which does not explode again."""
    faces = table.pool(sixes, D6, f"{id_}: {roll} extra")
    text = "{name}, {roll} roll: each 6 adds one die: {faces}"
    table.find(text, sixes=sixes, roll=roll, name=name, faces=spelled(faces))
    return faces


def spelled(faces: Faces) -> str:
    """Write faces down in their order."""
    return ", ".join(map(str, faces)) or "none"


def _standing(table: Table, id_: str, name: str, roll: str, faces: Faces, rerolls: bool) -> tuple[Faces, Faces]:
    """Return the faces that do not fail, and those of the ones that are rolled again."""
    standing = unfailed(table, name, roll, faces)
    failed = len(faces) - len(standing)
    return standing, rerolled(table, id_, name, roll, failed) if rerolls and failed else ()
