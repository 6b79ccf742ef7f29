"""Writes a client of Python for every contract in a folder: `python clients.py FOLDER`, from inside the folder."""

import gc
import sys
from pathlib import Path

from openapi_python_client.cli import app

# The process ends soon, and looking for garbage is a good part of its work.
gc.disable()
for contract in sorted(Path(sys.argv[1]).glob("*.json")):
    options = ["--meta", "none", "--output-path", f"client-{contract.stem}", "--config", "config.yaml"]
    if code := app(["generate", "--path", str(contract), *options], standalone_mode=False):
        sys.exit(code)
