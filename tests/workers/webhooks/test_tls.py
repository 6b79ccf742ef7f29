"""Messages over TLS: whose certificate is asked for, and which are refused."""

import socket
import time

import pytest
import trustme
from standardwebhooks import Webhook

from tests.workers.receiving import ENDED, ID, LOCAL, NAME, SECRET, leads_to, receiver, status
from workers.webhooks.delivery import Callback, DeliverySettings, deliver


def test_over_tls_name_and_certificate_are_those_of_the_url(authority: trustme.CA, trusting: DeliverySettings) -> None:
    with receiver(status(200), certificate=authority.issue_cert(NAME)) as to:
        callback = Callback(f"https://{NAME.upper()}:{to.port}/hook", SECRET)
        delivered = deliver(callback, ID, ENDED, now=time.time(), settings=trusting, resolve=leads_to("127.0.0.1"))
    assert delivered.outcome == "delivered"
    assert to.names == [NAME]
    assert to.seen[0].headers["host"] == f"{NAME}:{to.port}"
    Webhook(SECRET).verify(to.seen[0].body, to.seen[0].headers)


def test_a_public_callback_is_called_at_its_own_port_and_by_its_bare_name(
    authority: trustme.CA, trusting: DeliverySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialled: list[tuple[str, int]] = []
    genuine = socket.create_connection

    with receiver(status(200), certificate=authority.issue_cert(NAME)) as to:

        def diverted(place: tuple[str, int], timeout: float) -> socket.socket:
            dialled.append(place)
            return genuine(("127.0.0.1", to.port), timeout)

        monkeypatch.setattr(socket, "create_connection", diverted)
        settings = DeliverySettings(ca_bundle=trusting.ca_bundle)
        callback = Callback(f"https://{NAME}/")
        delivered = deliver(callback, ID, ENDED, now=0.0, settings=settings, resolve=leads_to("93.184.216.34"))
    assert delivered.outcome == "delivered"
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
        delivered = deliver(callback, ID, ENDED, now=0.0, settings=trusting, resolve=leads_to("127.0.0.1"))
    assert (delivered.outcome, delivered.status) == ("again", None)
    assert "certificate" in delivered.reason
    assert to.seen == []


def test_a_certificate_of_an_unknown_authority_is_refused(authority: trustme.CA, trusting: DeliverySettings) -> None:
    with receiver(status(200), certificate=trustme.CA().issue_cert(NAME)) as to:
        callback = Callback(f"https://{NAME}:{to.port}/")
        for settings in (trusting, LOCAL):
            delivered = deliver(callback, ID, ENDED, now=0.0, settings=settings, resolve=leads_to("127.0.0.1"))
            assert "certificate" in delivered.reason
    assert to.seen == []


def test_certificates_that_cannot_be_read_are_the_operators_fault_and_raised() -> None:
    with pytest.raises(FileNotFoundError):
        deliver(Callback("https://127.0.0.1/"), ID, ENDED, now=0.0, settings=DeliverySettings(ca_bundle="/nowhere.pem"))
