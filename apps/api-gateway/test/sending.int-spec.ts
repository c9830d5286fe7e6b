import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  GetSession,
  GetSubscription,
  type NewTenant,
  Reserve,
  type SendMessageV1,
  STREAMS,
} from '@svc/contracts';
import { Messaging, partitionOf } from '@svc/messaging';
import { type Answer, TestGateway } from './gateway.js';

let gateway: TestGateway;
let tenant: NewTenant;

beforeAll(async () => {
  gateway = await TestGateway.start();
  tenant = await gateway.createTenant();
});
afterAll(() => gateway.stop());
afterEach(() => {
  gateway.fakes.refusal = undefined;
  gateway.fakes.asked = [];
});

const send = (body: object, key = tenant.apiKey): Promise<Answer> =>
  gateway.call(key, 'POST /v1/messages', body);
const session = (status: 'CONNECTED' | 'DISCONNECTED' = 'CONNECTED'): string =>
  gateway.fakes.addSession(tenant.tenantId, { status }).id;
const rowsOf = (sessionId: string): Promise<{ id: string; status: string; contact: string }[]> =>
  gateway.service.database.query('SELECT * FROM gateway.message WHERE session_id = $1', [sessionId]);

/** Commands for a session that lie in the stream. */
async function commandsOf(
  sessionId: string,
): Promise<{ id: string; tenantId: string; data: SendMessageV1 }[]> {
  const { manager } = gateway.service.get(Messaging);
  const subject = `cmd.${partitionOf(sessionId)}.send-message.${sessionId}`;
  const info = await manager.streams.info(STREAMS.commands, { subjects_filter: subject });
  const commands = [];
  for (let seq = info.state.first_seq; seq <= info.state.last_seq; seq += 1) {
    const stored = await manager.streams.getMessage(STREAMS.commands, { seq });
    if (stored?.subject === subject)
      commands.push(stored.json<{ id: string; tenantId: string; data: SendMessageV1 }>());
  }
  return commands;
}

const RATE_LIMIT = {
  ...{ layer: 'session' as const, limit: 10, used: 10, retryAfterSeconds: 4321 },
  resetAt: '2026-12-01T00:00:00.000Z',
};

describe('a send', () => {
  test('is answered with a job, and leaves a row and one command', async () => {
    const sessionId = session();
    const answer = await send({ sessionId, to: '+49 151 12345678', text: 'Hello' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: 'QUEUED',
      jobId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sessionId,
      to: '4915112345678@s.whatsapp.net',
      clientMessageId: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(await rowsOf(sessionId)).toMatchObject([{ id: answer.body['jobId'], status: 'QUEUED' }]);
    expect(await commandsOf(sessionId)).toMatchObject([
      {
        id: answer.body['jobId'],
        tenantId: tenant.tenantId,
        data: { sessionId, to: answer.body['to'], content: { type: 'text', text: 'Hello' } },
      },
    ]);
  });

  test('twenty times at once under one clientMessageId is one job, one reservation, one row, one command', async () => {
    const sessionId = session();
    const body = { sessionId, to: '+15550001111', text: 'Once', clientMessageId: 'order-4711' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const jobs = new Set(answers.map(({ body: { jobId } }) => jobId as string));
    expect(jobs.size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect([...gateway.fakes.reserved.keys()].filter((id) => jobs.has(id))).toHaveLength(1);
    expect(await rowsOf(sessionId)).toHaveLength(1);
    expect(await commandsOf(sessionId)).toHaveLength(1);
  });
});
