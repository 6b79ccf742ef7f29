"""Writes models of msgspec for every contract in a folder: `python models.py FOLDER`."""

import gc
import sys
from pathlib import Path

from datamodel_code_generator import DataModelType, InputFileType, PythonVersion, generate

# The process ends soon, and looking for garbage is a good part of its work.
gc.disable()
for contract in sorted(Path(sys.argv[1]).glob("*.json")):
    generate(
        contract,
        input_file_type=InputFileType.OpenAPI,
        output=contract.with_name(f"{contract.stem}_models.py"),
        output_model_type=DataModelType.MsgspecStruct,
        target_python_version=PythonVersion.PY_311,
        formatters=[],
    )
