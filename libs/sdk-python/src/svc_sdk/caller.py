"""Makes the calls: with the key, within the time, and again where that helps and is safe."""

from __future__ import annotations

import http.client
import json
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .errors import ApiConnectionError, ApiError, error_of
from .paged import Paged
from .retry import delay_before, is_uncertain

#: Methods that may be repeated: twice is the same as once.
_REPEATABLE = frozenset({"GET", "PUT", "DELETE"})
_CHUNK = 64 * 1024
sleep = time.sleep


class Upload(NamedTuple):
    """A file to upload."""

    data: bytes
    filename: str = "file"
    content_type: str = "application/octet-stream"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key goes nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Caller:
    """Address of the API, and the options of all calls. `timeout` is the time of each attempt, in seconds."""

    def __init__(self, api_key: str, base_url: str, timeout: float, max_retries: int) -> None:
        self._api_key = api_key
        self._base_url = base_url.rstrip("/")
        self._timeout = timeout
        self._max_retries = max_retries
        self._opener = urllib.request.build_opener(_NoRedirects)

    def json(self, method: str, path: str, **request: Any) -> Any:
        """Calls for an answer that is JSON."""
        return json.loads(self._call(method, path, **request))

    def nothing(self, method: str, path: str, **request: Any) -> None:
        """Calls for an answer without content."""
        self._call(method, path, **request)

    def file(self, method: str, path: str, **request: Any) -> bytes:
        """Calls for an answer that is a file."""
        return self._call(method, path, **request)

    def pages(
        self, method: str, path: str, cursor: str, query: Optional[Mapping[str, Any]] = None, **request: Any
    ) -> Paged[Any]:
        """Calls for a list, page after page; `cursor` is the parameter that names the place."""

        def read(place: Optional[str]) -> Dict[str, Any]:
            at = {cursor: place} if place else {}
            answer: Dict[str, Any] = self.json(method, path, query={**(query or {}), **at}, **request)
            return answer

        return Paged(read)

    def _call(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        upload: Optional[Upload] = None,
        idempotency_field: Optional[str] = None,
        not_repeatable_with: Sequence[str] = (),
    ) -> bytes:
        if idempotency_field is not None:
            # The key is made once: all attempts are the same send.
            body = {idempotency_field: str(uuid.uuid4()), **_without_none(body or {})}
        repeatable = idempotency_field is not None or (
            method in _REPEATABLE and not any((body or {}).get(field) for field in not_repeatable_with)
        )
        data, content_type = _content_of(body, upload)
        uncertain = False
        again = 0
        while True:
            try:
                return self._attempt(method, path + _search_of(query or {}), data, content_type)
            except (ApiError, ApiConnectionError) as error:
                if uncertain and _is_deleted(error, method):
                    return b""
                uncertain = uncertain or is_uncertain(error)
                wait = delay_before(error, again, repeatable) if again < self._max_retries else None
                if wait is None:
                    raise
                sleep(wait)
                again += 1

    def _attempt(self, method: str, target: str, data: Optional[bytes], content_type: Optional[str]) -> bytes:
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}
        if content_type:
            headers["Content-Type"] = content_type
        request = urllib.request.Request(self._base_url + target, data=data, headers=headers, method=method)
        what = f"{method} {target.partition('?')[0]}"
        try:
            return self._open(request, time.monotonic() + self._timeout)
        # Before Python 3.10 a time that is over has a type of its own.
        except (TimeoutError, socket.timeout) as cause:
            raise ApiConnectionError(f"{what}: no answer within {self._timeout} s.", timed_out=True) from cause
        except (OSError, http.client.HTTPException) as cause:
            # A time that is over while it connects comes wrapped.
            timed_out = isinstance(getattr(cause, "reason", None), (TimeoutError, socket.timeout))
            raise ApiConnectionError(f"{what}: no answer.", timed_out=timed_out) from cause

    def _open(self, request: urllib.request.Request, deadline: float) -> bytes:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return _read_until(response, deadline)
        except urllib.error.HTTPError as answer:
            with answer:
                if 300 <= answer.code < 400:
                    raise ConnectionError(f"The gateway answered with a redirect ({answer.code}).") from None
                raise error_of(answer.code, dict(answer.headers), _read_until(answer, deadline)) from None


def _read_until(response: Any, deadline: float) -> bytes:
    """Reads an answer. Each piece may take the time of an attempt, and none is read when that is over."""
    pieces: List[bytes] = []
    while True:
        piece: bytes = response.read1(_CHUNK) if hasattr(response, "read1") else response.read()
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        if time.monotonic() > deadline:
            raise TimeoutError("The answer did not end in time.")


def _is_deleted(error: Exception, method: str) -> bool:
    """The thing is gone, because the attempt before has done its work; a route that is not there would be `NOT_FOUND` alone."""
    return (
        method == "DELETE"
        and isinstance(error, ApiError)
        and error.status == 404
        and error.code.endswith("_NOT_FOUND")
    )


def _content_of(
    body: Optional[Mapping[str, Any]], upload: Optional[Upload]
) -> Tuple[Optional[bytes], Optional[str]]:
    if upload is not None:
        return _form_of(upload)
    return (None, None) if body is None else (json.dumps(body).encode(), "application/json")


def _form_of(upload: Upload) -> Tuple[bytes, str]:
    boundary = uuid.uuid4().hex
    name = "".join("_" if letter in '"\\\r\n' else letter for letter in upload.filename)
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        f"Content-Type: {upload.content_type}\r\n\r\n"
    )
    data = head.encode() + upload.data + f"\r\n--{boundary}--\r\n".encode()
    return data, f"multipart/form-data; boundary={boundary}"


def _without_none(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _search_of(query: Mapping[str, Any]) -> str:
    defined = {name: _written(value) for name, value in _without_none(query).items()}
    return f"?{urllib.parse.urlencode(defined)}" if defined else ""


def place(identifier: str) -> str:
    """Writes an id as a part of a path."""
    return urllib.parse.quote(identifier, safe="")
