from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.settings import Settings
from infra.settings import WorkerSettings, WrongSettings, description, settings_of, variable


def test_nothing_has_to_be_set() -> None:
    assert Settings.from_environment({}) == Settings()
    assert Settings.from_environment({"PATH": "/bin", "HOST": "x86_64-linux-gnu"}) == Settings()


def test_the_defaults_let_nobody_else_in() -> None:
    settings = Settings()
    assert settings.host == "127.0.0.1"
    assert settings.max_body_bytes == 1024 * 1024
    assert settings.max_depth == 64
    assert settings.soft_time_limit_s < settings.hard_time_limit_s < settings.visibility_timeout_s


def test_values_are_read_by_the_type_of_the_setting() -> None:
    settings = Settings.from_environment(
        {
            "PORT": "9000",
            "REDIS_URL": "redis://:pw@redis:6379/1",
            "ARBITER_HOST": "::",
            "ARBITER_HEALTH_TIMEOUT_S": "0.5",
            "ARBITER_CORS_ORIGINS": "https://a.example, https://b.example",
        }
    )
    assert settings.port == 9000
    assert settings.redis_url == "redis://:pw@redis:6379/1"
    assert settings.host == "::"
    assert settings.health_timeout_s == 0.5
    assert settings.cors_origins == ("https://a.example", "https://b.example")


def test_an_empty_value_is_none() -> None:
    assert Settings.from_environment({"PORT": "", "REDIS_URL": "  "}) == Settings()


def test_every_wrong_value_is_named_at_once() -> None:
    with pytest.raises(WrongSettings) as raised:
        Settings.from_environment(
            {
                "PORT": "abc",
                "ARBITER_LOG_LEVEL": "loud",
                "ARBITER_MAX_BODY": "1",
                "REDIS_URL": "http://user:secret@elsewhere",
                "ARBITER_HARD_TIME_LIMIT_S": "900",
            }
        )
    faults = raised.value.faults
    assert len(faults) == 5
    text = str(raised.value)
    assert "PORT: 'abc'" in text
    assert "ARBITER_LOG_LEVEL: 'loud'" in text
    assert "ARBITER_MAX_BODY is not a setting. Did you mean ARBITER_MAX_BODY_BYTES?" in text
    assert "ARBITER_HARD_TIME_LIMIT_S is 900" in text
    assert "below ARBITER_VISIBILITY_TIMEOUT_S, which is 600" in text
    assert "REDIS_URL" in text
    assert "secret" not in text


def test_a_port_is_a_whole_number_in_range() -> None:
    for port in ("-1", "65536", "80.5", "0x50", "８０８０", "true", "null"):
        with pytest.raises(WrongSettings, match="PORT"):
            Settings.from_environment({"PORT": port})
    for port in ("0", "1", "65535", " 80 "):
        assert Settings.from_environment({"PORT": port}).port == int(port)


def test_limits_may_not_meet() -> None:
    """Soft 240 and visibility 600 are the defaults: equal is as wrong as beyond."""
    for hard in (240, 600):
        with pytest.raises(WrongSettings):
            WorkerSettings(hard_time_limit_s=hard)
    assert WorkerSettings(hard_time_limit_s=241)
    assert WorkerSettings(hard_time_limit_s=599)


def test_the_address_of_redis_is_not_shown() -> None:
    settings = Settings(redis_url="redis://:secret@redis:6379/0")
    assert "secret" not in repr(settings)
    assert "port=8000" in repr(settings)


def test_a_worker_knows_nothing_of_the_gateway_and_is_not_disturbed_by_it() -> None:
    assert WorkerSettings.from_environment({"ARBITER_MAX_DEPTH": "nonsense"}) == WorkerSettings()


def test_addresses_of_games_are_no_misspellings() -> None:
    assert Settings.from_environment({"ARBITER_URL_STARGRAVE": "http://stargrave:8000"}) == Settings()


def test_every_setting_is_described_and_listed() -> None:
    for name, kind in settings_of(Settings).items():
        assert description(kind).endswith(".")
        assert f"{variable(name)}=" in Settings.table()


@given(st.dictionaries(st.sampled_from([variable(name) for name in settings_of(Settings)]), st.text(max_size=20)))
def test_any_environment_is_read_or_refused_with_reasons(environment: dict[str, str]) -> None:
    try:
        settings = Settings.from_environment(environment)
    except WrongSettings:
        return
    # What was read is within the bounds of every setting.
    assert msgspec.convert(msgspec.to_builtins(settings), Settings) == settings


def plain(value: Any) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def test_the_defaults_can_be_written_out_and_read_again() -> None:
    written = {variable(name): plain(getattr(Settings(), name)) for name in settings_of(Settings)}
    assert Settings.from_environment(written) == Settings()
