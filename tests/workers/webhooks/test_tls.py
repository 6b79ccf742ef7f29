"""Messages over TLS: whose certificate is asked for, and which are refused."""

import socket
import time
from typing import Any

import pytest
import trustme
from standardwebhooks import Webhook

from tests.workers.receiving import ENDED, ID, LOCAL, NAME, SECRET, leads_to, receiver, status
from workers.webhooks.callback import Callback
from workers.webhooks.delivery import DeliverySettings, deliver


def test_over_tls_name_and_certificate_are_those_of_the_url(authority: trustme.CA, trusting: DeliverySettings) -> None:
    with receiver(status(200), certificate=authority.issue_cert(NAME)) as to:
        callback = Callback(f"https://{NAME.upper()}:{to.port}/hook", SECRET)
        result = deliver(callback, ID, ENDED, now=time.time(), settings=trusting, resolve=leads_to("127.0.0.1"))
    assert result.outcome == "delivered"
    assert to.names == [NAME]
    assert to.seen[0].headers["host"] == f"{NAME}:{to.port}"
    Webhook(SECRET).verify(to.seen[0].body, to.seen[0].headers)


def test_a_public_callback_is_called_at_its_own_port_and_by_its_bare_name(
    authority: trustme.CA, trusting: DeliverySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialled: list[tuple[str, int]] = []
    genuine = socket.getaddrinfo

    with receiver(status(200), certificate=authority.issue_cert(NAME)) as to:

        def diverted(host: str, port: int, *rest: Any) -> Any:
            dialled.append((host, port))
            return genuine("127.0.0.1", to.port, *rest)

        monkeypatch.setattr(socket, "getaddrinfo", diverted)
        settings = DeliverySettings(ca_bundle=trusting.ca_bundle)
        callback = Callback(f"https://{NAME}/")
        result = deliver(callback, ID, ENDED, now=0.0, settings=settings, resolve=leads_to("93.184.216.34"))
    assert result.outcome == "delivered"
    assert dialled == [("93.184.216.34", 443)]
    assert to.names == [NAME]
    assert to.seen[0].headers["host"] == NAME


def test_a_number_has_to_be_in_the_certificate_itself(authority: trustme.CA, trusting: DeliverySettings) -> None:
    with receiver(status(200), certificate=authority.issue_cert("127.0.0.1")) as to:
        callback = Callback(f"https://127.0.0.1:{to.port}/")
        assert deliver(callback, ID, ENDED, now=0.0, settings=trusting).outcome == "delivered"


@pytest.mark.parametrize("names", [("other.example",), ("127.0.0.1",), ("*.callback.example",), ("example",)])
def test_a_certificate_for_another_name_is_refused_even_if_it_fits_the_address(
    names: tuple[str, ...], authority: trustme.CA, trusting: DeliverySettings
) -> None:
    with receiver(status(200), certificate=authority.issue_cert(*names)) as to:
        callback = Callback(f"https://{NAME}:{to.port}/", SECRET)
        result = deliver(callback, ID, ENDED, now=0.0, settings=trusting, resolve=leads_to("127.0.0.1"))
    assert (result.outcome, result.status) == ("again", None)
    assert "certificate" in result.reason
    assert to.seen == []


def test_a_certificate_of_an_unknown_authority_is_refused(authority: trustme.CA, trusting: DeliverySettings) -> None:
    with receiver(status(200), certificate=trustme.CA().issue_cert(NAME)) as to:
        callback = Callback(f"https://{NAME}:{to.port}/")
        for settings in (trusting, LOCAL):
            result = deliver(callback, ID, ENDED, now=0.0, settings=settings, resolve=leads_to("127.0.0.1"))
            assert "certificate" in result.reason
    assert to.seen == []


def test_a_missing_file_of_certificates_is_the_operators_fault_and_raised() -> None:
    settings = DeliverySettings(loopback_allowed=True, ca_bundle="/nowhere.pem")
    with pytest.raises(OSError, match="nowhere"):
        deliver(Callback("https://127.0.0.1:8443/"), ID, ENDED, now=0.0, settings=settings)
