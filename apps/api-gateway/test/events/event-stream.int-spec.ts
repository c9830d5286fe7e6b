import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  EventLogGrew,
  type LoggedEvent,
  type NewTenant,
  parseData,
  SessionConnectedV1,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { EventStreams } from '../../src/events/event-streams.service.js';
import { LogReader } from '../../src/events/log-reader.js';
import { LogTail } from '../../src/events/log-tail.js';
import { expectError } from '../support/answers.js';
import { gateway, withGateway } from '../support/gateway.js';
import { StreamReader } from '../support/stream-reader.js';

withGateway({ EVENT_STREAMS_PER_TENANT: '4' });

const PATH = '/v1/events/stream';
let tenant: NewTenant;
let readers: StreamReader[];

beforeEach(async () => {
  tenant = await gateway.createTenant();
  readers = [];
  gateway.fakes.dispatcher.log = [];
  gateway.fakes.dispatcher.storedSince = 0;
});
afterEach(() => readers.forEach((reader) => reader.leave()));

const anEvent = (n: number, text = ''): LoggedEvent => ({
  ...{ id: randomUUID(), event: 'message.received', createdAt: '2026-01-31T12:00:00.000Z' },
  payload: { n, text },
});

/** Writes events into the log, as the dispatcher does; its notice is left out where `silent`. */
function happen(events: LoggedEvent[], { silent = false } = {}): void {
  const { dispatcher, messaging } = gateway.fakes;
  dispatcher.log.push(...events);
  if (!silent) messaging.notify(EventLogGrew, { tenantIds: [tenant.tenantId] });
}

async function follow(
  { after, last, key = tenant.apiKey }: { after?: string | undefined; last?: string; key?: string } = {},
  read = true,
): Promise<StreamReader> {
  const query = after === undefined ? '' : `?after=${after}`;
  const headers = { authorization: `Bearer ${key}`, ...(last ? { 'last-event-id': last } : {}) };
  const reader = await StreamReader.open(gateway.service.url + PATH + query, headers, read);
  readers.push(reader);
  return reader;
}

/** Reads the cursor of the log as it is. */
async function cursor(): Promise<string> {
  const { body } = await gateway.call(tenant.apiKey, 'GET /v1/events?limit=200');
  return body['nextCursor'] as string;
}

const numbersOf = (...from: StreamReader[]): unknown[] =>
  from.flatMap(({ events }) => events.map(({ data }) => (data?.['payload'] as { n: number }).n));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('a stream', () => {
  test('tells what came after the cursor, then what happens, under the cursors of the log', async () => {
    happen([anEvent(1)]);
    const after = await cursor();
    happen([anEvent(2)]);
    const reader = await follow({ after });
    await reader.until(1);
    const third = anEvent(3);
    happen([third]);
    await reader.until(2);
    expect(numbersOf(reader)).toEqual([2, 3]);
    expect(reader.events[1]).toEqual({ event: 'message.received', id: await cursor(), data: third });
  });

  test('looks as the description shows it', async () => {
    const { paths } = (await gateway.call(undefined, 'GET /openapi.json')).body as {
      paths?: Record<string, { get?: { description: string } }>;
    };
    const [, example = ''] = /```\n(.+)```/s.exec(paths?.['/v1/events/stream']?.get?.description ?? '') ?? [];
    const data = JSON.parse(/^data: (.+)$/m.exec(example)?.[1] ?? '') as LoggedEvent;
    const reader = await follow();
    await waitFor('the place of the stream', () => reader.lastId);
    happen([data]);
    await reader.until(1);
    const withoutPlaces = (text: string): string => text.replace(/^id: [\w-]+$/gm, 'id: here');
    expect(withoutPlaces(reader.raw)).toBe(withoutPlaces(example));
    expect(() => parseData(SessionConnectedV1, data.payload)).not.toThrow();
  });

  test('begins with what happens from now on', async () => {
    happen([anEvent(1)]);
    const reader = await follow();
    happen([anEvent(2)]);
    await reader.until(1);
    expect(numbersOf(reader)).toEqual([2]);
  });

  test('of a tenant without events begins with the first, also for a reader who was gone when it came', async () => {
    const [reader, gone] = [await follow(), await follow()];
    const last = await waitFor('a place to go on from', () => gone.lastId);
    gone.leave();
    happen([anEvent(1)]);
    await reader.until(1);
    const back = await follow({ last });
    await back.until(1);
    expect(numbersOf(reader, back)).toEqual([1, 1]);
    const { body } = await gateway.call(tenant.apiKey, `GET /v1/events?after=${last}`);
    expect(body['items']).toHaveLength(1);
  });

  test('is for nobody in between to keep or to collect', async () => {
    const { response } = await follow();
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('has no gap and no repeat, however often its reader comes back while events arrive', async () => {
    const TOTAL = 1_200;
    happen([anEvent(0)]);
    let last = await cursor();
    let made = 0;
    const make = (count: number): void => happen(Array.from({ length: count }, () => anEvent((made += 1))));
    make(300);
    const timer = setInterval(() => void (made < TOTAL && make(3)), 3);
    const seen: unknown[] = [];
    try {
      while (seen.length < TOTAL) {
        // The gateway notices a moment later that the reader before is gone.
        const reader = await waitFor('room', async () => {
          const next = await follow({ last });
          return next.response.statusCode === 200 && next;
        });
        await waitFor('some more', () => reader.events.length >= Math.min(61, TOTAL - seen.length));
        reader.leave();
        // The reader may have received more events that it has not come to.
        const taken = reader.events.slice(0, 61);
        seen.push(...taken.map(({ data }) => (data?.['payload'] as { n: number }).n));
        last = taken.at(-1)?.id ?? last;
      }
    } finally {
      clearInterval(timer);
    }
    expect(seen).toEqual(upTo(TOTAL));
  });

  test('does not depend on notices: one look a second finds what they left out', async () => {
    const reader = await follow();
    for (const n of upTo(3)) {
      happen([anEvent(n)], { silent: true });
      await reader.until(n);
    }
    expect(numbersOf(reader)).toEqual([1, 2, 3]);
  });

  test('waits for a reader who is slow, and reads no further ahead than a few pages', async () => {
    happen([anEvent(0)]);
    const after = await cursor();
    gateway.fakes.dispatcher.asked.length = 0;
    happen(upTo(3_000).map((n) => anEvent(n, 'x'.repeat(8_000))));
    const reader = await follow({ after }, false);
    const asked = () => gateway.fakes.dispatcher.asked.length;
    // Kernel and client hold some megabytes; after that nothing moves.
    let [before, still] = [-1, 0];
    await waitFor('the stream to stand still', () => {
      still = asked() === before ? still + 1 : 0;
      before = asked();
      return still === 20;
    });
    expect(asked()).toBeLessThan(20);
    void reader.readOn();
    await reader.until(3_000);
    expect(numbersOf(reader)).toEqual(upTo(3_000));
  });
});

describe('a stream is refused', () => {
  test('without a cursor of this log', async () => {
    const other = await gateway.createTenant();
    happen([anEvent(1)]);
    const theirs = (await gateway.call(other.apiKey, 'GET /v1/events')).body['nextCursor'] as string;
    for (const wrong of ['nonsense', theirs]) {
      expectError(await gateway.call(tenant.apiKey, `GET ${PATH}?after=${wrong}`), 400, 'VALIDATION_FAILED');
      const headers = { 'last-event-id': wrong };
      const answer = await gateway.call(tenant.apiKey, `GET ${PATH}`, undefined, headers);
      expectError(answer, 400, 'VALIDATION_FAILED');
      expect(answer.body['meta']).toMatchObject({ fields: [{ field: 'Last-Event-ID' }] });
    }
  });

  test('where the event of its cursor is not kept any more', async () => {
    happen([anEvent(1)]);
    const after = await cursor();
    gateway.fakes.dispatcher.log = [];
    expectError(await gateway.call(tenant.apiKey, `GET ${PATH}?after=${after}`), 410, 'CURSOR_EXPIRED');
  });

  test('where the log was empty, and what came next need not be kept any more', async () => {
    const reader = await follow();
    const last = await waitFor('a place to go on from', () => reader.lastId);
    reader.leave();
    happen([anEvent(1)]);
    gateway.fakes.dispatcher.storedSince = Date.now() + 1;
    const headers = { 'last-event-id': last };
    expectError(await gateway.call(tenant.apiKey, `GET ${PATH}`, undefined, headers), 410, 'CURSOR_EXPIRED');
    const page = await gateway.call(tenant.apiKey, `GET /v1/events?after=${last}`);
    expectError(page, 410, 'CURSOR_EXPIRED');
  });

  test('beyond so many of a key and of a tenant, until one of them ends', async () => {
    const { body } = await gateway.call(tenant.apiKey, 'POST /v1/api-keys', { rotates: null });
    const keys = [tenant.apiKey, body['secret'] as string];
    const third = (await gateway.call(tenant.apiKey, 'POST /v1/api-keys', { rotates: null })).body['secret'];
    for (const key of keys) {
      await follow({ key });
      await follow({ key });
    }
    for (const [key, limit] of [
      [keys[0], 2],
      [third as string, 4],
    ] as const) {
      const answer = await gateway.call(key, `GET ${PATH}`);
      expectError(answer, 429, 'RATE_LIMITED');
      expect(answer.body['meta']).toEqual({ layer: 'streams', limit, used: limit });
      expect(answer.headers.get('retry-after')).toBe('10');
    }
    readers[0]?.leave();
    await waitFor('room', async () => (await follow()).response.statusCode === 200);
  });
});

describe('a stream ends', () => {
  test('within a second or so of the revocation of its key, and tells no event after it', async () => {
    const { body } = await gateway.call(tenant.apiKey, 'POST /v1/api-keys', { rotates: null });
    const [reader, other] = [await follow({ key: body['secret'] as string }), await follow()];
    await gateway.call(tenant.apiKey, `DELETE /v1/api-keys/${body['kid'] as string}`);
    const revoked = performance.now();
    expect(await reader.reason()).toBe('KEY_ENDED');
    expect(performance.now() - revoked).toBeLessThan(5_000);
    happen([anEvent(1)]);
    await other.until(1);
    expect(reader.events).toEqual([]);
  });

  test('when its key expires by the clock of its tenant', async () => {
    await gateway.call(tenant.apiKey, 'POST /v1/api-keys', {});
    const reader = await follow();
    const expire = 'UPDATE gateway.api_key SET expires_at = clock_timestamp() WHERE kid = $1';
    await gateway.service.database.query(expire, [tenant.kid]);
    expect(await reader.reason()).toBe('KEY_ENDED');
  });

  test('at the end of its key also while the clock of another tenant cannot be told', async () => {
    const sick = await gateway.createTenant();
    const { body } = await gateway.call(sick.apiKey, 'POST /v1/api-keys', {
      expiresInDays: 1,
      rotates: null,
    });
    await follow({ key: body['secret'] as string });
    const reader = await follow();
    const { query } = gateway.service.database;
    await query(`
      ALTER FUNCTION public.svc_now(uuid) RENAME TO svc_now_of_others;
      CREATE FUNCTION public.svc_now(tenant uuid DEFAULT NULL) RETURNS timestamptz STABLE LANGUAGE plpgsql AS $$ BEGIN
        IF tenant = '${sick.tenantId}' THEN RAISE EXCEPTION 'no such time' USING ERRCODE = '22008'; END IF;
        RETURN public.svc_now_of_others(tenant); END $$`);
    try {
      await query('UPDATE gateway.api_key SET revoked_at = clock_timestamp() WHERE kid = $1', [tenant.kid]);
      expect(await reader.reason()).toBe('KEY_ENDED');
    } finally {
      await query(`
        DROP FUNCTION public.svc_now(uuid);
        ALTER FUNCTION public.svc_now_of_others(uuid) RENAME TO svc_now`);
    }
  });

  test('for a HEAD request at once', async () => {
    const answer = await gateway.call(tenant.apiKey, `HEAD ${PATH}`);
    expect(answer).toMatchObject({ status: 200, body: { text: '' } });
  });

  test('and leaves nothing in the memory of the gateway', async () => {
    const [streams, tail, reader] = [EventStreams, LogTail, LogReader].map((type) =>
      gateway.service.get<object>(type),
    ) as [EventStreams, LogTail, LogReader];
    const remembered = (): number[] =>
      [streams['open'], streams['slots']['taken'], tail['watched'], reader['underWay']].map(
        ({ size }) => size,
      );
    await waitFor('the streams before to end', () => Math.max(...remembered()) === 0);
    await follow();
    await follow();
    happen([anEvent(1)]);
    await waitFor('the event', () => numbersOf(...readers).length === 2);
    // Three places: of the process, of the key and of the tenant.
    expect(remembered().slice(0, 3)).toEqual([2, 3, 1]);
    readers.forEach((one) => one.leave());
    await waitFor('nothing to be remembered', () => Math.max(...remembered()) === 0);
  });
});
