import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { AddressGuard } from '../src/index.js';
import { waitFor } from './wait-for.js';
import type { Answer } from '../src/http/exchange.js';
import { OutboundHttp } from '../src/http/outbound-http.js';
import { LIMITS } from './limits.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine';
/** Time after which the host closes, in ms: well before the client itself closes what is not used. */
const CLOSED_MS = 7_000;
const BODY = Buffer.from('{"n":1}');

let client: OutboundHttp;
let timeoutMs: number;
let host: Server;
/** Connections that were opened, each with the bytes that came over it. */
let connections: { socket: Socket; came: string }[];
/** Answers of the host to each request, in turn; the last one from then on. */
let answers: string[];

beforeEach(async () => {
  timeoutMs = 5_000;
  client = new OutboundHttp(new AddressGuard({ allowedOrigins: ['http://127.0.0.1:*'] }));
  connections = [];
  answers = [OK];
  host = createServer((socket) => {
    const one = { socket, came: '' };
    connections.push(one);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      one.came += bytes.toString('latin1');
      // Requests are smaller than what comes at once.
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      socket.write(answer ?? '', 'latin1');
    });
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  client.close();
  for (const { socket } of connections) socket.destroy();
  host.close();
});

const port = (): number => (host.address() as AddressInfo).port;
const post = async (body = BODY, headers: Record<string, string> = {}) => {
  const { status, error, head } = await client.post(`http://127.0.0.1:${port()}/a%20b?c=d`, headers, body, {
    ...LIMITS,
    timeoutMs,
  });
  await nextTurn();
  return { status, error, head: head.toString() };
};
const isOpen = (n: number): boolean => connections[n]?.socket.closed === false;

test('a POST goes out as it is written, byte for byte, over a connection that stays', async () => {
  const body = Buffer.from('{"text":"grüß dich \u{1F600}"}');
  for (const id of ['1', '2']) {
    expect(await post(body, { 'X-Id': id, 'Content-Type': 'application/json' })).toMatchObject({
      status: 200,
      head: 'fine',
    });
  }
  const request = (id: string) =>
    [
      ...['POST /a%20b?c=d HTTP/1.1', `Host: 127.0.0.1:${port()}`, 'Connection: keep-alive'],
      ...[`Content-Length: ${body.length}`, `X-Id: ${id}`, 'Content-Type: application/json'],
      ...['', body.toString('latin1')],
    ].join('\r\n');
  expect(connections.map(({ came }) => came)).toEqual([request('1') + request('2')]);
});

test.each([
  ['has said that it closes it', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'],
  [
    'leaves it open for a moment only',
    'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: timeout=2\r\n\r\n',
  ],
  ['speaks HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['sends more than the answer', `${OK}${OK}`],
])('a connection is not used again where the receiver %s', async (_, answer) => {
  answers = [answer, OK];
  expect(await post()).toMatchObject({ status: 200 });
  expect(await post()).toMatchObject({ status: 200, head: 'fine' });
  expect(connections).toHaveLength(2);
});

test('a connection is closed before the receiver would do so', async () => {
  answers = ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: timeout=3\r\n\r\n'];
  await post();
  expect(isOpen(0)).toBe(true);
  await waitFor('it to be closed', () => !isOpen(0), CLOSED_MS);
});

test('what a receiver says unasked is no answer to the next POST', async () => {
  await post();
  connections[0]?.socket.write('HTTP/1.1 500 Oh no\r\nContent-Length: 0\r\n\r\n');
  await waitFor('the connection to be closed', () => !isOpen(0), CLOSED_MS);
  expect(await post()).toMatchObject({ status: 200, head: 'fine' });
  expect(connections).toHaveLength(2);
});

test.each([
  [
    'in chunks, with trailers',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfi\r\n2;x=y\r\nne\r\n0\r\nA: b\r\n\r\n',
  ],
  [
    'after a first word',
    'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine',
  ],
])('an answer that comes %s is understood, and its connection stays', async (_, answer) => {
  answers = [answer];
  const expected = { status: 200, error: null, head: 'fine' };
  expect([await post(), await post()]).toEqual([expected, expected]);
  expect(connections).toHaveLength(1);
});

test('an answer that ends with its connection is understood', async () => {
  answers = ['HTTP/1.1 200 OK\r\n\r\nfi'];
  const answer = post();
  await waitFor('the request', () => connections[0]?.came);
  connections[0]?.socket.end('ne');
  expect(await answer).toEqual({ status: 200, error: null, head: 'fine' });
});

test('a connection that ends within a head has failed, and the POST is not sent again', async () => {
  expect(await post()).toMatchObject({ status: 200 });
  answers = ['HTTP/1.1 200 O'];
  const answer = post();
  await waitFor('the second request', () => connections[0]?.came.split('POST').length === 3);
  connections[0]?.socket.end();
  expect(await answer).toMatchObject({ status: null, error: 'CONNECTION_CLOSED' });
  expect(connections).toHaveLength(1);
});

test('a receiver that answers before it has read everything has answered; its connection is given up', async () => {
  host.on('connection', (socket) => {
    socket.removeAllListeners('data').pause();
    socket.write('HTTP/1.1 413 Too large\r\nContent-Length: 0\r\n\r\n');
  });
  expect(await post(Buffer.alloc(16 * 1024 * 1024))).toMatchObject({ status: 413, error: 'HTTP_413' });
  connections[0]?.socket.resume();
  await waitFor('it to be closed', () => !isOpen(0), CLOSED_MS);
});

test('a host that closes each connection without saying so, and reads on, gets a POST twice once', async () => {
  const requests = (): number =>
    connections.reduce((sum, { came }) => sum + came.split('POST').length - 1, 0);
  host.on('connection', (socket) => {
    socket.removeAllListeners('data').on('data', (bytes) => {
      const one = connections.find((other) => other.socket === socket);
      if (one) one.came += bytes.toString('latin1');
      socket.end(OK);
    });
  });
  for (let n = 0; n < 20; n += 1) expect(await post()).toMatchObject({ status: 200, head: 'fine' });
  expect(requests()).toBeLessThanOrEqual(21);
});

test('nothing of a POST is kept with its connection when it is over', async () => {
  const registry = new FinalizationRegistry<number>((n) => void gone.add(n));
  const gone = new Set<number>();
  /** Posts a delivery whose answer the caller does not keep. */
  const postOne = (n: number): Promise<Answer> =>
    new Promise((onAnswer, onError) => {
      const listener = { onAnswer, onError };
      registry.register(listener, n);
      client.send(`http://127.0.0.1:${port()}/`, {}, BODY, LIMITS, listener);
    });
  for (let n = 0; n < 3; n += 1) {
    await postOne(n);
    await nextTurn();
  }
  const collected = (): boolean => {
    collect();
    return gone.size === 3;
  };
  await waitFor('all to be collected', collected, CLOSED_MS);
  expect(isOpen(0)).toBe(true);
});

test('a receiver that takes too long for one POST has its connections kept afterwards', async () => {
  client.close();
  client = new OutboundHttp(new AddressGuard({ allowedOrigins: ['http://127.0.0.1:*'] }));
  timeoutMs = 500;
  expect(await post()).toMatchObject({ status: 200 });
  answers = ['', OK];
  expect(await post()).toMatchObject({ status: null, error: 'TIMEOUT' });
  expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
  expect(connections).toHaveLength(2);
});

test('a POST over a kept connection that ends after a while, without an answer, is not sent again', async () => {
  expect(await post()).toMatchObject({ status: 200 });
  answers = [''];
  const answer = post();
  await waitFor('the second request', () => connections[0]?.came.split('POST').length === 3);
  // The server gives up on a request that it has worked at.
  setTimeout(() => connections[0]?.socket.destroy(), 1_500);
  expect(await answer).toMatchObject({ status: null, error: 'CONNECTION_CLOSED' });
  expect(connections).toHaveLength(1);
});
