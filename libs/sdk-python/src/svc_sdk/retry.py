"""When a call is made again, and after which wait."""

from __future__ import annotations

import random
from typing import Optional

from .errors import ApiConnectionError, ApiError

FIRST_S = 0.25
LONGEST_S = 8.0
#: Longest wait inside of a call, in seconds: a daily limit says hours.
MOST_PATIENCE_S = 60.0
UNCERTAIN = frozenset({502, 503, 504})


def delay_before(error: Exception, again: int, repeatable: bool) -> Optional[float]:
    """Computes the wait before the call is made again; None: it is not.

    A call that is not safe to repeat is repeated only where it was refused for its rate, because then nothing has happened. Nobody comes
    back earlier than was asked. `again` says how often it was made again already.
    """
    if not _is_worth_it(error, repeatable):
        return None
    asked = (error.retry_after or 0.0) if isinstance(error, ApiError) else 0.0
    return None if asked > MOST_PATIENCE_S else asked + jittered(again)


def jittered(again: int) -> float:
    """Computes a wait that doubles, between half and all of it, so that those who failed together do not come together."""
    longest: float = min(LONGEST_S, FIRST_S * 2**again)
    return longest * (0.5 + random.random() / 2)


def is_uncertain(error: Exception) -> bool:
    """Says whether the call may have been carried out although it failed."""
    return isinstance(error, ApiConnectionError) or (isinstance(error, ApiError) and error.status in UNCERTAIN)


def _is_worth_it(error: Exception, repeatable: bool) -> bool:
    if is_uncertain(error):
        return repeatable
    return isinstance(error, ApiError) and error.status == 429
