import { createHmac } from 'node:crypto';
import { getSchemaPath } from '@nestjs/swagger';
import { type DataClass, PUBLIC_EVENT_CONTRACTS, type PublicEventContract } from '@svc/contracts';
import { examplesOf, type Schemas } from './example-values.js';

/** Payload classes of the events, most of which no route answers with. */
export const EVENT_PAYLOADS: DataClass[] = [...new Set(PUBLIC_EVENT_CONTRACTS.map(({ data }) => data))];

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' as const, example },
});

const TIME_MS = 1_769_860_800_000;
/** Event whose delivery is the example. */
const SHOWN = 'message.received';
/** Signs the example, so that a verifier can be tried on it. */
const SECRET = `whsec_${Buffer.from('an example').toString('base64')}`;
const OF_THE_EXAMPLE = `The example is of the example body of \`${SHOWN}\`, without blanks, and of the secret \`${SECRET}\`.`;

/** Body of a delivery. */
interface Delivered {
  event: string;
  deliveryId: string;
}

function headersOf(shown: Delivered): Record<string, object> {
  const { event, deliveryId } = shown;
  const v1 = createHmac('sha256', SECRET)
    .update(`${TIME_MS}.${JSON.stringify(shown)}`)
    .digest('hex');
  const signature = `t=${TIME_MS},v1=${v1}`;
  return {
    'X-Svc-Event': text('Event name.', event),
    'X-Svc-Delivery-Id': text('Delivery id, the same in every attempt.', deliveryId),
    'X-Svc-Timestamp': text('Unix time in milliseconds, informational.', String(TIME_MS)),
    'X-Svc-Signature': text(
      `\`t=<unix ms>,v1=<hex>\`: v1 is HMAC-SHA256 with the endpoint secret over \`<t>.<raw body>\`, in lower-case hex. Compare in constant time; refuse when t is more than five minutes away. ${OF_THE_EXAMPLE}`,
      signature,
    ),
    'X-Webhook-Event': text('The same value as X-Svc-Event.', event),
    'X-Webhook-Delivery-Id': text('The same value as X-Svc-Delivery-Id.', deliveryId),
    'X-Webhook-Timestamp': text('The same value as X-Svc-Timestamp.', String(TIME_MS)),
    'X-Webhook-Signature': text('The same value as X-Svc-Signature.', signature),
  };
}

/** Describes the headers of an endpoint with `standardWebhooks`. */
function standardHeadersOf(shown: Delivered): Record<string, object> {
  const signed = `${shown.deliveryId}.${TIME_MS / 1_000}.${JSON.stringify(shown)}`;
  const key = Buffer.from(SECRET.replace('whsec_', ''), 'base64');
  return {
    'webhook-id': text('The same value as X-Svc-Delivery-Id.', shown.deliveryId),
    'webhook-timestamp': text('Unix time in seconds.', String(TIME_MS / 1_000)),
    'webhook-signature': text(
      `\`v1,<base64>\` as Standard Webhooks has it: HMAC-SHA256 over \`<webhook-id>.<webhook-timestamp>.<raw body>\`, the key is what the base64 after whsec_ stands for. For 24 hours after a rotation two of them, separated by a blank. ${OF_THE_EXAMPLE}`,
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    ),
  };
}

/** Writes the `webhooks` section: what your endpoint receives, one entry per event (specification, "Events"). */
export function eventWebhooks(schemas: Schemas): Record<string, object> {
  const shown = PUBLIC_EVENT_CONTRACTS.find(({ name }) => name === SHOWN);
  if (!shown) throw new Error(`There is no event ${SHOWN}.`);
  const body = bodyOf(shown);
  const [value] = Object.values(examplesOf(body, schemas)) as [Delivered];
  const parameters = [
    ...parametersOf(headersOf(value), true),
    ...parametersOf(standardHeadersOf(value), false),
  ];
  return Object.fromEntries(
    PUBLIC_EVENT_CONTRACTS.map((contract) => {
      const examples = contract === shown ? { examples: { [SHOWN]: { value } } } : {};
      const content = { schema: bodyOf(contract), ...examples };
      return [contract.name, { post: deliveryOf(contract, content, parameters) }];
    }),
  );
}

function parametersOf(headers: Record<string, object>, required: boolean): object[] {
  return Object.entries(headers).map(([name, header]) => ({ name, in: 'header', required, ...header }));
}

function bodyOf({ name, data }: PublicEventContract): object {
  return {
    type: 'object',
    required: ['event', 'deliveryId', 'payload'],
    properties: {
      event: { type: 'string', const: name, description: 'Event name.' },
      deliveryId: { type: 'string', format: 'uuid', description: 'The value of X-Svc-Delivery-Id.' },
      payload: { $ref: getSchemaPath(data), description: 'Event data.' },
    },
  };
}

function deliveryOf({ name, summary }: PublicEventContract, content: object, parameters: object[]): object {
  return {
    operationId: `on.${name}`,
    summary,
    security: [],
    parameters: [...parameters],
    requestBody: { required: true, content: { 'application/json': content } },
    responses: {
      '2XX': { description: 'Taken. Answer so to a delivery id you know already, too.' },
      default: {
        description: 'Anything else, or no answer in time: up to five attempts, then the dead letters.',
      },
    },
  };
}
