"""Words of a question: those with meaning, and the sentences that ask within a story."""

import re
from itertools import pairwise

MOST_CHARACTERS = 2_000
"""Characters of a question with the story around it."""

MOST_OF_SHORT = 200
"""Characters of a text without a recognised question that is read as one question as a whole."""

_STOP = """
    a about actually again ah alright also am an and any anybody anyone anything are arent as at be because been being
    but by can cannot cant could couldnt did didnt do does doesnt doing dont else even ever exactly for from get
    gets getting go going got guys had happen happening happens has have having he hello help her hers hes hey
    hi him his how hows i id ie if ill im in into is isnt it its ive just kind know let lets like lol lot may
    maybe me mean might mine my need not now of oh ok okay on one or our ours out please pls question quick really
    rule rules said same say says shall she should so some somebody someone something still such sure tell than
    thanks that thats the their theirs them then there theres these they theyre thing things think this those to
    too u ur us very wanna want wants was wasnt we well were weve what whats wheres whether whos whose why will
    with wont would wouldnt yes you your youre yours
"""

_STORY = """
    absolutely admittedly agree agreed annoying anyway apparently argue argued argument arguing asked basically
    believe believed boyfriend brother brothers bro claim claimed claims clearly confused confusing cousin dad
    daughter definitely epic erm evening eh figured forgot forgotten fun funny girlfriend guess guessed heck hmm
    honestly hope hubby husband idea imho imo insist insisted insists internet literally maths meant mother mum
    muddled nice nite obviously okay opinion personally pity pretty probably proper properly reckon reckons
    remember remembered seriously silly simply sister situation somehow sorry stupid suddenly suppose supposed
    thought tonight tonite totally umm understand unlucky unsure weekend weird wife wondered wondering wrong
    yeah yep yesterday
"""

STOP = frozenset((*_STOP.split(), *_STORY.split()))
"""Words with little information about the subject of a question, alone or in the story around it."""

_SLIPS = {
    "adn": "and", "b4": "before", "bck": "back", "coz": "because", "cuz": "because", "hte": "the", "hw": "how",
    "hwo": "how", "mny": "many", "nxt": "next", "teh": "the", "thru": "through", "wat": "what", "wen": "when",
    "wot": "what", "wut": "what",
}  # fmt: skip
"""Common misspellings of words that are too short for spelling correction."""

_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("(?<=[^\\W_])['\u2019](?=[^\\W_])")
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]*")
_OPENINGS = re.compile(
    r"(can|could|may|do|does|did|is|are|am|will|would|should|must|has|have|how|what|when|where|which|who|whose|why)"
)
_FILLERS = frozenset(("and", "but", "hey", "now", "ok", "okay", "so", "then", "well"))


def words_of(text: str) -> list[str]:
    """Give the words of a text in lower case, with common misspellings corrected; apostrophes do not split words."""
    return [_SLIPS.get(word, word) for word in _WORD.findall(_APOSTROPHE.sub("", text.lower()))]


def sentences(text: str) -> tuple[list[str], list[str], list[str]]:
    """Split a text into the sentences that ask, those just before them, and the rest of the story.

    A sentence asks if it has a question mark, or else by its first word. If none does, a short text asks as a whole and
    a long one in its last sentence.
    """
    every = [sentence for sentence in _SENTENCE.findall(text) if words_of(sentence)]
    asking = [sentence for sentence in every if "?" in sentence] or [each for each in every if _opens(each)]
    asking = asking or (every if len(text) <= MOST_OF_SHORT else every[-1:])
    story = [sentence for sentence in every if sentence not in asking]
    leading = [before for before, after in pairwise(every) if after in asking and before in story]
    return asking, leading, [sentence for sentence in story if sentence not in leading]


def _opens(sentence: str) -> bool:
    first = next((word for word in words_of(sentence) if word not in _FILLERS), "")
    return _OPENINGS.fullmatch(first) is not None
