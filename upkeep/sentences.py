"""Every sentence that the worked examples make a referee say, for a reader: `make sentences`.

One sentence for each finding and reason that differs in more than its names and numbers, by game and rule.
"""

import re
import sys
from collections.abc import Iterator

from arbiter import registry
from arbiter.game import Arbiter
from arbiter.sources import examples
from arbiter.sources.catalogue import catalogue_of

_VARYING = re.compile(r"[\w' -]+ \([\w-]+\)|-?\d+(?:\.\d+)?")


def sentences(game: Arbiter) -> Iterator[tuple[str, str]]:
    """Give each finding and reason of a game's worked examples: the rule and the sentence."""
    for of_question in catalogue_of(game).examples.values():
        for each in of_question:
            ruling = examples.run(game, each)
            for step in (*ruling["findings"], *ruling["reasons"]):
                yield step["rule"], step["text"]


def main() -> int:
    """Print the sentences of every game, each form of them once."""
    for name, game in registry.games().items():
        print(f"# {name}")
        forms: dict[tuple[str, str], str] = {}
        for rule, text in sentences(game):
            forms.setdefault((rule, _VARYING.sub("…", text)), text)
        for (rule, _), text in sorted(forms.items()):
            print(f"{rule:40}  {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
