"""Checks that a webhook request comes from the gateway, and reads it."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

TOLERANCE_MS = 300_000
#: The second has the same value and is there for receivers that know it by this name.
_NAMES = ("x-svc-signature", "x-webhook-signature")
_TIME = re.compile(r"[0-9]{1,15}")

Secrets = Union[str, Sequence[str]]


@dataclass(frozen=True)
class WebhookEvent:
    """A genuine delivery."""

    #: Name of what happened, such as `message.received`.
    event: str
    #: The same in every attempt of a delivery: keep it to see what was handled already.
    delivery_id: str
    payload: Dict[str, Any]
    #: Time at which this attempt was signed, Unix milliseconds; not that of the event.
    timestamp: int


class WebhookRefused(Exception):
    """The request is refused: answer 401. The message is for your log and holds no signature.

    `reason` is one of `missing-signature`, `malformed-signature`, `timestamp-outside-tolerance`, `body-not-raw` (a parser was there
    before), `signature-mismatch` (another secret, or other bytes than those that were signed), `malformed-body` (genuine, and no delivery).
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def verify_webhook(
    raw_body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Secrets,
    tolerance_ms: float = TOLERANCE_MS,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Checks that a webhook request comes from the gateway, and reads it.

    `raw_body` is the body as it was received: JSON that was parsed and written again has other bytes. With several secrets any of them may
    have signed: those of several endpoints, or the new and the old one while yours is changed after a rotation. `now` is in Unix
    milliseconds. Raises `WebhookRefused` whatever a sender did, and `ValueError` without a secret: everybody could sign with an empty one.
    """
    secrets = _checked(secret)
    t, v1 = _fields_of(headers)
    now = time.time() * 1000 if now is None else now
    # The comparison is not `>`: a tolerance or a time that is no number then refuses everything instead of nothing.
    if not abs(now - int(t)) <= tolerance_ms:
        raise WebhookRefused("timestamp-outside-tolerance", f"Signed {now - int(t)} ms ago by the clock here.")
    body = _bytes_of(raw_body)
    if not any(hmac.compare_digest(_signature(one, t, body), v1) for one in secrets):
        raise WebhookRefused("signature-mismatch", "None of the secrets given makes this signature of this body.")
    return _event_of(body, int(t))


def sign_webhook(
    event: str, delivery_id: str, payload: Mapping[str, Any], secret: str, now: Optional[int] = None
) -> Tuple[Dict[str, str], bytes]:
    """Makes headers and body of a delivery as the gateway does, for tests of a receiver. `now` is in Unix milliseconds."""
    (only,) = _checked(secret)
    t = str(int(time.time() * 1000) if now is None else now)
    delivery = {"event": event, "deliveryId": delivery_id, "payload": payload}
    body = json.dumps(delivery, ensure_ascii=False, separators=(",", ":")).encode()
    signature = f"t={t},v1={_signature(only, t, body).decode()}"
    values = {"Event": event, "Delivery-Id": delivery_id, "Timestamp": t, "Signature": signature}
    both = {f"X-{family}-{name}": value for name, value in values.items() for family in ("Svc", "Webhook")}
    return {"Content-Type": "application/json", "User-Agent": "Svc-Webhook/1", **both}, body


def _checked(secret: Secrets) -> List[str]:
    """Checks the secrets: a variable of the environment that is not set must not open the door."""
    secrets = [secret] if isinstance(secret, str) else list(secret or ())
    if not secrets or not all(isinstance(one, str) and one for one in secrets):
        raise ValueError("The secret of the endpoint is missing or empty.")
    return secrets


def _fields_of(headers: Mapping[str, str]) -> Tuple[str, bytes]:
    """Reads `t` and `v1`, which have to be there once each; the field of another scheme may come beside them."""
    lower = {name.lower(): value for name, value in headers.items()}
    header = next((lower[name] for name in _NAMES if lower.get(name)), None)
    if header is None:
        raise WebhookRefused("missing-signature", "There is no X-Svc-Signature header.")
    fields = [field.strip().partition("=") for field in header.split(",")]
    times = [value for name, _, value in fields if name == "t"]
    signatures = [value for name, _, value in fields if name == "v1"]
    if len(times) != 1 or len(signatures) != 1 or not signatures[0] or not _TIME.fullmatch(times[0]):
        raise WebhookRefused("malformed-signature", "X-Svc-Signature is not t=<unix ms>,v1=<hex>.")
    return times[0], signatures[0].encode("utf-8", "surrogatepass")


def _bytes_of(raw_body: Any) -> bytes:
    if isinstance(raw_body, str):
        return raw_body.encode("utf-8", "surrogatepass")
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    raise WebhookRefused("body-not-raw", "The body is no text and no bytes: verify before anything parses it.")


def _signature(secret: str, t: str, body: bytes) -> bytes:
    return hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest().encode()


def _event_of(body: bytes, timestamp: int) -> WebhookEvent:
    try:
        delivery = json.loads(body.decode())
        event, delivery_id, payload = (delivery[name] for name in ("event", "deliveryId", "payload"))
    except (ValueError, TypeError, KeyError, RecursionError):
        event = delivery_id = payload = None
    if not (isinstance(event, str) and isinstance(delivery_id, str) and isinstance(payload, dict)):
        raise WebhookRefused("malformed-body", "The body is no JSON of event, deliveryId and payload.")
    return WebhookEvent(event, delivery_id, payload, timestamp)
