"""The codes of malformed bodies, which are stable, and what each means."""

CODES = {
    "not-json": "The body is not one JSON value in UTF-8.",
    "too-deep": "Objects and arrays are nested deeper than is allowed.",
    "duplicate-field": "An object names a field twice.",
    "not-finite": "A number is NaN, infinite, or beyond what can be held.",
    "not-text": "A string has half a surrogate pair, which is no character.",
    "missing": "A required field is missing.",
    "unknown-field": "An object has a field that its type does not have.",
    "wrong-type": "The value is of another kind than asked.",
    "too-small": "The number is below its bound.",
    "too-large": "The number is above its bound.",
    "not-a-multiple": "The number is not a multiple of the step of its field.",
    "too-short": "A string, array or object has too few characters, items or fields.",
    "too-long": "A string, array or object has too many characters, items or fields.",
    "not-one-of": "The value is not one of those listed.",
    "pattern": "The string does not match its pattern.",
    "impossible": "Each field is sound, but together they are impossible.",
    "refused": "The decoder refused the body for a reason that has no code of its own.",
    "more-faults": "There are more faults than are listed.",
}
