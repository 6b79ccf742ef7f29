"""The dice and choices of a request: the source of faces, and the faults of faces and choices in the body."""

from arbiter.dice_sources import HandedDice, ReplayedDice, SeededDice, WrongFace
from arbiter.fault import Fault, Faults, did_you_mean, pointer
from arbiter.question import DiceSpec
from arbiter.table import Chooser, WrongOption
from arbiter.text import Quantity


def dice_of(spec: DiceSpec, fresh: str) -> tuple[SeededDice | HandedDice | ReplayedDice, str | None]:
    """Give the dice of a request and their seed if they have one; `fresh` is used if it names none."""
    if spec.committed is not None:
        raise Faults([_UNSETTLED])
    if spec.hand is not None and spec.throws is not None:
        raise Faults(
            [
                Fault(
                    pointer("dice"),
                    "hand-and-throws",
                    "dice are handed by label or replayed from throws, not both",
                    expected="either `hand` or `throws`",
                    hint="leave out `hand` to replay, or `throws` to hand new dice",
                )
            ]
        )
    seed = None if spec.seed is None else str(spec.seed)
    seeded = None if seed is None else SeededDice(seed)
    if spec.throws is not None:
        return ReplayedDice(spec.throws, seeded), seed
    if spec.hand is not None:
        return HandedDice(spec.hand, seeded), seed
    return seeded or SeededDice(fresh), seed or fresh


_UNSETTLED = Fault(
    pointer("dice", "committed"),
    "not-settled",
    "only a service that keeps epochs can make a seed of this",
    expected="a `seed`",
    hint="a ruling that was made so names its seed, with which it can be asked for again",
)


def left_over(dice: object, chooser: Chooser, rolled: set[str], chosen: set[str]) -> list[Fault]:
    """Give a fault for each posted die, or choice made in advance, that no rule asked for.

    `rolled` and `chosen` are the labels that rules asked for; the hint names the nearest.
    """
    faults: list[Fault] = []
    if type(dice) is SeededDice and not chooser.choices:
        return faults
    if isinstance(dice, HandedDice):
        for label, used in dice.left_over().items():
            handed = Quantity(len(dice.hand[label]), "die", "dice")
            faults.append(
                Fault(
                    pointer("dice", "hand", label, used),
                    "left-over-die",
                    f"the request hands {handed} for {label!r}, but the rules roll {used}",
                    seen=list(dice.hand[label]),
                    expected=f"exactly {Quantity(used, 'face')}",
                    hint=_nearest(label, rolled) or "check the label, and whether the rule rolls these dice at all",
                )
            )
    if isinstance(dice, ReplayedDice):
        for place in dice.left_over():
            throw = dice.listed[place]
            faults.append(
                Fault(
                    pointer("dice", "throws", place),
                    "left-over-die",
                    f"no rule rolls {throw.label!r} number {throw.index}, or it stands here twice",
                    seen=throw.label,
                    hint="replay a ruling with the very case, choices and readings it was made with",
                )
            )
    for label, used in chooser.left_over().items():
        given = Quantity(len(chooser.choices[label]), "choice")
        faults.append(
            Fault(
                pointer("choices", label, used),
                "left-over-choice",
                f"the request gives {given} for {label!r}, but the rules ask for {used}",
                expected=f"exactly {used}",
                hint=_nearest(label, chosen) or "a choice with a single option is never asked for",
            )
        )
    return faults


def _nearest(label: str, labels: set[str]) -> str:
    return did_you_mean(label, sorted(labels - {label}))


def fault_of(wrong: WrongFace | WrongOption, spec: DiceSpec) -> Fault:
    """Give the fault of a posted face, or of a chosen option."""
    if isinstance(wrong, WrongOption):
        return Fault(
            pointer("choices", wrong.choice.label, wrong.index),
            "no-such-option",
            f"{wrong.option!r} is none of the options of {wrong.choice.label!r}",
            seen=wrong.option,
            expected="one of " + ", ".join(repr(option) for option in wrong.choice.options[:50]),
            hint=f"the choice is made by {wrong.choice.who}; send one of the options as it stands there",
        )
    place: tuple[str | int, ...] = ("hand", wrong.label, wrong.index)
    if spec.throws:
        index, throw = next(
            (i, throw)
            for i, throw in enumerate(spec.throws)
            if (throw.label, throw.index) == (wrong.label, wrong.index)
        )
        place = ("throws", index, "face" if throw.die == wrong.die.name else "die")
    return Fault(
        pointer("dice", *place),
        "wrong-face",
        f"{wrong.face!r} {wrong.because}",
        seen=wrong.face,
        expected="one of " + ", ".join(str(face) for face, _ in wrong.die.kinds),
        hint=f"{wrong.label!r} is rolled with a {wrong.die.name}",
    )
