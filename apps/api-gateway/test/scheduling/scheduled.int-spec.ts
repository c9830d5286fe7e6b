import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  EndMessage,
  FindMessages,
  GetSession,
  MessageReceived,
  type MessageReceivedV1,
  type NewTenant,
  Reserve,
  SessionDeleted,
  type SessionState,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let tenant: NewTenant;
let session: SessionState;

beforeEach(async () => {
  tenant = await gateway.createTenant();
  session = gateway.fakes.addSession(tenant.tenantId);
  gateway.fakes.asked = [];
  gateway.fakes.refusal = undefined;
});

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const send = (more: object): Promise<Answer> =>
  gateway.call(tenant.apiKey, 'POST /v1/messages', {
    ...{ sessionId: session.id, to: '+15550001111', text: 'x', ...more },
  });
const schedule = async (more: object = {}): Promise<string> =>
  (await send({ sendAt: inMs(HOUR_MS), ...more })).body['jobId'] as string;
const read = async (jobId: string): Promise<Record<string, unknown>> =>
  (await gateway.call(tenant.apiKey, `GET /v1/messages/${jobId}`)).body;
const commands = () => gateway.commandsOf(session.id);
/** Moves the tenant's own clock, as the sandbox does. */
const move = (ms: number): Promise<unknown> =>
  gateway.service.database.query(
    `INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, $2)
     ON CONFLICT (tenant_id) DO UPDATE SET offset_ms = excluded.offset_ms`,
    [tenant.tenantId, ms],
  );
const waiting = async (): Promise<number> => {
  const sql = 'SELECT job_id FROM gateway.scheduled_message WHERE tenant_id = $1';
  return (await gateway.service.database.query(sql, [tenant.tenantId])).length;
};
const failed = (jobId: string): Promise<Record<string, unknown>> =>
  waitFor('FAILED', async () => {
    const message = await read(jobId);
    return message['status'] === 'FAILED' && message;
  });

describe('a message with a time', () => {
  test('is queued, says when it goes out, and neither takes a unit nor reaches the worker before', async () => {
    const sendAt = inMs(HOUR_MS);
    const { status, body } = await send({ sendAt });
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'QUEUED', sendAt } });
    expect(await read(body['jobId'] as string)).toMatchObject({ status: 'QUEUED', sendAt });
    await move(HOUR_MS - MINUTE_MS);
    // The sweeper has gone round when a message whose time comes has gone.
    const other = await schedule({ sendAt: inMs(HOUR_MS - MINUTE_MS + 300) });
    await waitFor('the other command', async () => (await commands()).length > 0);
    expect(await commands()).toMatchObject([{ id: other }]);
    expect([...gateway.fakes.reserved.keys()]).not.toContain(body['jobId']);
  });

  test('goes out at its time by the clock of its tenant, with a unit of that day', async () => {
    const metadata = { orderId: '4711' };
    const jobId = await schedule({ sendAt: inMs(3 * DAY_MS), metadata });
    await move(3 * DAY_MS);
    await waitFor('the command', async () => (await commands()).length > 0);
    const [command] = await commands();
    expect(command).toMatchObject({ id: jobId, data: { content: { type: 'text', text: 'x' }, metadata } });
    // The worker's own limit counts from when it may go.
    expect(Math.abs(Date.parse(command?.data.acceptedAt ?? '') - Date.now())).toBeLessThan(MINUTE_MS);
    expect(gateway.fakes.reserved.get(jobId)).toBe(1);
    expect(await waiting()).toBe(0);
  });

  test('goes out in the order of the times, and at the same time in the order in which they were accepted', async () => {
    const times = [3, 1, 2, 5, 4];
    const jobs = new Map<number, string>();
    for (const n of times) jobs.set(n, await schedule({ sendAt: inMs(n * MINUTE_MS) }));
    const sendAt = inMs(6 * MINUTE_MS);
    const together = [];
    for (let n = 0; n < 5; n += 1)
      together.push(await schedule({ sendAt, clientMessageId: `${session.id}-${n}` }));
    await move(HOUR_MS);
    await waitFor('all commands', async () => (await commands()).length === 10);
    const first = [1, 2, 3, 4, 5].map((n) => jobs.get(n));
    expect((await commands()).map(({ id }) => id)).toEqual([...first, ...together]);
  });

  const whileMoving = async (run: () => Promise<void>): Promise<void> => {
    Object.assign(session, { status: 'RECONNECTING', statusReason: 'MAINTENANCE' });
    await run();
    session.status = 'CONNECTED';
  };
  test.each([
    ['limits is away', (run: () => Promise<void>) => gateway.fakes.without(Reserve, run)],
    ['its session moves to another worker', whileMoving],
  ])('waits while %s, and is not overtaken by one whose time comes then', async (_, during) => {
    const first = await schedule();
    const second = await schedule({ sendAt: inMs(HOUR_MS + MINUTE_MS) });
    const sql = `SELECT FROM gateway.scheduled_message WHERE job_id = $1
      AND look_at - clock_timestamp() BETWEEN interval '1 second' AND interval '3 seconds'`;
    const putOff = () => gateway.service.database.query(sql, [first]);
    await during(async () => {
      await move(HOUR_MS);
      await waitFor('its first try', async () => (await putOff()).length > 0);
    });
    await move(HOUR_MS + MINUTE_MS);
    await waitFor('both commands', async () => (await commands()).length === 2);
    expect((await commands()).map(({ id }) => id)).toEqual([first, second]);
  });

  test('may be set aside while the session is down, over its cap or restricted: that is looked at then', async () => {
    gateway.fakes.refusal = {
      ...{ layer: 'session', limit: 10, used: 10, retryAfterSeconds: 60 },
      resetAt: inMs(HOUR_MS),
    };
    session.status = 'DISCONNECTED';
    session.restriction = { reason: 'NEW_CHAT_QUOTA', until: inMs(HOUR_MS) };
    expect(await send({ sendAt: inMs(HOUR_MS) })).toMatchObject({ status: 200 });
    expect((await send({ sendAt: inMs(HOUR_MS), dryRun: true })).body).toMatchObject({ wouldSend: true });
    expect(gateway.fakes.asked).not.toContain(Reserve.subject);
  });

  test('is one job under its clientMessageId, also when the repeat comes after its time', async () => {
    const asked = { sendAt: inMs(HOUR_MS), clientMessageId: 'once-later' };
    const first = await send(asked);
    await move(HOUR_MS);
    await waitFor('the command', async () => (await commands()).length > 0);
    const again = await send(asked);
    expect(again.body).toMatchObject({ ...first.body, repeated: true });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('waits for its session from then on, where it is to be queued', async () => {
    const sendAt = inMs(HOUR_MS);
    const { body } = await send({ sendAt, onDisconnected: 'queue', queueForSeconds: 60 });
    const expiresAt = new Date(Date.parse(sendAt) + MINUTE_MS).toISOString();
    expect(body).toMatchObject({ sendAt, expiresAt });
    session.status = 'DISCONNECTED';
    await move(HOUR_MS);
    await waitFor('the command', async () => (await commands()).length > 0);
    expect(await commands()).toMatchObject([{ data: { expiresAt } }]);
  });

  test.each([
    ['in the past', () => inMs(-1_000), 'sendAt must be in the future'],
    ['too far ahead', () => inMs(28 * DAY_MS + MINUTE_MS), 'sendAt must be at most 28 days ahead'],
    ['without a zone', () => '2031-01-01T00:00:00', 'sendAt must be a time with a zone'],
    ['no time', () => 'tomorrow', 'sendAt must be a time with a zone'],
  ])('is refused with one %s, by field and rule', async (_, sendAt, rule) => {
    const { status, body } = await send({ sendAt: sendAt() });
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    const { fields } = body['meta'] as { fields: { field: string; rule: string }[] };
    expect(fields[0]).toEqual({ field: 'sendAt', rule: expect.stringContaining(rule) });
    expect(await waiting()).toBe(0);
  });

  test('is refused with a file that is not kept until then', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array([1, 2, 3])], { type: 'text/plain' }), 'a.txt');
    const uploaded = await fetch(`${gateway.service.url}/v1/media`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${tenant.apiKey}` }, body: form },
    });
    const { mediaId } = (await uploaded.json()) as { mediaId: string };
    const media = { kind: 'document', mediaId };
    const sendFile = (days: number) => send({ text: undefined, media, sendAt: inMs(days * DAY_MS) });
    expect(await sendFile(27)).toMatchObject({ status: 200 });
    await gateway.service.database.query(
      `UPDATE gateway.upload SET created_at = created_at - interval '10 days' WHERE id = $1`,
      [mediaId],
    );
    expect(await sendFile(19)).toMatchObject({ status: 200 });
    const { status, body } = await sendFile(21);
    const rule = 'media.mediaId must be the id of an upload that is kept until it goes out';
    expect({ status, body }).toMatchObject({ status: 400, body: { meta: { fields: [{ rule }] } } });
  });
});

describe('a message whose time has come', () => {
  const limit = { layer: 'plan' as const, limit: 10, used: 10, retryAfterSeconds: 60 };
  test.each([
    ['its session is not connected', 'SESSION_NOT_CONNECTED', () => void (session.status = 'DISCONNECTED')],
    [
      'a limit is used up',
      'RATE_LIMITED',
      () => void (gateway.fakes.refusal = { ...limit, resetAt: inMs(HOUR_MS) }),
    ],
    [
      'the platform restricts its session',
      'NEW_CHAT_QUOTA',
      () => void (session.restriction = { reason: 'NEW_CHAT_QUOTA', until: inMs(HOUR_MS) }),
    ],
    [
      'its tenant does not pay any more',
      'PAYMENT_REQUIRED',
      () => {
        const state = gateway.fakes.subscriptions.get(tenant.tenantId);
        if (state) state.active = false;
        gateway.invalidatePermissions();
      },
    ],
  ])('fails when %s, with %s, and sends nothing', async (_, code, happen) => {
    const jobId = await schedule();
    happen();
    await move(HOUR_MS);
    expect(await failed(jobId)).toMatchObject({ failure: { code, givenBack: ['session', 'plan'] } });
    await waitFor('it to wait for nothing', async () => (await waiting()) === 0);
    expect(await commands()).toEqual([]);
  });

  describe('with a change of another message', () => {
    const keyIdOf = (jobId: string): string => `3EB0${jobId}`;
    const sent = async (): Promise<string> => {
      const jobId = (await send({})).body['jobId'] as string;
      await gateway.service.database.query(
        `UPDATE gateway.message SET status = 'SENT', key_id = $2 WHERE id = $1`,
        [jobId, keyIdOf(jobId)],
      );
      return jobId;
    };
    const isCommanded = (jobId: string): Promise<boolean> =>
      waitFor('the command', async () => (await commands()).some(({ id }) => id === jobId));

    test.each(['edit', 'delete'])('fails where that was deleted meanwhile: %s', async (change) => {
      const messageId = await sent();
      const changed = change === 'edit' ? { messageId, text: 'y' } : { messageId };
      const jobId = await schedule({ text: undefined, [change]: changed });
      // The owner deletes it on the phone.
      const id = randomUUID();
      const revoked = { kind: 'REVOKED' as const, keyId: keyIdOf(messageId) };
      const data: MessageReceivedV1 = {
        ...{ sessionId: session.id, messageId: id, remoteJid: '15550001112@s.whatsapp.net', keyId: 'ABC' },
        ...{
          chatId: '15550001111@s.whatsapp.net',
          phone: null,
          pushName: null,
          fromMe: true,
          change: revoked,
        },
        ...{ body: { type: 'unsupported', original: 'protocolMessage' }, timestamp: inMs(0) },
      };
      await gateway.fakes.messaging.publishEvent(envelopeOf(MessageReceived, tenant, data));
      await waitFor('the deletion', async () => (await read(messageId))['deletedAt']);
      await move(HOUR_MS);
      expect(await failed(jobId)).toMatchObject({ failure: { code: 'VALIDATION_FAILED' } });
      expect((await commands()).map(({ id }) => id)).toEqual([messageId]);
    });

    test('goes out where that is deleted later only', async () => {
      const messageId = await sent();
      const edit = await schedule({ text: undefined, edit: { messageId, text: 'y' } });
      const later = await schedule({
        ...{ text: undefined, delete: { messageId }, sendAt: inMs(2 * HOUR_MS) },
      });
      await move(HOUR_MS);
      await isCommanded(edit);
      await move(2 * HOUR_MS);
      await isCommanded(later);
    });
  });

  test('is told to the worker when its session is gone: it knows what to say', async () => {
    const jobId = await schedule();
    gateway.fakes.sessions.delete(session.id);
    await move(HOUR_MS);
    await waitFor('the command', async () => (await commands()).length > 0);
    expect(gateway.fakes.reserved.has(jobId)).toBe(false);
  });

  test.each([GetSession, Reserve])(
    'waits while nobody answers $subject, and then goes once',
    async (contract) => {
      const jobId = await schedule();
      await gateway.fakes.without(contract, async () => {
        await move(HOUR_MS);
        await waitFor('it to be tried', async () => {
          const sql = 'SELECT FROM gateway.scheduled_message WHERE job_id = $1 AND tried_since IS NOT NULL';
          return (await gateway.service.database.query(sql, [jobId])).length > 0;
        });
        expect(await read(jobId)).toMatchObject({ status: 'QUEUED' });
      });
      await waitFor('the command', async () => (await commands()).length > 0);
      expect(await commands()).toHaveLength(1);
    },
  );

  test('fails as expired where what it needs has been away for too long', async () => {
    const jobId = await schedule();
    await gateway.service.database.query(
      `UPDATE gateway.scheduled_message SET tried_since = clock_timestamp() - interval '11 minutes' WHERE job_id = $1`,
      [jobId],
    );
    await move(HOUR_MS);
    expect(await failed(jobId)).toMatchObject({ failure: { code: 'EXPIRED' } });
  });

  test('is taken on by the next process where one has died with it', async () => {
    const jobId = await schedule();
    const claimedFor = (ms: number) =>
      gateway.service.database.query(
        `UPDATE gateway.scheduled_message SET tried_since = clock_timestamp(),
           look_at = clock_timestamp() + $2 * interval '1 ms' WHERE job_id = $1`,
        [jobId, ms],
      );
    // The row is as a process leaves it that dies after its claim: no other process looks at it for as long as that one could go on.
    await claimedFor(HOUR_MS);
    await move(HOUR_MS);
    const { id: sessionId } = gateway.fakes.addSession(tenant.tenantId);
    const next = await schedule({ sendAt: inMs(HOUR_MS + 200) });
    await schedule({ sendAt: inMs(HOUR_MS + 300), sessionId });
    await waitFor('the command of another session', async () => {
      return (await gateway.commandsOf(sessionId)).length > 0;
    });
    expect(await commands()).toEqual([]);
    await claimedFor(0);
    await waitFor('both commands', async () => (await commands()).length === 2);
    expect((await commands()).map(({ id }) => id)).toEqual([jobId, next]);
  });
});

describe('a message that waits for its time', () => {
  test('is canceled, and does not go out when its time comes', async () => {
    const jobId = await schedule();
    const canceled = await gateway.call(tenant.apiKey, `POST /v1/messages/${jobId}/cancel`);
    expect(canceled).toMatchObject({ status: 200, body: { failure: { code: 'CANCELED' } } });
    expect(await waiting()).toBe(0);
    const other = await schedule();
    await move(HOUR_MS + MINUTE_MS);
    await waitFor('the other command', async () => (await commands()).length > 0);
    expect(await commands()).toMatchObject([{ id: other }]);
    expect(gateway.fakes.reserved.has(jobId)).toBe(false);
  });

  test('waits no longer when its session is deleted: the worker is told at once, and knows what to say', async () => {
    const other = gateway.fakes.addSession(tenant.tenantId);
    const [jobId, kept] = [
      await schedule({ sendAt: inMs(20 * DAY_MS) }),
      await schedule({ sessionId: other.id }),
    ];
    const { sendAt } = await read(jobId);
    await gateway.call(tenant.apiKey, `DELETE /v1/sessions/${session.id}`);
    const deleted = { sessionId: session.id, timestamp: inMs(0) };
    await gateway.fakes.messaging.publishEvent(envelopeOf(SessionDeleted, tenant, deleted));
    await waitFor('the command', async () => (await commands()).length > 0);
    expect(await commands()).toMatchObject([{ id: jobId }]);
    expect(gateway.fakes.reserved.has(jobId)).toBe(false);
    expect(await read(jobId)).toMatchObject({ sendAt });
    expect(await read(kept)).toMatchObject({ status: 'QUEUED' });
    expect(await waiting()).toBe(1);
  });

  test('is canceled also where the process that canceled it died before it could say so here', async () => {
    const jobId = await schedule();
    // The row is as the event of the worker leaves it: it still waits for its time.
    await gateway.service.database.query(
      `UPDATE gateway.message SET status = 'FAILED', failure = '{"code": "CANCELED", "givenBack": ["session", "plan"]}' WHERE id = $1`,
      [jobId],
    );
    await move(HOUR_MS);
    await waitFor('it to wait for nothing', async () => (await waiting()) === 0);
    expect(await commands()).toEqual([]);
    expect(gateway.fakes.asked).not.toContain(EndMessage.subject);
  });

  test('has a unit from its time on, until it is canceled', async () => {
    const jobId = await schedule();
    const holds = async () => (await gateway.service.rpc.request(FindMessages, { jobIds: [jobId] })).jobIds;
    expect(await holds()).toEqual([]);
    await move(HOUR_MS);
    await waitFor('the command', async () => (await commands()).length > 0);
    expect(await holds()).toEqual([jobId]);
    await gateway.call(tenant.apiKey, `POST /v1/messages/${jobId}/cancel`);
    expect(await holds()).toEqual([]);
  });

  test.each([{}, { sendAt: inMs(DAY_MS) }])(
    'is the job of a repeat of its clientMessageId with %j, too',
    async (more) => {
      const clientMessageId = 'scheduled';
      const jobId = await schedule({ clientMessageId });
      const again = await send({ clientMessageId, ...more });
      expect(again).toMatchObject({ status: 200, body: { jobId } });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await commands()).toEqual([]);
      expect((await gateway.service.rpc.request(FindMessages, { jobIds: [jobId] })).jobIds).toEqual([]);
    },
  );
});
