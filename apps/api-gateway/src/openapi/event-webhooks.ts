import { getSchemaPath } from '@nestjs/swagger';
import {
  MessageFailedV1,
  MessageReceivedV1,
  OutboundMessageV1,
  PUBLIC_EVENTS,
  type PublicEvent,
  SessionConnectedV1,
  SessionEndedV1,
  SessionQrGeneratedV1,
  WebhookStateV1,
} from '@svc/contracts';
import type { Schemas } from './example-values.js';
import { illustrated } from './examples.js';

const EVENTS: Record<PublicEvent, { summary: string; payload: new () => object }> = {
  'message.received': { summary: 'A message arrived from the customer.', payload: MessageReceivedV1 },
  'message.sent': { summary: 'An outbound message was sent.', payload: OutboundMessageV1 },
  'message.delivered': {
    summary: 'The platform confirmed delivery (two checks).',
    payload: OutboundMessageV1,
  },
  'message.read': { summary: 'The recipient opened the chat (two blue checks).', payload: OutboundMessageV1 },
  'message.failed': { summary: 'Sending failed after all retries.', payload: MessageFailedV1 },
  'session.connected': { summary: 'The session is live.', payload: SessionConnectedV1 },
  'session.disconnected': { summary: 'The session dropped; carries a reason.', payload: SessionEndedV1 },
  'session.qr_generated': { summary: 'A QR code is ready to scan.', payload: SessionQrGeneratedV1 },
  'session.logged_out': { summary: 'The platform invalidated the credentials.', payload: SessionEndedV1 },
  'webhook.paused': {
    summary: 'An endpoint is paused: what comes for it is held, this event included.',
    payload: WebhookStateV1,
  },
  'webhook.recovered': {
    summary: 'The first delivery after a reactivation succeeded.',
    payload: WebhookStateV1,
  },
};

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' as const, example },
});

const HEADERS = {
  'X-Svc-Event': text('Event name.', 'message.received'),
  'X-Svc-Delivery-Id': text(
    'Delivery id, the same in every attempt.',
    '0198c0de-0000-7000-8000-000000000001',
  ),
  'X-Svc-Timestamp': text('Unix time in milliseconds, informational.', '1769860800000'),
  'X-Svc-Signature': text(
    '`t=<unix ms>,v1=<hex>`: v1 is HMAC-SHA256 with the endpoint secret over `<t>.<raw body>`, in lower-case hex. Compare in constant time; refuse when t is more than five minutes away.',
    't=1769860800000,v1=5257a869…',
  ),
  'X-Webhook-Event': text('The same value as X-Svc-Event.', 'message.received'),
  'X-Webhook-Delivery-Id': text(
    'The same value as X-Svc-Delivery-Id.',
    '0198c0de-0000-7000-8000-000000000001',
  ),
  'X-Webhook-Timestamp': text('The same value as X-Svc-Timestamp.', '1769860800000'),
  'X-Webhook-Signature': text('The same value as X-Svc-Signature.', 't=1769860800000,v1=5257a869…'),
};

/** Only with `standardWebhooks` of the endpoint. */
const STANDARD_HEADERS = {
  'webhook-id': text('The same value as X-Svc-Delivery-Id.', '0198c0de-0000-7000-8000-000000000001'),
  'webhook-timestamp': text('Unix time in seconds.', '1769860800'),
  'webhook-signature': text(
    '`v1,<base64>` as Standard Webhooks has it: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`, the key is what the base64 after whsec_ stands for. For 24 hours after a rotation two of them, separated by a blank.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

/** The `webhooks` section: what your endpoint receives, one entry per event (specification, "Events"). */
export function eventWebhooks(schemas: Schemas): Record<string, object> {
  return Object.fromEntries(PUBLIC_EVENTS.map((event) => [event, { post: deliveryOf(event, schemas) }]));
}

function deliveryOf(event: PublicEvent, schemas: Schemas): object {
  const { summary, payload } = EVENTS[event];
  const parametersOf = (headers: Record<string, object>, required: boolean): object[] =>
    Object.entries(headers).map(([name, header]) => ({ name, in: 'header', required, ...header }));
  const parameters = [...parametersOf(HEADERS, true), ...parametersOf(STANDARD_HEADERS, false)];
  return {
    operationId: `on.${event}`,
    summary,
    parameters,
    requestBody: {
      required: true,
      content: {
        'application/json': illustrated(
          {
            type: 'object',
            required: ['event', 'deliveryId', 'payload'],
            properties: {
              event: { type: 'string', const: event, description: 'Event name.' },
              deliveryId: { type: 'string', format: 'uuid', description: 'The value of X-Svc-Delivery-Id.' },
              payload: { $ref: getSchemaPath(payload), description: 'Event data.' },
            },
          },
          schemas,
        ),
      },
    },
    responses: {
      '2XX': { description: 'Taken. Answer so to a delivery id you know already, too.' },
      default: {
        description: 'Anything else, or no answer in time: up to five attempts, then the dead letters.',
      },
    },
  };
}
