"""Begin a game: `make new-game NAME="My Game"` copies the template to a folder of its own, and the copy is green.

The copy has its own name everywhere, tests and golden transcripts included, so that it can be changed room by room
while the tests say what does not fit yet.
"""

import re
import shutil
import sys
from keyword import iskeyword
from pathlib import Path

from arbiter.value import Value

ROOT = Path(__file__).parent.parent
TEMPLATE = "_template"
TEMPLATE_NAME, TEMPLATE_TITLE = "template-skirmish", "Template Skirmish"


class Names(Value, frozen=True):
    """One game's name in its three spellings: for its folder, in paths of the service, and for people."""

    folder: str
    name: str
    title: str


def names(said: str) -> Names:
    """Give the spellings of a new game's name; `ValueError` for one that cannot be a folder and a path."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)*", said) or len(said) > 60:
        raise ValueError(
            f"{said!r} is no name for a game: use at most 60 letters and digits, beginning with a letter, in words "
            'parted by single spaces or hyphens; for example NAME="My Game"'
        )
    words = re.split(r"[ _-]", said)
    folder = "_".join(words).lower()
    if iskeyword(folder):
        raise ValueError(f"{said!r} is a word of Python's own; add another word to it")
    title = " ".join(words) if said != said.lower() else " ".join(words).title()
    return Names(folder, folder.replace("_", "-"), title)


def new_game(said: str, services: Path, tests: Path) -> Names:
    """Copy the template to `services/<folder>`, its tests and transcripts beside those of the other games.

    `ValueError` for a name that is bad or taken.
    """
    new = names(said)
    homes = {
        ROOT / "services" / TEMPLATE: services / new.folder,
        ROOT / "tests" / "services" / TEMPLATE: tests / "services" / new.folder,
        ROOT / "tests" / "transcripts" / TEMPLATE_NAME: tests / "transcripts" / new.name,
    }
    for home in homes.values():
        if home.exists():
            raise ValueError(f"there is a {home} already; take another name, or remove it first")
    spelled = {
        f"services.{TEMPLATE}": f"{services.name}.{new.folder}",
        f"services/{TEMPLATE}": f"{services.name}/{new.folder}",
        TEMPLATE_NAME: new.name,
        TEMPLATE_TITLE: new.title,
    }
    for source, home in homes.items():
        shutil.copytree(source, home, ignore=shutil.ignore_patterns("__pycache__"))
        for path in home.rglob("*"):
            if path.is_file():
                path.write_text(_renamed(path.read_text(encoding="utf-8"), spelled), encoding="utf-8")
    return new


def _renamed(text: str, spelled: dict[str, str]) -> str:
    for old, new in spelled.items():
        text = text.replace(old, new)
    return text


def main(arguments: list[str]) -> int:
    """Begin the game that the command line names, and say what comes next."""
    # `make` hands the name on as NAME=…, in as many pieces as it has words.
    said = " ".join(arguments).removeprefix("NAME=").strip()
    try:
        new = new_game(said, ROOT / "services", ROOT / "tests")
    except ValueError as wrong:
        print(wrong, file=sys.stderr)
        return 2
    print(
        f"{new.title} is in services/{new.folder}, a copy of the template that passes every test. Now make it yours:\n"
        "  1. sources.yaml   list the passages of your text, in your own words\n"
        "  2. model.py       what stands on the table; data/ its profiles\n"
        "  3. rules/         a file per chapter, a function per rule; questions.py what can be asked\n"
        "  4. examples/      a worked example for each rule\n"
        "After each step:\n"
        f'  make test ARGS="tests/services tests/house -k {new.name}"\n'
        f"  make sources ARGS={new.name}      what is ruled, and what is open\n"
        "  make transcripts openapi          write the golden transcripts and the contract anew"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
