import { beforeAll, expect, test } from '@jest/globals';
import { PUBLIC_EVENTS } from '@svc/contracts';
import { verifyWebhook } from '@svc/sdk';
import { type ReceivedWebhook, waitFor } from '@svc/testing';
import { Actor, expectStatus, inventPhone, linkSandboxNumber } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';
import { playRepertoire } from './repertoire.js';

const LIMIT_MS = 120_000;
const DAY_S = 86_400;

/** Events that the specification has, and types of a body. */
const NINE = [
  ...['message.received', 'message.sent', 'message.delivered', 'message.read', 'message.failed'],
  ...['session.connected', 'session.disconnected', 'session.qr_generated', 'session.logged_out'],
];
const TYPES = [
  ...['text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contact', 'poll', 'reaction'],
  ...['view_once', 'unsupported'],
];

/** Events that such a person has never heard of: an endpoint gets them that names them. */
const OTHERS = PUBLIC_EVENTS.filter((event) => !NINE.includes(event));

interface Endpoint {
  id: string;
  secret: string;
  path: string;
  answers: number[];
}
interface Delivery {
  status: string;
  nextAttemptAt: string | null;
  attempts: unknown[];
}

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => void (stack = await stackOfRun()));

/** Answers as the program of a person does who has read the specification alone: 400 to what is not in it, 401 to what is not genuine. */
function answerOf({ raw, headers }: ReceivedWebhook, secret: string): number {
  if (!verifyWebhook(raw, headers, secret).ok) return 401;
  const { event, payload } = JSON.parse(raw.toString()) as {
    event: string;
    payload: { body?: { type: string } };
  };
  if (!NINE.includes(event)) return 400;
  return event !== 'message.received' || TYPES.includes(payload.body?.type ?? '') ? 200 : 400;
}

/** Makes the endpoints of one tenant: that of a session, one for all sessions, and one that names what the specification has not. */
async function endpointsOf(actor: Actor): Promise<Endpoint[]> {
  const at = (path: string) => `${receiver.get().origin}${path}`;
  const bound = await actor.api('PUT', `/v1/sessions/${actor.sessionId}/external-config`, {
    ...{ enabled: true, webhookUrl: at('/bound') },
  });
  expectStatus(bound, 200);
  const { endpointId, webhookSecret } = bound.body;
  const made = [{ id: String(endpointId), secret: String(webhookSecret), path: '/bound', answers: [] }];
  for (const [path, events] of [
    ['/wide', []],
    ['/others', OTHERS],
  ] as const) {
    const answer = await actor.api('POST', '/v1/webhooks', { name: path, url: at(path), events });
    expectStatus(answer, 201);
    made.push({ id: String(answer.body['id']), secret: String(answer.body['secret']), path, answers: [] });
  }
  return made;
}

/** Waits until everything that is due by the clock of the sandbox has had its attempt. */
async function untilQuiet(actor: Actor, { id, path }: Endpoint): Promise<void> {
  await waitFor(
    `nothing to be due at ${path}`,
    async () => {
      const { body: clock } = await actor.api<{ now: string }>('GET', '/v1/sandbox/clock');
      const list = `/v1/webhooks/${id}/deliveries?status=PENDING&limit=200`;
      const { body } = await actor.api<{ items: Delivery[] }>('GET', list);
      return body.items.every(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt > clock.now);
    },
    LIMIT_MS,
  );
}

test('a receiver of the nine kinds that answers 400 to anything else is never paused, over all that the simulator can do and a day', async () => {
  const actor = await Actor.inSandbox(stack);
  const endpoints = await endpointsOf(actor);
  receiver.get().answerWith((webhook) => {
    const endpoint = endpoints.find(({ path }) => path === webhook.path);
    const status = endpoint ? answerOf(webhook, endpoint.secret) : 404;
    endpoint?.answers.push(status);
    return status;
  });
  const heard = (event: string, path = '/wide') =>
    waitFor(
      `${event} at ${path}`,
      () =>
        receiver
          .get()
          .bodies(path)
          .some((body) => body.event === event),
      LIMIT_MS,
    );

  await playRepertoire(actor, inventPhone());
  for (const event of NINE.filter((one) => one.startsWith('message.'))) await heard(event);
  for (const event of ['message.poll_vote', 'call.received']) await heard(event, '/others');
  await linkSandboxNumber(stack, actor.tenant.apiKey);
  await stack.platform('POST', `/accounts/${actor.phone}/disconnect`, {});
  for (const event of ['session.qr_generated', 'session.connected', 'session.disconnected'])
    await heard(event);
  await stack.platform('POST', `/accounts/${actor.phone}/unlink`, {});
  for (const path of ['/bound', '/wide']) await heard('session.logged_out', path);

  for (const endpoint of endpoints) await untilQuiet(actor, endpoint);
  expectStatus(await actor.api('POST', '/v1/sandbox/clock', { advanceSeconds: DAY_S }), 200);
  for (const endpoint of endpoints) await untilQuiet(actor, endpoint);
  // It waited until what came before it in its conversation was given up: deliveries of a conversation keep their order.
  await heard('message.live_location', '/others');

  for (const { id, answers } of endpoints) {
    const { body } = await actor.api('GET', `/v1/webhooks/${id}`);
    expect(body).toMatchObject({ status: 'ACTIVE', pausedAt: null });
    expect(answers).not.toContain(401);
  }
  const [bound, wide, others] = endpoints.map(({ answers }) => new Set(answers));
  expect([bound, wide, others]).toEqual([new Set([200]), new Set([200]), new Set([400])]);
  expect(endpoints[2]?.answers.length).toBeGreaterThan(5);
  const { body } = await actor.api<{ items: object[] }>('GET', '/v1/events?event=webhook.paused');
  expect(body.items).toEqual([]);
}, 600_000);
