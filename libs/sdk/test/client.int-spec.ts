import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ApiError, ConnectionError, SvcClient, type SvcClientOptions } from '../src/index.js';
import { answer, hang, refuse, reset, ScriptedServer, type Step } from './scripted-server.js';

let server: ScriptedServer;
beforeAll(async () => void (server = await ScriptedServer.start()));
beforeEach(() => void (server.asked.length = 0));
afterAll(() => server.stop());

/** Makes a client of a server that does these steps. */
function client(steps: Step[], options: SvcClientOptions = {}): SvcClient {
  server.steps = steps;
  return new SvcClient({ apiKey: 'the-key', baseUrl: `${server.origin}/`, ...options });
}

const message = { sessionId: 's', to: '+4915112345678', text: 'hello' };
const queued = answer(200, { status: 'QUEUED', jobId: 'j' });
const page = (items: number[], nextCursor: string | null): Step => answer(200, { items, nextCursor });

describe('a call', () => {
  test('goes with the key, its query and its body', async () => {
    await client([queued]).messages.send({ ...message, clientMessageId: 'order-1' });
    await client([page([], null)]).messages.list({ sessionId: 'a b', limit: 5, contact: undefined });
    await client([answer(200)]).sessions.get('a/b');
    const [send, list, get] = server.asked;
    expect(send).toMatchObject({ method: 'POST', url: '/v1/messages' });
    expect(send?.headers).toMatchObject({
      authorization: 'Bearer the-key',
      'content-type': 'application/json',
    });
    expect(JSON.parse(send?.body ?? '')).toEqual({ ...message, clientMessageId: 'order-1' });
    expect([list?.url, get?.url]).toEqual(['/v1/messages?sessionId=a+b&limit=5', '/v1/sessions/a%2Fb']);
  });

  test('of a file sends the form, and gives the file back to read', async () => {
    const form = new FormData();
    form.append('file', new Blob(['GIF89a'], { type: 'image/gif' }), 'a.gif');
    await client([answer(201, { id: 'm' })]).media.upload(form);
    expect(server.asked[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(server.asked[0]?.body).toContain('GIF89a');
    const file = await client([(response) => void response.end('bytes')]).messages.getMedia('m');
    expect(await file.text()).toBe('bytes');
  });

  test('that is refused says why', async () => {
    const error = await client([refuse(404, 'SESSION_NOT_FOUND')])
      .sessions.get('x')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      ...{ name: 'ApiError', status: 404, code: 'SESSION_NOT_FOUND', message: 'It is SESSION_NOT_FOUND.' },
      ...{ requestId: 'r-1', meta: { a: 1 } },
    });
    expect(server.asked).toHaveLength(1);
  });

  test('that something in between answers is an error all the same', async () => {
    const proxy: Step = (response) => void response.writeHead(413, { 'x-request-id': 'r-9' }).end('<html>');
    const error = client([proxy]).sessions.get('x');
    await expect(error).rejects.toMatchObject({ status: 413, code: 'INTERNAL', requestId: 'r-9', meta: {} });
  });

  test('follows nobody elsewhere: the key stays here', async () => {
    const away = answer(302, {}, { location: 'http://127.0.0.1:9/' });
    await expect(client([away], { maxRetries: 0 }).sessions.get('x')).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe('a call that fails', () => {
  test.each([
    ['a broken connection', reset],
    ['503', refuse(503, 'UPSTREAM_UNAVAILABLE', { 'retry-after': '0' })],
    ['504', refuse(504, 'UPSTREAM_TIMEOUT', { 'retry-after': '0' })],
    ['429', refuse(429, 'RATE_LIMITED', { 'retry-after': '0' })],
  ])('after %s is made again, the send under the same clientMessageId', async (_, step) => {
    await client([step, step, queued]).messages.send(message);
    const ids = server.asked.map(
      ({ body }) => (JSON.parse(body) as { clientMessageId: string }).clientMessageId,
    );
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is not made again where twice is not the same as once', async () => {
    const create = (step: Step): Promise<unknown> => client([step]).sessions.create({ name: 'x' });
    await expect(create(reset)).rejects.toBeInstanceOf(ConnectionError);
    await expect(create(refuse(503, 'UPSTREAM_UNAVAILABLE'))).rejects.toMatchObject({ status: 503 });
    expect(server.asked).toHaveLength(2);
    // A call that was refused for its rate has not been carried out.
    await client([refuse(429, 'RATE_LIMITED', { 'retry-after': '0' }), answer(201)]).sessions.create({
      name: 'x',
    });
    expect(server.asked).toHaveLength(4);
  });

  test('is not made again where each call makes a key or a secret anew', async () => {
    const put = (body: object, ...steps: Step[]): Promise<unknown> =>
      client(steps).sessions.putExternalConfig('s', { enabled: true, ...body });
    for (const body of [
      { mintApiKey: true },
      { rotateSecret: true },
      { mintApiKey: true, rotateSecret: false },
    ])
      await expect(put(body, reset, answer(200))).rejects.toBeInstanceOf(ConnectionError);
    expect(server.asked).toHaveLength(3);
    await put({ mintApiKey: true }, refuse(429, 'RATE_LIMITED', { 'retry-after': '0' }), answer(200));
    await put({ mintApiKey: false }, reset, answer(200));
    expect(server.asked).toHaveLength(7);
  });

  test('of a deletion is done where its repeat finds nothing any more', async () => {
    const gone = refuse(404, 'SESSION_NOT_FOUND');
    for (const lost of [reset, refuse(504, 'UPSTREAM_TIMEOUT', { 'retry-after': '0' })])
      await expect(client([lost, gone]).sessions.delete('s')).resolves.toBeUndefined();
    expect(server.asked).toHaveLength(4);
  });

  test('of a deletion is an error where nothing was lost before, or what is missing is the route', async () => {
    const gone = refuse(404, 'SESSION_NOT_FOUND');
    const limited = refuse(429, 'RATE_LIMITED', { 'retry-after': '0' });
    for (const steps of [[gone], [limited, gone], [reset, refuse(404, 'NOT_FOUND')]])
      await expect(client(steps).sessions.delete('s')).rejects.toMatchObject({ status: 404 });
    // The session was not deleted, and there is nothing to give back.
    await expect(client([reset, gone]).sessions.get('s')).rejects.toMatchObject({ status: 404 });
  });

  test('does not come back earlier than it was asked to', async () => {
    await client([refuse(429, 'RATE_LIMITED', { 'retry-after': '1' }), answer(200)]).sessions.get('x');
    const [first, second] = server.asked;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test('does not wait for a daily limit', async () => {
    const limit = refuse(429, 'RATE_LIMITED', { 'retry-after': '3600' });
    const error = client([limit]).messages.send(message);
    await expect(error).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 3_600_000 });
    expect(server.asked).toHaveLength(1);
  });

  test('gives up after so many times', async () => {
    await expect(client([reset], { maxRetries: 1 }).sessions.get('x')).rejects.toBeInstanceOf(
      ConnectionError,
    );
    expect(server.asked).toHaveLength(2);
    await expect(client([reset]).sessions.get('x', { maxRetries: 0 })).rejects.toBeInstanceOf(
      ConnectionError,
    );
    expect(server.asked).toHaveLength(3);
  });

  test('has only so much time, also for an answer that does not end', async () => {
    const endless: Step = (response) => void response.writeHead(200).write('{');
    for (const step of [hang, endless]) {
      const error = client([step], { timeoutMs: 100, maxRetries: 0 }).sessions.get('x');
      await expect(error).rejects.toMatchObject({ name: 'ConnectionError', timedOut: true });
    }
    // Each try has the time anew; the second needs what a busy machine takes for an answer.
    await client([hang, answer(200)], { timeoutMs: 1_500 }).sessions.get('x');
  });

  test('ends with its signal, while it waits for an answer and while it waits to come again', async () => {
    for (const step of [hang, refuse(503, 'UPSTREAM_UNAVAILABLE', { 'retry-after': '50' })]) {
      const ending = new AbortController();
      const call = client([step]).sessions.get('x', { signal: ending.signal });
      setImmediate(() => ending.abort());
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    }
  });
});

describe('a list', () => {
  test('is its first page, awaited', async () => {
    expect(await client([page([1, 2], 'c')]).messages.list()).toEqual({ items: [1, 2], nextCursor: 'c' });
    expect(server.asked).toHaveLength(1);
  });

  test('is gone through page after page, as one comes to them', async () => {
    const seen = [];
    const list = client([page([1, 2], 'c1'), page([], 'c2'), page([3], null)]).messages.list({ limit: 2 });
    expect(server.asked).toEqual([]);
    for await (const item of list) {
      seen.push(item);
      if (seen.length === 2) expect(server.asked).toHaveLength(1);
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(server.asked.map(({ url }) => url)).toEqual([
      '/v1/messages?limit=2',
      '/v1/messages?limit=2&before=c1',
      '/v1/messages?limit=2&before=c2',
    ]);
  });

  test('that is a log ends where there is no more yet', async () => {
    const log = [
      answer(200, { items: [1], nextCursor: 'c1', more: true }),
      answer(200, { items: [2], nextCursor: 'c2', more: false }),
    ];
    const seen = [];
    for await (const item of client(log).events.readLog()) seen.push(item);
    expect(seen).toEqual([1, 2]);
    expect(server.asked[1]?.url).toBe('/v1/events?after=c1');
  });
});

test('a client without key or address is not made', () => {
  expect(() => new SvcClient({ baseUrl: 'http://127.0.0.1:1' })).toThrow(/SVC_API_KEY/);
  expect(() => new SvcClient({ apiKey: 'k' })).toThrow(/SVC_BASE_URL/);
});
