"""The settings of the gateway: those of the workers, and its own limits.

`python -m api.settings` lists every variable with its default and description.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from msgspec import Meta

from infra.settings import WorkerSettings, variable

Pepper = Annotated[str, Meta(min_length=32, max_length=1_000)]

PATTERN = "^([A-Za-z0-9+/_-]{43}=?)?$"
"""A key or a secret: 32 bytes in base64, of either alphabet; or nothing."""

MIB = 1_048_576
"""Bytes of a MiB."""


class Settings(WorkerSettings, frozen=True, kw_only=True):
    """All settings of the service. The defaults are safe: loopback only, small bodies, few threads."""

    complete: ClassVar[bool] = True

    host: Annotated[
        str, Meta(min_length=1, description="Address the gateway listens on; 0.0.0.0 for all interfaces.")
    ] = "127.0.0.1"

    port: Annotated[int, Meta(ge=0, le=65_535, description="Port of the gateway; 0 takes any free one.")] = 8_000

    gateway_workers: Annotated[int, Meta(ge=1, le=256, description="Processes of the gateway.")] = 2

    data_folder: Annotated[
        str, Meta(max_length=4_096, description="Folder of the Valkey of `make serve`; else `run/<port>/data`.")
    ] = ""

    gateway_threads: Annotated[int, Meta(ge=1, le=256, description="Threads of each process; a stream holds one.")] = 4

    security_contact: Annotated[
        str,
        Meta(pattern=r"^$|^(https://|mailto:)[\x21-\x7e]+$", description="Contact in security.txt: https: or mailto:."),
    ] = ""

    drain_s: Annotated[int, Meta(ge=3, le=3_600, description="Timeout of a graceful shutdown, in seconds.")] = 30

    max_body_bytes: Annotated[int, Meta(ge=1_024, le=67_108_864, description="Most bytes of a body.")] = 1_048_576

    max_map_bytes: Annotated[int, Meta(ge=1_024, le=67_108_864, description="Most bytes of a map file.")] = 16_777_216

    max_depth: Annotated[int, Meta(ge=8, le=512, description="Deepest nesting of a request body.")] = 64

    cors_origins: Annotated[
        tuple[str, ...], Meta(min_length=1, description="Origins of pages that may ask, separated by commas; * is all.")
    ] = ("*",)

    anonymous: Annotated[bool, Meta(description="Whether questions are answered without a key.")] = True

    key_peppers: Annotated[
        tuple[Pepper, ...], Meta(description="Peppers of API keys, separated by commas; the first seals new keys.")
    ] = ()

    trusted_proxies: Annotated[int, Meta(ge=0, le=16, description="Proxies whose X-Forwarded-For is trusted.")] = 0

    health_timeout_s: Annotated[float, Meta(gt=0, le=60, description="Timeout of /readyz, in seconds.")] = 2.0

    remote_connect_s: Annotated[float, Meta(gt=0, le=60, description="Connect timeout of a game's service.")] = 2.0

    remote_read_s: Annotated[float, Meta(gt=0, le=600, description="Read timeout of a game's service.")] = 60.0

    sync_cost_ms: Annotated[
        int, Meta(ge=1, le=600_000, description="Estimated milliseconds above which a question is a job.")
    ] = 5_000

    most_wait_s: Annotated[int, Meta(ge=0, le=300, description="Longest `Prefer: wait`, in seconds.")] = 30

    signing_key: Annotated[
        str, Meta(pattern=PATTERN, description="Secret key that signs rulings, from `arbiter signing-key`.")
    ] = ""

    signing_keys_before: Annotated[
        tuple[Annotated[str, Meta(pattern=PATTERN)], ...],
        Meta(description="Public keys (`x`) that signed earlier rulings, separated by commas."),
    ] = ()

    epoch_secret: Annotated[
        str, Meta(pattern=PATTERN, description="Secret of all committed dice, from `arbiter signing-key`.")
    ] = ""

    epoch_s: Annotated[int, Meta(ge=10, le=2_592_000, description="Seconds of an epoch of committed dice.")] = 86_400

    rate_limits: Annotated[bool, Meta(description="Whether quotas are enforced.")] = True

    anonymous_units_per_minute: Annotated[int, Meta(ge=10, le=10_000_000, description="Quota of an address.")] = 600

    key_units_per_minute: Annotated[int, Meta(ge=10, le=10_000_000, description="Quota of a key by default.")] = 6_000

    rulings_ttl_s: Annotated[int, Meta(ge=60, le=31_536_000, description="Seconds until a permalink expires.")] = (
        604_800
    )

    rulings_max_count: Annotated[int, Meta(ge=1, le=100_000_000, description="Most rulings in Redis.")] = 100_000

    rulings_max_mib: Annotated[int, Meta(ge=1, le=1_048_576, description="Most MiB of rulings in Redis.")] = 256

    boards_ttl_s: Annotated[
        int, Meta(ge=60, le=31_536_000, description="Seconds until a board expires after its last use.")
    ] = 2_592_000

    boards_max_count: Annotated[int, Meta(ge=1, le=1_000_000, description="Most stored boards.")] = 10_000

    boards_max_mib: Annotated[int, Meta(ge=1, le=1_048_576, description="Most MiB of boards in Redis, packed.")] = 256

    boards_in_memory_mib: Annotated[int, Meta(ge=1, le=65_536, description="Most MiB of boards in a process.")] = 16

    most_batch: Annotated[int, Meta(ge=1, le=1_000, description="Most queries of a batch.")] = 100

    batch_seconds: Annotated[float, Meta(gt=0, le=600, description="Seconds after which a batch begins no query.")] = (
        10.0
    )

    @property
    def max_board_bytes(self) -> int:
        """The longest board that is stored: at most a body, and at most the space for all boards."""
        return min(self.max_body_bytes, min(self.boards_max_mib, self.boards_in_memory_mib) * MIB)

    def _conflicts(self) -> Iterator[str]:
        yield from WorkerSettings._conflicts(self)
        if not (self.anonymous or self.key_peppers):
            yield f"{variable('anonymous')} is false: without {variable('key_peppers')} no client could send a request."


if __name__ == "__main__":
    print(Settings.table())
