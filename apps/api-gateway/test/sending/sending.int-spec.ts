import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { FindMessages, Reserve, type SessionStatus } from '@svc/contracts';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

afterEach(() => {
  gateway.fakes.refusal = undefined;
  gateway.fakes.asked = [];
});

const send = (body: object, key = tenant.apiKey): Promise<Answer> =>
  gateway.call(key, 'POST /v1/messages', body);
const session = (status: SessionStatus = 'CONNECTED'): string =>
  gateway.fakes.addSession(tenant.tenantId, { status }).id;
const rowsOf = (sessionId: string): Promise<{ id: string; status: string; contact: string }[]> =>
  gateway.service.database.query('SELECT * FROM gateway.message WHERE session_id = $1', [sessionId]);

const commandsOf = (sessionId: string) => gateway.commandsOf(sessionId);

const RATE_LIMIT = {
  ...{ layer: 'session' as const, limit: 10, used: 10, retryAfterSeconds: 4321 },
  resetAt: '2026-12-01T00:00:00.000Z',
};

describe('a send', () => {
  test('goes out of a session that is DEGRADED: it is connected, whatever doubts there are', async () => {
    const sessionId = session('DEGRADED');
    expect(await send({ sessionId, to: '+49 151 12345678', text: 'Hello' })).toMatchObject({ status: 200 });
    expect(await commandsOf(sessionId)).toHaveLength(1);
  });

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

  test.each([
    ['a number in the form of an earlier numbering plan', '+5215512345678', '5215512345678@s.whatsapp.net'],
    ['a contact whose number is hidden', '123456789012345@lid', '123456789012345@lid'],
  ])('answers %s: what message.received says can be replied to', async (_, to, address) => {
    const sessionId = session();
    const answer = await send({ sessionId, to, text: 'Hello back' });
    expect(answer).toMatchObject({ status: 200, body: { to: address } });
    expect(await commandsOf(sessionId)).toMatchObject([{ data: { to: address } }]);
    const { body } = await gateway.call(
      tenant.apiKey,
      `GET /v1/messages?sessionId=${sessionId}&contact=${encodeURIComponent(to)}`,
    );
    expect(body['items']).toMatchObject([{ contact: address }]);
  });

  test('of many at once gets its own answer, whatever becomes of those that are written with it', async () => {
    const sessionId = session();
    const erased = '+15550009999';
    await gateway.service.database.query(
      `INSERT INTO gateway.erasure (id, tenant_id, contact, requested_at, next_at)
       VALUES ($1, $2, '15550009999@s.whatsapp.net', now(), 'infinity')`,
      [randomUUID(), tenant.tenantId],
    );
    const pairs = Array.from({ length: 15 }, (_, pair) => pair);
    const toErased = (pair: number): boolean => pair % 5 === 1;
    const bodies = pairs.flatMap((pair) => {
      const to = toErased(pair) ? erased : `+1555000${1000 + pair}`;
      const body = { sessionId, to, text: `Pair ${pair}`, clientMessageId: `pair-${pair}` };
      return [body, body];
    });
    const answers = await Promise.all(bodies.map((body) => send(body)));
    const texts = new Map((await commandsOf(sessionId)).map(({ id, data }) => [id, data.content.text]));
    for (const pair of pairs) {
      const [one, other] = answers.slice(2 * pair, 2 * pair + 2) as [Answer, Answer];
      const statuses = [one.status, other.status];
      if (toErased(pair)) expect(statuses).toEqual([409, 409]);
      else {
        expect(statuses).toEqual([200, 200]);
        expect(one.body['jobId']).toBe(other.body['jobId']);
        expect(texts.get(one.body['jobId'] as string)).toBe(`Pair ${pair}`);
        const replayed = [one, other].filter(({ headers }) => headers.has('idempotent-replayed'));
        expect(replayed).toHaveLength(1);
      }
    }
    expect([texts.size, (await rowsOf(sessionId)).length]).toEqual([12, 12]);
  });

  test('twenty times at once under one clientMessageId is one job, one reservation, one row, one command', async () => {
    const sessionId = session();
    const body = { sessionId, to: '+15550001111', text: 'Once', clientMessageId: 'order-4711' };
    const before = gateway.fakes.reserved.size;
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const jobs = new Set(answers.map(({ body: { jobId } }) => jobId as string));
    expect(jobs.size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(gateway.fakes.reserved.size).toBe(before + 1);
    expect(await rowsOf(sessionId)).toHaveLength(1);
    expect(await commandsOf(sessionId)).toHaveLength(1);
  });
});

describe('refusals come in a fixed order', () => {
  const order = ['UNAUTHENTICATED', 'PAYMENT_REQUIRED', 'VALIDATION_FAILED', 'SESSION_NOT_FOUND'];
  // Each request mends the first fault of the request before, and nothing else.
  test('401, 402, 400 of the body, 404', async () => {
    const unpaid = await gateway.createTenant({ subscription: 'UNPAID' });
    const bad = { sessionId: randomUUID(), to: 'nobody', text: 'x' };
    const codes = [await send(bad, 'no key'), await send(bad, unpaid.apiKey), await send(bad)].map(
      ({ body }) => body['code'],
    );
    expect([...codes, (await send({ ...bad, to: '+15550001111' })).body['code']]).toEqual(order);
  });

  test('a body that is no JSON is looked at after key and subscription', async () => {
    const unpaid = await gateway.createTenant({ subscription: 'CANCELED' });
    const broken = (key: string | undefined) => gateway.call(key, 'POST /v1/messages', '{"sessionId":');
    expect((await broken(undefined)).status).toBe(401);
    expect((await broken(unpaid.apiKey)).status).toBe(402);
    expect((await broken(tenant.apiKey)).status).toBe(400);
  });

  test("another tenant's session is 403, before it matters whether it is connected", async () => {
    const other = await gateway.createTenant();
    const { id } = gateway.fakes.addSession(other.tenantId, { status: 'DISCONNECTED' });
    const answer = await send({ sessionId: id, to: '+15550001111', text: 'x' });
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  test('a session that is down is 400, before any cap is asked', async () => {
    gateway.fakes.refusal = RATE_LIMIT;
    const answer = await send({ sessionId: session('DISCONNECTED'), to: '+15550001111', text: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'SESSION_NOT_CONNECTED' } });
    expect(gateway.fakes.asked).not.toContain(Reserve.subject);
  });

  test.each(['MAINTENANCE', 'WORKER_LOST'] as const)(
    'a session that moves to another worker (%s) is 503, to be repeated in a second, and one that was never linked 400',
    async (statusReason) => {
      const moving = { status: 'RECONNECTING' as const, statusReason };
      const answers = [{}, { phone: null }].map((more) => {
        const { id } = gateway.fakes.addSession(tenant.tenantId, { ...moving, ...more });
        return send({ sessionId: id, to: '+15550001111', text: 'x' });
      });
      const [moves, isNew] = await Promise.all(answers);
      expect(moves).toMatchObject({
        status: 503,
        body: { code: 'UPSTREAM_UNAVAILABLE', meta: { statusReason } },
      });
      expect(moves?.headers.get('retry-after')).toBe('1');
      expect(isNew).toMatchObject({ status: 400, body: { code: 'SESSION_NOT_CONNECTED' } });
    },
  );

  test.each([
    ['session', /^The messages of this session for today are used up: its warmup tier allows 10 a day\./],
    ['plan', /^The messages of the plan for today are used up: it allows 10 a day\.$/],
  ] as const)(
    'a used up %s cap is 429, says which one and until when, and leaves nothing',
    async (layer, message) => {
      gateway.fakes.refusal = { ...RATE_LIMIT, layer };
      const sessionId = session();
      const answer = await send({
        sessionId,
        to: '+15550001111',
        text: 'x',
        clientMessageId: `full-${layer}`,
      });
      expect(answer.status).toBe(429);
      expect(answer.headers.get('retry-after')).toBe('4321');
      const { retryAfterSeconds: _, ...meta } = { ...RATE_LIMIT, layer };
      expect(answer.body).toMatchObject({
        ...{ code: 'RATE_LIMITED', meta },
        message: expect.stringMatching(message),
      });
      expect(await rowsOf(sessionId)).toEqual([]);
      expect(await commandsOf(sessionId)).toEqual([]);
    },
  );

  test('a used up tier says how it rises, by itself and by hand, and the highest one does not', async () => {
    const words = async (limit: number): Promise<unknown> => {
      gateway.fakes.refusal = { ...RATE_LIMIT, layer: 'session', limit };
      const sessionId = session();
      return (await send({ sessionId, to: '+15550001111', text: 'x' })).body['message'];
    };
    const message = await words(250);
    for (const part of ['half of the days', '15 % of the contacts reply', '/warmup', '/promote-warmup-tier'])
      expect(message).toContain(part);
    expect(await words(5_000)).toMatch(/allows 5000 a day\.$/);
  });
});

test('of each clientMessageId the digest of its message is stored, another one where session, contact or content differ', async () => {
  const [one, other] = [session(), session()];
  const digestOf = async (body: object): Promise<string> => {
    const clientMessageId = randomUUID();
    const request = { sessionId: one, to: '+15550001111', text: 'Hello', clientMessageId, ...body };
    expect(await send(request)).toMatchObject({ status: 200 });
    const [row] = await gateway.service.database.query<{ digest: string }>(
      `SELECT encode(body_hash, 'hex') AS digest FROM gateway.client_message
        WHERE tenant_id = $1 AND client_message_id = $2`,
      [tenant.tenantId, clientMessageId],
    );
    return row?.digest ?? '';
  };
  const digest = await digestOf({});
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(await digestOf({})).toBe(digest);
  for (const change of [{ sessionId: other }, { to: '+15550001112' }, { text: 'Hello!' }]) {
    expect(await digestOf(change)).not.toBe(digest);
  }
});

describe('a repeat of a clientMessageId', () => {
  test('says that it is one, and what it asks for otherwise', async () => {
    const [sessionId, other] = [session(), session()];
    const media = { kind: 'document', base64: 'JVBERi0=', mimeType: 'application/pdf', filename: 'a.pdf' };
    const firsts = [{ text: 'Hello' }, { media }];
    for (const content of firsts) {
      const clientMessageId = randomUUID();
      const again = async (change: object): Promise<Record<string, unknown>> =>
        (await send({ sessionId, to: '+15550001111', clientMessageId, ...content, ...change })).body;
      const first = await again({});
      expect(first).not.toHaveProperty('repeated');
      const repeated = { ...first, repeated: true };
      expect(await again({})).toEqual(repeated);
      expect(await again({ to: '+1 555 000 1112' })).toEqual({ ...repeated, differs: ['to'] });
      const text = { text: 'Hello!', media: undefined };
      expect(await again({ sessionId: other, ...text })).toEqual({
        ...repeated,
        differs: ['sessionId', 'content'],
      });
      expect(await again({ media: { ...media, base64: 'JVBERi0x' }, text: undefined })).toEqual({
        ...repeated,
        differs: ['content'],
      });
      expect(await again({ to: '1 555 000 1111' })).toEqual(repeated);
    }
  });

  test.each([
    ['with other words, to somebody else', { text: 'Second', to: '+4915112345678' }, () => undefined],
    [
      'when the session went down',
      {},
      (sessionId: string) => {
        gateway.fakes.addSession(tenant.tenantId, { id: sessionId, status: 'DISCONNECTED' });
        gateway.invalidatePermissions();
      },
    ],
    ['from another session', () => ({ sessionId: session() }), () => undefined],
    ['that answers a message that is not there', { replyTo: randomUUID() }, () => undefined],
    ['when the cap is full', {}, () => void (gateway.fakes.refusal = RATE_LIMIT)],
  ])('returns the first job %s, and takes nothing', async (_, more, happen) => {
    const sessionId = session();
    const body = { sessionId, to: '+15550001111', text: 'First', clientMessageId: randomUUID() };
    const first = await send(body);
    happen(sessionId);
    const again = await send({ ...body, ...(typeof more === 'function' ? more() : more) });
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ ...first.body, repeated: true });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(gateway.fakes.reserved.get(first.body['jobId'] as string)).toBe(1);
    expect(await commandsOf(sessionId)).toHaveLength(1);
  });

  test('returns the first job while nobody knows the limits', async () => {
    const body = { sessionId: session(), to: '+15550001111', text: 'x', clientMessageId: 'unlimited' };
    const first = await send(body);
    await gateway.fakes.without(Reserve, async () => {
      expect(await send(body)).toMatchObject({ status: 200, body: first.body });
      expect(await send({ ...body, clientMessageId: 'new' })).toMatchObject({ status: 503 });
    });
  });

  test('whose unit is forgotten takes none for good', async () => {
    const body = { sessionId: session(), to: '+15550001111', text: 'x', clientMessageId: 'forgotten' };
    const first = await send(body);
    const jobId = first.body['jobId'] as string;
    const holds = async () => (await gateway.service.rpc.request(FindMessages, { jobIds: [jobId] })).jobIds;
    expect(await holds()).toEqual([jobId]);
    await gateway.service.database.query(
      `UPDATE gateway.message SET created_at = created_at - interval '35 days' WHERE id = $1`,
      [jobId],
    );
    gateway.fakes.reserved.delete(jobId);
    expect((await send(body)).body['jobId']).toBe(jobId);
    expect(await holds()).toEqual([]);
  });

  test.each(['Bestellung 4711 – für Zoë', ' ', '注文-42', '👍'.repeat(128), '{"order":4711}', "';--"])(
    'may be any string of up to 128 characters: %s',
    async (clientMessageId) => {
      const body = { sessionId: session(), to: '+15550001111', text: 'x', clientMessageId };
      const first = await send(body);
      expect(first).toMatchObject({ status: 200, body: { clientMessageId } });
      expect((await send(body)).body).toEqual({ ...first.body, repeated: true });
      expect(await commandsOf(body.sessionId)).toMatchObject([{ data: { clientMessageId } }]);
    },
  );

  test('is a job of its own for every tenant', async () => {
    const other = await gateway.createTenant();
    const body = { to: '+15550001111', text: 'x', clientMessageId: 'shared' };
    const mine = await send({ ...body, sessionId: session() });
    const theirs = await send(
      { ...body, sessionId: gateway.fakes.addSession(other.tenantId).id },
      other.apiKey,
    );
    expect([mine.status, theirs.status]).toEqual([200, 200]);
    expect(mine.body['jobId']).not.toBe(theirs.body['jobId']);
  });

  test('after a crash between reservation and row reserves nothing again', async () => {
    const sessionId = session();
    const body = { sessionId, to: '+15550001111', text: 'x', clientMessageId: 'crashed' };
    const { jobId } = (await send(body)).body;
    // A crash would have left the reservation alone.
    await gateway.service.database.query('DELETE FROM gateway.message WHERE id = $1', [jobId]);
    await gateway.service.database.query('DELETE FROM gateway.client_message WHERE job_id = $1', [jobId]);
    gateway.fakes.refusal = RATE_LIMIT;
    expect((await send(body)).body['jobId']).toBe(jobId);
    expect(await rowsOf(sessionId)).toHaveLength(1);
  });
});
