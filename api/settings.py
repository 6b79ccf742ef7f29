"""What the gateway is told by its environment: the workers' settings and its own limits.

`python -m api.settings` lists every variable with its default and what it is for.
"""

from typing import Annotated, ClassVar

from msgspec import Meta

from workers.settings import WorkerSettings


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

    most_connections: Annotated[
        int,
        Meta(
            ge=16, le=100_000,
            description="Connections that each gateway process holds; beyond, the one idle for longest makes room.",
        ),
    ] = 800  # fmt: skip

    arrival_s: Annotated[
        float, Meta(gt=0, le=3_600, description="Seconds within which a whole request has to arrive.")
    ] = 30.0

    idle_s: Annotated[
        int,
        Meta(
            ge=1, le=3_600,
            description="Seconds that an idle connection is kept; above those of a proxy in front, so that it closes.",
        ),
    ] = 75  # fmt: skip

    security_contact: Annotated[
        str,
        Meta(
            pattern=r"^$|^(https://|mailto:)[\x21-\x7e]+$",
            description="Where faults of safety are reported, as https: or mailto:, for /.well-known/security.txt.",
        ),
    ] = ""

    otel: Annotated[
        bool, Meta(description="Whether spans go to OTEL_EXPORTER_OTLP_ENDPOINT; needs pip install arbiter[otel].")
    ] = False

    drain_s: Annotated[
        int,
        Meta(ge=3, le=3_600, description="Seconds that an ending gateway process has for what it has begun to answer."),
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


if __name__ == "__main__":
    print(Settings.table())
