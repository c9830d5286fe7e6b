"""What a call may raise."""

from __future__ import annotations

import email.utils
import json
import time
from typing import Any, Dict, Mapping, Optional


class ApiError(Exception):
    """An error that the API answered. Compare by `code`."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        meta: Optional[Dict[str, Any]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        #: HTTP status.
        self.status = status
        #: One of docs/errors.md; a newer gateway may answer one that this version does not know.
        self.code = code
        self.message = message
        #: Extra data, e.g. the fields that are wrong.
        self.meta: Dict[str, Any] = meta or {}
        #: Quote it when you ask about this answer.
        self.request_id = request_id
        #: Seconds to wait before the call is worth another try, where the answer says so.
        self.retry_after = retry_after


class ApiConnectionError(Exception):
    """There was no answer: the gateway was not reached, the connection broke, or the time was over. `__cause__` says more."""

    def __init__(self, message: str, timed_out: bool = False) -> None:
        super().__init__(message)
        #: The time of `timeout` was over.
        self.timed_out = timed_out


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """Makes the error that an answer with this status stands for, whatever answered it: a proxy may be in between."""
    lower = {name.lower(): value for name, value in headers.items()}
    said = _fields_of(body)
    return ApiError(
        status,
        code=said.get("code", "INTERNAL"),
        message=said.get("message", f"The API answered with status {status}."),
        meta=said.get("meta"),
        request_id=said.get("requestId", lower.get("x-request-id")),
        retry_after=retry_after_of(lower.get("retry-after"), time.time()),
    )


def retry_after_of(header: Optional[str], now: float) -> Optional[float]:
    """Reads `Retry-After` in seconds: a number of them, or a date."""
    if not header:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - now)
    except (TypeError, ValueError):
        return None


def _fields_of(body: bytes) -> Dict[str, Any]:
    try:
        said = json.loads(body)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
