export {
  verifyWebhook,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookRefusal,
  type WebhookResult,
} from './verify-webhook.js';
export type { WebhookHeaders } from './signature-header.js';
