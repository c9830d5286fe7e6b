"""The client of the API."""

from __future__ import annotations

import os
from typing import Optional

from .caller import Caller
from .generated.resources import Resources


class SvcClient(Resources):
    """The API of one tenant: every route of the description, as `client.<resource>.<what>`.

    `api_key` and `base_url` (without `/v1`) may stand in the variables `SVC_API_KEY` and `SVC_BASE_URL` of the environment. `timeout` is the
    time of each attempt with its answer, in seconds; `max_retries` the most repeats of a call that failed and is safe to repeat.
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        timeout: float = 30.0,
        max_retries: int = 3,
    ) -> None:
        api_key = api_key or os.environ.get("SVC_API_KEY")
        base_url = base_url or os.environ.get("SVC_BASE_URL")
        if not api_key:
            raise ValueError("SvcClient needs an API key: api_key, or the variable SVC_API_KEY.")
        if not base_url:
            raise ValueError("SvcClient needs the address of the gateway: base_url, or the variable SVC_BASE_URL.")
        super().__init__(Caller(api_key, base_url, timeout, max_retries))
