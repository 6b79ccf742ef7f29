"""How the YAML files of the house are read: by libyaml, where PyYAML was built with it."""

from pathlib import Path
from typing import Any

import yaml

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(path: Path) -> Any:
    """Read a YAML file of the house."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
