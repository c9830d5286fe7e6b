import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from './wait-for.js';
import { AddressGuard, type Resolve } from '../src/index.js';
import { OutboundHttp } from '../src/http/outbound-http.js';
import { CountingServer } from './counting-server.js';
import { LIMITS } from './limits.js';

const routes: Record<string, (response: ServerResponse) => void> = {
  '/ok': (response) => response.end('fine'),
  '/redirect': (response) => response.writeHead(307, { location: url('/ok') }).end(),
  '/big': (response) => {
    const chunk = Buffer.alloc(256 * 1024, 'x');
    for (let i = 0; i < 40; i += 1) response.write(chunk);
    response.end();
  },
  '/middle': (response) => response.end(Buffer.alloc(128 * 1024)),
  '/drip': (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  },
  '/drip-headers': (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\nx-a: ');
    const timer = setInterval(() => response.socket?.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  },
  '/reset': (response) => response.socket?.resetAndDestroy(),
  '/reset-after-headers': (response) => {
    response.writeHead(204).flushHeaders();
    response.socket?.resetAndDestroy();
  },
  '/nonsense': (response) => response.socket?.end('SSH-2.0-OpenSSH\r\n'),
  '/hang': () => undefined,
};

const server = CountingServer.ofThisFile((request, response) => routes[request.url ?? '']?.(response));
const url = (path: string): string => `http://127.0.0.1:${server.port}${path}`;

/** Makes a client that is let through to this machine, with so much time for a POST. */
function aClient(timeoutMs: number, options?: { maxConnections: number }) {
  const guard = new AddressGuard({ allowedOrigins: ['http://127.0.0.1:*', 'https://127.0.0.1:*'] });
  const http = new OutboundHttp(guard, options);
  return {
    post: (target: string) => http.post(target, {}, body, { ...LIMITS, timeoutMs }),
    close: () => http.close(),
  };
}
const body = Buffer.from('{}');

describe('a receiver on an allowed origin', () => {
  const client = aClient(10_000);
  afterAll(() => client.close());
  const post = (path: string) => client.post(url(path));

  test('that answers 2xx has it, and the head of its answer is kept', async () => {
    const answer = await post('/ok');
    expect({ ...answer, head: answer.head.toString() }).toMatchObject({
      status: 200,
      error: null,
      head: 'fine',
    });
  });

  test('that redirects is not followed', async () => {
    const before = server.requests;
    expect(await post('/redirect')).toMatchObject({ status: 307, error: 'REDIRECT_NOT_FOLLOWED' });
    expect(server.requests - before).toBe(1);
  });

  test('that answers with 10 MB costs 4 KB', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const answer = await post('/big');
    expect(answer).toMatchObject({ status: 200, error: null });
    expect(answer.head).toHaveLength(4096);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5 * 1024 * 1024);
  });

  test('that drips its body has answered; its connection is given up', async () => {
    const answer = await post('/drip');
    expect(answer).toMatchObject({ status: 200, error: null });
    // Long before the deadline of the attempt.
    expect(answer.durationMs).toBeLessThan(5_000);
  });

  test('that drips its headers meets the deadline of the attempt', async () => {
    const hasty = aClient(500);
    const answer = await hasty.post(url('/drip-headers'));
    expect(answer).toMatchObject({ status: null, error: 'TIMEOUT' });
    expect(answer.durationMs).toBeGreaterThanOrEqual(495);
    hasty.close();
  });

  test.each([
    ['/reset', 'CONNECTION_CLOSED'],
    ['/nonsense', 'INVALID_ANSWER'],
  ])('at %s has failed', async (path, error) => {
    expect(await post(path)).toMatchObject({ status: null, error });
  });

  test('that cuts the line after a 2xx has it', async () => {
    expect(await post('/reset-after-headers')).toMatchObject({ status: 204, error: null });
  });

  test('that is not there has failed', async () => {
    expect(await client.post('http://127.0.0.1:1/')).toMatchObject({
      error: 'CONNECTION_REFUSED',
    });
  });

  test('keeps its connection from one delivery to the next', async () => {
    await post('/ok');
    const before = server.connections;
    for (let i = 0; i < 20; i += 1) await post('/ok');
    expect(server.connections - before).toBeLessThanOrEqual(1);
  });
});

test('each POST has limits of its own: how much of an answer is kept, and how much is read', async () => {
  const http = new OutboundHttp(new AddressGuard({ allowedOrigins: ['http://127.0.0.1:*'] }));
  const answer = await http.post(url('/ok'), {}, body, { ...LIMITS, headBytes: 2 });
  expect(answer.head.toString()).toBe('fi');
  const before = server.connections;
  for (const drainBytes of [256 * 1024, 1024]) {
    expect(await http.post(url('/middle'), {}, body, { ...LIMITS, drainBytes })).toMatchObject({
      status: 200,
    });
  }
  await http.post(url('/ok'), {}, body, LIMITS);
  // The first connection gave the whole answer and stayed; the second POST gave it up.
  expect(server.connections - before).toBe(1);
  http.close();
});

describe('a host that closes a connection it was to keep', () => {
  let requests = 0;
  /** Requests to come that it cuts instead of answering them. */
  let cuts = 0;
  const host = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      requests += 1;
      if (cuts-- > 0) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  });
  beforeAll(() => new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void host.close());

  test.each([
    ['just as a delivery goes out gets it over another one, within the same attempt', 1, { status: 200 }],
    ['again as it is sent once more has failed', 2, { status: null, error: 'CONNECTION_CLOSED' }],
  ])('%s', async (_, times, expected) => {
    const client = aClient(10_000);
    const post = () => client.post(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
    expect(await post()).toMatchObject({ status: 200 });
    await nextTurn(); // now the connection is free
    [requests, cuts] = [0, times];
    expect(await post()).toMatchObject(expected);
    expect(requests).toBe(2);
    client.close();
  });

  test('before it has answered anything has failed at once', async () => {
    const client = aClient(10_000);
    const before = server.requests;
    for (let n = 1; n <= 2; n += 1) {
      expect(await client.post(url('/reset'))).toMatchObject({
        error: 'CONNECTION_CLOSED',
      });
      expect(server.requests - before).toBe(n);
    }
    client.close();
  });
});

describe('many receivers on one host', () => {
  test('each get the POSTs that count for them: none waits in a queue, least of all for those that hang', async () => {
    const client = aClient(2_000);
    const post = (path: string) => client.post(url(path));
    const before = server.requests;
    const hanging = Promise.all(Array.from({ length: 40 }, () => post('/hang')));
    const first = await Promise.race([post('/ok'), hanging.then(() => 'those that hang')]);
    expect(first).toMatchObject({ status: 200 });
    const answers = await hanging;
    expect(answers.map(({ error }) => error)).toEqual(answers.map(() => 'TIMEOUT'));
    expect(server.requests - before).toBe(41);
    client.close();
  });

  test('leave a bounded number of connections open between two deliveries', async () => {
    await waitFor('those of other tests to be closed', async () => (await server.open()) === 0);
    const client = aClient(10_000, { maxConnections: 5 });
    const post = () => client.post(url('/ok'));
    await Promise.all(Array.from({ length: 30 }, post));
    // The client itself would close all of them after fifteen seconds.
    await waitFor('all but five to be closed', async () => (await server.open()) <= 5, 10_000);
    expect(await post()).toMatchObject({ status: 200 });
    client.close();
  });
});

test('a receiver whose connection never comes about meets the deadline of the attempt', async () => {
  // Takes the connection and then has nothing to say in TLS.
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const client = aClient(300);
  const answer = await client.post(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
  expect(answer).toMatchObject({ status: null, error: 'TIMEOUT' });
  expect(answer.durationMs).toBeGreaterThanOrEqual(295);
  client.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])(
  'an attempt that %s on our side stopped is none: there is no answer to count',
  async (code) => {
    const resolve: Resolve = (_, __, callback) => callback(Object.assign(new Error('no more'), { code }), []);
    const client = new OutboundHttp(new AddressGuard({ resolve }));
    await expect(client.post('https://hooks.example/', {}, body, LIMITS)).rejects.toMatchObject({
      code,
    });
    client.close();
  },
);
