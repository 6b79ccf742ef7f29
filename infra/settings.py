"""The settings of a worker, and how settings are read from environment variables.

Every setting has a safe default, its bounds and a description. `from_environment` reports all wrong values together. A
setting is declared once, as an attribute of a struct with its type, bounds and default, so that mypy knows it too; a
marshmallow schema with a dataclass would declare each setting twice.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Literal, Self, get_origin, get_type_hints

import msgspec
from msgspec import Meta

PREFIX = "ARBITER_"
"""The prefix of the variables of settings, so that those of other programs (such as `HOST`) have no effect here."""

PLAIN = {"port": "PORT", "redis_url": "REDIS_URL"}
"""The two settings with names that all hosting platforms use."""

OPEN = ("ARBITER_URL_",)
"""Prefixes of variables with one for each game, which cannot be listed: the address of a game's own service."""

CLIENTS = frozenset({"ARBITER_KEY"})
"""Variables for the command line as a client of a service; they have no effect here."""

SECRET = frozenset({"redis_url", "key_peppers", "signing_key", "epoch_secret"})
"""Settings whose value is never shown: keys, secrets, and a Redis address, which contains its password."""


class WrongSettings(ValueError):
    """The environment has values that settings cannot have; `faults` has one sentence for each."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(("The environment has wrong settings:", *(f"  {fault}" for fault in faults))))


class WorkerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a worker; the gateway has these and its own."""

    complete: ClassVar[bool] = False
    """Whether these are all settings, so that any other variable with our prefix must be a misspelling."""

    redis_url: Annotated[
        str,
        Meta(
            pattern=r"^rediss?://.+",
            description="Address of Redis or Valkey, with its password: redis://:pw@host:6379/0.",
        ),
    ] = "redis://127.0.0.1:6379/0"

    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="The lowest level of written log lines.")
    ] = "info"

    otel: Annotated[
        bool, Meta(description="Whether spans go to OTEL_EXPORTER_OTLP_ENDPOINT; needs pip install arbiter[otel].")
    ] = False

    worker_concurrency: Annotated[
        int, Meta(ge=1, le=256, description="Processes of one worker, each busy with one chunk of a job at a time.")
    ] = 1

    soft_time_limit_s: Annotated[
        int,
        Meta(
            ge=1,
            le=86_400,
            description="Seconds after which a chunk of a job is told to stop, and the job fails with that reason.",
        ),
    ] = 240

    hard_time_limit_s: Annotated[
        int, Meta(ge=1, le=86_400, description="Seconds after which the process of a chunk is killed.")
    ] = 300

    visibility_timeout_s: Annotated[
        int,
        Meta(
            ge=2,
            le=172_800,
            description="Seconds until a message that was not handled is sent again; above the hard time limit.",
        ),
    ] = 600

    shutdown_grace_s: Annotated[
        int,
        Meta(
            ge=0,
            le=3_600,
            description="Seconds that a running chunk may continue when its worker must stop; then it is given back.",
        ),
    ] = 10

    result_expiry_s: Annotated[
        int,
        Meta(
            ge=60,
            le=2_592_000,
            description="Seconds for which a finished job and its result are stored, and an open job without a worker.",
        ),
    ] = 86_400

    jobs_per_process: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Chunks after which a worker replaces its process.")
    ] = 1_000

    memory_per_process_mib: Annotated[
        int,
        Meta(ge=64, le=1_048_576, description="Resident MiB above which a worker replaces its process after a chunk."),
    ] = 1_024

    path_budget: Annotated[
        int, Meta(ge=1, le=1_000_000_000, description="Paths that an exact law may walk before it is refused.")
    ] = 20_000

    job_path_budget: Annotated[
        int, Meta(ge=1, le=1_000_000_000, description="Paths that an exact law may walk as a job.")
    ] = 200_000

    odds_limit_ms: Annotated[
        int, Meta(ge=10, le=600_000, description="Milliseconds of one core that odds may take before they are refused.")
    ] = 2_000

    job_odds_limit_s: Annotated[
        int, Meta(ge=1, le=86_400, description="Seconds of one core that a ruling or odds may take as a job.")
    ] = 60

    job_cost_s: Annotated[
        int, Meta(ge=1, le=31_536_000, description="Estimated seconds of one core above which a single job is refused.")
    ] = 14_400

    most_open_jobs: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Jobs that may wait or run at a time; more are refused.")
    ] = 10_000

    most_open_jobs_of_caller: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Jobs of one caller that may wait or run; more are refused.")
    ] = 100

    most_waiting_s: Annotated[
        int,
        Meta(
            ge=1, le=31_536_000, description="Estimated seconds of one core of all open jobs together; more is refused."
        ),
    ] = 86_400

    most_waiting_s_of_caller: Annotated[
        int,
        Meta(
            ge=1,
            le=31_536_000,
            description="Estimated seconds of one core of the open jobs of one caller; more is refused.",
        ),
    ] = 21_600

    most_attempts: Annotated[
        int, Meta(ge=1, le=100, description="Workers that may be lost over one chunk of a job before the job fails.")
    ] = 3

    callbacks_to_loopback: Annotated[
        bool, Meta(description="Whether callbacks may use http and this machine; only for development.")
    ] = False

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in self.__struct_fields__ if name not in SECRET)
        return f"{type(self).__name__}({', '.join(shown)})"

    def __post_init__(self) -> None:
        faults = tuple(self._conflicts())
        if faults:
            raise WrongSettings(faults)

    def _conflicts(self) -> Iterator[str]:
        if self.soft_time_limit_s >= self.hard_time_limit_s:
            yield (
                f"{variable('soft_time_limit_s')} is {self.soft_time_limit_s}: "
                f"it must be below {variable('hard_time_limit_s')}, which is {self.hard_time_limit_s}."
            )
        # A job that outlives the visibility timeout is run a second time while the first run continues.
        if self.hard_time_limit_s >= self.visibility_timeout_s:
            yield (
                f"{variable('hard_time_limit_s')} is {self.hard_time_limit_s}: "
                f"it must be below {variable('visibility_timeout_s')}, which is {self.visibility_timeout_s}."
            )

        for name in ("most_waiting_s", "most_waiting_s_of_caller"):
            if self.job_cost_s > getattr(self, name):
                yield (
                    f"{variable('job_cost_s')} is {self.job_cost_s}: "
                    f"it must not be above {variable(name)}, which is {getattr(self, name)}."
                )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read the settings; raises `WrongSettings` with all faults together. An empty value counts as none."""
        types = settings_of(cls)
        values: dict[str, Any] = {}
        faults = list(_unknown(environment, types)) if cls.complete else []
        for name, kind in types.items():
            value = environment.get(variable(name), "").strip()
            if not value:
                continue
            try:
                values[name] = _decode(value, kind)
            except msgspec.ValidationError as fault:
                shown = "its value (not shown)" if name in SECRET else repr(value)
                faults.append(f"{variable(name)}: {shown} is not valid: {fault}. {description(kind)}")
        try:
            settings = cls(**values)
        except WrongSettings as conflict:
            faults.extend(conflict.faults)
        if faults:
            raise WrongSettings(tuple(faults))
        return settings

    @classmethod
    def table(cls) -> str:
        """List every setting for a reader: variable, default and description."""
        defaults = msgspec.to_builtins(cls())
        return "\n".join(
            f"{variable(name)}={_as_text(defaults[name])}\n    {description(kind)}"
            for name, kind in settings_of(cls).items()
        )


def settings_of(cls: type[WorkerSettings]) -> dict[str, Any]:
    """Give the type of each setting by its name, with its bounds and its description."""
    hints = get_type_hints(cls, include_extras=True)
    return {name: hints[name] for name in cls.__struct_fields__}


def variable(name: str) -> str:
    """Name the environment variable of a setting."""
    return PLAIN.get(name, PREFIX + name.upper())


def description(kind: Any) -> str:
    """Give the description of a setting."""
    return next(meta.description for meta in kind.__metadata__ if isinstance(meta, Meta) and meta.description)


def _decode(value: str, kind: Any) -> Any:
    # Lists are separated by commas; everything else is one value, read leniently because the environment has only text.
    if get_origin(kind.__origin__) is tuple:
        return msgspec.convert([part.strip() for part in value.split(",")], kind)
    return msgspec.convert(value, kind, strict=False)


def _as_text(default: Any) -> str:
    return ",".join(default) if isinstance(default, tuple) else str(default)


def _unknown(environment: Mapping[str, str], types: Mapping[str, Any]) -> Iterator[str]:
    """Report variables with our prefix that are not settings, and so are misspellings."""
    names = [variable(name) for name in types]
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in {*names, *CLIENTS} and not name.startswith(OPEN):
            near = get_close_matches(name, names, n=1)
            yield f"{name} is not a setting." + (f" Did you mean {near[0]}?" if near else "")
