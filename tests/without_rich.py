"""Lets a process that tests start be without the library `rich`, as the service is where it is deployed.

Programs for tests bring it along, and where it is structlog loads it: a fifth of what a worker takes to start.
"""

import sys

sys.modules.setdefault("rich", None)  # type: ignore[arg-type]  # this says that there is none
