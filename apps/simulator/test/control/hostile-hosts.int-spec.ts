import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

interface Host {
  id: string;
  url: string;
  state: string;
  opened: number;
  open: number;
  mostOpen: number;
  bytesSent: number;
}

let stack: Stack;
const sockets = new Set<Socket>();
beforeAll(async () => {
  stack = await Stack.start();
});
afterEach(() => sockets.forEach((socket) => socket.destroy()));
afterAll(() => stack.close());

const start = async (kind: string, behaviour: string, limits = {}): Promise<Host> => {
  const { status, body } = await stack.post<Host>('/hostile-hosts', { kind, behaviour, ...limits });
  expect(status).toBe(201);
  return body;
};
const shown = async ({ id }: Host): Promise<Host> => (await stack.get<Host>(`/hostile-hosts/${id}`)).body;

/** A client of a host that has asked it for something: what came so far, and whether the host has hung up. */
async function visit({
  url,
}: Host): Promise<{ text: () => string; bytes: () => Buffer; gone: () => boolean }> {
  const { protocol, port: text, hostname: host } = new URL(url);
  const port = Number(text);
  const socket =
    protocol === 'https:' ? connectTls({ host, port, ca: stack.simulator.ca }) : connect({ host, port });
  sockets.add(socket);
  let bytes = Buffer.alloc(0);
  socket.on('error', () => undefined).on('data', (more) => (bytes = Buffer.concat([bytes, more])));
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect');
  socket.write('GET /file HTTP/1.1\r\nHost: any\r\n\r\n');
  return { text: () => bytes.toString('latin1'), bytes: () => bytes, gone: () => socket.readableEnded };
}

const HEAD_END = '\r\n\r\n';
const bodyIn = (text: string): string => text.slice(text.indexOf(HEAD_END) + HEAD_END.length);

describe('a hostile host', () => {
  test('is silent, and shows who is connected and who was', async () => {
    const host = await start('http-host', 'silence');
    expect(host).toMatchObject({ state: 'RUNNING', opened: 0, open: 0, bytesSent: 0 });
    await visit(host);
    await visit(host);
    await until(async () => (await shown(host)).open === 2, 'both to be counted');
    sockets.forEach((socket) => socket.destroy());
    await until(async () => (await shown(host)).open === 0, 'nobody to be counted');
    expect(await shown(host)).toMatchObject({ opened: 2, mostOpen: 2, bytesSent: 0 });
  });

  test.each(['http-proxy', 'http-host', 'https-host'])('of the kind %s never ends its head', async (kind) => {
    const host = await start(kind, 'endless-head', { mostBytes: 1_000_000 });
    const { text, gone } = await visit(host);
    await until(gone, 'the end of its bytes');
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\nX: a+$/);
    const { state, open, bytesSent } = await shown(host);
    expect([state, open, bytesSent >= 1_000_000, bytesSent < 1_200_000]).toEqual(['ENDED', 0, true, true]);
  });

  test('answers a byte a second', async () => {
    const { text } = await visit(await start('http-proxy', 'drip'));
    await until(() => text() === 'HT', 'the second byte');
  });

  test('hangs up in the middle of its answer', async () => {
    const { text, gone } = await visit(await start('http-host', 'cut'));
    await until(gone, 'the end');
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Content-Length: 1000/s);
    expect(bodyIn(text())).toBe('half');
  });

  test.each([
    ['http-proxy', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['socks-proxy', '\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00'],
  ])('of the kind %s lets through, and then says nothing or a byte a second', async (kind, head) => {
    const silent = await visit(await start(kind, 'silence-after-head'));
    const { text } = await visit(await start(kind, 'drip-after-head'));
    await until(() => text().length === head.length + 2, 'the second byte behind it');
    expect([silent.text(), text().slice(0, -2)]).toEqual([head, head]);
  });

  test('sends a body that never ends', async () => {
    const { text } = await visit(await start('http-host', 'endless-body'));
    await until(() => bodyIn(text()).length > 1_000_000, 'a million bytes');
    expect(text()).toContain('Content-Type: image/png');
  });

  test('sends few bytes that become many', async () => {
    const { text, bytes } = await visit(await start('http-host', 'gzip', { mostBytes: 5_000 }));
    await until(() => bodyIn(text()).length > 1_000, 'a piece');
    expect(text()).toContain('Content-Encoding: gzip');
    const sealed = bytes().subarray(bytes().indexOf(HEAD_END) + HEAD_END.length);
    expect(gunzipSync(sealed).length).toBeGreaterThan(500 * sealed.length);
  });

  test('sends a page in place of a file, or somewhere else for ever', async () => {
    const page = await visit(await start('http-host', 'wrong-type'));
    const circle = await start('http-host', 'redirect-loop');
    const moved = await visit(circle);
    await until(() => page.gone() && moved.gone(), 'both to end');
    expect(page.text()).toMatch(/Content-Type: text\/html.*<p>/s);
    expect(moved.text()).toContain(`302 Found\r\nLocation: ${circle.url}/1`);
  });

  test('ends when its time is over', async () => {
    const host = await start('socks-proxy', 'silence', { mostSeconds: 1 });
    const { gone } = await visit(host);
    await until(gone, 'its end');
    expect(await shown(host)).toMatchObject({ state: 'ENDED', opened: 1, open: 0 });
  });

  test('ends when it is stopped, and with everybody', async () => {
    const [stopped, forgotten] = [
      await start('http-host', 'silence'),
      await start('http-host', 'endless-body'),
    ];
    const guests = [await visit(stopped), await visit(forgotten)];
    await until(async () => (await shown(stopped)).open === 1, 'the guest to be counted');
    const { body } = await stack.call<Host>('DELETE', `/hostile-hosts/${stopped.id}`);
    expect(body).toMatchObject({ state: 'ENDED', opened: 1, open: 0 });
    expect((await stack.get(`/hostile-hosts/${stopped.id}`)).status).toBe(404);
    await stack.post('/reset');
    expect((await stack.get<{ items: Host[] }>('/hostile-hosts')).body.items).toEqual([]);
    await until(() => guests.every(({ gone }) => gone()), 'both to be sent away');
  });

  test.each([
    [{ kind: 'printer', behaviour: 'silence' }, 'kind'],
    [{ kind: 'http-host', behaviour: 'kindness' }, 'behaviour'],
    [{ kind: 'socks-proxy', behaviour: 'gzip' }, 'behaviour'],
    [{ kind: 'http-host', behaviour: 'silence', mostBytes: 1e12 }, 'mostBytes'],
  ])('is refused as %j', async (body, field) => {
    const refused = await stack.post<{ meta: { fields: object } }>('/hostile-hosts', body);
    expect([refused.status, Object.keys(refused.body.meta.fields)]).toEqual([400, [field]]);
  });

  test('is one of a hundred at most', async () => {
    await stack.post('/reset');
    for (let n = 0; n < 100; n += 1) await start('http-host', 'silence');
    const { status } = await stack.post('/hostile-hosts', { kind: 'http-host', behaviour: 'silence' });
    expect(status).toBe(409);
    await stack.post('/reset');
  });
});
