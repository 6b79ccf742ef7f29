"""The connection to the broker: unreadable entries and messages that cannot be settled do not block a worker.

Without this, a single entry that is not a message ends each worker that takes it. A worker that cannot acknowledge a
message, because the broker cannot write at that moment, would take no other.
"""

from queue import Empty
from typing import Any

from kombu.transport import redis, virtual
from redis.exceptions import RedisError

from infra.logging import log_of
from infra.redis import AWAY, ONCE_MORE

_log = log_of(__name__)


class QoS(redis.QoS):
    """Counts the messages that a worker holds; one that the broker cannot settle is no longer counted.

    It stays in the broker, which delivers it again after the visibility timeout; its chunk is done by then.
    """

    def ack(self, delivery_tag: Any) -> None:
        virtual.QoS.ack(self, delivery_tag)
        super().ack(delivery_tag)

    def reject(self, delivery_tag: Any, requeue: bool = False) -> None:
        virtual.QoS.ack(self, delivery_tag)
        super().reject(delivery_tag, requeue)


class Channel(redis.Channel):
    """A channel that survives unreadable entries."""

    QoS = QoS

    def _connparams(self, *arguments: Any, **options: Any) -> Any:
        return {**super()._connparams(*arguments, **options), "retry": ONCE_MORE}  # type: ignore[misc]  # not in kombu's stubs

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]  # not in kombu's stubs
        except (Empty, RedisError, OSError):
            raise
        except Exception as wrong:
            # The entry has already left the queue. It is not logged, because its content is unknown.
            _log.error("entry-thrown-away", reason=f"it cannot be read: {type(wrong).__name__}")
            return True


class Transport(redis.Transport):
    """The broker with such channels; only entries in the form of a message become messages."""

    Channel = Channel

    # A worker waits for a broker that refuses every message until it can write again, as for one that is away.
    connection_errors = (*redis.Transport.connection_errors, *AWAY)

    def _deliver(self, message: Any, queue: Any) -> Any:
        if _is_message(message):
            return super()._deliver(message, queue)
        _log.error("entry-thrown-away", queue=queue, reason="it is no message")
        return None


def _is_message(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("body"), str)
        and isinstance(entry.get("headers"), dict)
        and isinstance(entry.get("properties"), dict)
        and isinstance(entry["properties"].get("delivery_tag"), str)
        and isinstance(entry["properties"].get("delivery_info"), dict)
    )
