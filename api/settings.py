"""The settings of the gateway: those of the workers, and its own limits.

`python -m api.settings` lists every variable with its default and what it is for.
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
    """Everything that can be set about the service. Safe as it stands: loopback only, small bodies, few threads."""

    complete: ClassVar[bool] = True

    host: Annotated[
        str, Meta(min_length=1, description="Address the gateway listens on; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1"

    port: Annotated[
        int, Meta(ge=0, le=65_535, description="Port the gateway listens on; 0 takes any free one and prints it.")
    ] = 8_000

    gateway_workers: Annotated[int, Meta(ge=1, le=256, description="Processes of the gateway.")] = 2

    data_folder: Annotated[
        str,
        Meta(
            max_length=4_096,
            description="Folder in which the Valkey of `make serve` stores its data; without it, `run/<port>/data`.",
        ),
    ] = ""

    gateway_threads: Annotated[
        int, Meta(ge=1, le=256, description="Threads of each gateway process; an open event stream holds one.")
    ] = 4

    security_contact: Annotated[
        str,
        Meta(
            pattern=r"^$|^(https://|mailto:)[\x21-\x7e]+$",
            description="Where faults of safety are reported, as https: or mailto:, for /.well-known/security.txt.",
        ),
    ] = ""

    drain_s: Annotated[
        int, Meta(ge=3, le=3_600, description="Graceful-shutdown timeout of a gateway process, in seconds.")
    ] = 30

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

    anonymous: Annotated[bool, Meta(description="Whether questions are answered without a key, too.")] = True

    key_peppers: Annotated[
        tuple[Pepper, ...],
        Meta(
            description="Secrets under which keys are kept, with commas between them: the first for new keys, all for "
            "those there are. Without any, no keys are taken."
        ),
    ] = ()

    trusted_proxies: Annotated[
        int,
        Meta(
            ge=0,
            le=16,
            description="Proxies before the gateway whose entries in X-Forwarded-For are believed, from its end.",
        ),
    ] = 0

    health_timeout_s: Annotated[
        float, Meta(gt=0, le=60, description="Seconds that /readyz waits for a worker, or for a game's own service.")
    ] = 2.0

    remote_connect_s: Annotated[
        float, Meta(gt=0, le=60, description="Seconds until a game's own service that cannot be connected to is away.")
    ] = 2.0

    remote_read_s: Annotated[
        float, Meta(gt=0, le=600, description="Seconds until a game's own service that does not answer is given up.")
    ] = 60.0

    sync_cost_ms: Annotated[
        int,
        Meta(
            ge=1,
            le=600_000,
            description="Estimated milliseconds up to which a heavy question is decided at once; beyond, it is a job.",
        ),
    ] = 5_000

    most_wait_s: Annotated[
        int, Meta(ge=0, le=300, description="The longest wait for a job that a client may ask for, in seconds.")
    ] = 30

    signing_key: Annotated[
        str,
        Meta(
            pattern=PATTERN,
            description="Secret key that signs rulings: `arbiter signing-key` makes one. Without it nothing is signed.",
        ),
    ] = ""

    signing_keys_before: Annotated[
        tuple[Annotated[str, Meta(pattern=PATTERN)], ...],
        Meta(description="Public keys (`x`) that signed before, with commas between them, so that rulings stay good."),
    ] = ()

    epoch_secret: Annotated[
        str,
        Meta(
            pattern=PATTERN,
            description="Secret of which those of all epochs are made: `arbiter signing-key` makes one, too. Without "
            "it there are no committed dice.",
        ),
    ] = ""

    epoch_s: Annotated[
        int,
        Meta(ge=10, le=2_592_000, description="Seconds that an epoch of committed dice lasts; then it is revealed."),
    ] = 86_400

    rate_limits: Annotated[
        bool, Meta(description="Whether callers are held to their quotas; off where another gateway does that.")
    ] = True

    anonymous_units_per_minute: Annotated[
        int,
        Meta(
            ge=10,
            le=10_000_000,
            description="Units of cost that an address may spend in a minute, as many again at once; a look-up is one.",
        ),
    ] = 600

    key_units_per_minute: Annotated[
        int, Meta(ge=10, le=10_000_000, description="The same for the holder of a key that has no quota of its own.")
    ] = 6_000

    rulings_kept_s: Annotated[
        int, Meta(ge=60, le=31_536_000, description="Seconds for which the permalink of a ruling leads to it.")
    ] = 604_800

    rulings_kept: Annotated[
        int, Meta(ge=1, le=100_000_000, description="Rulings that Redis keeps at most; the oldest make room.")
    ] = 100_000

    rulings_kept_mib: Annotated[
        int, Meta(ge=1, le=1_048_576, description="MiB that kept rulings may take in Redis; the oldest make room.")
    ] = 256

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
            ge=1,
            le=65_536,
            description="MiB of boards, as JSON, that each gateway process has at hand; without Redis, all there are.",
        ),
    ] = 16

    most_batch: Annotated[int, Meta(ge=1, le=1_000, description="Queries that one batch may hold.")] = 100

    batch_seconds: Annotated[
        float,
        Meta(gt=0, le=600, description="Seconds after which a batch begins no further query; the rest are refused."),
    ] = 10.0

    @property
    def max_board_bytes(self) -> int:
        """The longest board that is kept: a body, and no more than there is room for."""
        return min(self.max_body_bytes, min(self.boards_kept_mib, self.boards_in_memory_mib) * MIB)

    def _conflicts(self) -> Iterator[str]:
        yield from WorkerSettings._conflicts(self)
        if not (self.anonymous or self.key_peppers):
            yield f"{variable('anonymous')} is false: without {variable('key_peppers')} nobody could ask anything."


if __name__ == "__main__":
    print(Settings.table())
