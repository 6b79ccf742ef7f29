"""What the gateway is told by its environment: the workers' settings and its own limits.

`python -m api.settings` lists every variable with its default and what it is for.
"""

from typing import Annotated, ClassVar

from msgspec import Meta

from workers.settings import WorkerSettings

MIB = 1_048_576
"""Bytes of a MiB."""


class Settings(WorkerSettings, frozen=True, kw_only=True):
    """Everything that can be set about the service. Safe as it stands: loopback only, small bodies, few threads."""

    whole: ClassVar[bool] = True

    host: Annotated[
        str, Meta(min_length=1, description="Address the gateway listens on; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1"

    port: Annotated[
        int, Meta(ge=0, le=65_535, description="Port the gateway listens on; 0 takes any free one and prints it.")
    ] = 8_000

    gateway_workers: Annotated[int, Meta(ge=1, le=256, description="Processes of the gateway.")] = 2

    gateway_threads: Annotated[
        int, Meta(ge=1, le=256, description="Threads of each gateway process; an open event stream holds one.")
    ] = 4

    max_body_bytes: Annotated[
        int, Meta(ge=1_024, le=67_108_864, description="The longest request body that is read.")
    ] = 1_048_576

    max_map_bytes: Annotated[
        int, Meta(ge=1_024, le=67_108_864, description="The longest map file that is read, its picture included.")
    ] = 16_777_216

    max_depth: Annotated[
        int, Meta(ge=8, le=512, description="The deepest nesting of objects and arrays in a request body.")
    ] = 64

    cors_origins: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description="Origins whose pages may ask, with commas between them; * lets every page in."),
    ] = ("*",)

    canary_timeout_s: Annotated[
        float, Meta(gt=0, le=60, description="Seconds that /readyz waits for a worker to bring its canary back.")
    ] = 2.0

    sync_cost_ms: Annotated[
        int,
        Meta(
            ge=1, le=600_000,
            description="Estimated milliseconds up to which a heavy question is decided at once; beyond, it is a job.",
        ),
    ] = 5_000  # fmt: skip

    most_wait_s: Annotated[
        int, Meta(ge=0, le=300, description="The longest wait for a job that a client may ask for, in seconds.")
    ] = 30

    boards_kept_s: Annotated[
        int,
        Meta(ge=60, le=31_536_000, description="Seconds for which a board that was put is kept after its last use."),
    ] = 2_592_000

    most_boards: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Boards that are kept; beyond, the one used longest ago goes.")
    ] = 10_000

    boards_kept_mib: Annotated[
        int, Meta(ge=1, le=1_048_576, description="MiB that all boards together may take in Redis, packed.")
    ] = 256

    boards_in_memory_mib: Annotated[
        int,
        Meta(
            ge=1, le=65_536,
            description="MiB of boards, as JSON, that each gateway process has at hand; without Redis, all there are.",
        ),
    ] = 16  # fmt: skip

    most_batch: Annotated[int, Meta(ge=1, le=1_000, description="Queries that one batch may hold.")] = 100

    batch_seconds: Annotated[
        float,
        Meta(gt=0, le=600, description="Seconds after which a batch begins no further query; the rest are refused."),
    ] = 10.0

    @property
    def max_board_bytes(self) -> int:
        """The longest board that is kept: a body, and no more than there is room for."""
        return min(self.max_body_bytes, min(self.boards_kept_mib, self.boards_in_memory_mib) * MIB)


if __name__ == "__main__":
    print(Settings.table())
