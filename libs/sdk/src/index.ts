export {
  verifyWebhook,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookRefusal,
  type WebhookResult,
} from './verify-webhook.js';
export type { WebhookHeaders } from './signature-header.js';
export { signWebhook, type SignedWebhook } from './sign-webhook.js';
export { Messages, SvcClient, type SvcClientOptions } from './client.js';
export type { CallOptions } from './caller.js';
export { ApiError, ConnectionError, type ErrorCode } from './errors.js';
export { type Page, Paged } from './paged.js';
export { LiveEvents, type StreamOptions, type SvcEvent } from './event-stream.js';
export { isEvent } from './is-event.js';
export { type EventPayloads, SAMPLE_PAYLOADS } from './generated/events.js';
export type * from './generated/schemas.js';
export type * from './generated/resources.js';
