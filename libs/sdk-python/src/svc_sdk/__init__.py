"""Client of the Messaging Gateway: REST and webhooks. No dependencies."""

from .caller import Upload
from .client import SvcClient
from .errors import ApiConnectionError, ApiError
from .paged import Page, Paged
from .webhooks import WebhookEvent, WebhookRefused, sign_webhook, verify_webhook

__all__ = [
    "ApiConnectionError",
    "ApiError",
    "Page",
    "Paged",
    "SvcClient",
    "Upload",
    "WebhookEvent",
    "WebhookRefused",
    "sign_webhook",
    "verify_webhook",
]
