import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openTunnel, TunnelRefused } from './tunnel.js';

let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server?.close();
});

/** Starts a proxy that answers the request with these pieces; gives a connection to it, and the request that it received. */
async function proxy(...pieces: (string | Buffer)[]): Promise<{ socket: Socket; asked: () => string }> {
  let asked = '';
  server = createServer((far) => {
    sockets.add(far);
    far.on('error', () => undefined);
    far.on('data', (bytes) => {
      asked += bytes.toString();
      if (asked.endsWith('\r\n\r\n')) void answer(far, pieces);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.add(socket);
  await once(socket, 'connect');
  return { socket, asked: () => asked };
}

async function answer(far: Socket, pieces: (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) await new Promise((written) => far.write(piece, written));
}

const never = new AbortController().signal;

describe('a tunnel', () => {
  test('is asked for by name and port, with the credentials of the proxy', async () => {
    const { socket, asked } = await proxy('HTTP/1.1 200 Connection established\r\n\r\n');
    await openTunnel(socket, 'example.com:443', { authorization: 'Basic YTpi', signal: never });
    expect(asked()).toBe(
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nProxy-Authorization: Basic YTpi\r\n\r\n',
    );
    expect(socket.destroyed).toBe(false);
  });

  test.each([
    ['in one piece with the answer', ['HTTP/1.1 200 OK\r\nVia: x\r\n\r\nfirst', ' second']],
    ['after an answer in pieces', ['HTTP/1.0 200', ' OK\r', '\n\r', '\nfirst', ' second']],
  ])('begins with what the far end says, %s', async (_how, pieces) => {
    const { socket } = await proxy(...pieces);
    await openTunnel(socket, 'example.com:80', { signal: never });
    let text = '';
    socket.on('data', (bytes) => (text += bytes.toString())).resume();
    while (!text.endsWith('second')) await once(socket, 'data');
    expect(text).toBe('first second');
  });

  test.each([407, 502, 100])('is refused with the status %i, and the connection is gone', async (status) => {
    const { socket } = await proxy(`HTTP/1.1 ${status} No\r\n\r\nwords of the proxy`);
    const error = await openTunnel(socket, 'example.com:80', { signal: never }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TunnelRefused);
    expect(error).toMatchObject({ status });
    expect(socket.destroyed).toBe(true);
  });

  test.each([
    ['has no end', [`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(17_000)}`]],
    ['has no end, and comes in pieces', Array.from({ length: 20 }, () => 'a'.repeat(1_000))],
    ['is no head', ['SSH-2.0-OpenSSH_9.6\r\n\r\n']],
  ])('is given up where the head %s', async (_what, pieces) => {
    const { socket } = await proxy(...pieces);
    await expect(openTunnel(socket, 'example.com:80', { signal: never })).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
    });
    expect(socket.destroyed).toBe(true);
  });

  test('is given up with its connection when the time is over, and before it has begun', async () => {
    const { socket } = await proxy();
    const time = new AbortController();
    const opened = openTunnel(socket, 'example.com:80', { signal: time.signal });
    time.abort(new Error('time is over'));
    await expect(opened).rejects.toThrow('time is over');
    expect(socket.destroyed).toBe(true);
    await expect(openTunnel(socket, 'example.com:80', { signal: time.signal })).rejects.toThrow(
      'time is over',
    );
  });

  test('is given up when the proxy hangs up', async () => {
    const { socket } = await proxy();
    const opened = openTunnel(socket, 'example.com:80', { signal: never });
    for (const far of sockets) if (far !== socket) far.destroy();
    await expect(opened).rejects.toThrow(/closed the connection|ECONNRESET/);
  });
});
