"""Words of a question: stems, which of them carry meaning, the sentence that asks, and spelling."""

import re
from collections.abc import Iterable, Sequence

STOP = frozenset(
    """
    a about actually again ah alright also am an and any anybody anyone anything are arent as at be been being but by can cannot cant
    could couldnt did didnt do does doesnt doing dont dude dunno eg else even ever exactly for from get gets
    getting go going got guys had has have having he hello help her hers hes hey hi him his how hows i id ie if ill im
    in into is isnt it its ive just know kind let lets like lol lot may maybe me mean might mine my need now of
    oh ok okay on one or our ours out please pls quick question really rule rules said same say says shall she should
    so some somebody someone something still such sure tell than thanks that thats the their theirs them then there
    theres these they theyre thing things think this those to too u ur us very want wanna wants was wasnt we well were
    weve what whats when where wheres whether which who whos whose why will with wont would wouldnt yes you your youre yours
    happen happens happening
    """.split()
)
"""Words that say little of what is asked about."""

MOST_CHARACTERS = 2_000
"""Characters of a question with the story around it."""

_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("(?<=\\w)['\u2019](?=\\w)")
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]*")
_ASKING = re.compile(
    r"^\W*(?:(?:so|and|but|ok|now|then|hey|well)\W+)*"
    r"(?:can|could|may|do|does|did|is|are|am|will|would|should|must|has|have|how|what|when|where|which|who|whom|whose|why)\b",
    re.IGNORECASE,
)


def words_of(text: str) -> list[str]:
    """Give the words of a text in lower case; an apostrophe parts none."""
    return _WORD.findall(_APOSTROPHE.sub("", text.lower()))


def sentences(text: str) -> tuple[list[str], list[str]]:
    """Part a text into the sentences that ask and the story around them.

    Without a question mark or a word that begins a question, all of a short text asks, and of a long one its end.
    """
    every = [sentence.strip() for sentence in _SENTENCE.findall(text)]
    asking = [sentence for sentence in every if "?" in sentence]
    asking = asking or [sentence for sentence in every if _ASKING.match(sentence)]
    asking = asking or (every if len(text) <= 200 else every[-1:])
    return asking, [sentence for sentence in every if sentence not in asking]
