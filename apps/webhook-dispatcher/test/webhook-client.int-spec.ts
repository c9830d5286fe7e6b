import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { AddressGuard, type Resolve } from '../src/addresses/address-guard.js';
import { WebhookClient } from '../src/sending/webhook-client.js';

let server: Server;
let port: number;
let connections = 0;
let requests = 0;

const routes: Record<string, (response: ServerResponse) => void> = {
  '/ok': (response) => response.end('fine'),
  '/redirect': (response) => response.writeHead(307, { location: `http://127.0.0.1:${port}/ok` }).end(),
  '/big': (response) => {
    const chunk = Buffer.alloc(256 * 1024, 'x');
    for (let i = 0; i < 40; i += 1) response.write(chunk);
    response.end();
  },
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

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => routes[request.url ?? '']?.(response));
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const body = Buffer.from('{}');

describe('a receiver on an allowed origin', () => {
  let client: WebhookClient;
  beforeAll(() => {
    client = new WebhookClient(new AddressGuard(['http://127.0.0.1:*']), 500);
  });
  afterAll(() => client.close());
  const post = (path: string) => client.post(`http://127.0.0.1:${port}${path}`, {}, body);

  test('that answers 2xx has it, and the head of its answer is kept', async () => {
    const answer = await post('/ok');
    expect({ ...answer, head: answer.head.toString() }).toMatchObject({
      status: 200,
      error: null,
      head: 'fine',
    });
  });

  test('that redirects is not followed', async () => {
    const before = requests;
    expect(await post('/redirect')).toMatchObject({ status: 307, error: 'REDIRECT_NOT_FOLLOWED' });
    expect(requests - before).toBe(1);
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
  });

  test('that drips its headers meets the deadline of the attempt', async () => {
    const answer = await post('/drip-headers');
    expect(answer).toMatchObject({ status: null, error: 'TIMEOUT' });
    expect(answer.durationMs).toBeGreaterThanOrEqual(495);
    expect(answer.durationMs).toBeLessThan(5_000);
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
    expect(await client.post('http://127.0.0.1:1/', {}, body)).toMatchObject({ error: 'CONNECTION_REFUSED' });
  });

  test('keeps its connection from one delivery to the next', async () => {
    await post('/ok');
    const before = connections;
    for (let i = 0; i < 20; i += 1) await post('/ok');
    expect(connections - before).toBeLessThanOrEqual(1);
  });
});

describe('many receivers on one host', () => {
  const TIMEOUT_MS = 400;
  let client: WebhookClient;
  beforeEach(() => {
    client = new WebhookClient(new AddressGuard(['http://127.0.0.1:*']), TIMEOUT_MS);
  });
  afterEach(() => client.close());
  const post = (path: string) => client.post(`http://127.0.0.1:${port}${path}`, {}, body);

  test('each get the POSTs that count for them: none waits in a queue until its time is over', async () => {
    const before = requests;
    const answers = await Promise.all(Array.from({ length: 40 }, () => post('/hang')));
    expect(answers.map(({ error }) => error)).toEqual(answers.map(() => 'TIMEOUT'));
    expect(requests - before).toBe(40);
    for (const { durationMs } of answers) expect(durationMs).toBeLessThan(TIMEOUT_MS * 4);
  });

  test('do not wait for those of them that hang', async () => {
    const hanging = Promise.all(Array.from({ length: 40 }, () => post('/hang')));
    const first = await Promise.race([post('/ok'), hanging.then(() => 'those that hang')]);
    expect(first).toMatchObject({ status: 200 });
    await hanging;
  });

  test('leave a bounded number of connections open between two deliveries', async () => {
    client = new WebhookClient(new AddressGuard(['http://127.0.0.1:*']), TIMEOUT_MS, { keptConnections: 5 });
    const open = () => new Promise<number>((done) => server.getConnections((_, count) => done(count)));
    const before = await open();
    await Promise.all(Array.from({ length: 30 }, () => post('/ok')));
    // The receiver itself would close them after seconds.
    await waitFor('all but five to be closed', async () => (await open()) - before <= 5, 1_000);
    expect(await post('/ok')).toMatchObject({ status: 200 });
  });
});

test('a receiver whose connection never comes about meets the deadline of the attempt', async () => {
  // Takes the connection and then has nothing to say in TLS.
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const client = new WebhookClient(new AddressGuard(['https://127.0.0.1:*']), 300);
  const answer = await client.post(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/`, {}, body);
  expect(answer).toMatchObject({ status: null, error: 'TIMEOUT' });
  expect(answer.durationMs).toBeGreaterThanOrEqual(295);
  expect(answer.durationMs).toBeLessThan(5_000);
  await client.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])(
  'an attempt that %s on our side stopped is none: there is no answer to count',
  async (code) => {
    const resolve: Resolve = (_, __, callback) => callback(Object.assign(new Error('no more'), { code }), []);
    const client = new WebhookClient(new AddressGuard([], resolve), 300);
    await expect(client.post('https://hooks.example/', {}, body)).rejects.toMatchObject({ code });
    await client.close();
  },
);
