"""Reading of our YAML files: with libyaml, if PyYAML was built with it."""

from pathlib import Path
from typing import Any

import yaml

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(path: Path) -> Any:
    """Read one of our YAML files."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
