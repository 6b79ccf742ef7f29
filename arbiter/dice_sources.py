"""Sources of faces on one path: a seed, the players' own dice, or a plain generator."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

from arbiter.dice import Die, Face
from arbiter.ruling import DiceNeeds, Origin, Throw
from arbiter.table import Dice

_WORD = 1 << 64


class DiceNeeded(Exception):
    """Dice have to be rolled before the ruling can continue."""

    def __init__(self, needs: DiceNeeds) -> None:
        self.needs = needs
        super().__init__(f"needs {needs.count} {needs.die} for {needs.label!r}")


class WrongFace(ValueError):
    """A handed face is not on the die, or not what the seed gives."""

    def __init__(self, label: str, index: int, face: Face, die: Die, because: str) -> None:
        self.label, self.index, self.face, self.die, self.because = label, index, face, die, because
        super().__init__(f"{label!r} {index}: {face!r} {because}")


class SeededDice(Dice):
    """Each die is drawn from the seed by its label and index alone.

    A modifier or a reaction that adds dice of another label leaves all other faces unchanged. The draw is a keyed
    BLAKE2b of label and index, mapped to a side without bias by rejection.
    """

    def __init__(self, seed: str) -> None:
        self.seed = seed

    @cached_property
    def _hash(self) -> blake2b:
        # Each draw continues from a copy of this, which is cheaper than keying again.
        return blake2b(key=blake2b(self.seed.encode(), digest_size=32).digest(), digest_size=8)

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        return self.draw(die, label, index), "seed"

    def draw(self, die: Die, label: str, index: int) -> Face:
        """Give the face of the seed for the `index`th die of that label."""
        sides = len(die.faces)
        fair = _WORD - _WORD % sides
        attempt = 0
        while True:
            draw = self._hash.copy()
            draw.update(f"{label}\x1f{index}\x1f{attempt}".encode())
            word = int.from_bytes(draw.digest(), "big")
            if word < fair:
                return die.faces[word % sides]
            attempt += 1


class MirroredDice(Dice):
    """Seeded dice with the labels of two sides swapped: each side rolls the other's dice.

    A label is a side's where it begins or ends with its name: `red: order`, `initiative of red`.
    """

    def __init__(self, seed: str, sides: tuple[str, str]) -> None:
        self._dice, self._other = SeededDice(seed), dict(zip(sides, reversed(sides), strict=True))

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        for side, other in self._other.items():
            if label.startswith(f"{side}: "):
                label = other + label.removeprefix(side)
                break
            if label.endswith(f" of {side}"):
                label = label.removesuffix(side) + other
                break
        return self._dice.face(die, label, index, missing)


class HandedDice(Dice):
    """Faces as the players rolled them, by label; missing ones come from the seed, or are asked for without one."""

    def __init__(self, hand: Mapping[str, Sequence[Face]], seeded: SeededDice | None = None) -> None:
        self.hand, self.seeded = hand, seeded
        self.used: dict[str, int] = {}

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        faces = self.hand.get(label, ())
        if index < len(faces):
            face = faces[index]
            if face not in die.faces or isinstance(face, bool):
                raise WrongFace(label, index, face, die, f"is no face of a {die.name}")
            self.used[label] = index + 1
            return face, "handed"
        if self.seeded is None:
            raise DiceNeeded(DiceNeeds(label, die.name, missing, tuple(face for face, _ in die.kinds)))
        return self.seeded.face(die, label, index, missing)

    def left_over(self) -> dict[str, int]:
        """Give the labels for which more dice were handed than rolled, with how many were used."""
        return {
            label: self.used.get(label, 0) for label, faces in self.hand.items() if len(faces) > self.used.get(label, 0)
        }


class ReplayedDice(Dice):
    """The throws of an earlier ruling, with their origins; one that claims to come from the seed is checked."""

    def __init__(self, throws: Sequence[Throw], seeded: SeededDice | None) -> None:
        self.listed = throws
        self.throws = {(throw.label, throw.index): throw for throw in throws}
        self.seeded = seeded
        self.used: set[tuple[str, int]] = set()

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        throw = self.throws.get((label, index))
        if throw is None:
            if self.seeded is not None:
                return self.seeded.face(die, label, index, missing)
            raise DiceNeeded(DiceNeeds(label, die.name, missing, tuple(face for face, _ in die.kinds)))
        if throw.die != die.name:
            raise WrongFace(label, index, throw.face, die, f"is of a {throw.die}, but a {die.name} is rolled")
        if throw.face not in die.faces or isinstance(throw.face, bool):
            raise WrongFace(label, index, throw.face, die, f"is no face of a {die.name}")
        if throw.origin == "seed":
            if self.seeded is None:
                raise WrongFace(label, index, throw.face, die, "is marked as from a seed, but no seed is given")
            if self.seeded.draw(die, label, index) != throw.face:
                raise WrongFace(label, index, throw.face, die, "is not what the seed gives")
        self.used.add((label, index))
        return throw.face, throw.origin

    def left_over(self) -> tuple[int, ...]:
        """Give the indices of the throws that no rule asked for, and of repeated ones."""
        last = {(throw.label, throw.index): place for place, throw in enumerate(self.listed)}
        return tuple(
            place
            for place, throw in enumerate(self.listed)
            if (key := (throw.label, throw.index)) not in self.used or last[key] != place
        )
